// SPDX-License-Identifier: MIT

import Basics

/// Users that notifications reach by mail, as channels, and the checks that notify them. For one thread.
final class IcingaContacts {
  private struct User {
    var id: Int
    var name: String
    var values: IcingaValue
  }

  private let work: IcingaWork
  private let ledger: Ledger
  private let mail = MailContacts(program: "Icinga", sender: "icinga@localhost")
  private struct Place: Hashable {
    var host: ByteText
    var service: ByteText?

    init(_ host: String, _ service: String?) {
      (self.host, self.service) = (ByteText(host), service.map { ByteText($0) })
    }
  }

  private let notifications: [IcingaObject]
  /// Notifications that name their host and service.
  private var direct: [Place: [(IcingaObject, IcingaWork.Scope)]] = [:]
  private var commands: [ByteText: IcingaObject] = [:]
  /// Whether a command has a user's address in it.
  private var mailed: [ByteText: Bool] = [:]
  private var leftOut: Set<Int> = []
  private var users: [ByteText: User] = [:]
  private let members: IcingaMembers
  private var periods: Set<ByteText> = []
  /// Users of all checks together, each time they or their groups are named.
  private var pairs = 0
  /// Objects that channels and rules were made of.
  private(set) var used: Set<Int> = []

  init(_ objects: [IcingaObject], _ work: IcingaWork, _ ledger: Ledger) throws(ImportProblem) {
    (self.work, self.ledger) = (work, ledger)
    notifications = objects.filter { $0.type == "Notification" && $0.kind == .apply }
    members = try IcingaMembers(objects, work)
    let groups = try IcingaGroups(objects, of: "UserGroup", work)
    for object in objects where object.kind == .object {
      guard ["Notification", "NotificationCommand", "User", "TimePeriod"].contains(object.type),
        let (name, scope) = try made(object)
      else { continue }
      switch object.type {
      case "Notification":
        let place = Place(scope["host_name"]?.text ?? "", scope["service_name"]?.text)
        direct[place, default: []].append((object, scope))
      case "NotificationCommand": commands[ByteText(name)] = object
      case "User":
        users[ByteText(name)] = User(id: object.id, name: name, values: scope.object)
        let joined = try groups.joined(scope.object, as: "user")
        try members.enter(name, joined["groups"]?.items ?? [])
      default: if Self.isAlways(scope) { periods.insert(ByteText(name)) }
      }
    }
  }

  private func made(_ object: IcingaObject) throws(ImportProblem) -> (String, IcingaWork.Scope)? {
    var scope = IcingaWork.Scope()
    guard let expression = object.name, let name = try work.evaluate(expression, scope).text else {
      return nil
    }
    scope["name"] = try work.evaluate(expression, scope)
    if object.type == "User" { scope["display_name"] = scope["name"] }
    try work.make(object, &scope)
    return scope.why == nil || object.type == "Notification" ? (name, scope) : nil
  }

  /// The whole of each day.
  private static func isAlways(_ scope: IcingaWork.Scope) -> Bool {
    guard case .map(let ranges)? = scope["ranges"]?.kind else { return false }
    return ranges.count == 7 && ranges.allSatisfy { $0.value.text == "00:00-24:00" }
  }

  // MARK: Notifications of a check

  /// All notifications that belong to the check.
  func notify(_ check: inout ImportedCheck, _ checked: IcingaChecked) throws(ImportProblem) {
    ledger.settle()
    for (object, scope) in direct[Place(checked.hostName, checked.serviceName)] ?? [] {
      try notify(&check, checked, scope, object)
      check.notes += ledger.takeNotes()
    }
    for object in notifications {
      guard let scope = try work.attributes(of: object, for: checked) else { continue }
      try notify(&check, checked, scope, object)
      check.notes += ledger.takeNotes()
    }
  }

