// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Addresses that a request of the agent's own may go to.
package struct OutboundRules: Sendable {
  /// The administrator's rules of `egress`. `nil` when every address is permitted.
  private var policy: EgressPolicy?
  /// The request goes over https, or stays on this machine.
  private var isSecret = false
  /// Endpoints that untrusted checks may not reach. `nil` when the addresses are not added to them.
  private var own: OwnPlaces?

  /// For notification channels, dead man's switches, discovery and regions: what the administrator's file names.
  package static func egress(_ settings: EgressSettings) -> OutboundRules {
    OutboundRules(policy: EgressPolicy(settings, own: nil))
  }

  /// For the API and etcd, which are sent the agent's keys.
  package static func secret(own: OwnPlaces? = nil) -> OutboundRules {
    OutboundRules(isSecret: true, own: own)
  }

  /// Reason that nothing may be sent to the URL at all. `nil` when its addresses decide.
  func refusal(of url: HTTPURL) -> OutboundFailure? {
    guard isSecret, !url.mayCarrySecrets else { return nil }
    return OutboundFailure(.forbidden, "a key is sent over https only; use an https url")
  }

  /// Closes the addresses of the name to untrusted checks.
  func note(_ addresses: [IPAddress]) { own?.noteAPI(addresses) }

  /// The addresses of the endpoint that may be dialled.
  ///
  /// - Parameter isPlain: over http.
  func permitted(
    _ addresses: [IPAddress], of endpoint: Endpoint, isPlain: Bool
  ) -> Result<[IPAddress], OutboundFailure> {
    if isSecret, isPlain {
      // A name that leads elsewhere does not change that plain http is for this machine.
      let local = addresses.filter(\.isLoopback)
      return local.isEmpty
        ? .failure(OutboundFailure(.forbidden, "\(endpoint.host) is not this machine; use an https url"))
        : .success(local)
    }
    guard let policy else { return .success(addresses) }
    let allowed = addresses.filter { policy.judge($0, port: endpoint.port, origin: .local) == .allowed }
    return allowed.isEmpty
      ? .failure(OutboundFailure(.forbidden, "egress forbids \(endpoint)")) : .success(allowed)
  }
}

extension HTTPURL {
  /// Whether a key may be sent there: https, or http that stays on this machine.
  package var mayCarrySecrets: Bool { scheme == .https || isThisMachine(host) }
}
