// SPDX-License-Identifier: MIT

/// Names of headers, parameters and members whose values are credentials: one list for all that hides such values or stores
/// them apart.
package enum CredentialNames {
  /// Parts of such names, in lower case with `-` for `_`.
  private static let parts = [
    "auth", "cookie", "token", "secret", "password", "passwd", "passphrase", "session", "api-key", "apikey",
    "access-key", "accesskey", "app-key", "private-key", "subscription-key", "signature", "credential",
    "csrf",
    "xsrf",
  ]
  private static let whole: [ByteText] = ["key", "pass", "pw", "pwd", "sig"]

  package static func contains(_ name: String) -> Bool {
    let name = name.lowercased().replacing("_", with: "-")
    return whole.contains(ByteText(name)) || parts.contains { name.contains($0) }
  }

  /// Whether a form, a JSON text or another text gives a value to such a name.
  package static func areGiven(in text: String) -> Bool {
    for word in text.utf8.split(whereSeparator: { !isOfName($0) }) {
      guard word.count <= 100, let end = word.indices.last else { continue }
      let rest = text.utf8[text.utf8.index(after: end)...].drop { $0 == 0x22 || $0 == 0x27 || $0 == 0x20 }
      guard let sign = rest.first, [0x3d, 0x3a, 0x3e].contains(sign) else { continue }
      if contains(String(decoding: word, as: UTF8.self)) { return true }
    }
    return false
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x5f || byte == 0x2d
  }
}
