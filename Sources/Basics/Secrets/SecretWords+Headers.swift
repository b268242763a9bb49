// SPDX-License-Identifier: MIT

extension HeaderField {
  /// Headers by which services know who asks.
  private static let credentials: Set<ByteText> = [
    "authorization", "cookie", "x-api-key", "api-key", "apikey", "x-auth-token", "x-access-token",
  ]

  package var isCredential: Bool { Self.credentials.contains(ByteText(name.lowercased())) }

  /// Its value, and each part of it that may be a secret of its own: a server tells of one cookie, one token, one field.
  package var secretParts: [String] {
    let text = value.reveal()
    return [text] + text.parts { " ;,=".utf8.contains($0) } + text.parts(separator: isSeparator)
      + login(inBasic: text)
  }
}

extension String {
  /// Between separators; those that are no UTF-8 are left out.
  package func parts(separator: (UInt8) -> Bool) -> [String] {
    utf8.split(whereSeparator: separator).compactMap { String($0) }
  }
}

/// Blanks, and the signs that no token has (RFC 9110 section 5.6.2).
private func isSeparator(_ byte: UInt8) -> Bool { byte <= 0x20 || "\"(),/:;<=>?@[\\]{}".utf8.contains(byte) }

/// The password of `Basic` credentials that are written as a header, and the login as a whole (RFC 7617 section 2).
private func login(inBasic value: String) -> [String] {
  let parts = value.split(separator: " ")
  guard parts.count == 2, parts[0].lowercased() == "basic",
    let bytes = Base64.bytes(String(parts[1]), limit: 64 * 1024),
    let login = String(validating: bytes, as: UTF8.self)
  else { return [] }
  return [login] + login.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
}
