// SPDX-License-Identifier: MIT

import Basics

/// `define kind { key value … }`.
struct NagiosObject {
  var kind: String
  var node: ForeignNode

  /// Not only a template.
  var isReal: Bool { node["register"]?.text != "0" }
}

/// An object file, nagios.cfg or resource.cfg.
struct NagiosFile {
  var objects: [NagiosObject] = []
  /// The lines `key=value` outside objects, and lines that are neither, under their first word.
  var settings: [(name: String, value: ForeignNode)] = []
  /// A file without an object and without a setting of Nagios: it is of another program.
  var isForeign = false

  /// - Parameter most: values that a file may have.
  static func read(_ bytes: [UInt8], most: Int = ForeignLimits.values) throws(ImportProblem) -> NagiosFile {
    guard bytes.count <= ForeignLimits.bytes else { throw ImportProblem("is larger than 16 MiB") }
    var file = NagiosFile()
    var open: (kind: String, line: Int)?
    var entries: [(name: String, value: ForeignNode)] = []
    var lines = NagiosLines(bytes)
    var values = 0
    while let (text, number) = lines.next() {
      let line = Substring(text).trimmed
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if let kind = kind(of: line) {
        if let open { throw ImportProblem("line \(open.line): the object has no }") }
        (open, entries) = ((kind, number), [])
      } else if let begun = open, line.hasPrefix("}") {
        file.objects.append(
          NagiosObject(kind: begun.kind, node: ForeignNode(content: .map(entries), line: number)))
        open = nil
      } else {
        values += 1
        guard values <= most else {
          throw ImportProblem("line \(number): more than \(most) values")
        }
        guard let begun = open else {
          file.settings.append(setting(line, number))
          continue
        }
        guard entries.count < ForeignLimits.each else {
          throw ImportProblem("line \(number): more than \(ForeignLimits.each) values in one object")
        }
        entries.append(directive(line, number, of: begun.kind))
      }
    }
    if let open { throw ImportProblem("line \(open.line): the object has no }") }
    file.isForeign =
      file.objects.isEmpty && !file.settings.isEmpty && !file.settings.contains(where: isSetting)
    return file
  }

  /// Kind of object that a `define` line begins; `nil` for another line.
  private static func kind(of line: String) -> String? {
    guard line.hasPrefix("define ") || line.hasPrefix("define\t") else { return nil }
    return line.dropFirst(7).prefix { $0 != "{" }.trimmed.lowercased()
  }

  private static func directive(
    _ line: String, _ number: Int, of kind: String
  ) -> (name: String, value: ForeignNode) {
    let text = withoutComment(line)
    let name = text.prefix { $0 != " " && $0 != "\t" }
    let value = ForeignNode(text: text[name.endIndex...].trimmed, line: number)
    // Macros of custom variables are in capitals.
    if name.hasPrefix("_") { return (name.uppercased(), value) }
    return (otherNames[kind]?[String(name)] ?? String(name), value)
  }

  /// Further names of directives that Nagios knows, and the usual ones.
  private static let otherNames: [String: [String: String]] = [  // own text
    "host": ["host_groups": "hostgroups", "checks_enabled": "active_checks_enabled"],
    "service": [
      "host": "host_name", "hosts": "host_name", "description": "service_description",
      "hostgroup": "hostgroup_name", "hostgroups": "hostgroup_name", "service_groups": "servicegroups",
    ],
    "contact": ["contact_groups": "contactgroups"],
    "hostdependency": dependency,
    "servicedependency": dependency.merging([
      "description": "service_description", "master_description": "service_description",
      "master_service_description": "service_description",
      "dependent_description": "dependent_service_description",
    ]) { $1 },
  ]

  private static let dependency = [  // own text
    "host": "host_name", "master_host": "host_name", "master_host_name": "host_name",
    "hostgroup": "hostgroup_name", "hostgroups": "hostgroup_name",
    "dependent_host": "dependent_host_name", "dependent_hostgroup": "dependent_hostgroup_name",
    "dependent_hostgroups": "dependent_hostgroup_name",
    "notification_failure_options": "notification_failure_criteria",
    "execution_failure_options": "execution_failure_criteria",
  ]

  /// Whether it is `key=value` or `$USER1$=value`, as Nagios writes it.
  private static func isSetting(_ entry: (name: String, value: ForeignNode)) -> Bool {
    entry.name.utf8.allSatisfy { isTokenByte($0) } && entry.value.text?.hasPrefix(entry.name) == false
  }

  private static func setting(_ line: String, _ number: Int) -> (name: String, value: ForeignNode) {
    guard let equals = line.firstIndex(of: "=") else {
      return (
        String(line.prefix { $0 != " " && $0 != "\t" && $0 != "{" }), ForeignNode(text: line, line: number)
      )
    }
    let value = ForeignNode(text: line[line.index(after: equals)...].trimmed, line: number)
    return (line[..<equals].trimmed, value)
  }

  /// The text before the first semicolon; `\;` is a semicolon.
  private static func withoutComment(_ line: String) -> String {
    guard line.utf8.contains(UInt8(ascii: ";")) else { return line }
    var made: [UInt8] = []
    for byte in line.utf8 {
      if byte != UInt8(ascii: ";") {
        made.append(byte)
      } else if made.last == UInt8(ascii: "\\") {
        made[made.count - 1] = byte
      } else {
        break
      }
    }
    return String(decoding: made, as: UTF8.self)
  }
}

/// Lines with their numbers, continued where they end with one backslash.
private struct NagiosLines {
  private let bytes: [UInt8]
  private var place = 0
  private var number = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number is that of the line's begin.
  mutating func next() -> (text: String, number: Int)? {
    guard place < bytes.count else { return nil }
    let start = number + 1
    var line: [UInt8] = []
    let backslash = UInt8(ascii: "\\")
    while place < bytes.count {
      let end = bytes[place...].firstIndex(of: 0x0a) ?? bytes.count
      var part = bytes[place..<end]
      place = end + 1
      number += 1
      if part.last == 0x0d { part.removeLast() }
      line += line.isEmpty ? part : part.drop { $0 == 0x20 || $0 == 0x09 }
      guard line.count > 1, line.last == backslash else { break }
      line.removeLast()
      // The first of two hides the second.
      if line.last == backslash { break }
    }
    return (String(decoding: line, as: UTF8.self), start)
  }
}
