// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// How many checks have their places listed.
@Suite struct PlaceListTests {
  @Test func whatHasNoRoomIsCounted() throws {
    var check = try #require(makeStore(try makeCheck()).snapshot(now: midnight).checks.first)
    check.places = [PlaceStatus("london"), PlaceStatus("paris")]
    for (count, last) in [(1, nil), (20, nil), (21, "and 1 more check"), (23, "and 3 more checks")] {
      let lines = StatusText(width: 100).places(Array(repeating: check, count: count))
      #expect(lines.last { $0.hasPrefix("and ") } == last, "\(count)")
    }
  }
}

/// Where a report's page leads, and how much of it there is.
@Suite struct ReportPageRuleTests {
  private let january = CalendarPeriod.month(CalendarMonth(midnight))

  private func report(_ period: CalendarPeriod, now: Timestamp) throws -> MonthReport {
    MonthReport(makeStore(try makeCheck()).snapshot(now: now), [:], of: period, objective: 99.9)
  }

  private func links(_ period: CalendarPeriod, now: Timestamp, query: [String]? = []) throws -> [String] {
    ReportPage(report: try report(period, now: now), query: query).render(nonce: "").html
      .components(separatedBy: "<a ").dropFirst().compactMap { link in
        link.components(separatedBy: "href=\"").dropFirst().first.map { String($0.prefix { $0 != "\"" }) }
      }
  }

  /// To the period before, and to the one behind it once that has begun, also while it runs.
  @Test func neighbours() throws {
    let unnamed = ["/", "/report?month=2025-12", "/api/v1/report.csv?month=2026-01"]
    let whole = ["/", "/report?month=2025-12", "/report?month=2026-02", "/api/v1/report.csv?month=2026-01"]
    #expect(try links(january, now: midnight) == unnamed)
    #expect(try links(january, now: january.end.advanced(by: .microseconds(-1))) == unnamed)
    #expect(try links(january, now: january.end) == whole)
    #expect(try links(january, now: january.end.advanced(by: .seconds(10 * 86_400))) == whole)
    #expect(try links(january, now: january.end.advanced(by: .seconds(40 * 86_400))) == whole)
    let week = try #require(CalendarPeriod.Unit.week.period(text: "2026-W01"))
    let csv = "/api/v1/report.csv?week=2026-W01"
    #expect(try links(week, now: week.start) == ["/", "/report?week=2025-W52", csv])
    #expect(
      try links(week, now: week.end.advanced(by: .seconds(86_400)))
        == ["/", "/report?week=2025-W52", "/report?week=2026-W02", csv])
    #expect(
      try links(january, now: january.end, query: ["tag=a", "check=b"])
        == whole.map { $0 == "/" ? $0 : $0 + "&amp;tag=a&amp;check=b" })
    #expect(try links(january, now: january.end, query: nil).isEmpty)
  }

  /// Rows of all groups together; what has no room is counted, and a group without any is not there.
  @Test(
    arguments: [
      ([2, 3], [2, 3], []), ([2001], [2000], ["and 1 more check"]),
      ([1999, 2], [1999, 1], ["and 1 more check"]), ([2000, 3], [2000], []),
      ([1500, 1500, 5], [1500, 500], ["and 1,000 more checks"]),
    ] as [([Int], [Int], [String])])
  func room(sizes: [Int], rows: [Int], left: [String]) throws {
    var report = try report(january, now: january.end)
    report.groups = sizes.enumerated().map { number, size in
      MonthReport.Group(tag: "g\(number)", places: Array(repeating: 0, count: size))
    }
    let html = ReportPage(report: report).render(nonce: "").html
    let sections = html.components(separatedBy: "<section class=\"group\">").dropFirst()
    #expect(sections.map { $0.components(separatedBy: "<tr><th scope=\"row\">").count - 1 } == rows)
    let notes = html.components(separatedBy: "<p class=\"dim\">").filter {
      $0.contains(", which the CSV has")
    }
    #expect(notes.map { $0.components(separatedBy: ", which")[0] } == left)
  }
}

/// What a check is in a list: one of the states, or one of the things that stand in place of a state.
@Suite struct ListFilterRuleTests {
  private func states(_ check: CheckStatus) -> Set<ListFilter.State> {
    Set(
      ListFilter.State.allCases.filter { state in
        var filter = ListFilter()
        filter.states = [state]
        return filter.matches(check)
      })
  }

  /// A check in maintenance is in that alone, whatever it is beside it; one that is off is nothing else.
  @Test func whatACheckIs() throws {
    let (new, seen) = (try makeCheck("New"), try makeCheck("Seen"))
    let store = HistoryStore()
    store.apply([new, seen], now: midnight)
    store.record(Run(slot: midnight + .seconds(10)).result(of: seen), interval: seen.interval)
    let snapshot = store.snapshot(now: midnight + .seconds(20))
    let pending = try #require(snapshot.check(new.id))
    let up = try #require(snapshot.check(seen.id))
    #expect(states(pending) == [.pending, .unknown] && states(up) == [.up])
    let window = CheckMaintenance(name: "night", until: snapshot.now + .seconds(60), skip: false)
    for check in [pending, up] {
      var closed = check
      closed.maintenance = window
      #expect(states(closed) == [.maintenance])
      var off = check
      (off.enabled, off.stale) = (false, true)
      #expect(states(off) == [.off])
      off.maintenance = window
      #expect(states(off) == [.off])
    }
    var late = up
    late.stale = true
    #expect(states(late) == [.up, .stale])
  }

  /// Words in a name, a target or a tag, whatever their case; a tag is named whole.
  @Test(
    arguments: [
      ("", [], true), ("shop", [], true), ("SHOP", [], true), ("127.0.0.1", [], true), ("hop", [], true),
      ("mail", [], false), ("tea", [], true), ("", ["team"], true), ("", ["tea"], false),
      ("", ["a", "team"], true),
      ("mail", ["team"], false), ("shop", ["a"], false), ("", ["Team"], false),
    ] as [(String, [String], Bool)])
  func wordsAndTags(text: String, tags: [String], isShown: Bool) throws {
    let check = try makeCheck("Shop")
    var status = try #require(makeStore(check).status(of: check.id, now: midnight))
    status.tags = ["team"]
    var filter = ListFilter()
    (filter.text, filter.tags) = (text, tags)
    #expect(filter.matches(status) == isShown)
    filter.states = [.down]
    #expect(!filter.matches(status), "all of it has to hold")
  }
}
