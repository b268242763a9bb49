// SPDX-License-Identifier: MIT

/// Secrets that a text from outside may repeat, such as an answer to the request that carried them.
package struct KnownSecrets: Sendable {
  private let values: [[UInt8]]

  /// - Parameter shortest: secrets of fewer bytes are found in any text.
  package init(_ secrets: [String], atLeast shortest: Int = 1) {
    values = secrets.map { Array($0.utf8) }.filter { $0.count >= max(1, shortest) }
  }

  package func areRepeated(in bytes: some BidirectionalCollection<UInt8>) -> Bool {
    values.contains { bytes.firstRange(of: $0) != nil }
  }
}
