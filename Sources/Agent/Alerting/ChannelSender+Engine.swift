// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Curl
import Monitoring
import Network

extension ChannelSender {
  /// Over the engine of the probes, where the administrator's rules let it.
  ///
  /// - Parameter warn: what the operator should know of a message that was sent all the same.
  package init(
    _ engine: ProbeEngine, _ egress: EgressSettings, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(
      engine: engine.curl, userAgent: userAgent, time: engine.time, warn: warn,
      find: administratorsPlaces(engine, egress))
  }
}

/// Finds what the administrator's file names, where the rules of `egress` let it.
func administratorsPlaces(_ engine: ProbeEngine, _ egress: EgressSettings) -> ChannelSender.Find {
  let policy = EgressPolicy(egress, own: nil)
  return { host, port in
    if let literal = IPAddress(host) { return permitted([literal], host, port, policy) }
    do {
      let found = try await engine.resolver.resolve(
        host, ip: .any, deadline: engine.time.instant() + .seconds(10))
      if let failure = found.failure {
        return .failure(ChannelProblem("\(host) cannot be resolved: \(failure.reason.rawValue)"))
      }
      return permitted(found.addresses, host, port, policy)
    } catch {
      return .failure(ChannelProblem("stopped"))
    }
  }
}

private func permitted(
  _ addresses: [IPAddress], _ host: String, _ port: UInt16, _ policy: EgressPolicy
) -> Result<[IPAddress], ChannelProblem> {
  let allowed = addresses.filter { address in
    if case .allowed = policy.judge(address, port: port, origin: .local) { true } else { false }
  }
  return allowed.isEmpty
    ? .failure(ChannelProblem("egress forbids \(host):\(port)", isFinal: true)) : .success(allowed)
}
