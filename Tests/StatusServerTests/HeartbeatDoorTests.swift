// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import StatusServer
import Synchronization
import Testing

@testable import Status

/// Takes reports of one token and keeps them.
private final class Reports: HeartbeatTaking {
  static let token = "0123456789abcdef"
  let taken = Mutex<[HeartbeatReport]>([])
  let isBusy = Mutex(false)
  let isFull = Mutex(false)

  func take(_ report: HeartbeatReport, token: String) async -> HeartbeatAnswer {
    guard token == Self.token else { return .unknown }
    if isBusy.withLock(\.self) { return .tooMany }
    taken.withLock { $0.append(report) }
    return isFull.withLock(\.self) ? .notKept : .taken
  }
}

/// `/hb/TOKEN`: how jobs report.
@Suite struct HeartbeatDoorTests {
  private func serve(_ body: @escaping @Sendable (ListenAddress, Reports) async throws -> Void) async throws {
    let reports = Reports()
    var source = try sampleSource()
    // Reading wants a token; a report shows its own.
    source.access.readToken = Redacted("fedcba9876543210")
    try await withServer(source, heartbeats: reports) { try await body($0, reports) }
  }

  /// Healthchecks' paths by GET, HEAD and POST, whatever the Host, with no other token.
  @Test func pathsAreThoseOfHealthchecks() async throws {
    try await serve { address, reports in
      for (path, signal) in [
        ("", HeartbeatReport.Signal.ok), ("/start", .start), ("/fail", .fail(exitCode: nil)), ("/0", .ok),
        ("/255", .fail(exitCode: 255)), ("?rid=7", .ok),
      ] {
        for method in ["GET", "HEAD", "POST"] {
          let answer = try await get(
            address, "/hb/\(Reports.token)\(path)", host: "jobs.example", method: method)
          #expect(answer.status == 200 && answer.body == (method == "HEAD" ? "" : "OK"), "\(method) \(path)")
          #expect(reports.taken.withLock(\.last) == HeartbeatReport(signal), "\(method) \(path)")
        }
      }
    }
  }

  /// What is not on the disk is not called taken, and nothing of this machine is told.
  @Test func aReportThatIsNotKeptIs503() async throws {
    try await serve { address, reports in
      reports.isFull.withLock { $0 = true }
      let answer = try await get(address, "/hb/\(Reports.token)")
      #expect(answer.status == 503)
      #expect(
        answer.body
          == "the report was counted but could not be saved, a restart would lose it: send it again\n")
    }
  }

  /// Everything else of the folder is not found, alike, and tells nothing.
  @Test func whatIsUnknownIsNotFound() async throws {
    try await serve { address, reports in
      let first = try await get(address, "/hb/fedcba9876543210")
      for path in [
        "", "/", "fedcba9876543210/start", "\(Reports.token)/256", "\(Reports.token)/log",
        "\(Reports.token)/",
        "\(Reports.token)/0/0", "0123456789abcde%66", "../\(Reports.token)",
      ] {
        let answer = try await get(address, "/hb/\(path)")
        #expect(answer.status == 404 && answer.head == first.head && answer.body == first.body, "\(path)")
      }
      let put = try await get(address, "/hb/\(Reports.token)", method: "PUT")
      #expect(put.status == 405 && put.header("allow") == "GET, HEAD, POST")
      reports.isBusy.withLock { $0 = true }
      #expect(try await get(address, "/hb/\(Reports.token)").status == 429)
      #expect(reports.taken.withLock(\.count) == 0)
      // What is beside the folder is as private as before.
      for path in ["/hb", "/hbx/\(Reports.token)", "/"] {
        #expect(try await get(address, path).status == 401, "\(path)")
      }
    }
  }

  /// Of a body the last 10 KiB are kept, also in chunks; one without an end is cut off.
  @Test func bodiesAreCut() async throws {
    try await serve { address, reports in
      let head = "POST /hb/\(Reports.token)/fail HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      for length in [0, 1, 10 * 1024, 10 * 1024 + 1, 600_000] {
        let body = String((String(repeating: "x", count: length) + "end").suffix(length))
        let answer = try await exchange(address, head + "Content-Length: \(length)\r\n\r\n" + body)
        #expect(answer.status == 200 && answer.body == "OK", "\(length)")
        #expect(reports.taken.withLock(\.last)?.body == Array(body.utf8.suffix(10 * 1024)), "\(length)")
      }
      let chunked = try await exchange(
        address, head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
      #expect(chunked.status == 200 && reports.taken.withLock(\.last)?.body == Array("abcde".utf8))
      let endless = try await exchange(
        address, head + "Content-Length: 900000000\r\n\r\n" + String(repeating: "y", count: 1_100_000))
      #expect(endless.status == 200 && reports.taken.withLock(\.last)?.body.count == 10 * 1024)
    }
  }

  /// On a connection that stays open a report is followed by others.
  @Test func reportsFollowEachOther() async throws {
    try await serve { address, reports in
      let one = "POST /hb/\(Reports.token)/start HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
      let two = "GET /hb/\(Reports.token) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      let answer = try await exchange(address, one + one + two)
      #expect(answer.status == 200)
      #expect(reports.taken.withLock { $0.map(\.signal) } == [.start, .start, .ok])
    }
  }

  /// Where nobody takes reports the folder is like any other address.
  @Test func withoutATakerThereIsNoFolder() async throws {
    try await withServer(try sampleSource()) { address in
      let answer = try await get(address, "/hb/\(Reports.token)")
      #expect(answer.status == 404)
    }
  }
}
