// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// The page of one check, part by part.
@Suite struct CheckPageTests {
  private func shop() throws -> CheckStatus {
    try #require(try sampleStatus().status.checks.first { $0.name == "Shop front" })
  }

  private func page(
    _ check: CheckStatus, _ results: [CheckResult] = [], forms: PageForms? = nil,
    _ change: (inout StatusSnapshot) -> Void = { _ in }
  ) throws -> String {
    var status = try sampleStatus().status
    change(&status)
    var page = CheckPage(snapshot: status, check: check, results: results)
    page.forms = forms
    return page.render(nonce: "n").html
  }

  private func facts(_ html: String, after begin: String) -> [String] {
    let part = html.components(separatedBy: begin).dropFirst().first?.components(separatedBy: "</dl>").first
    return (part ?? "").matches(of: /<dt>([^<]*)<\/dt><dd class="num">([^<]*)<\/dd>/).map {
      "\($0.1): \($0.2)"
    }
  }

  /// What is known of a check, line by line; what there is not is left out.
  @Test func factsOfACheck() throws {
    var check = try shop()
    let begin = "<section class=\"card\"><dl class=\"facts\">"
    check.last?.startedAt = now.advanced(by: .seconds(-90))
    check.last?.responseTime = .microseconds(12_340)
    check.since = now.advanced(by: .seconds(-7300))
    check.maintenance = CheckMaintenance(name: "night", until: now.advanced(by: .seconds(3600)), skip: true)
    (check.mutedUntil, check.acknowledgedBy) = (now.advanced(by: .seconds(1800)), "ann")
    (check.resourceID, check.failures) = (UniqueID(high: 1, low: 2), 3)
    check.parents = ["Gateway", "Core"]
    check.runbook = "https://wiki.example/shop?a&b"
    let first = ["type: http", "target: http://shop.example/health", "every: \(check.interval.text)"]
    let html = try page(check)
    #expect(
      facts(html, after: begin) == first + [
        "down for: 2h", "last result: 1m ago", "latency: 12.3 ms", "status code: 503",
        "maintenance: night, until 2026-01-01 03:00:00 UTC, not probed",
        "muted: until 2026-01-01 02:30:00 UTC", "acknowledged by: ann",
        "resource: \(UniqueID(high: 1, low: 2))", "failures in a row: 3", "tags: team:shop, prod",
        "depends on: Gateway, Core",
      ])
    let address = "https://wiki.example/shop?a&amp;b"
    #expect(
      html.contains("<dt>runbook</dt><dd><a href=\"\(address)\" rel=\"noreferrer\">\(address)</a></dd>"))
    check.maintenance?.skip = false
    check.failures = 0
    let calm = try facts(page(check), after: begin)
    #expect(calm.contains("maintenance: night, until 2026-01-01 03:00:00 UTC"))
    #expect(!calm.contains { $0.hasPrefix("failures") } && calm.contains { $0.hasPrefix("resource") })
    (check.maintenance, check.mutedUntil, check.acknowledgedBy) = (nil, nil, nil)
    (check.since, check.last, check.resourceID, check.runbook) = (nil, nil, nil, nil)
    (check.tags, check.parents) = ([], [])
    let bare = try page(check)
    // The outage is known still.
    #expect(facts(bare, after: begin) == first + ["in this state for: 3m"] && !bare.contains("runbook"))
  }

  /// Why it is as it is: the words of the last result, or what is waited for.
  @Test func theReason() throws {
    var check = try shop()
    check.last?.message = "status 503"
    // What the page shows itself is no advice to look elsewhere.
    #expect(try page(check).contains("<span>http_status: status 503</span></div></section>"))
    check.last?.reason = .connectRefused
    check.last?.message = "refused"
    let hint = "<span class=\"hint\">→ see whether the service runs, and on which address and port</span>"
    #expect(try page(check).contains("<span>connect_refused: refused</span>\(hint)</div></section>"))
    check.last?.reason = .httpStatus
    check.last?.message = nil
    #expect(try page(check).contains("<span>http_status</span>"))
    check.last?.reason = .ok
    #expect(try !page(check).contains("<span>ok"))
    check.last = nil
    #expect(try page(check).contains("<span class=\"dim\">waiting for the first result</span>"))
    check.nextRun = now.advanced(by: .seconds(12))
    #expect(
      try page(check).contains("<span class=\"dim\">waiting for the first result: first run in 12s</span>"))
    check.enabled = false
    #expect(try page(check).contains("<span class=\"dim\">disabled: it does not run</span>"))
  }

  /// One word for how it stands, in the title, beside the name and as a mark; what is off is nothing else.
  @Test(
    arguments: [
      (true, false, true, "DOWN", "✕", "down", "down"),
      (true, false, false, "PENDING", "◌", "unknown", "unknown"),
      (true, true, true, "MAINT", "◆", "unknown", "off"), (true, true, false, "MAINT", "◆", "unknown", "off"),
      (false, false, true, "OFF", "–", "unknown", "off"), (false, true, false, "OFF", "–", "unknown", "off"),
    ] as [(Bool, Bool, Bool, String, String, String, String)])
  func howItStands(
    enabled: Bool, isMaintained: Bool, hasRun: Bool, word: String, mark: String, big: String, style: String
  ) throws {
    var check = try shop()
    check.enabled = enabled
    check.maintenance = isMaintained ? CheckMaintenance(name: "night", until: now, skip: false) : nil
    if !hasRun { check.last = nil }
    check.stale = hasRun
    let html = try page(check)
    #expect(html.contains("<title>\(word) · Shop front</title>"))
    #expect(html.contains("<span class=\"big mark \(big)\" aria-hidden=\"true\">\(mark)</span>"))
    let state =
      "<span class=\"state \(style)\"><i aria-hidden=\"true\">\(mark)</i> <span>\(word)</span></span>"
    #expect(html.contains(state) && Layout.state(check).html == state)
    #expect(html.contains("<span class=\"stale\">STALE: no recent result</span>") == hasRun)
  }

  /// The answer to the button: the time of a run that worked, else why not; of the newest result alone.
  @Test func theAnswerToTheButton() throws {
    let check = try shop()
    let made = try makeCheck("Shop front", host: "shop.example")
    var (good, bad) = (makeResult(made, minute: 118, state: .up), makeResult(made, minute: 118, state: .down))
    (good.trigger, bad.trigger) = (.manual, .manual)
    let forms = PageForms()
    let at = "<time datetime=\"2026-01-01T01:58:00.000Z\">2026-01-01 01:58:00</time></span></span>"
    let state = "<span role=\"status\">\(Layout.state(.up).html) "
    #expect(
      try page(check, [good], forms: forms).contains("\(state)<span class=\"dim\">76.8 ms, run now at \(at)"))
    #expect(
      try page(check, [bad, good], forms: forms).contains("<span class=\"dim\">http_status, run now at \(at)")
    )
    let planned = makeResult(made, minute: 119, state: .up)
    #expect(try !page(check, [planned, good], forms: forms).contains("run now at"))
    let action = "action=\"/checks/\(check.id)/run?proof=\(forms.proof)\""
    #expect(try page(check, forms: forms).contains(action) && !page(check).contains("Run now"))
    var off = check
    off.enabled = false
    #expect(try !page(off, forms: forms).contains("Run now"))
  }

  private func incident(_ number: UInt64, end: Timestamp? = nil) -> IncidentStatus {
    IncidentStatus(
      id: UniqueID(high: 1, low: number), short: "", title: "Shop is down", subject: .availability,
      severity: .high, begin: started.advanced(by: .seconds(3600)), end: end)
  }

  /// Ten incidents that tell of the check, however they know it, the open ones first.
  @Test func itsIncidents() throws {
    let check = try shop()
    var alerts = AlertsView()
    var (named, shown, over) = (
      incident(1), incident(4, end: started.advanced(by: .seconds(5400))), incident(5)
    )
    named.checks = [check.id]
    (named.acknowledgedBy, named.acknowledgedAt) = ("ann", started.advanced(by: .seconds(3660)))
    shown.members = [
      .init(
        checkID: check.id, name: "Shop", rule: "down", severity: .high, reason: nil, text: nil,
        since: started,
        until: nil)
    ]
    over.end = now
    alerts.open = [named, incident(2), incident(3)]
    alerts.incidentOf = [check.id: UniqueID(high: 1, low: 3)]
    alerts.over = [shown, over]
    func found(_ html: String) -> [String] {
      html.matches(of: /<li><a href="\/incidents\/([0-9a-f-]+)">/).map { String($0.1) }
    }
    let html = try page(check) { $0.alerts = alerts }
    #expect(found(html) == [1, 3, 4].map { UniqueID(high: 1, low: $0).description })
    let begin = "<time datetime=\"2026-01-01T01:00:00.000Z\">01:00</time> UTC, "
    let ago = "<time class=\"ago\" datetime=\"2026-01-01T01:00:00.000Z\">1h ago</time>"
    let known = " · ✓ acknowledged by <bdi>ann</bdi>, "
    #expect(html.contains("<span class=\"dim\">acknowledged · \(begin)\(ago)\(known)"))
    #expect(html.contains("<span class=\"dim\">active · \(begin)\(ago)</span>"))
    #expect(html.contains("<span class=\"dim\">resolved · \(begin)for 30m</span>"))
    alerts.over = Array(repeating: shown, count: 12)
    #expect(found(try page(check) { $0.alerts = alerts }).count == 10)
    (alerts.open, alerts.over, alerts.incidentOf) = ([incident(2)], [over], [:])
    #expect(try !page(check) { $0.alerts = alerts }.contains("id=\"incidents\""))
  }

  /// Facts of the newest handshake.
  @Test func theCertificate() throws {
    let made = try makeCheck("Shop front")
    var results = (0..<3).map { makeResult(made, minute: 119 - $0, state: .up) }
    let begin = "<h2>Certificate</h2><dl class=\"facts\">"
    #expect(try facts(page(shop(), results), after: begin) == [])
    func certificate(_ name: String) -> CertificateFacts {
      CertificateFacts(
        subject: "CN=\(name)", issuer: "CN=over \(name)", notBefore: started, notAfter: now, serial: "",
        sha256: "", sans: [])
    }
    results[1].tls = TLSFacts(
      version: "TLSv1.3", verified: false, verifyError: "expired", notAfter: now, daysRemaining: -1,
      chain: [certificate("shop"), certificate("root")])
    results[2].tls = TLSFacts(verified: true)
    #expect(
      try facts(page(shop(), results), after: begin) == [
        "verified: ✕ no", "because: expired", "version: TLSv1.3", "valid until: 2026-01-01 02:00:00 UTC",
        "expired: less than a day ago", "subject: CN=shop", "issuer: CN=over shop",
      ])
    results.remove(at: 1)
    #expect(try facts(page(shop(), results), after: begin) == ["verified: ● yes"])
  }
}
