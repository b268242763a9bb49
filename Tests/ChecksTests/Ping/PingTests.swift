// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

private func pingSettings(_ change: (inout CheckDefinition) -> Void) throws -> PingSettings {
  let check = try makeCheck("ping") { definition in
    definition.host = "192.0.2.1"
    change(&definition)
  }
  guard case .ping(let settings) = check.kind else { throw SetUpFailed(line: "ping") }
  return settings
}

@Suite struct EchoSeriesTests {
  let target = IPAddress.v4(0xc000_0201)
  let start = Instant.now

  func series(count: Int = 3, size: Int = 56) throws -> EchoSeries {
    let settings = try pingSettings { ($0.ping.count, $0.size) = (count, size) }
    return EchoSeries(target: target, settings: settings, nonce: 0x0102_0304_0506_0708)
  }

  func reply(_ sequence: UInt16, size: Int = 56, nonce: UInt64 = 0x0102_0304_0506_0708) -> [UInt8] {
    var bytes = ICMPEcho(sequence: sequence, nonce: nonce, size: size).request(version: 4)
    bytes[0] = 0
    return bytes
  }

  @Test func sendsOnTheGridOfTheFirstPacket() throws {
    var series = try series()
    let first = series.opened(at: start)
    #expect(first.send?.count == 64)
    #expect(first.send?.prefix(8) == [8, 0, 0, 0, 0, 0, 0, 1])
    #expect(first.wake == start + .milliseconds(200))
    // Woken late, the next is not.
    #expect(series.woke(at: start + .milliseconds(290)).wake == start + .milliseconds(400))
    let last = series.woke(at: start + .milliseconds(400))
    #expect(last.wake == nil)
    #expect(last.send?[7] == 3)
    #expect(series.woke(at: start + .seconds(1)) == .wait)
  }

  @Test func isDoneWhenAllAreAnswered() throws {
    var series = try series(count: 2)
    _ = series.opened(at: start)
    #expect(series.received(reply(1)[...], from: target, at: start + .milliseconds(10)) == .wait)
    _ = series.woke(at: start + .milliseconds(200))
    #expect(series.received(reply(2)[...], from: target, at: start + .milliseconds(230)) == .done)
    let facts = series.tally.facts
    #expect(facts.sent == 2)
    #expect(facts.received == 2)
    #expect(facts.minimum == .milliseconds(10))
    #expect(facts.average == .milliseconds(20))
    #expect(facts.maximum == .milliseconds(30))
    #expect(abs((facts.standardDeviation ?? .zero).milliseconds - 10) < 0.01)
  }

  @Test func whatIsNoReplyIsNotCounted() throws {
    var series = try series()
    _ = series.opened(at: start)
    var damaged = reply(1)
    damaged[40] ^= 1
    var request = reply(1)
    request[0] = 8
    let strays: [[UInt8]] = [
      [], [0], Array(reply(1).dropLast()), reply(1) + [0], damaged, request, reply(0), reply(2), reply(9),
      reply(1, nonce: 7),
    ]
    for stray in strays { #expect(series.received(stray[...], from: target, at: start) == .wait) }
    _ = series.received(reply(1)[...], from: .v4(1), at: start)
    _ = series.received(reply(1)[...], from: nil, at: start)
    #expect(series.tally.facts.received == 0)
    _ = series.received(reply(1)[...], from: target, at: start + .milliseconds(1))
    _ = series.received(reply(1)[...], from: target, at: start + .milliseconds(9))
    #expect(series.tally.facts.received == 1)
    #expect(series.tally.facts.maximum == .milliseconds(1))
  }

  @Test func anEmptyPayloadIsFine() throws {
    var series = try series(count: 1, size: 0)
    #expect(series.opened(at: start).send?.count == 8)
    #expect(series.received(reply(1, size: 0)[...], from: target, at: start) == .done)
  }

  @Test func ipv6HasItsOwnNumbers() throws {
    let echo = ICMPEcho(sequence: 5, nonce: 1, size: 8)
    var bytes = echo.request(version: 6)
    #expect(bytes[0] == 128)
    bytes[0] = 129
    #expect(ICMPEcho.repliedSequence(bytes[...], version: 6, nonce: 1, size: 8) == 5)
    #expect(ICMPEcho.repliedSequence(bytes[...], version: 4, nonce: 1, size: 8) == nil)
  }

  @Test func errorsSettleTheirPackets() throws {
    var series = try series(count: 1)
    let request = series.opened(at: start).send ?? []
    #expect(series.refused(ICMPError(code: EHOSTUNREACH), about: [1, 2]) == .wait)
    // A redirect or a source quench: the packet went on.
    #expect(series.refused(ICMPError(code: EREMOTEIO), about: request[...]) == .wait)
    #expect(series.refused(ICMPError(code: EHOSTUNREACH), about: request[...]) == .done)
    #expect(series.tally.errors[1]?.code == EHOSTUNREACH)
  }
}

extension EchoSeriesTests {
  /// A packet that is answered after an error is no error, and counts once; an error after its answer is none.
  @Test func aPacketThatIsAnsweredAfterAnError() throws {
    var series = try series(count: 2)
    let request = series.opened(at: start).send ?? []
    #expect(series.refused(ICMPError(code: EHOSTUNREACH), about: request[...]) == .wait)
    #expect(series.tally.facts.refused == 1)
    #expect(series.received(reply(1)[...], from: target, at: start + .milliseconds(40)) == .wait)
    #expect(series.tally.errors.isEmpty && series.tally.facts.refused == 0)
    #expect(series.refused(ICMPError(code: EHOSTUNREACH), about: request[...]) == .wait)
    #expect(series.tally.errors.isEmpty)
    let second = series.woke(at: start + .milliseconds(200)).send ?? []
    #expect(series.refused(ICMPError(code: ENETUNREACH), about: second[...]) == .done)
    let facts = series.tally.facts
    #expect((facts.sent, facts.received, facts.refused) == (2, 1, 1))
    #expect(series.tally.errors.keys.sorted() == [2] && facts.maximum == .milliseconds(40))
  }

