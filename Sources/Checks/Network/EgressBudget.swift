// SPDX-License-Identifier: MIT

import Monitoring
import Synchronization

/// How much of the network the checks of a stranger may touch: so many addresses, so many ports of each, so many
/// connections a second. It keeps an agent that was handed a hostile list from being a scanner.
///
/// Checks of the administrator are not counted, and neither is the agent's own traffic to its resolvers.
package final class EgressBudget: Sendable {
  package struct Limits: Hashable, Sendable {
    /// Distinct addresses within `memory`.
    package var destinations = 500
    /// Of one address within `memory`.
    package var ports = 8
    /// New connections a second, over all.
    package var rate = 100
    /// New connections a second to one address.
    package var ratePerAddress = 8
    /// A destination nobody asked for this long is forgotten.
    package var memory = Duration.seconds(24 * 3600)

    package init(destinations: Int = 500) { self.destinations = destinations }
  }

  package enum Admission: Hashable, Sendable {
    /// These, at least one, in their order.
    case granted([SocketAddress])
    /// Too many at the moment: to be asked again after this long.
    case later(Duration)
    case refused(String)
  }

  /// For the status page.
  package struct Status: Hashable, Sendable {
    package var destinations: Int
    package var limit: Int
    /// Attempts refused since the start.
    package var refused: Int
    /// Nil: none was refused for a day.
    package var lastRefusal: String?
  }

  private let limits: Limits
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<Ledger>

  package init(
    _ limits: Limits = Limits(), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.limits = limits
    self.now = now
    state = Mutex(Ledger(limits, now()))
  }

  /// Asked once for every attempt, with the permitted addresses of its target.
  ///
  /// - Parameter isDelayable: false for a redirect's hop, which is counted and never held back.
  package func admit(_ peers: [SocketAddress], isDelayable: Bool = true) -> Admission {
    let now = now()
    return state.withLock { $0.admit(peers, isDelayable: isDelayable, at: now) }
  }

  package var status: Status {
    let now = now()
    return state.withLock { $0.status(at: now) }
  }
}

/// The decisions of the budget. Pure.
private struct Ledger {
  private struct Destination {
    var ports: Set<UInt16> = []
    var used: ContinuousClock.Instant
    var bucket: Bucket
  }

  private let limits: EgressBudget.Limits
  private var destinations: [IPAddress: Destination] = [:]
  private var bucket: Bucket
  private var refused = 0
  private var refusal: (words: String, at: ContinuousClock.Instant)?

  init(_ limits: EgressBudget.Limits, _ now: ContinuousClock.Instant) {
    self.limits = limits
    bucket = Bucket(rate: limits.rate, at: now)
  }

  mutating func admit(
    _ peers: [SocketAddress], isDelayable: Bool, at now: ContinuousClock.Instant
  ) -> EgressBudget.Admission {
    var why = "no address"
    var granted: [SocketAddress] = []
    for peer in peers {
      if let words = refusal(of: peer, beside: granted, at: now) { why = words } else { granted.append(peer) }
    }
    guard let first = granted.first else {
      refused += 1
      refusal = (why, now)
      return .refused(why)
    }
    if isDelayable, let wait = wait(for: first, at: now) { return .later(wait) }
    bucket.take(at: now)
    for peer in granted {
      var destination =
        destinations[peer.address]
        ?? Destination(used: now, bucket: Bucket(rate: limits.ratePerAddress, at: now))
      destination.ports.insert(peer.port)
      destination.used = now
      if peer == first { destination.bucket.take(at: now) }
      destinations[peer.address] = destination
    }
    return .granted(granted)
  }

  /// Nil when the destination is known, or there is room for one more.
  private mutating func refusal(
    of peer: SocketAddress, beside granted: [SocketAddress], at now: ContinuousClock.Instant
  ) -> String? {
    if let known = destinations[peer.address] {
      if known.ports.contains(peer.port) || known.ports.count < limits.ports { return nil }
      return "checks from the API already use \(limits.ports) ports of that address"
    }
    let new = Set(granted.map(\.address)).filter { destinations[$0] == nil }.count
    if destinations.count + new >= limits.destinations { forget(at: now) }
    if destinations.count + new < limits.destinations { return nil }
    return "checks from the API already go to \(limits.destinations) addresses ('limits.destinations')"
  }

  private mutating func forget(at now: ContinuousClock.Instant) {
    destinations = destinations.filter { $0.value.used.duration(to: now) <= limits.memory }
  }

  private mutating func wait(for peer: SocketAddress, at now: ContinuousClock.Instant) -> Duration? {
    let own = destinations[peer.address]?.bucket.wait(at: now) ?? .zero
    let longest = max(own, bucket.wait(at: now))
    return longest > .zero ? longest : nil
  }

  func status(at now: ContinuousClock.Instant) -> EgressBudget.Status {
    let recent = refusal.flatMap { $0.at.duration(to: now) < .seconds(86_400) ? $0.words : nil }
    return EgressBudget.Status(
      destinations: destinations.count, limit: limits.destinations, refused: refused, lastRefusal: recent)
  }
}

/// So many a second, with a burst of one second's worth. What was taken beyond that is a debt.
private struct Bucket {
  private let rate: Int
  private var tokens: Double
  private var filled: ContinuousClock.Instant

  init(rate: Int, at now: ContinuousClock.Instant) {
    self.rate = rate
    tokens = Double(rate)
    filled = now
  }

  private func level(at now: ContinuousClock.Instant) -> Double {
    min(Double(rate), tokens + Double(rate) * max(.zero, filled.duration(to: now)).seconds)
  }

  mutating func take(at now: ContinuousClock.Instant) {
    tokens = level(at: now) - 1
    filled = now
  }

  /// Until there is one to take.
  func wait(at now: ContinuousClock.Instant) -> Duration {
    let level = level(at: now)
    return level >= 1 ? .zero : .microseconds(Int64(((1 - level) / Double(rate) * 1_000_000).rounded(.up)))
  }
}
