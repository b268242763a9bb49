// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Type and target of a check: the same before and after it is renamed.
struct CheckSite: Hashable, Sendable {
  var type: CheckType
  var target: ByteText

  init(type: CheckType, target: String) { (self.type, self.target) = (type, ByteText(target)) }
  init(_ check: MonitoringCheck) { self.init(type: check.type, target: check.target) }
}

/// Tells checks that have another name in a new list from those that are gone.
struct CheckRenames {
  /// Of the checks that the new list has not: what each looked at.
  private var gone: [UniqueID: CheckSite] = [:]
  private var goneCount: [CheckSite: Int] = [:]
  /// Names of the checks that only the new list has.
  private var heirs: [CheckSite: [String]] = [:]

  init(from former: [UniqueID: CheckSite], to checks: [MonitoringCheck]) {
    let ids = Set(checks.map(\.id))
    gone = former.filter { !ids.contains($0.key) }
    for site in gone.values { goneCount[site, default: 0] += 1 }
    for check in checks where former[check.id] == nil {
      heirs[CheckSite(check), default: []].append(check.name)
    }
  }

  /// - Returns: what became of a check, and its new name; `nil` when it may be any of several.
  func outcome(of check: UniqueID) -> (TroubleEnd, name: String?) {
    guard let site = gone[check], let names = heirs[site], names.count >= goneCount[site] ?? 0 else {
      return (.removed, nil)
    }
    return (.renamed, names.count == 1 ? names.first : nil)
  }
}

/// The part of the rules' state that is kept over a restart besides the alerts that fire.
struct SavedRules: Hashable, Sendable {
  /// Sites of the checks of these alerts, and of every other check of the same target.
  var sites: [UniqueID: CheckSite] = [:]
  /// How the rules of these alerts were written.
  var rules: [ByteText: String] = [:]
  /// Results in a row of checks of which that decides something.
  var rows: [UniqueID: SavedRow] = [:]

  init() {}

  init(_ saved: JSONValue?) {
    for item in (saved?["sites"]?.array ?? []).prefix(20_000) {
      guard let type = item["type"]?.string.flatMap(CheckType.init), let target = item["target"]?.string
      else { continue }
      let site = CheckSite(type: type, target: target.printable(maxBytes: 4096))
      for id in (item["checks"]?.array ?? []).prefix(20_000) {
        if let id = id.uniqueID { sites[id] = site }
      }
    }
    for item in (saved?["rules"]?.array ?? []).prefix(AlertRule.limit) {
      guard let name = item["name"]?.string, let text = item["says"]?.string else { continue }
      rules[ByteText(name)] = text
    }
    for item in (saved?["rows"]?.array ?? []).prefix(SavedRow.limit) {
      if let id = item["check"]?.uniqueID { rows[id] = SavedRow(item) }
    }
  }

  func write(to json: inout JSONWriter) {
    var checks: [CheckSite: [UniqueID]] = [:]
    for (id, site) in sites { checks[site, default: []].append(id) }
    json.key("sites")
    json.array { json in
      for (site, ids) in checks.sorted(by: {
        ($0.key.type.rawValue, $0.key.target.text) < ($1.key.type.rawValue, $1.key.target.text)
      }) {
        json.object { json in
          json.field("type", site.type.rawValue)
          json.field("target", site.target.text)
          json.key("checks")
          json.array { json in for id in ids.sorted() { json.string(id.description) } }
        }
      }
    }
    json.key("rules")
    json.array { json in
      for (name, text) in rules.sorted(by: { $0.key.text < $1.key.text }) {
        json.object { json in
          json.field("name", name.text)
          json.field("says", text)
        }
      }
    }
    json.key("rows")
    json.array { json in
      for (check, row) in rows.sorted(by: { $0.key < $1.key }).prefix(SavedRow.limit) {
        row.write(check, to: &json)
      }
    }
  }
}

extension AlertRule.Kind {
  /// The same for as long as the rule says the same; part of the state file's format.
  var saved: String {
    func text(_ duration: Duration) -> String { "\(duration.microseconds)us" }
    return switch self {
    case .consecutiveFailures(let threshold, let recoveries):
      "failures \(threshold.map { "\($0)" } ?? "own") \(recoveries)"
    case .state(let state, let lasting): "state \(state.rawValue) \(text(lasting))"
    case .responseTime(let above, let percentile, let window):
      "response \(text(above)) \(percentile.map { "p\($0)" } ?? "last") \(text(window))"
    case .certificateExpiry(let before): "certificate " + before.map(text).joined(separator: " ")
    case .downtime(let above, let window): "downtime \(text(above)) \(window.rawValue)"
    case .burnRate(let objective): "burn \(objective)"
    case .agent(let lasting): "agent \(text(lasting))"
    }
  }
}
