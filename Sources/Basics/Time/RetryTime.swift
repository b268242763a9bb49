// SPDX-License-Identifier: MIT

/// The field Retry-After (RFC 9110, section 10.2.3), with a cap, so that a wrong or hostile value costs an hour at most.
package enum RetryTime {
  /// Longest wait that a server may ask for.
  package static let cap: Duration = .seconds(3600)

  /// Seconds, or a date measured against `now`, which is best the server's own. `nil` for no wait, or for one that
  /// makes no sense (negative, in the past, no number).
  package static func wait(_ text: String, now: Timestamp) -> Duration? {
    if let seconds = digits(text) { return bounded(.seconds(seconds)) }
    return HTTPDate.parse(text).flatMap { bounded(now.duration(to: $0)) }
  }

  /// A number too long for 64 bits is a very large number, not an error.
  package static func digits(_ text: String) -> Int64? {
    let trimmed = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
    let body = trimmed.prefix { (0x30...0x39).contains($0) }
    guard !body.isEmpty, trimmed[body.endIndex...].allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
      return nil
    }
    // bounded: digits that are no number are nil
    return Int64(String(decoding: body, as: UTF8.self)).map { min($0, 1 << 40) } ?? 1 << 40
  }

  package static func bounded(_ wait: Duration) -> Duration? {
    wait > .zero ? min(wait, cap) : nil
  }
}