  private func notify(
    _ check: inout ImportedCheck, _ checked: IcingaChecked, _ scope: IcingaWork.Scope, _ object: IcingaObject
  ) throws(ImportProblem) {
    guard scope.why == nil, scope.rules.isEmpty || scope.isMatched == true else {
      return leaveOut(object, scope, scope.obstacle, &check)
    }
    try work.step(Self.read.reduce(0) { $0 + (scope[$1]?.size ?? 0) })
    let enabled = (checked.service ?? checked.host)["enable_notifications"]
    carry(enabled)
    let reach = reach(scope)
    if let why = reach.why { return leaveOut(object, scope, why, &check) }
    guard enabled?.truth != false, reach.isProblem else { return }
    guard let command = scope["command"]?.text, isMailed(command) else {
      return leaveOut(
        object, scope, "its command sends no mail to a user: write alerts.channels, see docs/alerts.md",
        &check)
    }
    var isUsed = false
    for name in try names(scope) {
      if try add(&check, name, reach, isService: checked.service != nil) { isUsed = true }
    }
    if let why = (scope["user_groups"]?.items ?? []).lazy.compactMap(\.text).compactMap(members.doubt).first {
      guard isUsed else { return leaveOut(object, scope, why, &check) }
      check.note(.laxer, "user_groups", why)
    }
    guard isUsed else { return }
    used.insert(object.id)
    if reach.reminds { mail.remind(of: &check, seconds: reach.interval, "interval") }
    settle(scope)
  }

  /// Lists what of a notification is not listed yet, as a note of no check: it is for many. Where it is
  /// carried for another check, this one says it.
  private func leaveOut(
    _ object: IcingaObject, _ scope: IcingaWork.Scope, _ why: String, _ check: inout ImportedCheck
  ) {
    if used.contains(object.id), let leaf = object.leaves.first {
      check.note(.laxer, ledger.place(leaf.node), why)
    }
    guard leftOut.insert(object.id).inserted else { return }
    for leaf in object.leaves { ledger.list(leaf.node, why, always: false) }
    ledger.leaveOut("notification \(scope["name"]?.text ?? "at line \(object.line)")", why)
  }

  private func carry(_ value: IcingaValue?) {
    for node in value?.allSources ?? [] { ledger.carry(node) }
  }

  /// Attributes of a notification that are looked at.
  private static let read = [
    "name", "command", "interval", "states", "types", "users", "user_groups", "host_name", "service_name",
    "times", "period",
  ]

  /// Attributes of a notification that notifies.
  private func settle(_ scope: IcingaWork.Scope) {
    if let interval = scope["interval"], interval.number == nil {
      for node in interval.sources { ledger.list(node, Ledger.misread, .changed) }
    }
    for name in Self.read where name != "times" && name != "period" { carry(scope[name]) }
    for rule in scope.rules { carry(rule.condition) }
    if let begin = scope["times"]?["begin"], (begin.number ?? 0) > 0 {
      for node in begin.sources { ledger.list(node, "the first notification is sent at once", .stricter) }
    }
    for node in scope["times"]?["end"]?.sources ?? [] {
      ledger.list(node, "notifications go on until the incident is resolved", .changed)
    }
    period(scope["period"])
  }

  private func period(_ value: IcingaValue?) {
    guard let name = value?.text else { return }
    if periods.contains(ByteText(name)) || name == "24x7" { return carry(value) }
    for node in value?.sources ?? [] {
      ledger.change(node, "it is the same for all channels here: write alerts.quiet_hours", .changed)
    }
  }

  // MARK: What reaches a user

  /// States and types that notify, and how often.
  private struct Reach {
    var states: Set<ByteText>?
    var types: Set<ByteText>?
    var interval: Double
    /// Why it is not worked out.
    var why: String?

    var reminds: Bool { interval > 0 }
    var isProblem: Bool { has("Problem", in: types) }
    func has(_ word: String, in set: Set<ByteText>?) -> Bool { set?.contains(ByteText(word)) ?? true }
  }

  private func reach(_ scope: IcingaWork.Scope) -> Reach {
    let (states, types) = (scope["states"], scope["types"])
    let interval = scope["interval"]?.number ?? 1800
    return Reach(
      states: Self.words(states), types: Self.words(types), interval: interval.isFinite ? interval : 1800,
      why: states?.why ?? types?.why ?? scope["users"]?.why ?? scope["user_groups"]?.why)
  }

  /// `nil`: all of them.
  private static func words(_ value: IcingaValue?) -> Set<ByteText>? {
    value.map { Set($0.items.compactMap(\.text).map { ByteText($0) }) }
  }

  /// A command with the user's address in it, or one whose name says so where no file has it.
  private func isMailed(_ name: String) -> Bool {
    if let known = mailed[ByteText(name)] { return known }
    var isMailed = name.lowercased().contains("mail")
    if let command = commands[ByteText(name)] {
      isMailed = command.leaves.contains { $0.node.text?.range(of: "$user.email$") != nil }
      if isMailed { for leaf in command.leaves { ledger.carry(leaf.node) } }
    }
    mailed[ByteText(name)] = isMailed
    return isMailed
  }

