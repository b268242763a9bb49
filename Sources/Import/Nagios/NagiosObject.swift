// SPDX-License-Identifier: MIT

import Basics

/// `define kind { key value … }`.
struct NagiosObject {
  var kind: String
  var node: ForeignNode

  /// Not only a template.
  var isReal: Bool { node["register"]?.text != "0" }

  static func read(_ bytes: [UInt8]) throws(ImportProblem) -> [NagiosObject] {
    guard bytes.count <= ForeignLimits.bytes else { throw ImportProblem("is larger than 16 MiB") }
    var objects: [NagiosObject] = []
    var kind: String?
    var entries: [(name: String, value: ForeignNode)] = []
    var values = 0
    for (index, raw) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      let line = Substring(String(decoding: raw, as: UTF8.self)).trimmed
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      guard kind != nil else {
        guard line.hasPrefix("define ") || line.hasPrefix("define\t") else { continue }
        kind = line.dropFirst(7).prefix { $0 != "{" }.trimmed.lowercased()
        continue
      }
      if line.hasPrefix("}") {
        objects.append(
          NagiosObject(kind: kind ?? "", node: ForeignNode(content: .map(entries), line: index + 1)))
        (kind, entries) = (nil, [])
        continue
      }
      values += 1
      guard values <= ForeignLimits.values else {
        throw ImportProblem("line \(index + 1): more than \(ForeignLimits.values) values")
      }
      guard entries.count < ForeignLimits.each else {
        throw ImportProblem("line \(index + 1): more than \(ForeignLimits.each) values in one object")
      }
      let name = line.prefix { $0 != " " && $0 != "\t" }
      var value = line[name.endIndex...].trimmed
      if let comment = value.range(of: " ;") { value = value[..<comment.lowerBound].trimmed }
      entries.append((String(name), ForeignNode(content: .scalar(value, isPlain: false), line: index + 1)))
    }
    return objects
  }
}

/// What objects refer to one another by. For one thread.
final class NagiosBook {
  /// What is known of a template's key: looked for at this moment, or found; nil: it has none.
  private enum Inherited {
    case open
    case found(ForeignNode?)
  }

  private var templates: [ByteText: NagiosObject] = [:]
  private var hosts: [ByteText: NagiosObject] = [:]
  private var commands: [ByteText: ForeignNode] = [:]
  private var groups: [ByteText: [String]] = [:]
  private var inherited: [ByteText: Inherited] = [:]

  /// - Throws: that templates stand too high above one another.
  init(_ objects: [NagiosObject]) throws(ImportProblem) {
    for object in objects {
      if let name = object.node["name"]?.text { templates[ByteText("\(object.kind) \(name)")] = object }
      switch object.kind {
      case "host": if let name = object.node["host_name"]?.text { hosts[ByteText(name)] = object }
      case "command":
        if let name = object.node["command_name"]?.text { commands[ByteText(name)] = object.node }
      case "hostgroup":
        guard let name = object.node["hostgroup_name"]?.text else { continue }
        groups[ByteText(name), default: []] += try Self.names(object.node["members"])
      default: break
      }
    }
    var known = groups.mapValues { Set($0.map { ByteText($0) }) }
    for (name, host) in hosts {
      for group in try Self.names(value("hostgroups", of: host)).map({ ByteText($0) }) {
        guard known[group, default: []].insert(name).inserted else { continue }
        groups[group, default: []].append(name.text)
      }
    }
    groups = groups.mapValues { $0.sorted() }
  }

  /// Names between commas.
  static func names(_ node: ForeignNode?) throws(ImportProblem) -> [String] {
    let names = node?.text?.split(separator: ",", maxSplits: ForeignLimits.checks) ?? []
    guard names.count <= ForeignLimits.checks else {
      throw ImportProblem(
        "line \(node?.line ?? 0): more than \(ForeignLimits.checks) names in one list",
        hint: "import the files in parts")
    }
    return names.map { $0.trimmed }
  }

  func host(_ name: String) -> NagiosObject? { hosts[ByteText(name)] }

  func members(of group: String) -> [String] { groups[ByteText(group), default: []] }

  /// The object's own, or that of the first template that has one. Templates that use one another in a circle end. A
  /// template is asked for a key once.
  func value(_ key: String, of object: NagiosObject, depth: Int = 0) throws(ImportProblem) -> ForeignNode? {
    if let value = object.node[key] { return value }
    guard let used = object.node["use"]?.text else { return nil }
    guard depth < ForeignLimits.templates else {
      throw ImportProblem(
        "line \(object.node.line): more than \(ForeignLimits.templates) templates above one another",
        hint: "look at `use` there: real configurations have fewer than ten")
    }
    for name in used.split(separator: ",", maxSplits: ForeignLimits.templates).prefix(ForeignLimits.templates)
    {
      let name = ByteText("\(object.kind) \(name.trimmed)")
      guard let template = templates[name] else { continue }
      let place = ByteText("\(key) \(name.text)")
      switch inherited[place] {
      case .open: continue
      case .found(let value?): return value
      case .found(nil): continue
      case nil:
        inherited[place] = .open
        let value = try value(key, of: template, depth: depth + 1)
        inherited[place] = .found(value)
        if let value { return value }
      }
    }
    return nil
  }

  /// The command with its arguments put in, in words; nil: it is too long.
  func commandLine(_ call: String, _ ledger: Ledger) -> [String]? {
    guard call.utf8.count <= ForeignLimits.words else { return nil }
    var arguments = Self.split(call)
    let name = arguments.isEmpty ? "" : arguments.removeFirst()
    guard let command = commands[ByteText(name)], let line = command["command_line"]?.text else {
      // Everybody calls the plugin and its command alike.
      return [name] + arguments
    }
    ledger.carry(command)
    guard let text = Self.filled(line, arguments) else { return nil }
    return Self.words(text)
  }

  /// `$ARG1$` to `$ARG32$` replaced, once: what stands in an argument is not looked at again. Nil: it is too long.
  private static func filled(_ line: String, _ arguments: [String]) -> String? {
    guard line.utf8.count <= ForeignLimits.words else { return nil }
    var made = ""
    var rest = Substring(line)
    while let mark = rest.range(of: "$ARG") {
      made += rest[..<mark.lowerBound]
      rest = rest[mark.upperBound...]
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard let number = Int(digits), (1...32).contains(number), rest.dropFirst(digits.count).first == "$"
      else {
        made += "$ARG"
        continue
      }
      made += arguments.indices.contains(number - 1) ? arguments[number - 1] : ""
      rest = rest.dropFirst(digits.count + 1)
      guard made.utf8.count <= ForeignLimits.words else { return nil }
    }
    made += rest
    return made.utf8.count <= ForeignLimits.words ? made : nil
  }

  /// At `!`, which a backslash hides.
  private static func split(_ call: String) -> [String] {
    call.replacing("\\!", with: "\u{1}").split(separator: "!", omittingEmptySubsequences: false)
      .map { $0.replacing("\u{1}", with: "!") }
  }

  /// As a shell makes words, quotes taken off.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isOpen = false
    var quote: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if let mark = quote {
        if scalar == mark { quote = nil } else { word.unicodeScalars.append(scalar) }
      } else if scalar == "'" || scalar == "\"" {
        (quote, isOpen) = (scalar, true)
      } else if scalar == " " || scalar == "\t" {
        if isOpen { words.append(word) }
        (word, isOpen) = ("", false)
      } else {
        word.unicodeScalars.append(scalar)
        isOpen = true
      }
    }
    if isOpen { words.append(word) }
    return words
  }
}
