// SPDX-License-Identifier: MIT

import Basics

/// Attributes of hosts, services and users that no file sets, as rules see them.
enum IcingaAttributes {
  /// Attributes that are empty then.
  private static let empty: Set<ByteText> = [
    "vars", "address", "address6", "zone", "display_name", "notes", "notes_url", "action_url", "icon_image",
    "icon_image_alt", "check_command", "event_command", "check_period", "check_timeout", "command_endpoint",
    "templates", "host_name", "name", "email", "pager", "period",
  ]

  /// Icinga's own value; `nil` when it is not known before Icinga runs.
  static func usual(_ name: String) -> IcingaValue? {
    switch name {
    case "enable_notifications", "enable_active_checks", "enable_passive_checks", "enable_event_handler",
      "enable_perfdata":
      IcingaValue(kind: .flag(true))
    case "enable_flapping", "volatile": IcingaValue(kind: .flag(false))
    case "max_check_attempts": IcingaValue(kind: .number(3))
    case "check_interval": IcingaValue(kind: .number(300))
    case "retry_interval": IcingaValue(kind: .number(60))
    case "flapping_threshold_low": IcingaValue(kind: .number(25))
    case "flapping_threshold_high": IcingaValue(kind: .number(30))
    case "groups": IcingaValue(kind: .list([]))
    default: empty.contains(ByteText(name)) ? .null : nil
    }
  }
}
