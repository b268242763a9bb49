// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension TraceSettings: KeyedSettings {
  package static let keys: [Key<TraceSettings>] = [
    Key(
      \.onFailure, "on_failure", .flag,
      "Trace when a check goes down without an answer: no reply, or a refusal"),
    Key(
      \.slowFactor, "slow_factor", .integer(SettingLimits.slowFactor),
      "Trace when a success takes more than so many times the 99th percentile of its check, which must have 100 results; "
        + "0: never"),
    Key(
      \.goodEvery, "good_every", .duration(SettingLimits.goodEvery),
      "Interval of traces of a target that works, for comparison"),
    Key(\.atOnce, "at_once", .integer(SettingLimits.tracesAtOnce), "Traces under way at most"),
    Key(
      \.every, "every", .duration(SettingLimits.traceEvery),
      "Shortest interval between traces of a failing or slow target"),
    Key(\.apiChecks, "api_checks", .flag, "Trace targets of checks from the API, too"),
    Key(
      \.networks, "networks", .wholeFile,
      "File with names of networks, see [trace.md](trace.md); relative to this file"),
    Key(\.names, "names", .flag, "Look up the names of routers"),
  ]
}
