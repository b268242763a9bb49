// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI
import Testing

@Suite struct RetryAfterTests {
  private func wait(_ headers: [String: String]) -> Duration? {
    RetryAfter.wait(
      OutboundAnswer(status: 429, headers: headers.map { .init($0.key, $0.value) }), now: dawn)
  }

  /// dawn is Sun, 04 Jan 2026 02:00:00 GMT.
  @Test(
    arguments: [
      ("0", nil), ("1", 1), (" 30 ", 30), ("3600", 3600), ("3601", 3600), ("315360000", 3600),
      ("99999999999999999999999999", 3600), ("-5", nil), ("soon", nil), ("", nil), ("1.5", nil), ("1e3", nil),
      ("Sun, 04 Jan 2026 02:00:30 GMT", 30), ("Sunday, 04-Jan-26 02:01:00 GMT", 60),
      ("Sun Jan  4 02:00:05 2026", 5), ("Sat, 03 Jan 2026 02:00:00 GMT", nil),
      ("Wed, 04 Jan 2036 02:00:00 GMT", 3600), ("Sun, 32 Jan 2026 02:00:00 GMT", nil),
    ] as [(String, Int?)])
  func everyForm(text: String, seconds: Int?) {
    #expect(wait(["Retry-After": text]) == seconds.map { .seconds($0) })
  }

  /// RFC 9110 section 5.6.7: a year of two digits is one near us.
  @Test(arguments: [
    ("Thursday, 01-Jan-70 00:00:00 GMT", "1970-01-01T00:00:00Z"),
    ("Wednesday, 31-Dec-69 00:00:00 GMT", "2069-12-31T00:00:00Z"),
    ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
    ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
  ])
  func yearsOfTwoDigits(text: String, instant: String) {
    #expect(HTTPDate.parse(text) == Timestamp(rfc3339: instant))
  }

  /// A server whose clock is ten years ahead means what it says on its own clock.
  @Test func dateIsMeasuredAgainstTheServersOwnClock() {
    let headers = ["date": "Fri, 04 Jan 2036 02:00:00 GMT", "retry-after": "Fri, 04 Jan 2036 02:00:20 GMT"]
    #expect(wait(headers) == .seconds(20))
  }

  @Test(
    arguments: [
      ("45", 45), ("999999999", 3600), ("1000000000", nil),
      ("1767492090", 90), ("1767491000", nil), ("-3", nil), ("4000000000", 3600),
    ] as [(String, Int?)])
  func resetHeaderServesWhenRetryAfterDoesNot(text: String, seconds: Int?) {
    #expect(wait(["X-RateLimit-Reset": text]) == seconds.map { .seconds($0) })
    #expect(wait(["X-RateLimit-Reset": text, "Retry-After": "-1"]) == seconds.map { .seconds($0) })
  }

  /// The instant of a reset is measured by the server's own clock, too; a number of seconds by none.
  @Test(
    arguments: [
      ("Sun, 04 Jan 2026 02:00:00 GMT", "1767492090", 90),
      ("Sun, 04 Jan 2026 02:01:00 GMT", "1767492090", 30),
      ("Sun, 04 Jan 2026 01:59:00 GMT", "1767492090", 150),
      ("Fri, 04 Jan 2036 02:00:00 GMT", "1767492090", nil),
      ("Fri, 04 Jan 2036 02:00:00 GMT", "2083024820", 20), ("Fri, 04 Jan 2036 02:00:00 GMT", "45", 45),
      ("no date", "1767492090", 90),
    ] as [(String, String, Int?)])
  func aResetByTheServersClock(date: String, reset: String, seconds: Int?) {
    #expect(wait(["Date": date, "X-RateLimit-Reset": reset]) == seconds.map { .seconds($0) })
  }

  @Test func nothingAskedForIsNil() { #expect(wait([:]) == nil) }
}

@Suite struct BackoffTests {
  @Test func ceilingDoublesToTheCap() {
    var backoff = Backoff()
    var generator = longest
    var waits: [Duration] = []
    for _ in 0..<11 { waits.append(backoff.next(using: &generator)) }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { .seconds($0) })
    backoff.reset()
    #expect(backoff.ceiling == .seconds(1))
  }

  @Test func jitterReachesDownToAMillisecond() {
    var backoff = Backoff()
    var generator = RandomSource { 1 }
    for _ in 0..<100 { #expect(backoff.next(using: &generator) == .milliseconds(1)) }
    #expect(backoff.failures == 100)
  }
}
