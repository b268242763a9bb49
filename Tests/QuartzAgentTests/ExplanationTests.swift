// SPDX-License-Identifier: MIT

import Monitoring
import Testing

@testable import QuartzAgent

/// What `once --explain` shows, word for word.
@Suite struct ExplanationTests {
  /// At 80 columns without colour, word for word; then what colour and other widths may change, and what not.
  private func expectText(
    _ result: CheckResult, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let plain = ResultExplanation(color: false, width: 80).render(result)
    #expect(plain == expected, sourceLocation: sourceLocation)
    #expect(plain.split(separator: "\n").allSatisfy { $0.count <= 80 }, sourceLocation: sourceLocation)
    for width in [40, 80, 120] {
      let plain = ResultExplanation(color: false, width: width).render(result)
      let painted = ResultExplanation(color: true, width: width).render(result)
      #expect(painted.replacing(/\u{1b}\[[0-9]+m/, with: "") == plain, sourceLocation: sourceLocation)
      #expect(painted.contains("\u{1b}[") && !plain.contains("\u{1b}"), sourceLocation: sourceLocation)
    }
  }

  private func goodSite() throws -> CheckResult {
    try Explained.http(.ok) {
      $0.responseTime = Explained.ms(92.5)
      $0.timings = Timings(
        dns: Explained.ms(2.5), connect: Explained.ms(20), tls: Explained.ms(30), firstByte: Explained.ms(35),
        transfer: Explained.ms(5), total: Explained.ms(92.5))
      $0.address = "192.0.2.7:443"
      ($0.statusCode, $0.httpVersion) = (200, "2")
      $0.tls = TLSFacts(
        version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", verified: true, daysRemaining: 60,
        chain: Explained.chain(days: 60))
      $0.assertions = [
        Assertion(what: "status", expected: "200-299", actual: "200", ok: true),
        Assertion(what: "body.contains", expected: "ok", actual: "found", ok: true),
      ]
    }
  }

  @Test func aGoodSite() throws {
    expectText(
      try goodSite(),
      """
      ● UP  Shop front  http https://shop.example/health
        92.500 ms  status 200  HTTP/2  192.0.2.7:443
        time
            dns               2.500 ms  █
            connect          20.000 ms   ██████████
            tls              30.000 ms            ██████████████
            first byte       35.000 ms                          █████████████████
            transfer          5.000 ms                                           ██
            total            92.500 ms
        certificate
          TLSv1.3, TLS_AES_256_GCM_SHA384
          ✓ verified
          0  CN=shop.example  60 days left (2027-03-16)
             for shop.example, www.shop.example
             issued by CN=Intermediate
          1  CN=Intermediate  800 days left (2029-03-25)
             issued by CN=Root
        assertions
          ✓ status         200    expected 200-299
          ✓ body.contains  found  expected ok

      """)
  }

  private func expired() throws -> CheckResult {
    let verdict = Verdict(.tlsExpired, phase: .tls, message: "192.0.2.7:443: certificate has expired")
    return try Explained.http(verdict) {
      $0.responseTime = Explained.ms(43.1)
      $0.timings = Timings(
        dns: Explained.ms(3.1), connect: Explained.ms(20), tls: Explained.ms(20), total: Explained.ms(43.1))
      $0.address = "192.0.2.7:443"
      $0.tls = TLSFacts(
        version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", verified: false,
        verifyError: "certificate has expired",
        daysRemaining: -12, chain: Explained.chain(days: -12))
      $0.assertions = [
        Assertion(what: "status", expected: "200-299", actual: "", ok: false),
        Assertion(what: "certificate.warn", expected: ">= 21d", actual: "expired", ok: false),
      ]
      $0.attempts = [
        Attempt(
          startedAt: Explained.now, status: .failure, reason: .tlsExpired, responseTime: Explained.ms(51)),
        Attempt(
          startedAt: Explained.now.advanced(by: .milliseconds(2051)), status: .failure, reason: .tlsExpired,
          responseTime: Explained.ms(43.1),
          dialled: [
            DialledAddress(
              address: "[2001:db8::7]:443", outcome: .failed, reason: .connectUnreachable, after: .zero,
              elapsed: Explained.ms(0.4)),
            DialledAddress(
              address: "192.0.2.7:443", outcome: .connected, after: Explained.ms(0.4),
              elapsed: Explained.ms(19.6)),
          ]),
      ]
    }
  }

