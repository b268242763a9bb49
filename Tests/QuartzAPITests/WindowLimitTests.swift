// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAPI

/// Which maintenance windows of the API are kept, and how many.
@Suite struct WindowLimitTests {
  private let ours = checkID(1)

  private func row(
    _ number: Int, resource: UniqueID, ends: Timestamp = dawn.advanced(by: .seconds(3600)),
    repeats: String? = nil
  ) throws -> WireWindow {
    let repetition = repeats.map { "true,\"recurrence_pattern\":\"\($0)\"" } ?? "false"
    let text =
      "{\"id\":\"\(checkID(number))\",\"resource_id\":\"\(resource)\",\"title\":\"w\(number)\","
      + "\"starts_at\":\"2026-01-01T00:00:00Z\",\"ends_at\":\"\(ends.rfc3339)\",\"is_recurring\":\(repetition)}"
    return try WireWindow(JSONValue.parse(Array(text.utf8)))
  }

  private func mapped(_ rows: [WireWindow]) -> (windows: [MaintenanceWindow], problems: [String]) {
    WireWindow.mapped(rows, resources: [ours], now: dawn)
  }

  /// Five hundred are kept, those of the own resources first; of these each one beyond is named, and no other.
  @Test func fiveHundredAreKept() throws {
    let most = MaintenanceLimits.windows
    let own = try (0..<most).map { try row(1000 + $0, resource: ours) }
    let other = try row(1, resource: checkID(2))
    let whole = mapped([other] + own)
    #expect(whole.windows.map(\.id) == own.map { Optional($0.id) } && whole.problems == [])
    let less = mapped([other] + own.dropLast())
    #expect(less.windows.count == most && less.windows.last?.id == other.id && less.problems == [])
    let more = mapped(try own + (0..<2).map { try row(5000 + $0, resource: ours) } + [other])
    #expect(more.windows.map(\.id) == own.map { Optional($0.id) })
    let words = "over the limit of \(most) maintenance windows"
    #expect(more.problems == ["w5000: \(words)", "w5001: \(words)"])
  }

  /// A window that is over holds for a day more, and one that comes again is never over.
  @Test func aDayOfGrace() throws {
    let end = dawn.advanced(by: .seconds(-86_400))
    let rows = [
      try row(3, resource: ours, ends: end),
      try row(2, resource: ours, ends: end.advanced(by: .milliseconds(-1))),
      try row(4, resource: ours, ends: Timestamp(seconds: 1_767_229_200), repeats: "weekly"),
    ]
    #expect(mapped(rows).windows.map(\.id) == [3, 4].map { Optional(checkID($0)) })
  }
}
