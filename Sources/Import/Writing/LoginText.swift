// SPDX-License-Identifier: MIT

import Basics

/// Texts for a port that log in: PASS, AUTH and LOGIN, with what is behind them.
enum LoginText {
  private static let commands: Set<ByteText> = ["PASS", "AUTH", "LOGIN"]
  /// Mechanisms, which AUTH may name alone.
  private static let ways: Set<ByteText> = [
    "TLS", "SSL", "PLAIN", "LOGIN", "CRAM-MD5", "DIGEST-MD5", "XOAUTH2", "GSSAPI", "NTLM",
  ]

  /// - Parameter text: in the escapes of a dialog.
  static func isOne(_ text: String) -> Bool {
    let lines = text.replacing("\\r", with: "\n").replacing("\\n", with: "\n").split(separator: "\n")
    return lines.contains { line in
      let words = line.split(separator: " ", maxSplits: 4)
      // IMAP has a tag before it.
      guard let place = words.prefix(2).firstIndex(where: { commands.contains(ByteText($0.uppercased())) }),
        let next = words.dropFirst(place + 1).first
      else { return false }
      // A variable, or what was captured before.
      if next.hasPrefix("$") || next.hasPrefix("\\(") { return false }
      return words.count > place + 2 || !ways.contains(ByteText(next.uppercased()))
    }
  }
}

extension ImportedCheck {
  /// One more text for a port; one that logs in is a secret.
  ///
  /// - Parameter text: in the escapes of a dialog.
  mutating func say(_ text: String) {
    let value = LoginText.isOne(text) ? AgentValue.secretText(text, as: "login") : .text(text)
    append("dialog", .map([("send", value)]))
  }
}
