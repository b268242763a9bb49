// SPDX-License-Identifier: MIT

import Basics

/// Object files of Nagios and Icinga 1: hosts, services and commands, with templates.
struct NagiosImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ files: [ImportFile]) throws(ImportProblem) -> [ImportedCheck] {
    var objects: [NagiosObject] = []
    for file in files {
      do throws(ImportProblem) {
        let read = try NagiosObject.read(file.bytes)
        let list = ForeignNode(content: .list(read.map(\.node)), line: 1)
        let entered = ledger.enter(list, file: file.name).items ?? []
        objects += zip(read, entered).map { NagiosObject(kind: $0.kind, node: $1) }
      } catch { throw error.of(file) }
    }
    let book = try NagiosBook(objects)
    var checks: [ImportedCheck] = []
    for object in objects where object.isReal {
      ledger.settle()
      switch object.kind {
      case "service": checks += try services(object, book)
      case "host": if let check = try host(object, book) { checks.append(check) }
      default: break
      }
    }
    ledger.settle()
    for object in objects { close(object) }
    return checks
  }

  private func close(_ object: NagiosObject) {
    let section = Section(object.node, ledger)
    section.carry("register", "use", "name")
    switch object.kind {
    case "command": section.listRest("a command that no imported check uses")
    case "hostgroup", "servicegroup": section.listRest("name the group as a tag")
    case "contact", "contactgroup": section.listRest("write alerts.channels, see docs/alerts.md")
    case "timeperiod": section.listRest("checks run all day; write maintenance for the rest")
    case "hostdependency", "servicedependency":
      section.listRest("write dependencies, see docs/configuration.md")
    default:
      section.list(
        "write alerts.rules, see docs/alerts.md", "contacts", "contact_groups", "notification_interval",
        "notification_period", "notification_options", "notifications_enabled", "first_notification_delay")
      section.list("checks run all day; write maintenance for the rest", "check_period")
      section.listRest()
    }
  }

  private func services(
    _ service: NagiosObject, _ book: NagiosBook
  ) throws(ImportProblem) -> [ImportedCheck] {
    let names = try NagiosBook.names(book.value("host_name", of: service))
    let groups = try NagiosBook.names(book.value("hostgroup_name", of: service))
    let weight = ForeignWeight(service.node)
    var made: [ImportedCheck] = []
    var seen: Set<ByteText> = []
    var once: Set<ByteText> = []
    let hosts =
      names.filter { !$0.hasPrefix("!") }
      + groups.filter { once.insert(ByteText($0)).inserted }.flatMap { book.members(of: $0) }
    let known = hosts.filter { seen.insert(ByteText($0)).inserted && book.host($0) != nil }
    try ledger.count(known.count, sharing: weight, of: "the service that ends at line \(service.node.line)")
    for name in known {
      guard let host = book.host(name) else { continue }
      if let check = try check(service, on: host, name, book) { made.append(check) }
    }
    if !made.isEmpty {
      for key in ["host_name", "hostgroup_name", "service_description", "check_command"] {
        ledger.carry(try book.value(key, of: service))
      }
    }
    return made
  }

  private func host(_ host: NagiosObject, _ book: NagiosBook) throws(ImportProblem) -> ImportedCheck? {
    guard let name = host.node["host_name"]?.text, try book.value("check_command", of: host) != nil else {
      Section(host.node, ledger).carry("host_name", "address", "alias", "display_name", "hostgroups")
      return nil
    }
    Section(host.node, ledger).carry("host_name", "address", "alias", "display_name", "hostgroups")
    try ledger.count(of: name)
    var check = try self.check(host, on: host, name, book)
    check?.name = "\(name) host"
    if check != nil { ledger.carry(try book.value("check_command", of: host)) }
    return check
  }

  private func check(
    _ object: NagiosObject, on host: NagiosObject, _ hostName: String, _ book: NagiosBook
  ) throws(ImportProblem) -> ImportedCheck? {
    guard let command = try book.value("check_command", of: object), let text = command.text else {
      return nil
    }
    let address = try book.value("address", of: host)?.text ?? hostName
    guard let line = book.commandLine(text, ledger),
      NagiosPlugin.size(of: line, address: address, hostName: hostName) <= ForeignLimits.words
    else {
      ledger.list(command, "its command line is longer than \(ForeignLimits.words) bytes")
      return nil
    }
    guard let plugin = NagiosPlugin(line, address: address, hostName: hostName) else {
      ledger.list(command, "no check here does what this command does")
      return nil
    }
    guard var check = plugin.check() else {
      ledger.list(command, "the plugin lacks what a check needs")
      return nil
    }
    check.name = "\(hostName) \(try book.value("service_description", of: object)?.text ?? "host")"
    check.tag("host:\(hostName)")
    try pace(&check, object, plugin, book)
    for word in plugin.left {
      check.notes.append(ImportNote(place: "check_command", why: "\(word) has no counterpart"))
    }
    let active = try book.value("active_checks_enabled", of: object)
    if active?.flag == false { check["enabled"] = .plain("false") }
    ledger.carry(active)
    check.notes += ledger.takeNotes()
    return check
  }

  /// Intervals count in minutes.
  private func pace(
    _ check: inout ImportedCheck, _ object: NagiosObject, _ plugin: NagiosPlugin, _ book: NagiosBook
  ) throws(ImportProblem) {
    func minutes(_ names: String...) throws(ImportProblem) -> Int? {
      for name in names {
        guard let node = try book.value(name, of: object), let number = node.text.flatMap({ Double($0) }),
          number.isFinite, number > 0, number < 100_000
        else { continue }
        ledger.carry(node)
        return Int(number * 60_000)
      }
      return nil
    }
    let interval = try minutes("check_interval", "normal_check_interval") ?? 300_000
    check.pace(interval: interval, timeout: plugin.timeout ?? 10_000)
    let tries = try book.value("max_check_attempts", of: object)
    ledger.carry(tries)
    check["retries"] = .plain("0")
    if let tries = tries?.number, tries > 1 { check["failure_threshold"] = .number(min(100, tries)) }
    if let retry = try minutes("retry_interval", "retry_check_interval"), case .plain? = check["interval"] {
      if retry < interval, retry >= 1000 { check["interval_failing"] = .duration(retry) }
    }
  }
}
