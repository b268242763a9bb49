// SPDX-License-Identifier: MIT

import Basics

/// Index of objects by the names they refer to one another by. For one thread.
final class NagiosBook {
  /// Lookup of a template's key: under way, or its result; `nil` when it has none.
  private enum Inherited {
    case open
    case found(ForeignNode?)
  }

  /// A list of names, with those of templates.
  private struct NameList {
    var names: [String]
    /// It begins with a plus: further templates add to it.
    var isOpen = false
    var isNull = false
  }

  private enum InheritedNames {
    case open
    case found(NameList?)
  }

  private var templates: [ByteText: NagiosObject] = [:]
  private var hosts: [ByteText: NagiosObject] = [:]
  private var hostNames: [String] = []
  private var commands: [ByteText: ForeignNode] = [:]
  private var groups: [ByteText: HostGroup] = [:]
  private var groupNames: [ByteText] = []
  private var inherited: [ByteText: Inherited] = [:]
  private var inheritedNames: [ByteText: InheritedNames] = [:]
  private var memberCount = 0
  /// Templates looked into that may still be.
  private var lookups = ForeignLimits.lookups
  /// Values of `$USERn$` by their number.
  private var users: [Int: ForeignNode] = [:]
  /// Seconds of an interval of 1.
  private(set) var intervalLength = 60.0
  /// nagios.cfg says it in a way that is not read.
  private(set) var isLengthUnread = false
  /// A host is down when its plugin warns.
  private(set) var hostsFailOnWarnings = false
  /// Names with signs of a pattern are patterns.
  private var hasPatterns = false

  private struct HostGroup {
    var lists: [ForeignNode] = []
    var nested: [ForeignNode] = []
    /// Hosts that name the group.
    var joined: [String] = []
    /// `nil` until they are worked out.
    var members: [String]?
    var isOpen = false
  }

  /// - Throws: that templates or groups stand too high above one another.
  init(_ files: [NagiosFile]) throws(ImportProblem) {
    for object in files.flatMap(\.objects) { try enter(object) }
    for (name, value) in files.flatMap(\.settings) {
      if name == "interval_length" {
        let length = Self.length(value)
        (intervalLength, isLengthUnread) = (length ?? 60, length == nil)
      }
      if name == "use_regexp_matching" { hasPatterns = (value.number ?? 0) > 0 }
      if Self.aggressive.contains(name) { hostsFailOnWarnings = (value.number ?? 0) > 0 }
      if name.hasPrefix("$USER"), name.hasSuffix("$"), let number = Int(name.dropFirst(5).dropLast()) {
        users[number] = value
      }
    }
    for name in hostNames {
      guard let host = hosts[ByteText(name)] else { continue }
      for group in try names("hostgroups", of: host) {
        // The group's own file may not be among those given.
        if groups[ByteText(group)] == nil { groupNames.append(ByteText(group)) }
        groups[ByteText(group), default: HostGroup()].joined.append(name)
      }
    }
  }

  /// The setting that a warning is a failure of a host; Nagios knows it by both spellings.
  static let aggressive = ["use_aggressive_host_checking", "use_agressive_host_checking"]

  /// Seconds.
  static func length(_ value: ForeignNode) -> Double? {
    value.text.flatMap { Double($0) }.flatMap { (0.001...1e6).contains($0) ? $0 : nil }
  }

  private func enter(_ object: NagiosObject) throws(ImportProblem) {
    if let name = object.node["name"]?.text { templates[ByteText("\(object.kind) \(name)")] = object }
    switch object.kind {
    case "host":
      guard object.isReal, let name = object.node["host_name"]?.text else { return }
      if hosts.updateValue(object, forKey: ByteText(name)) == nil { hostNames.append(name) }
    case "command":
      if let name = object.node["command_name"]?.text { commands[ByteText(name)] = object.node }
    case "hostgroup":
      guard let name = object.node["hostgroup_name"]?.text.map({ ByteText($0) }) else { return }
      if groups[name] == nil { groupNames.append(name) }
      for key in ["members", "hostgroup_members"] { _ = try Self.names(object.node[key]) }
      groups[name, default: HostGroup()].lists += [object.node["members"]].compactMap(\.self)
      groups[name, default: HostGroup()].nested += [object.node["hostgroup_members"]].compactMap(\.self)
    default: break
    }
  }