  @Test func anExpiredCertificate() throws {
    expectText(
      try expired(),
      """
      ✕ DOWN  Shop front  http https://shop.example/health
        43.100 ms  192.0.2.7:443
        tls_expired: 192.0.2.7:443: certificate has expired
        where  tls
        next   renew the certificate
        time
            dns               3.100 ms  ███
            connect          20.000 ms     ████████████████████
          ✕ tls              20.000 ms                         ████████████████████
            total            43.100 ms
        certificate
          TLSv1.3, TLS_AES_256_GCM_SHA384
          ✕ not verified: certificate has expired
          0  CN=shop.example  expired 12 days ago (2027-01-03)
             for shop.example, www.shop.example
             issued by CN=Intermediate
          1  CN=Intermediate  800 days left (2029-03-25)
             issued by CN=Root
        assertions
          ✕ status            nothing  expected 200-299
          ✕ certificate.warn  expired  expected >= 21d
        attempts
          ✕ 1  08:00:00.000     51.000 ms  tls_expired
          ✕ 2  08:00:02.051     43.100 ms  tls_expired
              [2001:db8::7]:443      0.400 ms  connect_unreachable
              192.0.2.7:443         19.600 ms  connected  (started after 0.400 ms)

      """)
  }

  private func redirects() throws -> CheckResult {
    let verdict = Verdict(
      .body, phase: .assertion, message: "body does not contain \"welcome\", and 1 more condition")
    return try Explained.http(verdict, url: "http://shop.example/") {
      let first = Timings(
        dns: Explained.ms(1), connect: Explained.ms(20), firstByte: Explained.ms(21), total: Explained.ms(42))
      let second = Timings(
        dns: Explained.ms(2), connect: Explained.ms(20), tls: Explained.ms(25), firstByte: Explained.ms(60),
        transfer: Explained.ms(10), total: Explained.ms(117))
      $0.hops = [
        Hop(url: "http://shop.example/", statusCode: 301, address: "192.0.2.7:80", timings: first),
        Hop(
          url: "https://www.shop.example/welcome", statusCode: 200, address: "192.0.2.8:443", timings: second),
      ]
      $0.responseTime = Explained.ms(159)
      $0.timings = Timings(
        dns: Explained.ms(3), connect: Explained.ms(40), tls: Explained.ms(25), firstByte: Explained.ms(81),
        transfer: Explained.ms(10), total: Explained.ms(159))
      ($0.statusCode, $0.httpVersion, $0.address) = (200, "1.1", "192.0.2.8:443")
      $0.assertions = [
        Assertion(what: "status", expected: "200-299", actual: "200", ok: true),
        Assertion(what: "body.contains", expected: "welcome", actual: "not found", ok: false),
        Assertion(what: "json.$.queue.depth", expected: "< 100", actual: "250", ok: false),
      ]
      $0.excerpt =
        "<html><head><title>We are closed for maintenance</title></head><body>Back at noon, we hope."
    }
  }

  @Test func aRedirectChain() throws {
    expectText(
      try redirects(),
      """
      ✕ DOWN  Shop front  http http://shop.example/
        159.000 ms  status 200  HTTP/1.1  192.0.2.8:443
        body: body does not contain "welcome", and 1 more condition
        where  assertion
        time
            1  301           42.000 ms  dccccccffffff
            2  200          117.000 ms             dcccccctttttttfffffffffffffffffbbb
            d dns  c connect  t tls  f first byte  b body
            total           159.000 ms
        hops
          1  301  http://shop.example/  192.0.2.7:80
                  dns 1.000 ms  connect 20.000 ms  first byte 21.000 ms  = 42.000 ms
          2  200  https://www.shop.example/welcome  192.0.2.8:443
                  dns 2.000 ms  connect 20.000 ms  tls 25.000 ms  first byte 60.000 ms
                      transfer 10.000 ms  = 117.000 ms
        assertions
          ✓ status              200        expected 200-299
          ✕ body.contains       not found  expected welcome
          ✕ json.$.queue.depth  250        expected < 100
        excerpt
          <html><head><title>We are closed for maintenance</title></head><body>Back at
              noon, we hope.

      """)
  }

  @Test func aPolicyRefusal() throws {
    let verdict = Verdict(
      .policyDenied, phase: .prepare, message: "169.254.169.254 is a cloud metadata address")
    expectText(

      try Explained.http(verdict, url: "http://metadata.example/") {
        $0.assertions = [Assertion(what: "status", expected: "200-299", actual: "", ok: false)]
      },
      """
      ? UNKNOWN  Shop front  http http://metadata.example/
        policy_denied: 169.254.169.254 is a cloud metadata address
        where  prepare
        next   see egress in docs/configuration.md
        assertions
          ✕ status  nothing  expected 200-299

      """)
  }

