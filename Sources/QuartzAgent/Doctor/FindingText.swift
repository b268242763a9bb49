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
  ///
  /// - Parameter width: of the terminal: what has no room goes on beneath its beginning; nil: one line, however long.
  func line(placeWidth: Int, width: Int? = nil, color: Bool) -> String {
    let padded = severity.verdict.padded(to: 7)
    let (mark, code) =
      switch severity {
      case .fine: ("✓ ", Paint.good)
      case .warning: ("! ", Paint.warning)
      case .critical: ("✕ ", Paint.bad)
      }
    let rest = "\(place.text.padded(to: placeWidth))  \(what.printable(maxBytes: 400))"
    let first = "\(Paint(isOn: color)(mark + padded, code))  \(rest)"
    let lines =
      [(first, placeWidth + 13)] + (hint.map { [(hintLabel + $0.printable(maxBytes: 400), 19)] } ?? [])
    return lines.flatMap { line, hanging in
      width.map { line.folded(width: $0, hanging: hanging, breaksWords: true) } ?? [line]
    }.map { $0 + "\n" }.joined()
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

private let hintLabel = "             hint: "

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }
}