  /// A packet's own send time counts from when the kernel took it, unless it is answered or was never sent.
  @Test func whenAPacketLeft() throws {
    var series = try series(count: 2)
    _ = series.opened(at: start)
    series.left(0, at: start + .milliseconds(4))
    series.left(1, at: start + .milliseconds(9))
    #expect(series.received(reply(1)[...], from: target, at: start + .milliseconds(10)) == .wait)
    #expect(series.tally.roundTrips[1] == .milliseconds(6))
    series.left(0, at: start + .milliseconds(8))
    _ = series.woke(at: start + .milliseconds(200))
    series.left(1, at: start + .milliseconds(203))
    // A reply that was stamped before its request took no time.
    #expect(series.received(reply(2)[...], from: target, at: start + .milliseconds(202)) == .done)
    #expect(series.tally.roundTrips == [1: .milliseconds(6), 2: .zero])
  }
}

extension EchoSeriesTests {
  /// A silent address makes room for another one of its host; one that has replied keeps the rest of the time.
  @Test func patienceEndsWithAReply() throws {
    var silent = try series(count: 3)
    silent.patience = start + .milliseconds(250)
    #expect(silent.opened(at: start).wake == start + .milliseconds(200))
    let second = silent.woke(at: start + .milliseconds(200))
    #expect(second.send?[7] == 2 && second.wake == start + .milliseconds(250))
    #expect(silent.woke(at: start + .milliseconds(250)) == .done)
    #expect(silent.isGivenUp && silent.tally.facts == PingFacts(sent: 2, received: 0))

    var late = try series(count: 3)
    late.patience = start + .milliseconds(250)
    _ = late.opened(at: start)
    _ = late.woke(at: start + .milliseconds(200))
    #expect(late.received(reply(1)[...], from: target, at: start + .milliseconds(240)) == .wait)
    #expect(
      late.woke(at: start + .milliseconds(250)) == ConversationStep(wake: start + .milliseconds(400)))
    let third = late.woke(at: start + .milliseconds(400))
    #expect(third.send?[7] == 3 && third.wake == nil)
    #expect(!late.isGivenUp)
  }
}

@Suite struct PingJudgeTests {
  private let start = Instant.now

  /// `answered` of 4 packets, each after `trip`.
  private func judge(
    answered: Int, trip: Duration = .milliseconds(20), loss: Thresholds<Double> = Thresholds(),
    rtt: Thresholds<Duration> = Thresholds(), error: ICMPError? = nil, namesOffender: Bool = true,
    paused: Duration = .zero
  ) throws -> (verdict: Verdict, assertions: [Assertion]) {
    let settings = try pingSettings {
      ($0.ping.count, $0.size, $0.ping.loss, $0.ping.rtt) = (4, 0, loss, rtt)
    }
    var series = EchoSeries(target: .v4(1), settings: settings, nonce: 0)
    _ = series.opened(at: start)
    for _ in 1..<4 { _ = series.woke(at: start) }
    for sequence in 1...4 {
      var packet = ICMPEcho(sequence: UInt16(sequence), nonce: 0, size: 0).request(version: 4)
      packet[0] = 0
      if sequence <= answered {
        _ = series.received(packet[...], from: .v4(1), at: start + trip)
      } else if let error {
        _ = series.refused(error, about: packet[...])
      }
    }
    return PingJudge(settings: settings, namesOffender: namesOffender, paused: paused).judge(series.tally)
  }

  @Test func oneReplyIsEnoughUnlessAsked() throws {
    #expect(try judge(answered: 4).verdict == .ok)
    #expect(try judge(answered: 1).verdict == .ok)
    #expect(try judge(answered: 1).assertions.isEmpty)
  }

