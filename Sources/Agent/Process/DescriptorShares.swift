// SPDX-License-Identifier: MIT

import Basics

/// Division of the file descriptors that this process may have open.
package struct DescriptorShares: Hashable, Sendable {
  /// The least that an agent starts with: its store, its event loops, its listeners and a probe.
  package static let least = 64
  /// Descriptors of the store, the event loops, the listeners and the API, without a connection to a page.
  private static let ground = 48
  /// Open connections that one page has at most, where there are enough.
  private static let mostConnections = 128

  /// All that there are.
  let limit: Int

  package init(of limit: Int = descriptorLimit()) { self.limit = limit }

  /// Kept back from the probes: as many as the ground and the connections of two pages take, or half where there are few.
  private var kept: Int { min(Self.ground + 2 * Self.mostConnections, limit / 2) }

  /// Open connections of one page: they take none that a probe needs.
  package var connections: Int { min(Self.mostConnections, max(4, (kept - Self.ground) / 2)) }

  /// Probes in flight at most: what the configuration says, or 2,000, as far as the descriptors allow. A probe holds up to six
  /// (A and AAAA are asked at once, of three servers where they are silent).
  package func inFlight(_ configured: Int?) -> Int { min(configured ?? 2000, max(1, (limit - kept) / 6)) }
}

/// Probes in flight at most, by the descriptors of this process.
package func inFlightLimit(_ configured: Int?) -> Int { DescriptorShares().inFlight(configured) }
