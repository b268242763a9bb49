// SPDX-License-Identifier: MIT

import Basics

/// Reasons for values of Icinga's objects that no check, channel or rule has.
struct IcingaRest {
  /// Objects that checks, channels and rules were made of.
  let used: Set<Int>
  /// Templates that objects were made of.
  let loaded: Set<Int>

  func reason(_ object: IcingaObject, _ attribute: String) -> String {
    switch object.type {
    case "Host", "Service": check(object, attribute)
    case "Notification", "User", "Dependency": notification(object, attribute)
    case "UserGroup":
      !["", "groups"].contains(attribute)
        ? Self.shown
        : used.contains(object.id)
          ? "its users have channels" : "no imported check notifies its users by mail"
    case "NotificationCommand": "no imported notification uses the command"
    case "ScheduledDowntime", "Downtime": "write maintenance, see docs/configuration.md"
    case "TimePeriod": "checks run all day; write maintenance for the rest"
    case "CheckCommand": "a command that no imported check uses"
    case "EventCommand": Self.event
    case "HostGroup", "ServiceGroup": "name the group as a tag"
    case "Comment": Self.shown
    case "Zone", "Endpoint": "it is about how Icinga's nodes reach one another"
    default: "it is about Icinga itself"
    }
  }

  private static let shown = "it is shown on Icinga's pages only"
  private static let event = "no command is run when a state changes"

  private func check(_ object: IcingaObject, _ attribute: String) -> String {
    switch attribute {
    case "display_name", "notes", "notes_url", "action_url", "icon_image", "icon_image_alt": Self.shown
    case "event_command", "enable_event_handler": Self.event
    case "enable_flapping", "flapping_threshold", "flapping_threshold_low", "flapping_threshold_high",
      "flapping_ignore_states":
      "flap detection is set in alerts.flap, see docs/alerts.md"
    case "enable_passive_checks": "passive check results are not accepted"
    case "enable_perfdata", "volatile", "package", "zone", "command_endpoint": "it is about Icinga itself"
    case "enable_notifications": "no notification of Icinga belongs to it"
    case "groups": "name the group as a tag"
    case "vars": unless(object, "no imported check uses this variable")
    default: unless(object, "no imported check uses this value")
    }
  }

  /// Values of an object that became no check have one reason.
  private func unless(_ object: IcingaObject, _ why: String) -> String {
    switch object.kind {
    case .template: loaded.contains(object.id) ? why : "no object given imports the template"
    case .object, .apply: used.contains(object.id) ? why : "no check was made of it"
    }
  }

  private func notification(_ object: IcingaObject, _ attribute: String) -> String {
    if object.kind == .template {
      return loaded.contains(object.id)
        ? "no imported check uses this value of the template" : "no object given imports the template"
    }
    guard used.contains(object.id) else {
      return switch object.type {
      case "User": MailContacts.unused
      case "Dependency": "no imported check is its child"
      default: "no imported check uses the notification"
      }
    }
    guard object.type != "Dependency" else {
      return "a dependency holds all day, and while what it names is down"
    }
    return switch attribute {
    case "display_name": "a channel is known by its user's name"
    case "vars": "variables of its command have no effect on a mail"
    case "pager": "a mail goes to the address alone"
    case "period": "it is the same for all channels here: write alerts.quiet_hours"
    default: "it has no effect on a mail"
    }
  }
}
