// SPDX-License-Identifier: MIT

import Basics

/// Icinga 2's hosts and services, with templates, apply rules and check commands.
struct IcingaImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ files: [ImportFile]) throws(ImportProblem) -> [ImportedCheck] {
    var objects: [IcingaObject] = []
    var constants: [(name: String, value: IcingaExpression)] = []
    for file in files {
      do throws(ImportProblem) {
        let parser = try IcingaParser(file, ledger)
        objects += parser.objects
        constants += parser.constants
      } catch { throw error.of(file) }
    }
    for index in objects.indices { objects[index].id = index }
    let work = try IcingaWork(objects, constants, ledger)
    let book = try IcingaBook(objects, work, ledger)
    var checks = try book.checks()
    ledger.settle()
    work.renew()
    try book.joinServices()
    work.renew()
    let contacts = try IcingaContacts(objects, work, ledger)
    for checked in book.checked {
      try contacts.notify(&checks[checked.index], checked)
    }
    contacts.finish()
    let dependencies = IcingaDependencies(objects, work, ledger)
    try dependencies.read(book, &checks)
    ledger.settle()
    let rest = IcingaRest(
      used: book.used.union(contacts.used).union(dependencies.used), loaded: work.loaded)
    for object in objects {
      if object.kind == .template, work.loaded.contains(object.id), case .literal(let name)? = object.name {
        for node in name.sources { ledger.carry(node) }
      }
      for leaf in object.leaves {
        ledger.list(leaf.node, rest.reason(object, leaf.attribute), always: false)
      }
    }
    return checks
  }
}

/// A check that was made, and what it was made of.
struct IcingaChecked {
  /// Place among the checks.
  var index: Int
  var host: IcingaValue
  /// `nil`: the check of the host itself.
  var service: IcingaValue?

  var hostName: String { host["name"]?.text ?? "" }
  var serviceName: String? { service?["name"]?.text }
}

/// Hosts and what is applied to them. For one thread.
final class IcingaBook {
  struct Host {
    var name: String
    var value: IcingaValue
  }

  private let objects: [IcingaObject]
  private let work: IcingaWork
  private let ledger: Ledger
  private(set) var hosts: [Host] = []
  private(set) var checked: [IcingaChecked] = []
  /// Objects that checks were made of.
  private(set) var used: Set<Int> = []
  /// Objects of hosts.
  private var ids: [ByteText: Int] = [:]
  private var places: [ByteText: Int] = [:]
  private var commands: [ByteText: IcingaObject] = [:]
  private var made: [ImportedCheck] = []

  init(_ objects: [IcingaObject], _ work: IcingaWork, _ ledger: Ledger) throws(ImportProblem) {
    (self.objects, self.work, self.ledger) = (objects, work, ledger)
    for object in objects where object.kind == .object && object.type == "CheckCommand" {
      if let name = try name(of: object) { commands[ByteText(name)] = object }
    }
    for object in objects where object.kind == .object && object.type == "Host" { try host(object) }
    try groups()
  }

  private func name(of object: IcingaObject) throws(ImportProblem) -> String? {
    guard let expression = object.name else { return nil }
    return try work.evaluate(expression, IcingaWork.Scope()).text
  }

  private func host(_ object: IcingaObject) throws(ImportProblem) {
    guard let expression = object.name else { return }
    let value = try work.evaluate(expression, IcingaWork.Scope())
    guard let name = value.text else {
      let why = value.why ?? "its name is not worked out"
      leaveOut(object, "host at line \(object.line)", why)
      return
    }
    var scope = IcingaWork.Scope()
    (scope["name"], scope["display_name"]) = (value, value)
    try work.make(object, &scope)
    if let why = scope.why { return leaveOut(object, name, why) }
    places[ByteText(name)] = hosts.count
    ids[ByteText(name)] = object.id
    hosts.append(Host(name: name, value: scope.object))
  }

  private func leaveOut(_ object: IcingaObject, _ name: String, _ why: String) {
    for leaf in object.leaves { ledger.list(leaf.node, why, always: false) }
    ledger.leaveOut(name, why)
  }

  /// Groups that hosts are assigned to by a rule.
  private func groups() throws(ImportProblem) {
    let groups = try IcingaGroups(objects, of: "HostGroup", work)
    for index in hosts.indices { hosts[index].value = try groups.joined(hosts[index].value, as: "host") }
  }

  /// Groups that services are assigned to by a rule, which rules of notifications and dependencies look at.
  func joinServices() throws(ImportProblem) {
    guard objects.contains(where: { ["Notification", "Dependency"].contains($0.type) }) else { return }
    let groups = try IcingaGroups(objects, of: "ServiceGroup", work)
    for index in checked.indices {
      guard let service = checked[index].service else { continue }
      checked[index].service = try groups.joined(
        service, as: "service", beside: [("host", checked[index].host)])
    }
  }

