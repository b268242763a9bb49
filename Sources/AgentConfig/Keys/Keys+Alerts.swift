// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension AlertSettings: KeyedSettings {
  package static let keys: [Key<AlertSettings>] = [
    Key("channels", .list(.map(.alertChannel)), "Notification channels") { $1.alertChannels($0.channels) }
      .required,
    Key(
      "rules", .list(.map(.alertRule)), "Alerting rules",
      default:
        "down, certificate and agent: failures in a row, certificates that end, problems of the agent itself"
    ) { $1.alertRules($0.rules) },
    Key("quiet_hours", .map(.quietHours), "Quiet hours: notifications below `except` are held until they end")
    {
      $1.quietHours($0.quietHours)
    },
    Key(
      \.remind, "remind", .duration(AlertSettings.remind),
      "From one notification of an incident that lasts to the next; none while it is acknowledged"
    ),
    Key(
      \.groupWait, "group_wait", .duration(AlertSettings.groupWait),
      "Wait before the first notification, so that related failures join one incident; also how long it must stay resolved"
    ),
    Key(
      \.groupInterval, "group_interval", .duration(AlertSettings.groupInterval),
      "Shortest time between two notifications of an incident that alerts join; also the time in which more than ten new "
        + "incidents are one storm"),
    Key(
      "escalate", .list(.map(.escalation)),
      "Channels that are notified only of incidents that are neither acknowledged nor resolved after a time",
      default: "none"
    ) { $1.escalations($0.escalate) },
    Key(
      "reports", .list(.map(.report)), "Reports that are sent when a month or a week is over", default: "none"
    ) { $1.reports($0.reports) },
    Key(
      \.app, "app", .choice,
      "Notifications of alerts that the Quartz apps have too: always, or only as a fallback for what they do not show within 90 s"
    ),
    Key("flap", .map(.flap), "When an alert counts as flapping") { $1.flap($0.flap) },
    Key(
      \.digest, "digest", .timeOfDay,
      "Time of day at which incidents of low severity are sent in one notification"
    ),
    Key(
      "timezone", .text, "Time zone of `digest` and `quiet_hours`, an IANA name", default: "UTC"
    ) { $1.text("timezone", $0.zone.name) },
    Key(
      \.pageURL, "page_url", .link, "URL of the status page, which notifications link to"),
  ]
}

extension Codec<Int64> {
  /// Seconds since midnight.
  static var timeOfDay: Codec {
    Codec(.text, isQuoted: true, text: { QuietHoursDefinition.text($0) }) { typed, place, reader in
      guard let text = typed.text else { return nil }
      if let time = LocalTime.timeOfDay(text) { return time }
      reader.problem(
        place.position, "\(place.key) must be a time of day, found \(typed.found(text))",
        hint: "such as \"08:00\"")
      return nil
    }
  }
}
