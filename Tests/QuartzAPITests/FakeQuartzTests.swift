// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

/// The fake is the judge of the other tests, so its traps are tested themselves.
@Suite struct FakeQuartzTests {
  private func get(_ fake: FakeQuartz, _ query: String) -> (status: Int, ids: [String]) {
    let request = FakeRequest(
      method: "GET", target: "/v1/monitoring-checks?" + query, headers: ["x-api-key": FakeQuartz.key],
      body: [])
    guard case .respond(let status, _, let body) = fake.answer(request) else { return (0, []) }
    return (status, FakeJSON(body)?["data"]?.array?.compactMap { $0["id"]?.string } ?? [])
  }

  private func insert(_ fake: FakeQuartz, _ rows: String, prefer: String = "resolution=ignore-duplicates")
    -> (Int, String?)
  {
    let headers = [
      "apikey": "a", "authorization": "Bearer \(FakeQuartz.serviceKey)", "content-type": "application/json",
      "prefer": prefer,
    ]
    let request = FakeRequest(
      method: "POST", target: "/rest/v1/check_results?on_conflict=id", headers: headers,
      body: Array(rows.utf8))
    guard case .respond(let status, _, let body) = fake.answer(request) else { return (0, nil) }
    return (status, FakeJSON(body)?["code"]?.string)
  }

  static func row(_ change: String = "", drop: Bool = false) -> String {
    let id = "\"00000000-0000-7000-0000-000000000001\""
    let column = drop ? "" : ",\"response_time_ms\":12"
    return "{\"id\":\(id),\"monitoring_check_id\":\(id),\"status\":\"success\","
      + "\"checked_at\":\"2026-01-04T02:00:00.003Z\"\(column)\(change)}"
  }

  @Test func listHasTheBackendsTraps() {
    let fake = FakeQuartz(now: { 0 })
    fake.setLimits(enforced: false)
    fake.checks = (1...250).map { FakeCheck(id: checkID($0).description, members: "", isEnabled: $0 != 7) }
    #expect(get(fake, "page=1").ids == [checkID(7).description])
    #expect(get(fake, "is_enabled=True").ids == [checkID(7).description])
    #expect(get(fake, "is_enabled=true").ids.count == 50)
    #expect(get(fake, "is_enabled=true&per_page=250").ids.count == 100)
    #expect(get(fake, "is_enabled=true&page=9").status == 500)
    let unsorted = (1...25).flatMap { get(fake, "is_enabled=true&per_page=10&page=\($0)").ids }
    let sorted = (1...25).flatMap {
      get(fake, "is_enabled=true&per_page=10&page=\($0)&sort_by=id&sort_order=asc").ids
    }
    #expect(Set(unsorted).count < 249)
    #expect(Set(sorted).count == 249)
  }

  @Test(
    arguments: [
      (row(), 201, nil), (row(",\"region\":\"eu\""), 400, "PGRST204"), ("{", 400, "PGRST102"),
      (row(drop: true) + "," + row(), 400, "PGRST102"), (row(",\"status_code\":12.0"), 400, "22P02"),
      (row(",\"status_code\":1e3"), 400, "22P02"), (row(",\"status_code\":3000000000"), 400, "22003"),
      (row(",\"error_message\":\"\\u0000\""), 400, "22P05"),
    ] as [(String, Int, String?)])
  func tableRefusesWhatPostgreSQLRefuses(rows: String, status: Int, code: String?) {
    let answer = insert(FakeQuartz(now: { 0 }), "[\(rows)]")
    #expect(answer == (status, code))
  }

  @Test func duplicatesNeedThePreferHeader() {
    let fake = FakeQuartz(now: { 0 })
    #expect(insert(fake, "[\(Self.row())]") == (201, nil))
    #expect(insert(fake, "[\(Self.row())]") == (201, nil))
    #expect(insert(fake, "[\(Self.row())]", prefer: "") == (409, "23505"))
    #expect(fake.rows.count == 1)
    #expect(fake.resent == 1)
  }

  @Test func limitsCountBySlidingWindow() {
    let fake = FakeQuartz(now: { 0 })
    let answers = (1...101).map { _ in get(fake, "is_enabled=true").status }
    #expect(answers.prefix(100).allSatisfy { $0 == 200 })
    #expect(answers.last == 429)
    #expect(fake.limited == 1)
    #expect(fake.worst(seconds: 60) == 101)
  }
}
