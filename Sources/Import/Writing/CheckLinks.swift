// SPDX-License-Identifier: MIT

import Basics

/// Checks by the host and service that they were made of, and what they depend on, by the keys of checks. For one thread.
final class CheckLinks {
  private struct Place: Hashable {
    var host: ByteText
    /// `nil`: the check of the host itself.
    var service: ByteText?
  }

  /// Parents of a check that count, and a few more that are named.
  static let most = 70

  private var keys: [Place: Int] = [:]
  private var ofHost: [ByteText: [Int]] = [:]
  /// Checks of hosts themselves.
  private var hosts: Set<Int> = []
  private var parents: [Int: [Int]] = [:]
  private var notes: [Int: [ImportNote]] = [:]
  private var noted: Set<Noted> = []

  private struct Noted: Hashable {
    var key: Int
    var note: ImportNote
  }

  func enter(_ check: ImportedCheck, host: String, service: String?) {
    keys[Place(host: ByteText(host), service: service.map { ByteText($0) })] = check.key
    ofHost[ByteText(host), default: []].append(check.key)
    if service == nil { hosts.insert(check.key) }
  }

  func key(host: String, service: String?) -> Int? {
    keys[Place(host: ByteText(host), service: service.map { ByteText($0) })]
  }

  /// The host's own check and those of its services.
  func keys(ofHost host: String) -> [Int] { ofHost[ByteText(host)] ?? [] }

  func depend(_ key: Int, on masters: [Int]) {
    guard parents[key]?.count ?? 0 < Self.most else { return }
    parents[key, default: []] += masters.prefix(Self.most)
  }

  func note(_ key: Int, _ change: ImportNote.Change, _ place: String, _ why: String) {
    let note = ImportNote(place: place, why: why, change: change)
    if noted.insert(Noted(key: key, note: note)).inserted { notes[key, default: []].append(note) }
  }

  /// Puts what was found into the checks. Services of a host send no notification while the host is down, so their checks
  /// depend on the host's own, if that one runs.
  func finish(_ checks: inout [ImportedCheck]) {
    let off = Set(checks.filter { $0["enabled"]?.word == "false" }.map(\.key))
    var own: [Int: Int] = [:]
    for (host, found) in ofHost {
      guard let alive = keys[Place(host: host, service: nil)], !off.contains(alive) else { continue }
      for key in found where !hosts.contains(key) { own[key] = alive }
    }
    for index in checks.indices {
      if let alive = own[checks[index].key] { checks[index].parents.append(alive) }
      checks[index].parents += parents[checks[index].key] ?? []
      checks[index].notes += notes[checks[index].key] ?? []
    }
  }
}

extension ImportedCheck {
  /// Conditions with a limit that makes a check degraded.
  static let limits = ["response_time", "rtt", "loss", "certificate"]

  /// A host is up or down, nothing between: a warning of its plugin is no failure, or the same as one.
  mutating func isOfHost(failsOnWarnings: Bool) {
    guard case .map(let conditions)? = self["expect"] else { return }
    let left = conditions.compactMap { name, value -> (name: String, value: AgentValue)? in
      guard Self.limits.contains(name), case .map(let levels) = value,
        let warning = levels.first(where: { $0.name == "warn" })?.value
      else { return (name, value) }
      if failsOnWarnings { return (name, .map([("fail", warning)])) }
      let others = levels.filter { $0.name != "warn" }
      return others.isEmpty ? nil : (name, .map(others))
    }
    if left.isEmpty { remove("expect") } else { self["expect"] = .map(left) }
  }
}
