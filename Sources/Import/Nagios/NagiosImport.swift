// SPDX-License-Identifier: MIT

import Basics

/// Object files of Nagios and Icinga 1, with nagios.cfg and resource.cfg: hosts, services and commands, with templates.
struct NagiosImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ given: [ImportFile]) throws(ImportProblem) -> [ImportedCheck] {
    var files: [NagiosFile] = []
    for file in given {
      do throws(ImportProblem) { files.append(enter(try NagiosFile.read(file.bytes), file)) } catch {
        throw error.of(file)
      }
    }
    let book = try NagiosBook(files)
    let (contacts, links) = (try NagiosContacts(files, book, ledger), NagiosLinks(book, ledger))
    let work = Work(book: book, contacts: contacts, links: links)
    var checks: [ImportedCheck] = []
    let objects = files.flatMap(\.objects)
    let definitions = try NagiosDefinitions(objects, book, ledger)
    for (index, object) in objects.enumerated() where object.isReal {
      ledger.settle()
      switch object.kind {
      case "service": checks += try services(object, definitions.hosts(of: index), work)
      case "host" where definitions.isReplaced(index, object):
        ledger.list(
          object.node["host_name"], "Nagios keeps one definition of a host: the last is taken", .changed)
        ledger.list(object.node, "another definition of the host counts", always: false)
      case "host": if let check = try host(object, work) { checks.append(check) }
      default: break
      }
    }
    ledger.settle()
    try links.read(objects)
    contacts.finish()
    links.finish(&checks)
    for object in objects {
      close(object, try book.unknownTemplates(of: object), isUsed: contacts.isUsed(object))
    }
    for file in files { NagiosSettings(file, ledger).close(given.map(\.name)) }
    return checks
  }

  private struct Work {
    var book: NagiosBook
    var contacts: NagiosContacts
    var links: NagiosLinks
  }

  /// Enters all values of a file.
  private func enter(_ file: NagiosFile, _ source: ImportFile) -> NagiosFile {
    var file = file
    if !file.objects.isEmpty {
      let list = ForeignNode(content: .list(file.objects.map(\.node)), line: 1)
      let entered = ledger.enter(list, file: source.name).items ?? []
      file.objects = zip(file.objects, entered).map { NagiosObject(kind: $0.kind, node: $1) }
    }
    let settings = ForeignNode(content: .map(file.settings), line: 1)
    if !file.settings.isEmpty { file.settings = ledger.enter(settings, file: source.name).entries ?? [] }
    return file
  }

  private func close(_ object: NagiosObject, _ unknown: [String], isUsed: Bool) {
    let section = Section(object.node, ledger)
    // A contact or a dependency carries it.
    if let name = unknown.first { ledger.list(object.node["use"], Self.unknown(template: name)) }
    section.carry("register", "use", "name")
    let isUnused = !object.isReal && ["host", "service"].contains(object.kind)
    switch object.kind {
    case "command": section.listRest("a command that no imported check uses")
    case "hostgroup":
      section.carry("hostgroup_name", "members", "hostgroup_members")
      section.listRest("name the group as a tag")
    case "servicegroup": section.listRest("name the group as a tag")
    case "contact" where isUsed:
      section.list("a channel is known by its contact's name", "alias")
      section.listRest("it has no effect on a mail")
    case "contact": section.listRest(MailContacts.unused)
    case "contactgroup":
      section.carry("contactgroup_name", "members", "contactgroup_members")
      section.listRest("it is about Nagios itself")
    case "timeperiod": section.listRest("checks run all day; write maintenance for the rest")
    case "hostdependency", "servicedependency":
      section.listRest("a dependency holds all day, and while what it names is down")
    case "hostescalation", "serviceescalation":
      section.listRest("write alerts.escalate, see docs/configuration.md")
    default:
      section.list(
        "no check that notifies a contact is made of it", "contacts", "contact_groups",
        "notification_interval", "notification_period", "notification_options", "notifications_enabled",
        "first_notification_delay")
      section.list("checks run all day; write maintenance for the rest", "check_period")
      section.list("no check is made of this host, or of its parents", "parents")
      if isUnused {
        section.listRest("no imported check uses this value of the template")
        return
      }
      section.list(
        "no check was made of it, see check_command", "host_name", "hostgroup_name", "service_description")
      section.list("its host is not in the files given", "check_command")
      rest(section)
    }
  }

  /// Values of a host or service that no check has.
  private func rest(_ section: Section) {
    section.list(
      "it is shown on Nagios' pages only", "notes", "notes_url", "action_url", "icon_image", "icon_image_alt",
      "vrml_image", "statusmap_image", "2d_coords", "3d_coords", "display_name", "alias")
    section.list("no command is run when a state changes", "event_handler", "event_handler_enabled")
    section.list(
      "passive check results are not accepted", "check_freshness", "freshness_threshold",
      "passive_checks_enabled")
    section.list(
      "flap detection is set in alerts.flap, see docs/alerts.md", "flap_detection_enabled",
      "flap_detection_options", "low_flap_threshold", "high_flap_threshold")
    section.list("name the group as a tag", "servicegroups", "service_groups", "hostgroups")
    section.list(
      "it is about Nagios itself", "process_perf_data", "retain_status_information",
      "retain_nonstatus_information", "obsess_over_service", "obsess_over_host", "obsess",
      "parallelize_check", "failure_prediction_enabled", "is_volatile", "stalking_options", "initial_state",
      "importance", "hourly_value")
    section.list(
      "no check was made of it", "check_interval", "normal_check_interval", "retry_interval",
      "retry_check_interval", "max_check_attempts", "active_checks_enabled", "address", "use")
    for entry in section.node.entries ?? [] where entry.name.hasPrefix("_") {
      ledger.list(entry.value, "no imported check uses this variable", always: false)
    }
    section.listRest()
  }

  private static func unknown(template name: String) -> String {
    "the template \"\(name.printable(maxBytes: 100))\" is not in the files given, so what it sets is missing"
  }

  private func services(
    _ service: NagiosObject, _ hosts: NagiosDefinitions.Hosts, _ work: Work
  ) throws(ImportProblem) -> [ImportedCheck] {
    let book = work.book
    if let name = hosts.unknown.first {
      let isPattern = hosts.unknown.contains(where: book.isPattern)
      let why =
        isPattern
        ? "names by patterns (use_regexp_matching) are not worked out"
        : "\(name.printable(maxBytes: 120)) is not in the files given"
      ledger.list(try book.value(name.hasPrefix("host ") ? "host_name" : "hostgroup_name", of: service), why)
      if isPattern {
        let words = try book.value("service_description", of: service)?.text ?? "service"
        ledger.leaveOut("\(name) \(words)", why)
      }
    }
    if hosts.known.isEmpty, hosts.isReplaced {
      ledger.list(service.node, "other definitions of the service count on its hosts", always: false)
    }
    var made: [ImportedCheck] = []
    for name in hosts.known {
      guard let host = book.host(name),
        var check = try check(service, isService: true, on: host, name, work)
      else { continue }
      if hosts.twice.contains(ByteText(name)) {
        check.note(
          .changed, "service_description",
          "Nagios keeps one definition of a service on a host: the last is taken")
      }
      made.append(check)
    }
    if !made.isEmpty {
      for key in ["host_name", "hostgroup_name", "service_description", "check_command"] {
        ledger.carry(try book.value(key, of: service))
      }
    }
    return made
  }

  private func host(_ host: NagiosObject, _ work: Work) throws(ImportProblem) -> ImportedCheck? {
    let book = work.book
    Section(host.node, ledger).carry("host_name", "address", "alias", "display_name", "hostgroups")
    guard let name = host.node["host_name"]?.text, try book.value("check_command", of: host) != nil else {
      return nil
    }
    try ledger.count(of: name)
    var check = try self.check(host, isService: false, on: host, name, work)
    check?.name = "\(name) host"
    if check != nil { ledger.carry(try book.value("check_command", of: host)) }
    return check
  }

  private func check(
    _ object: NagiosObject, isService: Bool, on host: NagiosObject, _ hostName: String, _ work: Work
  ) throws(ImportProblem) -> ImportedCheck? {
    let book = work.book
    guard let command = try book.value("check_command", of: object), let text = command.text else {
      return nil
    }
    let before = ledger.carried
    let words = try book.value("service_description", of: object)?.text ?? "host"
    func leaveOut(_ why: String) -> ImportedCheck? {
      ledger.list(command, why)
      ledger.leaveOut("\(hostName) \(words)", why)
      return nil
    }
    var macros = NagiosMacros(book, ledger, host: host, named: hostName, service: isService ? object : nil)
    let line: [String]
    switch try self.line(text, &macros) {
    case .success(let made): line = made
    case .failure(let obstacle): return leaveOut(obstacle.words)
    }
    let address = try book.value("address", of: host)?.text ?? hostName
    guard let call = NagiosCall(line, address: address) else {
      let name = (line.first ?? "").split(separator: "/").last ?? ""
      return leaveOut("no check here does what \"\(String(name).printable(maxBytes: 60))\" does")
    }
    guard var check = call.check() else { return leaveOut("the plugin lacks what a check needs") }
    if !isService { check.isOfHost(failsOnWarnings: book.hostsFailOnWarnings) }
    macros.finish(&check)
    check.name = "\(hostName) \(words)"
    check.tag("host:\(hostName)")
    try pace(&check, object, call, book)
    if let (why, change) = call.leftOver {
      // A command that several checks share is listed once, and named beside each of them.
      if ledger.isSettled(command) { check.note(change, "check_command", why) }
      ledger.list(command, why, change)
    }
    check.key = ledger.nextKey()
    work.links.enter(check, host: hostName, service: isService ? words : nil)
    try work.contacts.notify(&check, object, isService: isService, on: host)
    if let name = try book.unknownTemplates(of: object).first {
      ledger.list(object.node["use"], Self.unknown(template: name))
    }
    let active = try book.value("active_checks_enabled", of: object)
    if active?.flag == false { check["enabled"] = .plain("false") }
    ledger.carry(active)
    if !work.contacts.periods.run(try book.value("check_period", of: object), ledger) {
      check["enabled"] = .plain("false")
    }
    let notes = try book.value("notes_url", of: object)
    if let page = notes?.text, check.takeRunbook(page) { ledger.carry(notes) }
    check.carried = ledger.carried - before
    check.notes += ledger.takeNotes()
    return check
  }

  /// The words of the command line, or why there are none.
  private func line(
    _ call: String, _ macros: inout NagiosMacros
  ) throws(ImportProblem) -> Result<[String], NagiosMacros.Obstacle> {
    do { return .success(try macros.words(of: call)) } catch let obstacle as NagiosMacros.Obstacle {
      return .failure(obstacle)
    } catch let problem as ImportProblem { throw problem } catch { return .failure(.isShell) }
  }

  /// Intervals count in units of `interval_length`, a minute where nagios.cfg says nothing.
  private func pace(
    _ check: inout ImportedCheck, _ object: NagiosObject, _ call: NagiosCall, _ book: NagiosBook
  ) throws(ImportProblem) {
    func span(_ names: String...) throws(ImportProblem) -> Int? {
      for name in names {
        guard let node = try book.value(name, of: object) else { continue }
        guard let number = node.text.flatMap({ Double($0) }), number.isFinite, number > 0,
          number * book.intervalLength < 6_000_000
        else {
          ledger.list(node, Ledger.misread, always: false, .changed)
          continue
        }
        ledger.carry(node)
        return Int(number * book.intervalLength * 1000)
      }
      return nil
    }
    // Five, where nothing is given.
    let interval = try span("check_interval", "normal_check_interval") ?? Int(book.intervalLength * 5000)
    check.pace(interval: interval, timeout: call.timeout)
    check.keepLimitsWithinTimeout()
    if book.isLengthUnread { check.note(.changed, "interval_length", Ledger.misread) }
    let tries = try book.value("max_check_attempts", of: object)
    if tries?.number == nil { ledger.list(tries, Ledger.misread, always: false, .changed) }
    ledger.carry(tries)
    check["retries"] = .plain("0")
    guard let tries = tries?.number, tries > 1 else {
      _ = try span("retry_interval", "retry_check_interval")
      return
    }
    // One.
    let retry = try span("retry_interval", "retry_check_interval") ?? Int(book.intervalLength * 1000)
    check.attempts(tries, retry: retry, interval: interval)
  }
}

