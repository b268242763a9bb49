// SPDX-License-Identifier: MIT

import Basics

/// `quiet_hours` as it was written.
package struct QuietHoursDefinition: Sendable {
  package var from: String?
  package var to: String?
  package var days: [String]?
  package var timezone: String?
  package var except: String?

  package init() {}
}

extension QuietHoursDefinition {
  static let keys: [Key<QuietHoursDefinition>] = [
    Key(\.from, "from", .text, "Time of day at which they begin, such as \"22:00\"").required,
    Key(\.to, "to", .text, "Time of day at which they end; on the next day where it is not after `from`")
      .required,
    Key(
      \.days, "days", .texts, "Days on which they begin: mon, tue, wed, thu, fri, sat, sun",
      default: "every day"),
    Key(\.timezone, "timezone", .text, "Time zone of these hours, an IANA name", default: "alerts.timezone"),
    Key(
      \.except, "except", .word(AlertSeverity.self),
      "Notifications of at least this severity are sent all the same",
      default: "critical"),
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
  }

  init(_ hours: QuietHours) {
    self.init()
    (from, to) = (Self.text(hours.from), Self.text(hours.to))
    days = hours.days.isEmpty ? nil : hours.days.sorted().map { QuietHours.dayWords[$0] }
    (timezone, except) = (hours.zone.name, hours.except.rawValue)
  }

  /// A time of day as one writes it.
  package static func text(_ seconds: Int64) -> String {
    // The date is left out: `1970-01-01T08:00`.
    String(LocalTime(seconds: seconds).text.dropFirst(11))
  }
}

extension QuietHours {
  /// Judges a definition.
  ///
  /// - Parameter usual: the zone where the definition names none.
  /// - Throws: `InvalidAlerts` with every problem found.
  package init(
    _ definition: QuietHoursDefinition, usual: TimeZoneRules, zones: TimeZoneFiles
  ) throws(InvalidAlerts) {
    var problems: [CheckProblem] = []
    func time(_ key: String, _ text: String?) -> Int64? {
      guard let text else {
        problems.append(CheckProblem([key], "\(key) is missing", hint: "a time of day, such as \"22:00\""))
        return nil
      }
      if let time = LocalTime.timeOfDay(text) { return time }
      problems.append(
        CheckProblem([key], "\(key) must be a time of day, found \(quoted(text))", hint: "such as \"22:00\""))
      return nil
    }
    let (from, to) = (time("from", definition.from), time("to", definition.to))
    if let from, from == to {
      problems.append(
        CheckProblem(
          ["to"], "quiet hours from and to the same time would be the whole day", hint: "leave one hour"))
    }
    var days: Set<Int> = []
    for (index, word) in (definition.days ?? []).enumerated() {
      if let day = QuietHours.dayWords.firstIndex(of: word) {
        days.insert(day)
      } else {
        problems.append(
          CheckProblem(
            ["days", String(index)],
            "days[\(index)] must be one of \(QuietHours.dayWords.joined(separator: ", ")), found \(quoted(word))"
          ))
      }
    }
    if definition.days?.isEmpty == true {
      problems.append(CheckProblem(["days"], "days is empty", hint: "leave it out for every day"))
    }
    var zone = usual
    if let name = definition.timezone {
      do throws(TimeZoneFiles.Failure) {
        zone = try zones.zone(name)
      } catch {
        problems.append(CheckProblem(["timezone"], "timezone \(error.message)", hint: error.hint))
      }
    }
    guard problems.isEmpty, let from, let to else { throw InvalidAlerts(problems: problems) }
    self.init(
      from: from, to: to, days: days, zone: zone,
      except: definition.except.flatMap(AlertSeverity.init) ?? .critical)
  }
}

extension KeyTable {
  package static let quietHours = KeyTable(QuietHoursDefinition.keys)
}

extension KeyPrinter {
  package mutating func quietHours(_ hours: QuietHours?) {
    guard let hours else { return }
    map("quiet_hours") { printer in
      let definition = QuietHoursDefinition(hours)
      for key in QuietHoursDefinition.keys { key.print(definition, &printer) }
    }
  }
}
