// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One thing the doctor looked at.
struct Finding: Hashable, Sendable {
  enum Verdict: Int, Comparable, Hashable, Sendable {
    case fine, warning, trouble

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    var word: String {
      switch self {
      case .fine: "ok"
      case .warning: "warning"
      case .trouble: "trouble"
      }
    }
  }

  /// What was looked at: a word or two.
  var area: String
  var verdict: Verdict
  /// What was found, in one line.
  var text: String
  /// What to do; nil when there is nothing to do.
  var hint: String?

  static func fine(_ area: String, _ text: String) -> Finding {
    Finding(area: area, verdict: .fine, text: text)
  }

  static func warning(_ area: String, _ text: String, hint: String?) -> Finding {
    Finding(area: area, verdict: .warning, text: text, hint: hint)
  }

  static func trouble(_ area: String, _ text: String, hint: String?) -> Finding {
    Finding(area: area, verdict: .trouble, text: text, hint: hint)
  }
}

extension Finding {
  /// `ok       resolver      192.0.2.53 answered in 1.2 ms`, and the hint on a line of its own.
  func line(areaWidth: Int, color: Bool) -> String {
    let padded = verdict.word.padded(to: 7)
    let mark =
      switch verdict {
      case .fine: "✓ "
      case .warning: "! "
      case .trouble: "✕ "
      }
    let code =
      switch verdict {
      case .fine: "32"
      case .warning: "33"
      case .trouble: "31"
      }
    let head = color ? "\u{1b}[\(code)m\(mark)\(padded)\u{1b}[0m" : mark + padded
    let rest = "\(area.padded(to: areaWidth))  \(text.printable(maxBytes: 400))"
    return "\(head)  \(rest)\n" + (hint.map { "             hint: \($0.printable(maxBytes: 400))\n" } ?? "")
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("area", area)
      json.field("verdict", verdict.word)
      json.field("text", text)
      if let hint { json.field("hint", hint) }
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