extension NagiosMacros.Obstacle {
  var words: String {
    switch self {
    case .tooLong: "its command line is longer than \(ForeignLimits.words) bytes"
    case .isShell: "its command line needs a shell"
    case .noCommand(let name):
      "the command \"\(name.printable(maxBytes: 100))\" is not in the files given: import the file that defines it too"
    case .noMacro(let name): "the macro \(name) has no value in the files given"
    }
  }
}

/// Lines of nagios.cfg and resource.cfg.
struct NagiosSettings {
  private let settings: [(name: String, value: ForeignNode)]
  private let ledger: Ledger
  private let isForeign: Bool

  init(_ file: NagiosFile, _ ledger: Ledger) {
    (settings, self.ledger, isForeign) = (file.settings, ledger, file.isForeign)
  }

  /// - Parameter given: names of all files.
  func close(_ given: [String]) {
    for (name, value) in settings {
      switch name {
      case _ where isForeign:
        ledger.list(value, "the file does not look like an object file of Nagios", always: false)
      case "cfg_file", "resource_file":
        let isGiven = given.contains { Self.isSame($0, value.text ?? "") }
        if isGiven {
          ledger.carry(value)
        } else {
          ledger.list(value, "the file is not among those given", always: false)
        }
      case "cfg_dir":
        let folder = (value.text ?? "").split(separator: "/").last.map { "/\($0)/" } ?? "/"
        if given.contains(where: { "/\($0)".contains(folder) }) {
          ledger.carry(value)
        } else {
          ledger.list(value, "no file of this directory is among those given", always: false)
        }
      case "interval_length" where NagiosBook.length(value) == nil:
        ledger.list(value, Ledger.misread, always: false, .changed)
      case "interval_length": ledger.carry(value)
      case _ where NagiosBook.aggressive.contains(name): ledger.carry(value)
      case "execute_host_checks" where value.text == "0", "execute_service_checks" where value.text == "0":
        ledger.list(value, "Nagios runs none of them; the checks run here", .changed)
      case "enable_notifications" where value.text == "0":
        ledger.list(value, "Nagios notifies of nothing; the rules notify here", .stricter)
      default:
        ledger.list(
          value, name.hasPrefix("$USER") ? "no imported check uses it" : "it is about Nagios itself",
          always: false)
      }
    }
  }

  /// Files are given by other paths than those in nagios.cfg: the last part decides.
  private static func isSame(_ given: String, _ path: String) -> Bool {
    given.split(separator: "/").last == path.split(separator: "/").last
  }
}
