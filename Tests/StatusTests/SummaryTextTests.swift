// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Groups
import HistorySupport
import Monitoring
import QuartzAPI
import Spool
import StatusSupport
import Testing
@testable import History
@testable import Status

/// The summary as a document, the lines of the group, and small things at their bounds.
@Suite struct SummaryTextTests {
  private let now = midnight + .seconds(7200)

  private func snapshot(_ count: Int = 1) throws -> StatusSnapshot {
    let store = HistoryStore()
    store.apply(try (0..<count).map { try makeCheck("c\($0)") }, now: midnight)
    var snapshot = store.snapshot(now: now)
    for place in snapshot.checks.indices {
      (snapshot.checks[place].stale, snapshot.checks[place].state) = (false, .up)
    }
    return snapshot
  }

  private func document(_ snapshot: StatusSnapshot, full: Bool = false) throws -> JSONValue {
    var json = JSONWriter()
    snapshot.writeSummary(full: full, to: &json)
    return try JSONValue.parse(json.bytes)
  }

  /// Every field, with windows, resources and problems; the checks alone where all of it is wanted.
  @Test func theSummary() throws {
    var status = try snapshot(2)
    status.agent = AgentIdentity(name: "a", region: "eu", version: "1", started: midnight)
    status.kept = KeptFigures()
    status.checks[0].resourceID = UniqueID(high: 1, low: 2)
    status.checks[0].state = .down
    status.checks[0].failures = 1
    var day = WindowStatus(period: .day)
    (day.time.up, day.time.down, day.span) = (3_000_000, 1_000_000, 16_000_000)
    status.checks[0].windows = [day]
    status.checks[1].maintenance = CheckMaintenance(name: "n", until: now, skip: false)
    status.notices = [.warning(.store, "old", hint: "look"), .critical(.store, "bad")]
    status.maintenance = [
      MaintenanceView(
        name: "n", origin: .api, repetition: .none, timezone: "UTC", skip: false, checks: 1,
        hours: midnight..<now, isActive: true)
    ]
    let problem = status.problems.first { $0.what.hasPrefix("c0 is down") }
    let expected = #"""
      {"agent":{"name":"a","region":"eu","version":"1","started_at":"2026-01-01T00:00:00.000Z"},
      "checks":{"total":2,"up":0,"down":1,"degraded":0,"unknown":0,"pending":1,"maintenance":1},
      "uptime":{"average":75,"data":25,"period":"24h"},
      "load":{"kept_results":0,"kept_bytes":0,"judged":0,"judged_over_budget":0,"judged_longest_ms":0,
      "judging":0,"queues":[]},
      "maintenance":[{"name":"n","origin":"api","active":true,"from":"2026-01-01T00:00:00.000Z",
      "until":"2026-01-01T02:00:00.000Z","repeat":"none","timezone":"UTC","skip":false,"checks":1}],
      "resources":[{"id":"\#(UniqueID(high: 1, low: 2))","state":"down","checks":["c0"],"failing":["c0"]}],
      "problems":[{"what":"bad","critical":true},{"what":"\#(problem?.what ?? "-")","critical":true},
      {"what":"old","hint":"look","critical":false}]}
      """#
    #expect(try document(status) == JSONValue.parse(expected.utf8))
    let full = try document(status, full: true)
    #expect(full["list"]?.array?.map { $0["name"]?.string } == ["c0", "c1"])
    status.checks[0].implausible = 1
    #expect(try document(status, full: true)["list"]?[0]?["implausible"]?.integer == 1)
    #expect(full["list"]?[0]?["implausible"] == nil)
  }

  /// The group and who runs the others, in lines of the text.
  @Test func theGroup() throws {
    var status = try snapshot()
    func lines() -> [String] {
      StatusText(width: 200).render(status).split(separator: "\n").map(String.init).filter {
        $0.hasPrefix("group ") || $0.contains("run by others")
      }
    }
    #expect(lines() == [])
    var group = GroupStatus.group("eu", members: 2)
    (group.view, group.assignment.total, group.assignment.owned) = (5, 7, 3)
    status.group = group
    #expect(lines() == ["group     eu: 2 members, view 5, 3 of 7 checks mine"])
    status.group?.others = [.init(member: "b", checks: 4)]
    #expect(
      lines() == [
        "group     eu: 2 members, view 5, 3 of 7 checks mine",
        "          run by others: 4 by b; which: quartz-agent group --checks",
      ])
    status.group?.alone = .init(since: now + .seconds(-60))
    #expect(
      lines().last
        == "          run by others, as of the last view: 4 by b; which: quartz-agent group --checks")
  }

  /// Lines of the parts where there is nothing beside what must be said.
  @Test func barePartsOfTheText() throws {
    var status = try snapshot()
    (status.spool, status.delivery) = (SpoolStatus(), DeliveryStatus(.quartz))
    let lines = StatusText(width: 200).render(status).split(separator: "\n").map(String.init)
    #expect(lines.contains("spool     0 waiting, 0 B of 0 B, durable"), "\(lines)")
    #expect(lines.contains("delivery  quartz: no success yet, 0 delivered"), "\(lines)")
  }

  /// What no state of a check shows, critical first; what the agent itself suffers from, and nothing fine.
  @Test func problemsBesideStates() throws {
    var status = try snapshot(4)
    status.notices = [.warning(.store, "w"), .critical(.store, "c")]
    for place in 0..<3 {
      status.checks[place].stale = true
      status.checks[place].last = LastResult(
        scheduledAt: midnight, startedAt: midnight + .seconds(60), state: .up, reason: .ok, maintenance: false
      )
    }
    status.checks[1].enabled = false
    status.checks[2].maintenance = CheckMaintenance(name: "n", until: now, skip: false)
    status.checks[3].state = .down
    #expect(status.problemsBesideStates.map(\.what) == ["c", "w", "c0 has had no result for 1h"])
    #expect(status.ownProblems.map(\.what) == ["w", "c"])
    #expect(status.problems.map(\.what).contains { $0.hasPrefix("c3 is down") })
    #expect(status.problems(of: []).map(\.what) == ["c", "w"])
  }

  /// A name of one line has 120 bytes, or is cut between characters.
  @Test(
    arguments: [
      (String(repeating: "a", count: 120), String(repeating: "a", count: 120)),
      (String(repeating: "a", count: 121), String(repeating: "a", count: 117) + "…"),
      (String(repeating: "é", count: 61), String(repeating: "é", count: 58) + "…"),
      ("a\u{ad}b\u{200d}c\u{202e}", "ab\u{200d}c\\u{202e}"),
    ])
  func namesOfOneLine(name: String, shown: String) { #expect(Sentence.plain(name) == shown) }

  /// Four kinds of pictures by their first bytes, up to 64 KiB.
  @Test func logos() {
    let rows: [([UInt8], PublicFace.Logo.Kind?)] = [
      ([0x89, 0x50, 0x4e, 0x47, 0], .png), ([0x89, 0x50, 0x4e], nil), ([0xff, 0xd8, 0xff], .jpeg),
      ([0xff, 0xd8], nil), (Array("RIFF....WEBP".utf8), .webp), (Array("RIFF....WAVE".utf8), nil),
      (Array("RIFX....WEBP".utf8), nil), (Array("<svg/>".utf8), .svg), (Array("<?xml".utf8), .svg),
      (Array("<html>".utf8), nil), ([], nil),
      ([0xff, 0xd8, 0xff] + [UInt8](repeating: 0, count: 65_533), .jpeg),
      ([0xff, 0xd8, 0xff] + [UInt8](repeating: 0, count: 65_534), nil),
    ]
    for (bytes, kind) in rows {
      let logo = PublicFace.Logo(bytes)
      #expect(logo?.kind == kind && logo?.bytes == (kind == nil ? nil : bytes), "\(bytes.prefix(12))")
    }
  }

  /// Tenths, within a hundred thousand.
  @Test(
    arguments: [
      (0, "0.0"), (0.04, "0.0"), (0.05, "0.1"), (-0.05, "-0.1"), (-0.04, "0.0"), (12.34, "12.3"),
      (100_000, "100000.0"), (100_000.1, "100000.0"), (-1e9, "-100000.0"), (-1.25, "-1.3"),
    ] as [(Double, String)])
  func coordinates(value: Double, text: String) { #expect(("\(value)" as Markup).html == text) }
}
