// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import Network

@Suite struct LatenessWindowTests {
  let start = Instant.now

  @Test func findsTheLargestSinceAnInstant() {
    var window = LatenessWindow()
    window.record(.milliseconds(300), at: start)
    window.record(.milliseconds(40), at: start + .seconds(1))
    window.record(.milliseconds(90), at: start + .seconds(2))
    window.record(.milliseconds(10), at: start + .seconds(3))
    #expect(window.largest(since: start) == .milliseconds(300))
    #expect(window.largest(since: start + .milliseconds(1)) == .milliseconds(90))
    #expect(window.largest(since: start + .seconds(3)) == .milliseconds(10))
    #expect(window.largest(since: start + .seconds(4)) == .zero)
  }

  @Test func noiseIsNotKept() {
    var window = LatenessWindow()
    window.record(.microseconds(900), at: start)
    #expect(window.largest(since: start) == .zero)
  }

  /// Against the plain maximum over everything recorded.
  @Test func agreesWithTheObviousAnswer() {
    var generator = SeededGenerator(seed: 2)
    var window = LatenessWindow()
    var all: [(at: Instant, lateness: Duration)] = []
    for second in 0..<100 {
      let lateness = Duration.milliseconds(Int.random(in: 1...1000, using: &generator))
      window.record(lateness, at: start + .seconds(second))
      all.append((start + .seconds(second), lateness))
      let since = start + .seconds(Int.random(in: 0...second, using: &generator))
      #expect(window.largest(since: since) == all.filter { $0.at >= since }.map(\.lateness).max())
    }
  }
}

@Suite struct FlowReportTests {
  private func report(_ end: FlowReport.End, late: Duration) -> FlowReport {
    let start = Instant.now
    return FlowReport(
      end: end, started: start, ended: start + .seconds(10), deadline: start + .seconds(10), lateness: late)
  }

  @Test func ownLatenessIsALocalFaultAndTheRestIsATimeout() {
    let late = Verdict.ownLateness(report(.timedOut, late: .seconds(3)), phase: .connect)
    #expect(late.reason == .localFault)
    #expect(late.state == .unknown)
    #expect(late.message == "this machine was busy: its network thread was 3000 ms late")
  }

  /// What a name took of the time, or this machine's lateness put on top, makes no number that nobody has set.
  @Test func aTimeoutNamesTheLimitThatIsConfigured() throws {
    let peer = Endpoint(host: "web.example", port: 443)
    let start = Instant.now
    let end = start + .milliseconds(1002)
    let attempt = DialTry(
      peer: SocketAddress(try #require(IPAddress("192.0.2.1")), port: 443), started: start, ended: end,
      end: .timedOut)
    let race = RaceReport(
      tries: [attempt], started: start, ended: end, deadline: start + .milliseconds(998), lateness: .zero)
    let named = Verdict(losing: attempt, in: race, to: peer, timeout: .seconds(1))
    #expect(named.reason == .connectTimeout)
    #expect(named.message == "web.example:443: no connection within the timeout of 1s")
    let unnamed = Verdict(losing: attempt, in: race, to: peer, timeout: nil)
    #expect(unnamed.message == "web.example:443: no connection in time")
  }

  @Test func onlyATimeoutThatWasLateByMoreThanAFifthIsOurs() {
    #expect(report(.timedOut, late: .milliseconds(2001)).isOwnLateness)
    #expect(!report(.timedOut, late: .milliseconds(2000)).isOwnLateness)
    #expect(!report(.done, late: .seconds(9)).isOwnLateness)
    #expect(!report(.failed(111), late: .seconds(9)).isOwnLateness)
  }
}
