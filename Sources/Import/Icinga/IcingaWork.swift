// SPDX-License-Identifier: MIT

import Basics

/// Evaluates expressions and bodies of objects. Anything unknown becomes a value that says so. For one thread.
final class IcingaWork {
  private let ledger: Ledger
  private var templates: [ByteText: IcingaObject] = [:]
  /// Templates that hold for all objects of a type.
  private var usual: [ByteText: [IcingaObject]] = [:]
  private var constants: [ByteText: IcingaValue] = [:]
  private static let most = 2_000_000
  private var steps = IcingaWork.most
  /// Templates that an object was made of.
  private(set) var loaded: Set<Int> = []

  /// Values of names: the object's own attributes come before them.
  struct Scope {
    var names: [(name: String, value: IcingaValue)] = []
    /// The attributes of the object that is being made.
    var own: [(name: String, value: IcingaValue)] = []
    /// Its rules for matching, in the order that they are written.
    var rules: [(condition: IcingaValue, isIgnored: Bool)] = []
    /// Why the object is not worked out.
    var why: String?

    subscript(name: String) -> IcingaValue? {
      get { own.first { $0.name == name }?.value }
      set {
        let index = own.firstIndex { $0.name == name }
        guard let newValue else { return }
        if let index { own[index].value = newValue } else { own.append((name, newValue)) }
      }
    }

    var object: IcingaValue { IcingaValue(kind: .map(own)) }

    /// Result of the rules. `nil` where they cannot be evaluated.
    var isMatched: Bool? { matched(byLoop: false) }

    /// - Parameter byLoop: the list that is walked takes the place of rules that assign, where there are none.
    func matched(byLoop: Bool) -> Bool? {
      func any(_ isIgnored: Bool) -> Bool? {
        let truths = rules.filter { $0.isIgnored == isIgnored }.map(\.condition.truth)
        return truths.contains(true) ? true : truths.contains(where: { $0 == nil }) ? nil : false
      }
      let assigned = byLoop && rules.allSatisfy(\.isIgnored) ? true : any(false)
      guard assigned != false else { return false }
      switch any(true) {
      case true?: return false
      case nil: return nil
      case false?: return assigned
      }
    }

    /// Why the rules are not worked out.
    var obstacle: String {
      why ?? rules.lazy.compactMap(\.condition.why).first ?? "its rule is not worked out"
    }
  }

  init(
    _ objects: [IcingaObject], _ constants: [(name: String, value: IcingaExpression)], _ ledger: Ledger
  ) throws(ImportProblem) {
    self.ledger = ledger
    // An object is a template for others, too.
    for object in objects where object.kind != .apply {
      guard case .literal(let value)? = object.name, let name = value.text else { continue }
      templates[ByteText("\(object.type) \(name)")] = object
      if object.kind == .template, object.isUsual { usual[ByteText(object.type), default: []].append(object) }
    }
    for (name, value) in constants {
      self.constants[ByteText(name)] = try evaluate(value, Scope())
    }
  }

  /// As many steps again, for what belongs to the checks that were made.
  func renew() { steps = Self.most }

  func step(_ count: Int = 1) throws(ImportProblem) {
    steps -= count
    guard steps > 0 else {
      throw ImportProblem("its rules take too much work", hint: "import the files in parts")
    }
  }

  // MARK: Bodies

  func make(_ object: IcingaObject, _ scope: inout Scope) throws(ImportProblem) {
    try step()
    for template in usual[ByteText(object.type)] ?? [] {
      loaded.insert(template.id)
      try run(template.body, object.type, &scope, 1)
    }
    try run(object.body, object.type, &scope, 1)
  }

  private func run(
    _ body: [IcingaStatement], _ type: String, _ scope: inout Scope, _ depth: Int
  ) throws(ImportProblem) {
    guard depth <= ForeignLimits.templates else {
      throw ImportProblem("templates are more than \(ForeignLimits.templates) above one another")
    }
    for statement in body {
      try step()
      switch statement {
      case .load(let name):
        let value = try evaluate(name, scope)
        if type == "CheckCommand", let text = value.text, templates[ByteText("\(type) \(text)")] == nil,
          IcingaCommand(library: text) != nil
        {
          // Its line is taken apart each time.
          try step(64)
          scope[IcingaCommand.ofLibrary] = IcingaValue(kind: .text(text))
          for node in value.sources { ledger.carry(node) }
          continue
        }
        guard let text = value.text, let template = templates[ByteText("\(type) \(text)")] else {
          if value.text.map({ !Self.builtIn.contains(ByteText($0)) }) ?? true {
            for node in value.sources {
              ledger.list(
                node, "the template is not in the files given, so what it sets is missing", .changed)
            }
          }
          continue
        }
        for node in value.sources { ledger.carry(node) }
        loaded.insert(template.id)
        let known = scope["templates"]?.items ?? []
        try step(known.count / 16)
        scope["templates"] = IcingaValue(kind: .list(known + [IcingaValue(kind: .text(text))]))
        try run(template.body, type, &scope, depth + 1)
      case .set(let path, let sign, let expression): try set(path, sign, expression, &scope)
      case .assign(let condition, let isIgnored):
        scope.rules.append((try evaluate(condition, scope), isIgnored))
      case .branch(let condition, let yes, let no):
        let value = try evaluate(condition, scope)
        guard let truth = value.truth else {
          scope.why = value.why ?? "a condition is not worked out"
          continue
        }
        for node in value.sources { ledger.carry(node) }
        try run(truth ? yes : no, type, &scope, depth + 1)
      case .other(let why): scope.why = why
      }
    }
  }