  @Test func noReplyIsATimeout() throws {
    let verdict = try judge(answered: 0).verdict
    #expect(verdict.reason == .pingTimeout)
    #expect(verdict.status == .timeout)
    #expect(verdict.message == "192.0.2.1 answered none of 4 packets")
  }

  @Test func anICMPErrorSaysMore() throws {
    let error = ICMPError(code: EHOSTUNREACH, offender: IPAddress("192.0.2.254"))
    let verdict = try judge(answered: 0, error: error).verdict
    #expect(verdict.reason == .connectUnreachable)
    #expect(verdict.message == "192.0.2.1: no route to host, says 192.0.2.254")
    #expect(try judge(answered: 1, error: error).verdict == .ok)
    // A stranger does not learn the routers in here.
    let told = try judge(answered: 0, error: error, namesOffender: false).verdict.message
    #expect(told == "192.0.2.1: no route to host")
  }

  @Test func lossHasThresholds() throws {
    let loss = Thresholds(warn: 20.0, fail: 50.0)
    #expect(try judge(answered: 4, loss: loss).verdict == .ok)
    let warned = try judge(answered: 3, loss: loss)
    #expect(warned.verdict.state == .degraded)
    #expect(warned.verdict.reason == .pingLoss)
    #expect(warned.assertions.map(\.ok) == [false, true])
    #expect(try judge(answered: 2, loss: loss).verdict.state == .degraded)
    let failed = try judge(answered: 1, loss: loss)
    #expect(failed.verdict.state == .down)
    #expect(failed.verdict.reason == .pingLoss)
    #expect(failed.verdict.message == "3 of 4 packets lost")
    #expect(try judge(answered: 0, loss: loss).assertions.map(\.ok) == [false, false])
  }

  /// A round trip that is beyond its limit only with a pause of this process says nothing about the host.
  @Test(
    arguments: [
      (41, 1, CheckState.unknown), (42, 1, .down), (21, 1, .unknown), (22, 1, .degraded), (19, 9, .up),
    ])
  func roundTripsOfAPausedProcess(trip: Int, paused: Int, state: CheckState) throws {
    let rtt = Thresholds(warn: Duration.milliseconds(20), fail: .milliseconds(40))
    let judged = try judge(
      answered: 4, trip: .milliseconds(trip), rtt: rtt, paused: .milliseconds(paused))
    #expect(judged.verdict.state == state)
    guard state == .unknown else { return }
    #expect(judged.verdict == .paused(for: .milliseconds(paused)))
  }

  @Test func roundTripHasThresholds() throws {
    let rtt = Thresholds(warn: Duration.milliseconds(20), fail: .milliseconds(40))
    #expect(try judge(answered: 4, rtt: rtt).verdict == .ok)
    #expect(try judge(answered: 4, trip: .milliseconds(21), rtt: rtt).verdict.state == .degraded)
    let failed = try judge(answered: 4, trip: .milliseconds(41), rtt: rtt)
    #expect(failed.verdict.reason == .responseTime)
    #expect(failed.verdict.state == .down)
    #expect(failed.assertions.map(\.actual) == ["41ms", "41ms"])
    #expect(try judge(answered: 0, rtt: rtt).assertions.map(\.ok) == [false, false])
  }
}

@Suite struct PingTallyTests {
  private func facts(_ trips: [Int: Int], sent: Int = 4) -> PingFacts {
    var tally = PingTally()
    tally.sent = sent
    tally.roundTrips = trips.mapValues { .milliseconds($0) }
    return tally.facts
  }

  /// Round trips of 10, 30, 20 and 60 ms: 20, 10 and 40 ms from one to the next.
  @Test func spreadAndJitter() throws {
    let facts = facts([1: 10, 2: 30, 3: 20, 4: 60])
    #expect(facts.average == .milliseconds(30))
    #expect(abs(try #require(facts.standardDeviation).milliseconds - 350.0.squareRoot()) < 0.01)
    #expect(abs(try #require(facts.jitter).milliseconds - 70.0 / 3) < 0.01)
  }

  @Test func aLostPacketLeavesNoStep() {
    // From the first to the third.
    #expect(facts([1: 10, 3: 50]).jitter == .milliseconds(40))
    #expect(facts([1: 10, 3: 50]).loss == 50)
  }

  @Test func oneReplyHasNoJitter() {
    #expect(facts([1: 10]).jitter == nil)
    #expect(facts([1: 10]).standardDeviation == .zero)
    #expect(facts([:]).average == nil)
  }

  @Test func errorsAreCountedAndAreLosses() {
    var tally = PingTally()
    tally.sent = 2
    tally.errors[1] = ICMPError(code: EHOSTUNREACH)
    #expect(tally.facts.refused == 1)
    #expect(tally.facts.loss == 100)
    #expect(!tally.isSettled(2))
  }
}
