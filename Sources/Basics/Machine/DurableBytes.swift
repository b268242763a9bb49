// SPDX-License-Identifier: MIT

/// Bytes that outlive the process.
package protocol DurableBytes: Sendable {
  /// `nil` where nothing was kept yet.
  func read() async throws(StateFile.Failure) -> [UInt8]?
  /// Durable when it returns.
  func write(_ bytes: [UInt8]) async throws(StateFile.Failure)
  /// The bytes read last were parsed and are in use.
  func understood() async
  /// Why these bytes must not be lived with although they come from elsewhere; `nil` when nothing is against them.
  func refusal(of bytes: [UInt8]) async -> String?
}

extension DurableBytes {
  package func understood() async {}
  package func refusal(of bytes: [UInt8]) async -> String? { nil }
}

extension StateFile: DurableBytes {}
