// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Groups

/// A member whose store says what the fuzzer wants, line by line: answers to what it asked, changes of its watch, time.
struct StoredLife {
  private var member: GroupMember
  private var now = ClockReading(boot: Instant(nanoseconds: 0), wall: Timestamp(seconds: 1_767_225_600))
  private var asked: [(number: Int, request: StoreRequest)] = []
  private var watch = 0
  private var jobs: [PlacementJob] = []

  init(seed: UInt8) {
    var card = MemberCard()
    card.boot = UniqueID(high: 1, low: UInt64(seed & 1))
    card.home = UniqueID(high: 2, low: UInt64(seed & 2))
    var settings = GroupMember.Settings(name: "a", ttl: .seconds(5))
    // Every other one works out aside who has what.
    if seed & 4 > 0 { settings.atOnce = 0 }
    member = GroupMember(settings, card: card, at: now)
    let checks = (0..<8).map {
      Placement.GroupCheck(UniqueID(high: $0, low: $0 &* 77), $0 < 4 ? .api : .file)
    }
    handle(.checks(checks))
  }

  /// A line's first byte says whom it is for: the oldest question, the watch, or the clock.
  mutating func live(_ bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(200) {
      let rest = Array(line.dropFirst())
      switch line.first {
      case UInt8(ascii: "w"):
        switch WatchLine(rest) {
        case .changes(_, let events, _): handle(.changes(watch: watch, store.changes(events)))
        case .begun: handle(.changes(watch: watch, []))
        case .ended(_, let end): handle(.watchEnded(watch, end))
        case .refused(let trouble), .broken(let trouble): handle(.watchEnded(watch, .trouble(trouble)))
        }
      case UInt8(ascii: "t"):
        let span = Duration.milliseconds(Int64(rest.first ?? 0) * 100)
        now = ClockReading(boot: now.boot + span, wall: now.wall.advanced(by: span))
        handle(.tick)
      case UInt8(ascii: "l"): handle(.leave)
      case UInt8(ascii: "j"):
        guard !jobs.isEmpty else { continue }
        var job = jobs.removeFirst()
        job.run()
        act(on: member.finish(job, at: now))
      case UInt8(ascii: "c"):
        let count = UInt64(rest.first ?? 0) % 12
        handle(.checks((0..<count).map { Placement.GroupCheck(UniqueID(high: $0, low: $0 &* 77), .api) }))
      case UInt8(ascii: "p"):
        let pool = rest.isEmpty ? "" : "x"
        handle(.pools(MemberCard.Pools(api: pool, file: "")))
      default: answer(rest)
      }
      look()
    }
  }

  private mutating func answer(_ bytes: [UInt8]) {
    guard !asked.isEmpty else { return handle(.tick) }
    let (number, request) = asked.removeFirst()
    guard let json = try? JSONValue.parse(bytes, maxDepth: StoreBounds.depth) else {
      return handle(.answer(number, .trouble(StoreTrouble(.garbled, "no JSON"))))
    }
    let answer =
      switch request {
      case .grant: store.granted(json)
      case .claim: store.claimed(json)
      case .read: store.reading(json)
      case .keepAlive(_, let known):
        store.renewed(json) ?? json["result"].flatMap { StoreMark($0) }
          .flatMap { known?.isIdle($0) == true ? .idle($0) : nil } ?? store.audited(json)
      case .put: store.putDone(json)
      case .revoke: StoreAnswer.revoked
      }
    handle(.answer(number, answer))
  }

  private mutating func handle(_ event: GroupMember.Event) {
    act(on: member.handle(event, at: now))
  }

  private mutating func act(on actions: [GroupMember.Action]) {
    if let job = member.takeJob() { jobs.append(job) }
    for action in actions {
      switch action {
      case .ask(let number, let request): asked.append((number, request))
      case .watch(let number, _): watch = number
      default: break
      }
    }
  }

  /// What is its own it runs, and of the others' it knows whose they are.
  private func look() {
    let assignment = member.assignment
    precondition(assignment.revisions.count <= 12 && member.journal.entries.count <= GroupJournal.most)
    guard let own = member.placement.place("a") else { return }
    for (position, check) in member.placement.checks.enumerated()
    where assignment.revisions[check.id] == nil {
      precondition(member.placement.ownerPlace(position) != own)
      precondition(member.placement.ownerPlace(position) >= 0)
    }
  }
}