  // MARK: Checks

  func checks() throws(ImportProblem) -> [ImportedCheck] {
    for host in hosts {
      guard host.value["check_command"] != nil else { continue }
      try check(host, nil, named: "\(host.name) host")
    }
    for object in objects where object.type == "Service" {
      switch object.kind {
      case .object: try service(object)
      case .apply: try apply(object)
      case .template: break
      }
    }
    return made
  }

  private func scope(_ name: IcingaValue, on host: Host) -> IcingaWork.Scope {
    var scope = IcingaWork.Scope()
    scope.names = [("host", host.value)]
    (scope["name"], scope["display_name"]) = (name, name)
    scope["host_name"] = IcingaValue(kind: .text(host.name))
    return scope
  }

  private func service(_ object: IcingaObject) throws(ImportProblem) {
    ledger.settle()
    guard let expression = object.name else { return }
    let name = try work.evaluate(expression, IcingaWork.Scope())
    var probe = IcingaWork.Scope()
    probe["name"] = name
    try work.make(object, &probe)
    let wanted = probe["host_name"]?.text ?? ""
    guard let place = places[ByteText(wanted)], let words = name.text else {
      return leaveOut(object, name.text ?? "service", "its host is not in the files given")
    }
    var scope = scope(name, on: hosts[place])
    try work.make(object, &scope)
    let full = "\(wanted) \(scope["name"]?.text ?? words)"
    if let why = scope.why ?? scope["name"]?.why { return leaveOut(object, full, why) }
    for key in ["name", "host_name"] { for node in scope[key]?.allSources ?? [] { ledger.carry(node) } }
    for node in name.sources { ledger.carry(node) }
    try check(hosts[place], scope.object, named: full, of: object.id)
  }

  private func apply(_ object: IcingaObject) throws(ImportProblem) {
    let name = try object.name.map { expression throws(ImportProblem) in
      try work.evaluate(expression, IcingaWork.Scope())
    }
    let stem = name?.text ?? ""
    guard object.target == "Host" else {
      return leaveOut(object, stem, "it is applied to something else than hosts")
    }
    for host in hosts {
      ledger.settle()
      guard let loop = object.loop else {
        try apply(object, name ?? .null, on: host, [])
        continue
      }
      var outer = IcingaWork.Scope()
      outer.names = [("host", host.value)]
      let list = try work.evaluate(loop.of, outer)
      switch list.kind {
      case .map(let entries):
        for entry in entries {
          let key = IcingaValue(kind: .text(entry.name))
          let more = [(loop.key, key)] + (loop.value.isEmpty ? [] : [(loop.value, entry.value)])
          let words = IcingaValue(
            kind: .text(stem + entry.name), sources: (name?.sources ?? []) + entry.value.sources)
          try apply(object, words, on: host, more)
        }
      case .list(let items):
        for item in items {
          let words = IcingaValue(
            kind: .text(stem + (item.text ?? "")), sources: (name?.sources ?? []) + item.sources)
          try apply(object, words, on: host, [(loop.key, item)])
        }
      case .null: break
      default: leaveOut(object, "\(stem) on \(host.name)", list.why ?? "what it walks is no list")
      }
    }
  }

  private func apply(
    _ object: IcingaObject, _ name: IcingaValue, on host: Host, _ more: [(String, IcingaValue)]
  ) throws(ImportProblem) {
    var scope = scope(name, on: host)
    scope.names += more.map { (name: $0.0, value: $0.1) }
    try work.make(object, &scope)
    // The attribute is the service's name where it is set.
    let words = "\(host.name) \(scope["name"]?.text ?? name.text ?? "service")"
    let matched = scope.matched(byLoop: object.loop != nil)
    if matched == false { return }
    guard matched == true, scope.why == nil, scope["name"]?.why == nil else {
      return leaveOut(object, words, scope["name"]?.why ?? scope.obstacle)
    }
    let named = name.sources + (scope["name"]?.allSources ?? [])
    for node in named + scope.rules.flatMap(\.condition.allSources) { ledger.carry(node) }
    try check(host, scope.object, named: words, of: object.id)
  }

