// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How long a server asks to be left alone. Decided from its headers alone, with a cap, so that a wrong or hostile
/// value costs an hour at most.
package enum RetryAfter {
  /// Nobody is obeyed for longer.
  package static let cap: Duration = .seconds(3600)

  /// The wait that `response` asks for: Retry-After as seconds or as a date (RFC 9110, section 10.2.3), else
  /// X-RateLimit-Reset as seconds or as an instant. Nil: it asks for none, or for one that makes no sense
  /// (negative, in the past, no number).
  ///
  /// A date is measured against the server's own Date header where there is one, so a server whose clock is years
  /// off still gets what it meant.
  package static func wait(_ response: APIResponse, now: Timestamp) -> Duration? {
    let server = response.header("Date").flatMap { HTTPDate.parse($0) } ?? now
    if let text = response.header("Retry-After"), let wait = value(text, now: server) { return wait }
    guard let text = response.header("X-RateLimit-Reset"), let number = digits(text) else { return nil }
    // Below a billion it cannot be an instant after 2001: it is a number of seconds.
    if number < 1_000_000_000 { return bounded(.seconds(number)) }
    return bounded(server.duration(to: Timestamp(seconds: min(number, 1 << 40))))
  }

  private static func value(_ text: String, now: Timestamp) -> Duration? {
    if let seconds = digits(text) { return bounded(.seconds(seconds)) }
    return HTTPDate.parse(text).flatMap { bounded(now.duration(to: $0)) }
  }

  /// A number too long for 64 bits is a very large number, not an error.
  private static func digits(_ text: String) -> Int64? {
    let trimmed = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
    let body = trimmed.prefix { (0x30...0x39).contains($0) }
    guard !body.isEmpty, trimmed[body.endIndex...].allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
      return nil
    }
    // bounded: digits that are no number are nil
    return Int64(String(decoding: body, as: UTF8.self)).map { min($0, 1 << 40) } ?? 1 << 40
  }

  private static func bounded(_ wait: Duration) -> Duration? {
    wait > .zero ? min(wait, cap) : nil
  }
}

/// The three date forms of RFC 9110, section 5.6.7.
package enum HTTPDate {
  /// Nil for anything else. The name of the weekday is not checked: it adds nothing.
  package static func parse(_ text: String) -> Timestamp? {
    let words = text.split { " ,-".contains($0) }.map(String.init)
    // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
    if words.count == 6, words[5] == "GMT" {
      return instant(day: words[1], month: words[2], year: words[3], time: words[4])
    }
    // Sun Nov  6 08:49:37 1994
    guard words.count == 5 else { return nil }
    return instant(day: words[2], month: words[1], year: words[4], time: words[3])
  }

  private static func instant(day: String, month: String, year: String, time: String) -> Timestamp? {
    guard let index = months.firstIndex(of: month), let dayNumber = Int(day), var yearNumber = Int(year),
      yearNumber >= 0
    else { return nil }
    if year.utf8.count == 2 { yearNumber += yearNumber < 70 ? 2000 : 1900 }  // bounded: a year of two digits
    let date = "\(pad(yearNumber, 4))-\(pad(index + 1, 2))-\(pad(dayNumber, 2))"
    return Timestamp(rfc3339: "\(date)T\(time)Z")
  }

  private static func pad(_ number: Int, _ width: Int) -> String {
    // bounded: a year of two digits, and widths of four
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
