// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI
import Testing

/// Every row of the table in docs/delivery.md.
@Suite struct DeliveryRulesTests {
  /// The outcome without its words.
  enum Kind: String {
    case acknowledged, rowsRefused, checkGone, unauthorized, misconfigured, tooLarge, throttled, transient,
      blamed
  }

  private func judge(
    _ dialect: DeliveryDialect, _ status: Int, _ body: String, _ headers: [String: String] = [:]
  ) -> DeliveryOutcome {
    let response = OutboundAnswer(
      status: status, headers: headers.map { .init($0.key, $0.value) }, body: Array(body.utf8))
    return DeliveryRules.judge(.response(response), by: dialect, sent: records(3).map(\.id), now: dawn)
  }

  private func kind(_ outcome: DeliveryOutcome) -> Kind {
    switch outcome {
    case .acknowledged: .acknowledged
    case .rowsRefused: .rowsRefused
    case .checkGone: .checkGone
    case .unauthorized: .unauthorized
    case .misconfigured: .misconfigured
    case .tooLarge: .tooLarge
    case .throttled: .throttled
    case .transient(_, _, let blamesBatch): blamesBatch ? .blamed : .transient
    }
  }

  /// Only a foreign key says that a check is gone; another complaint may name the check as well.
  @Test(arguments: [
    ("23503", Kind.checkGone), ("23505", .rowsRefused), ("23514", .rowsRefused), ("23502", .rowsRefused),
  ])
  func onlyAForeignKeyNamesACheckThatIsGone(code: String, expected: Kind) {
    let body = Self.gone.replacing("23503", with: code)
    #expect(kind(judge(.supabase, 409, body)) == expected)
  }

  static let row1 = UniqueID(high: 0x7000, low: 1).description
  static let gone =
    #"{"code":"23503","details":"Key (monitoring_check_id)=(00000000-0000-4000-0000-000000000001) is not present in table \"monitoring_checks\".","message":"violates"}"#

