// SPDX-License-Identifier: MIT

import Basics
import HeapModule

/// How many probes may run at once.
package struct InFlightLimits: Hashable, Sendable {
  /// In all; at least 1.
  package var total: Int
  /// To one host and port; at least 1.
  package var perHost: Int

  package init(total: Int, perHost: Int = 8) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
  }

  /// Places of `total` that only checks last seen up may take: what hangs holds its place until its timeout, and a
  /// few hundred of those must not keep the healthy ones waiting.
  var reserved: Int { total / 4 }
}

/// Picks the next check to start under the limits: first come first served, but a full host holds up no other. Checks
/// that are not known to work leave a quarter of the places to those that are. Of them, checks without a result go
/// first: a check that hangs is known after one run, and a check that works must not wait behind it for its first.
///
/// Where checks of the file and checks of the API share the places, a quarter is the file's alone and an eighth the API's,
/// and so of the places that checks which are not known to work may take, and of those of a host that both have checks of.
///
/// Every check queues at its host, in the line of its standing and its origin. A line that has both a check waiting and room at its
/// host stands in `turns` with the arrival of its first check; so the next to start is found without looking at those
/// that cannot. A turn whose host has filled up meanwhile is dropped when it is drawn, and offered again when the
/// host has room.
struct InFlightLimit {
  /// Whether the check was up when it was last seen, was never seen, or was down.
  enum Standing: Int, CaseIterable {
    case trusted, unseen, suspect
  }

  private struct Waiter: Comparable {
    var arrival: UInt64
    var entry: Int

    static func < (left: Waiter, right: Waiter) -> Bool { left.arrival < right.arrival }
  }

  private struct Turn: Comparable {
    var arrival: UInt64
    var host: String

    static func < (left: Turn, right: Turn) -> Bool { left.arrival < right.arrival }
  }

  private struct Line {
    var waiting = Heap<Waiter>()
    /// There is a turn of this line.
    var isOffered = false

    var isEmpty: Bool { waiting.isEmpty && !isOffered }
  }

  /// A standing and an origin have a line at each host, and an order of turns.
  private struct Rank: Hashable {
    var standing: Standing
    var kind: WorkOrigin.Kind

    static let count = 2 * Standing.allCases.count
    static let all = Standing.allCases.flatMap { standing in
      InFlightLimit.kinds.map { Rank(standing: standing, kind: $0) }
    }
    var index: Int { 2 * standing.rawValue + (kind == .apiChecks ? 1 : 0) }
  }

  private struct Host {
    /// Of the file, of the API.
    var inFlight = (file: 0, api: 0)
    var lines: InlineArray<6, Line> = .init(repeating: Line())

    /// - Parameter isShared: both origins have checks of it.
    func hasRoom(for kind: WorkOrigin.Kind, of places: Int, isShared: Bool) -> Bool {
      let (file, api) = inFlight
      guard file + api < places else { return false }
      // One place cannot be divided.
      guard isShared, places > 1 else { return true }
      return kind == .apiChecks ? api < places - max(1, places / 4) : file < places - max(1, places / 8)
    }

    mutating func add(_ count: Int, of kind: WorkOrigin.Kind) {
      if kind == .apiChecks { inFlight.api += count } else { inFlight.file += count }
    }

    var isIdle: Bool {
      guard inFlight == (0, 0) else { return false }
      for index in lines.indices where !lines[index].isEmpty { return false }
      return true
    }
  }

  /// Whose checks are scheduled.
  private static let kinds: [WorkOrigin.Kind] = [.fileChecks, .apiChecks]

  let limits: InFlightLimits
  private(set) var waiting = 0
  private var waitingBy = ByOrigin { _ in 0 }
  private var heldSince = ByOrigin<Instant?> { _ in nil }
  private var places: Shares
  /// Those that may not take the reserved places.
  private var others: Shares
  /// Hosts that checks of both origins are of.
  private var sharedHosts: Set<String> = []  // own text: as in `hosts`
  /// Only hosts with something in flight or waiting.
  private var hosts: [String: Host] = [:]  // own text: a host that was judged, and a port
  private var turns = [Heap<Turn>](repeating: Heap(), count: Rank.count)
  private var arrivals: UInt64 = 0

  init(_ limits: InFlightLimits) {
    self.limits = limits
    places = Shares(limit: limits.total)
    others = Shares(limit: limits.total - limits.reserved)
  }

  var inFlight: Int { places.inUse }

  /// False where `next()` would return nothing.
  var canStart: Bool { firstTurn != nil }

  /// Whether checks of both origins share the places, and those of which hosts. Runs under way keep theirs.
  mutating func share(_ isShared: Bool, hosts: Set<String> = []) {  // own text: as in `hosts`
    places = places.divided(isShared)
    others = others.divided(isShared)
    sharedHosts = hosts
  }

  /// Says which origins wait for a place now that all were given; see `waits`.
  mutating func noteHeld(at now: Instant) {
    for kind in Self.kinds {
      let isHeld = Standing.allCases.contains { !turns[Rank(standing: $0, kind: kind).index].isEmpty }
      if isHeld != (heldSince[kind] != nil) { heldSince[kind] = isHeld ? now : nil }
    }
  }

