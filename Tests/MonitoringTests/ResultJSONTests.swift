// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// The parts of a result's document, each field with a value of its own.
@Suite struct ResultJSONTests {
  private let slot = Timestamp(milliseconds: 1_767_492_000_000)

  private func result(_ verdict: Verdict = .ok, facts: ProbeFacts = ProbeFacts()) throws -> CheckResult {
    let id = UniqueID(high: 0x019a_0000_0000_7000, low: 0x8000_0000_0000_0001)
    return CheckResult(
      id: id, check: try MonitoringCheck(.http()), trigger: .manual, scheduledAt: slot,
      startedAt: slot.advanced(by: .milliseconds(250)), late: .milliseconds(250), verdict: verdict,
      facts: facts)
  }

  /// What stands behind the fields that every result has.
  private func rest(_ facts: ProbeFacts) throws -> String {
    let text = try result(facts: facts).json
    let start = try #require(text.firstRange(of: #""reason":"ok","#))
    return String(text[start.upperBound...].dropLast())
  }

  @Test func hopsAndTheKernel() throws {
    var facts = ProbeFacts()
    facts.truncated = true
    facts.tcp = TransportFacts(
      synRetransmits: 1, retransmits: 2, roundTrip: 3000, variance: 450, timeout: 204_000, segmentSize: 1448,
      pathMTU: 1500)
    facts.hops = [
      Hop(
        url: "https://a.example/", statusCode: 301, address: "192.0.2.1:443",
        timings: Timings(dns: .milliseconds(1), total: .milliseconds(9)),
        tcp: TransportFacts(retransmits: 7)),
      Hop(url: "https://b.example/"),
    ]
    #expect(
      try rest(facts) == #""hops":[{"url":"https://a.example/","status_code":301,"address":"192.0.2.1:443","#
        + #""timings":{"dns_ms":1,"total_ms":9},"tcp":{"syn_retransmits":0,"retransmits":7}},"#
        + #"{"url":"https://b.example/"}],"truncated":true,"tcp":{"syn_retransmits":1,"retransmits":2,"#
        + #""rtt_ms":3,"rttvar_ms":0.45,"rto_ms":204,"mss":1448,"path_mtu":1500}"#)
  }

  @Test func timings() throws {
    var facts = ProbeFacts()
    facts.responseTime = .microseconds(1500)
    facts.timings = Timings(
      dns: .milliseconds(1), connect: .milliseconds(2), startTLS: .milliseconds(3), tls: .milliseconds(4),
      firstByte: .milliseconds(5), transfer: .microseconds(6500), total: .milliseconds(21))
    #expect(
      try rest(facts) == #""response_time_ms":1.5,"timings":{"dns_ms":1,"connect_ms":2,"starttls_ms":3,"#
        + #""tls_ms":4,"first_byte_ms":5,"transfer_ms":6.5,"total_ms":21}"#)
  }

  /// The port of an ICMP ping is none; the version is that of the address.
  @Test func addresses() throws {
    var facts = ProbeFacts()
    facts.peer = SocketAddress(.v4(0xc000_0201), port: 0)
    #expect(try rest(facts) == #""address":"192.0.2.1","ip_version":4"#)
    facts.peer = SocketAddress(.v6(high: 0x2001_0db8_0000_0000, low: 1), port: 443)
    #expect(try rest(facts) == #""address":"[2001:db8::1]:443","ip_version":6"#)
  }

  @Test func chains() throws {
    var facts = ProbeFacts()
    let leaf = CertificateFacts(
      subject: "CN=a", issuer: "CN=b", notBefore: slot, notAfter: slot.advanced(by: .seconds(86_400)),
      serial: "0a", sha256: "ff", sans: ["a.example", "b.example"], sansTotal: 70)
    facts.tls = TLSFacts(verified: true, chain: [leaf])
    #expect(
      try rest(facts) == #""tls":{"verified":true,"chain":[{"subject":"CN=a","issuer":"CN=b","#
        + #""not_before":"2026-01-04T02:00:00.000Z","not_after":"2026-01-05T02:00:00.000Z","#
        + #""serial":"0a","sha256":"ff","sans":["a.example","b.example"],"sans_total":70}]}"#)
  }

