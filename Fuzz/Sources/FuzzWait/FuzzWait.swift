// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring
@testable import Network
@testable import QuartzAPI

/// Three lines of an answer's head: Retry-After, the limit's reset and the server's Date (RFC 9110 sections 5.6.7 and
/// 10.2.3). A wait is longer than nothing and at most an hour.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
  var response = OutboundAnswer(status: 429)
  for (name, line) in zip(["Retry-After", "X-RateLimit-Reset", "Date"], lines) where !line.isEmpty {
    response.headers.append(.init(name, line))
  }
  for now in [Timestamp(seconds: 1_772_000_000), .epoch, Timestamp(microseconds: .max)] {
    if let wait = RetryAfter.wait(response, now: now) { precondition(wait > .zero && wait <= RetryTime.cap) }
  }
  for line in lines {
    guard let date = HTTPDate.parse(line) else { continue }
    let ahead = Timestamp(seconds: 1_772_000_000).duration(to: date)
    _ = RequestUsage(minute: 0, hour: 0, allowedPerMinute: 1, perHour: 1, serverAhead: ahead).skewProblem
  }
  return 0
}