  @Test(
    arguments: [
      (200, #"{"success":true,"data":{"accepted":3,"duplicates":0,"rejected":[]}}"#, .acknowledged),
      (207, #"{"success":true,"data":{"accepted":1,"duplicates":2,"rejected":[]}}"#, .acknowledged),
      (
        200,
        #"{"success":true,"data":{"accepted":2,"duplicates":0,"rejected":[{"id":"\#(row1)","code":"23503"}]}}"#,
        .acknowledged
      ),
      // Counts that do not account for every row, rows that were never sent, and everything a proxy might say.
      (200, #"{"success":true,"data":{"accepted":2,"duplicates":0,"rejected":[]}}"#, .transient),
      (200, #"{"success":true,"data":{"accepted":4,"duplicates":-1,"rejected":[]}}"#, .transient),
      // Counts whose sum is no number.
      (
        200, #"{"success":true,"data":{"accepted":9223372036854775807,"duplicates":1,"rejected":[]}}"#,
        .transient
      ),
      (
        200,
        #"{"success":true,"data":{"accepted":9223372036854775807,"duplicates":0,"rejected":[{"id":"\#(row1)","code":"1"}]}}"#,
        .transient
      ),
      (
        200, #"{"success":true,"data":{"accepted":9223372036854775808,"duplicates":1,"rejected":[]}}"#,
        .transient
      ),
      (
        200,
        #"{"success":true,"data":{"accepted":2,"duplicates":0,"rejected":[{"id":"00000000-0000-0000-0000-000000000009","code":"1"}]}}"#,
        .transient
      ),
      (200, #"{"success":false,"data":{"accepted":3,"duplicates":0,"rejected":[]}}"#, .transient),
      (200, #"{"success":true}"#, .transient), (200, "<html>log in</html>", .transient),
      (200, "", .transient),
      (204, "", .transient), (301, "", .misconfigured), (302, "", .misconfigured), (308, "", .misconfigured),
      (400, "", .rowsRefused), (409, "", .rowsRefused), (422, "", .rowsRefused),
      (401, "", .unauthorized), (403, "", .unauthorized), (404, "", .misconfigured),
      (405, "", .misconfigured),
      (402, "", .misconfigured), (410, "", .misconfigured), (451, "", .misconfigured),
      (408, "", .transient), (425, "", .transient), (500, "", .blamed), (502, "", .transient),
      (503, "", .transient),
      (504, "", .transient), (507, "", .transient), (413, "", .tooLarge), (429, "", .throttled),
      (500, #"{"success":false,"error":{"code":"INTERNAL_ERROR","message":"boom"}}"#, .blamed),
      (500, #"{"success":false,"error":{"code":"22P02","message":"bad enum"}}"#, .rowsRefused),
      (500, #"{"success":false,"error":{"code":"57014","message":"timeout"}}"#, .transient),
      (401, #"{"success":false,"error":{"code":"UNAUTHORIZED","message":"Invalid"}}"#, .unauthorized),
      (500, #"{"success":false,"error":{"code":"42501","message":"denied"}}"#, .unauthorized),
      (500, #"{"success":false,"error":\#(gone)}"#, .checkGone),
    ] as [(Int, String, Kind)])
  func quartz(status: Int, body: String, expected: Kind) {
    #expect(kind(judge(.quartz, status, body)) == expected)
  }

  @Test(
    arguments: [
      (201, "", ["Content-Range": "*/*"], .acknowledged),
      (201, "", ["preference-applied": "return=minimal"], .acknowledged),
      (201, "", [:], .transient), (200, "", ["Content-Range": "*/*"], .transient),
      (204, "", ["Content-Range": "*/*"], .transient), (200, "<html>", [:], .transient),
      (400, #"{"code":"PGRST102","message":"All object keys must match"}"#, [:], .rowsRefused),
      (400, #"{"code":"PGRST204","message":"no column"}"#, [:], .rowsRefused),
      (400, #"{"code":"22003","message":"range"}"#, [:], .rowsRefused),
      (400, #"{"code":"22P05","message":"nul"}"#, [:], .rowsRefused),
      (500, #"{"code":"21000","message":"twice"}"#, [:], .rowsRefused),
      (409, #"{"code":"23503","details":"Key (client)=(1)","message":"fk"}"#, [:], .rowsRefused),
      (409, gone, [:], .checkGone),
      (401, #"{"code":"PGRST301","message":"JWT expired"}"#, [:], .unauthorized),
      (403, #"{"code":"42501","message":"rls"}"#, [:], .unauthorized),
      (401, #"{"code":"42501","message":"anon"}"#, [:], .unauthorized),
      (404, #"{"code":"42P01","message":"no table"}"#, [:], .misconfigured),
      (404, #"{"code":"PGRST205","message":"no table"}"#, [:], .misconfigured),
      (503, #"{"code":"PGRST001","message":"no db"}"#, [:], .transient),
      (500, #"{"code":"53300","message":"too many connections"}"#, [:], .transient),
      (400, #"{"code":"57P01","message":"shutdown"}"#, [:], .transient),
      (503, #"{"code":"08006","message":"lost"}"#, [:], .transient),
    ] as [(Int, String, [String: String], Kind)])
  func supabase(status: Int, body: String, headers: [String: String], expected: Kind) {
    #expect(kind(judge(.supabase, status, body, headers)) == expected)
  }

  @Test func deletedCheckIsNamed() {
    #expect(judge(.supabase, 409, Self.gone) == .checkGone(checkID(1), code: "23503"))
  }

  @Test func rejectedRowsComeWithTheirCodes() {
    let body =
      #"{"success":true,"data":{"accepted":2,"duplicates":0,"rejected":[{"id":"\#(Self.row1)","code":"22003"}]}}"#
    let rejected = [Acknowledgement.Rejection(id: UniqueID(high: 0x7000, low: 1), code: "22003")]
    #expect(
      judge(.quartz, 200, body)
        == .acknowledged(Acknowledgement(accepted: 2, duplicates: 0, rejected: rejected)))
  }

  @Test func waitsAreTheServersOwn() {
    #expect(judge(.quartz, 429, "", ["Retry-After": "7"]) == .throttled(.seconds(7)))
    #expect(judge(.quartz, 429, "", ["Retry-After": "-7"]) == .throttled(nil))
    guard case .transient(_, let wait, _) = judge(.quartz, 503, "", ["Retry-After": "90"]) else {
      Issue.record("a 503 is transient")
      return
    }
    #expect(wait == .seconds(90))
  }

  @Test func noAnswerIsTransient() {
    let outcome = DeliveryRules.judge(.failure("timed out in connect"), by: .quartz, sent: [], now: dawn)
    let trouble = Notice.warning(.delivery, "cannot reach the quartz api: timed out in connect")
    #expect(outcome == .transient(trouble, wait: nil, blamesBatch: false))
  }

  @Test(arguments: [
    (
      DeliveryDialect.quartz, 404, "the backend has no ingest route: 404",
      "add the ingest route to the backend, or set quartz.deliver.to: supabase; nothing is lost meanwhile"
    ),
    (
      .quartz, 401, "the quartz api does not accept the key: 401",
      "check quartz.api_key; the backend also says this while its database is down"
    ),
    (
      .quartz, 403, "the quartz api accepts the key, but not for writing results: 403",
      "give the key the right to post results; everything is kept until then"
    ),
    (
      .quartz, 302, "the quartz api answered with a redirect (302), which is never followed with a key",
      "set quartz.url to the final address"
    ),
    (
      .supabase, 404, "supabase has no table check_results at this address: 404",
      "set quartz.supabase.url to the project's base, without /rest/v1"
    ),
    (
      .supabase, 403, "supabase does not let this account write results: 403",
      "give the account of quartz.supabase.email a role in the team; a Quartz API key is not an account"
    ),
    (
      .supabase, 401, "supabase does not accept the session: 401",
      "check quartz.supabase.api_key, email and password"
    ),
  ])
  func wordsForAnOperator(dialect: DeliveryDialect, status: Int, message: String, hint: String) {
    let trouble: Notice? =
      switch judge(dialect, status, "") {
      case .unauthorized(let trouble), .misconfigured(let trouble, _): trouble
      default: nil
      }
    #expect(trouble == Notice.warning(.delivery, message, hint: hint))
  }
}
