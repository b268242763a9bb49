// SPDX-License-Identifier: MIT

import Basics

/// Where probes may go, as the local file says it. Nothing that comes over the network can add to it.
package struct EgressSettings: Hashable, Sendable {
  package enum Mode: String, CaseIterable, Hashable, Sendable {
    case `default`
    /// Nothing but what `allow` lists, for every check.
    case allowlistOnly = "allowlist_only"
  }

  package var mode: Mode
  package var allow: [EgressRule]
  /// Wins over `allow`, for every check.
  package var deny: [EgressRule]
  /// The ports a check from the API may use on public addresses; a dns check may use 53 as well.
  package var ports: [UInt16]
  /// The methods an http check from the API may use.
  package var methods: [String]
  /// The way http checks from the API take to the names of `allowNames`; nil: they take none.
  package var proxy: ProxySettings?
  /// Names in lower case; behind a leading `*.`, every name below it.
  package var allowNames: [String]

  package init(
    mode: Mode = .default, allow: [EgressRule] = [], deny: [EgressRule] = [],
    ports: [UInt16] = [80, 443, 8080, 8443], methods: [String] = ["GET", "HEAD"],
    proxy: ProxySettings? = nil, allowNames: [String] = []
  ) {
    self.proxy = proxy
    self.allowNames = allowNames
    self.methods = methods
    self.mode = mode
    self.allow = allow
    self.deny = deny
    self.ports = ports
  }
}

extension EgressSettings {
  /// The proxy that a check from the API asks for this host. Where its name leads is the proxy's to know, so only names
  /// that the administrator wrote down go there. `nil` where there is none, or the name is not one of them.
  package func proxy(forHost host: String) -> ProxySettings? {
    guard let proxy, IPAddress(host) == nil else { return nil }
    let name = plainHost(host)
    let isListed = allowNames.contains { listed in
      listed.hasPrefix("*.") ? name.hasSuffix(listed.dropFirst(1)) : name == listed
    }
    return isListed ? proxy : nil
  }
}

/// A range of addresses, and the ports in it the rule is about.
package struct EgressRule: Hashable, Sendable {
  package var range: CIDR
  /// Empty: the rule names no port. In `deny` it is then about all of them, in `allow` about those of
  /// `EgressSettings.ports`.
  package var ports: [UInt16]

  package init(_ range: CIDR, ports: [UInt16] = []) {
    self.range = range
    self.ports = ports
  }
}
