// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What the doctor found: also what is fine is told.

extension Notice.Severity {
  fileprivate var verdict: String {
    switch self {
    case .fine: "ok"
    case .warning: "warning"
    case .critical: "trouble"
    }
  }
}

extension Notice {
  /// `ok       resolver      192.0.2.53 answered in 1.2 ms`, and the hint on a line of its own.
  func line(placeWidth: Int, color: Bool) -> String {
    let padded = severity.verdict.padded(to: 7)
    let (mark, code) =
      switch severity {
      case .fine: ("✓ ", Paint.good)
      case .warning: ("! ", Paint.warning)
      case .critical: ("✕ ", Paint.bad)
      }
    let rest = "\(place.text.padded(to: placeWidth))  \(what.printable(maxBytes: 400))"
    return "\(Paint(isOn: color)(mark + padded, code))  \(rest)\n"
      + (hint.map { "             hint: \($0.printable(maxBytes: 400))\n" } ?? "")
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("area", place.text)
      json.field("verdict", severity.verdict)
      json.field("text", what)
      if let hint { json.field("hint", hint) }
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
