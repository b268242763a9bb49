// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Testing

@testable import Checks

/// A made-up answer is judged as a real one.
struct RehearsalTests {
  private let rehearsal = Rehearsal(now: Timestamp(seconds: 1_800_000_000))

  private func verdict(
    _ definition: CheckDefinition, _ change: (inout RehearsedAnswer) -> Void
  ) throws -> Verdict {
    var answer = RehearsedAnswer()
    change(&answer)
    return try #require(rehearsal.outcome(of: MonitoringCheck(definition), answer)).verdict
  }

  private func http(_ change: (inout CheckDefinition) -> Void = { _ in }) -> CheckDefinition {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.url) = ("A", "http", "https://a.example/")
    change(&definition)
    return definition
  }

  @Test func httpAnswers() throws {
    #expect(try verdict(http()) { _ in } == .ok)
    #expect(try verdict(http()) { $0.status = 503 }.reason == .httpStatus)
    let json = http { $0.expect.json = [("$.status", ConditionText("ok", isPlain: true))] }
    #expect(try verdict(json) { $0.body = Array(#"{"status": "ok"}"#.utf8) } == .ok)
    #expect(try verdict(json) { $0.body = Array(#"{"status": "bad"}"#.utf8) }.reason == .json)
    let header = http { $0.expect.headers = [("Server", "~ nginx")] }
    #expect(try verdict(header) { $0.headers = [HeaderField("server", "nginx/1.22")] } == .ok)
    #expect(try verdict(header) { _ in }.reason == .header)
  }

  @Test func certificatesAndTime() throws {
    let limits = http {
      ($0.expect.certificate.warn, $0.expect.certificate.fail) = (.seconds(21 * 86_400), .seconds(5 * 86_400))
      $0.plan.responseTime.warn = .milliseconds(800)
    }
    func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
    #expect(try verdict(limits) { $0.certificate = days(21) } == .ok)
    #expect(try verdict(limits) { $0.certificate = days(20) }.state == .degraded)
    #expect(try verdict(limits) { $0.certificate = days(4) }.reason == .certificateExpiring)
    #expect(try verdict(limits) { $0.certificate = days(-1) }.reason == .tlsExpired)
    #expect(try verdict(limits) { $0.time = .milliseconds(900) }.reason == .responseTime)
  }

  @Test func errorsAndNegation() throws {
    #expect(try verdict(http()) { $0.error = .connectTimeout }.status == .timeout)
    #expect(try verdict(http()) { $0.error = .localFault }.state == .unknown)
    let negated = http { $0.plan.negate = true }
    #expect(try verdict(negated) { $0.error = .connectRefused }.state == .up)
    #expect(try verdict(negated) { _ in }.reason == .negated)
    for reason in Reason.rehearsable {
      #expect(try verdict(http()) { $0.error = reason }.reason == reason)
    }
  }

  @Test func otherKinds() throws {
    var dns = CheckDefinition()
    (dns.name, dns.type, dns.queryName, dns.expect.answersAny) = ("D", "dns", "a.example", ["192.0.2.1"])
    #expect(try verdict(dns) { $0.answers = ["192.0.2.1"] } == .ok)
    #expect(try verdict(dns) { $0.answers = ["192.0.2.2"] }.reason == .dnsAnswer)
    #expect(try verdict(dns) { $0.rcode = "NXDOMAIN" }.reason == .dnsNXDomain)
    var ping = CheckDefinition()
    (ping.name, ping.type, ping.host, ping.ping.loss.fail) = ("P", "ping", "a.example", 50)
    #expect(try verdict(ping) { _ in } == .ok)
    #expect(try verdict(ping) { $0.received = 1 }.reason == .pingLoss)
    #expect(try verdict(ping) { $0.received = 0 }.reason == .pingTimeout)
  }
}
