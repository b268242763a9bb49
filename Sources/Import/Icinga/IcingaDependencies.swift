// SPDX-License-Identifier: MIT

import Basics

/// `Dependency` objects, as `depends_on` of the checks. For one thread.
final class IcingaDependencies {
  private let objects: [IcingaObject]
  private let work: IcingaWork
  private let ledger: Ledger
  private let links = CheckLinks()
  private var leftOut: Set<Int> = []
  /// Objects that checks depend by.
  private(set) var used: Set<Int> = []

  init(_ objects: [IcingaObject], _ work: IcingaWork, _ ledger: Ledger) {
    self.objects = objects.filter { $0.type == "Dependency" && $0.kind != .template }
    (self.work, self.ledger) = (work, ledger)
  }

  func read(_ book: IcingaBook, _ checks: inout [ImportedCheck]) throws(ImportProblem) {
    for checked in book.checked {
      links.enter(checks[checked.index], host: checked.hostName, service: checked.serviceName)
    }
    for object in objects {
      switch object.kind {
      case .object: try single(object)
      case .apply where object.target == "Service":
        for checked in book.checked where checked.service != nil { try apply(object, checked) }
      default:
        for host in book.hosts { try apply(object, IcingaChecked(index: 0, host: host.value, service: nil)) }
      }
      ledger.settle()
    }
    links.finish(&checks)
  }

  private func single(_ object: IcingaObject) throws(ImportProblem) {
    var scope = IcingaWork.Scope()
    guard let expression = object.name else { return }
    scope["name"] = try work.evaluate(expression, scope)
    try work.make(object, &scope)
    try depend(
      object, scope, host: scope["child_host_name"]?.text ?? "", service: scope["child_service_name"]?.text)
  }

  private func apply(_ object: IcingaObject, _ checked: IcingaChecked) throws(ImportProblem) {
    guard let scope = try work.attributes(of: object, for: checked) else { return }
    try depend(object, scope, host: checked.hostName, service: checked.serviceName)
  }

  /// - Parameters:
  ///   - host: the child's host.
  ///   - service: `nil` when the child is the host.
  private func depend(
    _ object: IcingaObject, _ scope: IcingaWork.Scope, host: String, service: String?
  ) throws(ImportProblem) {
    let children =
      service == nil ? links.keys(ofHost: host) : [links.key(host: host, service: service)].compactMap(\.self)
    try work.step(children.count + Self.read.reduce(0) { $0 + (scope[$1]?.size ?? 0) })
    guard scope.why == nil, scope.rules.isEmpty || scope.isMatched == true else {
      return leaveOut(object, scope.obstacle, scope["name"]?.text ?? "at line \(object.line)")
    }
    guard scope["disable_notifications"]?.truth != false || scope["disable_checks"]?.truth == true else {
      return leaveOut(object, "it stops neither checks nor notifications")
    }
    let master = scope["parent_service_name"]?.text
    let states = scope["states"]?.items.compactMap(\.text)
    guard states?.contains(master == nil ? "Down" : "Critical") != true else {
      return leaveOut(object, "it does not hold while what it names is down")
    }
    let parent = scope["parent_host_name"]?.text ?? host
    guard parent != host || master != service else { return }
    guard let key = links.key(host: parent, service: master) else {
      let place = object.leaves.first.map { ledger.place($0.node) } ?? "Dependency"
      for child in children { links.note(child, .stricter, place, "no check is made of what it depends on") }
      return
    }
    guard !children.isEmpty else { return }
    used.insert(object.id)
    for child in children where child != key {
      links.depend(child, on: [key])
      note(child, scope, states, isService: master != nil)
    }
    for name in Self.read {
      for node in scope[name]?.allSources ?? [] { ledger.carry(node) }
    }
    for node in scope.rules.flatMap(\.condition.allSources) { ledger.carry(node) }
  }

  /// Attributes that are looked at.
  private static let read = [
    "name", "parent_host_name", "parent_service_name", "child_host_name", "child_service_name", "states",
    "disable_checks", "disable_notifications",
  ]

  /// Notes the differences for a check that depends on another.
  private func note(_ child: Int, _ scope: IcingaWork.Scope, _ states: [String]?, isService: Bool) {
    if let states, isService, !states.contains("Warning"),
      let node = scope["states"]?.allSources.first ?? scope["name"]?.sources.first
    {
      links.note(
        child, .changed, ledger.place(node), "only while what it names is down, not in its other states")
    }
    if let node = scope["redundancy_group"]?.sources.first {
      links.note(
        child, .laxer, ledger.place(node),
        "one parent that is down is enough here; there all of the group have to be")
    }
  }

  /// - Parameter name: of a dependency that is not worked out.
  private func leaveOut(_ object: IcingaObject, _ why: String, _ name: String? = nil) {
    guard leftOut.insert(object.id).inserted else { return }
    for leaf in object.leaves { ledger.list(leaf.node, why, always: false) }
    if let name { ledger.leaveOut("dependency \(name)", why) }
  }
}
