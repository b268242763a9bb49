// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The target of a trace and its options.
package struct TraceRequest: Hashable, Sendable {
  /// For people; never resolved here.
  package var host: String
  /// Judged by the egress policy before it comes here; port 0: there is none, as of a ping.
  package var target: SocketAddress
  /// `nil` for TCP where there is a port, else the best that this process may do.
  package var method: TraceMethod?
  /// 1 to 64.
  package var maxTTL = 30
  /// Packets for each TTL and flow, 1 to 100.
  package var probes = 3
  /// 1 to 8.
  package var flows = 3
  /// How long one packet's answer is waited for.
  package var wait: Duration = .seconds(1)
  /// All of it, names included.
  package var budget: Duration = .seconds(15)
  /// From the start of one round of packets to the start of the next: routers limit how often they answer one sender,
  /// Linux to once a second after a burst of six.
  package var pace: Duration = .milliseconds(1500)
  package var findsMTU = true
  package var findsNames = true

  package init(host: String, target: SocketAddress) { (self.host, self.target) = (host, target) }
}

/// Finds the way to an address. Nothing on it is dialled but the target.
package protocol RouteTracing: Sendable {
  /// - Parameter each: the trace as it is known so far, for those who watch; called in order, at most ten times a second.
  func trace(
    _ request: TraceRequest, each: (@Sendable (RouteTrace) -> Void)?
  ) async throws(CancellationError) -> RouteTrace
}
