// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// Orders of lists, days of the public page at their edges, and what is left of a table of incidents.
@Suite struct OrderAndDayTests {
  private func checks(_ count: Int, _ change: (Int, inout CheckStatus) -> Void) throws -> [CheckStatus] {
    let base = try #require(try sampleStatus().status.checks.first { $0.name == "Mail <b>gateway</b>" })
    return (0..<count).map { number in
      var check = base
      (check.id, check.name) = (UniqueID(high: 5, low: UInt64(number)), "c\(number)")
      change(number, &check)
      return check
    }
  }

  private func names(_ order: ListOrder, _ checks: [CheckStatus]) -> [String] {
    order.sorted(checks).map(\.name)
  }

  /// Each state has a rank of its own; what is equal stays as it was.
  @Test func byState() throws {
    let list = try checks(14) { number, check in
      switch number % 7 {
      case 0: check.enabled = false
      case 1: check.maintenance = CheckMaintenance(name: "n", until: now, skip: false)
      case 2: check.state = .up
      case 3: (check.state, check.last) = (.unknown, nil)
      case 4: check.state = .unknown
      case 5: check.state = .degraded
      default: check.state = .down
      }
    }
    #expect(
      names(.state, list) == [6, 13, 5, 12, 4, 11, 3, 10, 2, 9, 1, 8, 0, 7].map { "c\($0)" })
  }

  /// The slowest and the lowest first, those without a figure last; names whatever their case.
  @Test func byFigures() throws {
    let times: [Duration?] = [.milliseconds(5), nil, .milliseconds(9), .milliseconds(5), .zero]
    let list = try checks(5) { number, check in
      check.name = ["b", "A", "c", "B", "a"][number]
      check.last?.responseTime = times[number]
      var day = WindowStatus(period: .day)
      let up: Int64? = [50, 100, nil, 0, 50][number]
      if let up { (day.time.up, day.time.down) = (up, 100 - up) }
      check.windows = [day]
    }
    #expect(names(.name, list) == ["A", "a", "b", "B", "c"])
    #expect(names(.latency, list) == ["c", "b", "B", "a", "A"])
    #expect(names(.uptime, list) == ["B", "b", "a", "A", "c"])
  }

  /// The day's part of each outage: what touches it only from without is none of it; a whole day ends at 24:00, today does not.
  @Test func outagesOfADay() async throws {
    var picture = try await publicPicture([.up])
    func day(_ width: Int64, _ down: Int64) -> SeriesPoint {
      var time = Tally()
      (time.up, time.down) = (86_000_000_000, down * 1_000_000)
      return SeriesPoint(
        start: started.advanced(by: .seconds(86_400)), width: .seconds(width), time: time)
    }
    func outage(_ minute: Int, _ minutes: Int) -> PublicCheck.Downtime {
      publicOutage(1440 + minute, minutes)
    }
    func ranges(_ width: Int64, _ outages: [PublicCheck.Downtime], down: Int64 = 60) -> String {
      picture.sections[0].checks[0].days = [day(width, down)]
      picture.sections[0].checks[0].outages = outages
      let html = PublicPage(picture: picture).render(nonce: "n").html
      let title = html.firstMatch(of: /<g data-i="0"><title>[^<]*down [^<(]*(?:\(([^<]*)\))?<\/title>/)
      return title?.1.map { String($0) } ?? "-"
    }
    #expect(ranges(86_400, [outage(1440, 5), outage(-5, 5)]) == "-")
    #expect(ranges(86_400, [outage(1439, 5), outage(-5, 6)]) == "00:00–00:01, 23:59–24:00 UTC")
    #expect(ranges(86_400, [outage(1435, 5)]) == "23:55–24:00 UTC")
    #expect(ranges(86_400, [outage(0, 1440)]) == "00:00–24:00 UTC")
    #expect(ranges(3600, [outage(50, 30)]) == "00:50–01:00 UTC")
    #expect(ranges(3600, [outage(70, 30)]) == "-")
    let three = [outage(30, 1), outage(20, 1), outage(10, 1)]
    #expect(ranges(86_400, three) == "00:10–00:11, 00:20–00:21, 00:30–00:31 UTC")
    // Down for longer than what is kept of it.
    #expect(ranges(86_400, three, down: 180) == "00:10–00:11, 00:20–00:21, 00:30–00:31 UTC")
    #expect(ranges(86_400, three, down: 182) == "00:10–00:11, 00:20–00:21, 00:30–00:31 UTC, and more")
  }

  /// Which columns of the incidents leave first on a narrow terminal.
  @Test func columnsOfIncidents() throws {
    var status = try sampleStatus().status
    var incident = IncidentStatus(
      id: UniqueID(high: 1, low: 1), short: "abcdef", title: String(repeating: "w", count: 20),
      subject: .availability, severity: .high, begin: now, end: nil)
    incident.acknowledgedBy = "ann"
    var alerts = AlertsView()
    alerts.open = [incident]
    status.alerts = alerts
    func titles(_ width: Int) -> [String] {
      StatusText(width: width).incidents(status)[0].split(separator: " ").map(String.init)
    }
    // 8, 8, 4, at least 14 of 20 and at least 10 of 19, with gaps of two.
    #expect(titles(52) == ["INCIDENT", "SEVERITY", "FOR", "WHAT", "NOTIFIED"])
    #expect(titles(51) == ["INCIDENT", "SEVERITY", "FOR", "WHAT"])
    #expect(titles(40) == ["INCIDENT", "SEVERITY", "FOR", "WHAT"])
    #expect(titles(39) == ["INCIDENT", "FOR", "WHAT"] && titles(30) == ["INCIDENT", "FOR", "WHAT"])
    #expect(titles(29) == ["INCIDENT", "WHAT"] && titles(24) == ["INCIDENT", "WHAT"])
    #expect(titles(23) == ["WHAT"] && titles(20) == ["WHAT"])
  }

  /// The modules' file that cannot be read, and figures that are not known, in the metrics.
  @Test func figuresThatAreNotKnown() throws {
    let sample = try sampleStatus()
    var view = MetricsView()
    view.probes = ProbeFigures(limit: 1)
    view.process = ProcessFigures(
      processorSeconds: 0, residentBytes: nil, virtualBytes: nil, openDescriptors: nil, maxDescriptors: nil,
      threads: nil)
    let lines = String(decoding: OpenMetrics.render(sample.status, view, .plain), as: UTF8.self)
      .split(separator: "\n").filter { $0.hasPrefix("process_") || $0.hasPrefix("blackbox_exporter") }
    #expect(
      lines == [
        "blackbox_exporter_config_last_reload_successful 0", "process_cpu_seconds_total 0",
        "process_start_time_seconds 1767225600",
      ])
  }

  /// The facts of a result that become metrics.
  @Test func factsOfAResult() throws {
    var result = makeResult(try makeCheck("Shop"), minute: 1, state: .up)
    result.statusCode = 204
    result.tls = TLSFacts(verified: true, notAfter: now, pathNotAfter: started)
    result.ping = PingFacts(sent: 4, received: 1)
    let facts = MetricFacts(result)
    #expect(facts.statusCode == 204 && facts.leafNotAfter == now && facts.pathNotAfter == started)
    #expect(facts.pingLoss == 0.75 && facts.dnsTTL == nil && facts.timings == result.timings)
  }

  /// What is muted, and whose alerts are acknowledged: of these checks alone, and gone again with the next picture.
  @Test func whatIsMarked() throws {
    var status = try sampleStatus().status
    status.checks[0].mutedUntil = now
    var alerts = AlertsView()
    alerts.acknowledged = [status.checks[1].id: "ann"]
    status.alerts = alerts
    status.markHandled(muted: [status.checks[2].id: now.advanced(by: .seconds(1))])
    #expect(status.checks.map { $0.acknowledgedBy } == [nil, "ann", nil, nil, nil])
    #expect(status.checks.map { $0.mutedUntil } == [nil, nil, now.advanced(by: .seconds(1)), nil, nil])
    status.checks[3].nextRun = nil
    status.mark(nextRuns: [status.checks[3].id: now, status.checks[0].id: now])
    #expect(status.checks[3].nextRun == now && status.checks[0].nextRun == nil)
    #expect(status.pending == [status.checks[3].id])
  }
}