  @Test func aDialogThatFailsInItsSecondStep() throws {
    let verdict = Verdict(
      .dialog, phase: .dialog, message: "192.0.2.9:25: step 2 did not get what it expects")
    expectText(

      try Explained.result("tcp", verdict, { ($0.host, $0.port) = ("mail.example", 25) }) {
        $0.responseTime = Explained.ms(64)
        $0.timings = Timings(dns: Explained.ms(2), connect: Explained.ms(20), total: Explained.ms(64))
        $0.address = "192.0.2.9:25"
        $0.dialog = [
          DialogStepFacts(what: "expect \"220\"", elapsed: Explained.ms(21), ok: true),
          DialogStepFacts(
            what: "expect \"250 \"", elapsed: Explained.ms(21), ok: false,
            seen: "554 5.7.1 You are not welcome here, and neither are your friends"),
        ]
      },
      """
      ✕ DOWN  Shop front  tcp mail.example:25
        64.000 ms  192.0.2.9:25
        dialog: 192.0.2.9:25: step 2 did not get what it expects
        where  dialog
        time
            dns               2.000 ms  █
            connect          20.000 ms   ██████████████
          ✕ dialog           42.000 ms                 █████████████████████████████
            total            64.000 ms
        dialog
          ✓ expect "220"      21.000 ms
          ✕ expect "250 "     21.000 ms
              came  554 5.7.1 You are not welcome here, and neither are your friends

      """)
  }

  @Test func aNameServerThatFails() throws {
    let verdict = Verdict(.dnsServfail, phase: .answer, message: "192.0.2.53:53 answered SERVFAIL")
    expectText(

      try Explained.result("dns", verdict, { ($0.server, $0.queryName) = ("192.0.2.53", "shop.example") }) {
        $0.responseTime = Explained.ms(12)
        $0.timings = Timings(total: Explained.ms(12))
        $0.address = "192.0.2.53:53"
        $0.dns = DNSFacts(
          rcode: "SERVFAIL", answers: [], authoritative: false, truncated: false, transport: "udp")
        $0.assertions = [Assertion(what: "rcode", expected: "NOERROR", actual: "SERVFAIL", ok: false)]
      },
      """
      ✕ DOWN  Shop front  dns 192.0.2.53:53/shop.example A
        12.000 ms  192.0.2.53:53
        dns_servfail: 192.0.2.53:53 answered SERVFAIL
        where  answer
        next   ask another resolver; a broken delegation or DNSSEC signature looks
            like this
        time
          ✕ answer           12.000 ms  ████████████████████████████████████████████
            total            12.000 ms
        dns
          SERVFAIL, over udp
        assertions
          ✕ rcode  SERVFAIL  expected NOERROR

      """)
  }

  @Test func anAnswerThatWasCut() throws {
    expectText(

      try Explained.result("dns", .ok, { ($0.server, $0.queryName) = ("192.0.2.53", "shop.example") }) {
        $0.responseTime = Explained.ms(40)
        $0.timings = Timings(connect: Explained.ms(10), total: Explained.ms(40))
        $0.address = "192.0.2.53:53"
        $0.dns = DNSFacts(
          rcode: "NOERROR",
          answers: [DNSAnswer(name: "shop.example.", type: "A", ttl: 300, data: "192.0.2.7")],
          authoritative: true, truncated: true, transport: "tcp")
        $0.assertions = [Assertion(what: "rcode", expected: "NOERROR", actual: "NOERROR", ok: true)]
      },
      """
      ● UP  Shop front  dns 192.0.2.53:53/shop.example A
        40.000 ms  192.0.2.53:53
        time
            connect          10.000 ms  ███████████
            answer           30.000 ms             █████████████████████████████████
            total            40.000 ms
        dns
          NOERROR, over tcp, authoritative, cut over udp, then asked again
          shop.example.  300  A  192.0.2.7
        assertions
          ✓ rcode  NOERROR  expected NOERROR

      """)
  }

  @Test func aPingThatLosesPackets() throws {
    let verdict = Verdict(.pingLoss, phase: .answer, message: "25 % lost, more than 10 %", degraded: true)
    expectText(

      try Explained.result("ping", verdict, { $0.host = "router.example" }) {
        $0.responseTime = Explained.ms(620)
        $0.timings = Timings(dns: Explained.ms(1), total: Explained.ms(620))
        $0.address = "192.0.2.1"
        $0.ping = PingFacts(
          sent: 4, received: 3, minimum: Explained.ms(1.2), average: Explained.ms(2),
          maximum: Explained.ms(3.1),
          standardDeviation: Explained.ms(0.8))
        $0.assertions = [
          Assertion(what: "loss.warn", expected: "<= 10 %", actual: "25 %", ok: false),
          Assertion(what: "loss.fail", expected: "<= 50 %", actual: "25 %", ok: true),
        ]
      },
      """
      ▲ DEGRADED  Shop front  ping router.example
        620.000 ms  192.0.2.1
        ping_loss: 25 % lost, more than 10 %
        where  answer
        next   the host is down, the way to it loses packets, or it does not answer
            ping
        time
            dns               1.000 ms  █
            answer          619.000 ms  ████████████████████████████████████████████
            total           620.000 ms
        ping
          ███·  3 of 4 replies, 25.0 % lost
          min 1.200 ms  avg 2.000 ms  max 3.100 ms
          standard deviation 0.800 ms
        assertions
          ✕ loss.warn  25 %  expected <= 10 %
          ✓ loss.fail  25 %  expected <= 50 %

      """)
  }
}