  /// The number of answers is there where some are left out, and what was ignored where something was.
  @Test func answersOfNameServers() throws {
    var facts = ProbeFacts()
    var dns = DNSFacts(
      rcode: "NXDOMAIN", answers: [DNSAnswer(name: "a.example.", type: "A", ttl: 60, data: "192.0.2.1")],
      authoritative: true, truncated: false, transport: "dot")
    let answers = #""answers":[{"name":"a.example.","type":"A","ttl":60,"data":"192.0.2.1"}],"#
    (dns.authentic, dns.answerCount) = (false, 1)
    facts.dns = dns
    let start = #""dns":{"rcode":"NXDOMAIN","# + answers
    #expect(
      try rest(facts) == start + #""authoritative":true,"authentic":false,"truncated":false,"#
        + #""transport":"dot"}"#)
    (dns.authentic, dns.answerCount, dns.authoritative, dns.truncated) = (true, 2, false, true)
    (dns.ignored, dns.errors) = (3, ["signature expired", "lame"])
    facts.dns = dns
    #expect(
      try rest(facts) == start + #""answer_count":2,"authoritative":false,"authentic":true,"truncated":true,"#
        + #""transport":"dot","ignored":3,"errors":["signature expired","lame"]}"#)
  }

  @Test func pings() throws {
    var facts = ProbeFacts()
    facts.ping = PingFacts(
      sent: 8, received: 5, minimum: .milliseconds(1), average: .microseconds(2500),
      maximum: .milliseconds(4), standardDeviation: .microseconds(700), jitter: .microseconds(900))
    facts.ping?.refused = 2
    #expect(
      try rest(facts) == #""ping":{"sent":8,"received":5,"loss":37.5,"min_ms":1,"avg_ms":2.5,"max_ms":4,"#
        + #""stddev_ms":0.7,"jitter_ms":0.9,"refused":2}"#)
    #expect(PingFacts(sent: 0, received: 0).loss == 0 && PingFacts(sent: 3, received: 0).loss == 100)
  }

