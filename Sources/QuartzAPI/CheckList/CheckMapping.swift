// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Turns the API's rows into checks, all of them through `MonitoringCheck.init`. Nothing is guessed: a row that
/// cannot be run as it is meant is skipped with the reason.
package struct CheckMapping: Sendable {
  private let rules: MappingRules

  package init(_ rules: MappingRules) { self.rules = rules }

  /// A budget for the destinations of one API's lists, as the rules have it.
  package var freshBudget: DestinationBudget { DestinationBudget(limits: rules.destinations) }

  /// - Parameters:
  ///   - budget: which destinations are in use; knows them of this list afterwards.
  ///   - now: of a clock that does not step, for how long a destination has been free.
  ///   - wall: the wall clock, by which windows end.
  package func map(
    _ snapshot: CheckSnapshot, budget: inout DestinationBudget, now: Timestamp, wall: Timestamp
  ) -> PulledChecks {
    var pulled = map(snapshot)
    // The mapping makes no check without a destination; one would be none to bound.
    let going = pulled.checks.compactMap { check in
      check.kind.destination.map { (check.id, MonitoringCheck?.some(check), $0) }
    }
    let waiting = pulled.awaited.compactMap { id, place in place.map { (id, MonitoringCheck?.none, $0) } }
    let all = (going + waiting).sorted { $0.0 < $1.0 }
    let refusals = budget.judge(all.map(\.2), at: now)
    let wires = Dictionary(snapshot.checks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var refused: [UniqueID: String] = [:]
    for case ((_, let check?, _), let reason?) in zip(all, refusals) {
      refused[check.id] = check.name
      pulled.skipped.append(skip(wires[check.id], check.name, reason))
    }
    pulled.refusedDestinations = refused.count
    pulled.checks.removeAll { refused[$0.id] != nil }
    let gone = Set(refused.values.map { Notice.Place.check($0) })
    pulled.warnings.removeAll { gone.contains($0.place) }
    (pulled.windows, pulled.windowProblems) = WireWindow.mapped(
      snapshot.windows, resources: Set(pulled.checks.compactMap(\.resourceID)), now: wall)
    return pulled
  }

  /// The rows on their own, without what depends on the lists before.
  package func map(_ snapshot: CheckSnapshot) -> PulledChecks {
    var pulled = PulledChecks()
    pulled.listed = Set(snapshot.checks.map(\.id))
    // By id, so that the limit cuts the same checks at every pull.
    let chosen = snapshot.checks.filter(isChosen).sorted { $0.id < $1.id }
    pulled.filtered = snapshot.checks.count - chosen.count
    pulled.chosen = Set(chosen.map(\.id))
    let names = uniqueNames(chosen)
    for wire in chosen {
      let name = names[wire.id] ?? wire.type.printable(maxBytes: 64)
      var reader = DefinitionReader(wire, name: name, rules: rules)
      let made = reader.check()
      switch made {
      case _ where made.isRunnable && pulled.checks.count + pulled.awaited.count >= rules.limit:
        let reason = "over the limit of \(rules.limit) checks (limits.remote_checks)"
        pulled.skipped.append(skip(wire, name, reason))
      case .success(let check):
        if let reason = check.kind.destination.flatMap(rules.own.refusal) {
          pulled.skipped.append(skip(wire, name, reason))
          continue
        }
        pulled.checks.append(check)
        pulled.warnings += reader.warnings.map { .warning(.check(name), $0) }
      case .failure(let found):
        if found.isAwaited { pulled.awaited.updateValue(destination(of: wire), forKey: wire.id) }
        pulled.skipped.append(skip(wire, name, found.reason))
      }
    }
    return pulled
  }

  /// Where a check goes whose url the list on disk has without its query.
  private func destination(of wire: WireCheck) -> DestinationBudget.Destination? {
    guard let url = wire.url.flatMap({ try? HTTPURL($0) }) else { return nil }
    let place = DestinationBudget.Destination(host: url.host, port: url.port)
    return rules.own.refusal(place) == nil ? place : nil
  }

  private func skip(_ wire: WireCheck?, _ name: String, _ reason: String) -> Notice {
    .warning(.check("\(name) (\((wire?.type ?? "").printable(maxBytes: 64)))"), reason)
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
    for check in checks { names[check.id] = check.plainName }
    for digits in [8, 36] {
      let uses = Dictionary(names.values.map { (ByteText($0), 1) }, uniquingKeysWith: +)
      for check in checks where uses[ByteText(names[check.id] ?? ""), default: 0] > 1 {
        names[check.id] = "\(check.plainName) \(check.id.description.prefix(digits))"
      }
    }
    return names
  }
}

/// Why a row is not run.
struct Skip: Error, Hashable, Sendable {
  var reason: String
  /// It runs once the API has answered.
  var isAwaited: Bool

  init(_ reason: String, isAwaited: Bool = false) { (self.reason, self.isAwaited) = (reason, isAwaited) }
}

extension Result where Failure == Skip {
  /// It runs, or does so once the API has answered.
  fileprivate var isRunnable: Bool {
    switch self {
    case .success: true
    case .failure(let skip): skip.isAwaited
    }
  }
}
