// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Every name has these addresses; without any, there are no names.
package struct ScriptedNames: HostResolving {
  private let addresses: [IPAddress]

  package init(_ addresses: [IPAddress] = []) { self.addresses = addresses }

  package func resolve(_ host: String, ip: IPPreference, deadline: Instant) -> ResolvedHost {
    addresses.isEmpty
      ? ResolvedHost(failure: Verdict(.dnsNXDomain, phase: .dns)) : ResolvedHost(addresses: addresses)
  }
}

extension Outbound {
  /// Over the engine, where every name has these addresses.
  package static func test(_ engine: CurlEngine, at addresses: [IPAddress] = []) -> Outbound {
    Outbound(engine: engine, resolver: ScriptedNames(addresses), userAgent: "test", time: .system)
  }
}
