// SPDX-License-Identifier: MIT

import Basics
import DequeModule
import Monitoring

/// The latest full results of a check: limited in number and in bytes. The newest is always there.
///
/// A server's certificates hardly ever change: of results in a row with the same chain all but one share it.
struct KeptResults: Sendable {
  private struct Entry: Sendable {
    var kept: PackedResult
    var own: Int32
    var chain: Int32
    /// The chain is that of the entry before, and counted there.
    var sharesChain: Bool
  }

  private var entries: Deque<Entry> = []
  /// An upper estimate.
  private(set) var bytes = 0

  var count: Int { entries.count }

  /// Newest first.
  var results: [CheckResult] { entries.reversed().map(\.kept.result) }

  /// `nil` also when runs by hand are all that is kept.
  var latestScheduled: PackedResult? { entries.last { $0.kept.trigger == .schedule }?.kept }

  mutating func append(_ result: CheckResult, _ limit: KeepingLimit) {
    var result = result
    var isShared = false
    if let chain = result.facts.tls?.chain, !chain.isEmpty,
      let last = entries.last?.kept.chain,
      last == chain
    {
      result.facts.tls?.chain = last
      isShared = true
    }
    let entry = Entry(
      kept: PackedResult(result), own: Int32(clamping: result.footprint + MemoryLayout<Entry>.stride),
      chain: Int32(clamping: result.chainFootprint), sharesChain: isShared)
    bytes += Int(entry.own) + (isShared ? 0 : Int(entry.chain))
    entries.append(entry)
    trim(limit)
  }

  mutating func trim(_ limit: KeepingLimit) {
    while entries.count > limit.count || (bytes > limit.bytes && entries.count > 1) {
      guard let oldest = entries.popFirst() else { return }
      bytes -= Int(oldest.own) + Int(oldest.chain)
      // A result that shared its chain keeps it.
      if entries.first?.sharesChain == true {
        entries[0].sharesChain = false
        bytes += Int(entries[0].chain)
      }
    }
  }
}

/// Limits on the kept results and outages of a check.
struct KeepingLimit: Hashable, Sendable {
  var count: Int
  var bytes: Int
  var outages: Int

  /// Bytes of all checks' results together, the newest of each aside.
  static let allBytes = 128 << 20

  /// 100 up to 500 checks, then 50,000 in all, but at least one; each check has its share of the bytes, and none more
  /// than 4 MiB.
  init(checks: Int) {
    let checks = max(1, checks)
    count = min(100, max(1, 50_000 / checks))
    bytes = min(4 << 20, Self.allBytes / checks)
    outages = Outage.limit(checks: checks)
  }
}

/// Number and size of the kept results of all checks.
package struct KeptFigures: Hashable, Sendable {
  package var results = 0
  /// An upper estimate.
  package var bytes = 0

  package init() {}
}
