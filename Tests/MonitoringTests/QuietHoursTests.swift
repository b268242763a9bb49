// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// When quiet hours begin and end.
@Suite struct QuietHoursTests {
  /// Hours last until the clock shows their end: a whole day where that is the time they begin at.
  @Test(arguments: [0, 1, 79_200, 86_399] as [Int64]) func lengths(from: Int64) {
    for (later, length) in [(1, 1), (3600, 3600), (86_399, 86_399), (0, 86_400)] as [(Int64, Int64)] {
      // The first day of the epoch was a Thursday.
      let hours = QuietHours(from: from, to: (from + later) % 86_400, days: [3])
      let (first, last) = (Timestamp(seconds: from), Timestamp(seconds: from + length))
      func before(_ instant: Timestamp) -> Timestamp { instant.advanced(by: .microseconds(-1)) }
      #expect(hours.end(at: before(first)) == nil && hours.end(at: first) == last)
      #expect(hours.end(at: before(last)) == last && hours.end(at: last) == nil)
      #expect(hours.nextEnd(after: before(first)) == last)
    }
  }
}
