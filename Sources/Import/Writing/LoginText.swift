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
  /// A login of the URL and a header Authorization: one of them is sent, in Go and curl the header.
  ///
  /// - Parameter prefersURL: the login of the URL is sent, as axios does it.
  mutating func keepOneLogin(prefersURL: Bool = false) {
    guard hasLoginOfURL, case .map(let headers)? = self["headers"] else { return }
    func isLogin(_ header: (name: String, value: AgentValue)) -> Bool {
      header.name.lowercased() == "authorization"
    }
    let logins = headers.filter(isLogin)
    // A name or a password alone is a header, which comes first.
    let isHeader = self["auth"] == nil
    guard logins.count > (isHeader ? 1 : 0), let own = logins.last else { return }
    let kept = prefersURL ? isHeader ? logins.prefix(1) : [] : [own]
    if !prefersURL { remove("auth") }
    let others = headers.filter { !isLogin($0) } + kept
    if others.isEmpty { remove("headers") } else { self["headers"] = .map(others) }
    hasLoginOfURL = false
    let why =
      prefersURL
      ? "the login in the URL is sent, and no header Authorization"
      : "the header Authorization is sent, and no login in the URL"
    notes.append(ImportNote(place: "url", why: why))
  }

  /// One more text for a port; one that logs in is a secret.
  ///
  /// - Parameter text: in the escapes of a dialog.
  mutating func say(_ text: String) {
    let value = LoginText.isOne(text) ? AgentValue.secretText(text, as: "login") : .text(text)
    append("dialog", .map([("send", value)]))
  }
}
