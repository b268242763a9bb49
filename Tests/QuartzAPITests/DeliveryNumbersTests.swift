// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import TestSupport
import Testing

@testable import QuartzAPI

/// Numbers that delivery and the list hang on, each at both sides of its limit.
@Suite struct DeliveryNumbersTests {
  private func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

  private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  /// Answers every request with one status.
  private struct Always: HTTPExchanging {
    let status: Int
    func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
      .response(OutboundAnswer(status: status, headers: [], body: Array("{}".utf8)))
    }
  }

  /// Four statuses of the sign-in say that the login is wrong; each other one is judged as any answer.
  @Test(arguments: [400, 401, 402, 403, 404, 409, 421, 422, 423, 429, 500, 503])
  func refusedSignIns(status: Int) async throws {
    let wire = Wire(exchange: Always(status: status), now: { dawn }) { _ throws(CancellationError) in }
    let settings = SupabaseSettings(
      url: try HTTPURL("https://project.test"), apiKey: nil,
      login: .password(email: "a@example.com", password: Redacted("hunter2")))
    guard case .refused(let report) = try await SupabaseSession(settings, over: wire).bearer() else {
      Issue.record("signed in")
      return
    }
    let words = "supabase refuses the sign-in (\(status))"
    let isOurs = if case .unauthorized(let notice) = report.outcome { notice.what == words } else { false }
    #expect(isOurs == [400, 401, 403, 422].contains(status), "\(report.outcome)")
  }

  /// The size of a batch as it is kept: of one receiver and one setting, and below what the setting asks for.
  @Test func batchesOnDisk() {
    let memory = BatchMemory(limit: 25, since: dawn)
    let bytes = memory.encoded(receiver: "a", configured: 100)
    #expect(
      text(bytes)
        == #"{"version":1,"receiver":"a","configured":100,"batch":25,"since":"2026-01-04T02:00:00.000Z"}"#)
    #expect(BatchMemory(bytes, receiver: "a", configured: 100) == memory)
    #expect(BatchMemory(bytes, receiver: "b", configured: 100) == nil)
    #expect(BatchMemory(bytes, receiver: "a", configured: 99) == nil)
    func limit(_ batch: Int, _ configured: Int) -> Int? {
      let bytes = BatchMemory(limit: batch, since: dawn).encoded(receiver: "a", configured: configured)
      return BatchMemory(bytes, receiver: "a", configured: configured)?.limit
    }
    #expect([0, 1, 99, 100].map { limit($0, 100) } == [nil, 1, 99, nil])
    #expect([0, 1, 2].map { limit($0, 1) } == [nil, 1, nil] && limit(1, 2) == 1 && limit(2, 2) == nil)
    #expect(BatchMemory.patience == Duration.seconds(600)...Duration.seconds(86_400))
    let other = text(bytes).replacing("\"version\":1", with: "\"version\":2")
    #expect(BatchMemory(Array(other.utf8), receiver: "a", configured: 100) == nil)
  }

  private func piece(_ id: Int, rows: Int, failures: Int = 0) -> Piece {
    var piece = Piece(id: id, rows: rows == 0 ? [] : queued(rows))
    piece.blame.failures = failures
    return piece
  }

  /// A lane is full with ten thousand rows on their way, or two batches that may be bad.
  @Test func fullLanes() {
    func isFull(_ pieces: Piece...) -> Bool {
      var ledger = LaneLedger()
      for piece in pieces { ledger.add(piece) }
      return ledger.isFull
    }
    #expect(!isFull() && !isFull(piece(1, rows: 9999)) && isFull(piece(1, rows: 10_000)))
    #expect(isFull(piece(1, rows: 4000), piece(2, rows: 6000)))
    #expect(!isFull(piece(1, rows: 1, failures: 5), piece(2, rows: 1)))
    #expect(isFull(piece(1, rows: 1, failures: 1), piece(2, rows: 1, failures: 1)))
  }

  /// Rows leave their piece when they are settled, a piece leaves with its last row, and parts take its place.
  @Test func piecesOfALane() {
    var ledger = LaneLedger()
    ledger.add(Piece(id: 1, rows: Array(queued(5).prefix(3))))
    ledger.add(Piece(id: 2, rows: Array(queued(5).suffix(2))))
    #expect(ledger.openRows == 5 && ledger.limit(for: 7) == 12)
    #expect(ledger.unknown(queued(7)).map(\.sequence) == [6, 7])
    ledger.settle([queued(5)[1]], of: ledger.pieces[0])
    #expect(ledger.pieces.map { $0.rows.map(\.sequence) } == [[1, 3], [4, 5]])
    let parts = ledger.pieces[0].rows.enumerated().map { Piece(id: 10 + $0.offset, rows: [$0.element]) }
    ledger.replace(ledger.pieces[0], with: parts)
    #expect(ledger.pieces.map(\.id) == [10, 11, 2])
    ledger.settle([queued(5)[0]], of: ledger.pieces[0])
    #expect(ledger.pieces.map(\.id) == [11, 2])
    ledger.update(piece(99, rows: 1))
    ledger.replace(piece(99, rows: 1), with: [])
    ledger.forEach { $0.isSplit = true }
    #expect(ledger.pieces.map(\.isSplit) == [true, true])
  }

  /// Refused results are to be looked at; an id that another result has says where it may come from.
  @Test func hintsOfRefusals() {
    let look = "look at them: quartz-agent spool quarantine ls"
    let copy = "; 23505: another key, or a copy of this state directory, posted other results with their ids"
    #expect(DeliveryStatus.hint([:]) == look && DeliveryStatus.hint([ByteText("23503"): 4]) == look)
    #expect(DeliveryStatus.hint([ByteText("23505"): 1, ByteText("23503"): 4]) == look + copy)
  }

  /// Clocks are told apart from 31 seconds on, in both directions.
  @Test func clocksThatDisagree() {
    func problem(_ seconds: Int64?) -> String? {
      RequestUsage(
        minute: 0, hour: 0, allowedPerMinute: 90, perHour: 900, serverAhead: seconds.map { .seconds($0) }
      ).skewProblem
    }
    #expect([nil, 0, 30, -30].map(problem) == [nil, nil, nil, nil])
    let span = Duration.seconds(31).text
    #expect(problem(31) == "the receiver's clock is \(span) ahead of this machine's")
    #expect(problem(-31) == "the receiver's clock is \(span) behind this machine's")
  }

  /// What `validate` counts with is what the budget gives.
  @Test func requestsForNewResults() {
    #expect(RateBudget.Limits().most(.live) == DeliverSettings.requestsPerHour)
  }

  /// Requests on disk: each with its time and purpose, whose numbers never change.
  @Test func requestsOnDisk() throws {
    #expect(RequestUse.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6])
    var budget = RateBudget()
    budget.reserved()
    let at = Timestamp(microseconds: 0x0102_0304_0506)
    #expect(budget.request(.pull, at: at) == .granted)
    #expect(budget.request(.backlog, at: at.advanced(by: .microseconds(1))) == .granted)
    let bytes = budget.encoded(reserving: 7)
    let body: [UInt8] = [6, 5, 4, 3, 2, 1, 0, 0, 3] + [7, 5, 4, 3, 2, 1, 0, 0, 1]
    #expect(Array(bytes.dropLast(4)) == Array("QRB1".utf8) + [7] + body)
    let restored = RateBudget(restoring: bytes, at: at.advanced(by: .seconds(1)))
    #expect(restored.used(at: at.advanced(by: .seconds(1))) == (minute: 9, hour: 9))
    for place in bytes.indices {
      var other = bytes
      other[place] ^= 1
      #expect(RateBudget(restoring: other, at: at).used(at: at).minute == 80, "\(place)")
    }
  }

  /// Words of a receiver within their limits; what it does not say has its usual value.
  @Test func wordsOfAReceiver() throws {
    func words(_ members: String) throws -> ContactWords { ContactWords(try json("{\(members)}")) }
    for (given, seconds) in [(-1, 5), (4, 5), (5, 5), (6, 6), (59, 59), (60, 60), (61, 60)] as [(Int, Int)] {
      #expect(try words("\"contact_s\":\(given)").contact == .seconds(seconds))
    }
    let pair = "\"id\":\"\(checkID(1))\",\"check_id\":\"\(checkID(2))\""
    for (given, seconds) in [
      ("", 60), (",\"expires_s\":0", 1), (",\"expires_s\":2", 2), (",\"expires_s\":600", 600),
      (",\"expires_s\":601", 600),
    ] {
      let ask = ContactWords.Ask(id: checkID(1), check: checkID(2), expires: .seconds(seconds))
      #expect(try words("\"asks\":[{\(pair)\(given)}]").asks == [ask])
    }
    let many = Array(repeating: "{\(pair)}", count: 51).joined(separator: ",")
    #expect(try words("\"asks\":[\(many)]").asks.count == 50)
    #expect(try words("\"asks\":[{},{\(pair)}]").asks.count == 1)
    let none = try words("")
    #expect(none.contact == nil && none.asks == [] && !none.makesAlerts && none.windowsVersion == nil)
    #expect(try words("\"apps\":\"on\"").makesAlerts)
    #expect(try words("\"apps\":\"off\"").makesAlerts == false)
    #expect(try words("\"windows\":{}").windowsVersion == "")
    #expect(try words("\"windows\":{\"version\":\"v1\"}").windowsVersion == "v1")
  }
}
