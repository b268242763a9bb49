// SPDX-License-Identifier: MIT

import Basics
import Import
import Monitoring
import Testing

@testable import Agent

/// A finding of /probe as blackbox_exporter's metrics: each figure by its name and labels.
@Suite struct ProbeMetricsTests {
  func ask(_ yaml: String, target: String = "http://shop.example/") throws -> ProbeFinding {
    let module = try #require(try BlackboxModule.read(Array("modules:\n  m:\n    \(yaml)\n".utf8)).first)
    return ProbeFinding(module, target)
  }

  func result(_ verdict: Verdict, _ fill: (inout ProbeFacts) -> Void) throws -> CheckResult {
    var facts = ProbeFacts()
    fill(&facts)
    return CheckResult(
      id: UniqueID(high: 5, low: 1), check: try tcpCheck("Shop"), trigger: .manual, scheduledAt: .epoch,
      startedAt: .epoch, late: .zero, verdict: verdict, facts: facts)
  }

  /// Every sample, by name and labels.
  func samples(_ finding: ProbeFinding) -> [String: String] {
    var found: [String: String] = [:]
    for line in ProbeMetrics.text(finding).split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " ") else { continue }
      found[String(line[..<space])] = String(line[line.index(after: space)...])
    }
    return found
  }

  /// An answer after one redirect, of two addresses.
  private func answer(_ facts: inout ProbeFacts) {
    (facts.statusCode, facts.httpVersion) = (200, "2")
    facts.hops = [
      Hop(
        url: "http://shop.example/", statusCode: 301, address: "192.0.2.1:80",
        timings: Timings(
          dns: .milliseconds(250), connect: .milliseconds(500), firstByte: .milliseconds(125))),
      Hop(
        url: "https://shop.example/a", statusCode: 200, address: "[2001:db8::1]:443",
        timings: Timings(
          dns: .milliseconds(500), connect: .milliseconds(1250), tls: .milliseconds(3500),
          firstByte: .milliseconds(750), transfer: .milliseconds(2250))),
    ]
    facts.timings = Timings(dns: .seconds(9))
    facts.peer = IPAddress("2001:db8::1").map { SocketAddress($0, port: 443) }
    var account = ProbeAccount()
    (account.locations, account.bodyBytes) = (["https://shop.example/a", nil], 2000)
    account.headers = [
      AnswerHeader(name: "Content-Length", value: "1"), AnswerHeader(name: "content-length", value: "1234"),
      AnswerHeader(name: "Last-Modified", value: "Sun, 06 Nov 1994 08:49:37 GMT"),
    ]
    facts.account = account
    facts.tls = tls
  }

  private var tls: TLSFacts {
    func certificate(_ subject: String, until end: Int64, _ sans: [String]) -> CertificateFacts {
      CertificateFacts(
        subject: subject, issuer: "CN=\(subject)'s issuer", notBefore: .epoch,
        notAfter: Timestamp(seconds: end),
        serial: "01", sha256: "AB\(end)", sans: sans)
    }
    let names = ["shop.example", "192.0.2.1", "a@b.example", "spiffe://x", "*.b.example"]
    return TLSFacts(
      version: "TLSv1.3", verified: true, pathNotAfter: Timestamp(seconds: 500),
      chain: [certificate("a \"b\" \\c", until: 700, names), certificate("d", until: 600, ["e.example"])])
  }

  /// The dial is of the first request, the answer is the last one's, and parts are sums.
  @Test func anAnswerAfterARedirect() throws {
    var finding = try ask("prober: http")
    finding.result = try result(.ok, answer)
    finding.elapsed = .milliseconds(1500)
    func phase(_ name: String) -> String { "probe_http_duration_seconds{phase=\"\(name)\"}" }
    let certificate =
      #"probe_ssl_last_chain_info{fingerprint_sha256="ab700",issuer="CN=a \"b\" \\c's issuer","#
      + #"subject="a \"b\" \\c",subjectalternative="shop.example,*.b.example"}"#
    let expected: [String: String] = [
      "probe_success": "1", "probe_duration_seconds": "1.5", "probe_dns_lookup_time_seconds": "0.25",
      "probe_ip_protocol": "4", "probe_ip_addr_hash": "1969986452", phase("resolve"): "0.75",
      phase("connect"): "1.75", phase("tls"): "3.5", phase("processing"): "0.875",
      phase("transfer"): "2.25", "probe_failed_due_to_regex": "0", "probe_http_content_length": "1234",
      "probe_http_uncompressed_body_length": "2000", "probe_http_redirects": "1", "probe_http_ssl": "1",
      "probe_http_status_code": "200", "probe_http_version": "2",
      "probe_http_last_modified_timestamp_seconds": "784111777", "probe_ssl_earliest_cert_expiry": "600",
      "probe_ssl_last_chain_expiry_timestamp_seconds": "500",
      "probe_tls_version_info{version=\"TLS 1.3\"}": "1",
      certificate: "1",
    ]
    #expect(samples(finding) == expected)
    finding.bodyLimit = 100
    #expect(samples(finding)["probe_http_uncompressed_body_length"] == "100")
    finding.bodyLimit = 3000
    #expect(samples(finding)["probe_http_uncompressed_body_length"] == "2000")
    finding.result?.tls?.verified = false
    #expect(samples(finding)["probe_ssl_last_chain_expiry_timestamp_seconds"] == "-62135596800")
  }

  /// A failure before the last answer leaves none; after it the answer counts.
  @Test func failuresOfARequest() throws {
    func figures(_ verdict: Verdict, _ change: (inout ProbeFacts) -> Void = { _ in }) throws -> [String] {
      var finding = try ask("prober: http")
      finding.result = try result(verdict) { facts in
        answer(&facts)
        change(&facts)
      }
      let found = samples(finding)
      let names = [
        "status_code", "version", "ssl", "content_length", "uncompressed_body_length", "redirects",
      ]
      #expect(found["probe_success"] == (verdict.isSuccess ? "1" : "0"))
      let info =
        "probe_failure_info{reason=\"\(verdict.reason.rawValue)\",phase=\"\(verdict.phase?.rawValue ?? "")\"}"
      #expect(found[info] == (verdict.isSuccess ? nil : "1"))
      #expect(
        (found["probe_tls_version_info{version=\"TLS 1.3\"}"] == "1") == (found["probe_http_ssl"] == "1"))
      return names.map { found["probe_http_\($0)"] ?? "none" } + [
        found["probe_failed_due_to_regex"] ?? "none"
      ]
    }
    let all = ["200", "2", "1", "1234", "2000", "1", "0"]
    let none = ["0", "0", "0", "0", "0", "1", "0"]
    for phase in [Phase.prepare, .dns, .connect, .proxy, .tls, .starttls, .firstByte] {
      #expect(try figures(Verdict(.localFault, phase: phase)) == none, "\(phase)")
    }
    for phase in [Phase.transfer, .assertion] {
      #expect(try figures(Verdict(.httpStatus, phase: phase)) == all, "\(phase)")
    }
    #expect(try figures(Verdict(.responseTime, degraded: true)) == all)
    #expect(try figures(.ok) { $0.statusCode = nil } == none)
    for reason in [Reason.httpRedirectLimit, .httpRedirectRefused] {
      let redirect = try figures(Verdict(reason, phase: .prepare)) { facts in
        facts.statusCode = 302
        facts.account?.locations = [nil, "https://other.example/"]
      }
      #expect(redirect == ["302", "2", "1", "1234", "0", "2", "0"], "also the one that was not followed")
    }
  }

  /// A status leads on where the answer says where to, and is one of the five.
  @Test func answersThatLeadOn() throws {
    for (status, leads) in [
      (300, false), (301, true), (302, true), (303, true), (304, false), (307, true), (308, true),
      (200, false),
    ] {
      for location in ["/b", nil] {
        var finding = try ask("prober: http")
        finding.result = try result(.ok) { facts in
          answer(&facts)
          facts.statusCode = status
          facts.account?.locations = ["/a", location]
        }
        let isLed = leads && location != nil
        #expect(samples(finding)["probe_http_redirects"] == (isLed ? "2" : "1"), "\(status)")
        #expect(samples(finding)["probe_http_uncompressed_body_length"] == (isLed ? "0" : "2000"))
      }
    }
  }

  /// Go's ContentLength where no header says it.
  @Test(
    arguments: [
      (204, "1.1", 0, "0"), (304, "1.1", 0, "0"), (200, "1.1", 0, "-1"), (200, "2", 0, "0"),
      (200, "2", 1, "-1"), (205, "1.1", 5, "-1"),
    ])
  func lengthsThatAreNotSaid(status: Int, version: String, bytes: Int, length: String) throws {
    for headers in [[], [AnswerHeader(name: "Content-Length", value: "many")]] {
      var finding = try ask("prober: http")
      finding.result = try result(.ok) { facts in
        answer(&facts)
        (facts.statusCode, facts.httpVersion) = (status, version)
        facts.account?.headers = headers
        facts.account?.bodyBytes = bytes
      }
      let found = samples(finding)
      #expect(found["probe_http_content_length"] == length)
      #expect(found["probe_http_last_modified_timestamp_seconds"] == nil)
    }
  }

  /// The exporter looks at patterns once the status is as it should be.
  @Test func failuresByPattern() throws {
    func isByPattern(_ reason: Reason, status: Bool, _ others: [(String, Bool)]) throws -> Bool {
      var finding = try ask("prober: http")
      finding.result = try result(reason == .ok ? .ok : Verdict(reason, phase: .assertion)) { facts in
        answer(&facts)
        facts.assertions = ([("status", status)] + others).map {
          Assertion(what: $0.0, expected: "a", actual: "b", ok: $0.1)
        }
      }
      return samples(finding)["probe_failed_due_to_regex"] == "1"
    }
    #expect(try isByPattern(.body, status: false, []) && isByPattern(.header, status: false, []))
    #expect(try !isByPattern(.httpStatus, status: false, [("body.matches", false)]))
    #expect(try isByPattern(.responseTime, status: true, [("body.matches", false)]))
    #expect(try isByPattern(.responseTime, status: true, [("headers.x", true), ("header.x", false)]))
    #expect(try !isByPattern(.responseTime, status: true, [("body.matches", true), ("json.a", false)]))
    #expect(try !isByPattern(.ok, status: true, [("body.matches", true)]))
  }

  /// The address is the first request's, or the dialled one; through a proxy it is the target's, if it is one.
  @Test func addressesOfTargets() throws {
    func figures(_ finding: ProbeFinding) -> [String?] {
      let found = samples(finding)
      return ["probe_ip_protocol", "probe_ip_addr_hash", "probe_dns_lookup_time_seconds"].map { found[$0] }
        + ["resolve", "connect"].map { found["probe_http_duration_seconds{phase=\"\($0)\"}"] }
    }
    var plain = try ask("prober: http")
    #expect(
      figures(plain) == ["0", "0", "0", "0", nil], "nothing was dialled: no part but the first is known")
    plain.result = try result(.ok) { facts in
      facts.peer = IPAddress("2001:db8::1").map { SocketAddress($0, port: 80) }
      facts.timings = Timings(dns: .milliseconds(250), connect: .milliseconds(500))
    }
    #expect(figures(plain) == ["6", "1851458804", "0.25", "0.25", "0.5"])
    let proxy = "prober: http\n    http:\n      proxy_url: http://proxy.example:3128"
    for (target, version, hash) in [
      ("http://192.0.2.9:8080/", "4", "1835765500"), ("http://shop.example/", "0", "0"),
    ] {
      var finding = try ask(proxy, target: target)
      finding.result = try result(.ok, answer)
      #expect(figures(finding) == [version, hash, "0.25", "0.75", "1.75"])
    }
    var skipped = try ask(proxy + "\n      skip_resolve_phase_with_proxy: true")
    skipped.result = try result(.ok, answer)
    #expect(figures(skipped) == [nil, nil, nil, nil, "1.75"])
  }

  /// An end of the stream is a pattern that did not match, and silence is not; a certificate is of a dialog.
  @Test func streams() throws {
    let rows: [(Verdict, regex: String, isSecured: Bool)] = [
      (.ok, "0", true), (Verdict(.dialog, phase: .dialog), "1", true),
      (Verdict(.connectionClosed, phase: .dialog), "1", true),
      (Verdict(.firstByteTimeout, phase: .dialog), "0", true),
      (Verdict(.connectionClosed, phase: .tls), "0", false),
      (Verdict(.certificateExpiring, phase: .assertion), "0", true),
      (Verdict(.tlsUntrusted, phase: .tls), "0", false),
    ]
    for row in rows {
      var finding = try ask("prober: tcp", target: "shop.example:443")
      finding.result = try result(row.0) { $0.tls = tls }
      let found = samples(finding)
      #expect(found["probe_failed_due_to_regex"] == row.regex, "\(row.0)")
      #expect((found["probe_ssl_earliest_cert_expiry"] == "600") == row.isSecured, "\(row.0)")
    }
    var finding = try ask("prober: tcp", target: "shop.example")
    #expect(samples(finding)["probe_ip_protocol"] == nil, "without a port nothing is resolved")
    finding.reason = .dnsNXDomain
    #expect(samples(finding)["probe_ip_protocol"] == "0")
    #expect(samples(finding)["probe_failure_info{reason=\"dns_nxdomain\",phase=\"prepare\"}"] == "1")
    finding.result = try result(.ok) { facts in
      facts.tls = tls
      facts.tls?.version = nil
    }
    #expect(samples(finding)["probe_ssl_earliest_cert_expiry"] == nil)
  }
}
