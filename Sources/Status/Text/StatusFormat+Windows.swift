// SPDX-License-Identifier: MIT

import Basics
import History
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