  /// Names between commas.
  static func names(_ node: ForeignNode?) throws(ImportProblem) -> [String] {
    guard let text = node?.text else { return [] }
    let names = (text.hasPrefix("+") ? text.dropFirst() : text[...])
      .split(separator: ",", maxSplits: ForeignLimits.checks)
    guard names.count <= ForeignLimits.checks else {
      throw ImportProblem(
        "line \(node?.line ?? 0): more than \(ForeignLimits.checks) names in one list",
        hint: "import the files in parts")
    }
    return names.map { $0.trimmed }.filter { !$0.isEmpty }
  }

  /// The names of a list, with those of its templates where it begins with a plus.
  func names(_ key: String, of object: NagiosObject) throws(ImportProblem) -> [String] {
    let found = try list(key, of: object)?.names ?? []
    try count(found.count)
    return found
  }

  /// Templates add to a list in the order that they are named, up to one whose own list has no plus.
  private func list(
    _ key: String, of object: NagiosObject, depth: Int = 0
  ) throws(ImportProblem) -> NameList? {
    var made: NameList?
    if let own = object.node[key] {
      let isNull = own.text == "null"
      let names = try isNull ? [] : Self.names(own)
      made = NameList(names: names, isOpen: own.text?.hasPrefix("+") == true, isNull: isNull)
    }
    guard made?.isOpen ?? true, let used = object.node["use"]?.text else { return made }
    for name in try templateNames(used, object, depth) {
      try look(object)
      let name = ByteText("\(object.kind) \(name.trimmed)")
      guard let template = templates[name] else { continue }
      let place = ByteText("\(key) \(name.text)")
      let inner: NameList?
      switch inheritedNames[place] {
      case .open: continue
      case .found(let known): inner = known
      case nil:
        inheritedNames[place] = .open
        inner = try list(key, of: template, depth: depth + 1)
        inheritedNames[place] = .found(inner)
        try count(inner?.names.count ?? 0)
      }
      guard let found = inner else { continue }
      if made != nil, found.isNull { continue }
      made = NameList(names: (made?.names ?? []) + found.names, isOpen: found.isOpen, isNull: found.isNull)
      guard found.isOpen, made?.names.count ?? 0 <= ForeignLimits.checks else { break }
    }
    return made
  }

  func host(_ name: String) -> NagiosObject? { hosts[ByteText(name)] }
  func command(_ name: String) -> ForeignNode? { commands[ByteText(name)] }
  func user(_ number: Int) -> ForeignNode? { users[number] }

  /// Templates of an object that no file has.
  func unknownTemplates(of object: NagiosObject) throws(ImportProblem) -> [String] {
    try Self.names(object.node["use"]).filter { templates[ByteText("\(object.kind) \($0)")] == nil }
  }

  // MARK: Hosts

  /// Whether Nagios looks for hosts or groups by the name.
  func isPattern(_ name: String) -> Bool {
    hasPatterns && (name.contains { "*?+".contains($0) } || name.range(of: "\\.") != nil)
  }

  /// The hosts of an object, without those that `!` takes out, each once.
  ///
  /// - Parameter prefix: `dependent_`, of a dependency.
  /// - Returns: also those that are named themselves, not by a group, and the names that nothing in the files has.
  func hosts(
    of object: NagiosObject, _ prefix: String = ""
  ) throws(ImportProblem) -> (known: [String], named: Set<ByteText>, unknown: [String]) {
    var unknown: [String] = []
    var refused: Set<ByteText> = []
    var found: [String] = []
    for name in try names("\(prefix)host_name", of: object) {
      if name.hasPrefix("!") {
        refused.insert(ByteText(name.dropFirst().trimmed))
      } else if name == "*" {
        found += hostNames
      } else if hosts[ByteText(name)] != nil {
        found.append(name)
      } else {
        unknown.append("host \(name)")
      }
    }
    let named = Set(found.map { ByteText($0) })
    var seen: Set<ByteText> = []
    for name in try names("\(prefix)hostgroup_name", of: object) where seen.insert(ByteText(name)).inserted {
      let isRefused = name.hasPrefix("!")
      let wanted = isRefused ? name.dropFirst().trimmed : name
      let all = wanted == "*" ? groupNames : [ByteText(wanted)]
      for group in all {
        guard let members = try members(of: group, depth: 0) else {
          unknown.append("hostgroup \(wanted)")
          continue
        }
        if isRefused { refused.formUnion(members.map { ByteText($0) }) } else { found += members }
      }
    }
    try count(found.count + refused.count)
    var once: Set<ByteText> = []
    return (
      found.filter { !refused.contains(ByteText($0)) && once.insert(ByteText($0)).inserted }, named, unknown
    )
  }

