// SPDX-License-Identifier: MIT

import Alerts
import Basics
import History
import Monitoring
import StatusServer
import StatusSupport
import Testing
@testable import Status

/// Incidents of one check, and the page of an incident.
@Suite struct IncidentPageTests {
  private let shop = UniqueID(high: 9, low: 1)
  private let search = UniqueID(high: 9, low: 2)

  private func member(_ name: String, _ check: UniqueID?, rule: String = "down", until: Timestamp? = nil)
    -> IncidentStatus.Member
  {
    var member = IncidentStatus.Member(
      checkID: check, name: name, rule: rule, severity: .high, reason: .httpStatus, text: "status 503",
      since: started, until: until)
    member.state = .down
    return member
  }

  private func incident(_ number: UInt64, _ members: [IncidentStatus.Member], end: Timestamp? = nil)
    -> IncidentStatus
  {
    var incident = IncidentStatus(
      id: UniqueID(high: 7, low: number), short: "abcdef", title: "Gateway is down", subject: .availability,
      severity: .high, begin: started, end: end)
    (incident.members, incident.alertCount) = (members, members.count)
    incident.checks = Set(members.compactMap(\.checkID))
    return incident
  }

  /// An open incident of the gateway that is about the shop as well, and one of a check that is not configured any more.
  private func source() throws -> FixedSource {
    var source = try sampleSource()
    let front = try #require(source.status.checks.first { $0.name == "Shop front" })
    var open = incident(1, [member("Gateway", nil)])
    open.checks.insert(front.id)
    var alerts = AlertsView()
    alerts.open = [open]
    alerts.over = [incident(2, [member("Removed", search, until: now)], end: now)]
    source.status.alerts = alerts
    return source
  }

  /// The page says when the agent stands still, and is fetched again when incidents or what is handled change. What a
  /// browser makes of it is shown by `scripts/prove-page`.
  @Test func itsPageHearsTheAgent() async throws {
    let id = UniqueID(high: 7, low: 1)
    let answer = try await withServer(try source()) { try await get($0, "/incidents/\(id)") }
    #expect(answer.body.contains("<body data-live=\"page\">") && answer.body.contains("id=\"live\""))
    #expect(answer.body.contains(#"function listen(){if(stream||document.hidden)return;"#))
    #expect(answer.body.contains(#"polls&&(n==="incidents"||n==="handled")"#))
    #expect(Set(["incidents", "handled"]).isSubset(of: DashboardPage.names))
  }

  /// A check is found that is not among the members that are shown, and one that only an incident knows.
  @Test(
    arguments: [
      ("check=Shop%20front", [1]), ("check=Removed", [2]), ("check=Search", []), ("check=", [1, 2]),
      ("limit=10", [1, 2]), ("check=Shop%20front&status=resolved", []), ("check=Gateway", [1]),
    ] as [(String, [UInt64])])
  func incidentsOfACheck(query: String, found: [UInt64]) async throws {
    let answer = try await withServer(try source()) { try await get($0, "/api/v1/incidents?\(query)") }
    let data = try JSONValue.parse(answer.body.utf8)["data"]?.array ?? []
    #expect(answer.status == 200)
    #expect(
      data.compactMap { $0["id"]?.string } == found.map { UniqueID(high: 7, low: $0).description },
      "\(answer.body)")
  }

  /// By id; and a name that is wrong is no all-clear.
  @Test func incidentsOfAnIDAndOfNoCheck() async throws {
    let source = try source()
    let front = try #require(source.status.checks.first { $0.name == "Shop front" })
    try await withServer(source) { address in
      let known = try await get(address, "/api/v1/incidents?check=\(front.id.description)")
      #expect(try JSONValue.parse(known.body.utf8)["data"]?.array?.count == 1)
      let wrong = try await get(address, "/api/v1/incidents?check=Wob")
      let words = try JSONValue.parse(wrong.body.utf8)["error"]?["message"]?.string
      #expect(wrong.status == 404 && words == "no check is called \"Wob\"; give a name or an id")
    }
  }

  /// The mark is in the link, which fills a line on a phone; alerts of two rules for one check are told apart.
  @Test func alertsOfOneCheck() throws {
    let one = incident(
      1, [member("Shop", shop), member("Shop", shop, rule: "long"), member("Search", search)])
    let page = IncidentPage(snapshot: try sampleSource().status, incident: one).render(nonce: "n").html
    let mark = "<span class=\"mark down\" aria-hidden=\"true\">\(CheckState.down.mark)</span>&nbsp;"
    #expect(page.contains("<li><a href=\"/checks/\(search.description)\">\(mark)"))
    for words in ["high · down: status 503 · ", "high · long: status 503 · ", "high · status 503 · "] {
      #expect(page.contains(words), "\(words)")
    }
  }

  /// An incident is muted when all of its checks are, also those that are not shown.
  @Test(arguments: [false, true]) func aMutedIncident(isAll: Bool) throws {
    var snapshot = try sampleSource().status
    let checks = snapshot.checks.filter { ["Shop front", "Search"].contains($0.name) }
    let one = incident(1, [member("Shop front", try #require(checks.first?.id))])
    var alerts = AlertsView()
    alerts.open = [one]
    for check in checks { alerts.incidentOf[check.id] = one.id }
    snapshot.alerts = alerts
    let until = now.advanced(by: .seconds(3600))
    snapshot.mutes = [
      HandBook.Order(id: UniqueID(high: 5, low: 5), target: .everything, from: now, until: until)
    ]
    snapshot.markHandled(
      muted: Dictionary(uniqueKeysWithValues: checks.prefix(isAll ? 2 : 1).map { ($0.id, until) }))
    #expect(checks.count == 2)
    let card = IncidentSection(snapshot: snapshot).render().html
    #expect(card.contains("muted until") == isAll)
  }

  /// Three open incidents have a card each, twenty more are named, and the others are counted.
  @Test(
    arguments: [
      (1, 0, nil, nil), (3, 2, nil, nil), (4, 3, "1 more incident", nil), (23, 3, "20 more incidents", nil),
      (24, 3, "21 more incidents", "and 1 more"),
    ] as [(Int, Int, String?, String?)])
  func theCards(count: Int, folded: Int, rest: String?, unnamed: String?) throws {
    var snapshot = try sampleSource().status
    var alerts = AlertsView()
    alerts.open = (0..<count).map { incident(UInt64($0), [member("Gateway", nil)]) }
    snapshot.alerts = alerts
    let html = IncidentSection(snapshot: snapshot).render().html
    #expect(html.matches(of: /<section class="card incident/).count == 1)
    #expect(html.matches(of: /<details class="card incident/).count == folded)
    #expect(html.matches(of: /href="\/incidents\//).count == min(count, 23))
    #expect(html.firstMatch(of: /<summary>([0-9]+ more incidents?)</).map { String($0.1) } == rest)
    #expect(html.firstMatch(of: /<li class="dim">(and [0-9]+ more)</).map { String($0.1) } == unnamed)
  }

  /// A check that was removed is not marked as one that works.
  @Test(
    arguments: [("removed", .unknown), ("recovered", .up), ("renamed", .unknown)] as [(String, CheckState)])
  func theMarkOfWhatIsOver(outcome: String, mark: CheckState) throws {
    var ended = member("Shop", shop, until: now)
    ended.outcome = outcome
    let page = IncidentPage(snapshot: try sampleSource().status, incident: incident(1, [ended], end: now))
      .render(nonce: "n").html
    #expect(
      page.contains(
        "<span class=\"big mark \(mark.rawValue)\" aria-hidden=\"true\">\(mark.mark)</span>"))
  }
}
