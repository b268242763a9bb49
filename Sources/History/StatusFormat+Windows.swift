// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension StatusFormat {
  /// `–` without data. Where there is less than 1 % of the window, whole percents, cut, and how much that is:
  /// `100% (2h)`; ten columns at most.
  package static func uptime(_ window: WindowStatus) -> String {
    guard let uptime = window.uptime else { return "–" }
    guard window.data.isThin else { return percent(uptime) }
    return "\(decimal(uptime, places: 0, up: false))% (\(length(window.data.judged)))"
  }

  /// ` (2h of data)` behind a figure that rests on less than 1 % of its window, else nothing.
  package static func remark(_ data: DataShare) -> String {
    data.isThin ? " (\(length(data.judged)) of data)" : ""
  }
}

extension CheckState {
  /// Status is always a mark plus a word: colour alone says nothing to many people.
  package var mark: String {
    switch self {
    case .up: "●"
    case .degraded: "▲"
    case .down: "✕"
    case .unknown: "?"
    }
  }

  package var word: String { rawValue.uppercased() }
}
