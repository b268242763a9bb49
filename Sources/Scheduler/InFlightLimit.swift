// SPDX-License-Identifier: MIT

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
}

/// Who may start next under both limits: first come first served, but a full host holds up nobody else.
///
/// Every check queues at its host. A host that has both a check waiting and room stands in `turns` with the arrival
/// of its first one, exactly once; so the next to start is found without looking at those that cannot.
struct InFlightLimit {
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

  private struct Host {
    var inFlight = 0
    var waiting = Heap<Waiter>()
  }

  let limits: InFlightLimits
  private(set) var inFlight = 0
  private(set) var waiting = 0
  /// Only hosts with something in flight or waiting.
  private var hosts: [String: Host] = [:]
  private var turns = Heap<Turn>()
  private var arrivals: UInt64 = 0

  init(_ limits: InFlightLimits) { self.limits = limits }

  /// Whether `next()` would return somebody.
  var canStart: Bool { inFlight < limits.total && !turns.isEmpty }

  /// The entry waits for its turn; call `next()` until it says nil.
  mutating func enqueue(_ entry: Int, host: String) {
    arrivals += 1
    waiting += 1
    let isFirst = hosts[host, default: Host()].waiting.isEmpty
    hosts[host, default: Host()].waiting.insert(Waiter(arrival: arrivals, entry: entry))
    if isFirst { offerTurn(host) }
  }

  /// The entry that starts now; nil when nobody waits or nobody waiting may start.
  mutating func next() -> (entry: Int, host: String)? {
    guard inFlight < limits.total, let turn = turns.popMin(),
      let waiter = hosts[turn.host, default: Host()].waiting.popMin()
    else { return nil }
    hosts[turn.host, default: Host()].inFlight += 1
    inFlight += 1
    waiting -= 1
    offerTurn(turn.host)
    return (waiter.entry, turn.host)
  }

  /// An entry that started at this host ended.
  mutating func release(host: String) {
    let wasFull = hosts[host, default: Host()].inFlight == limits.perHost
    hosts[host, default: Host()].inFlight -= 1
    inFlight -= 1
    if wasFull { offerTurn(host) }
    forget(host)
  }

  /// Nobody waits any more: the entries that did, in the order they came.
  mutating func removeWaiting() -> [Int] {
    var waiters: [Waiter] = []
    for host in hosts.keys {
      waiters += hosts[host]?.waiting.unordered ?? []
      hosts[host]?.waiting = Heap()
      forget(host)
    }
    turns = Heap()
    waiting = 0
    return waiters.sorted().map(\.entry)
  }

  /// Call when a host may have become one that has both a check waiting and room.
  private mutating func offerTurn(_ name: String) {
    guard let host = hosts[name], host.inFlight < limits.perHost, let first = host.waiting.min else { return }
    turns.insert(Turn(arrival: first.arrival, host: name))
  }

  private mutating func forget(_ name: String) {
    guard let host = hosts[name], host.inFlight == 0, host.waiting.isEmpty else { return }
    hosts[name] = nil
  }
}