  /// Checks that have room at their host, and none in all.
  var waits: [QueueWait] {
    Self.kinds.compactMap { kind in
      heldSince[kind].map { QueueWait(.places, kind, count: waitingBy[kind], since: $0) }
    }
  }

  /// The entry waits for its turn; call `next()` until it says nil.
  mutating func enqueue(
    _ entry: Int, host: String, _ standing: Standing = .trusted, of kind: WorkOrigin.Kind = .fileChecks
  ) {
    arrivals += 1
    waiting += 1
    waitingBy[kind] += 1
    let rank = Rank(standing: standing, kind: kind)
    hosts[host, default: Host()].lines[rank.index].waiting.insert(Waiter(arrival: arrivals, entry: entry))
    offerTurn(host, rank)
  }

  /// The entry that starts now. `nil` where none waits or none of those that wait may start.
  mutating func next() -> (entry: Int, host: String, standing: Standing, kind: WorkOrigin.Kind)? {
    while let (turn, rank) = firstTurn {
      _ = turns[rank.index].popMin()
      hosts[turn.host, default: Host()].lines[rank.index].isOffered = false
      guard hasRoom(turn.host, rank.kind),
        let waiter = hosts[turn.host, default: Host()].lines[rank.index].waiting.popMin()
      else {
        forget(turn.host)
        continue
      }
      hosts[turn.host, default: Host()].add(1, of: rank.kind)
      waiting -= 1
      waitingBy[rank.kind] -= 1
      // `firstTurn` has seen that there is room.
      _ = places.take(1, for: rank.kind)
      if rank.standing != .trusted { _ = others.take(1, for: rank.kind) }
      offerTurn(turn.host, rank)
      return (waiter.entry, turn.host, rank.standing, rank.kind)
    }
    return nil
  }

  /// An entry that started at this host with this standing ended.
  mutating func release(
    host: String, _ standing: Standing = .trusted, of kind: WorkOrigin.Kind = .fileChecks
  ) {
    hosts[host, default: Host()].add(-1, of: kind)
    places.give(1, of: kind)
    if standing != .trusted { others.give(1, of: kind) }
    for rank in Rank.all { offerTurn(host, rank) }
    forget(host)
  }

  /// Empties the queues: returns the entries that waited, in the order they came.
  mutating func removeWaiting() -> [Int] {
    var waiters: [Waiter] = []
    for host in hosts.keys {
      for rank in Rank.all {
        waiters += hosts[host]?.lines[rank.index].waiting.unordered ?? []
        hosts[host]?.lines[rank.index] = Line()
      }
      forget(host)
    }
    for index in turns.indices { turns[index] = Heap() }
    waiting = 0
    for kind in Self.kinds { waitingBy[kind] = 0 }
    return waiters.sorted().map(\.entry)
  }

  /// The earliest turn of those that a limit lets through.
  private var firstTurn: (Turn, Rank)? {
    let other = first(.unseen) ?? first(.suspect)
    guard let trusted = first(.trusted) else { return other }
    guard let other, other.0 < trusted.0 else { return trusted }
    return other
  }

  private func first(_ standing: Standing) -> (Turn, Rank)? {
    var found: (Turn, Rank)?
    for kind in Self.kinds {
      let rank = Rank(standing: standing, kind: kind)
      guard let turn = turns[rank.index].min, places.hasRoom(for: 1, of: kind),
        standing == .trusted || others.hasRoom(for: 1, of: kind), found.map({ turn < $0.0 }) ?? true
      else { continue }
      found = (turn, rank)
    }
    return found
  }

  /// Call when a line may have become one that has both a check waiting and room.
  private mutating func offerTurn(_ name: String, _ rank: Rank) {
    guard let host = hosts[name], hasRoom(name, rank.kind), !host.lines[rank.index].isOffered,
      let first = host.lines[rank.index].waiting.min
    else { return }
    hosts[name]?.lines[rank.index].isOffered = true
    turns[rank.index].insert(Turn(arrival: first.arrival, host: name))
  }

  private func hasRoom(_ name: String, _ kind: WorkOrigin.Kind) -> Bool {
    hosts[name]?.hasRoom(
      for: kind, of: limits.perHost, isShared: !sharedHosts.isEmpty && sharedHosts.contains(name)) ?? true
  }

  private mutating func forget(_ name: String) {
    if hosts[name]?.isIdle == true { hosts[name] = nil }
  }
}

extension Shares {
  /// The same places in use, with a quarter kept for the file and an eighth for the API, or with none kept.
  fileprivate func divided(_ isDivided: Bool) -> Shares {
    let shares: [WorkOrigin.Kind: Share] = [
      .fileChecks: Share(guaranteed: limit / 4, bound: limit),
      .apiChecks: Share(guaranteed: limit / 8, bound: limit),
    ]
    return Shares(limit: limit, isDivided ? shares : [:], inUse: self)
  }
}
