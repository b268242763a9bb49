// SPDX-License-Identifier: MIT

import Basics

/// Contacts that are notified by mail, as channels, and the checks that notify them. For one thread.
final class NagiosContacts {
  private let book: NagiosBook
  private let ledger: Ledger
  private var contacts: [ByteText: NagiosObject] = [:]
  private var members: [ByteText: [String]] = [:]
  private var nested: [ByteText: [String]] = [:]
  private let mail = MailContacts(program: "Nagios", sender: "nagios@localhost")
  /// Contacts and groups of contacts of all checks together.
  private var pairs = 0
  private(set) var periods: NagiosPeriods

  init(_ files: [NagiosFile], _ book: NagiosBook, _ ledger: Ledger) throws(ImportProblem) {
    (self.book, self.ledger) = (book, ledger)
    periods = NagiosPeriods(files)
    for object in files.flatMap(\.objects) where object.isReal {
      switch object.kind {
      case "contact":
        guard let name = object.node["contact_name"]?.text else { continue }
        contacts[ByteText(name)] = object
        for group in try book.names("contactgroups", of: object) {
          members[ByteText(group), default: []].append(name)
        }
      case "contactgroup":
        guard let name = object.node["contactgroup_name"]?.text else { continue }
        members[ByteText(name), default: []] += try book.names("members", of: object)
        nested[ByteText(name), default: []] += try book.names("contactgroup_members", of: object)
      default: break
      }
    }
  }

  // MARK: Notifications

  /// A check's settings of notifications. A service has its host's interval and period where it says nothing, and its
  /// contacts where it names none; `null` says something.
  func notify(
    _ check: inout ImportedCheck, _ object: NagiosObject, isService: Bool, on host: NagiosObject
  ) throws(ImportProblem) {
    func value(_ key: String) throws(ImportProblem) -> ForeignNode? {
      guard let own = try book.given(key, of: object) else {
        return isService ? try book.value(key, of: host) : nil
      }
      guard own.text == "null" else { return own }
      ledger.carry(own)
      return nil
    }
    let told = try book.value("notifications_enabled", of: object)
    if told != nil { ledger.carry(told) }
    let contacts = try contacts(of: object, orOf: isService ? host : nil)
    guard told?.flag != false, !contacts.isEmpty else { return }
    let options = try book.value("notification_options", of: object)
    let wanted = Self.letters(options)
    ledger.carry(options)
    let interval = try value("notification_interval")
    let given = interval?.text.flatMap { Double($0) }
    if given == nil { ledger.list(interval, Ledger.misread, .changed) }
    ledger.carry(interval)
    let minutes = given ?? 30
    let reminds = minutes.isFinite && minutes > 0
    let period = try value("notification_period")
    guard periods.use(period, ledger) else { return }
    if let delay = try book.value("first_notification_delay", of: object), delay.text != "0" {
      ledger.list(delay, "the first notification is sent at once", .stricter)
    }
    let notice = Notice(wanted: wanted, isService: isService, reminds: reminds, period: period)
    var isNotified = false
    for name in contacts { if try add(&check, name, notice) { isNotified = true } }
    guard reminds, isNotified else { return }
    mail.remind(of: &check, seconds: minutes * book.intervalLength, "notification_interval")
  }

  /// How a check notifies its contacts.
  private struct Notice {
    /// `nil`: of all states.
    var wanted: Set<Character>?
    var isService: Bool
    var reminds: Bool
    var period: ForeignNode?
  }

  /// - Returns: whether a channel is notified.
  private func add(
    _ check: inout ImportedCheck, _ name: String, _ notice: Notice
  ) throws(ImportProblem) -> Bool {
    guard let contact = contacts[ByteText(name)] else {
      check.note(.laxer, "contacts", "the contact \(name.printable(maxBytes: 100)) is not in the files given")
      return false
    }
    let kind = notice.isService ? "service" : "host"
    let own = Self.letters(try book.value("\(kind)_notification_options", of: contact))
    func wants(_ letter: Character) -> Bool {
      (own?.contains(letter) ?? true) && (notice.wanted?.contains(letter) ?? true)
    }
    let isOff = try book.value("\(kind)_notifications_enabled", of: contact)?.flag == false
    let fails = wants(notice.isService ? "c" : "d")
    let warns = notice.isService && wants("w") && MailContacts.warns(check)
    guard !isOff, fails || warns else { return false }
    let period = try book.value("\(kind)_notification_period", of: contact)
    guard periods.use(period, ledger) else { return false }
    let way = MailContacts.Way(contact: ByteText(name), recovers: wants("r"), reminds: notice.reminds)
    guard let channel = try channel(way, contact, kind) else { return false }
    periods.notify(in: [notice.period, period])
    mail.notify(channel, of: &check, fails: fails, warns: warns)
    return true
  }