  @Test func stepsConditionsAndAddresses() throws {
    var facts = ProbeFacts()
    facts.dialog = [
      DialogStepFacts(what: "EHLO", elapsed: .milliseconds(3), ok: true),
      DialogStepFacts(what: "expect", elapsed: .microseconds(4500), ok: false, seen: "554\n"),
    ]
    facts.assertions = [
      Assertion(what: "status", expected: "200-299", actual: "503", ok: false),
      Assertion(what: "body.contains", expected: "ok", actual: "", ok: true),
    ]
    facts.addresses = [
      AddressVerdict(
        address: "192.0.2.1:80", verdict: Verdict(.connectTimeout, phase: .connect, message: "no answer")),
      AddressVerdict(
        address: "192.0.2.2:80", verdict: .ok, responseTime: .milliseconds(7),
        timings: Timings(connect: .milliseconds(2)), statusCode: 204),
    ]
    facts.excerpt = "oops"
    let expected = #"""
      "dialog":[{"what":"EHLO","elapsed_ms":3,"ok":true},\#
      {"what":"expect","elapsed_ms":4.5,"ok":false,"seen":"554\\u{a}"}],\#
      "assertions":[{"what":"status","expected":"200-299","actual":"503","ok":false},\#
      {"what":"body.contains","expected":"ok","actual":"","ok":true}],\#
      "addresses":[{"address":"192.0.2.1:80","status":"timeout","state":"down",\#
      "reason":"connect_timeout","phase":"connect","message":"no answer"},\#
      {"address":"192.0.2.2:80","status":"success","state":"up","reason":"ok","response_time_ms":7,\#
      "timings":{"connect_ms":2},"status_code":204}],"excerpt":"oops"
      """#
    #expect(try rest(facts) == expected)
  }

  /// Every try of a run, with the addresses that were raced in it.
  @Test func attempts() throws {
    var full = try result()
    full.attempts = [
      AttemptFacts(
        startedAt: slot, status: .timeout, reason: .connectTimeout, responseTime: nil,
        dialled: [
          DialledAddress(
            address: "[::1]:1", outcome: .failed, reason: .connectRefused, after: .zero,
            elapsed: .milliseconds(2)),
          DialledAddress(
            address: "127.0.0.1:1", outcome: .abandoned, after: .milliseconds(50),
            elapsed: .microseconds(1250)),
        ]),
      AttemptFacts(
        startedAt: slot.advanced(by: .seconds(2)), status: .success, reason: .ok,
        responseTime: .milliseconds(16)),
    ]
    let text = full.json
    let start = try #require(text.firstRange(of: #""attempts":"#))
    #expect(
      String(text[start.upperBound...]) == #"[{"started_at":"2026-01-04T02:00:00.000Z","status":"timeout","#
        + #""reason":"connect_timeout","dialled":[{"address":"[::1]:1","outcome":"failed","#
        + #""reason":"connect_refused","after_ms":0,"elapsed_ms":2},"#
        + #"{"address":"127.0.0.1:1","outcome":"abandoned","after_ms":50,"elapsed_ms":1.25}]},"#
        + #"{"started_at":"2026-01-04T02:00:02.000Z","status":"success","reason":"ok","#
        + #""response_time_ms":16}]}"#)
  }

  /// The fields of the apps' results that are called otherwise here stand behind the id.
  @Test func namesOfTheApps() throws {
    var facts = ProbeFacts()
    facts.responseTime = .milliseconds(30)
    var json = JSONWriter()
    try result(facts: facts).write(withAppNames: true, to: &json)
    #expect(
      json.text.hasPrefix(
        #"{"id":"019a0000-0000-7000-8000-000000000001","checked_at":"2026-01-04T02:00:00.250Z","#
          + #""response_time":30,"check_id":"e8695924-c804-5d61-b8e5-290b1d8e600a","check":"Shop front","#
          + #""type":"http","target":"https://shop.example/health","trigger":"manual","#
          + #""scheduled_at":"2026-01-04T02:00:00.000Z","started_at":"2026-01-04T02:00:00.250Z","#
          + #""late_ms":250,"#))
    #expect(json.text.hasSuffix(#""reason":"ok","response_time_ms":30}"#))
  }

  /// The document of a trace, as it stands in a result and by itself.
  @Test func traces() throws {
    var trace = RouteTrace(
      host: "shop.example", target: SocketAddress(.v4(0xc000_0201), port: 443), startedAt: slot,
      elapsed: .milliseconds(1500), method: .tcp, why: "the port of the check", flows: 3,
      hops: [TraceHop(ttl: 1, sent: 2)], end: .silent(after: 1), mtu: 1400,
      narrowings: [TraceNarrowing(ttl: 1, by: nil, mtu: 1400)])
    let text =
      #"{"host":"shop.example","address":"192.0.2.1","port":443,"method":"tcp","#
      + #""why":"the port of the check","flows":3,"started_at":"2026-01-04T02:00:00.000Z","elapsed_ms":1500,"#
      + #""end":{"kind":"silent","ttl":1},"mtu":1400,"narrowings":[{"ttl":1,"mtu":1400}],"#
      + #""hops":[{"ttl":1,"sent":2,"received":0,"loss":100,"answers":[]}]}"#
    #expect(trace.json == text)
    var facts = ProbeFacts()
    facts.account = ProbeAccount()
    let bare = try result().json
    #expect(try result(facts: facts).json == bare)
    facts.account?.trace = trace
    #expect(try rest(facts) == #""trace":"# + text)
    (trace.target.port, trace.mtu, trace.narrowings, trace.hops) = (0, nil, [], [])
    (trace.method, trace.end) = (.icmp, .reached("echo reply"))
    #expect(
      trace.json.hasSuffix(#""elapsed_ms":1500,"end":{"kind":"reached","says":"echo reply"},"hops":[]}"#))
    #expect(!trace.json.contains("port\"") && trace.json.contains(#""method":"icmp""#))
  }
}
