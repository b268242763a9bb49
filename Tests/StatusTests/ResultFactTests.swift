// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// Lists of the facts of one result, each line whole.
@Suite struct ResultFactTests {
  private func result() throws -> CheckResult {
    var result = makeResult(try makeCheck("Shop front"), minute: 1, state: .down)
    result.timings = Timings()
    return result
  }

  private func html(_ change: (inout CheckResult) -> Void) throws -> String {
    var result = try result()
    change(&result)
    return FactsSection(result: result).render().html
  }

  private func mark(_ isGood: Bool) -> String {
    isGood
      ? "<span class=\"mark up\" aria-hidden=\"true\">✓</span>&nbsp;"
      : "<span class=\"mark down\" aria-hidden=\"true\">✕</span>&nbsp;"
  }

  /// Of a result without any facts there is no section, and of parts alone no phases without their sum.
  @Test func nothingToSay() throws {
    #expect(try html { _ in } == "")
    #expect(try html { $0.timings = Timings(dns: .milliseconds(1)) } == "")
    #expect(try html { $0.timings = Timings(total: .milliseconds(1)) } == "")
    #expect(try html { $0.timings = Timings(dns: .milliseconds(1), total: .milliseconds(1)) } != "")
  }

  /// Where it went, what came, and where it failed.
  @Test func theFirstLine() throws {
    let begin =
      "<p class=\"dim\">\(Layout.state(.down).html) \(Layout.minute(started.advanced(by: .seconds(60))).html)"
    let whole = try html { result in
      result.peer = SocketAddress(.v4(0xc000_0201), port: 443)
      (result.statusCode, result.httpVersion, result.phase) = (503, "2", .firstByte)
      result.excerpt = "words"
    }
    let word = Phase.firstByte.rawValue.replacing("_", with: " ")
    #expect(word == "first byte")
    #expect(whole.contains("\(begin) · 192.0.2.1:443 · status 503 · HTTP/2 · failed in first byte</p>"))
    let bare = try html { result in
      (result.peer, result.statusCode, result.phase, result.excerpt) = (nil, nil, nil, "words")
    }
    #expect(bare.contains("\(begin)</p><h3>Answer of the target</h3><p class=\"num excerpt\">words</p>"))
  }

  /// Each address with its mark, its time, and why not.
  @Test func addresses() throws {
    let found = try html { result in
      result.addresses = [
        AddressVerdict(address: "192.0.2.1:443", verdict: .ok, responseTime: .milliseconds(12)),
        AddressVerdict(address: "192.0.2.2:443", verdict: Verdict(.connectRefused, message: "refused")),
        AddressVerdict(
          address: "192.0.2.3:443", verdict: Verdict(.responseTime, degraded: true), responseTime: .seconds(2)
        ),
      ]
    }
    let rows = [
      "<li>\(mark(true))<span class=\"num\">192.0.2.1:443</span> <span class=\"dim\">12 ms </span></li>",
      "<li>\(mark(false))<span class=\"num\">192.0.2.2:443</span> <span class=\"dim\">– connect_refused: refused</span></li>",
      "<li>\(mark(true))<span class=\"num\">192.0.2.3:443</span> <span class=\"dim\">2 s response_time</span></li>",
    ]
    #expect(found.contains("<h3>Addresses</h3><ul class=\"problems\">\(rows.joined())</ul>"))
  }

  /// Certificates in the order in which they came, records of an answer, and each attempt.
  @Test func certificatesAnswersAttempts() throws {
    let found = try html { result in
      let chain = ["shop", "root"].map {
        CertificateFacts(
          subject: "CN=\($0)", issuer: "CN=over \($0)", notBefore: started, notAfter: now, serial: "",
          sha256: "", sans: [])
      }
      result.tls = TLSFacts(verified: true, chain: chain)
      var dns = DNSFacts(
        rcode: "NOERROR", answers: [], authoritative: true, truncated: false, transport: "udp")
      dns.answers = [DNSAnswer(name: "a.example.", type: "AAAA", ttl: 300, data: "2001:db8::1")]
      result.dns = dns
      result.attempts = [
        AttemptFacts(
          startedAt: started, status: .timeout, reason: .connectTimeout, responseTime: .milliseconds(5)),
        AttemptFacts(
          startedAt: started.advanced(by: .seconds(61)), status: .success, reason: .ok, responseTime: nil),
      ]
    }
    let until = "valid until \(Layout.minute(now).html)</span></li>"
    #expect(
      found.contains(
        "<h3>Certificates, as presented</h3><ul class=\"problems\">"
          + "<li>CN=shop <span class=\"dim\">issued by CN=over shop, \(until)"
          + "<li>CN=root <span class=\"dim\">issued by CN=over root, \(until)</ul>"))
    #expect(
      found.contains(
        "<h3>DNS answers</h3><ul class=\"problems\"><li class=\"num\">a.example. 300 AAAA 2001:db8::1</li></ul>"
      ))
    #expect(
      found.contains(
        "<li>\(mark(false))00:00:00 UTC <span class=\"dim\">5 ms connect_timeout</span></li>"
          + "<li>\(mark(true))00:01:01 UTC <span class=\"dim\">– ok</span></li>"))
  }

  /// Twenty of each list, and how many more there are.
  @Test(arguments: [(20, nil), (21, "and 1 more"), (50, "and 30 more")] as [(Int, String?)])
  func twentyOfAList(count: Int, rest: String?) throws {
    let found = try html { result in
      result.assertions = (0..<count).map {
        Assertion(what: "a\($0)", expected: "x", actual: "y", ok: true)
      }
    }
    #expect(found.matches(of: /<li><span class="mark up"/).count == 20)
    #expect(found.firstMatch(of: /<li class="dim">([^<]*)<\/li>/).map { String($0.1) } == rest)
  }

  /// Each phase under its own colour.
  @Test func coloursOfPhases() throws {
    let time = Duration.milliseconds(1)
    let found = try html {
      $0.timings = Timings(
        dns: time, connect: time, startTLS: time, tls: time, firstByte: time, transfer: time,
        total: .milliseconds(6))
    }
    let keys = found.matches(of: /<rect class="w-([a-z]+)" width="10" height="10"\/><\/svg> ([a-z ]+)<\/dt>/)
    #expect(
      keys.map { "\($0.1)=\($0.2)" } == [
        "dns=dns", "connect=connect", "starttls=starttls", "tls=tls", "first=first byte", "rest=transfer",
      ])
    let bars = found.matches(of: /class="w-([a-z]+)" x="([0-9.]+)" y="0" width="20.0"/)
    #expect(
      bars.map { "\($0.1) \($0.2)" } == [
        "dns 0.0", "connect 20.0", "starttls 40.0", "tls 60.0", "first 80.0", "rest 100.0",
      ])
  }
}