  /// `nil` for a group that is not defined. Groups that hold one another in a circle end.
  private func members(of name: ByteText, depth: Int) throws(ImportProblem) -> [String]? {
    guard let group = groups[name] else { return nil }
    if let members = group.members { return members }
    if group.isOpen { return [] }
    guard depth < ForeignLimits.templates else {
      throw ImportProblem("hostgroups are nested deeper than \(ForeignLimits.templates) levels")
    }
    groups[name]?.isOpen = true
    var found: Set<ByteText> = []
    var refused: Set<ByteText> = []
    for list in group.lists {
      for member in try Self.names(list) {
        if member.hasPrefix("!") {
          refused.insert(ByteText(member.dropFirst().trimmed))
        } else if member == "*" {
          found.formUnion(hostNames.map { ByteText($0) })
        } else {
          found.insert(ByteText(member))
        }
      }
    }
    found.formUnion(group.joined.map { ByteText($0) })
    found.subtract(refused)
    for list in group.nested {
      for inner in try Self.names(list) {
        found.formUnion((try members(of: ByteText(inner), depth: depth + 1) ?? []).map { ByteText($0) })
      }
    }
    try count(found.count)
    let members = found.map(\.text).filter { host($0) != nil }.sorted()
    groups[name]?.members = members
    groups[name]?.isOpen = false
    return members
  }

  private func count(_ more: Int) throws(ImportProblem) {
    memberCount += more
    guard memberCount <= ForeignLimits.plainValues else {
      throw ImportProblem(
        "lists stand for more than \(ForeignLimits.plainValues) names",
        hint: "import the files in parts")
    }
  }

  // MARK: Templates

  /// The object's own, or that of the first template that has one; `null` is none.
  func value(_ key: String, of object: NagiosObject) throws(ImportProblem) -> ForeignNode? {
    guard let value = try find(key, of: object), value.text != "null" else { return nil }
    return value
  }

  /// The same, with `null` as it is written: it keeps what would be inherited away.
  func given(_ key: String, of object: NagiosObject) throws(ImportProblem) -> ForeignNode? {
    try find(key, of: object)
  }

  /// Templates that use one another in a circle end. A template is asked for a key once.
  private func find(
    _ key: String, of object: NagiosObject, depth: Int = 0
  ) throws(ImportProblem) -> ForeignNode? {
    if let value = object.node[key] { return value }
    guard let used = object.node["use"]?.text else { return nil }
    for name in try templateNames(used, object, depth) {
      try look(object)
      let name = ByteText("\(object.kind) \(name.trimmed)")
      guard let template = templates[name] else { continue }
      let place = ByteText("\(key) \(name.text)")
      switch inherited[place] {
      case .open: continue
      case .found(let found?): return found
      case .found(nil): continue
      case nil:
        inherited[place] = .open
        let found = try find(key, of: template, depth: depth + 1)
        inherited[place] = .found(found)
        if let found { return found }
      }
    }
    return nil
  }

  private func templateNames(
    _ used: String, _ object: NagiosObject, _ depth: Int
  ) throws(ImportProblem) -> ArraySlice<Substring> {
    guard depth < ForeignLimits.templates else {
      throw ImportProblem(
        "line \(object.node.line): more than \(ForeignLimits.templates) templates above one another",
        hint: "look at `use` there: real configurations have fewer than ten")
    }
    return used.split(separator: ",", maxSplits: ForeignLimits.templates).prefix(ForeignLimits.templates)
  }

  /// Counts a look into a template.
  private func look(_ object: NagiosObject) throws(ImportProblem) {
    lookups -= 1
    guard lookups > 0 else {
      throw ImportProblem(
        "line \(object.node.line): objects look into templates more than \(ForeignLimits.lookups) times",
        hint: "import the files in parts")
    }
  }
}
