// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

@testable import Checks

/// An answer without a server.
struct Answer {
  var status: Int? = 200
  var version: String? = "1.1"
  var headers: [(String, String)] = []
  var body = ""
  var bytes: [UInt8]?
  var url = "https://shop.test/path?key=canary"
  var isBodyRead = true
  /// Nil: complete.
  var failedIn: TransferPhase?

  static func json(_ text: String) -> Answer {
    Answer(headers: [("Content-Type", "application/json")], body: text)
  }

  func judged(
    at now: Timestamp = Timestamp(seconds: 1_800_000_000), failure: Verdict? = nil,
    _ change: (inout CheckDefinition) -> Void
  ) throws -> HTTPJudge {
    let check = try httpCheck("https://shop.test/path", change)
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    var report: TransferReport?
    if let status {
      var answer = TransferReport(outcome: .complete)
      if let failedIn {
        answer.outcome = .failed(TransferFailure(.timeout, phase: failedIn, message: "timed out"))
      }
      answer.statusCode = status
      answer.httpVersion = version
      answer.headers = headers.map { HeaderField($0.0, $0.1) }
      answer.body = bytes ?? Array(body.utf8)
      if isBodyRead, failedIn == nil { answer.times.lastByte = .milliseconds(1) }
      report = answer
    }
    let failure =
      failure ?? failedIn.map { _ in Verdict(.transferTimeout, phase: .transfer, message: "timed out") }
    return HTTPJudge(
      settings: settings,
      failure: failure ?? (status == nil ? Verdict(.connectRefused, phase: .connect) : nil),
      report: report, lastURL: try HTTPURL(url), tls: nil, now: now)
  }
}

struct WrongKind: Error {}

extension HTTPJudge {
  /// The one assertion with this key.
  func assertion(_ what: String) -> Assertion? {
    let all = assertions.filter { $0.what == what }
    return all.count == 1 ? all.first : nil
  }
}
