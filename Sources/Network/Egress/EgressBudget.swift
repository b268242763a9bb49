// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// How much of the network the checks of a stranger may touch: so many destinations, so many ports of each, so many
/// connections a second. It keeps an agent that was handed a hostile list from being a scanner.
///
/// A public host that is reached by its name is one destination, whichever of its addresses answers today: large sites
/// have hundreds. Inside the networks that `egress.allow` opens, and where a check names an address, every address is
/// one.
///
/// Checks of the administrator are not counted, and neither is the agent's own traffic to its resolvers.
package final class EgressBudget: Sendable {
  package struct Limits: Hashable, Sendable {
    /// Within `memory`.
    package var destinations = 500
    /// Of one destination within `memory`.
    package var ports = 8
    /// New connections a second, over all.
    package var rate = 100
    /// New connections a second to one address.
    package var ratePerAddress = 8
    /// A destination that was not used for this long is forgotten.
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
  package struct Figures: Hashable, Sendable {
    package var destinations: Int
    package var limit: Int
    /// Attempts refused since the start.
    package var refused: Int
    /// `nil` where none was refused for a day.
    package var lastRefusal: String?
  }

  private let limits: Limits
  private let time: TimeSource
  private let state: Mutex<Ledger>

  package init(_ limits: Limits = Limits(), time: TimeSource = .system) {
    self.limits = limits
    self.time = time
    state = Mutex(Ledger(limits, time.instant()))
  }

  /// Asked once for every attempt, with the permitted addresses of its target.
  ///
  /// - Parameters:
  ///   - host: the name or the address they were found by.
  ///   - dialsEach: each of them counts as a connection; else the first that accepts one is all that is wanted.
  ///   - isDelayable: false for a redirect's hop, which is counted and never held back.
  package func admit(
    _ peers: [SocketAddress], of host: String, dialsEach: Bool = false, isDelayable: Bool = true
  ) -> Admission {
    let now = time.instant()
    return state.withLock {
      $0.admit(peers, of: host, dialsEach: dialsEach, isDelayable: isDelayable, at: now)
    }
  }

  package var status: Figures {
    let now = time.instant()
    return state.withLock { $0.status(at: now) }
  }
}

/// The decisions of the budget. Pure.
private struct Ledger {
  private enum Place: Hashable {
    case name(ByteText)
    case address(IPAddress)

    init(_ peer: SocketAddress, of host: String) {
      let isNamed = IPAddress(host) == nil && peer.address.effectiveClass == .public
      self = isNamed ? .name(ByteText(host.lowercased())) : .address(peer.address)
    }
  }

  private struct Destination {
    var ports: Set<UInt16> = []
    var used: Instant
  }

  /// Buckets kept before those that are full again are dropped.
  private static let bucketLimit = 4096

  private let limits: EgressBudget.Limits
  private var destinations: [Place: Destination] = [:]
  private var rates: [IPAddress: Bucket] = [:]
  private var bucket: Bucket
  private var refused = 0
  private var refusal: (words: String, at: Instant)?

  init(_ limits: EgressBudget.Limits, _ now: Instant) {
    self.limits = limits
    bucket = Bucket(rate: limits.rate, at: now)
  }

  mutating func admit(
    _ peers: [SocketAddress], of host: String, dialsEach: Bool, isDelayable: Bool, at now: Instant
  ) -> EgressBudget.Admission {
    var why = "no address"
    var granted: [SocketAddress] = []
    var new: Set<Place> = []
    for peer in peers {
      let place = Place(peer, of: host)
      if let words = refusal(of: place, port: peer.port, beside: new, at: now) {
        why = words
      } else {
        granted.append(peer)
        if destinations[place] == nil { new.insert(place) }
      }
    }
    guard !granted.isEmpty else {
      refused += 1
      refusal = (why, now)
      return .refused(why)
    }
    let dialled = dialsEach ? granted : Array(granted.prefix(1))
    if isDelayable, let wait = wait(for: dialled, at: now) { return .later(wait) }
    take(dialled, at: now)
    for peer in granted {
      var destination = destinations[Place(peer, of: host)] ?? Destination(used: now)
      destination.ports.insert(peer.port)
      destination.used = now
      destinations[Place(peer, of: host)] = destination
    }
    return .granted(granted)
  }

  /// `nil` when the destination is known, or there is room for one more.
  private mutating func refusal(
    of place: Place, port: UInt16, beside new: Set<Place>, at now: Instant
  ) -> String? {
    if let known = destinations[place] {
      if known.ports.contains(port) || known.ports.count < limits.ports { return nil }
      return "checks from the API already use \(limits.ports) ports of that host"
    }
    if new.contains(place) { return nil }
    if destinations.count + new.count >= limits.destinations {
      destinations = destinations.filter { $0.value.used.duration(to: now) <= limits.memory }
    }
    if destinations.count + new.count < limits.destinations { return nil }
    return "checks from the API already go to \(limits.destinations) destinations ('limits.destinations')"
  }

  private func wait(for peers: [SocketAddress], at now: Instant) -> Duration? {
    let longest = peers.reduce(bucket.wait(at: now)) { max($0, rates[$1.address]?.wait(at: now) ?? .zero) }
    return longest > .zero ? longest : nil
  }

  private mutating func take(_ peers: [SocketAddress], at now: Instant) {
    for peer in peers {
      bucket.take(at: now)
      if rates.count >= Self.bucketLimit { rates = rates.filter { !$0.value.isFull(at: now) } }
      rates[peer.address, default: Bucket(rate: limits.ratePerAddress, at: now)].take(at: now)
    }
  }

  func status(at now: Instant) -> EgressBudget.Figures {
    let recent = refusal.flatMap { $0.at.duration(to: now) < .seconds(86_400) ? $0.words : nil }
    return EgressBudget.Figures(
      destinations: destinations.count, limit: limits.destinations, refused: refused, lastRefusal: recent)
  }
}

/// So many a second, with a burst of one second's worth. Use beyond that is a debt.
private struct Bucket {
  private let rate: Int
  private var tokens: Double
  private var filled: Instant

  init(rate: Int, at now: Instant) {
    self.rate = rate
    tokens = Double(rate)
    filled = now
  }

  private func level(at now: Instant) -> Double {
    min(Double(rate), tokens + Double(rate) * max(.zero, filled.duration(to: now)).seconds)
  }

  func isFull(at now: Instant) -> Bool { level(at: now) >= Double(rate) }

  mutating func take(at now: Instant) {
    tokens = level(at: now) - 1
    filled = now
  }

  /// Until there is one to take.
  func wait(at now: Instant) -> Duration {
    let level = level(at: now)
    return level >= 1 ? .zero : .microseconds(Int64(((1 - level) / Double(rate) * 1_000_000).rounded(.up)))
  }
}
