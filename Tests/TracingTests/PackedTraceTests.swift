// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Tracing

/// What a trace in few bytes can hold: both sides of each limit, written and read.
@Suite struct PackedTraceTests {
  private let begin = Timestamp(seconds: 1_767_492_000)

  private func trace(_ change: (inout RouteTrace) -> Void = { _ in }) -> RouteTrace {
    var trace = RouteTrace(
      host: "h", target: SocketAddress(.v4(9), port: 443), startedAt: begin, method: .tcp, why: "w", flows: 1,
      end: .silent(after: 0))
    change(&trace)
    return trace
  }

  private func hop(_ change: (inout TraceAnswer) -> Void) -> TraceHop {
    var answer = TraceAnswer(
      address: .v4(1), received: 1, best: .milliseconds(1), average: .milliseconds(2),
      worst: .milliseconds(3),
      flows: [0])
    change(&answer)
    return TraceHop(ttl: 1, sent: 1, answers: [answer])
  }

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  /// Each text has its own limit.
  @Test func textsAreCut() throws {
    func cut(_ change: (inout RouteTrace) -> Void) throws -> RouteTrace {
      try #require(PackedTrace(trace(change)).trace)
    }
    #expect(try cut { $0.host = text(100) }.host == text(100))
    #expect(try cut { $0.host = text(101) }.host.utf8.count <= 100)
    #expect(try cut { $0.why = text(240) }.why == text(240))
    #expect(try cut { $0.why = text(241) }.why.utf8.count <= 240)
    let ends: [(Int, (String) -> TraceEnd)] = [
      (60, { .reached($0) }), (80, { .refused(by: .v4(1), ttl: 1, says: $0) }), (120, { .fault($0) }),
    ]
    for (limit, end) in ends {
      #expect(try cut { $0.end = end(text(limit)) }.end == end(text(limit)), "\(limit)")
      #expect(try cut { $0.end = end(text(limit + 1)) }.end != end(text(limit + 1)), "\(limit)")
    }
    func answer(_ change: (inout TraceAnswer) -> Void) throws -> TraceAnswer {
      try #require(try cut { $0.hops = [hop(change)] }.hops.first?.answers.first)
    }
    #expect(try answer { $0.name = text(60) }.name == text(60))
    #expect(try (answer { $0.name = text(61) }.name ?? text(61)).utf8.count <= 60)
    #expect(try answer { $0.network = text(40) }.network == text(40))
    #expect(try (answer { $0.network = text(41) }.network ?? text(41)).utf8.count <= 40)
    #expect(try answer { $0.says = text(40) }.says == text(40))
    #expect(try (answer { $0.says = text(41) }.says ?? text(41)).utf8.count <= 40)
  }

  /// Lists are cut to what fits: narrowings, labels, and flows by their number.
  @Test func listsAreCut() throws {
    let full = trace {
      $0.target = SocketAddress(
        .v6(high: 0xfe80 << 48, low: 1), port: 65_535, scope: .max, source: .v6(high: 0xfe80 << 48, low: 2))
      $0.narrowings = (1...4).map { TraceNarrowing(ttl: $0, by: .v4(1), mtu: 1500 - $0, isSilent: $0 == 2) }
      $0.hops = [
        hop {
          $0.labels = (1...4).map { MPLSLabel(label: 1 << 20 - $0, ttl: 255) }
          $0.flows = Array(0..<8)
        }
      ]
    }
    let back = try #require(PackedTrace(full).trace)
    #expect(back == full)
    #expect(back.target.source == .v6(high: 0xfe80 << 48, low: 2) && back.target.scope == .max)
    var more = full
    more.narrowings.append(TraceNarrowing(ttl: 5, by: nil, mtu: 1))
    more.hops[0].answers[0].labels.append(MPLSLabel(label: 1, ttl: 1))
    more.hops[0].answers[0].flows += [8, 64]
    #expect(PackedTrace(more).trace == full)
  }

