// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The one list the agent runs.
package struct MergedChecks: Hashable, Sendable {
  /// The file's checks in its order, then the API's by id. Every name is there once.
  package var checks: [MonitoringCheck]
}

/// Merges the two sources: a check of the file wins over the API's with the same id.
///
/// A name of the API's that is taken already, by the file or by another check of the API, gets the first 8 digits of
/// the id behind it, or the whole id where that is taken too. The outcome depends on the checks alone, not on the
/// order in which the API lists them.
package func mergeChecks(file: [MonitoringCheck], api: [MonitoringCheck]) -> MergedChecks {
  let fileIDs = Set(file.map(\.id))
  let remote = api.sorted { $0.id < $1.id }.withoutRepetitions(by: \.id)
  let kept = remote.filter { !fileIDs.contains($0.id) }
  let counts = Dictionary((file + kept).map { (ByteText($0.name), 1) }, uniquingKeysWith: +)
  var taken = Set((file + kept).map { ByteText($0.name) })
  let named = kept.map { check -> MonitoringCheck in
    guard counts[ByteText(check.name), default: 0] > 1 else { return check }
    let id = check.id.description
    for suffix in [String(id.prefix(8)), id] {
      let name = "\(check.name) (\(suffix))"
      if taken.insert(ByteText(name)).inserted { return check.renamed(name) }
    }
    return check.renamed(id)
  }
  return MergedChecks(checks: file + named)
}
