// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring
@testable import Network
@testable import QuartzAPI

/// What a receiver answers to a delivery: the first byte chooses the status and the receiver, the rest is the body. A
/// sound answer accounts for every row; everything goes through the machine that delivers.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let statuses = [200, 201, 207, 200, 400, 401, 409, 413, 422, 429, 500, 503]
  var response = OutboundAnswer(
    status: statuses[Int(bytes[0]) % statuses.count], body: Array(bytes.dropFirst()))
  if bytes[0] & 0x80 != 0 { response.headers = [.init("Content-Range", "*/*")] }
  let dialect = bytes[0] & 0x40 == 0 ? DeliveryDialect.quartz : .supabase
  if dialect == .quartz, let acknowledged = dialect.acknowledgement(response, sent: rows.map(\.record.id)) {
    let counted =
      (acknowledged.accepted ?? 0) + (acknowledged.duplicates ?? 0) + acknowledged.rejected.count
    precondition(counted == rows.count, "an answer that accounts for \(counted) of \(rows.count)")
  }
  deliver(response, dialect)
  return 0
}

private let rows = (1...3).map { number in
  QueuedRecord(
    sequence: UInt64(number),
    record: DeliveryRecord(
      id: UniqueID(high: 1, low: UInt64(number)), checkID: UniqueID(high: 3, low: 4), agent: "a",
      scheduledAt: dawn, startedAt: dawn, trigger: .schedule, status: .success, state: .up, reason: .ok,
      phase: nil, statusCode: nil, responseTime: nil, timings: Timings(), certificateNotAfter: nil,
      message: nil,
      flags: [.post]))
}

private let dawn = Timestamp(seconds: 1_772_000_000)

private func deliver(_ response: OutboundAnswer, _ dialect: DeliveryDialect) {
  var machine = DeliveryMachine(settings: .init())
  var generator = RandomSource { 7 }
  var now = dawn
  var batches = 0
  for _ in 0..<12 {
    switch machine.next(at: now) {
    case .fetch(let lane, _): _ = machine.fetched(lane, lane == .live && batches == 0 ? rows : [], at: now)
    case .send(let batch):
      batches += 1
      let outcome = DeliveryRules.judge(
        .response(response), by: dialect, sent: batch.rows.map(\.record.id), now: now)
      _ = machine.answered(outcome, at: now, using: &generator)
    case .heartbeat: break
    case .wait(let until): now = max(until, now)
    }
  }
}