  /// Numbers beyond their range are taken to it; beyond what the format has they are none.
  @Test func numbersAreBounded() throws {
    let most = trace {
      $0.end = .loop(from: 255)
      $0.hops = [
        hop {
          ($0.received, $0.worst, $0.replyTTL) = (100_000, .seconds(86_400), 255)
          $0.labels = [MPLSLabel(label: 1 << 20, ttl: 255)]
        }
      ]
    }
    #expect(PackedTrace(most).trace == most)
    var beyond = most
    beyond.end = .loop(from: 256)
    beyond.hops[0].answers[0].received = 100_001
    beyond.hops[0].answers[0].labels = [MPLSLabel(label: 1 << 20 + 1, ttl: 256)]
    beyond.hops[0].answers[0].best = .milliseconds(-1)
    var taken = most
    taken.hops[0].answers[0].best = .zero
    #expect(PackedTrace(beyond).trace == taken)
    beyond.hops[0].answers[0].worst += .microseconds(1)
    #expect(PackedTrace(beyond).trace == nil)
    for (end, taken) in [
      (TraceEnd.silent(after: 256), TraceEnd.silent(after: 255)),
      (.refused(by: nil, ttl: 256, says: "x"), .refused(by: nil, ttl: 255, says: "x")),
      (.refused(by: nil, ttl: -1, says: "x"), .refused(by: nil, ttl: 0, says: "x")),
    ] as [(TraceEnd, TraceEnd)] {
      #expect(PackedTrace(trace { $0.end = end }).trace?.end == taken)
    }
    // The largest size, and the year 9999.
    #expect(PackedTrace(trace { $0.mtu = 1 << 32 }).trace?.mtu == 1 << 32)
    let beyondSize = try #require(PackedTrace(trace { $0.mtu = 1 << 32 + 1 }).trace)
    #expect(beyondSize.mtu == nil)
    let last = Timestamp(microseconds: 253_402_300_799_000_000)
    #expect(PackedTrace(trace { $0.startedAt = last }).trace?.startedAt == last)
    let later = last.advanced(by: .microseconds(1))
    #expect(PackedTrace(trace { $0.startedAt = later }).trace == nil)
    #expect(PackedTrace(trace { $0.startedAt = Timestamp(microseconds: -1) }).trace == nil)
  }

  /// With a number one beyond its limit the bytes are none that were written here.
  @Test func numbersThatAreRead() throws {
    func varint(_ value: UInt64) -> [UInt8] {
      var writer = ByteWriter()
      writer.unsigned(value)
      return writer.bytes
    }
    let rows: [(UInt64, RouteTrace)] = [
      (255, trace { $0.flows = 255 }), (255, trace { $0.end = .silent(after: 255) }),
      (100_000, trace { $0.hops = [TraceHop(ttl: 1, sent: 100_000)] }),
      (100_000, trace { $0.hops = [hop { $0.received = 100_000 }] }),
      (65_535, trace { $0.target.port = 65_535 }),
      (1 << 20, trace { $0.hops = [hop { $0.labels = [MPLSLabel(label: 1 << 20, ttl: 1)] }] }),
    ]
    for (limit, trace) in rows {
      let bytes = PackedTrace(trace).bytes
      let (old, new) = (varint(limit), varint(limit + 1))
      let places = bytes.indices.filter { bytes[$0...].starts(with: old) }
      try #require(places.count == 1 && old.count == new.count, "\(limit)")
      var changed = bytes
      changed.replaceSubrange(places[0]..<places[0] + old.count, with: new)
      #expect((try? PackedTrace(read: changed)) == nil, "\(limit)")
      #expect(try PackedTrace(read: bytes).trace == trace)
    }
  }

  /// What does not fit is left out, the least telling first: names of balanced routers before the first one's.
  @Test func whatIsLeftOut() throws {
    var wide = trace()
    wide.hops = (1...4).map { ttl in
      let answers = (0..<4).map { place in
        TraceAnswer(
          address: .v4(UInt32(ttl * 10 + place)), received: 1, best: .zero, average: .zero, worst: .zero,
          flows: [place], name: text(50), network: text(35))
      }
      return TraceHop(ttl: ttl, sent: 4, answers: answers)
    }
    func packed(_ limit: Int) throws -> [TraceHop] {
      try #require(PackedTrace(wide, limit: limit).trace).hops
    }
    #expect(try packed(8192) == wide.hops)
    let first = try packed(1024)
    #expect(first.allSatisfy { $0.answers.map { $0.name != nil } == [true, false, false, false] })
    #expect(first.allSatisfy { $0.answers[0].name == text(50) && $0.answers[0].network == text(35) })
    let size = PackedTrace(wide, limit: 1024).bytes.count
    #expect(PackedTrace(wide, limit: size).bytes.count == size)
    let shorter = try packed(size - 1)
    #expect(shorter.allSatisfy { ($0.answers[0].name ?? "").utf8.count <= 30 && $0.answers.count == 4 })
    // The smallest there is: four hops, one address each.
    let least = try packed(1)
    #expect(least.map(\.ttl) == [1, 2, 3, 4] && least.allSatisfy { $0.answers.count == 1 })
    #expect(least.allSatisfy { $0.answers[0].name == nil && $0.answers[0].network == nil })
    #expect(PackedTrace.limit == 1024 && PackedTrace.shownLimit == 2048)
  }
}

