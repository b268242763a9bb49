// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring

/// Whether two members mean the same by their files: only then may they divide the checks of them.
enum PoolDigest {
  /// - Parameter without: checks that the others have and this agent has not. A card names only so many; who is without
  ///   more divides with those that are without the same.
  static func pools(api: String, file: String, without: Set<UniqueID>) -> MemberCard.Pools {
    let ordered = without.sorted()
    guard ordered.count > StoreBounds.without else {
      return MemberCard.Pools(api: api, file: file, without: ordered)
    }
    let words = ordered.map { "\($0)\n" }.joined()
    return MemberCard.Pools(api: "\(api)-\(sha256Text(Array(words.utf8)).prefix(16))", file: file)
  }

  /// Of everything that is configured of each check, whatever their order. Without secrets and the queries of urls, which
  /// do not print: what is in the store must not help to guess them.
  static func of(_ checks: [MonitoringCheck]) -> String {
    guard !checks.isEmpty else { return "" }
    let lines = checks.sorted { $0.id < $1.id }.map { "\(words(of: $0))\n" }.joined()
    return String(sha256Text(Array(lines.utf8)).prefix(16))
  }

  /// Part by part: a check as a whole prints as nothing but its type, for its parts are behind a reference.
  static func words(of check: MonitoringCheck) -> String {
    [
      "\(check.id) \(check.name) \(check.interval) \(check.timeout) \(check.ip) \(check.addresses)",
      "\(check.resolver.map(\.description) ?? "") \(check.sourceAddress.map(\.description) ?? "")",
      "\(check.kind) \(check.plan)",
    ].joined(separator: " ")
  }
}
