// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@Suite struct CheckResultJSONTests {
  private static let id = UniqueID(high: 0x019a_0000_0000_7000, low: 0x8000_0000_0000_0001)
  private static let slot = Timestamp(milliseconds: 1_767_492_000_000)

  private func result(_ verdict: Verdict) throws -> CheckResult {
    var definition = CheckDefinition()
    definition.name = "Shop front"
    definition.type = "http"
    definition.url = "https://shop.example/health?token=s3cr3t"
    let check = try MonitoringCheck(definition)
    return CheckResult(
      id: Self.id, check: check, trigger: .schedule, scheduledAt: Self.slot,
      startedAt: Self.slot.advanced(by: .microseconds(1500)), late: .microseconds(1500), verdict: verdict)
  }

  private func document(_ result: CheckResult) throws -> JSONValue {
    try JSONValue.parse(Array(result.json.utf8))
  }

  /// What was not measured is absent, not null, zero or an empty list.
  @Test func bareResultHasOnlyWhatIsKnown() throws {
    #expect(
      try result(.ok).json == """
        {"id":"019a0000-0000-7000-8000-000000000001","check_id":"e8695924-c804-5d61-b8e5-290b1d8e600a",\
        "check":"Shop front","type":"http","target":"https://shop.example/health","trigger":"schedule",\
        "scheduled_at":"2026-01-04T02:00:00.000Z","started_at":"2026-01-04T02:00:00.001Z","late_ms":1.5,\
        "status":"success","state":"up","reason":"ok"}
        """)
  }

  @Test func failureSaysWhatWhereAndWhy() throws {
    let verdict = Verdict(.connectTimeout, phase: .connect, message: "no answer from 192.0.2.1:443\r\n")
    let json = try document(try result(verdict))
    #expect(json["status"]?.string == "timeout")
    #expect(json["state"]?.string == "down")
    #expect(json["reason"]?.string == "connect_timeout")
    #expect(json["phase"]?.string == "connect")
    #expect(json["message"]?.string == "no answer from 192.0.2.1:443\\u{d}\\u{a}")
    #expect(json["response_time_ms"] == nil)
    #expect(json["maintenance"] == nil)
  }

  @Test func everyFieldOfTheDocumentInItsPlace() throws {
    var full = try result(Verdict(.ok, degraded: true))
    full.responseTime = .microseconds(123_456)
    full.timings = Timings(
      dns: .milliseconds(1), connect: .milliseconds(2), startTLS: .milliseconds(7), tls: .milliseconds(3),
      firstByte: .microseconds(4500), transfer: .milliseconds(5), total: .milliseconds(23))
    full.hops = [Hop(url: "https://shop.example/", statusCode: 301, address: "192.0.2.1:443")]
    full.peer = SocketAddress(.v4(0xc000_0201), port: 443)
    full.statusCode = 200
    full.httpVersion = "1.1"
    full.tls = TLSFacts(
      version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", verified: true, notAfter: Self.slot,
      daysRemaining: 21)
    full.dns = DNSFacts(
      rcode: "NOERROR", answers: [DNSAnswer(name: "shop.example.", type: "A", ttl: 60, data: "192.0.2.1")],
      authoritative: false, truncated: true, transport: "udp")
    full.ping = PingFacts(sent: 4, received: 3, minimum: .milliseconds(1))
    full.assertions = [Assertion(what: "status", expected: "200-299", actual: "200", ok: true)]
    full.attempts = [
      AttemptFacts(startedAt: Self.slot, status: .success, reason: .ok, responseTime: .milliseconds(16))
    ]
    full.excerpt = "hello"
    full.maintenance = true
    let json = try document(full)
    #expect(
      json.members?.map(\.name) == [
        "id", "check_id", "check", "type", "target", "trigger", "scheduled_at", "started_at", "late_ms",
        "status",
        "state", "reason", "response_time_ms", "timings", "hops", "address", "ip_version", "status_code",
        "http_version", "tls", "dns", "ping", "assertions", "attempts", "excerpt", "maintenance",
      ])
    #expect(json["response_time_ms"]?.double == 123.456)
    #expect(
      json["timings"]?.members?.map(\.name) == [
        "dns_ms", "connect_ms", "starttls_ms", "tls_ms", "first_byte_ms", "transfer_ms", "total_ms",
      ])
    #expect(json["timings"]?["first_byte_ms"]?.double == 4.5)
    #expect(json["hops"]?[0]?["status_code"]?.integer == 301)
    #expect(json["hops"]?[0]?["timings"] == nil)
    #expect(json["tls"]?["days_remaining"]?.integer == 21)
    #expect(json["tls"]?["chain"] == nil)
    #expect(json["dns"]?["answers"]?[0]?["ttl"]?.integer == 60)
    #expect(json["ping"]?["loss"]?.double == 25)
    #expect(json["ping"]?.members?.map(\.name) == ["sent", "received", "loss", "min_ms"])
    #expect(json["ping"]?["sent"]?.integer == 4 && json["ping"]?["received"]?.integer == 3)
    #expect(json["assertions"]?[0]?["ok"]?.bool == true)
    #expect(json["attempts"]?[0]?["response_time_ms"]?.integer == 16)
    #expect(json["state"]?.string == "degraded")
    #expect(json["status"]?.string == "success")
  }

  /// Each time of a certificate and of its path is there on its own, with its own days.
  @Test func certificateAndPath() throws {
    func tls(_ facts: TLSFacts) throws -> String? {
      var full = try result(.ok)
      full.tls = facts
      return full.json.split(separator: "\"tls\":").last.map { String($0.dropLast()) }
    }
    let whole = try tls(
      TLSFacts(
        version: "TLSv1.2", cipher: "A", verified: false, verifyError: "expired", notAfter: Self.slot,
        daysRemaining: 21, pathNotAfter: Self.slot.advanced(by: .seconds(-86_400)), pathDaysRemaining: -3))
    #expect(
      whole == """
        {"version":"TLSv1.2","cipher":"A","verified":false,"verify_error":"expired",\
        "not_after":"2026-01-04T02:00:00.000Z","days_remaining":21,\
        "path_not_after":"2026-01-03T02:00:00.000Z","path_days_remaining":-3}
        """)
    let leaf = TLSFacts(verified: true, daysRemaining: 0)
    let path = TLSFacts(verified: true, pathDaysRemaining: 9)
    #expect(try tls(leaf) == #"{"verified":true,"days_remaining":0}"#)
    #expect(try tls(path) == #"{"verified":true,"path_days_remaining":9}"#)
  }

  @Test func halfMeasuredTimingsShowOnlyTheirHalf() throws {
    var partial = try result(Verdict(.tlsTimeout, phase: .tls))
    partial.timings = Timings(dns: .microseconds(250), connect: .zero)
    let json = try document(partial)
    #expect(json["timings"]?.members?.map(\.name) == ["dns_ms", "connect_ms"])
    #expect(json["timings"]?["connect_ms"]?.integer == 0)
  }

  @Test func querySecretIsNowhere() throws {
    #expect(!(try result(.ok).json.contains("s3cr3t")))
  }
}
