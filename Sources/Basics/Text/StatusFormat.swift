// SPDX-License-Identifier: MIT

/// How figures look, the same on the terminal and on the page.
package enum StatusFormat {
  /// `no data`, `100%`, `99.987%`, `97.5%`. Cut, never rounded up: only a flawless window shows 100.
  package static func percent(_ value: Double?) -> String {
    guard let value else { return "no data" }
    if value >= 100 { return "100%" }
    let places = value >= 99 ? 3 : 2
    return decimal(value, places: places, up: false) + "%"
  }

  /// A percentage with one decimal, cut: for figures beside the ones that matter.
  package static func share(_ value: Double) -> String {
    value >= 100 ? "100%" : decimal(value, places: 1, up: false) + "%"
  }

  /// `–`, `0.42 ms`, `12.3 ms`, `123 ms`, `1.23 s`, `12.3 s`.
  package static func latency(_ value: Duration?) -> String {
    guard let value else { return "–" }
    let milliseconds = value.milliseconds
    if milliseconds < 9.995 { return decimal(milliseconds, places: 2) + " ms" }
    if milliseconds < 99.95 { return decimal(milliseconds, places: 1) + " ms" }
    if milliseconds < 999.5 { return decimal(milliseconds, places: 0) + " ms" }
    return decimal(value.seconds, places: value.seconds < 9.995 ? 2 : 1) + " s"
  }

  /// One unit, cut: `0s`, `12s`, `3m`, `5h`, `2d`. A moment that is yet to come, by a clock set back, is `0s`.
  package static func age(_ instant: Timestamp, now: Timestamp) -> String {
    length(instant.duration(to: now).microseconds)
  }

  /// As an age, of microseconds.
  package static func length(_ microseconds: Int64) -> String {
    let seconds = microseconds / 1_000_000
    switch seconds {
    case ..<1: return "0s"
    case ..<60: return "\(seconds)s"
    case ..<3600: return "\(seconds / 60)m"
    case ..<172_800: return "\(seconds / 3600)h"
    default: return "\(seconds / 86_400)d"
    }
  }

  /// How long something took, in its two greatest units: `50s`, `4m 10s`, `5h 33m`, `3d 4h`.
  package static func span(_ microseconds: Int64) -> String {
    let seconds = max(0, microseconds / 1_000_000)
    let units: [(size: Int64, word: String)] = [(86_400, "d"), (3600, "h"), (60, "m"), (1, "s")]
    guard let first = units.firstIndex(where: { seconds >= $0.size }) else { return "0s" }
    let whole = "\(seconds / units[first].size)\(units[first].word)"
    guard first + 1 < units.count else { return whole }
    let rest = seconds % units[first].size / units[first + 1].size
    return rest == 0 ? whole : "\(whole) \(rest)\(units[first + 1].word)"
  }

  /// `just now`, or the age with `ago`.
  package static func ago(_ instant: Timestamp, now: Timestamp) -> String {
    instant.duration(to: now) < .seconds(1) ? "just now" : age(instant, now: now) + " ago"
  }

  /// `2026-10-04 12:34`, in UTC.
  package static func minute(_ instant: Timestamp) -> String {
    instant.rfc3339.prefix(16).replacing("T", with: " ")
  }

  /// `2026-10-04 12:34:56`, in UTC.
  package static func moment(_ instant: Timestamp) -> String {
    instant.rfc3339.prefix(19).replacing("T", with: " ")
  }

  /// `512 B`, `1.5 KiB`, `256 MiB`.
  package static func bytes(_ value: Int64) -> String {
    var scaled = Double(value)
    var unit = "B"
    for larger in ["KiB", "MiB", "GiB", "TiB"] where scaled >= 1024 {
      scaled /= 1024
      unit = larger
    }
    return decimal(scaled, places: unit == "B" || scaled >= 100 ? 0 : 1) + " " + unit
  }

  /// Of a check in a maintenance window.
  package static let maintenanceMark = "◆"

  /// A name from a file or the API, made safe for one line.
  package static func name(_ name: String) -> String { name.printable(maxBytes: 120) }

  /// Digits grouped by thousands: `12,345`.
  package static func grouped(_ value: Int) -> String {
    var text = ""
    for (index, digit) in String(value.magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (value < 0 ? "-" : "") + String(text.reversed())
  }

  /// Three significant digits, zeros after the point dropped: `0.512`, `5.41`, `54.1`, `541`. Not negative.
  package static func significant(_ value: Double) -> String {
    decimal(value, places: value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
  }

  /// Zeros after the point are dropped. Not negative.
  package static func decimal(_ value: Double, places: Int, up: Bool = true) -> String {
    let scale = [1.0, 10, 100, 1000][places]
    let scaled = Int64((value * scale).rounded(up ? .toNearestOrAwayFromZero : .down))
    let whole = scaled / Int64(scale)
    var fraction = padded(scaled % Int64(scale), places)
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return fraction.isEmpty ? "\(whole)" : "\(whole).\(fraction)"
  }
}
