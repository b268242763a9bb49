// SPDX-License-Identifier: MIT

import Basics

/// Macros of a check put into its command line. For one check.
struct NagiosMacros {
  let book: NagiosBook
  let ledger: Ledger
  let host: NagiosObject
  let hostName: String
  /// `nil` for the check of the host itself.
  let service: NagiosObject?
  /// Of the call, macros put in; `nil` while they are filled themselves.
  private var arguments: [String]?
  /// Macros that have no value in the files, as they are written.
  private(set) var unknown: [String] = []
  /// Names of macros of resource.cfg, each with the sign that stands for its value until the check is made.
  private var users: [(number: Int, sign: Character)] = []

  init(
    _ book: NagiosBook, _ ledger: Ledger, host: NagiosObject, named hostName: String, service: NagiosObject?
  ) {
    (self.book, self.ledger, self.host, self.hostName) = (book, ledger, host, hostName)
    self.service = service
  }

  /// Why there is no command line.
  enum Obstacle: Error {
    case tooLong, isShell
    case noCommand(String)
    case noMacro(String)
  }

  /// The words of a command.
  mutating func words(of call: String) throws -> [String] {
    guard call.utf8.count <= ForeignLimits.words else { throw Obstacle.tooLong }
    var parts = Self.split(call)
    let name = parts.isEmpty ? "" : parts.removeFirst()
    guard let command = book.command(name), let line = command["command_line"]?.text else {
      throw Obstacle.noCommand(name)
    }
    arguments = try parts.prefix(32).map { try filled($0) }
    let text = try filled(line)
    if let name = unknown.first { throw Obstacle.noMacro(name) }
    guard let words = ShellWords.read(text) else { throw Obstacle.isShell }
    ledger.carry(command)
    return words
  }

  /// At `!`, which a backslash hides.
  private static func split(_ call: String) -> [String] {
    call.replacing("\\!", with: "\u{1}").split(separator: "!", omittingEmptySubsequences: false)
      .map { $0.replacing("\u{1}", with: "!")[...].trimmed }
  }

