// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Orders by hand: mutes, maintenance windows, and their authors. A pure machine; it ends them by itself when their
/// time is over.
package struct HandBook: Hashable, Sendable {
  package struct Order: Hashable, Sendable {
    package let id: UniqueID
    package var target: OperatorTarget
    /// Checks that the target named when the order was given: it stays theirs when they get another name.
    package var checks: Set<UniqueID> = []
    package var from: Timestamp
    package var until: Timestamp
    package var why: String?
    package var by: String?
    /// Of a window: do not probe meanwhile.
    package var skip = false

    package init(
      id: UniqueID, target: OperatorTarget, from: Timestamp, until: Timestamp, why: String? = nil,
      by: String? = nil, skip: Bool = false, checks: Set<UniqueID> = []
    ) {
      (self.id, self.target, self.from, self.until) = (id, target, from, until)
      (self.why, self.by, self.skip, self.checks) = (why, by, skip, checks)
    }
  }

  /// One line of the audit log.
  package struct Entry: Hashable, Sendable {
    package var at: Timestamp
    /// Such as `mute`, `maintenance start`, `ack`.
    package var act: String
    package var subject: String
    package var until: Timestamp?
    package var by: String?
    package var why: String?
  }

  package internal(set) var mutes: [Order] = []
  package internal(set) var windows: [Order] = []
  /// Oldest first.
  package internal(set) var audit: [Entry] = []

  /// Mutes, and windows.
  package static let limit = 200
  /// Lines of the audit log.
  package static let kept = 1000

  /// Both clocks as of the last look.
  private var clock: ClockReading?
  /// Smaller corrections of the wall clock are no step.
  private static let step: Duration = .seconds(1)

  package init() {}

  package var isEmpty: Bool { mutes.isEmpty && windows.isEmpty && audit.isEmpty }

  /// - Parameter names: of the checks, with their tags: any other name is a typing error.
  package mutating func take(
    _ wish: OperatorWish, now: Timestamp, names: OperatorNames,
    using generator: inout some RandomNumberGenerator
  ) -> OperatorAnswer {
    switch wish.kind {
    // The incidents' own business; here it is only written down.
    case .acknowledge(let incident):
      noteAcknowledged(incident, by: wish.by, why: wish.why, now: now)
      return .done("incident \(incident) is acknowledged: no more reminders")
    case .mute(let target, let length):
      if let problem = problem(target, length, mutes, names) { return problem }
      let order = order(wish, target, length, now, names, &generator)
      mutes.append(order)
      return .done("\(target.text) is muted until \(order.end) (id \(order.short))")
    case .startMaintenance(let target, let length, let skip):
      if let problem = problem(target, length, windows, names) { return problem }
      var order = order(wish, target, length, now, names, &generator)
      order.skip = skip
      windows.append(order)
      return .done("maintenance of \(target.text) until \(order.end) (id \(order.short))")
    case .unmute(let id): return end(id, \.mutes, "unmute", "mute", wish, now)
    case .endMaintenance(let id): return end(id, \.windows, "maintenance end", "maintenance", wish, now)
    }
  }

  /// An acknowledgement that the incident has already.
  package mutating func noteAcknowledged(_ incident: String, by: String?, why: String?, now: Timestamp) {
    write(Entry(at: now, act: "ack", subject: incident, by: by, why: why))
  }

  private func problem(
    _ target: OperatorTarget, _ length: Duration, _ orders: [Order], _ names: OperatorNames
  ) -> OperatorAnswer? {
    guard OperatorWish.length.contains(length) else {
      return .refused("the time must be \(OperatorWish.length.lowerBound.text) to 30d, found \(length.text)")
    }
    guard orders.count < Self.limit else {
      return .refused("\(Self.limit) are active already: end some")
    }
    return names.problem(target)
  }

  private mutating func order(
    _ wish: OperatorWish, _ target: OperatorTarget, _ length: Duration, _ now: Timestamp,
    _ names: OperatorNames, _ generator: inout some RandomNumberGenerator
  ) -> Order {
    let order = Order(
      id: .v7(at: now, using: &generator), target: target, from: now, until: now.advanced(by: length),
      why: wish.why, by: wish.by, checks: names.checks(target))
    let act = if case .mute = wish.kind { "mute" } else { "maintenance start" }
    write(Entry(at: now, act: act, subject: target.text, until: order.until, by: wish.by, why: wish.why))
    return order
  }

  /// By the id or the last letters of it, or by its target.
  private mutating func end(
    _ word: String, _ list: WritableKeyPath<HandBook, [Order]>, _ act: String, _ what: String,
    _ wish: OperatorWish, _ now: Timestamp
  ) -> OperatorAnswer {
    let wanted = word.lowercased()
    let found = self[keyPath: list].filter { order in
      order.target.text == word || (wanted.utf8.count >= 4 && order.id.description.hasSuffix(wanted))
    }
    guard !found.isEmpty else {
      return .notFound(
        "no \(what) is called \(quoted(word))",
        hint: self[keyPath: list].isEmpty
          ? "none is active"
          : "active: \(self[keyPath: list].prefix(5).map { "\($0.short) (\($0.target.text))" }.joined(separator: ", "))"
      )
    }
    guard found.count == 1 || found.allSatisfy({ $0.target == found[0].target }) else {
      return .refused(
        "\(quoted(word)) means several: \(found.prefix(5).map(\.short).joined(separator: ", "))")
    }
    let ids = Set(found.map(\.id))
    self[keyPath: list].removeAll { ids.contains($0.id) }
    write(Entry(at: now, act: act, subject: found[0].target.text, by: wish.by, why: wish.why))
    return .done("\(what) of \(found[0].target.text) has ended")
  }

  /// Keeps what is left of each order when the wall clock is set: an order lasts for its length, whatever the clock shows.
  ///
  /// - Returns: whether an order has other times now.
  package mutating func follow(_ now: ClockReading) -> Bool {
    let known = clock
    clock = now
    guard let known, !mutes.isEmpty || !windows.isEmpty else { return false }
    let step = known.wall.advanced(by: known.boot.duration(to: now.boot)).duration(to: now.wall)
    guard step >= Self.step || step <= .zero - Self.step else { return false }
    for place in mutes.indices { mutes[place].move(by: step) }
    for place in windows.indices { windows[place].move(by: step) }
    return true
  }

  /// The same as of now.
  package func following(_ now: ClockReading) -> HandBook {
    var book = self
    _ = book.follow(now)
    return book
  }

  /// Gives orders for a check that was renamed its new name.
  ///
  /// - Parameter name: of a check, as it is configured; `nil` when it is not.
  /// - Returns: whether an order has another name now.
  package mutating func follow(_ name: (UniqueID) -> String?) -> Bool {
    var isRenamed = false
    for place in mutes.indices where mutes[place].follow(name) { isRenamed = true }
    for place in windows.indices where windows[place].follow(name) { isRenamed = true }
    return isRenamed
  }

  /// As time passes; true: something ended.
  package mutating func advance(to now: Timestamp) -> Bool {
    var ended: [Entry] = []
    for order in mutes where order.until <= now {
      ended.append(Entry(at: order.until, act: "mute over", subject: order.target.text))
    }
    for order in windows where order.until <= now {
      ended.append(Entry(at: order.until, act: "maintenance over", subject: order.target.text))
    }
    guard !ended.isEmpty else { return false }
    mutes.removeAll { $0.until <= now }
    windows.removeAll { $0.until <= now }
    for entry in ended { write(entry) }
    return true
  }

  private mutating func write(_ entry: Entry) {
    audit.append(entry)
    if audit.count > Self.kept { audit.removeFirst(audit.count - Self.kept) }
  }

  /// Until when a check is muted; `nil` when it is not.
  package func mutedUntil(_ check: MonitoringCheck, at now: Timestamp) -> Timestamp? {
    mutes.filter { $0.until > now && $0.from <= now && $0.selection.contains(check) }.map(\.until).max()
  }
}

