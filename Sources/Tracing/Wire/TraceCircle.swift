// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A way that leads nowhere: the same routers over and over. Pure.
enum TraceCircle: Hashable, Sendable {
  /// Routers that send packets to one another, from this TTL on.
  case loop(from: Int)
  /// One address answers to every TTL from this one on.
  case single(IPAddress, from: Int)

  /// Looks at one flow, whose packets all take the same way while it does not change.
  ///
  /// An address at two neighbouring TTLs is usual (a router that sends on what has no hop left, as some old ones do, or
  /// the way changed), and so is one that comes again once. Four times in a row, or three times with others between,
  /// is neither.
  ///
  /// - Parameter path: by TTL, place 0 not used; `nil` where none answered.
  init?(_ path: [IPAddress?]) {
    var seen: [IPAddress: [Int]] = [:]
    for (ttl, address) in path.enumerated() {
      guard ttl > 0, let address else { continue }
      seen[address, default: []].append(ttl)
    }
    var circle: TraceCircle?
    for (address, ttls) in seen {
      guard let first = ttls.first, let last = ttls.last else { continue }
      let others = path[first...last].contains { $0 != nil && $0 != address }
      if others, ttls.count >= 3 {
        if case .loop(let from) = circle, from <= first { continue }
        circle = .loop(from: first)
      } else if !others, ttls.count >= 4, circle == nil {
        circle = .single(address, from: first)
      }
    }
    guard let circle else { return nil }
    self = circle
  }

  var from: Int {
    switch self {
    case .loop(let from), .single(_, let from): from
    }
  }

  /// How many TTLs of it are worth showing.
  static let shown = 4
}
