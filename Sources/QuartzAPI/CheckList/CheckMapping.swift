// SPDX-License-Identifier: MIT

import Monitoring

/// Turns the API's rows into checks, all of them through `MonitoringCheck.init`. Nothing is guessed: a row that
/// cannot be run as it is meant is skipped with the reason.
package struct CheckMapping: Sendable {
  private let rules: MappingRules

  package init(_ rules: MappingRules) { self.rules = rules }

  package func map(_ snapshot: CheckSnapshot) -> PulledChecks {
    var pulled = PulledChecks()
    pulled.listed = Set(snapshot.checks.map(\.id))
    // By id, so that the limit cuts the same checks at every pull.
    let chosen = snapshot.checks.filter(isChosen).sorted { $0.id < $1.id }
    pulled.filtered = snapshot.checks.count - chosen.count
    let names = uniqueNames(chosen)
    for wire in chosen {
      let name = names[wire.id] ?? wire.type
      var reader = DefinitionReader(wire, name: name, rules: rules)
      let made = reader.check()
      switch made {
      case .success where pulled.checks.count >= rules.limit:
        let reason = "over the limit of \(rules.limit) checks (limits.remote_checks)"
        pulled.skipped.append(SkippedCheck(id: wire.id, name: name, type: wire.type, reason: reason))
      case .success(let check):
        pulled.checks.append(check)
        pulled.warnings += reader.warnings.map { CheckWarning(id: wire.id, name: name, message: $0) }
      case .failure(let skip):
        pulled.skipped.append(SkippedCheck(id: wire.id, name: name, type: wire.type, reason: skip.reason))
      }
    }
    return pulled
  }

  /// `only` wants a match in every list it gives; one match in `except` is enough to leave a check out.
  private func isChosen(_ check: WireCheck) -> Bool {
    let only = rules.only
    let except = rules.except
    let isNamed =
      (only.resources.isEmpty || only.resources.contains(check.resourceID))
      && (only.checks.isEmpty || only.checks.contains(check.id))
      && (only.types.isEmpty || matches(check.type, only.types))
    let isExcepted =
      except.resources.contains(check.resourceID) || except.checks.contains(check.id)
      || matches(check.type, except.types)
    return isNamed && !isExcepted
  }

  private func matches(_ type: String, _ words: [String]) -> Bool {
    words.contains { word in
      switch word {
      case "tcp": type == "port" || (type == "ping" && !rules.pingICMP)
      case "tls": type == "ssl"
      default: type == word
      }
    }
  }

  /// The resource's name and the type; where two checks would share it, the id's first eight digits as well, and
  /// the whole id where those are the same too.
  private func uniqueNames(_ checks: [WireCheck]) -> [UniqueID: String] {
    var names: [UniqueID: String] = [:]
    for check in checks { names[check.id] = plainName(check) }
    for digits in [8, 36] {
      let uses = Dictionary(names.values.map { ($0, 1) }, uniquingKeysWith: +)
      for check in checks where uses[names[check.id] ?? "", default: 0] > 1 {
        names[check.id] = "\(plainName(check)) \(check.id.description.prefix(digits))"
      }
    }
    return names
  }

  private func plainName(_ check: WireCheck) -> String {
    let resource = (check.resourceName ?? "").printable(maxBytes: 120)
    let type = check.type.printable(maxBytes: 24)
    return resource.isEmpty ? "resource \(check.resourceID) \(type)" : "\(resource) \(type)"
  }
}

/// Why a row is not run.
struct Skip: Error, Hashable, Sendable {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}
