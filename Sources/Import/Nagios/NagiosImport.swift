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
    let book = NagiosBook(objects)
    var checks: [ImportedCheck] = []
    for object in objects where object.isReal {
      ledger.settle()
      switch object.kind {
      case "service": checks += services(object, book)
      case "host": if let check = host(object, book) { checks.append(check) }
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

  private func services(_ service: NagiosObject, _ book: NagiosBook) -> [ImportedCheck] {
    let names = book.value("host_name", of: service)?.text?.split(separator: ",").map { $0.trimmed } ?? []
    let groups =
      book.value("hostgroup_name", of: service)?.text?.split(separator: ",").map { $0.trimmed } ?? []
    var made: [ImportedCheck] = []
    let hosts = names.filter { !$0.hasPrefix("!") } + groups.flatMap { book.members(of: $0) }
    for name in hosts where !made.contains(where: { $0.name.hasPrefix("\(name) ") }) {
      guard let host = book.host(name) else { continue }
      guard let check = check(service, on: host, name, book) else { continue }
      made.append(check)
    }
    if !made.isEmpty {
      for key in ["host_name", "hostgroup_name", "service_description", "check_command"] {
        ledger.carry(book.value(key, of: service))
      }
    }
    return made
  }

  private func host(_ host: NagiosObject, _ book: NagiosBook) -> ImportedCheck? {
    guard let name = host.node["host_name"]?.text, book.value("check_command", of: host) != nil else {
      Section(host.node, ledger).carry("host_name", "address", "alias", "display_name", "hostgroups")
      return nil
    }
    Section(host.node, ledger).carry("host_name", "address", "alias", "display_name", "hostgroups")
    var check = self.check(host, on: host, name, book)
    check?.name = "\(name) host"
    if check != nil { ledger.carry(book.value("check_command", of: host)) }
    return check
  }

  private func check(
    _ object: NagiosObject, on host: NagiosObject, _ hostName: String, _ book: NagiosBook
  ) -> ImportedCheck? {
    guard let command = book.value("check_command", of: object), let text = command.text else { return nil }
    let address = book.value("address", of: host)?.text ?? hostName
    let line = book.commandLine(text, ledger)
    guard let plugin = NagiosPlugin(line, address: address, hostName: hostName) else {
      ledger.list(command, "no check here does what this command does")
      return nil
    }
    guard var check = plugin.check() else {
      ledger.list(command, "the plugin lacks what a check needs")
      return nil
    }
    check.name = "\(hostName) \(book.value("service_description", of: object)?.text ?? "host")"
    check.tag("host:\(hostName)")
    pace(&check, object, plugin, book)
    for word in plugin.left {
      check.notes.append(ImportNote(place: "check_command", why: "\(word) has no counterpart"))
    }
    if book.value("active_checks_enabled", of: object)?.flag == false { check["enabled"] = .plain("false") }
    ledger.carry(book.value("active_checks_enabled", of: object))
    check.notes += ledger.takeNotes()
    return check
  }

  /// Intervals count in minutes.
  private func pace(
    _ check: inout ImportedCheck, _ object: NagiosObject, _ plugin: NagiosPlugin, _ book: NagiosBook
  ) {
    func minutes(_ names: String...) -> Int? {
      for name in names {
        guard let node = book.value(name, of: object), let number = node.text.flatMap({ Double($0) }),
          number.isFinite, number > 0, number < 100_000
        else { continue }
        ledger.carry(node)
        return Int(number * 60_000)
      }
      return nil
    }
    check.pace(
      interval: minutes("check_interval", "normal_check_interval") ?? 300_000,
      timeout: plugin.timeout ?? 10_000)
    let tries = book.value("max_check_attempts", of: object)
    ledger.carry(tries)
    check["retries"] = .plain("0")
    if let tries = tries?.number, tries > 1 { check["failure_threshold"] = .number(min(100, tries)) }
    if let retry = minutes("retry_interval", "retry_check_interval"), case .plain? = check["interval"] {
      let interval = minutes("check_interval", "normal_check_interval") ?? 300_000
      if retry < interval, retry >= 1000 { check["interval_failing"] = .duration(retry) }
    }
  }
}
