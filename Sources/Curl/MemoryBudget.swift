// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// Bytes that all of a kind may hold together: counted, never estimated, with a share for each origin and, within it, for each
/// host. From any thread.
package final class MemoryBudget: Sendable {
  /// Memory that all answers under way may hold together, in the whole process: bodies, headers, certificates.
  package static let shared = MemoryBudget(
    limit: CurlEngine.flightMemory, shares: flightShares, areKeyed: true)

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
  private let state: Mutex<State>
  private let isKeyed: Bool

  private struct State {
    var shares: Shares
    /// Bytes of each host, channel or asker that holds any.
    var byKey: [WorkOrigin: Int] = [:]
    /// Those sums where no key counts for more than half of `mostBegun`.
    var capped = ByOrigin { _ in 0 }

    mutating func move(by count: Int, _ origin: WorkOrigin, cap: Int) {
      let before = byKey[origin, default: 0]
      let after = before + count  // bounded: by the budget
      byKey[origin] = after > 0 ? after : nil
      capped[origin.kind] += min(after, cap) - min(before, cap)  // bounded: by the budget
    }

    /// One key may hold twice what its origin has left: two thirds when it is alone, and another finds room whatever it holds.
    func hasRoom(for count: Int, of origin: WorkOrigin, isKeyed: Bool) -> Bool {
      let left = shares.room(of: origin.kind) - max(0, count)  // bounded: by the limit
      guard count >= 0, left >= 0 else { return false }
      return !isKeyed || byKey[origin, default: 0] + count <= 2 * left  // bounded: both are below the limit
    }
  }

  /// - Parameters:
  ///   - limit: in bytes.
  ///   - shares: empty: any origin may take all of it.
  ///   - areKeyed: one host takes no more than two thirds of what its origin may.
  package init(limit: Int, shares: [WorkOrigin.Kind: Shares.Share] = [:], areKeyed: Bool = false) {
    self.limit = limit
    floor = min(16 << 10, limit / 2048)
    isKeyed = areKeyed
    state = Mutex(State(shares: Shares(limit: limit, shares)))
  }

  /// Bytes held now, without the first of each answer.
  package var inUse: Int { state.withLock { $0.shares.inUse } }

  /// Bytes of one origin.
  package func inUse(by kind: WorkOrigin.Kind) -> Int { state.withLock { $0.shares.used(by: kind) } }

  /// Bytes of one host, channel or asker.
  package func inUse(by origin: WorkOrigin) -> Int { state.withLock { $0.byKey[origin, default: 0] } }

  /// Whether large answers of this origin are to wait until others of it have ended: those under way need room to end.
  package func isCrowded(_ kind: WorkOrigin.Kind) -> Bool {
    state.withLock { $0.capped[kind] > Self.mostBegun($0.shares, kind) }
  }

  /// Whether those of one host are to wait, while others of its origin need not.
  func isCrowded(by origin: WorkOrigin) -> Bool {
    state.withLock { isKeyed && $0.byKey[origin, default: 0] > Self.mostBegun($0.shares, origin.kind) }
  }

  /// Bytes beyond which no further large answer of an origin begins.
  private static func mostBegun(_ shares: Shares, _ kind: WorkOrigin.Kind) -> Int {
    min(shares.share(of: kind).bound / 2, shares.limit / 4)
  }

  /// Bytes of one host that count for its origin at most: alone it may begin as much as ever, and leaves room for others.
  private func cap(_ shares: Shares, _ kind: WorkOrigin.Kind) -> Int {
    isKeyed ? Self.mostBegun(shares, kind) / 2 : .max
  }

  func hasRoom(for count: Int, of origin: WorkOrigin) -> Bool {
    state.withLock { $0.hasRoom(for: count, of: origin, isKeyed: isKeyed) }
  }

  /// False: there is no room for so many more, and none were taken.
  func take(_ count: Int, for origin: WorkOrigin = WorkOrigin(.fileChecks)) -> Bool {
    state.withLock { state in
      guard state.hasRoom(for: count, of: origin, isKeyed: isKeyed),
        state.shares.take(count, for: origin.kind)
      else { return false }
      state.move(by: count, origin, cap: cap(state.shares, origin.kind))
      return true
    }
  }

  /// - Parameter count: as taken before.
  func give(_ count: Int, of origin: WorkOrigin = WorkOrigin(.fileChecks)) {
    state.withLock { state in
      state.shares.give(count, of: origin.kind)
      state.move(by: -count, origin, cap: cap(state.shares, origin.kind))
    }
  }
}

/// One holder's part of a budget. It goes back when the last reference is released.
package final class MemoryLease: Sendable {
  private let budget: MemoryBudget
  private let origin: WorkOrigin
  private let floor: Int
  private let held = Atomic<Int>(0)
  private let wasRefused = Atomic(false)

  /// - Parameter floors: how many times the bytes that no budget refuses.
  init(_ budget: MemoryBudget, for origin: WorkOrigin = WorkOrigin(.fileChecks), floors: Int = 1) {
    (self.budget, self.origin, floor) = (budget, origin, budget.floor * floors)
  }

  deinit {
    let counted = counted(of: held.load(ordering: .relaxed))
    if counted > 0 { budget.give(counted, of: origin) }
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
    guard more == 0 || budget.take(more, for: origin) else {
      wasRefused.store(true, ordering: .relaxed)
      return false
    }
    held.add(count, ordering: .relaxed)
    return true
  }

  private func counted(of bytes: Int) -> Int { max(0, bytes - floor) }
}
