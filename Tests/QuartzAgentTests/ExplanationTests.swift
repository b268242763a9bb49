// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// What `once --explain` shows, word for word.
@Suite struct ExplanationTests {
  private func goodSite() throws -> CheckResult {
    try Explained.http(.ok) {
      $0.responseTime = Explained.ms(92.5)
      $0.timings = Timings(
        dns: Explained.ms(2.5), connect: Explained.ms(20), tls: Explained.ms(30), firstByte: Explained.ms(35),
        transfer: Explained.ms(5), total: Explained.ms(92.5))
      $0.peer = SocketAddress(.v4(0xc000_0207), port: 443)
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
      $0.peer = SocketAddress(.v4(0xc000_0207), port: 443)
      $0.tls = TLSFacts(
        version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", verified: false,
        verifyError: "certificate has expired",
        daysRemaining: -12, chain: Explained.chain(days: -12))
      $0.assertions = [
        Assertion(what: "status", expected: "200-299", actual: "", ok: false),
        Assertion(what: "certificate.warn", expected: ">= 21d", actual: "expired", ok: false),
      ]
      $0.attempts = [
        AttemptFacts(
          startedAt: Explained.now, status: .failure, reason: .tlsExpired, responseTime: Explained.ms(51)),
        AttemptFacts(
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

  /// Where the only hop is the news, it is shown.
  @Test func aRedirectThatIsNotFollowed() throws {
    let verdict = Verdict(
      .httpRedirectRefused, phase: .transfer,
      message: "redirect to a location that has a scheme other than http and https")
    let result = try Explained.http(verdict, url: "http://shop.example/") {
      $0.hops = [Hop(url: "http://shop.example/", statusCode: 302, address: "192.0.2.7:80")]
      $0.excerpt = "Location: ftp://x.example/secret"
    }
    let text = ResultExplanation(color: false).render(result)
    #expect(text.contains("  hops\n    1  302  http://shop.example/  192.0.2.7:80\n"), "\(text)")
    #expect(text.contains("  excerpt\n    Location: ftp://x.example/secret\n"))
  }

  /// What was lost on the way, and how long the way is.
  @Test func whatTheKernelKnows() throws {
    let words = "connecting took 1025ms: 1 SYN, or its answer, was lost and sent again"
    var result = try Explained.http(Verdict(.ok, message: words), url: "http://shop.example/") {
      $0.tcp = TransportFacts(
        synRetransmits: 1, retransmits: 3, roundTrip: 24_812, variance: 12_406, timeout: 224_000,
        segmentSize: 1448, pathMTU: 1500)
    }
    let text = ResultExplanation(color: false).render(result)
    #expect(text.contains("  \(words)\n"), "\(text)")
    let section = """
        kernel
          retransmits  1 SYN and 2 segments
          RTT          24.812 ms, variance 12.406 ms
          RTO          224.000 ms
          segments     of 1448 bytes, in packets of 1500 (path MTU)

      """
    #expect(text.contains(section), "\(text)")
    #expect(
      result.json.contains(
        #""tcp":{"syn_retransmits":1,"retransmits":3,"rtt_ms":24.812,"rttvar_ms":12.406,"rto_ms":224,"mss":1448,"#
          + #""path_mtu":1500}"#), "\(result.json)")
    result.facts.tcp = TransportFacts(retransmits: 0, timeout: 1_000_000)
    #expect(ResultExplanation(color: false).render(result).contains("retransmits  0\n"))
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
      ($0.statusCode, $0.httpVersion) = (200, "1.1")
      $0.peer = SocketAddress(.v4(0xc000_0208), port: 443)
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
}
