// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// How long a server asks to be left alone. Decided from its headers alone, and never for longer than `RetryTime.cap`.
package enum RetryAfter {
  /// The wait that `response` asks for: Retry-After as seconds or as a date (RFC 9110, section 10.2.3), else
  /// X-RateLimit-Reset as seconds or as an instant. `nil` where it asks for none, or for one that makes no sense
  /// (negative, in the past, no number).
  ///
  /// A date is measured against the server's own Date header where there is one, so a server whose clock is years
  /// off still gets what it meant.
  package static func wait(_ response: OutboundAnswer, now: Timestamp) -> Duration? {
    let server = response.header("Date").flatMap { HTTPDate.parse($0) } ?? now
    if let text = response.header("Retry-After"), let wait = RetryTime.wait(text, now: server) { return wait }
    guard let text = response.header("X-RateLimit-Reset"), let number = RetryTime.digits(text) else {
      return nil
    }
    // Below a billion it cannot be an instant after 2001: it is a number of seconds.
    if number < 1_000_000_000 { return RetryTime.bounded(.seconds(number)) }
    return RetryTime.bounded(server.duration(to: Timestamp(seconds: min(number, 1 << 40))))
  }
}
