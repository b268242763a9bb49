// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import Status
import StatusSupport
import Testing
import Tracing

/// How the way to a target is shown.
@Suite struct TraceSectionTests {
  private let target = SocketAddress(.v4(0xcb00_7107), port: 443)

  private func trace(_ count: Int, _ end: TraceEnd, at begin: Timestamp, target isSeen: Bool) -> RouteTrace {
    var trace = RouteTrace(
      host: "shop.example", target: target, startedAt: begin, elapsed: .seconds(2), method: .tcp,
      why: "the service's own port", flows: 3, end: end, mtu: 1500)
    for ttl in 1...count {
      let address = isSeen && ttl == count ? target.address : .v4(UInt32(0x0a00_0001 + ttl << 8))
      var answer = TraceAnswer(
        address: address, received: 9, best: .microseconds(Int64(ttl) * 900), average: .milliseconds(ttl),
        worst: .milliseconds(ttl * 2), flows: [0, 1, 2], name: "core\(ttl).<b>example</b>",
        network: "AS64500 Example")
      answer.labels = ttl == 2 ? [MPLSLabel(label: 24_001, ttl: 1)] : []
      trace.hops.append(TraceHop(ttl: ttl, sent: 9, answers: ttl == 4 && isSeen ? [] : [answer]))
    }
    return trace
  }

  private func source(broken: Bool = true) throws -> (FixedSource, UniqueID) {
    var source = try sampleSource()
    let check = try #require(source.status.checks.first?.id)
    let good = trace(6, .reached("accepted"), at: now.advanced(by: .seconds(-18_000)), target: true)
    var view = TraceView()
    view.good = good
    if broken {
      let now = trace(3, .silent(after: 3), at: now.advanced(by: .seconds(-60)), target: false)
      view.latest = TraceView.Latest(
        cause: .failure(.connectTimeout), begin: now.startedAt, trace: now, before: good,
        comparison: TraceComparison(now, good: good))
    } else {
      view.results = 40
    }
    source.ways[check] = view
    return (source, check)
  }

  private func page(_ source: FixedSource, _ path: String) async throws -> RawResponse {
    try await withServer(source) { try await get($0, path) }
  }

  @Test func theBrokenLinkIsMarkedAndBothWaysAreThere() async throws {
    let (source, check) = try source()
    let body = try await page(source, "/checks/\(check)").body
    let section = try #require(body.components(separatedBy: "id=\"path\"").last)
    for text in [
      "the route ends behind 10.0.3.1", "hop 3 of 6", "Broken here", "While it worked", "the target",
      "connect_timeout", "AS64500 Example", "MPLS label 24001", "no answer", "✕",
    ] { #expect(section.contains(text), "\(text)") }
    // The cut is behind hop 3 and before hop 4.
    let cut = try #require(section.range(of: "class=\"cut\""))
    let (three, four) = (section.range(of: "<b>3</b>"), section.range(of: "<b>4</b>"))
    #expect(
      try #require(three).lowerBound < cut.lowerBound && cut.lowerBound < (try #require(four)).lowerBound)
    #expect(!body.contains("<b>example"), "a router's name is text")
  }

  @Test func aWayThatWorkedIsShownAlone() async throws {
    let (source, check) = try source(broken: false)
    let body = try await page(source, "/checks/\(check)").body
    let section = try #require(body.components(separatedBy: "id=\"path\"").last)
    #expect(
      section.contains("the route to the target is complete, 6 hops") && !section.contains("Broken here"))
    #expect(section.contains("The usual response time is known after 100 results; there are 40."))
  }

  @Test func withoutATraceThereIsNoSection() async throws {
    let source = try sampleSource()
    let check = try #require(source.status.checks.first?.id)
    #expect(!(try await page(source, "/checks/\(check)")).body.contains("id=\"path\""))
  }

  @Test func theDocumentSaysTheSame() async throws {
    let (source, check) = try source()
    let answer = try await page(source, "/api/v1/checks/\(check)/trace")
    let data = try #require(try JSONValue.parse(answer.body.utf8)["data"])
    #expect(data["latest"]?["broken_after"]?.integer == 3 && data["latest"]?["cause"]?.string == "failure")
    #expect(data["latest"]?["changes"]?.array?.first?["kind"]?.string == "ends")
    #expect(data["latest"]?["trace"]?["hops"]?.array?.count == 3)
    #expect(data["good"]?["end"]?["kind"]?.string == "reached")
    let unknown = try await page(source, "/api/v1/checks/00000000-0000-4000-8000-00000000dead/trace")
    #expect(unknown.status == 404)
  }

  @Test func theFiguresAreMetrics() async throws {
    let body = try await page(try source().0, "/metrics").body
    for line in [
      "quartz_traces_total{cause=\"failure\"} 0", "quartz_traces_dropped_total 0", "quartz_traces_running 0",
    ] { #expect(body.contains(line), "\(line)") }
  }
}
