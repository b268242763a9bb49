// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Why a member of a group does not notify of an incident, or not yet, in words; and what it leaves behind.
@Suite struct GroupHoldTests {
  private static let check = UniqueID(high: 0, low: 2)
  private static let id = UniqueID(high: 5, low: 1)
  private let names = IncidentNames(group: "g", checks: [Self.check])

  private func incident(isTold: Bool = false, isOver: Bool = false, _ check: UniqueID = Self.check)
    -> Incident
  {
    var incident = Incident(
      id: Self.id, subject: .availability, begin: after(0), opened: after(0), at: reading(0).boot)
    let trouble = Trouble(
      key: Trouble.Key(rule: "down", check: check), subject: .availability, severity: .high, name: "Shop",
      since: after(0))
    incident.take(trouble, at: reading(0))
    if isTold {
      var heard = Heard()
      heard.alerts[trouble.key] = .init(severity: .high, level: 1)
      incident.log["ops", default: .init()].deliver(heard, at: reading(1))
    }
    if isOver {
      incident.leave(trouble.key, at: reading(2), .recovered)
      incident.end = after(2)
    }
    return incident
  }

  private func held(
    _ incident: Incident, at second: Int64 = 100, unconfirmed: Bool = false,
    _ change: (inout AlertShare) -> Void
  ) -> String? {
    var book = AlertBook(quickSettings(), now: reading(0), generator: Counter())
    var share = AlertShare(writer: "a")
    (share.view.touch, share.view.world, share.view.revision, share.view.notifies) = (.fresh, 1, 20, true)
    change(&share)
    (book.share, book.incidents.names) = (share, names)
    book.unconfirmed = unconfirmed ? [Self.check] : []
    return book.grouped(NotifyContext(now: reading(second), settings: book.settings)).heldByGroup(incident)
  }

  @Test func outsideOfAGroup() {
    let book = AlertBook(quickSettings(), now: reading(0), generator: Counter())
    let context = book.grouped(NotifyContext(now: reading(1), settings: book.settings))
    #expect(context.heldByGroup(incident()) == nil && book.reportsHeld == nil)
    #expect(held(incident(UniqueID(high: 0, low: 9))) { $0.view.touch = .settling } == nil, "its own alone")
  }

  /// While it is being read; one that was kept out for two minutes ends what it told of alone.
  @Test func beforeTheStoreIsRead() {
    let words = "the group's store is being read"
    #expect(held(incident()) { $0.view.touch = .settling } == words)
    let over = incident(isTold: true, isOver: true)
    for (since, isHeld) in [(-19, true), (-20, false)] as [(Int64, Bool)] {
      func change(_ share: inout AlertShare) {
        (share.view.touch, share.outsideSince) = (.settling, reading(since).boot)
      }
      #expect(held(over, change) == (isHeld ? words : nil))
      #expect(held(incident(isTold: true), change) == words && held(incident(isOver: true), change) == words)
    }
  }

