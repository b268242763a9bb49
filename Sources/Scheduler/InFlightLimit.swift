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

/// Who may start next under the limits: first come first served, but a full host holds up nobody else, and checks
/// that are not known to work leave a quarter of the places to those that are, and of them those go first that nobody
/// has seen yet: what hangs is known after one run, and what works must not wait behind it for its first.
///
/// Every check queues at its host, in the line of its standing. A line that has both a check waiting and room at its
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

  private struct Host {
    var inFlight = 0
    private var trusted = Line()
    private var unseen = Line()
    private var suspect = Line()

    var isIdle: Bool {
      inFlight == 0 && trusted.isEmpty && unseen.isEmpty && suspect.isEmpty
    }

    subscript(standing: Standing) -> Line {
      get {
        switch standing {
        case .trusted: trusted
        case .unseen: unseen
        case .suspect: suspect
        }
      }
      _modify {
        switch standing {
        case .trusted: yield &trusted
        case .unseen: yield &unseen
        case .suspect: yield &suspect
        }
      }
    }
  }

  let limits: InFlightLimits
  private(set) var inFlight = 0
  private(set) var waiting = 0
  /// Those that may not take the reserved places.
  private var othersInFlight = 0
  /// Only hosts with something in flight or waiting.
  private var hosts: [String: Host] = [:]  // own text: a host that was judged, and a port
  private var trustedTurns = Heap<Turn>()
  private var unseenTurns = Heap<Turn>()
  private var suspectTurns = Heap<Turn>()
  private var arrivals: UInt64 = 0

  init(_ limits: InFlightLimits) { self.limits = limits }

  /// False when `next()` would return nobody.
  var canStart: Bool {
    inFlight < limits.total
      && (!trustedTurns.isEmpty || hasRoomForOthers && !(unseenTurns.isEmpty && suspectTurns.isEmpty))
  }

  private var hasRoomForOthers: Bool { othersInFlight < limits.total - limits.reserved }

  /// The entry waits for its turn; call `next()` until it says nil.
  mutating func enqueue(_ entry: Int, host: String, _ standing: Standing = .trusted) {
    arrivals += 1
    waiting += 1
    hosts[host, default: Host()][standing].waiting.insert(Waiter(arrival: arrivals, entry: entry))
    offerTurn(host, standing)
  }

  /// The entry that starts now; nil when nobody waits or nobody waiting may start.
  mutating func next() -> (entry: Int, host: String, standing: Standing)? {
    while inFlight < limits.total, let (turn, standing) = drawTurn() {
      hosts[turn.host, default: Host()][standing].isOffered = false
      guard let host = hosts[turn.host], host.inFlight < limits.perHost,
        let waiter = hosts[turn.host, default: Host()][standing].waiting.popMin()
      else {
        forget(turn.host)
        continue
      }
      hosts[turn.host, default: Host()].inFlight += 1
      inFlight += 1
      waiting -= 1
      if standing != .trusted { othersInFlight += 1 }
      offerTurn(turn.host, standing)
      return (waiter.entry, turn.host, standing)
    }
    return nil
  }

  /// An entry that started at this host with this standing ended.
  mutating func release(host: String, _ standing: Standing = .trusted) {
    hosts[host, default: Host()].inFlight -= 1
    inFlight -= 1
    if standing != .trusted { othersInFlight -= 1 }
    for line in Standing.allCases { offerTurn(host, line) }
    forget(host)
  }

  /// Nobody waits any more: the entries that did, in the order they came.
  mutating func removeWaiting() -> [Int] {
    var waiters: [Waiter] = []
    for host in hosts.keys {
      for standing in Standing.allCases {
        waiters += hosts[host]?[standing].waiting.unordered ?? []
        hosts[host]?[standing] = Line()
      }
      forget(host)
    }
    trustedTurns = Heap()
    unseenTurns = Heap()
    suspectTurns = Heap()
    waiting = 0
    return waiters.sorted().map(\.entry)
  }

  /// The earliest turn of those that a limit lets through.
  private mutating func drawTurn() -> (Turn, Standing)? {
    let other = hasRoomForOthers ? unseenTurns.min ?? suspectTurns.min : nil
    if let trusted = trustedTurns.min, other.map({ trusted < $0 }) ?? true {
      return trustedTurns.popMin().map { ($0, .trusted) }
    }
    guard other != nil else { return nil }
    if let unseen = unseenTurns.popMin() { return (unseen, .unseen) }
    return suspectTurns.popMin().map { ($0, .suspect) }
  }

  /// Call when a line may have become one that has both a check waiting and room.
  private mutating func offerTurn(_ name: String, _ standing: Standing) {
    guard let host = hosts[name], host.inFlight < limits.perHost, !host[standing].isOffered,
      let first = host[standing].waiting.min
    else { return }
    hosts[name]?[standing].isOffered = true
    let turn = Turn(arrival: first.arrival, host: name)
    switch standing {
    case .trusted: trustedTurns.insert(turn)
    case .unseen: unseenTurns.insert(turn)
    case .suspect: suspectTurns.insert(turn)
    }
  }

  private mutating func forget(_ name: String) {
    if hosts[name]?.isIdle == true { hosts[name] = nil }
  }
}
