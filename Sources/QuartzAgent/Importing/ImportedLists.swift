// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Import
import Monitoring

/// Lists of targets: those that `discover` reads, and those whose targets become checks after all.
struct ImportedLists {
  private(set) var kept: [ImportedDiscovery] = []
  private(set) var fixed: [ImportedCheck] = []
  /// Values lost where targets became checks.
  private var losses: Set<ImportNote> = []
  var lost: Int { losses.count }

  /// - Parameter fixesAll: no list is read by `discover`.
  init(_ lists: [ImportedDiscovery], fixesAll: Bool) {
    for list in lists {
      if !fixesAll, Self.isSame(list) { kept.append(list) } else { fix(list) }
    }
  }

  /// All targets become checks.
  ///
  /// - Returns: those that were none.
  mutating func fixAll() -> [ImportedCheck] {
    let before = fixed.count
    for list in kept { fix(list) }
    kept = []
    return Array(fixed[before...])
  }

  private mutating func fix(_ list: ImportedDiscovery) {
    var checks = list.targets.map(\.check)
    if !checks.isEmpty { checks[0].notes += list.losses.filter { losses.insert($0).inserted } }
    fixed += checks
  }

  /// The loader makes the same checks of the list as of the targets, and takes the file's own path.
  private static func isSame(_ list: ImportedDiscovery) -> Bool {
    var sections = ImportedSections()
    sections.discover = [list]
    guard let made = ImportJudge.loaded([], sections), made.count == list.targets.count,
      let wanted = ImportJudge.loaded(list.targets.map(list.check), ImportedSections()), made == wanted
    else { return false }
    sections.discover[0].files = []
    return ImportJudge.loaded([], sections)?.isEmpty == true
  }
}
