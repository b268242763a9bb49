// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI
import TestSupport

/// 2026-01-04T02:00:00Z, when tests begin.
let dawn = Timestamp(seconds: 1_767_492_000)

func checkID(_ number: Int) -> UniqueID { UniqueID(high: 0x4000, low: UInt64(number)) }

func record(_ number: Int, check: Int = 1, _ change: (inout DeliveryRecord) -> Void = { _ in })
  -> DeliveryRecord
{
  var record = DeliveryRecord(
    id: UniqueID(high: 0x7000, low: UInt64(number)), checkID: checkID(check), agent: "test",
    scheduledAt: dawn, startedAt: dawn.advanced(by: .milliseconds(3)), trigger: .schedule, status: .success,
    state: .up, reason: .ok, phase: nil, statusCode: 200, responseTime: .microseconds(12_400),
    timings: Timings(), certificateNotAfter: nil, message: nil, flags: .post)
  change(&record)
  return record
}

func records(_ count: Int, from first: Int = 1) -> [DeliveryRecord] {
  (first..<first + count).map { record($0) }
}

func queued(_ count: Int) -> [QueuedRecord] {
  (1...count).map { QueuedRecord(sequence: UInt64($0), record: record($0)) }
}

/// A generator whose jitter is always the longest wait.
let longest = RandomSource { .max }

/// Gives requests to the fake backend without a socket.
struct InProcess: HTTPExchanging {
  let fake: FakeQuartz

  func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
    let query = request.url.query.map { "?" + $0 } ?? ""
    var headers: [String: String] = [:]
    for header in request.headers { headers[header.name.lowercased()] = header.value.reveal() }
    let answer = fake.answer(
      FakeRequest(
        method: request.method.rawValue, target: request.url.path + query, headers: headers,
        body: request.body))
    switch answer {
    case .hangUp, .hold: return .failure("the connection ended before the answer")
    case .respond(let status, let headers, let body):
      return .response(
        OutboundAnswer(status: status, headers: headers.map { .init($0.key, $0.value) }, body: body))
    }
  }
}
