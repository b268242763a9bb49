// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// Bytes that all of a kind may hold together: counted, never estimated, with a share for each origin. From any thread.
package final class MemoryBudget: Sendable {
  /// Memory that all answers under way may hold together, in the whole process: bodies, headers, certificates.
  package static let shared = MemoryBudget(limit: CurlEngine.flightMemory, shares: flightShares)

  /// For a limit of 256 MiB.
  static let flightShares: [WorkOrigin.Kind: Shares.Share] = [
    .fileChecks: megabytes(64, 192), .apiChecks: megabytes(32, 96), .asked: megabytes(32, 64),
    .tokens: megabytes(4, 16), .discovery: megabytes(16, 32), .notifications: megabytes(4, 8),
    .group: megabytes(16, 48), .delivery: megabytes(16, 48), .deadManSwitches: megabytes(2, 4),
  ]

  private static func megabytes(_ guaranteed: Int, _ bound: Int) -> Shares.Share {
    Shares.Share(guaranteed: guaranteed << 20, bound: bound << 20)
  }

  let limit: Int
  /// Bytes of each answer that no budget refuses, so that a small answer never depends on what others hold.
  let floor: Int
  private let shares: Mutex<Shares>

  /// - Parameters:
  ///   - limit: in bytes.
  ///   - shares: empty: any origin may take all of it.
  package init(limit: Int, shares: [WorkOrigin.Kind: Shares.Share] = [:]) {
    self.limit = limit
    floor = min(16 << 10, limit / 2048)
    self.shares = Mutex(Shares(limit: limit, shares))
  }

  /// Bytes held now, without the first of each answer.
  package var inUse: Int { shares.withLock { $0.inUse } }

  /// Bytes of one origin.
  package func inUse(by kind: WorkOrigin.Kind) -> Int { shares.withLock { $0.used(by: kind) } }

  /// Whether large answers of this origin are to wait until others of it have ended: those under way need room to end.
  func isCrowded(_ kind: WorkOrigin.Kind) -> Bool {
    shares.withLock { $0.used(by: kind) > min($0.share(of: kind).bound / 2, limit / 4) }
  }

  func hasRoom(for count: Int, of kind: WorkOrigin.Kind) -> Bool {
    shares.withLock { $0.hasRoom(for: count, of: kind) }
  }

  /// False: there is no room for so many more, and none were taken.
  func take(_ count: Int, for kind: WorkOrigin.Kind = .fileChecks) -> Bool {
    shares.withLock { $0.take(count, for: kind) }
  }

  /// - Parameter count: as taken before.
  func give(_ count: Int, of kind: WorkOrigin.Kind = .fileChecks) {
    shares.withLock { $0.give(count, of: kind) }
  }
}

/// One holder's part of a budget. It goes back when the last reference is released.
package final class MemoryLease: Sendable {
  private let budget: MemoryBudget
  private let kind: WorkOrigin.Kind
  private let floor: Int
  private let held = Atomic<Int>(0)
  private let wasRefused = Atomic(false)

  /// - Parameter floors: how many times the bytes that no budget refuses.
  init(_ budget: MemoryBudget, for kind: WorkOrigin.Kind = .fileChecks, floors: Int = 1) {
    (self.budget, self.kind, floor) = (budget, kind, budget.floor * floors)
  }

  deinit {
    let counted = counted(of: held.load(ordering: .relaxed))
    if counted > 0 { budget.give(counted, of: kind) }
  }

  /// Bytes held now.
  var bytes: Int { held.load(ordering: .relaxed) }

  /// Whether it took anything of what others may need, or was to.
  var isLarge: Bool { bytes > floor || wasRefused.load(ordering: .relaxed) }

  /// False: the budget is spent. By one thread at a time.
  func grow(by count: Int) -> Bool {
    let before = bytes
    let (after, isTooMuch) = before.addingReportingOverflow(count)
    guard count >= 0, !isTooMuch else { return false }
    let more = counted(of: after) - counted(of: before)
    guard more == 0 || budget.take(more, for: kind) else {
      wasRefused.store(true, ordering: .relaxed)
      return false
    }
    held.add(count, ordering: .relaxed)
    return true
  }

  private func counted(of bytes: Int) -> Int { max(0, bytes - floor) }
}
