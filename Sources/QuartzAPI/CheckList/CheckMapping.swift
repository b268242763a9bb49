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

  /// The resource's name and the type; where two checks would share it, the id's first eight digits as well.
  private func uniqueNames(_ checks: [WireCheck]) -> [UniqueID: String] {
    let plain = checks.map { check in
      let resource = (check.resourceName ?? "").printable(maxBytes: 160)
      return (
        check.id,
        "\(resource.isEmpty ? "resource \(check.resourceID)" : resource) \(check.type.printable(maxBytes: 24))"
      )
    }
    let uses = Dictionary(plain.map { ($0.1, 1) }, uniquingKeysWith: +)
    var names: [UniqueID: String] = [:]
    for (id, name) in plain { names[id] = uses[name] == 1 ? name : "\(name) \(id.description.prefix(8))" }
    return names
  }
}

/// Why a row is not run.
struct Skip: Error, Hashable, Sendable {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}