  /// Macros replaced once: what a value holds is not looked at again. `$$` is a dollar sign.
  private mutating func filled(_ text: String) throws -> String {
    var made = ""
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index % 2 == 0 {
        made += part
      } else if part.isEmpty {
        made += "$"
      } else if let value = try value(String(part)) {
        made += value
      } else {
        // Between two dollar signs anything may stand; only what is written as a macro is one.
        if Self.isMacro(part), index < parts.count - 1 {
          unknown.append("$\(String(part).printable(maxBytes: 80))$")
        }
        made += index < parts.count - 1 ? "$\(part)$" : "$\(part)"
      }
      guard made.utf8.count <= ForeignLimits.words else { throw Obstacle.tooLong }
    }
    return made
  }

  private static func isMacro(_ text: Substring) -> Bool {
    text.utf8.allSatisfy {
      (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) || "_:-".utf8.contains($0)
    }
  }

  private mutating func value(_ name: String) throws -> String? {
    func text(_ key: String, _ object: NagiosObject?) throws -> String? {
      guard let object, let node = try book.value(key, of: object) else { return nil }
      ledger.carry(node)
      return node.text
    }
    switch name {
    case "HOSTNAME": return hostName
    case "HOSTADDRESS": return try text("address", host) ?? hostName
    case "HOSTALIAS": return try text("alias", host) ?? hostName
    case "HOSTDISPLAYNAME": return try text("display_name", host) ?? hostName
    case "SERVICEDESC": return try text("service_description", service)
    case "SERVICEDISPLAYNAME":
      return try text("display_name", service) ?? text("service_description", service)
    default: break
    }
    if name.hasPrefix("_HOST") { return try text("_\(name.dropFirst(5))", host) }
    if name.hasPrefix("_SERVICE") { return try text("_\(name.dropFirst(8))", service) }
    if name.hasPrefix("ARG"), let number = Int(name.dropFirst(3)), (1...32).contains(number) {
      guard let arguments, arguments.count >= number else { return "" }
      return arguments[number - 1]
    }
    guard name.hasPrefix("USER"), let number = Int(name.dropFirst(4)), (1...256).contains(number) else {
      return nil
    }
    return user(number)
  }

  // MARK: $USERn$

  /// Numbers and times are no secrets; anything else of resource.cfg is kept out of agent.yaml.
  private mutating func user(_ number: Int) -> String? {
    if let value = book.user(number) {
      ledger.carry(value)
      if let text = value.text, text.utf8.count < 6, text.utf8.allSatisfy({ (0x2c...0x39).contains($0) }) {
        return text
      }
    }
    guard let scalar = Unicode.Scalar(0xf_0000 + UInt32(number)) else { return nil }
    if !users.contains(where: { $0.number == number }) { users.append((number, Character(scalar))) }
    return String(Character(scalar))
  }

  /// The value of a text in which macros of resource.cfg may stand: a secret where the files have them, else references
  /// to variables.
  private func value(holding text: String, isURL: Bool) -> AgentValue? {
    let held = users.filter { text.contains($0.sign) }
    guard !held.isEmpty else { return nil }
    // An address is judged before its secrets are there.
    if !isURL, held.allSatisfy({ book.user($0.number) != nil }) {
      let whole = held.reduce(text) { made, user in
        made.replacing(String(user.sign), with: book.user(user.number)?.text ?? "")
      }
      return .secret(Redacted(whole), as: held.map { "USER\($0.number)" }.joined(separator: " "))
    }
    let escaped = text.replacing("${", with: "$${")
    return .reference(
      held.reduce(escaped) { $0.replacing(String($1.sign), with: "${env:NAGIOS_USER\($1.number)}") })
  }

  /// Puts the macros of resource.cfg into a check.
  func finish(_ check: inout ImportedCheck) {
    guard !users.isEmpty else { return }
    var missing: Set<Int> = []
    func value(_ given: AgentValue, isURL: Bool) -> AgentValue {
      switch given {
      case .text(let text), .reference(let text): finished(text, given, isURL, &missing)
      case .secret(let secret, _): finished(secret.reveal(), given, isURL, &missing)
      case .joined(let items): .joined(items.map { value($0, isURL: isURL) })
      case .list(let items): .list(items.map { value($0, isURL: false) })
      case .map(let entries): .map(entries.map { ($0.name, value($0.value, isURL: false)) })
      case .plain: given
      }
    }
    check.keys = check.keys.map { ($0.name, value($0.value, isURL: $0.name == "url")) }
    for number in missing.sorted() {
      let (macro, name) = ("$USER\(number)$", "NAGIOS_USER\(number)")
      let why =
        book.user(number) == nil
        ? "\(macro) is not in the files given: set \(name), or import resource.cfg too"
        : "set \(name) to the value of \(macro) in resource.cfg before the start"
      check.notes.append(ImportNote(place: "check_command", why: why))
    }
  }

  private func finished(
    _ text: String, _ given: AgentValue, _ isURL: Bool, _ missing: inout Set<Int>
  ) -> AgentValue {
    guard let made = value(holding: text, isURL: isURL) else { return given }
    if case .reference = made {
      missing.formUnion(users.filter { text.contains($0.sign) }.map(\.number))
      return made
    }
    if case .secret(let secret, _) = made, case .secret(_, let words) = given {
      return .secret(secret, as: words)
    }
    return made
  }
}

/// Words as a shell makes them of a command line.
enum ShellWords {
  /// `nil` where the line needs a shell: pipes, lists, redirections, substitutions.
  static func read(_ text: String) -> [String]? {
    var words: [String] = []
    var word = ""
    var isOpen = false
    var quote: Unicode.Scalar?
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if let mark = quote {
        if scalar == mark {
          quote = nil
        } else if mark == "\"", scalar == "\\", let next = rest.first, "\"\\$`".unicodeScalars.contains(next)
        {
          word.unicodeScalars.append(next)
          rest.removeFirst()
        } else if mark == "\"", scalar == "`" {
          return nil
        } else {
          word.unicodeScalars.append(scalar)
        }
        continue
      }
      switch scalar {
      case "'", "\"": (quote, isOpen) = (scalar, true)
      case " ", "\t":
        if isOpen { words.append(word) }
        (word, isOpen) = ("", false)
      case "\\":
        guard let next = rest.popFirst() else { continue }
        word.unicodeScalars.append(next)
        isOpen = true
      case "|", "&", ";", "<", ">", "`", "(", ")": return nil
      default:
        word.unicodeScalars.append(scalar)
        isOpen = true
      }
    }
    guard quote == nil else { return nil }
    if isOpen { words.append(word) }
    return words
  }
}