  /// Without the store each member tells of what it found itself.
  @Test func withoutTheStore() {
    func away(_ share: inout AlertShare) { share.view.touch = .away(.seconds(20)) }
    #expect(held(incident(), away) == "its checks are run by another member")
    #expect(
      held(incident()) { share in
        away(&share)
        share.delivered = [Self.id]
      } == nil)
    for isUnconfirmed in [true, false] {
      let words = held(incident(), unconfirmed: isUnconfirmed) { share in
        away(&share)
        share.own[Self.check] = SharedAlerts(by: "a")
      }
      #expect(words == (isUnconfirmed ? "this member has no result of its checks yet" : nil))
    }
  }

  /// Who notifies, of what the store has, or had ten seconds to take.
  @Test func withTheStore() {
    #expect(held(incident()) { $0.view.notifies = false } == "another member of the group notifies")
    #expect(held(incident()) { ($0.view.notifies, $0.view.notifier) = (false, "b") } == "b notifies")
    let differ = "the members' lists of checks differ; it is sent within 1m all the same"
    #expect(held(incident()) { ($0.view.notifies, $0.view.isDivided) = (false, true) } == differ)
    let mark = AlertShare.Mark(world: 1, changed: 12, isTold: true)
    #expect(held(incident()) { $0.marks[Self.id] = mark } == "it is over, and every channel knows")
    for (second, isHeld) in [(109, true), (110, false)] as [(Int64, Bool)] {
      let words = held(incident(), at: second) { $0.waiting[Self.id] = reading(100).boot }
      #expect(words == (isHeld ? "the group's store has not got it yet" : nil))
    }
    #expect(held(incident()) { _ in } == "the group's store has not got it yet")
    func there(_ share: inout AlertShare) {
      share.view.entries[Self.id] = ShareEntry(
        .incident(SharedIncident(incident(), by: "b")), changed: 12)
    }
    #expect(held(incident(), there) == nil)
    let words = "the members that run its checks have not confirmed it yet"
    func isMissing(_ share: inout AlertShare) {
      there(&share)
      share.missing[Self.check] = reading(90).boot
    }
    func isOfCopy(_ share: inout AlertShare) {
      there(&share)
      share.copyRevision = 15
      share.view.entries[Self.check] = ShareEntry(.alerts(SharedAlerts(by: "b")), changed: 15)
    }
    #expect(held(incident(), isMissing) == words && held(incident(), isOfCopy) == words)
    #expect(held(incident(isTold: true), isMissing) == nil && held(incident(isTold: true), isOfCopy) == nil)
  }

  /// Orders at one member of a group, and what they do not reach.
  @Test func limitsOfOrders() {
    var view = ShareView()
    let mute = OperatorWish.Kind.mute(target: .everything, length: .seconds(60))
    let window = OperatorWish.Kind.startMaintenance(target: .everything, length: .seconds(60), skip: false)
    let here = "of the group's checks only for those that run here: start it at each member"
    for (notifies, notifier, words) in [
      (true, "a", nil), (true, nil, nil), (false, "b", "b notifies for the group: mute it there"),
      // Its own task, which waits while the lists differ.
      (false, "a", nil), (false, nil, "another member notifies for the group: mute it there"),
    ] as [(Bool, String?, String?)] {
      (view.notifies, view.notifier) = (notifies, notifier)
      #expect(view.limit(of: mute, by: "a") == words && view.limit(of: window, by: "a") == here)
      #expect(view.limit(of: .unmute(id: "x"), by: "a") == nil)
    }
  }

  /// A report waits for the store, and for the member that sends it.
  @Test func reports() {
    var book = AlertBook(quickSettings(), now: reading(0), generator: Counter())
    book.incidents.names = names
    book.share = AlertShare(writer: "a")
    #expect(book.reportsHeld == "the group's store is being read")
    book.share?.view.touch = .away(.seconds(1))
    #expect(book.reportsHeld == "the group's store cannot be reached")
    book.share?.view.touch = .fresh
    #expect(book.reportsHeld == "another member of the group sends it")
    book.share?.view.notifies = true
    #expect(book.reportsHeld == nil)
    book.share?.view.notifies = false
    let context = book.informedOfReports(NotifyContext(now: reading(0), settings: book.settings))
    #expect(context.reportsHeld == "another member of the group sends it")
    book.incidents.names = nil
    #expect(book.reportsHeld == nil)
  }

  /// A store that cannot be asked is waited for since then; one in which another member was first is not.
  @Test func whatIsAbandoned() throws {
    let channel = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))
    let draft = try #require(Draft(incident(), channel, quickSettings()))
    let notification = Notification(
      id: UniqueID(high: 9, low: 9), channel: channel, kind: .opened, form: .incident, parts: [draft],
      recipients: nil, isPlain: false)
    for (answer, isWaiting) in [(ShareAnswer.unreachable, true), (.refused, false)] {
      var book = AlertBook(quickSettings(), now: reading(0), generator: Counter())
      book.share = AlertShare(writer: "a")
      book.notifier.states["ops"]?.sending = notification.id
      book.abandon(notification, answer, now: reading(5))
      #expect(book.notifier.states["ops"]?.isBusy == false)
      #expect(book.share?.waiting == (isWaiting ? [Self.id: reading(5).boot] : [:]))
      let waited = [14, 15].map { book.hasWaited(notification, now: reading($0)) }
      #expect(waited == [false, isWaiting])
      book.abandon(notification, answer, now: reading(9))
      #expect(book.share?.waiting == (isWaiting ? [Self.id: reading(5).boot] : [:]))
    }
  }

  /// The member that ran a check died, and the check is in no list any more: its alert holds for two minutes.
  @Test func aCheckThatIsInNoList() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 2, [shop])
    world.give(shop, to: 1)
    world.pass(1)
    world.fail(shop, by: 1)
    world.pass(40)
    let down = "0 opened Shop is down: refused"
    #expect(world.heard == [down])
    world.kill(1)
    world.remove(shop)
    world.pass(119)
    #expect(world.incidents(0).map(\.activeCount) == [1] && world.heard == [down])
    world.pass(2)
    #expect(world.incidents(0).map(\.activeCount) == [0])
    world.pass(60)
    let over = "0 recovered Shop is not monitored any more: removed from the configuration"
    #expect(world.heard == [down, over] && world.store.isEmpty)
  }
}