  private func names(_ scope: IcingaWork.Scope) throws(ImportProblem) -> [String] {
    var found = scope["users"]?.items.compactMap(\.text) ?? []
    for group in scope["user_groups"]?.items.compactMap(\.text) ?? [] {
      found += members[group]
      try count(found.count)
    }
    try count(found.count)
    return found.withoutRepetitions { ByteText($0) }
  }

  private func count(_ more: Int) throws(ImportProblem) {
    pairs += more
    guard pairs <= ForeignLimits.values else {
      throw ImportProblem(
        "checks have more than \(ForeignLimits.values) users together, those of groups included",
        hint: "import the files in parts")
    }
  }

  // MARK: Channels

  /// - Returns: whether the user is notified by the check.
  private func add(
    _ check: inout ImportedCheck, _ name: String, _ reach: Reach, isService: Bool
  ) throws(ImportProblem) -> Bool {
    guard let user = users[ByteText(name)] else {
      check.note(.laxer, "users", "the user \(name.printable(maxBytes: 100)) is not in the files given")
      return false
    }
    let (states, types) = (Self.words(user.values["states"]), Self.words(user.values["types"]))
    func wants(_ state: String) -> Bool {
      reach.has(state, in: reach.states) && reach.has(state, in: states)
    }
    let fails = wants(isService ? "Critical" : "Down")
    let warns = isService && wants("Warning") && MailContacts.warns(check)
    guard user.values["enable_notifications"]?.truth != false, reach.has("Problem", in: types), fails || warns
    else { return false }
    let recovers = reach.has("Recovery", in: reach.types) && reach.has("Recovery", in: types)
    let way = MailContacts.Way(contact: ByteText(name), recovers: recovers, reminds: reach.reminds)
    guard let channel = channel(way, user, reach) else { return false }
    mail.notify(channel, of: &check, fails: fails, warns: warns)
    return true
  }

  /// `nil`: the user has no address.
  private func channel(_ way: MailContacts.Way, _ user: User, _ reach: Reach) -> String? {
    if let known = mail.channel(way) { return known }
    guard let address = user.values["email"]?.text, !address.isEmpty else { return nil }
    let before = ledger.carried
    var made = mail.made(way, to: address)
    for name in ["name", "email", "groups", "states", "types", "enable_notifications"] {
      carry(user.values[name])
    }
    period(user.values["period"])
    let other = ["Custom", "DowntimeEnd", "DowntimeRemoved", "DowntimeStart", "FlappingEnd", "FlappingStart"]
      .filter { reach.types != nil && reach.has($0, in: reach.types) }
    let unknown = reach.states != nil && reach.has("Unknown", in: reach.states) ? ["Unknown"] : []
    if !other.isEmpty || !unknown.isEmpty {
      made.note(
        .changed, "types",
        "unknown states, flapping, downtimes and custom notifications are not notified: "
          + (other + unknown).joined(separator: ","))
    }
    made.carried = ledger.carried - before
    used.insert(user.id)
    mail.keep(made, way)
    return made.name
  }

  /// Channels and rules for the new file.
  func finish() {
    ledger.settle()
    mail.finish(ledger, interval: "interval")
    used.formUnion(members.groups(where: mail.isUsed))
  }
}

extension IcingaWork {
  /// Attributes of an object that is applied to hosts or services, such as a notification; `nil` when it is not applied to
  /// this one.
  func attributes(of object: IcingaObject, for checked: IcingaChecked) throws(ImportProblem) -> Scope? {
    try step()
    guard (object.target == "Service") == (checked.service != nil) else { return nil }
    var scope = Scope()
    scope.names = [("host", checked.host)]
    if let service = checked.service, case .map(let entries) = service.kind {
      try step(entries.count / 16)
      let whole = IcingaValue(kind: .map(entries + [("host", checked.host)]), sources: service.sources)
      scope.names.append(("service", whole))
    }
    if let loop = object.loop {
      let list = try evaluate(loop.of, scope)
      // A list that the object does not have, or an empty one, makes nothing.
      guard list.why != nil || list.truth == true else { return nil }
    }
    if let expression = object.name { scope["name"] = try evaluate(expression, scope) }
    guard object.name != nil || object.loop != nil else { return nil }
    scope["host_name"] = IcingaValue(kind: .text(checked.hostName))
    if let service = checked.serviceName { scope["service_name"] = IcingaValue(kind: .text(service)) }
    try make(object, &scope)
    if object.loop != nil { scope.why = "a rule with a loop is not worked out for it" }
    return scope.isMatched == false && object.loop == nil ? nil : scope
  }
}
