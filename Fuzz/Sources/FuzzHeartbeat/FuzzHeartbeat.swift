// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Monitoring

/// What jobs report, what was kept of it, and when they run. The first byte chooses: heartbeats.json, a report (its word,
/// its token, its body, a line each), or a line of crontab(5).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let rest = Array(bytes.dropFirst())
  switch bytes[0] % 3 {
  case 0: book(rest)
  case 1: report(rest)
  default: cron(String(decoding: rest, as: UTF8.self))
  }
  return 0
}

private let time = TimeSource.system
private let token = "0123456789abcdef"
private let job: MonitoringCheck? = {
  var definition = CheckDefinition()
  (definition.name, definition.type) = ("Backup", "heartbeat")
  (definition.token, definition.period) = (Redacted(token), .seconds(86_400))
  return try? MonitoringCheck(definition)
}()

private func book(_ bytes: [UInt8]) {
  let now = time.reading()
  guard let book = HeartbeatBook(bytes, now: now), let job, case .heartbeat(let settings) = job.kind else {
    return
  }
  for page in book.pages.values { _ = HeartbeatJudge(settings).judge(page, at: now) }
  precondition(HeartbeatBook(book.encoded(now: now), now: now)?.pages.count == book.pages.count)
}

private func report(_ bytes: [UInt8]) {
  let parts = bytes.split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false)
  func text(_ index: Int) -> String {
    index < parts.count ? String(decoding: parts[index], as: UTF8.self) : ""
  }
  guard let signal = HeartbeatReport.Signal(word: text(0)), let job else { return }
  if case .fail(let code?) = signal { precondition((1...255).contains(code)) }
  let desk = HeartbeatDesk(time: time)
  desk.follow([job])
  let body = parts.count > 2 ? Array(parts[2]) : []
  precondition(
    desk.take(HeartbeatReport(signal, body: body), token: text(1)) == (text(1) == token ? .taken : .unknown))
  precondition(desk.take(HeartbeatReport(signal, body: body), token: token) == .taken)
  precondition(desk.book.pages.values.allSatisfy { ($0.words?.utf8.count ?? 0) <= HeartbeatBook.keptWords })
  _ = desk.outcome(of: job)
}

private func cron(_ text: String) {
  guard let plan = try? CronPlan(text) else { return }
  for instant in [Int64.min, -1, 0, 1_772_000_000_000_000, 253_402_300_799_999_999, .max] {
    let now = Timestamp(microseconds: instant)
    let next = plan.next(after: now, in: .utc)
    precondition(next > now || !now.isPlausible)
  }
}
