// SPDX-License-Identifier: MIT

import Basics

/// `parents` of hosts and dependencies between checks, by the keys of checks. For one thread.
final class NagiosLinks {
  private let book: NagiosBook
  private let ledger: Ledger
  private let links = CheckLinks()

  init(_ book: NagiosBook, _ ledger: Ledger) { (self.book, self.ledger) = (book, ledger) }

  func enter(_ check: ImportedCheck, host: String, service: String?) {
    links.enter(check, host: host, service: service)
  }

  func finish(_ checks: inout [ImportedCheck]) { links.finish(&checks) }

  func read(_ objects: [NagiosObject]) throws(ImportProblem) {
    for object in objects where object.isReal {
      switch object.kind {
      case "host": try host(object)
      case "hostdependency": try dependency(object, isService: false)
      case "servicedependency": try dependency(object, isService: true)
      default: break
      }
    }
  }

  // MARK: Hosts

  /// All that stands on a host cannot be reached without its parents. One that is up is enough, and one without a check is
  /// always up.
  private func host(_ object: NagiosObject) throws(ImportProblem) {
    guard let name = object.node["host_name"]?.text, let node = try book.value("parents", of: object) else {
      return
    }
    let own = links.keys(ofHost: name)
    guard !own.isEmpty else { return }
    let names = try book.names("parents", of: object)
    let found = names.compactMap { links.key(host: $0, service: nil) }
    for name in names where try isAlwaysUp(name) {
      return ledger.list(node, "no check runs of a host that it names, so it is always up")
    }
    guard found.count == names.count else {
      return ledger.list(
        node, "no check is made of \(found.isEmpty ? "the host" : "one of the hosts") that it names",
        .stricter)
    }
    ledger.carry(node)
    for key in own {
      links.depend(key, on: found)
      if found.count > 1 {
        note(key, .laxer, node, "one parent that is down is enough here; there all of them have to be")
      }
    }
  }

  private func isAlwaysUp(_ name: String) throws(ImportProblem) -> Bool {
    guard let host = book.host(name) else { return false }
    guard try book.value("check_command", of: host) != nil else { return true }
    return try book.value("active_checks_enabled", of: host)?.flag == false
  }

  private func note(_ key: Int, _ change: ImportNote.Change, _ node: ForeignNode, _ why: String) {
    links.note(key, change, ledger.place(node), why)
  }

  // MARK: Dependencies

  private func dependency(_ object: NagiosObject, isService: Bool) throws(ImportProblem) {
    let letters: Set<Character> = isService ? ["c"] : ["d"]
    let criteria = try ["notification_failure_criteria", "execution_failure_criteria"].map {
      key throws(ImportProblem) in try book.value(key, of: object)
    }
    // Older files name them in another way.
    let nodes = criteria.compactMap(\.self) + ["failure_criteria"].compactMap { object.node[$0] }
    let named = nodes.map { Set(($0.text ?? "").lowercased().filter { $0 != "," && $0 != " " }) }
    guard named.contains(where: { !$0.isDisjoint(with: letters) }) else {
      return ledger.list(object.node, "it does not hold while what it names is down")
    }
    let masters = try checks(of: object, "", isService: isService)
    let dependents = try checks(of: object, "dependent_", isService: isService)
    guard !masters.isEmpty, !dependents.isEmpty else {
      return ledger.list(object.node, "no check is made of what it names", .stricter)
    }
    for key in [
      "host", "host_name", "hostgroup_name", "service_description", "dependent_host_name",
      "dependent_hostgroup_name", "dependent_service_description", "use", "inherits_parent",
    ] {
      ledger.carry(try book.value(key, of: object))
    }
    for node in nodes { ledger.carry(node) }
    for key in dependents {
      links.depend(key, on: masters)
      guard let node = nodes.first, !Set(named.joined()).subtracting(letters).subtracting(["n"]).isEmpty
      else { continue }
      note(key, .changed, node, "only while what it names is down, not in its other states")
    }
  }

  private func checks(
    of object: NagiosObject, _ prefix: String, isService: Bool
  ) throws(ImportProblem) -> [Int] {
    var hosts = try book.hosts(of: object, prefix).known
    // A dependent that names no host is on the same one.
    if hosts.isEmpty, !prefix.isEmpty { hosts = try book.hosts(of: object).known }
    let services = isService ? try book.names("\(prefix)service_description", of: object) : []
    guard hosts.count * max(1, services.count) <= ForeignLimits.plainValues else {
      throw ImportProblem(
        "line \(object.node.line): a dependency of more than \(ForeignLimits.plainValues) checks",
        hint: "import the files in parts")
    }
    return hosts.flatMap { host -> [Int] in
      guard isService else { return [links.key(host: host, service: nil)].compactMap(\.self) }
      return services.compactMap { links.key(host: host, service: $0) }
    }
  }
}
