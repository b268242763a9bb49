// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import NIOHTTP1
import StatusSupport
import Testing
@testable import Status
@testable import StatusServer

/// The forms of incidents and checks: who may send them, and what they order.
@Suite struct PageActTests {
  private let token = "run-0123456789"
  private let incidentID = UniqueID(high: 7, low: 0xabc_def)

  /// The shop and the search are down, in one incident.
  private func source(_ orders: OrderLog = OrderLog()) throws -> FixedSource {
    var source = try sampleSource()
    source.token = Redacted(token)
    source.orders = orders
    var alerts = AlertsView()
    var incident = IncidentStatus(
      id: incidentID, short: "abcdef", title: "Shop front and 1 more are down: status 503",
      subject: .availability,
      severity: .high, begin: now.advanced(by: .seconds(-480)), end: nil)
    for check in source.status.checks where ["Shop front", "Search"].contains(check.name) {
      alerts.incidentOf[check.id] = incidentID
      incident.members.append(
        .init(
          checkID: check.id, name: check.name, rule: "down", severity: .high, reason: .httpStatus,
          text: "status 503", since: now.advanced(by: .seconds(-480)), until: nil))
    }
    (incident.memberCount, incident.alertCount) = (incident.members.count, incident.members.count)
    alerts.open = [incident]
    source.status.alerts = alerts
    return source
  }

  private func press(
    _ address: ListenAddress, _ fields: String, signedIn: Bool = true, _ headers: String = ""
  )
    async throws -> RawResponse
  {
    let basic = "Authorization: Basic \(Data("me:\(token)".utf8).base64EncodedString())\r\n"
    return try await exchange(
      address,
      "POST /act HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(fields.utf8.count)\r\n"
        + "\(signedIn ? basic : "")\(headers)Connection: close\r\n\r\n\(fields)")
  }

  private func proof(_ address: ListenAddress) async throws -> String {
    let page = try await get(address, "/").body
    let start = try #require(page.range(of: "name=\"proof\" value=\""))
    return String(page[start.upperBound...].prefix { $0 != "\"" })
  }

  /// The incident's card holds its checks and four actions; its reason is told beside the check and nowhere else.
  @Test func aCardTellsAFailureOnce() async throws {
    let source = try source()
    let page = try await withServer(source) { try await get($0, "/").body }
    let top = try #require(page.components(separatedBy: "id=\"checks\"").first)
    #expect(top.components(separatedBy: "status 503").count == 3, "once for each of two checks")
    #expect(top.contains("<bdi>Shop front and 1 more are down</bdi>"))
    for action in [
      "value=\"ack\"", "value=\"mute\"", "href=\"/act?incident=\(incidentID)\"", "value=\"run\"",
    ] {
      #expect(top.components(separatedBy: action).count == 2, "\(action)")
    }
    // In the list the rows of these say which incident it is, the others what is wrong or probed.
    let rows = page.components(separatedBy: "<li data-check=").dropFirst()
    let shop = try #require(rows.first { $0.contains("<bdi>Shop front") })
    #expect(shop.contains("incident abcdef · http") && !shop.contains("status 503"))
    var bare = source
    bare.token = nil
    let readOnly = bare
    let quiet = try await withServer(readOnly) { try await get($0, "/").body }
    #expect(!quiet.contains("action=\"/act\""))
  }

