// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks
@testable import Curl
@testable import Network

/// The sum of an attempt's hops, and whose fault a failure on the way is, without a server.
@Suite struct TrailRulesTests {
  private func plan(
    at url: String = "https://good.test/path", explains: Bool = false,
    _ change: (inout CheckDefinition) -> Void = { _ in }
  ) throws -> HTTPPlan {
    let check = try httpCheck(url, change)
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    return HTTPPlan(
      Attempt(of: check, until: .now + .seconds(5), explains: explains), settings,
      finder: TargetFinder(resolver: NameTable(), policy: EgressPolicy()), userAgent: "test")
  }

  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let peers = [
    SocketAddress(.v4(0xc000_0201), port: 443), SocketAddress(.v4(0xc000_0202), port: 8443),
  ]

  /// Stamps in milliseconds: start of the connection, its end, that of TLS, first byte and last byte.
  private func report(_ status: Int, _ stamps: [Int], queued: Int = 0) -> TransferReport {
    var report = TransferReport(outcome: .complete)
    (report.statusCode, report.httpVersion) = (status, status == 200 ? "2" : "1.1")
    let times = stamps.map { Duration.milliseconds($0) }
    (report.times.connectStart, report.times.connected) = (times[0], times[1])
    (report.times.tlsDone, report.times.requestStart) = (times[2], times[2])
    (report.times.firstByte, report.times.lastByte) = (times[3], times[4])
    (report.times.ended, report.times.queued) = (times[4], .milliseconds(queued))
    return report
  }

  /// Two hops, of which the first used TLS by what is known of it.
  private func trail(_ plan: HTTPPlan) throws -> HTTPTrail {
    var trail = HTTPTrail(plan, now: { Self.now })
    var first = report(302, [1, 11, 31, 71, 76], queued: 6)
    first.headers = [HeaderField("Location", "https://other.test:8443/next?secret=1")]
    first.tls = TLSReport(version: "TLSv1.2", cipher: nil, chain: [], problems: [])
    var step = HTTPStep(plan.settings)
    trail.add(
      DialledTransfer(report: first, peer: Self.peers[0], elapsed: .milliseconds(75), lateness: .zero), step,
      dns: .milliseconds(3))
    step.url = try HTTPURL("https://other.test:8443/next?secret=1")
    step.redirects = 1
    trail.add(
      DialledTransfer(
        report: report(200, [0, 1, 3, 7, 15], queued: 9), peer: Self.peers[1], elapsed: .milliseconds(15),
        lateness: .zero), step, dns: .milliseconds(16))
    return trail
  }

  /// The worst certificate of all hops decides, and the message names its hop; of equals it is the last one's.
  @Test(
    arguments: [
      (5, 364, "hop 1: certificate is valid until 2027-01-20T08:00:00.000Z, less than 21d from now", 5),
      (364, 5, "hop 2: certificate is valid until 2027-01-20T08:00:00.000Z, less than 21d from now", 5),
      (364, 300, nil, 300), (300, 364, nil, 300),
    ] as [(Int64, Int64, String?, Int)])
  func theWorstCertificateDecides(first: Int64, second: Int64, words: String?, days: Int) throws {
    let plan = try plan { $0.expect.certificate.warn = .seconds(21 * 86_400) }
    var trail = HTTPTrail(plan, now: { Self.now })
    var step = HTTPStep(plan.settings)
    for (index, left) in [first, second].enumerated() {
      var report = report(index == 0 ? 302 : 200, [0, 1, 3, 7, 15])
      let leaf = PresentedCertificate(
        subject: "CN=\(index)", issuer: "CN=ca", notBefore: 0, notAfter: 1_800_000_000 + left * 86_400,
        serial: "01", sha256: "00", alternativeNames: [])
      report.tls = TLSReport(version: "TLSv1.3", cipher: nil, chain: [leaf], problems: [])
      step.redirects = index
      trail.add(
        DialledTransfer(
          report: report, peer: Self.peers[index], elapsed: .milliseconds(15), lateness: .zero), step,
        dns: nil
      )
    }
    let outcome = trail.outcome(.answered(nil), within: CPUBudget(bytes: 0))
    #expect(outcome.verdict.message == words)
    #expect(outcome.verdict.state == (words == nil ? .up : .degraded))
    #expect(outcome.tls?.daysRemaining == days)
  }

