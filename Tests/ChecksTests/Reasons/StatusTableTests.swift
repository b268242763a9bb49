// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import NetworkTestSupport
import Testing

@testable import Checks

/// The table of docs/results.md: in which parts of a probe a reason may fall, and what its status is.
struct StatusTable {
  struct Row: Sendable {
    var phases: Set<Phase>
    /// One status, or what it is otherwise and what where the time ran out.
    var statuses: [ResultStatus]
  }

  let rows: [Reason: Row]
  /// As they stand there.
  let order: [Reason]

  static let documented: StatusTable? = try? StatusTable()

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/results.md"), encoding: .utf8)
    let start = try #require(page.range(of: "\n## Status\n")).upperBound
    let part = page[start...].prefix(upTo: try #require(page[start...].range(of: "\n## ")).lowerBound)
    var rows: [Reason: Row] = [:]
    var order: [Reason] = []
    for line in part.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { words($0) }
      try #require(cells.count == 3, "\(line)")
      let reason = try #require(Reason(rawValue: cells[0][0]), "\(line)")
      let phases = try cells[1].filter { $0 != "none" }.map { try #require(Phase(rawValue: $0), "\(line)") }
      let statuses = try cells[2].map { try #require(ResultStatus(rawValue: $0), "\(line)") }
      rows[reason] = Row(phases: Set(phases), statuses: statuses)
      order.append(reason)
    }
    (self.rows, self.order) = (rows, order)
  }

  /// Whether a verdict is one that the table knows.
  func allows(_ verdict: Verdict) -> Bool {
    guard let row = rows[verdict.reason] else { return false }
    guard let phase = verdict.phase else { return row.phases.isEmpty }
    return row.phases.contains(phase)
  }
}

/// The words in code type of a cell.
private func words(_ cell: Substring) -> [String] {
  cell.split(separator: ",").map { String($0.filter { !" `".contains($0) }) }
}

/// Status follows the reason, for every type of check and in every part of a probe.
@Suite struct StatusTableTests {
  /// Each reason has one row, in the order of the list.
  @Test func everyReasonHasOneRow() throws {
    #expect(try StatusTable().order == Reason.allCases)
  }

  /// Every reason in every phase of every type of check has the status of its row, and no other.
  @Test(arguments: CheckType.allCases) func statusIsWhatTheTableSays(type: CheckType) throws {
    let table = try StatusTable()
    let check = try Self.check(type)
    for reason in Reason.allCases {
      let row = try #require(table.rows[reason])
      for phase in Phase.allCases.map(Optional.some) + [nil] {
        for timedOut in [false, true] {
          let verdict = Verdict(reason, phase: phase, message: "x", timedOut: timedOut)
          let wanted = try #require(timedOut ? row.statuses.last : row.statuses.first)
          let result = CheckResult(
            id: check.id, check: check, trigger: .manual, scheduledAt: .epoch, startedAt: .epoch,
            late: .zero, verdict: verdict)
          #expect(result.status == wanted, "\(type) \(reason) \(phase?.rawValue ?? "") \(timedOut)")
          #expect(AddressVerdict(address: "a", verdict: verdict).status == wanted)
          // Nothing that is done to a verdict later loses what it is about.
          #expect(
            verdict.with(message: "y").status == wanted && verdict.hiding(SecretWords(["x"])).status == wanted
          )
          if reason != .ok {
            #expect(Verdict(reason, phase: phase, degraded: true, timedOut: timedOut).status == .success)
          }
        }
      }
    }
  }

  /// What the servers of the tables bring about stands there, phase and all.
  @Test func whatIsProvokedIsInTheTable() throws {
    let table = try StatusTable()
    let provoked =
      HTTPReasonTests.cases.map { Verdict($0.reason, phase: $0.phase) }
      + TCPReasonTests.cases.map { Verdict($0.reason, phase: $0.phase) }
    for verdict in provoked { #expect(table.allows(verdict), "\(verdict)") }
  }

  private static func check(_ type: CheckType) throws -> MonitoringCheck {
    try makeCheck(type.rawValue) {
      switch type {
      case .http: $0.url = "http://a.example/"
      case .dns: $0.queryName = "a.example"
      case .tcp, .tls, .ping: ($0.host, $0.port) = ("a.example", type == .ping ? nil : 1)
      case .heartbeat: ($0.token, $0.period) = (Redacted("0123456789abcdef"), .seconds(60))
      }
    }
  }
}
