// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension AlertSettings: KeyedSettings {
  package static let keys: [Key<AlertSettings>] = [
    Key("channels", .list(.map(.alertChannel)), "Ways to tell somebody") { $1.alertChannels($0.channels) }
      .required,
    Key(
      "rules", .list(.map(.alertRule)), "What is told",
      default:
        "down, certificate and agent: failures in a row, certificates that end, problems of the agent itself"
    ) { $1.alertRules($0.rules) },
    Key("quiet_hours", .map(.quietHours), "Hours in which nobody is to be woken") {
      $1.quietHours($0.quietHours)
    },
    Key(
      \.remind, "remind", .duration(AlertSettings.remind),
      "From one message on an incident that lasts to the next; one that somebody acknowledged is not told again"
    ),
    Key(
      \.groupWait, "group_wait", .duration(AlertSettings.groupWait),
      "How long an incident gathers what belongs to it before it is told, and how long it must be over"),
    Key(
      \.digest, "digest", .timeOfDay,
      "Time of day at which incidents of low severity, and those that quiet hours held back, are told in one message"
    ),
    Key(
      "timezone", .text, "IANA name: whose clock digest and quiet_hours mean", default: "UTC"
    ) { $1.text("timezone", $0.zone.name) },
    Key(
      \.pageURL, "page_url", .pageURL, "Where people reach the status page; messages link to it"),
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

extension Codec<String> {
  /// It is shown to people, so it must not hold a login.
  static var pageURL: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      guard let url = try? HTTPURL(text), url.text == url.display || url.text == url.display + "/" else {
        reader.problem(
          place.position,
          "\(place.key) must be an http or https URL without login, query and fragment, "
            + "found \(typed.found(text))",
          hint: "such as https://status.example/")
        return nil
      }
      return text
    }
  }
}
