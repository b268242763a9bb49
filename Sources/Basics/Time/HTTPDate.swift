// SPDX-License-Identifier: MIT

/// The three date forms of RFC 9110, section 5.6.7.
package enum HTTPDate {
  /// `nil` for anything else. The name of the weekday is not checked: it adds nothing.
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
    let date = "\(padded(Int64(yearNumber), 4))-\(padded(Int64(index + 1), 2))-\(padded(Int64(dayNumber), 2))"
    return Timestamp(rfc3339: "\(date)T\(time)Z")
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
