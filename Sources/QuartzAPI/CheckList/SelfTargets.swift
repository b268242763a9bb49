// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The agent's own endpoints, where no check from the API may go: the API, and the agent's own status page. A check of
/// the API that asks the API would be a loop, and one that asks the agent's own page a way to read it.
///
/// This judges the words of a check. Names that lead here all the same are refused when they are dialled, by the egress
/// policy.
package struct SelfTargets: Hashable, Sendable {
  /// The API, and Supabase where results go there.
  package var receivers: [HTTPURL.Origin]
  /// Ports the agent listens on, on whatever address.
  package var ports: Set<UInt16>
  /// This machine's addresses, loopback aside.
  package var addresses: Set<IPAddress>

  package init(receivers: [HTTPURL.Origin] = [], ports: Set<UInt16> = [], addresses: Set<IPAddress> = []) {
    self.receivers = receivers
    self.ports = ports
    self.addresses = addresses
  }

  /// Why a check may not go there; `nil` when it may.
  func refusal(_ destination: DestinationBudget.Destination) -> String? {
    let host = plainHost(destination.host)
    let address = IPAddress(host)
    for receiver in receivers where plainHost(receiver.host) == host {
      // A name is the receiver's on every port; an address may be that of much else.
      if (address == nil && host != "localhost") || receiver.port == destination.port {
        return "it is aimed at the API itself"
      }
    }
    guard let port = destination.port, ports.contains(port) else { return nil }
    let isHere = host == "localhost" || address.map { $0.isLoopback || addresses.contains($0) } ?? false
    return isHere ? "it is aimed at this agent's own port" : nil
  }
}