extension HandBook.Order {
  fileprivate mutating func move(by step: Duration) {
    (from, until) = (from.advanced(by: step), until.advanced(by: step))
  }

  /// The checks that it is for, under each name that they have.
  var selection: MaintenanceSelection {
    var selection = target.selection
    selection.checks.formUnion(checks.map { ByteText($0.description) })
    return selection
  }

  fileprivate mutating func follow(_ name: (UniqueID) -> String?) -> Bool {
    guard case .check(let known) = target, UniqueID(known) == nil else { return false }
    let names = checks.sorted().compactMap(name)
    guard let first = names.first, !names.contains(where: { ByteText($0) == ByteText(known) }) else {
      return false
    }
    target = .check(first)
    return true
  }

  /// The last letters of its id: enough to tell it from the others.
  package var short: String { String(id.description.suffix(6)) }

  /// When it ends, for people.
  fileprivate var end: String { StatusFormat.moment(until) + "Z" }

  /// As a window of maintenance.
  package var window: MaintenanceWindow {
    MaintenanceWindow(
      id: id, name: why ?? "by hand", selection: selection, from: from, until: until, skip: skip)
  }
}

/// The names that an operator can mean.
package struct OperatorNames: Sendable {
  private var names: [ByteText: Set<UniqueID>] = [:]
  private var ids: Set<UniqueID> = []
  private var tags: Set<ByteText> = []

  package init(_ checks: [MonitoringCheck]) {
    for check in checks {
      names[ByteText(check.name), default: []].insert(check.id)
      ids.insert(check.id)
      for tag in check.plan.tags { tags.insert(ByteText(tag)) }
    }
  }

  /// Checks of that name; none for a tag, all checks, or an id.
  func checks(_ target: OperatorTarget) -> Set<UniqueID> {
    guard case .check(let name) = target else { return [] }
    return names[ByteText(name)] ?? []
  }

  /// - Returns: nil where a check has the name.
  func problem(_ target: OperatorTarget) -> OperatorAnswer? {
    switch target {
    case .everything: return nil
    case .check(let name):
      if names[ByteText(name)] != nil || UniqueID(name).map(ids.contains) ?? false { return nil }
      return .notFound(
        "no check is called \(quoted(name))", hint: "a name, an id, tag: and a tag, or all")
    case .tag(let tag):
      if tags.contains(ByteText(tag)) { return nil }
      return .notFound("no check has the tag \(quoted(tag))", hint: nil)
    }
  }
}
