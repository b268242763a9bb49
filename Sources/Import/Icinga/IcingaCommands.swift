// SPDX-License-Identifier: MIT

import Basics

/// A CheckCommand: a plugin, its arguments, and the variables that they have where nothing else sets them.
struct IcingaCommand {
  struct Argument {
    var flag: String
    /// `nil`: the flag alone.
    var value: IcingaValue?
    /// The argument is given where this is true.
    var condition: IcingaValue?
    var order = 0.0
    var hasFlag = true
    var repeatsFlag = true
    /// It is left out where its value is nothing. Of others the plugin gets an empty text, which it refuses.
    var needsValue = false
    /// Without it the command is not run.
    var isRequired = false
    /// Between the flag and the value, where they are one word.
    var separator: String?
    /// Under which it is replaced.
    var name = ""
  }

  /// Attribute of a command that imports one of Icinga's own library: its name.
  static let ofLibrary = " library"

  /// The program and what always follows it.
  var words: [String]
  var arguments: [Argument] = []
  var variables: [(name: String, value: IcingaValue)] = []
  /// Milliseconds after which Icinga ends the plugin.
  var timeout = 60_000

  /// A command of the files; `nil`: its line is not worked out.
  init?(_ object: IcingaValue) {
    if let name = object[Self.ofLibrary]?.text, let known = IcingaCommand(library: name) {
      self = known
    } else {
      words = []
    }
    if let command = object["command"] {
      words = command.items.compactMap(\.text)
      guard words.count == command.items.count else { return nil }
    }
    guard !words.isEmpty else { return nil }
    if let seconds = object["timeout"]?.number, seconds > 0, seconds < 1e8 { timeout = Int(seconds * 1000) }
    if case .map(let entries)? = object["vars"]?.kind { variables += entries }
    guard case .map(let entries)? = object["arguments"]?.kind else { return }
    for entry in entries {
      var argument = Argument(flag: entry.value["key"]?.text ?? entry.name, name: entry.name)
      if case .map = entry.value.kind {
        // An empty one says nothing.
        argument.value = entry.value["value"].flatMap { $0.isEmpty ? nil : $0 }
        argument.condition = entry.value["set_if"].flatMap { $0.isEmpty ? nil : $0 }
        argument.isRequired = entry.value["required"]?.truth == true
        argument.separator = entry.value["separator"]?.text
        argument.order = entry.value["order"]?.number ?? 0
        argument.hasFlag = entry.value["skip_key"]?.truth != true
        argument.repeatsFlag = entry.value["repeat_key"]?.truth != false
      } else if !entry.value.isEmpty {
        argument.value = entry.value
      }
      arguments.removeAll { ($0.name.isEmpty ? $0.flag : $0.name) == entry.name }
      arguments.append(argument)
    }
    arguments.sort { $0.order < $1.order }
  }
}

/// Macros of one check put into a command line.
struct IcingaMacros {
  let host: IcingaValue
  let service: IcingaValue?
  let command: IcingaCommand
  /// Nodes of the files that the line was made of.
  private(set) var sources: [ForeignNode] = []

  init(host: IcingaValue, service: IcingaValue?, command: IcingaCommand) {
    (self.host, self.service, self.command) = (host, service, command)
  }

  /// Why there is no line.
  struct Obstacle: Error { var words: String }

  mutating func line() throws(Obstacle) -> [String] {
    var words: [String] = []
    for word in command.words { words.append(try filled(word, 1) ?? word) }
    for argument in command.arguments {
      if let condition = argument.condition {
        let value = try resolved(condition, 1)
        if let why = value?.why { throw Obstacle(words: why) }
        guard isTrue(value) else { continue }
        sources += value?.allSources ?? []
      }
      guard let given = argument.value else {
        words.append(argument.flag)
        continue
      }
      guard let value = try resolved(given, 1) else {
        guard argument.isRequired else { continue }
        throw Obstacle(words: "\(argument.flag.printable(maxBytes: 40)) is required, and has no value")
      }
      if let why = value.why { throw Obstacle(words: why) }
      if value.isEmpty, argument.needsValue || value.text == nil {
        // A page has its name, too.
        if argument.needsValue, words.contains("-H") { continue }
        throw Obstacle(words: "the value of \(argument.flag.printable(maxBytes: 40)) is nothing")
      }
      sources += value.allSources
      for (index, item) in value.items.enumerated() {
        guard let text = item.text else { throw Obstacle(words: "an argument is no text") }
        let isNamed = argument.hasFlag && (index == 0 || argument.repeatsFlag)
        if isNamed, let separator = argument.separator {
          words.append("\(argument.flag)\(separator)\(text)")
        } else {
          words += isNamed ? [argument.flag, text] : [text]
        }
        guard words.count <= ForeignLimits.each else {
          throw Obstacle(words: "its command line has too many words")
        }
      }
    }
    return words
  }

  /// `true`, or a number that is not 0 when its fraction is cut. Any other word leaves the argument out.
  private func isTrue(_ value: IcingaValue?) -> Bool {
    guard let text = value?.text else { return false }
    return text == "true" || Double(text).map { $0.rounded(.towardZero) != 0 } ?? false
  }

