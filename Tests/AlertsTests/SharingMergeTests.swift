// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Two members' records of one incident become one.
@Suite struct SharingMergeTests {
  private let key = Trouble.Key(rule: "down", check: UniqueID(high: 1, low: 2))

  private func incident() -> Incident {
    Incident(
      id: UniqueID(high: 7, low: 1), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
  }

  private func record(deliveries: Int64, last second: Int64, isOver: Bool = false) -> NotificationRecord {
    var record = NotificationRecord()
    for number in 0..<deliveries {
      var heard = Heard()
      heard.isOver = isOver && number == deliveries - 1
      record.deliver(heard, at: reading(second))
    }
    return record
  }

  /// The clock of the member that delivered last is a minute behind.
  @Test func moreDeliveriesAreNewerWhateverTheClocksSay() {
    var (one, other) = (incident(), incident())
    one.log["ops"] = record(deliveries: 2, last: 10)
    other.log["ops"] = record(deliveries: 1, last: 70)
    let (newer, older) = (one, other)
    one.merge(older)
    #expect(one == newer)
    other.merge(newer)
    #expect(other.log["ops"] == newer.log["ops"])
  }

  /// Two people acknowledge on two members whose clocks are apart: what each of them saw is acknowledged, whichever is merged
  /// into the other, and the later name is shown.
  @Test(arguments: [-600, 600] as [Int64]) func acknowledgementsCoverWhatEitherSaw(apart: Int64) {
    func trouble(_ number: UInt64, _ severity: AlertSeverity) -> Trouble {
      Trouble(
        key: Trouble.Key(rule: "down", check: UniqueID(high: 1, low: number)), subject: .availability,
        severity: severity,
        name: "c\(number)", since: after(0))
    }
    var (one, other) = (incident(), incident())
    one.take(trouble(1, .high), at: reading(0))
    one.take(trouble(2, .medium), at: reading(0))
    one.acknowledge(by: "ann", note: nil, at: after(10))
    other.take(trouble(2, .critical), at: reading(0))
    other.take(trouble(3, .high), at: reading(0))
    other.acknowledge(by: "bob", note: "mine", at: after(20 + apart))
    var (left, right) = (one, other)
    left.merge(other)
    right.merge(one)
    #expect(left.acknowledged == right.acknowledged)
    #expect(left.acknowledged?.by == (apart > 0 ? "bob" : "ann"))
    #expect(left.isAcknowledged(trouble(1, .high)) && left.isAcknowledged(trouble(3, .high)))
    #expect(left.isAcknowledged(trouble(2, .critical)) && !left.isAcknowledged(trouble(1, .critical)))
  }

  /// What a channel has heard to be over is not opened there again.
  @Test(arguments: [true, false]) func anEndThatWasHeardIsOne(isHeard: Bool) {
    var (open, over) = (incident(), incident())
    open.log["ops"] = record(deliveries: 1, last: 10)
    over.log["ops"] = record(deliveries: 2, last: 60, isOver: isHeard)
    over.end = after(50)
    open.merge(over)
    #expect(open.end == (isHeard ? after(50) : nil))
  }

  /// Times in the store are of milliseconds, in memory of microseconds: the same entry is not written again.
  @Test func asItIsKeptItSaysTheSame() throws {
    let check = try #require(key.check)
    var mine = SharedAlerts(by: "a")
    mine.ended[key] = .init(at: after(5).advanced(by: .microseconds(7)), end: .recovered, note: nil)
    guard case .alerts(let stored)? = SharedValue(json: mine.json, at: check, now: reading(6)) else {
      Issue.record("it cannot be read back")
      return
    }
    #expect(mine.says(stored) && stored.says(mine))
    mine.ended[key]?.end = .removed
    #expect(!mine.says(stored))
  }

  /// A watch that died tells of no entry: an alert is over by absence only after the entries were read.
  @Test(arguments: [(nil, true), (10, false), (90, true)] as [(Int64?, Bool)])
  func absenceCountsOnceTheStoreWasRead(readAt: Int64?, isOver: Bool) throws {
    let shop = try makeCheck("Shop")
    var book = AlertBook(makeSettings(), now: reading(0), generator: Counter())
    let names = IncidentNames(group: "london", checks: [shop.id])
    book.apply([], DependencyGraph(), names: names, now: reading(0))
    var alerts = SharedAlerts(by: "b")
    var trouble = Trouble(
      key: Trouble.Key(rule: "down", check: shop.id), subject: .availability, severity: .high, name: "Shop",
      since: after(0))
    trouble.state = .down
    alerts.firing[trouble.key] = trouble
    func view(_ entries: [UniqueID: ShareEntry], readAt: Int64?) -> ShareView {
      var view = ShareView()
      (view.touch, view.world, view.revision, view.notifies) = (.fresh, 1, 10, true)
      (view.entries, view.readAt) = (entries, readAt.map { reading($0).boot })
      return view
    }
    let entry = ShareEntry(.alerts(alerts), changed: 5)
    book.follow(view([shop.id: entry], readAt: 0), writer: "a", now: reading(1)) { _ in .elsewhere }
    #expect(book.incidents.opened.map(\.activeCount) == [1])
    for second in [Int64(20), 60, 100] {
      book.follow(view([:], readAt: second < 100 ? 10 : readAt), writer: "a", now: reading(second)) { _ in
        .elsewhere
      }
    }
    #expect(book.incidents.opened.map(\.activeCount) == [isOver ? 0 : 1])
  }
}
