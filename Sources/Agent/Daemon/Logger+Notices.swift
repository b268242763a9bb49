// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring
import QuartzAPI

extension Logger {
  /// Under a title of its own the words are the problem: what comes often is one class of lines, whatever it says.
  func tell(_ notice: Notice, as title: String? = nil, _ facts: Metadata = [:]) {
    var metadata = facts
    if title != nil { metadata["problem"] = "\(notice.what)" }
    if let hint = notice.hint { metadata["hint"] = "\(hint)" }
    let level: Level = title != nil || notice.isCritical ? .error : .warning
    log(level: level, "\(title ?? notice.what)", metadata: metadata)
  }

  /// Logs the changes that a key of the API made, so that the agent's operator can see each with its time.
  func tell(_ changes: [CheckChange]) {
    for change in changes.prefix(50) {
      notice(
        "check of the API changed",
        metadata: ["check": "\(change.name)", "id": "\(change.id)", "change": "\(change.text)"])
    }
    if changes.count > 50 {
      notice("\(counted(changes.count - 50, "more check", "more checks")) of the API changed")
    }
  }
}
