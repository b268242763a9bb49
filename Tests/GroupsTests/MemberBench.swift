// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Groups

/// One member `a`, whose store answers what the test says, when it says so.
struct MemberBench {
  enum Kind: Hashable { case grant, claim, read, keepAlive, put, revoke }

  /// Milliseconds of both clocks.
  var now = 1_000_000
  var member: GroupMember
  /// Of the last event.
  private(set) var actions: [GroupMember.Action] = []
  /// The newest request of each kind that has not been answered.
  private(set) var open: [Kind: Int] = [:]
  private(set) var requests: [StoreRequest] = []

  /// - Parameter ttl: of the lease, seconds.
  init(ttl: Int = 10, checks: Int = 0, memory: GroupMemory? = nil, isReturning: Bool = false) {
    var card = MemberCard()
    (card.boot, card.home) = (UniqueID(high: 1, low: 1), UniqueID(high: 2, low: 1))
    member = GroupMember(
      .init(name: "a", ttl: .seconds(ttl), isReturning: isReturning), card: card, at: Self.reading(now))
    if let memory { member.recall(memory) }
    handle(.checks(PlacementTests.checks(checks)))
  }

  static func reading(_ milliseconds: Int) -> ClockReading {
    ClockReading(
      boot: Instant(nanoseconds: Int64(milliseconds) * 1_000_000),
      wall: Timestamp(milliseconds: Int64(milliseconds)))
  }

  var reading: ClockReading { Self.reading(now) }
  var boot: Instant { reading.boot }

  /// Since now, of an instant of the member's.
  func wait(_ instant: Instant?) -> Duration? { instant.map { boot.duration(to: $0) } }

  mutating func handle(_ event: GroupMember.Event) {
    actions = member.handle(event, at: reading)
    requests = []
    for case .ask(let number, let request) in actions {
      requests.append(request)
      open[Self.kind(request)] = number
    }
  }

  private static func kind(_ request: StoreRequest) -> Kind {
    switch request {
    case .grant: .grant
    case .claim: .claim
    case .read: .read
    case .keepAlive: .keepAlive
    case .put: .put
    case .revoke: .revoke
    }
  }

  mutating func tick(at milliseconds: Int) {
    now = milliseconds
    handle(.tick)
  }

  mutating func answer(_ kind: Kind, _ answer: StoreAnswer) {
    guard let number = open.removeValue(forKey: kind) else {
      Issue.record("\(kind) was not asked for")
      return
    }
    handle(.answer(number, answer))
  }

  static let late = StoreAnswer.trouble(StoreTrouble(.unreachable, "no answer"))

  static func other(_ number: Int, weight: Int = 1, applied: Int64 = 1) -> MemberCard {
    var card = MemberCard()
    (card.boot, card.home) = (
      UniqueID(high: 3, low: UInt64(number)), UniqueID(high: 4, low: UInt64(number))
    )
    (card.weight, card.applied) = (weight, applied)
    return card
  }

  /// This member and so many others.
  func view(_ others: Int, revision: Int64) -> StoreReading {
    var entries = [StoreReading.Entry(name: "a", card: member.card, revision: revision)]
    for number in 0..<others {
      entries.append(.init(name: "m\(number)", card: Self.other(number), revision: revision))
    }
    return StoreReading(cluster: 7, revision: revision, members: entries)
  }

  /// Up to the reading of the group, which is asked for.
  mutating func claim() {
    answer(.grant, .granted(lease: 4))
    answer(.claim, .claimed(revision: 9))
  }

  /// In the group at revision 10, and all that it asked is answered.
  mutating func join(others: Int = 1) {
    claim()
    answer(.read, .read(view(others, revision: 10)))
    if open[.put] != nil { answer(.put, .put(revision: 10)) }
    answer(.keepAlive, .alive(StoreAudit(cluster: 7, revision: 10, members: others + 1, newest: 10)))
    if open[.put] != nil { answer(.put, .put(revision: 10)) }
  }

  var watches: Bool { actions.contains { if case .watch = $0 { true } else { false } } }
}
