// SPDX-License-Identifier: MIT

import Basics

/// `alerts`: rules, notification channels, and when they are notified.
package struct AlertSettings: Hashable, Sendable {
  package var channels: [AlertChannel] = []
  /// Those of `AlertRule.defaults` where the file has none.
  package var rules: [AlertRule] = AlertRule.defaults
  package var quietHours: QuietHours?
  /// From one notification of an incident that lasts to the next.
  package var remind: Duration = .seconds(4 * 3600)
  /// Before the first notification, so that related alerts join one incident; also how long it must stay resolved.
  package var groupWait: Duration = .seconds(15)
  /// Between two notifications of an incident that tell of alerts that joined it.
  package var groupInterval: Duration = .seconds(60)
  /// Channels that are notified only of what is neither acknowledged nor resolved for so long; shortest first.
  package var escalate: [Escalation] = []
  /// Reports that are sent when a month or a week is over.
  package var reports: [ReportSchedule] = []
  package var flap = FlapSettings()
  package var app = AppAlerting.always
  /// Seconds since midnight at which what could wait is told, on the clock of `zone`.
  package var digest: Int64 = 8 * 3600
  package var zone: TimeZoneRules = .utc
  /// Where the status page is, for those who get a message.
  package var pageURL: String?

  package init() {}

  /// Of a configuration without a section `alerts`.
  package static var none: AlertSettings {
    var settings = AlertSettings()
    settings.rules = []
    return settings
  }

  package static let remind: ClosedRange<Duration> = .seconds(60) ... .seconds(7 * 86_400)
  package static let groupWait: ClosedRange<Duration> = .zero ... .seconds(600)
  package static let groupInterval: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

  /// When the next digest is due by its time of day. An hour that the change of the clocks swallows is the one after it.
  package func nextDigest(after now: Timestamp) -> Timestamp {
    let local = zone.local(now)
    let midnight = local.seconds - local.timeOfDay  // bounded: a time of day
    // bounded: two days
    let moments = (Int64(0)...2).map { zone.instant(LocalTime(seconds: midnight + $0 * 86_400 + digest)) }
    return moments.first { $0 > now } ?? now
  }

  /// How long an incident waits before this channel may be notified of it; `nil` when the channel is of no escalation.
  package func escalation(to channel: String) -> Duration? {
    escalate.first { $0.to.contains(channel) }?.after
  }

  /// How long something must fire before this channel is notified of it.
  package func wait(to channel: String) -> Duration { max(escalation(to: channel) ?? groupWait, groupWait) }
}

/// `alerts.app`: what local channels do about alerts that the Quartz apps have as well.
package enum AppAlerting: String, CaseIterable, Hashable, Sendable {
  /// They notify.
  case always
  /// They notify only of what the apps do not show in time.
  case fallback

  /// Time in which the apps show an alert; after it local channels notify.
  package static let patience: Duration = .seconds(90)
}

/// One step of `alerts.escalate`.
package struct Escalation: Hashable, Sendable {
  package var after: Duration
  /// Names of channels.
  package var to: [String]

  package init(after: Duration, to: [String]) { (self.after, self.to) = (after, to) }

  package static let after: ClosedRange<Duration> = .seconds(60) ... .seconds(7 * 86_400)
  /// Steps of a configuration.
  package static let limit = 8
}

/// `alerts.flap`: when an alert counts as flapping, and until when.
package struct FlapSettings: Hashable, Sendable {
  /// So many openings of one alert within `within`.
  package var opens = 3
  package var within: Duration = .seconds(900)
  /// A flapping incident is resolved after it was well for so long, and for three intervals of its check.
  package var stable: Duration = .seconds(300)

  package init() {}

  package static let opens = 2...20
  package static let within: ClosedRange<Duration> = .seconds(60) ... .seconds(86_400)
  package static let stable: ClosedRange<Duration> = .seconds(10) ... .seconds(86_400)
}
