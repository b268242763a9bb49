// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import Status
import StatusServer
import StatusSupport
import Testing

/// The page's button: a form that a browser can send and a foreign page cannot.
@Suite struct RunButtonTests {
  private let token = "0123456789abcdef"

  private func source(_ outcome: RunNowOutcome, token: String? = nil) throws -> FixedSource {
    var source = try sampleSource()
    source.outcome = outcome
    source.token = (token ?? self.token).isEmpty ? nil : Redacted(token ?? self.token)
    return source
  }

  private var basic: String { "Authorization: Basic \(Data("me:\(token)".utf8).base64EncodedString())\r\n" }

  /// Where the form of the check's page leads; nil without one.
  private func form(_ address: ListenAddress, _ check: MonitoringCheck) async throws -> String? {
    let page = try await get(address, "/checks/\(check.id)").body
    #expect(!page.contains(token))
    guard let start = page.range(of: "<form method=\"post\" action=\"") else { return nil }
    return String(page[start.upperBound...].prefix { $0 != "\"" })
  }

  private func press(_ address: ListenAddress, _ target: String, _ headers: String) async throws
    -> RawResponse
  {
    try await exchange(
      address,
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        + "Content-Length: 0\r\n\(headers)Connection: close\r\n\r\n")
  }

  @Test func onlyWhereSomebodyMayRunChecks() async throws {
    let check = try makeCheck("Shop front", host: "shop.example")
    try await withServer(try source(.noSuchCheck, token: "")) { address in
      let absent = try await form(address, check)
      #expect(absent == nil)
      let answer = try await press(address, "/checks/\(check.id)/run?proof=x", basic)
      #expect(answer.status == 403 && answer.body.contains("status.run_now_token"))
    }
    try await withServer(try source(.noSuchCheck)) { address in
      let action = try await form(address, check)
      #expect(action?.hasPrefix("/checks/\(check.id)/run?proof=") == true)
      let off = try makeCheck("Old site", host: "old.example", enabled: false)
      let disabled = try await form(address, off)
      #expect(disabled == nil)
    }
  }

  /// The answer stands beside the button: of the newest result alone, where a person asked for it less than five minutes ago.
  @Test func theAnswerStandsBesideTheButton() async throws {
    let check = try makeCheck("Shop front", host: "shop.example")
    func page(_ age: Int64, _ trigger: Trigger) async throws -> String {
      var source = try source(.noSuchCheck)
      var result = makeResult(check, minute: 1, state: .down)
      result.trigger = trigger
      result.startedAt = source.status.now.advanced(by: .seconds(-age))
      source.results[check.id] = [result]
      return try await withServer(source) { try await get($0, "/checks/\(check.id)").body }
    }
    let fresh = try await page(299, .manual)
    let answer = try #require(fresh.components(separatedBy: "</form>").last?.prefix(300))
    #expect(
      answer.hasPrefix("<span role=\"status\">") && answer.contains("DOWN") && answer.contains("run now at"))
    let old = try await page(300, .manual), planned = try await page(1, .schedule)
    #expect(!old.contains("run now at") && !planned.contains("run now at"))
  }

  @Test func thePasswordRunsTheCheckAndLeadsBack() async throws {
    let check = try makeCheck("Shop front", host: "shop.example")
    try await withServer(try source(.done(makeResult(check, minute: 1, state: .up)))) { address in
      let action = try #require(try await form(address, check))
      let asked = try await press(address, action, "")
      #expect(asked.status == 303)
      #expect(asked.header("Location") == "/sign-in?to=%2Fchecks%2F\(check.id)")
      let done = try await press(address, action, basic + "Sec-Fetch-Site: same-origin\r\n")
      #expect(done.status == 303)
      #expect(done.header("Location") == "/checks/\(check.id)")
      // A browser that tells nothing.
      let silent = try await press(address, action, basic)
      #expect(silent.status == 303)
    }
  }

  /// The browser would send the password along whatever page asks.
  @Test func aForeignPageRunsNothing() async throws {
    let check = try makeCheck("Shop front", host: "shop.example")
    try await withServer(try source(.done(makeResult(check, minute: 1, state: .up)))) { address in
      let action = try #require(try await form(address, check))
      for site in ["cross-site", "same-site", "none"] {
        let answer = try await press(address, action, basic + "Sec-Fetch-Site: \(site)\r\n")
        #expect(answer.status == 403)
      }
      for target in [
        "/checks/\(check.id)/run", "/checks/\(check.id)/run?proof=", "/checks/\(check.id)/run?proof=1",
        action + "1",
      ] {
        let answer = try await press(address, target, basic)
        #expect(answer.status == 403, "\(target)")
        #expect(answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
      }
      // The same for the document of programs: what a browser keeps is no token there.
      let document = try await press(address, "/api/v1/checks/\(check.id)/run", basic)
      #expect(document.status == 401)
    }
  }

  @Test(
    arguments: [
      (.noSuchCheck, 404, "No enabled check"), (.busy("a run is under way"), 409, "a run is under way"),
      (.stopping, 503, "ending"),
    ] as [(RunNowOutcome, Int, String)])
  func whatDoesNotRunIsAPage(_ outcome: RunNowOutcome, _ status: Int, _ words: String) async throws {
    let check = try makeCheck("Shop front", host: "shop.example")
    try await withServer(try source(outcome)) { address in
      let action = try #require(try await form(address, check))
      let answer = try await press(address, action, basic)
      #expect(answer.status == status)
      #expect(answer.body.contains(words))
      // Reloading would be another request to run.
      #expect(!answer.body.contains("http-equiv"))
    }
  }

  @Test func maintenanceHasAChipOfItsOwn() async throws {
    var source = try source(.noSuchCheck)
    let index = try #require(source.status.checks.firstIndex { $0.name == "Shop front" })
    #expect(source.status.checks[index].state == .down)
    source.status.checks[index].maintenance = CheckMaintenance(
      name: "Patch night", until: now.advanced(by: .seconds(60)), skip: false)
    let id = source.status.checks[index].id
    try await withServer(source) { address in
      let all = try await get(address, "/").body
      #expect(all.contains("href=\"/?state=maintenance#checks\""))
      #expect(!all.contains(" down</h1>") && all.contains("1 in maintenance"))
      let chosen = try await get(address, "/?state=maintenance").body
      #expect(chosen.contains("/checks/\(id)") && !chosen.contains("Mail &lt;b&gt;"))
      let down = try await get(address, "/?state=down").body
      #expect(!down.contains("/checks/\(id)"))
      let list = try await get(address, "/api/v1/checks?state=maintenance").body
      #expect(list.contains("\(id)") && list.contains("\"total\":1"))
      let metrics = try await get(address, "/metrics").body
      #expect(metrics.contains("quartz_checks{state=\"maintenance\"} 1"))
      #expect(metrics.contains("quartz_checks{state=\"down\"} 0"))
      let text = try await get(address, "/api/v1/status.txt").body
      #expect(text.contains("0 down") && text.contains("1 in maintenance"))
      let page = try await get(address, "/checks/\(id)")
      #expect(page.body.contains("<title>MAINT"))
    }
  }
}