/// Traces that are kept: causes, ages and changes.
@Suite struct KeptTracesBoundsTests {
  private let begin = Timestamp(seconds: 1_767_492_000)
  private let check = UniqueID(high: 3, low: 4)
  private let good = Way(Way.whole(2), .reached("accepted")).trace
  private let broken = Way(Way.routers(1), .silent(after: 1), isLater: true).trace

  /// Each cause comes back from the file.
  @Test func causesComeBack() throws {
    let usual = TraceUsual(count: 120, p99: .microseconds(100_001))
    for cause in [
      TraceCause.failure(.connectTimeout), .good, .slow(took: .microseconds(301_002), usual: usual),
    ] {
      var kept = KeptTraces()
      kept.keep(broken, of: check, cause, begin: begin)
      #expect(kept.isDirty)
      let bytes = kept.encoded()
      let latest = try #require(KeptTraces(bytes)?.view(of: check, target: nil).latest)
      #expect(latest.cause == cause && latest.begin == begin && latest.before == nil)
      #expect(latest.trace == broken && latest.comparison == TraceComparison(broken, good: nil))
    }
  }

  /// A target without a trace for 45 days is removed, and with it that there is something to write.
  @Test func whatIsOldIsRemoved() {
    let limit = good.startedAt.advanced(by: .seconds(45 * 86_400))
    for (microseconds, isThere) in [(-1, true), (0, false)] as [(Int64, Bool)] {
      var kept = KeptTraces()
      kept.keep(good: good)
      let (first, second) = (kept.takeChanges(), kept.takeChanges())
      #expect(first != nil && second == nil)
      kept.keep([], now: limit.advanced(by: .microseconds(microseconds)))
      #expect((kept.lastGood(good.target) != nil) == isThere && kept.isDirty == !isThere)
      let changes = kept.takeChanges()
      #expect((changes == nil) == isThere)
    }
    // A check that is gone.
    var kept = KeptTraces()
    kept.keep(broken, of: check, .good, begin: begin)
    _ = kept.takeChanges()
    kept.keep([check], now: begin)
    #expect(!kept.isDirty && kept.counts.checks == 1)
    kept.keep([], now: begin)
    #expect(kept.isDirty && kept.counts.checks == 0)
  }

  private func counts(_ kept: KeptTraces) -> [Int] {
    [kept.counts.targets, kept.counts.checks, kept.counts.bytes]
  }

  /// Bytes are counted of targets and of checks; what is shared has the other's trace and its own cause.
  @Test func countsAndShares() throws {
    var kept = KeptTraces()
    #expect(counts(kept) == [0, 0, 0])
    kept.keep(good: good)
    let size = PackedTrace(good).bytes.count
    #expect(counts(kept) == [1, 0, size])
    kept.keep(broken, of: check, .failure(.connectTimeout), begin: begin)
    let more = PackedTrace(broken).bytes.count
    #expect(counts(kept) == [1, 1, size + more])
    let other = UniqueID(high: 3, low: 5)
    kept.share(other, with: check, .good, begin: begin)
    #expect(kept.view(of: check, target: nil).latest?.cause == .failure(.connectTimeout))
    _ = kept.takeChanges()
    kept.share(check, with: other, .failure(.connectRefused), begin: begin.advanced(by: .seconds(9)))
    let shared = try #require(kept.view(of: other, target: nil).latest)
    #expect(kept.isDirty && shared.trace == broken && shared.before == good)
    #expect(shared.cause == .failure(.connectRefused) && shared.begin == begin.advanced(by: .seconds(9)))
    // The present target's good trace is shown, else the one that was compared with.
    let moved = SocketAddress(.v4(1), port: 443)
    #expect(
      kept.view(of: check, target: moved).good == good && kept.view(of: other, target: nil).good == good)
    var newer = good
    newer.startedAt = begin.advanced(by: .seconds(99))
    kept.keep(good: newer)
    #expect(kept.view(of: check, target: good.target).good == newer)
    #expect(kept.view(of: check, target: nil).good == good)
  }
}
