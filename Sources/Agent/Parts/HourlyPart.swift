// SPDX-License-Identifier: MIT

import Basics
import Logging

/// The line an hour in the log.
struct HourlyPart: AgentPart {
  let log: Logger
  let time: TimeSource

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [{ await HourlyLog(log: log, time: time, snapshot: picture).run() }]
  }
}
