// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Names that other values may refer to: the checks of the file, also those that have other problems, and all that the
/// API brings.
struct KnownChecks {
  /// The API, or a part of the configuration that has a problem, may bring a check with any name and tag.
  let hasOthers: Bool
  let mayDiscover: Bool
  private(set) var tags: Set<ByteText> = []
  private(set) var written: Set<ByteText> = []
  private var ids: Set<UniqueID> = []
  private var off: Set<ByteText> = []

  fileprivate init(_ root: GivenMap, _ checks: [MonitoringCheck], lacksSome: Bool) {
    let pull = ["quartz", "checks", "pull"]
    let mayPull = root.isInvalid(pull) || root.map("quartz").map("checks")["pull"]?.flag == true
    mayDiscover = root["discover"].map { $0.list?.isEmpty == false || $0.isInvalid } ?? false
    var isUnknown = lacksSome || root["checks"]?.isInvalid == true
    for item in root["checks"]?.list ?? [] {
      guard case .map(let map) = item.value else {
        isUnknown = true
        continue
      }
      // A name or tag with a problem may be the one that is meant.
      isUnknown = isUnknown || ["name", "tags", "id"].contains { map.hasProblem($0) }
      if let name = map["name"]?.text { written.insert(ByteText(name)) }
      for tag in map["tags"]?.texts ?? [] { tags.insert(ByteText(tag)) }
      if let id = map["id"]?.text.flatMap({ UniqueID($0) }) { ids.insert(id) }
    }
    for check in checks {
      ids.insert(check.id)
      if !check.enabled { off.insert(ByteText(check.name)) }
      for tag in check.plan.tags { tags.insert(ByteText(tag)) }
    }
    hasOthers = mayPull || isUnknown
  }

  /// Whether a name or an id is that of a check.
  func contains(_ name: String) -> Bool {
    written.contains(ByteText(name)) || UniqueID(name).map { ids.contains($0) } ?? false
  }

  /// - Parameter mustRun: what is not probed is never down.
  func problem(_ name: String, _ key: String, mustRun: Bool = false) -> (message: String, hint: String?)? {
    if mustRun, off.contains(ByteText(name)) {
      return ("\(key) names \(quoted(name)), which is not enabled", "enable the check, or leave it out")
    }
    guard !hasOthers, !contains(name) else { return nil }
    return (
      "\(key) names \(quoted(name)), which is no check of this file",
      nearest(to: name, among: written.map(\.text).sorted()).map { "did you mean \"\($0)\"?" }
        ?? "a name, an id, or tag: and a tag"
    )
  }
}

/// Names of the channels, also of those that have other problems.
struct KnownChannels {
  let names: [String]
  /// A channel whose name has a problem may have any.
  let hasOthers: Bool

  /// - Parameter alerts: the section.
  init(_ alerts: GivenMap) {
    let list = alerts["channels"]?.list ?? []
    names = list.compactMap { $0.map?["name"]?.text }
    hasOthers =
      alerts["channels"]?.isInvalid == true
      || list.contains { $0.map.map { $0.hasProblem("name") } ?? true }
  }
}

extension GivenMap {
  /// Whether the value, or an item of the list, was reported already.
  fileprivate func hasProblem(_ name: String) -> Bool {
    guard let given = self[name] else { return false }
    return given.isInvalid || given.list?.contains(where: \.isInvalid) == true
  }
}

extension SettingsBuilder {
  func knownChecks(_ checks: [MonitoringCheck]) -> KnownChecks {
    KnownChecks(root, checks, lacksSome: walk.lacksFiles || walk.lacksChecks)
  }
}
