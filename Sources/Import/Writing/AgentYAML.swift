// SPDX-License-Identifier: MIT

import Basics

/// Writes agent.yaml. Every text of a stranger is quoted or escaped, in comments too: no name can begin a line of its own.
package struct AgentYAML {
  /// Where secrets go.
  package enum Secrets: Sendable {
    /// The environment; the agent's start sets the variables.
    case environment
    /// Files of a directory, by its name relative to agent.yaml.
    case files(String)
  }

  private let secrets: Secrets
  private var text = ""
  /// The secrets that were written as references: by variable or file name.
  package private(set) var values: [(name: String, value: Redacted)] = []
  private var used: Set<ByteText> = []
  /// The last number given to names that would be the same.
  private var numbers: [ByteText: Int] = [:]

  package init(secrets: Secrets) { self.secrets = secrets }

  /// The whole file.
  ///
  /// - Parameter head: comment lines at its top.
  package mutating func render(
    _ checks: [ImportedCheck], sections: ImportedSections = ImportedSections(), head: [String]
  ) -> String {
    text = ""
    (values, used, numbers) = ([], [], [:])
    for line in head { comment(line) }
    write(sections)
    guard !checks.isEmpty else { return text + "checks: []\n" }
    text += "checks:\n"
    for check in checks { write(check, indent: 2) }
    return text
  }

  private mutating func write(_ sections: ImportedSections) {
    if !sections.channels.isEmpty {
      text += "alerts:\n"
      if let remind = sections.remind { text += "  remind: \(ForeignDuration.text(remind))\n" }
      if let quiet = sections.quiet {
        notes(of: quiet, indent: 2)
        text += "  quiet_hours:\n"
        for key in quiet.keys { write(key.name, key.value, indent: 4, of: quiet.name, path: key.name) }
      }
      for (key, entries) in [("channels", sections.channels), ("rules", sections.rules)]
      where !entries.isEmpty {
        text += "  \(key):\n"
        for entry in entries { write(entry, indent: 4) }
      }
    }
    if !sections.windows.isEmpty {
      text += "maintenance:\n"
      for window in sections.windows { write(window, indent: 2) }
    }
    if let page = sections.page {
      text += "status:\n"
      notes(of: page, indent: 2)
      text += "  public:\n"
      for key in page.keys { write(key.name, key.value, indent: 4, of: page.name, path: key.name) }
    }
    write(sections.discover)
    if !sections.isEmpty { text += "\n" }
  }

  private mutating func write(_ lists: [ImportedDiscovery]) {
    guard !lists.isEmpty else { return }
    text += "templates:\n"
    for template in lists.map(\.template) {
      write(template.name, .map(template.keys), indent: 2, of: template.name, path: "")
    }
    text += "discover:\n"
    for entry in lists.map(\.entry) {
      text += "\n"
      notes(of: entry, indent: 2)
      for (index, key) in entry.keys.enumerated() {
        if index == 0 { text += "  - " }
        write(key.name, key.value, indent: index == 0 ? 0 : 4, of: entry.name, path: key.name)
      }
    }
  }

  private mutating func write(_ entry: ImportedCheck, indent: Int) {
    text += "\n"
    notes(of: entry, indent: indent)
    let space = String(repeating: " ", count: indent)
    text += "\(space)- name: \(inline(.text(entry.name), of: "", path: ""))\n"
    for key in entry.keys { write(key.name, key.value, indent: indent + 2, of: entry.name, path: key.name) }
  }

  private mutating func notes(of entry: ImportedCheck, indent: Int) {
    let most = 500
    let lines = ImportNote.folded(entry.notes)
    for line in lines.prefix(most) { comment(line, indent: indent) }
    if lines.count > most { comment("not carried: and \(lines.count - most) more", indent: indent) }
  }

  private mutating func comment(_ words: String, indent: Int = 0) {
    text += String(repeating: " ", count: indent) + "# " + words.printable(maxBytes: 600) + "\n"
  }

  private mutating func write(
    _ name: String, _ value: AgentValue, indent: Int, of check: String, path: String
  ) {
    text += String(repeating: " ", count: indent) + Self.quoted(name, always: false, isKey: true) + ":"
    if case .map(let entries) = value, !entries.isEmpty {
      text += "\n"
      for entry in entries {
        write(entry.name, entry.value, indent: indent + 2, of: check, path: "\(path) \(entry.name)")
      }
    } else {
      text += " " + inline(value, of: check, path: path) + "\n"
    }
  }

  private mutating func inline(_ value: AgentValue, of check: String, path: String) -> String {
    switch value {
    case .text(let text): return Self.quoted(text.replacing("${", with: "$${"), always: false)
    case .plain(let word): return word
    case .reference(let text): return Self.quoted(text, always: true)
    case .joined(let parts): return Self.quoted(joined(parts, of: check), always: true)
    case .secret(let secret, _) where secret.isEmpty: return "\"\""
    case .secret(let secret, let words) where Self.needsPieces(secret):
      return inline(.secretText(secret.reveal(), as: words), of: check, path: path)
    case .secret(let secret, let words):
      return Self.quoted(reference(secret, "\(check) \(words)"), always: true)
    case .list(let items):
      return "[" + items.map { inline($0, of: check, path: path) }.joined(separator: ", ") + "]"
    case .map(let entries):
      let parts = entries.map {
        "\(Self.quoted($0.name, always: false, isKey: true)): \(inline($0.value, of: check, path: path))"
      }
      return "{" + parts.joined(separator: ", ") + "}"
    }
  }

  /// More than one file can give.
  private static func needsPieces(_ secret: Redacted) -> Bool {
    let text = secret.reveal()
    return text.utf8.count > 4096 || text.utf8.last == 0x0a || text.utf8.last == 0x0d
  }

  private mutating func joined(_ parts: [AgentValue], of check: String) -> String {
    var made = ""
    for (index, part) in parts.enumerated() {
      switch part {
      // Before a reference a dollar would make it a literal.
      case .text(let text) where text.hasSuffix("$") && index + 1 < parts.count:
        made += reference(Redacted(text), "\(check) text")
      case .text(let text): made += text.replacing("${", with: "$${")
      case .plain(let text), .reference(let text): made += text
      case .secret(let secret, let words): made += reference(secret, "\(check) \(words)")
      case .joined, .list, .map: break
      }
    }
    return made
  }

  private mutating func reference(_ secret: Redacted, _ words: String) -> String {
    var name = Self.identifier(words)
    if case .files = secrets { name = name.lowercased() }
    let stem = name
    while !used.insert(ByteText(name)).inserted {
      let number = numbers[ByteText(stem), default: 1] + 1
      numbers[ByteText(stem)] = number
      name = "\(stem)_\(number)"
    }
    values.append((name, secret))
    switch secrets {
    case .environment: return "${env:\(name)}"
    case .files(let folder): return "${file:\(folder)/\(name)}"
    }
  }

  /// Letters, digits and underscores; at most 80 bytes.
  private static func identifier(_ words: String) -> String {
    var name = "QUARTZ"
    var gap = true
    for byte in words.utf8.prefix(200) where name.utf8.count < 80 {
      guard isASCIIAlphanumeric(byte) else {
        gap = true
        continue
      }
      if gap { name += "_" }
      gap = false
      name.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return name.uppercased()
  }

  /// Plain where YAML reads it as this text, else in double quotes (YAML 1.2 section 7.3.1).
  static func quoted(_ text: String, always: Bool, isKey: Bool = false) -> String {
    if !always, isPlain(text, isKey: isKey) { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      default:
        if isShown(scalar.value) {
          quoted.unicodeScalars.append(scalar)
        } else {
          quoted += escape(scalar.value)
        }
      }
    }
    return quoted + "\""
  }

  private static func isPlain(_ text: String, isKey: Bool) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 200 else { return false }
    let isLetter: (UInt8) -> Bool = { (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) }
    guard isLetter(first), text.utf8.last != UInt8(ascii: " "), text.utf8.last != UInt8(ascii: ":") else {
      return false
    }
    let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
    guard !words.contains(text.lowercased()) else { return false }
    let others = isKey ? "_-".utf8 : "_-./ ".utf8
    if text.hasPrefix("http://") || text.hasPrefix("https://") {
      return text.utf8.allSatisfy {
        isLetter($0) || (0x30...0x39).contains($0) || "_-./:=?&%~+".utf8.contains($0)
      } && !isKey
    }
    return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || others.contains($0) }
  }

  private static func isShown(_ value: UInt32) -> Bool {
    switch value {
    case 0x20..<0x7f, 0xa0..<0x2000, 0x2010..<0x2028, 0x2030..<0x2060, 0x2070..<0xd800, 0xf900..<0xfe00,
      0xfe10..<0xfeff, 0xff00..<0xfff0, 0x10000..<0x1_fff0:
      true
    default: false
    }
  }

  private static func escape(_ value: UInt32) -> String {
    if value < 0x100 { return "\\x" + Base16.text(value, width: 2) }
    if value < 0x10000 { return "\\u" + Base16.text(value, width: 4) }
    return "\\U" + Base16.text(value, width: 8)
  }
}