  /// Templates of Icinga's own library, which say how commands run.
  private static let builtIn: Set<ByteText> = [
    "plugin-check-command", "plugin-notification-command", "plugin-event-command", "legacy-timeperiod",
    "ipv4-or-ipv6", "ping-common", "hostalive-common",
  ]

  private func set(
    _ path: [IcingaExpression], _ sign: String, _ expression: IcingaExpression, _ scope: inout Scope
  ) throws(ImportProblem) {
    var names: [String] = []
    var keys: [ForeignNode] = []
    for part in path {
      let key = try evaluate(part, scope)
      guard let name = key.text else {
        scope.why = "the name of an attribute is not worked out"
        return
      }
      names.append(name)
      keys += key.sources
    }
    guard let first = names.first else { return }
    var value = try evaluate(expression, scope)
    value.sources += keys
    try step(scope.own.count / 16)
    scope[first] = try changed(scope[first] ?? .null, names.dropFirst(), sign, value)
  }

  private func changed(
    _ old: IcingaValue, _ path: ArraySlice<String>, _ sign: String, _ value: IcingaValue
  ) throws(ImportProblem) -> IcingaValue {
    guard let first = path.first else {
      return sign == "=" ? value : try combined(String(sign.prefix(1)), old, value)
    }
    var entries: [(name: String, value: IcingaValue)] = []
    if case .map(let known) = old.kind { entries = known }
    try step(entries.count / 16 + 1)
    let index = entries.firstIndex { $0.name == first }
    let inner = try changed(index.map { entries[$0].value } ?? .null, path.dropFirst(), sign, value)
    if let index { entries[index].value = inner } else { entries.append((first, inner)) }
    return IcingaValue(kind: .map(entries), sources: old.sources)
  }

  // MARK: Expressions

  func evaluate(_ expression: IcingaExpression, _ scope: Scope) throws(ImportProblem) -> IcingaValue {
    try step()
    switch expression {
    case .literal(let value): return value
    case .name(let name):
      try step(scope.own.count / 64)
      return named(name, scope)
    case .member(let whole, let name):
      return attribute(try member(try evaluate(whole, scope), name), of: whole, name)
    case .index(let expression, let part):
      let (whole, part) = (try evaluate(expression, scope), try evaluate(part, scope))
      if case .list(let items) = whole.kind, let number = part.number,
        items.indices.contains(Int(clamping: number))
      {
        return items[Int(number)]
      }
      guard let name = part.text else { return .unknown(part.why ?? "an index is not worked out") }
      return attribute(try member(whole, name), of: expression, name)
    case .call(let function, let arguments):
      var values: [IcingaValue] = []
      for argument in arguments { values.append(try evaluate(argument, scope)) }
      return try call(function, values, scope)
    case .not(let inner):
      let value = try evaluate(inner, scope)
      return value.truth.map { IcingaValue(kind: .flag(!$0), sources: value.sources) } ?? value
    case .binary(let sign, let left, let right): return try binary(sign, left, right, scope)
    case .list(let items):
      var values: [IcingaValue] = []
      for item in items { values.append(try evaluate(item, scope)) }
      return IcingaValue(kind: .list(values))
    case .map(let body):
      var inner = scope
      inner.own = []
      for statement in body {
        guard case .set(let path, let sign, let value) = statement else {
          return .unknown("a statement in a value is not worked out")
        }
        // A name in it stands for what is outside.
        let made = try evaluate(value, scope)
        var names: [String] = []
        for part in path { names.append(try evaluate(part, scope).text ?? "") }
        inner[names[0]] = try changed(inner[names[0]] ?? .null, names.dropFirst(), sign, made)
      }
      return inner.object
    case .unknown(let why): return .unknown(why)
    }
  }

  private func named(_ name: String, _ scope: Scope) -> IcingaValue {
    if name == "this" { return scope.object }
    if let value = scope[name] ?? scope.names.last(where: { $0.name == name })?.value { return value }
    if let value = constants[ByteText(name)] { return value }
    switch name {
    case "PluginDir", "PluginContribDir", "ManubulonPluginDir": return IcingaValue(kind: .text("plugins"))
    case let name where Self.paths[name] != nil: return IcingaValue(kind: .text(Self.paths[name] ?? ""))
    case let name where Self.filters.contains(ByteText(name)): return IcingaValue(kind: .text(name))
    case "vars": return IcingaValue(kind: .map([]))
    // Of the function `match`.
    case "MatchAll": return IcingaValue(kind: .number(0))
    case "MatchAny": return IcingaValue(kind: .number(1))
    // Attributes that an object does not set.
    case "address", "address6", "groups", "check_command", "zone", "event_command", "notes": return .null
    default: return .unknown("\(name.printable(maxBytes: 60)) is not known before Icinga runs")
    }
  }

  /// A host, a service or a user has values of its own where no file sets one.
  private func attribute(_ value: IcingaValue, of whole: IcingaExpression, _ name: String) -> IcingaValue {
    guard case .null = value.kind, case .name(let object) = whole,
      ["host", "service", "user"].contains(object)
    else { return value }
    return IcingaAttributes.usual(name)
      ?? .unknown("\(object).\(name.printable(maxBytes: 60)) is not known before Icinga runs")
  }

  private func member(_ whole: IcingaValue, _ name: String) throws(ImportProblem) -> IcingaValue {
    switch whole.kind {
    case .map(let entries):
      try step(entries.count / 64)
      return whole[name] ?? .null
    case .null: return .null
    case .unknown: return whole
    default: return .unknown("\(name.printable(maxBytes: 60)) of a value is not worked out")
    }
  }
}

extension Int {
  /// A number that is none, or too large, is an index that no list has.
  fileprivate init(clamping number: Double) { self = number >= 0 && number < 1e9 ? Int(number) : -1 }
}
