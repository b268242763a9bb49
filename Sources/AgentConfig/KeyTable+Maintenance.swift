// SPDX-License-Identifier: MIT

import Monitoring

extension KeyTable {
  /// A window of the section `maintenance`.
  static let maintenance = KeyTable(
    keys: [
      Key("name", .text, "What is going on, as people see it; each only once", required: true),
      Key("checks", .list(.text), "Names or ids of checks it is for", default: "every check"),
      Key("tags", .list(.text), "Checks with any of these tags, too"),
      Key("resources", .list(.text), "Checks of these resources (ids), too"),
    ] + hours)

  /// A window of one check.
  static let ownMaintenance = KeyTable(
    keys: [Key("name", .text, "What is going on, as people see it", default: "the check's name")] + hours)

  private static let hours = [
    Key("start", .text, "Local date and time such as 2026-01-04T02:00, of the first time", required: true),
    Key("duration", .duration(MaintenanceLimits.duration), "How long it lasts; or give an end"),
    Key("end", .text, "Local date and time, or a time of day such as 04:00, the next after start"),
    Key(
      "repeat", .choice(MaintenanceRepetition.allCases.map(\.rawValue)), "How it comes again", default: "none"
    ),
    Key("timezone", .text, "IANA name such as Europe/London: whose clock is meant", default: "UTC"),
    Key("skip", .flag, "true: do not probe meanwhile", default: "false"),
  ]
}
