// SPDX-License-Identifier: MIT

import Basics

/// The plugins of ports: check_tcp and its kin, mail, databases, directories, certificates.
extension NagiosCall {
  func port(_ usual: Int?, _ dialog: String?, isTLS: Bool = false) -> ImportedCheck? {
    let (days, expected) = (option("D"), all("e"))
    let isMute = dialog == nil && expected.isEmpty && !["s", "q", "w", "c"].contains { has($0) }
    if let days, isMute { return portCertificate(days, usual) }
    var check = ImportedCheck(name: "", type: "tcp")
    check["host"] = .text(host)
    guard let port = number("p", 1...65_535) ?? usual else { return nil }
    check["port"] = .number(port)
    // Each of these switches TLS on.
    let name = option("sni")
    if has("S") || isTLS || days != nil || name != nil { withoutVerification(&check) }
    if let name { check["tls.server_name"] = .text(name) }
    if let days { certificate(days, &check, at: "D") }
    // Of one text all are wanted anyway.
    if expected.count < 2 { _ = has("A") }
    if let dialog, expected.isEmpty, option("s") == nil {
      check["dialog"] = .plain(dialog)
    } else {
      talk(&check, expected, Self.greetings[dialog ?? ""])
    }
    if dialog != nil || !expected.isEmpty, (option("M") ?? "warn") != "crit" {
      note("dialog", "another answer is no failure there (-M); it is down here", .stricter)
    }
    _ = option("M")
    if let state = option("r"), state != "crit" {
      leave("r", "makes a refused connection well or a warning; it is down here", .stricter)
    }
    thresholds(&check)
    return check
  }

  /// Texts that the plugins of services expect at the begin of an answer, and say at the end, by their dialog here.
  private static let greetings: [String: (begin: String, end: String)] = [  // own text
    "ftp": ("220", "QUIT\\r\\n"), "smtp": ("220", "QUIT\\r\\n"), "pop3": ("+OK", "QUIT\\r\\n"),
    "imap": ("* OK", "a1 LOGOUT\\r\\n"),
  ]

  /// One of the texts must stand anywhere in the answer.
  private func talk(
    _ check: inout ImportedCheck, _ expected: [String], _ usual: (begin: String, end: String)?
  ) {
    // An empty text is not sent.
    if let text = option("s"), !text.isEmpty {
      check.say(has("E", before: "s") ? Self.withKnownEscapes(text) : BlackboxTCP.escaped(text))
    }
    if !expected.isEmpty {
      let texts = expected.map(PatternText.escaped).joined(separator: "|")
      check.append("dialog", .map([("expect", .text("~ (?:\(texts))"))]))
    } else if let usual {
      check.append("dialog", .map([("expect", .text("~ \\A\(PatternText.escaped(usual.begin))"))]))
    }
    guard let text = option("q") else {
      if let usual { check.say(usual.end) }
      return
    }
    // Without escapes it is a line.
    let isEscaped = has("E", before: "q")
    let bye = isEscaped ? Self.withKnownEscapes(text) : BlackboxTCP.escaped(text) + "\\r\\n"
    if !bye.isEmpty { check.say(bye) }
  }

  /// Behind `-E` these escapes are known, and a backslash before anything else is left out.
  private static func withKnownEscapes(_ text: String) -> String {
    var made = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == "\\" {
        guard let next = rest.popFirst() else { break }
        made += "nrt\\".contains(next) ? "\\\(next)" : BlackboxTCP.escaped(String(next))
      } else {
        made += BlackboxTCP.escaped(String(character))
      }
    }
    return made
  }

  private func portCertificate(_ days: String, _ usual: Int?) -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "tls")
    check["host"] = .text(host)
    guard let port = number("p", 1...65_535) ?? usual else { return nil }
    check["port"] = .number(port)
    if let name = option("sni") { check["tls.server_name"] = .text(name) }
    _ = has("S")
    certificate(days, &check, at: "D")
    withoutVerification(&check)
    return check
  }

  /// A service that a preset of dialogs knows.
  func service(_ usual: Int, _ dialog: String, at flag: String = "p") -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "tcp")
    check["host"] = .text(host)
    let given = dialog == "ssh" ? word().flatMap { Int($0) } : nil
    check["port"] = .number(number(flag, 1...65_535) ?? given ?? usual)
    check["dialog"] = .plain(dialog)
    if dialog != "mysql" { thresholds(&check) }
    return check
  }

  func directory() -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "tcp")
    check["host"] = .text(host)
    let isTLS = has("S")
    check["port"] = .number(number("p", 1...65_535) ?? (isTLS ? 636 : 389))
    check["dialog"] = .plain("ldap")
    let upgrades = has("T")
    if isTLS { check["tls"] = .plain("true") } else if upgrades { check["starttls"] = .plain("ldap") }
    thresholds(&check)
    return check
  }

  func mail() -> ImportedCheck? {
    let isTLS = has("s")
    let upgrades = has("S")
    let port = number("p", 1...65_535) ?? (isTLS ? 465 : 25)
    if let days = option("D"), isTLS || upgrades {
      var check = ImportedCheck(name: "", type: "tls")
      check["host"] = .text(host)
      check["port"] = .number(port)
      if !isTLS { check["starttls"] = .plain("smtp") }
      certificate(days, &check, at: "D")
      withoutVerification(&check)
      return check
    }
    var check = ImportedCheck(name: "", type: "tcp")
    check["host"] = .text(host)
    check["port"] = .number(port)
    check["dialog"] = .plain("smtp")
    if upgrades, !isTLS { check["starttls"] = .plain("smtp") }
    if upgrades || isTLS { withoutVerification(&check) }
    note("dialog", "another greeting is a warning there; it is down here", .stricter)
    if let text = option("e"), text != "220" {
      leave("e", "has no counterpart: the preset smtp wants 220", .changed)
    }
    thresholds(&check)
    return check
  }

  /// check_ssl_cert, which verifies.
  func sslCertificate() -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "tls")
    check["host"] = .text(host)
    if let word = option("P") {
      let known = [
        "smtp": "smtp", "imap": "imap", "pop3": "pop3", "ftp": "ftp", "ldap": "ldap", "postgres": "postgres",
        "mysql": "mysql", "xmpp": "xmpp",
      ]  // own text
      if let name = known[word] {
        check["starttls"] = .plain(name)
      } else if !["https", "http", "h2", "no"].contains(word) {
        leave("P", "names a protocol whose STARTTLS is not spoken here")
        return nil
      }
    }
    if let port = number("p", 1...65_535) { check["port"] = .number(port) }
    let (match, asked) = (option("n"), option("sni"))
    let name = option("m") ?? match
    if let name = name ?? asked { check["tls.server_name"] = .text(name) }
    if let name, let asked, name != asked {
      leave("sni", "asks for another name than -n judges: a check has one name")
    }
    // Without --sni the plugin asks for its host's.
    if let name, asked == nil, name.lowercased() != check["host"]?.word?.lowercased() {
      note(
        "tls.server_name", "the check also asks the server for the name of -n; the plugin only compares it",
        .changed)
    }
    if let file = option("r") { check["tls.ca_file"] = .text(file) }
    if has("s") || has("A") { check["tls.verify"] = .plain("false") }
    let warn = number("w", 0...3650) ?? 20
    check["expect.certificate.warn"] = .plain("\(warn)d")
    check["expect.certificate.fail"] = .plain("\(min(warn, number("c", 0...3650) ?? 15))d")
    return check
  }
}