  @Test func whatIsPressedIsOrdered() async throws {
    let orders = OrderLog()
    try await withServer(try source(orders)) { address in
      let form = "proof=\(try await proof(address))&incident=\(incidentID)&back=%2F&do="
      for act in [
        "ack", "mute", "mute&for=4h&note=deploy", "mute&until=2026-01-01T03:00", "maintenance&for=30m",
      ] {
        let answer = try await press(address, form + act)
        #expect(answer.status == 303 && answer.header("Location") == "/", "\(act): \(answer.body)")
      }
    }
    let (shop, search) = (OperatorTarget.check("Shop front"), OperatorTarget.check("Search"))
    let expected: [OperatorWish.Kind] = [
      .acknowledge(incident: incidentID.description),
      .mute(target: shop, length: .seconds(3600)), .mute(target: search, length: .seconds(3600)),
      .mute(target: shop, length: .seconds(14_400)), .mute(target: search, length: .seconds(14_400)),
      // It is 02:00.
      .mute(target: shop, length: .seconds(3600)), .mute(target: search, length: .seconds(3600)),
      .startMaintenance(target: shop, length: .seconds(1800), skip: false),
      .startMaintenance(target: search, length: .seconds(1800), skip: false),
    ]
    #expect(orders.all.map(\.kind) == expected)
    #expect(
      orders.all.map(\.why) == [nil, nil, nil, "deploy", "deploy"] + [String?](repeating: nil, count: 4))
  }

  /// Without leave, without the page's proof, from another page, or without sense: nothing is ordered.
  @Test func whatIsNotOursOrdersNothing() async throws {
    let orders = OrderLog()
    try await withServer(try source(orders)) { address in
      let proof = try await proof(address)
      let form = "incident=\(incidentID)&do=mute&proof="
      let stranger = try await press(address, form + proof + "&back=%2Fincidents%2Fx", signedIn: false)
      #expect(stranger.status == 303)
      #expect(stranger.header("Location") == "/sign-in?to=%2Fincidents%2Fx")
      let script = try await press(address, form + proof, signedIn: false, "Accept: application/json\r\n")
      #expect(script.status == 401)
      for fields in [form, form + "x", form + proof + "x"] {
        #expect(try await press(address, fields).status == 403)
      }
      for headers in ["Sec-Fetch-Site: cross-site\r\n", "Origin: http://evil.example\r\n"] {
        #expect(try await press(address, form + proof, headers).status == 403)
      }
      for (act, status) in [
        ("do=burn", 400), ("do=mute&for=31d", 400), ("do=mute&until=2020-01-01T00:00", 400), ("do=ack", 404),
        ("do=mute", 404), ("do=run", 404), ("do=mute&check=\(UniqueID(high: 1, low: 1))", 404),
      ] {
        #expect(try await press(address, "proof=\(proof)&\(act)").status == status, "\(act)")
      }
      let long = try await press(address, form + proof + "&note=" + String(repeating: "x", count: 5000))
      #expect(long.status == 400)
    }
    #expect(orders.all.isEmpty)
  }

  /// A sign-in with the token for reading reads, and orders nothing.
  @Test func aReaderOrdersNothing() async throws {
    let orders = OrderLog()
    var source = try source(orders)
    source.access.readToken = Redacted("read-0123456789")
    try await withServer(source) { [source] address in
      let access = StatusAccess(runNowToken: source.token, readToken: source.access.readToken)
      for (token, status) in [("read-0123456789", "/sign-in?to=%2F"), (self.token, "/")] {
        guard case .welcome(_, let cookie) = SignInDesk(access).signIn(token, name: "", from: "", now: now)
        else {
          Issue.record("not signed in")
          continue
        }
        let session = "Cookie: \(SignInDesk.cookie)=\(cookie)\r\n"
        let page = try await exchange(
          address, "GET / HTTP/1.1\r\nHost: localhost\r\n\(session)Connection: close\r\n\r\n"
        ).body
        let start = try #require(page.range(of: "name=\"proof\" value=\""))
        let proof = String(page[start.upperBound...].prefix { $0 != "\"" })
        let answer = try await press(
          address, "proof=\(proof)&incident=\(incidentID)&do=ack&back=%2F", signedIn: false, session)
        #expect(answer.status == 303 && answer.header("Location") == status)
      }
    }
    #expect(orders.all.count == 1)
  }

  /// A script is told what was done and what takes it back; what was refused is told with the reason.
  @Test func aScriptReadsTheAnswer() async throws {
    let accept = "Accept: application/json\r\n"
    try await withServer(try source()) { address in
      let form = "proof=\(try await proof(address))&incident=\(incidentID)&do="
      let data = try JSONValue.parse(try await press(address, form + "mute", accept).body.utf8)["data"]
      #expect(data?["message"]?.string == "2 checks: muted for 1h" && data?["undo"]?.string == "unmute")
    }
    try await withServer(try source(OrderLog(.refused("200 are active already")))) { address in
      let form = "proof=\(try await proof(address))&incident=\(incidentID)&do="
      let answer = try await press(address, form + "ack", accept)
      #expect(answer.status == 409 && answer.body.contains("200 are active already"))
    }
  }

  /// One run of all checks of an incident, with a page of what came of it.
  @Test func allChecksOfAnIncidentRun() async throws {
    var source = try source()
    let check = try makeCheck("Shop front", host: "shop.example", tags: ["team:shop", "prod"])
    source.outcome = .done(makeResult(check, minute: 1, state: .down))
    let ready = source
    try await withServer(ready) { address in
      let form = "proof=\(try await proof(address))&incident=\(incidentID)&do=run"
      let page = try await press(address, form)
      #expect(page.status == 200 && page.body.contains("<h1>2 checks ran: 2 down</h1>"))
      #expect(page.body.contains("status 503, expected 200-299") && !page.body.contains("http-equiv"))
    }
  }

  /// A way back is a path of this server in printable ASCII, of at most 500 bytes.
  @Test(
    arguments: [
      (nil, false), ("", false), ("/", true), ("/checks/x?a=1#b", true), ("/!~", true),
      ("//evil.example", false),
      ("http://evil.example", false), ("checks", false), ("/a b", false), ("/a\u{1f}", false),
      ("/a\u{7f}", false), ("/\\evil.example", false), ("/ä", false),
      ("/" + String(repeating: "a", count: 499), true), ("/" + String(repeating: "a", count: 500), false),
    ] as [(String?, Bool)])
  func theWayBack(text: String?, isOurs: Bool) {
    #expect(PageAct.back(text) == (isOurs ? text : "/"))
  }

  /// The page for a choice of one's own is for what there is, and for operators.
  @Test func thePageOfAChoice() async throws {
    func answer(_ target: String, signedIn: Bool = true, _ token: Redacted?) async throws -> Reply {
      var routes = Routes(
        source: try source(), hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
      routes.runNow = RunNowGate(token: token)
      var request = StatusRequest(HTTPRequestHead(version: .http1_1, method: .GET, uri: target))
      request.authorization = signedIn ? "Bearer \(self.token)" : nil
      let path = try #require(RequestPath(target))
      return await routes.actPage(path, request)
    }
    let known = Redacted(token)
    let check = try #require(try source().status.checks.first?.id)
    for target in ["/act?incident=\(incidentID)", "/act?check=\(check)"] {
      #expect(try await answer(target, known).status == 200, "\(target)")
      let stranger = try await answer(target, signedIn: false, known)
      #expect(stranger.status == 303 && stranger.location?.hasPrefix("/sign-in?to=%2Fact") == true)
      #expect(try await answer(target, nil).status == 403)
    }
    for target in ["/act", "/act?incident=\(check)", "/act?check=\(incidentID)"] {
      #expect(try await answer(target, known).status == 404, "\(target)")
    }
  }
}
