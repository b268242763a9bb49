// SPDX-License-Identifier: MIT

/// An integer budget that origins share. Pure.
///
/// A guarantee of one origin is never given to another, used or not. Above its guarantee an origin takes from the rest,
/// up to its limit. Taking and giving back are a few additions.
package struct Shares: Sendable {
  package struct Share: Hashable, Sendable {
    package var guaranteed: Int
    package var bound: Int

    package init(guaranteed: Int, bound: Int) { (self.guaranteed, self.bound) = (guaranteed, bound) }
  }

  package let limit: Int
  private let shares: ByOrigin<Share>
  private var used = ByOrigin { _ in 0 }
  package private(set) var inUse = 0
  /// Sum of what is guaranteed and not used.
  private var kept: Int

  /// - Parameter shares: an origin without one has no guarantee and no bound but the limit. The guarantees must fit into
  ///   the limit.
  package init(limit: Int, _ shares: [WorkOrigin.Kind: Share] = [:]) {
    self.limit = limit
    self.shares = ByOrigin { shares[$0] ?? Share(guaranteed: 0, bound: limit) }
    kept = shares.values.reduce(0) { $0 + $1.guaranteed }
    precondition(kept <= limit, "more is guaranteed than there is")
  }

  /// With what another has in use. That may be more than the new shares allow until it is given back.
  package init(limit: Int, _ shares: [WorkOrigin.Kind: Share], inUse other: Shares) {
    self.init(limit: limit, shares)
    for kind in WorkOrigin.Kind.allCases { move(by: other.used[kind], kind) }
  }

  package func share(of kind: WorkOrigin.Kind) -> Share { shares[kind] }

  package func used(by kind: WorkOrigin.Kind) -> Int { used[kind] }

  /// How much more an origin may take now.
  package func room(of kind: WorkOrigin.Kind) -> Int {
    let (share, before) = (shares[kind], used[kind])
    // More is in use than new shares allow: nothing until it was given back.
    guard inUse + kept <= limit else { return 0 }
    let keptForOthers = kept - max(0, share.guaranteed - before)
    return max(0, min(share.bound - before, limit - inUse - keptForOthers))
  }

  package func hasRoom(for count: Int, of kind: WorkOrigin.Kind) -> Bool {
    count >= 0 && count <= room(of: kind)
  }

  /// False: there is no room, and nothing was taken.
  package mutating func take(_ count: Int, for kind: WorkOrigin.Kind) -> Bool {
    guard hasRoom(for: count, of: kind) else { return false }
    move(by: count, kind)
    return true
  }

  /// - Parameter count: as taken before.
  package mutating func give(_ count: Int, of kind: WorkOrigin.Kind) { move(by: -count, kind) }

  private mutating func move(by count: Int, _ kind: WorkOrigin.Kind) {
    let guaranteed = shares[kind].guaranteed
    kept -= max(0, guaranteed - used[kind])
    used[kind] += count
    inUse += count
    kept += max(0, guaranteed - used[kind])
  }
}
