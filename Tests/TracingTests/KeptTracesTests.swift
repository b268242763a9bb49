// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Tracing

/// Traces in few bytes, in memory and on the disk.
@Suite struct KeptTracesTests {
  private let begin = Timestamp(seconds: 1_767_492_000)

  private func trace(
    hops: Int = 9, answers: Int = 1, isV6: Bool = false, named: Bool = true, target: UInt32 = 0xcb00_7107
  ) -> RouteTrace {
    var trace = RouteTrace(
      host: "shop.example", target: SocketAddress(.v4(target), port: 443), startedAt: begin,
      elapsed: .milliseconds(2345), method: .tcp, why: "the service's own port", flows: 3,
      end: .refused(by: .v4(7), ttl: 3, says: "administratively prohibited"), mtu: 1500,
      narrowings: [TraceNarrowing(ttl: 2, by: .v4(9), mtu: 1400, isSilent: true)])
    trace.hops = (1...hops).map { ttl in
      let all = (0..<answers).map { place in
        var answer = TraceAnswer(
          address: isV6
            ? .v6(high: 0x2001_0db8_0000_0000 | UInt64(ttl), low: .max - UInt64(place))
            : .v4(UInt32(0x0a00_0000 + ttl << 8 + place)),
          received: 3, best: .microseconds(400), average: .microseconds(512), worst: .milliseconds(3),
          flows: [0, 2], name: named ? "core-\(ttl)-\(place).backbone.example.net" : nil,
          network: named ? "AS64500 Example" : nil, replyTTL: 62)
        answer.labels = ttl == 4 ? [MPLSLabel(label: 24_001, ttl: 1)] : []
        answer.says = ttl == 3 ? "prohibited" : nil
        return answer
      }
      return TraceHop(ttl: ttl, sent: 9, answers: ttl == 5 ? [] : all, method: ttl == 6 ? .icmp : nil)
    }
    return trace
  }

  @Test func whatIsPackedComesBackAsItWas() {
    let trace = trace()
    let packed = PackedTrace(trace)
    #expect(packed.trace == trace && packed.bytes.count <= 1024)
  }

  @Test(arguments: [
    TraceEnd.reached("accepted"), .silent(after: 4), .loop(from: 3), .fault("no descriptors"),
    .refused(by: nil, ttl: 2, says: "x"),
  ])
  func everyEndComesBack(end: TraceEnd) {
    var trace = trace(hops: 3)
    trace.end = end
    #expect(PackedTrace(trace).trace == trace)
  }

  /// The longest and widest way: the addresses stay, names go first.
  @Test(arguments: [(30, 1, false), (30, 8, false), (30, 8, true), (64, 8, true)])
  func nothingTakesMoreThanAKibibyte(hops: Int, answers: Int, isV6: Bool) throws {
    let packed = PackedTrace(trace(hops: hops, answers: answers, isV6: isV6))
    #expect(packed.bytes.count <= 1024, "\(packed.bytes.count)")
    let back = try #require(packed.trace)
    #expect(
      back.hops.count >= 20 && back.hops[0].answers[0].address == trace(isV6: isV6).hops[0].answers[0].address
    )
  }

  private func filled() -> (KeptTraces, UniqueID) {
    var kept = KeptTraces()
    let check = UniqueID(high: 3, low: 4)
    kept.keep(good: trace())
    var broken = trace(hops: 3)
    (broken.end, broken.startedAt) = (.silent(after: 2), begin.advanced(by: .seconds(60)))
    kept.keep(broken, of: check, .failure(.connectTimeout), begin: broken.startedAt)
    return (kept, check)
  }

  @Test func theFileComesBack() throws {
    let (all, check) = filled()
    var kept = all
    let back = try #require(KeptTraces(kept.encoded()))
    #expect(!kept.isDirty)
    let (one, two) = (kept.view(of: check, target: nil).latest, back.view(of: check, target: nil).latest)
    #expect(one?.trace == two?.trace && one?.before == two?.before && two?.before != nil)
    #expect(two?.cause == .failure(.connectTimeout) && two?.begin == begin.advanced(by: .seconds(60)))
    #expect(back.lastGood(trace().target) == begin)
  }

  /// Each byte that is changed, and each end that is missing, is noticed: nothing of it is believed.
  @Test func damageIsNoticed() {
    var (kept, _) = filled()
    let bytes = kept.encoded()
    for place in stride(from: 0, to: bytes.count, by: 5) {
      var damaged = bytes
      damaged[place] ^= 0x41
      #expect(KeptTraces(damaged) == nil, "byte \(place)")
    }
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(KeptTraces(Array(bytes.prefix(length))) == nil)
    }
  }

  /// With the right checksum, what is no trace is refused, or read as less: nothing traps.
  @Test func whatNobodyWroteTrapsNothing() {
    let packed = PackedTrace(trace()).bytes
    for place in packed.indices {
      for value in [0, 0x7f, 0x80, 0xff] as [UInt8] {
        var damaged = packed
        damaged[place] = value
        _ = (try? PackedTrace(read: damaged))?.trace
      }
    }
  }

  @Test func theOldestMakesRoom() {
    var kept = KeptTraces()
    for number in 0..<KeptTraces.targets + 3 {
      var trace = trace(hops: 1, named: false, target: 0x0b00_0000 + UInt32(number))
      trace.startedAt = begin.advanced(by: .seconds(number))
      kept.keep(good: trace)
    }
    #expect(kept.counts.targets == KeptTraces.targets)
    #expect(kept.lastGood(trace(target: 0x0b00_0000).target) == nil)
    #expect(kept.lastGood(trace(target: 0x0b00_0002).target) == nil)
    #expect(kept.lastGood(trace(target: 0x0b00_0003).target) == begin.advanced(by: .seconds(3)))
  }

  /// Of checks as of targets: the oldest look makes room, by when its run began and not by when it came, also for one that
  /// another check of the same target has made.
  @Test(arguments: [false, true]) func theOldestOfTheChecksMakesRoom(isShared: Bool) {
    var kept = KeptTraces()
    let trace = trace(hops: 1, named: false)
    func id(_ number: Int) -> UniqueID { UniqueID(high: 3, low: UInt64(number)) }
    func moment(_ number: Int) -> Timestamp { begin.advanced(by: .seconds(number)) }
    // The first half is the newer one.
    let count = KeptTraces.checks
    let order = Array(count / 2..<count) + Array(0..<count / 2)
    for number in order { kept.keep(trace, of: id(number), .failure(.connectTimeout), begin: moment(number)) }
    #expect(kept.counts.checks == count)
    for number in count..<count + 3 {
      if isShared {
        kept.share(id(number - 1), with: id(number), .failure(.connectRefused), begin: moment(number))
      } else {
        kept.keep(trace, of: id(number), .failure(.connectRefused), begin: moment(number))
      }
    }
    #expect(kept.counts.checks == count)
    let there = (0..<count + 3).filter { kept.view(of: id($0), target: nil).latest != nil }
    #expect(there == Array(3..<count + 3))
    #expect(kept.view(of: id(count + 2), target: nil).latest?.begin == moment(count + 2))
    // One that is there takes no other's room.
    kept.keep(trace, of: id(10), .failure(.connectTimeout), begin: moment(count + 9))
    #expect(kept.counts.checks == count && kept.view(of: id(3), target: nil).latest?.begin == moment(3))
  }

  @Test func whatDidNotWorkIsNoGoodTrace() {
    var kept = KeptTraces()
    var trace = trace()
    trace.end = .fault("no descriptors")
    kept.keep(good: trace)
    #expect(kept.lastGood(trace.target) == nil && !kept.isDirty)
  }
}