  /// A value with the macros in it; `nil` where one has no value.
  private mutating func resolved(_ value: IcingaValue, _ depth: Int) throws(Obstacle) -> IcingaValue? {
    switch value.kind {
    case .text(let text):
      // A macro alone may be a list.
      if text.hasPrefix("$"), text.hasSuffix("$"), text.utf8.count(where: { $0 == 0x24 }) == 2,
        text.utf8.count > 2
      {
        guard let found = lookUp(String(text.dropFirst().dropLast())) else { return nil }
        return try inner(found, depth)
      }
      guard let made = try filled(text, depth) else { return nil }
      return IcingaValue(kind: .text(made), sources: value.sources)
    case .list(let items):
      var made: [IcingaValue] = []
      for item in items { if let value = try resolved(item, depth) { made.append(value) } }
      return IcingaValue(kind: .list(made), sources: value.sources)
    default: return value
    }
  }

  private mutating func inner(_ value: IcingaValue, _ depth: Int) throws(Obstacle) -> IcingaValue? {
    guard depth < 15 else { throw Obstacle(words: "macros name one another without an end") }
    guard var made = try resolved(value, depth + 1) else { return nil }
    made.sources += value.sources
    return made
  }

  private mutating func filled(_ text: String, _ depth: Int) throws(Obstacle) -> String? {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count > 2 else { return text }
    var made = ""
    for (index, part) in parts.enumerated() {
      if index % 2 == 0 || index == parts.count - 1 {
        made += index % 2 == 0 ? part : "$\(part)"
      } else if part.isEmpty {
        made += "$"
      } else {
        guard let found = lookUp(String(part)), let value = try inner(found, depth) else { return nil }
        guard let text = value.text else { throw Obstacle(words: value.why ?? "a macro is no text") }
        sources += value.sources
        made += text
      }
      guard made.utf8.count <= ForeignLimits.words else {
        throw Obstacle(words: "its command line is longer than \(ForeignLimits.words) bytes")
      }
    }
    return made
  }

  /// Service before host, host before command, as Icinga looks.
  private func lookUp(_ name: String) -> IcingaValue? {
    var path = name.split(separator: ".").map(String.init)
    guard let first = path.first else { return nil }
    if path.count > 1, ["host", "service"].contains(first) {
      path.removeFirst()
      let whole = first == "host" ? host : service ?? .null
      return Self.value(at: path, in: whole)
        ?? (path.count == 1 ? Self.value(at: ["vars"] + path, in: whole) : nil)
    }
    for whole in [service, host].compactMap(\.self) {
      if let value = Self.value(at: ["vars"] + path, in: whole) ?? Self.value(at: path, in: whole) {
        return value
      }
    }
    if let known = command.variables.last(where: { $0.name == name }) { return known.value }
    switch name {
    case "check_address": return address
    case "ssl_valid_days": return validDays
    // Every host has them, set or not.
    case "address", "address6": return .null
    default: return nil
    }
  }

  /// The address of version 4 where there is one, unless the variables ask for the other.
  private var address: IcingaValue {
    let (four, six) = (behind("check_ipv4"), behind("check_ipv6"))
    let usual = lookUp("address") ?? .null
    let isFour = usual.truth != false && six?.truth != true || four?.truth == true
    var made = isFour ? usual : lookUp("address6") ?? .null
    made.sources += (four?.allSources ?? []) + (six?.allSources ?? [])
    return made
  }

  /// Of the command `ssl`: the days for a warning, and those for a failure. Without any it gives an empty text, which
  /// the plugin takes for none.
  private var validDays: IcingaValue {
    let warn = behind("ssl_cert_valid_days_warn")
    guard var made = warn, made.truth != false else {
      return IcingaValue(kind: .text("0"), sources: warn?.sources ?? [])
    }
    guard let days = made.text, let fail = behind("ssl_cert_valid_days_critical") else { return made }
    made.sources += fail.allSources
    guard fail.truth != false else { return made }
    guard let least = fail.text else { return fail }
    made.kind = .text("\(days),\(least)")
    return made
  }

  /// The value of a variable, or of the one that it stands for.
  private func behind(_ name: String) -> IcingaValue? {
    guard var value = lookUp(name) else { return nil }
    for _ in 0..<15 {
      guard let text = value.text, text.hasPrefix("$"), text.hasSuffix("$"), text.utf8.count > 2,
        text != "$check_address$"
      else { return value }
      guard let next = lookUp(String(text.dropFirst().dropLast())) else { return nil }
      value = IcingaValue(kind: next.kind, sources: value.sources + next.sources)
    }
    return value
  }

  private static func value(at path: [String], in whole: IcingaValue) -> IcingaValue? {
    var value = whole
    for name in path {
      if case .unknown = value.kind { return value }
      guard let next = value[name] else { return nil }
      value = next
    }
    // A variable of nothing hides those further out; an attribute is as one that is not set.
    if case .null = value.kind, path.first != "vars" { return nil }
    return value
  }
}
