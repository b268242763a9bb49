// SPDX-License-Identifier: MIT

/// Secrets that a text from outside may repeat, such as an answer to the request that carried them, in any form that
/// `SecretWords` knows.
package struct KnownSecrets: Sendable {
  private let words: SecretWords

  /// - Parameter shortest: secrets of fewer bytes are found in any text.
  package init(_ secrets: [String], atLeast shortest: Int = 1) {
    words = SecretWords(secrets.filter { $0.utf8.count >= shortest })
  }

  package func areRepeated(in bytes: some Collection<UInt8>) -> Bool { words.hide(Array(bytes)) != nil }
}
