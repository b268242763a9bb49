// SPDX-License-Identifier: MIT

/// A file of the state directory that backs a promise: an operation is confirmed after it is saved here.
///
/// Writes are serialised, and callers that wait during one share the next, so older content never replaces newer. A
/// failed write is reported to the `StateDisk` and retried until it succeeds.
package actor KeptFile: DurableBytes {
  /// Called when the write starts; returns `nil` when nothing changed.
  package typealias Content = @Sendable () -> [UInt8]?
  private typealias Outcome = Result<Void, StateFile.Failure>

  package nonisolated let name: String
  private let medium: any DurableBytes
  private let disk: StateDisk
  private var underway: Task<Outcome, Never>?
  private var next: Task<Outcome, Never>?
  private var newest: Content = { nil }
  /// Content of a failed write; `nil` when the file is up to date.
  private var owed: [UInt8]?

  init(_ medium: any DurableBytes, name: String, of disk: StateDisk) {
    (self.medium, self.name, self.disk) = (medium, name, disk)
  }

  package nonisolated func read() async throws(StateFile.Failure) -> [UInt8]? { try await medium.read() }

  package func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
    try await save { bytes }
  }

  /// Saves everything that changed before the call; durable when it returns.
  package func save(_ content: @escaping Content) async throws(StateFile.Failure) {
    newest = content
    try await turn().get()
  }

  package nonisolated func understood() async { await medium.understood() }
  package nonisolated func refusal(of bytes: [UInt8]) async -> String? { await medium.refusal(of: bytes) }

  private func turn() async -> Outcome {
    if let next { return await next.value }
    let before = underway
    let task = Task {
      _ = await before?.value
      return await put()
    }
    next = task
    return await task.value
  }

  private func put() async -> Outcome {
    // Changes from here on belong to the next write.
    (underway, next) = (next, nil)
    guard let bytes = newest() ?? owed else { return .success(()) }
    newest = { nil }
    do throws(StateFile.Failure) {
      try await medium.write(bytes)
      owed = nil
      disk.settled(name)
      return .success(())
    } catch {
      owed = bytes
      disk.failed(name, error) { await self.again() }
      return .failure(error)
    }
  }

  private func again() async {
    if owed != nil { _ = await turn() }
  }
}
