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
        throw ImportProblem("more than \(ForeignLimits.values) values")
      }
      let name = line.prefix { $0 != " " && $0 != "\t" }
      var value = line[name.endIndex...].trimmed
      if let comment = value.range(of: " ;") { value = value[..<comment.lowerBound].trimmed }
      entries.append((String(name), ForeignNode(content: .scalar(value, isPlain: false), line: index + 1)))
    }
    return objects
  }
}

/// What objects refer to one another by.
struct NagiosBook {
  private var templates: [ByteText: NagiosObject] = [:]
  private var hosts: [ByteText: NagiosObject] = [:]
  private var commands: [ByteText: ForeignNode] = [:]
  private var groups: [ByteText: [String]] = [:]

  init(_ objects: [NagiosObject]) {
    for object in objects {
      if let name = object.node["name"]?.text { templates[ByteText("\(object.kind) \(name)")] = object }
      switch object.kind {
      case "host": if let name = object.node["host_name"]?.text { hosts[ByteText(name)] = object }
      case "command":
        if let name = object.node["command_name"]?.text { commands[ByteText(name)] = object.node }
      case "hostgroup":
        guard let name = object.node["hostgroup_name"]?.text else { continue }
        let members = object.node["members"]?.text ?? ""
        groups[ByteText(name), default: []] += members.split(separator: ",").map { $0.trimmed }
      default: break
      }
    }
    for (name, host) in hosts {
      for group in value("hostgroups", of: host)?.text?.split(separator: ",") ?? [] {
        let group = ByteText(group.trimmed)
        let isKnown = groups[group, default: []].contains { ByteText($0) == name }
        if !isKnown, let text = host.node["host_name"]?.text { groups[group, default: []].append(text) }
      }
    }
  }

  func host(_ name: String) -> NagiosObject? { hosts[ByteText(name)] }

  func members(of group: String) -> [String] { groups[ByteText(group), default: []].sorted() }

  /// The object's own, or that of the first template that has one. Templates that use one another in a circle end.
  func value(_ key: String, of object: NagiosObject, depth: Int = 0) -> ForeignNode? {
    if let value = object.node[key] { return value }
    guard depth < 16 else { return nil }
    for name in object.node["use"]?.text?.split(separator: ",").prefix(16) ?? [] {
      guard let template = templates[ByteText("\(object.kind) \(name.trimmed)")] else { continue }
      if let value = value(key, of: template, depth: depth + 1) { return value }
    }
    return nil
  }

  /// The command with its arguments put in, in words.
  func commandLine(_ call: String, _ ledger: Ledger) -> [String] {
    var arguments = Self.split(call)
    let name = arguments.isEmpty ? "" : arguments.removeFirst()
    guard let command = commands[ByteText(name)], let line = command["command_line"]?.text else {
      // Everybody calls the plugin and its command alike.
      return [name] + arguments
    }
    ledger.carry(command)
    var text = line
    for index in (1...32).reversed() {
      let value = arguments.indices.contains(index - 1) ? arguments[index - 1] : ""
      text = text.replacing("$ARG\(index)$", with: value)
    }
    return Self.words(text)
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