  /// A certificate that is refused behind a redirect: its hop, and the name that was wanted, without the check's secrets.
  @Test func aCertificateThatIsRefusedAtAHop() throws {
    let plan = try plan { $0.headers = [("X-Key", Redacted("s3cr3t-key"))] }
    var trail = try trail(plan)
    var report = TransferReport(outcome: .complete)
    var tls = TLSReport(version: "TLSv1.3", cipher: nil, chain: [], problems: [.hostname])
    (tls.name, tls.details) = ("s3cr3t-key.good.test", [.hostname: "it is for good.test"])
    let failure = TransferFailure(.tls(.certificate(.hostname)), phase: .tls, message: tls.words)
    (report.outcome, report.tls) = (.failed(failure), tls)
    let dialled = DialledTransfer(report: report, peer: Self.peers[0], elapsed: .zero, lateness: .zero)
    var step = HTTPStep(plan.settings)
    step.url = try HTTPURL("https://s3cr3t-key.good.test/")
    step.redirects = 2
    trail.add(dialled, step, dns: nil)
    let verdict = HTTPRoute(plan: plan).verdict(failure, of: dialled, at: step.endpoint)
    let outcome = trail.outcome(.hopFailure(verdict), within: CPUBudget(bytes: 0))
    let words = "certificate is not for \(Redacted.mark).good.test (it is for good.test)"
    #expect(outcome.verdict == Verdict(.tlsHostname, phase: .tls, message: "hop 3: 192.0.2.1:443: \(words)"))
    #expect(outcome.tls?.verifyError == words)
    let reset = TransferFailure(.reset, phase: .tls, message: "words")
    let other = HTTPRoute(plan: plan).verdict(reset, of: dialled, at: step.endpoint)
    #expect(
      trail.outcome(.hopFailure(other), within: CPUBudget(bytes: 0)).verdict.message
        == "192.0.2.1:443: words")
  }

  /// Each part of the time is the sum over the hops, and everything else is the last hop's.
  @Test func partsAddUp() throws {
    let outcome = try trail(plan()).outcome(.answered(nil), within: CPUBudget(bytes: 0))
    #expect(outcome.verdict == .ok)
    #expect(
      outcome.timings
        == Timings(
          dns: .milliseconds(19), connect: .milliseconds(11), tls: .milliseconds(22),
          firstByte: .milliseconds(44), transfer: .milliseconds(13), total: .milliseconds(109)))
    #expect(outcome.responseTime == .milliseconds(109))
    #expect(outcome.hops.map(\.timings.total) == [.milliseconds(78), .milliseconds(31)])
    #expect(outcome.hops.map(\.statusCode) == [302, 200])
    #expect(outcome.hops.map(\.url) == ["https://good.test/path", "https://other.test:8443/next"])
    #expect(outcome.hops.map(\.address) == ["192.0.2.1:443", "192.0.2.2:8443"])
    #expect(outcome.peer == Self.peers[1] && outcome.statusCode == 200 && outcome.httpVersion == "2")
    // How long the first one waited for its turn, and the last certificate that was seen.
    #expect(outcome.held == .milliseconds(6))
    #expect(outcome.tls?.version == "TLSv1.2")
    #expect(!outcome.isHeldBack && outcome.account == nil && outcome.dialled.isEmpty)
  }

  /// A hop that could not be dialled adds the time of its name, and a refusal of the policy shows no time at all.
  @Test func whatEndedOnTheWay() throws {
    let missing = ProbeOutcome(
      Verdict(.dnsNXDomain, phase: .dns, message: "gone"), timings: Timings(dns: .milliseconds(5)))
    let ended = try trail(plan()).outcome(.ended(missing), within: CPUBudget(bytes: 0))
    #expect(ended.verdict == missing.verdict)
    #expect(ended.timings.dns == .milliseconds(24) && ended.timings.total == .milliseconds(114))
    #expect(ended.responseTime == .milliseconds(114) && ended.hops.count == 2)
    #expect(ended.assertions.map(\.actual) == ["200"])
    let denied = try trail(plan()).outcome(
      .ended(ProbeOutcome(RedirectRule.denied, timings: Timings(dns: .milliseconds(5)))),
      within: CPUBudget(bytes: 0))
    #expect(denied.verdict == RedirectRule.denied)
    #expect(denied.responseTime == nil && denied.timings == Timings() && denied.hops.count == 2)
    // Before the first hop there is nothing to add.
    let first = HTTPTrail(try plan(), now: { Self.now }).outcome(.ended(missing), within: CPUBudget(bytes: 0))
    #expect(first.verdict == missing.verdict && first.timings == missing.timings && first.hops.isEmpty)
    #expect(first.assertions == [Assertion(what: "status", expected: "200-299", actual: "", ok: false)])
  }

  /// Behind a proxy the address that was dialled is not the target's.
  @Test func addressesBehindAProxy() throws {
    let plan = try plan { $0.proxy = Redacted("http://proxy.test:3128") }
    let outcome = try trail(plan).outcome(.answered(nil), within: CPUBudget(bytes: 0))
    #expect(outcome.peer == nil && outcome.hops.map(\.address) == [nil, nil])
    #expect(outcome.timings.total == .milliseconds(109))
  }

  /// An explanation has where each hop led on, without the values of its query, and how much of a body came.
  @Test func anExplanation() throws {
    let plan = try plan(explains: true)
    var trail = HTTPTrail(plan, now: { Self.now })
    let step = HTTPStep(plan.settings)
    var answer = report(302, [0, 1, 2, 3, 4])
    answer.headers = [HeaderField("Location", "/next?a=b"), HeaderField("X-A", "1")]
    for (drained, kept) in [(0, 0), (900, 16), (0, 20)] {
      (answer.drained, answer.body) = (drained, [UInt8](repeating: 65, count: kept))
      trail.add(
        DialledTransfer(report: answer, peer: Self.peers[0], elapsed: .milliseconds(4), lateness: .zero),
        step, dns: nil)
      trail.note(.hostsFile, [Self.peers[0]], of: step)
      let account = try #require(trail.outcome(.answered(nil), within: CPUBudget(bytes: 0)).account)
      #expect(account.bodyBytes == max(drained, kept))
      #expect(account.locations.last == "/next?a=<redacted>")
      #expect(account.headers.map(\.name) == ["Location", "X-A"] && account.headersLeftOut == 0)
      #expect(account.names.last?.name == "good.test" && account.names.last?.source == .hostsFile)
      #expect(account.names.count == account.locations.count)
    }
  }

  /// The cost of judging: the check's own body, and of the answer's 64 KiB where nothing is held against it.
  @Test func weights() throws {
    func weight(_ bytes: Int, _ change: (inout CheckDefinition) -> Void) throws -> Int {
      let plan = try plan(change)
      var trail = HTTPTrail(plan, now: { Self.now })
      #expect(trail.weight == (plan.settings.body == nil ? 0 : 3))
      var answer = report(200, [0, 1, 2, 3, 4])
      answer.body = [UInt8](repeating: 65, count: bytes)
      trail.add(
        DialledTransfer(report: answer, peer: Self.peers[0], elapsed: .zero, lateness: .zero),
        HTTPStep(plan.settings), dns: nil)
      return trail.weight
    }
    #expect(try weight(65_535) { _ in } == 65_535)
    #expect(try weight(70_000) { _ in } == 65_536)
    #expect(try weight(70_000) { $0.http.expect.bodyContains = ["a"] } == 70_000)
    #expect(try weight(10) { ($0.method, $0.http.body) = ("POST", Redacted("abc")) } == 13)
  }

  /// Text that takes long to read: more than a KiB of other characters than ASCII, or a charset that a file is read for.
  @Test(
    arguments: [
      (nil, "a", 5000, false), (nil, "ä", 512, false), (nil, "ä", 513, true),
      ("text/html; charset=utf-8", "ä", 4, false), ("text/html; charset=koi8-r", "ä", 1, true),
      ("text/html; charset=koi8-r", "a", 9000, false), ("text/html; charset=latin1", "ä", 1, false),
    ] as [(String?, String, Int, Bool)])
  func textThatIsDear(type: String?, letter: String, count: Int, isDear: Bool) throws {
    let headers = HeaderBlock(type.map { [HeaderField("Content-Type", $0)] } ?? [])
    let body = Array(String(repeating: letter, count: count).utf8)
    #expect(BodyText.isDear(body, headers) == isDear)
    // Only a condition on characters has it read.
    let changes: [(inout CheckDefinition) -> Void] = [
      { $0.http.expect.bodyContains = ["a"] }, { _ in },
      { ($0.http.expect.bodyContains, $0.http.expect.comparesBytes) = (["a"], true) },
    ]
    for (place, change) in changes.enumerated() {
      let plan = try plan(change)
      var trail = HTTPTrail(plan, now: { Self.now })
      var answer = report(200, [0, 1, 2, 3, 4])
      (answer.headerBlock, answer.body) = (headers, body)
      trail.add(
        DialledTransfer(report: answer, peer: Self.peers[0], elapsed: .zero, lateness: .zero),
        HTTPStep(plan.settings), dns: nil)
      #expect(trail.isDearText == (isDear && place == 0), "\(place)")
    }
  }

  /// The time of the race that a connection won is that of connecting, with what its first use took; else libcurl's own.
  @Test func theTimeOfConnecting() {
    var dialled = DialledTransfer(
      report: report(200, [2, 7, 27, 57, 67]), peer: Self.peers[0], elapsed: .milliseconds(99),
      lateness: .zero)
    #expect(
      dialled.timings
        == Timings(
          connect: .milliseconds(5), tls: .milliseconds(20), firstByte: .milliseconds(30),
          transfer: .milliseconds(10), total: .milliseconds(99)))
    dialled.connect = .milliseconds(40)
    #expect(dialled.timings.connect == .milliseconds(45))
    (dialled.report.times.connectStart, dialled.report.times.connected) = (nil, nil)
    #expect(dialled.timings.connect == .milliseconds(40))
  }

  // MARK: Failures on the way to a proxy

  private func verdict(
    _ kind: TransferFailureKind, _ phase: TransferPhase, proxy: String?, isSecure: Bool = false
  ) throws -> Verdict {
    let plan = try plan(at: "http://good.test/") { $0.proxy = proxy.map(Redacted.init) }
    let failure = TransferFailure(kind, phase: phase, message: "words")
    var report = TransferReport(outcome: .failed(failure))
    if isSecure { report.tls = TLSReport(version: "TLSv1.3", cipher: nil, chain: [], problems: []) }
    let dialled = DialledTransfer(report: report, peer: Self.peers[0], elapsed: .zero, lateness: .zero)
    return HTTPRoute(plan: plan).verdict(failure, of: dialled, at: Endpoint(host: "good.test", port: 80))
  }

  /// A failure on the path to the proxy, or at it, is not the target's.
  @Test func whoseFaultItIs() throws {
    let (http, socks) = ("http://proxy.test:3128", "socks5h://proxy.test:1080")
    func expect(_ found: Verdict, _ reason: Reason, _ phase: Phase, _ message: String) {
      #expect(found.reason == reason && found.phase == phase && found.message == message, "\(found)")
    }
    expect(
      try verdict(.connectRefused, .connect, proxy: nil), .connectRefused, .connect, "192.0.2.1:443: words")
    expect(
      try verdict(.connectRefused, .connect, proxy: http), .proxyConnect, .proxy, "proxy.test:3128: words")
    let late = try verdict(.timeout, .connect, proxy: socks)
    expect(late, .proxyConnect, .proxy, "proxy.test:1080: words")
    #expect(late.status == .timeout)
    let local = try verdict(.local(.memory), .connect, proxy: http)
    expect(local, .localFault, .proxy, "words")
    // A plain request ends at an http proxy, which would say what the target did.
    for kind: TransferFailureKind in [.reset, .closed] {
      expect(
        try verdict(kind, .firstByte, proxy: http), .proxyConnect, .proxy,
        "proxy.test:3128: the proxy broke off before it had answered")
    }
    expect(try verdict(.reset, .firstByte, proxy: socks), .connectionReset, .firstByte, "good.test:80: words")
    expect(
      try verdict(.reset, .firstByte, proxy: http, isSecure: true), .connectionReset, .firstByte,
      "good.test:80: words")
    let relayed = "good.test:80, through the proxy proxy.test:3128: words"
    expect(try verdict(.closed, .transfer, proxy: http), .connectionClosed, .transfer, relayed)
    expect(try verdict(.timeout, .firstByte, proxy: http), .firstByteTimeout, .firstByte, relayed)
    expect(try verdict(.httpProtocol, .transfer, proxy: http), .httpProtocol, .transfer, relayed)
    expect(
      try verdict(.timeout, .firstByte, proxy: http, isSecure: true), .firstByteTimeout, .firstByte,
      "good.test:80: words")
    expect(
      try verdict(.timeout, .firstByte, proxy: socks), .firstByteTimeout, .firstByte, "good.test:80: words")
    expect(
      try verdict(.proxyAuthentication, .proxy, proxy: http), .proxyAuth, .proxy, "proxy.test:3128: words")
  }
}
