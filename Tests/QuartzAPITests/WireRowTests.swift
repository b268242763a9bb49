// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

@Suite struct WireRowTests {
  private func text(_ record: DeliveryRecord, withMessage: Bool = false, agentFields: Bool = false) -> String
  {
    var json = JSONWriter()
    WireRow(record, withMessage: withMessage).write(into: &json, agentFields: agentFields)
    return json.text
  }

  @Test func nineColumnsWithExplicitNulls() {
    #expect(
      text(record(1))
        == #"{"id":"00000000-0000-7000-0000-000000000001","#
        + #""monitoring_check_id":"00000000-0000-4000-0000-000000000001","status":"success","#
        + #""response_time_ms":12,"status_code":200,"error_message":null,"ssl_expiry_date":null,"#
        + #""ssl_days_remaining":null,"checked_at":"2026-01-04T02:00:00.003Z"}"#)
  }

  @Test func keysAreTheSameInEveryRow() throws {
    let bare = record(1) {
      $0.statusCode = nil
      $0.responseTime = nil
    }
    let full = record(2) {
      $0.certificateNotAfter = dawn
      $0.status = .failure
      $0.state = .down
      $0.reason = .tlsExpired
    }
    for agentFields in [false, true] {
      let keys = try [bare, full].map { record in
        try JSONValue.parse(text(record, agentFields: agentFields).utf8).members?.map(\.name)
      }
      #expect(keys[0] == keys[1])
      #expect(keys[0]?.count == (agentFields ? 15 : 9))
    }
  }

  @Test(
    arguments: [
      (0, "0"), (400, "0"), (499, "0"), (500, "1"), (12_400, "12"), (12_500, "13"), (999_600, "1000"),
      (Int64(Int32.max) * 1000 + 900, "2147483647"), (Int64.max / 4, "2147483647"), (-5, "0"),
    ] as [(Int64, String)])
  func millisecondsAreWholeAndFitTheColumn(microseconds: Int64, digits: String) {
    let row = text(record(1) { $0.responseTime = .microseconds(microseconds) })
    #expect(row.contains("\"response_time_ms\":\(digits),"))
  }

  @Test(
    arguments: [
      (86_400, 1), (86_399, 0), (0, 0), (-1, -1), (-86_400, -1), (-86_401, -2), (30 * 86_400, 30),
    ] as [(Int64, Int)])
  func daysAreRoundedDown(seconds: Int64, days: Int) {
    let row = text(record(1) { $0.certificateNotAfter = $0.startedAt.advanced(by: .seconds(seconds)) })
    #expect(row.contains("\"ssl_days_remaining\":\(days),"))
  }

  @Test func onlyTheClassLeavesUnlessTheMessageMay() {
    let failed = record(1) {
      $0.status = .failure
      $0.state = .down
      $0.reason = .connectRefused
      $0.phase = .connect
      $0.message = "10.1.2.3:5432: connection refused"
    }
    #expect(text(failed).contains(#""error_message":"connect_refused in connect""#))
    let allowed = text(failed, withMessage: true)
    #expect(allowed.contains(#""error_message":"connect_refused: 10.1.2.3:5432: connection refused""#))
  }

  @Test func messageFitsAndHasNoNUL() throws {
    let failed = record(1) {
      $0.state = .down
      $0.reason = .body
      $0.message = "\0" + String(repeating: "ä", count: 400)
    }
    let message = try JSONValue.parse(text(failed, withMessage: true).utf8)["error_message"]?.string
    #expect((message?.utf8.count ?? 999) <= 256)
    #expect(message?.unicodeScalars.contains("\0") == false)
  }

  @Test func agentFields() {
    let row = text(record(1) { $0.flags.insert(.maintenance) }, agentFields: true)
    #expect(
      row.hasSuffix(
        #""scheduled_at":"2026-01-04T02:00:00.000Z","trigger":"schedule","state":"up","reason":"ok","#
          + #""maintenance":true,"traced":false}"#))
  }
}
