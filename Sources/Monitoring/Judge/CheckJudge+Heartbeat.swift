// SPDX-License-Identifier: MIT

import Basics

extension CheckJudge {
  mutating func heartbeat() -> HeartbeatSettings? {
    // A door for reports is opened by the administrator of this machine, and by nobody else.
    if definition.origin == .api {
      problem(["type"], "type heartbeat is of the local file only, not of the API")
      return nil
    }
    let token = heartbeatToken()
    let rhythm = rhythm()
    ranged(definition.grace, ["grace"], CheckLimits.grace)
    ranged(definition.maxRun, ["max_run"], CheckLimits.maxRun)
    guard let token, let rhythm else { return nil }
    return HeartbeatSettings(
      token: token, rhythm: rhythm, grace: definition.grace ?? .seconds(300), maxRun: definition.maxRun)
  }

  /// It is a part of an address and the only secret there is: what would be escaped there is refused.
  private mutating func heartbeatToken() -> Redacted? {
    guard let token = definition.token else {
      problem(
        ["token"], "token is missing",
        hint: "what the job's address ends with; make one: openssl rand -hex 16")
      return nil
    }
    // What is printed of a configuration can be read again; as a token it opens nothing, for it is too short.
    if token.reveal() == Redacted.mark { return token }
    let bytes = Array(token.reveal().utf8)
    guard CheckLimits.heartbeatToken.contains(bytes.count) else {
      problem(
        ["token"],
        "token must be \(CheckLimits.heartbeatToken.lowerBound) to \(CheckLimits.heartbeatToken.upperBound) bytes, found \(bytes.count)",
        hint: "make one: openssl rand -hex 16")
      return nil
    }
    guard bytes.allSatisfy(isUnreserved) else {
      problem(
        ["token"], "token may have letters, digits, and - . _ ~ only", hint: "make one: openssl rand -hex 16")
      return nil
    }
    return token
  }

  private mutating func rhythm() -> HeartbeatSettings.Rhythm? {
    if definition.timezone != nil, definition.cron == nil {
      problem(["timezone"], "timezone has no effect without cron", hint: "a period is the same everywhere")
    }
    switch (definition.period, definition.cron) {
    case (let period?, nil):
      return ranged(period, ["period"], CheckLimits.period) ? .period(period) : nil
    case (nil, let text?):
      return cron(text)
    case (nil, nil):
      problem(
        ["period"], "period or cron is missing",
        hint: "how often the job reports, such as period: 1d or cron: \"0 3 * * *\"")
    case (_?, _?):
      problem(["cron"], "period and cron both say when a report is due", hint: "keep one of them")
    }
    return nil
  }

  private mutating func cron(_ text: String) -> HeartbeatSettings.Rhythm? {
    var zone: TimeZoneRules? = .utc
    if let name = definition.timezone {
      do throws(TimeZoneFiles.Failure) {
        zone = try TimeZoneFiles().zone(name)
      } catch {
        problem(
          ["timezone"], "timezone \(error.message), found \"\(name.shown(maxBytes: 60))\"",
          hint: error.hint)
        zone = nil
      }
    }
    do throws(CronPlan.Problem) {
      let plan = try CronPlan(text)
      return zone.map { .cron(plan, $0) }
    } catch {
      problem(["cron"], "cron \(error.message)", hint: error.hint)
      return nil
    }
  }
}