  private func check(
    _ host: Host, _ service: IcingaValue?, named name: String, of id: Int? = nil
  ) throws(ImportProblem) {
    try ledger.count(of: name)
    let before = ledger.carried
    let object = service ?? host.value
    let why: String
    do throws(IcingaMacros.Obstacle) {
      if var check = try check(host, service) {
        check.name = name
        check.tag("host:\(host.name)")
        // Before its pace, where an endpoint may have the same name.
        for node in host.value["name"]?.sources ?? [] { ledger.carry(node) }
        pace(&check, object)
        if let notes = object["notes_url"], let page = notes.text, check.takeRunbook(page) {
          for node in notes.sources { ledger.carry(node) }
        }
        check.carried = ledger.carried - before
        check.notes += ledger.takeNotes()
        checked.append(IcingaChecked(index: made.count, host: host.value, service: service))
        made.append(check)
        used.formUnion([id, ids[ByteText(host.name)]].compactMap(\.self))
        return
      }
      why = "no check here does what \"\(object["check_command"]?.text?.printable(maxBytes: 60) ?? "")\" does"
    } catch { why = error.words }
    for node in object["check_command"]?.sources ?? [] { ledger.list(node, why, always: false) }
    ledger.leaveOut(name, why)
  }

  private func check(_ host: Host, _ service: IcingaValue?) throws(IcingaMacros.Obstacle) -> ImportedCheck? {
    let object = service ?? host.value
    guard let value = object["check_command"], let name = value.text else {
      throw IcingaMacros.Obstacle(words: object["check_command"]?.why ?? "it has no check_command")
    }
    guard let command = try command(name) else { return nil }
    var macros = IcingaMacros(host: host.value, service: service, command: command)
    let line = try macros.line()
    guard let call = NagiosCall(line, address: host.value["address"]?.text ?? host.name) else { return nil }
    guard var check = call.check() else {
      throw IcingaMacros.Obstacle(words: "the plugin lacks what a check needs")
    }
    for node in value.sources + macros.sources { ledger.carry(node) }
    for node in (host.value["address"]?.sources ?? []) + (host.value["address6"]?.sources ?? []) {
      ledger.carry(node)
    }
    if let (why, change) = call.leftOver { check.note(change, "check_command", why) }
    if service == nil { check.isOfHost(failsOnWarnings: false) }
    check.key = ledger.nextKey()
    // A host or a service has another limit in place of the command's.
    let most = object["check_timeout"] == nil ? command.timeout : call.timeout
    check["timeout"] = .duration(min(call.timeout, most))
    return check
  }

  private func command(_ name: String) throws(IcingaMacros.Obstacle) -> IcingaCommand? {
    guard let object = commands[ByteText(name)] else { return IcingaCommand(library: name) }
    var scope = IcingaWork.Scope()
    do throws(ImportProblem) { try work.make(object, &scope) } catch {
      throw IcingaMacros.Obstacle(words: error.message)
    }
    guard scope.why == nil, let command = IcingaCommand(scope.object) else {
      let why = scope.why ?? scope["command"]?.why ?? scope["arguments"]?.why
      throw IcingaMacros.Obstacle(words: why ?? "its command is not worked out")
    }
    for leaf in object.leaves { ledger.carry(leaf.node) }
    return command
  }

  private func pace(_ check: inout ImportedCheck, _ object: IcingaValue) {
    func span(_ name: String) -> Int? {
      guard let value = object[name] else { return nil }
      guard let seconds = value.number, seconds > 0, seconds < 1e8 else {
        for node in value.sources { ledger.change(node, Ledger.misread, .changed) }
        return nil
      }
      for node in value.sources { ledger.carry(node) }
      return Int(seconds * 1000)
    }
    let interval = span("check_interval") ?? 300_000
    var timeout = (check["timeout"]?.word).flatMap { ForeignDuration.milliseconds($0) } ?? 10_000
    if let most = span("check_timeout") { timeout = min(timeout, most) }
    check.pace(interval: interval, timeout: timeout)
    check.keepLimitsWithinTimeout()
    check["retries"] = .plain("0")
    let tries = object["max_check_attempts"]
    for node in tries?.sources ?? [] {
      if tries?.number == nil { ledger.change(node, Ledger.misread, .changed) }
      ledger.carry(node)
    }
    let retry = span("retry_interval") ?? 60_000
    let count = tries?.number.map { Int(max(1, min($0, 1e6))) } ?? 3
    check.attempts(count, retry: retry, interval: interval)
    if let active = object["enable_active_checks"] {
      for node in active.sources { ledger.carry(node) }
      if active.truth == false { check["enabled"] = .plain("false") }
    }
    for name in ["zone", "command_endpoint"] {
      for node in object[name]?.sources ?? [] {
        ledger.change(node, "an agent probes from where it stands", .changed)
      }
    }
    for node in object["check_period"]?.sources ?? [] {
      guard object["check_period"]?.text != "24x7" else {
        ledger.carry(node)
        continue
      }
      ledger.change(node, "checks run all day; write maintenance for the rest", .changed)
    }
  }
}
