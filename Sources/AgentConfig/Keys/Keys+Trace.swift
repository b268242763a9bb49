// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension TraceSettings: KeyedSettings {
  package static let keys: [Key<TraceSettings>] = [
    Key(
      \.onFailure, "on_failure", .flag,
      "When a check goes down because nobody answers, or somebody says no, before there is an answer"),
    Key(
      \.slowFactor, "slow_factor", .integer(SettingLimits.slowFactor),
      "When a success takes more than so many times the 99th percentile of its check, which must have 100 results; "
        + "0: never"),
    Key(
      \.goodEvery, "good_every", .duration(SettingLimits.goodEvery),
      "From one trace of a target that works, to compare with, to the next"),
    Key(\.atOnce, "at_once", .integer(SettingLimits.tracesAtOnce), "Traces under way at most"),
    Key(
      \.every, "every", .duration(SettingLimits.traceEvery),
      "From one trace of a target that something is wrong with to the next"),
    Key(\.apiChecks, "api_checks", .flag, "Also for checks from the API"),
    Key(
      \.networks, "networks", .wholeFile,
      "File that names networks of addresses, see [trace.md](trace.md); relative to this file"),
    Key(\.names, "names", .flag, "Ask name servers for the names of routers"),
  ]
}