  /// `nil`: all of them.
  private static func letters(_ node: ForeignNode?) -> Set<Character>? {
    guard let text = node?.text else { return nil }
    let words = text.lowercased().split(separator: ",").map { $0.trimmed }
    guard !words.contains("a"), !words.contains("all") else { return nil }
    return Set(words.compactMap(\.first))
  }

  private func contacts(of object: NagiosObject, orOf host: NagiosObject?) throws(ImportProblem) -> [String] {
    var found = Self.withoutRefused(try book.names("contacts", of: object))
    let groups = Self.withoutRefused(try book.names("contact_groups", of: object))
    var isNamed = false
    for key in ["contacts", "contact_groups"] {
      guard let given = try book.given(key, of: object) else { continue }
      isNamed = true
      ledger.carry(given)
    }
    if !isNamed, let host { return try contacts(of: host, orOf: nil) }
    try count(found.count)
    for group in groups { found += try members(of: group) }
    return found.withoutRepetitions { ByteText($0) }
  }

  /// Names of a list without those that it excludes, as in `ann,!bob`.
  private static func withoutRefused(_ names: [String]) -> [String] {
    let refused = Set(names.filter { $0.hasPrefix("!") }.map { ByteText($0.dropFirst().trimmed) })
    return names.filter { !$0.hasPrefix("!") && !refused.contains(ByteText($0)) }
  }

  /// Groups that hold one another in a circle end.
  private func members(of group: String) throws(ImportProblem) -> [String] {
    var (found, open, seen): ([String], [String], Set<ByteText>) = ([], [group], [])
    while let name = open.popLast(), found.count <= ForeignLimits.checks {
      guard seen.insert(ByteText(name)).inserted else { continue }
      let (own, inner) = (members[ByteText(name)] ?? [], nested[ByteText(name)] ?? [])
      try count(own.count + inner.count)
      found += own
      open += inner
    }
    return found
  }

  /// Before they are looked at, and each time that they are.
  private func count(_ more: Int) throws(ImportProblem) {
    pairs += more
    guard pairs <= ForeignLimits.values else {
      throw ImportProblem(
        "checks have more than \(ForeignLimits.values) contacts together, those of groups in groups included",
        hint: "import the files in parts")
    }
  }

  // MARK: Channels

  /// `nil`: the contact is not notified by mail, which is listed.
  private func channel(
    _ way: MailContacts.Way, _ contact: NagiosObject, _ kind: String
  ) throws(ImportProblem) -> String? {
    if let known = mail.channel(way) { return known }
    guard let email = try book.value("email", of: contact), let address = email.text,
      try isMailed(contact, kind)
    else { return nil }
    let before = ledger.carried
    var made = mail.made(way, to: address)
    ledger.carry(email)
    for key in ["contact_name", "contactgroups", "use", "register"] { ledger.carry(contact.node[key]) }
    for kind in ["host", "service"] { try take(contact, kind, &made) }
    made.carried = ledger.carried - before
    mail.keep(made, way)
    return made.name
  }

  private func take(
    _ contact: NagiosObject, _ kind: String, _ made: inout ImportedCheck
  ) throws(ImportProblem) {
    for key in ["notifications_enabled", "notification_commands"] {
      ledger.carry(try book.value("\(kind)_\(key)", of: contact))
    }
    _ = periods.use(try book.value("\(kind)_notification_period", of: contact), ledger)
    guard let options = try book.value("\(kind)_notification_options", of: contact) else { return }
    ledger.carry(options)
    let further = (Self.letters(options) ?? []).intersection(["u", "f", "s"])
    guard !further.isEmpty else { return }
    made.note(
      .changed, "\(kind)_notification_options",
      "unknown states, flapping and downtimes are not notified: \(further.sorted().map(String.init).joined(separator: ","))"
    )
  }

  /// A command with the contact's address in it, or one whose name says so where no file has it.
  private func isMailed(_ contact: NagiosObject, _ kind: String) throws(ImportProblem) -> Bool {
    let names = try book.names("\(kind)_notification_commands", of: contact)
    return names.contains { name in
      guard let command = book.command(name) else { return name.lowercased().contains("mail") }
      guard command["command_line"]?.text?.range(of: "$CONTACTEMAIL$") != nil else { return false }
      ledger.carry(command)
      return true
    }
  }

  // MARK: The end

  /// Channels and rules for the new file.
  func finish() {
    mail.finish(ledger, interval: "notification_interval")
    if !ledger.sections.channels.isEmpty { ledger.sections.quiet = periods.quiet(ledger) }
  }

  /// A contact that became a channel.
  func isUsed(_ contact: NagiosObject) -> Bool {
    mail.isUsed(contact.node["contact_name"]?.text ?? "")
  }
}
