// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// Which threshold of a ping speaks, and the bytes of its packets.
@Suite struct PingBoundsTests {
  private func judged(
    _ trips: [Int], sent: Int = 4, method: String? = nil, _ change: (inout CheckDefinition) -> Void
  ) throws -> (verdict: Verdict, assertions: [Assertion]) {
    let check = try makeCheck("ping") {
      $0.host = "192.0.2.1"
      ($0.pingMethod, $0.port) = (method, method == nil ? nil : 22)
      change(&$0)
    }
    guard case .ping(let settings) = check.kind else { throw SetUpFailed(line: "ping") }
    var tally = PingTally()
    tally.sent = sent
    for (place, trip) in trips.enumerated() { tally.roundTrips[place + 1] = .microseconds(trip) }
    return PingJudge(settings: settings, namesOffender: true).judge(tally)
  }

  /// At a threshold it holds, beyond it not; and where several are crossed the first in this order speaks: loss and time
  /// that fail, loss and time that warn.
  @Test func thresholds() throws {
    let loss = Thresholds<Double>(warn: 25, fail: 50)
    let rtt = Thresholds<Duration>(warn: .milliseconds(10), fail: .milliseconds(20))
    let rows: [([Int], Reason, CheckState)] = [
      ([10_000, 10_000, 10_000], .ok, .up), ([10_000, 10_000, 10_003], .responseTime, .degraded),
      ([20_000, 20_000, 20_000], .responseTime, .degraded), ([20_000, 20_000, 20_003], .responseTime, .down),
      ([1000, 1000], .pingLoss, .degraded), ([1000], .pingLoss, .down), ([], .pingTimeout, .down),
      // Both fail, both warn, and one of each.
      ([90_000], .pingLoss, .down), ([15_000, 15_000], .pingLoss, .degraded),
      ([90_000, 90_000], .responseTime, .down),
    ]
    for (trips, reason, state) in rows {
      let found = try judged(trips) { ($0.ping.loss, $0.ping.rtt) = (loss, rtt) }.verdict
      #expect(found.reason == reason && found.state == state, "\(trips)")
    }
    let all = try judged([10_000, 30_000]) { ($0.ping.loss, $0.ping.rtt) = (loss, rtt) }
    #expect(
      all.assertions == [
        Assertion(what: "loss.warn", expected: "<= 25.0%", actual: "50.0%", ok: false),
        Assertion(what: "loss.fail", expected: "<= 50.0%", actual: "50.0%", ok: true),
        Assertion(what: "rtt.warn", expected: "<= 10ms", actual: "20ms", ok: false),
        Assertion(what: "rtt.fail", expected: "<= 20ms", actual: "20ms", ok: true),
      ])
    #expect(all.verdict.message == "2 of 4 packets lost")
    // Where nothing was sent, how much would have been lost is not known.
    let none = try judged([], sent: 0) { ($0.ping.loss, $0.ping.rtt) = (loss, rtt) }
    #expect(none.assertions.map(\.ok) == [false, false, false, false])
    #expect(none.assertions.map(\.actual) == ["", "", "", ""])
  }

  /// Loss of exactly the limit is allowed, and one of 100% allows all losses but that of everything.
  @Test func allButTheLast() throws {
    func loss(_ trips: [Int], _ limit: Double) throws -> (verdict: Verdict, assertions: [Assertion]) {
      try judged(trips) { $0.ping.loss.fail = limit }
    }
    #expect(try loss([1000, 1000], 50).verdict == .ok && loss([1000], 50).verdict.reason == .pingLoss)
    #expect(try loss([1000], 100).verdict == .ok && loss([], 100).verdict.reason == .pingTimeout)
    let rows: [([Int], String, Bool)] = [([1000], "75.0%", true), ([], "100.0%", false)]
    for (trips, actual, holds) in rows {
      let wanted = Assertion(what: "loss.fail", expected: "< 100%", actual: actual, ok: holds)
      #expect(try loss(trips, 100).assertions == [wanted])
    }
    // A limit of an import, which is one packet less for up to 100.
    #expect(try loss([1000, 1000, 1000], 24.99).verdict.reason == .pingLoss)
    #expect(try loss([1000, 1000, 1000, 1000], 24.99).verdict == .ok)
  }

  @Test func words() throws {
    #expect(
      try judged([1500, 1500, 1500]) { $0.ping.rtt.fail = .milliseconds(1) }.verdict.message
        == "the average round trip took 2ms")
    #expect(
      try judged([1], method: "tcp") { $0.ping.loss.fail = 0 }.verdict.message == "3 of 4 connections lost")
    #expect(
      try judged([], method: "tcp") { _ in }.verdict.message == "192.0.2.1 answered none of 4 connections")
  }

  /// Times in messages: to the microsecond below a millisecond, and rounded to the millisecond from there on.
  @Test(
    arguments: [
      (0, "0s"), (1, "1us"), (999, "999us"), (1000, "1ms"), (1499, "1ms"), (1500, "2ms"), (999_499, "999ms"),
      (999_500, "1s"), (1_234_499, "1234ms"), (59_999_500, "1m"),
    ] as [(Int64, String)])
  func roundedTimes(microseconds: Int64, text: String) {
    #expect(Duration.microseconds(microseconds).roundedText == text)
  }

  @Test func limitsInWords() {
    #expect(Duration.seconds(5).limitText == "the timeout of 5s")
    #expect(Duration.milliseconds(1500).limitText == "the timeout of 1500ms")
  }

  /// Type, code, checksum, identifier and sequence (RFC 792, RFC 4443 4.1), then the nonce and a pattern.
  @Test func bytesOfAnEcho() {
    let echo = ICMPEcho(sequence: 0x0102, nonce: 0x1112_1314_1516_1718, size: 11)
    let payload: [UInt8] = [0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 8, 9, 10]
    #expect(echo.request(version: 4) == [8, 0, 0, 0, 0, 0, 1, 2] + payload)
    #expect(echo.request(version: 6) == [128, 0, 0, 0, 0, 0, 1, 2] + payload)
    var raw = echo
    raw.identifier = 0xa1b2
    #expect(raw.request(version: 6) == [128, 0, 0, 0, 0xa1, 0xb2, 1, 2] + payload)
    let four = raw.request(version: 4)
    #expect(four.prefix(2) == [8, 0] && Array(four.dropFirst(4)) == [0xa1, 0xb2, 1, 2] + payload)
    #expect(RawEcho.checksum(four) == 0)
    var reply = echo.request(version: 6)
    reply[0] = 129
    func sequence(_ bytes: [UInt8], version: Int = 6, size: Int = 11) -> UInt16? {
      ICMPEcho.repliedSequence(
        ([0] + bytes)[1...], version: version, nonce: 0x1112_1314_1516_1718, size: size)
    }
    #expect(sequence(reply) == 0x0102)
    #expect(sequence(reply, version: 4) == nil && sequence(reply, size: 10) == nil)
    for place in [0, 1, 8, 15, 18] {
      var damaged = reply
      damaged[place] ^= 1
      #expect(sequence(damaged) == nil, "\(place)")
    }
    #expect(ICMPEcho.sequence(of: reply.prefix(8)) == 0x0102 && ICMPEcho.sequence(of: reply.prefix(7)) == nil)
  }

  /// A packet that left later than it was handed over has a shorter way; the stamp of one that was answered is too late.
  @Test func stampsOfWhatLeft() throws {
    let check = try makeCheck("ping") { ($0.host, $0.ping.count, $0.size) = ("192.0.2.1", 2, 0) }
    guard case .ping(let settings) = check.kind else { throw SetUpFailed(line: "ping") }
    let (start, target) = (Instant.now, IPAddress.v4(0xc000_0201))
    var series = EchoSeries(target: target, settings: settings, nonce: 0)
    _ = series.opened(at: start)
    _ = series.woke(at: start + .milliseconds(200))
    series.left(0, at: start + .milliseconds(4))
    series.left(2, at: start + .milliseconds(300))
    func reply(_ number: UInt16) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, UInt8(number)] }
    _ = series.received(reply(1)[...], from: target, at: start + .milliseconds(10))
    series.left(0, at: start + .milliseconds(1))
    series.left(1, at: start + .milliseconds(230))
    // Before it left, by a clock that is read twice.
    _ = series.received(reply(2)[...], from: target, at: start + .milliseconds(229))
    #expect(series.tally.roundTrips == [1: .milliseconds(6), 2: .zero])
  }
}
