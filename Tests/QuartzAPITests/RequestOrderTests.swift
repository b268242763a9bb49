// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI
import Synchronization
import Testing

/// Each request waits for the budget first and is counted afterwards; what it is made of, to the last header.
@Suite struct RequestOrderTests {
  private let key = "qtz_key"

  private func client(_ book: RequestBook, keys: KeyRing? = nil) throws -> APIClient {
    APIClient(base: try HTTPURL("https://api.test/v1"), keys: keys ?? KeyRing(Redacted(key)), over: book.wire)
  }

  private func page(_ number: Int, of total: Int) -> APIReply {
    let row =
      #"{"id":"\#(checkID(number))","resource_id":"\#(checkID(500))","check_type":"http","is_enabled":true}"#
    let text =
      #"{"success":true,"data":[\#(total == 0 ? "" : row)],"meta":{"total":\#(total),"total_pages":\#(total)}}"#
    return .response(OutboundAnswer(status: 200, body: Array(text.utf8)))
  }

  @Test func pagesOfTheList() async throws {
    let book = RequestBook { [self] in page($0, of: 3) }
    guard case .snapshot(let snapshot) = try await client(book).pullChecks() else {
      Issue.record("no list")
      return
    }
    #expect(snapshot.checks.map(\.id) == [1, 2, 3].map(checkID) && snapshot.windows.isEmpty)
    let list = "GET https://api.test/v1/monitoring-checks?is_enabled=true&page="
    let rest = "&per_page=100&sort_by=id&sort_order=asc"
    #expect(
      book.events == (1...3).flatMap { ["admitted pull", "\(list)\($0)\(rest)", "saw 200"] })
    for request in book.requests {
      #expect(request.shownHeaders == ["X-API-Key: \(key)", "Accept: application/json"])
      #expect(request.body == [] && request.timeout == .seconds(30) && !request.hasSecretBody)
    }
  }

  @Test func pagesOfTheWindows() async throws {
    let book = RequestBook { [self] _ in page(1, of: 0) }
    let windows = try await client(book).pullWindows()
    #expect((try? windows.get()) == [])
    #expect(
      book.events == [
        "admitted pull",
        "GET https://api.test/v1/maintenance-windows?page=1&per_page=100&sort_by=id&sort_order=asc",
        "saw 200",
      ])
  }

  /// A walk that does not fit is made twice, a refusal is not.
  @Test func howOftenAWalkIsMade() async throws {
    let odd = RequestBook { [self] in page(1, of: $0 % 2 == 1 ? 2 : 3) }
    guard case .unchanged(let notice, nil) = try await client(odd).pullChecks() else {
      Issue.record("no two pages fit")
      return
    }
    #expect(notice.what == "the list of checks is not consistent: the number of checks changed meanwhile")
    #expect(notice.hint == "it is read again at the next pull" && odd.requests.count == 4)
    let refusing = RequestBook(200, #"{"success":true,"data":[7],"meta":{"total":1,"total_pages":1}}"#)
    guard case .unchanged(let refusal, nil) = try await client(refusing).pullChecks() else {
      Issue.record("no row")
      return
    }
    #expect(refusal.what == "the list of checks is refused: a check is no object" && refusal.hint == nil)
    #expect(refusing.requests.count == 1)
  }

  private static let key401 = "check quartz.api_key; the backend also says this while its database is down"
  private static let noList =
    "quartz.url ends with /functions/v1/public-api/v1, or what your project uses instead"
  private static let portal =
    "something between here and there answers in its place (captive portal, proxy)"

  /// What a person is told of each refusal, with what to do.
  @Test(
    arguments: [
      (200, "<html>", "the quartz api answered 200, but not with JSON", portal),
      (
        300, "", "the quartz api answered with a redirect (300), which is never followed with a key",
        "set quartz.url to the final address"
      ),
      (
        399, "", "the quartz api answered with a redirect (399), which is never followed with a key",
        "set quartz.url to the final address"
      ),
      (401, "", "the quartz api does not accept the key: 401", key401),
      (
        403, "", "the quartz api accepts the key, but not for reading the list of checks: 403",
        "give the key the right to read checks; the last list is used until then"
      ),
      (404, "", "there is no such list at quartz.url: 404", noList),
      (405, #"{"message":"m"}"#, "there is no such list at quartz.url: 405 m", noList),
      (429, "", "the quartz api asks for fewer requests (429)", nil),
      (204, "", "the quartz api has trouble: 204", nil), (400, "", "the quartz api has trouble: 400", nil),
      (
        500, #"{"error":{"code":"57014","message":"slow"}}"#, "the quartz api has trouble: 500 57014 slow",
        nil
      ),
    ] as [(Int, String, String, String?)])
  func refusals(status: Int, body: String, what: String, hint: String?) async throws {
    let book = RequestBook(status, body)
    let notice = Notice.warning(.checkList, what, hint: hint)
    #expect(try await client(book).pullChecks() == .unchanged(notice, wait: nil))
    #expect(book.events.first == "admitted pull" && book.events.last == "saw \(status)")
    #expect(book.requests.count == 1)
    let patient = RequestBook(status, body, [("Retry-After", "7")])
    guard status != 200 else { return }
    #expect(try await client(patient).pullChecks() == .unchanged(notice, wait: .seconds(7)))
  }

  @Test func noAnswerAtAll() async throws {
    let book = RequestBook { _ in .failure("no\nroute") }
    let notice = Notice.warning(.checkList, "cannot reach the quartz api: no\\u{a}route")
    #expect(try await client(book).pullChecks() == .unchanged(notice, wait: nil))
    #expect(book.events.count == 2 && book.events.first == "admitted pull")
  }

  /// Only a 401 has the key read again.
  @Test func whenTheKeyIsReadAgain() async throws {
    for status in [200, 302, 400, 401, 402, 403, 404, 500] {
      let count = Mutex(0)
      let keys = KeyRing(Redacted(key)) {
        count.withLock { $0 += 1 }
        return nil
      }
      _ = try await client(RequestBook(status, "{}"), keys: keys).pullChecks()
      #expect(count.withLock(\.self) == (status == 401 ? 1 : 0), "\(status)")
    }
  }

  /// A batch as it goes to the API, around its rows.
  @Test func aBatchOfTheAPI() async throws {
    let book = RequestBook(200, #"{"success":true,"data":{"accepted":2,"duplicates":0,"rejected":[]}}"#)
    var settings = QuartzSettings(url: try HTTPURL("https://api.test/v1"), apiKey: Redacted("other"))
    for withMessages in [false, true] {
      settings.deliver.messages = withMessages
      let transport = QuartzTransport(
        settings, keys: KeyRing(Redacted(key)),
        agent: Sender(name: "bench", region: "eu", location: "Bern", version: "1.0"), over: book.wire)
      let rows = [record(1), record(2) { ($0.reason, $0.message) = (.body, "no match") }]
      let report = try await transport.deliver(rows)
      #expect(report.outcome == .acknowledged(Acknowledgement(accepted: 2, duplicates: 0)))
      #expect(report.response?.status == 200)
      let request = try #require(book.requests.last)
      #expect(request.method == .post && request.url.text == "https://api.test/v1/check-results")
      #expect(
        request.shownHeaders == [
          "X-API-Key: \(key)", "Content-Type: application/json", "Accept: application/json",
        ])
      #expect(request.timeout == .seconds(60) && !request.hasSecretBody)
      let list = rows.map { row in
        var json = JSONWriter()
        WireRow(row, withMessage: withMessages).write(into: &json, agentFields: true)
        return json.text
      }
      #expect(
        request.text
          == #"{"agent":{"name":"bench","region":"eu","location":"Bern","version":"1.0","#
          + #""sent_at":"2026-01-04T02:00:00.000Z"},"results":[\#(list.joined(separator: ","))]}"#)
      #expect(request.text.contains("no match") == withMessages)
    }
    // A batch is admitted by who sends it.
    #expect(book.events.allSatisfy { $0.hasPrefix("POST ") } && book.events.count == 2)
  }
}
