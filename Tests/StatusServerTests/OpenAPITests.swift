// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusServer
import StatusSupport
import Testing
@testable import Status

/// The API's own description is true.
@Suite struct OpenAPITests {
  private let file = repository.appending(path: "docs/openapi.json")

  /// What is served stands in docs/openapi.json, laid out for people. With `QUARTZ_WRITE_DOCS=1` it is written again.
  @Test func theDocumentIsInTheDocs() async throws {
    let served = try await withServer(try sampleSource()) { try await get($0, "/api/v1/openapi.json") }
    #expect(served.status == 200 && served.header("Content-Type") == "application/json")
    let value = try JSONSerialization.jsonObject(with: Data(served.body.utf8))
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = String(
      decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    if ProcessInfo.processInfo.environment["QUARTZ_WRITE_DOCS"] == "1" {
      try (text + "\n").write(to: file, atomically: true, encoding: .utf8)
    } else {
      let kept = try String(contentsOf: file, encoding: .utf8)
      #expect(kept == text + "\n", "run this test once with QUARTZ_WRITE_DOCS=1")
    }
  }

  /// Every path that the routes know is described, and every path that is described is in docs/status.md.
  @Test func everyRouteIsDescribed() throws {
    let paths = Set(OpenAPI.operations.map(\.path))
    var words: Set<String> = []
    for name in ["Routes+API.swift", "SpoolQuestion.swift"] {
      let source = try String(
        contentsOf: repository.appending(path: "Sources/StatusServer/\(name)"), encoding: .utf8)
      for match in source.matches(of: /case \[?"([a-z_.]+)"\]?:/) { words.insert(String(match.output.1)) }
    }
    #expect(words.count >= 11)
    for word in words { #expect(paths.contains { $0.hasSuffix("/\(word)") }, "\(word) is not described") }
    let docs = try String(contentsOf: repository.appending(path: "docs/status.md"), encoding: .utf8)
    for path in paths {
      #expect(docs.contains(path.replacing("{id}", with: "ID")), "\(path) is not in docs/status.md")
    }
  }

  /// What is described is there: no path is unknown to the routes, and each answers in the type that is described.
  @Test func whatIsDescribedIsServed() async throws {
    var source = try sampleSource()
    let check = try #require(source.status.checks.first?.id)
    let id = check.description
    // An incident with the check's id, so that one id fits every path.
    var alerts = AlertsView()
    alerts.open = [
      IncidentStatus(
        id: check, short: "a1b2c3", title: "Shop is down", subject: .availability, severity: .high,
        begin: started,
        end: nil)
    ]
    source.status.alerts = alerts
    try await withServer(source) { address in
      for operation in OpenAPI.operations where operation.method == "get" && !operation.path.contains("spool")
      {
        let answer = try await get(address, operation.path.replacing("{id}", with: id))
        #expect(answer.status == 200, "\(operation.path): \(answer.body.prefix(200))")
        let type = if case .text(let type) = operation.answer { type } else { "application/json" }
        #expect(answer.header("Content-Type")?.hasPrefix(type) == true, "\(operation.path)")
      }
    }
  }

  /// A parameter that is given twice, or is not in the document's bounds, is refused.
  @Test(
    arguments: [
      "checks?limit=0", "checks?limit=1001", "checks?limit=a", "checks?offset=-1", "checks?state=broken",
      "checks/ID/series?points=1", "checks/ID/series?points=301", "checks/ID/series?period=1h",
      "checks/ID/outages?limit=101", "checks/ID/uptime?period=2d", "groups?limit=x", "summary?full=maybe",
      "checks?limit=5&limit=6",
    ])
  func whatMakesNoSenseIsRefused(target: String) async throws {
    let source = try sampleSource()
    let id = try #require(source.status.checks.first?.id.description)
    let answer = try await withServer(source) {
      try await get($0, "/api/v1/" + target.replacing("ID", with: id))
    }
    #expect(answer.status == 400 && answer.body.contains("\"code\":\"BAD_REQUEST\""), "\(answer.body)")
  }

  /// What only POST can do says so to every other method, and what only reads to POST.
  @Test(arguments: [
    ("GET", "checks/00000000-0000-4000-8000-000000000001/run", "POST"), ("PUT", "spool/resubmit", "POST"),
    ("OPTIONS", "mutes", "GET, HEAD, POST"), ("DELETE", "maintenance", "GET, HEAD, POST"),
    ("GET", "mutes/1/end", "POST"), ("OPTIONS", "spool/submit", "POST"), ("POST", "checks", "GET, HEAD"),
    ("DELETE", "checks", "GET, HEAD"),
  ])
  func aMethodThatIsNotThereIsNamed(method: String, path: String, allowed: String) async throws {
    let answer = try await withServer(try sampleSource()) {
      try await get($0, "/api/v1/" + path, method: method)
    }
    #expect(answer.status == 405 && answer.header("Allow") == allowed)
  }

  /// Groups count each enabled check once for each of its tags, and say the worst.
  @Test func groupsAreByTag() async throws {
    let answer = try await withServer(try sampleSource()) { try await get($0, "/api/v1/groups") }
    let groups = try #require(try JSONValue.parse(answer.body.utf8)["data"]?.array)
    #expect(groups.map { $0["tag"]?.string } == ["team:shop", "prod", nil])
    #expect(groups.map { $0["state"]?.string } == ["down", "down", "degraded"])
    #expect(groups.map { $0["checks"]?["total"]?.integer } == [1, 1, 3])
    #expect(groups.last?["checks"]?["pending"]?.integer == 1)
  }

  /// A line has as many points as asked for at most, and a check that nobody knows has none.
  @Test func aLineIsServed() async throws {
    var source = try sampleSource()
    let check = try #require(source.status.checks.first?.id)
    let id = check.description
    // An incident with the check's id, so that one id fits every path.
    var alerts = AlertsView()
    alerts.open = [
      IncidentStatus(
        id: check, short: "a1b2c3", title: "Shop is down", subject: .availability, severity: .high,
        begin: started,
        end: nil)
    ]
    source.status.alerts = alerts
    try await withServer(source) { address in
      let line = try await get(address, "/api/v1/checks/\(id)/series?period=30d&points=60")
      let data = try #require(try JSONValue.parse(line.body.utf8)["data"])
      let points = try #require(data["points"]?.array)
      #expect(data["period"]?.string == "30d" && points.count <= 60 && points.count > 30)
      #expect(points.last?["mean_ms"]?.double ?? 0 > 0 && points.last?["p95_ms"]?.double ?? 0 > 0)
      #expect(points.reduce(0) { $0 + ($1["seconds"]?["down"]?.double ?? 0) } == 240)
      let none = try await get(address, "/api/v1/checks/00000000-0000-4000-8000-00000000dead/series")
      #expect(none.status == 404)
    }
  }
}
