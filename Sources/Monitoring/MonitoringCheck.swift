// SPDX-License-Identifier: MIT

/// The kind of probe a check asks for; the word used in agent.yaml and in results.
package enum CheckType: String, CaseIterable, Hashable, Sendable {
  case http, tcp, dns, tls, ping
}

/// Whose check it is. It decides where its probes may go.
package enum CheckOrigin: Hashable, Sendable {
  /// The local file or the command line: the administrator's.
  case local
  /// The Quartz API: a stranger's.
  case api
}

/// Which family of addresses to use.
package enum IPPreference: String, CaseIterable, Hashable, Sendable {
  case any
  case v4 = "4"
  case v6 = "6"
}

/// How many of a host's addresses a verdict is about.
package enum AddressScope: String, CaseIterable, Hashable, Sendable {
  /// The first that accepts a connection answers for the host.
  case any
  /// Each address is probed; one that fails fails the check.
  case each
}

/// What is configured: a check that cannot be wrong. Both doors, YAML and API, go through `init(_:)`.
package struct MonitoringCheck: Hashable, Sendable {
  package let id: UniqueID
  package let name: String
  package let origin: CheckOrigin
  package let enabled: Bool
  /// Deliver although the id is not in the API's list.
  package let post: Bool
  package let resourceID: UniqueID?
  package let tags: [String]
  /// From slot to slot; at least 1 s.
  package let interval: Duration
  /// Over one whole attempt, resolution and redirects included; at most the interval and 60 s.
  package let timeout: Duration
  /// Tries after the first that did not succeed; 0 to 10.
  package let retries: Int
  package let retryDelay: Duration
  /// After the last retry, one more try after this long; zero: none. Without retries there is none either.
  package let confirmDelay: Duration
  /// Slot to slot while the last result was not a success; nil: the interval.
  package let intervalFailing: Duration?
  /// Failures in a row from which the check counts as down for its resource; 1 to 100.
  package let failureThreshold: Int
  package let ip: IPPreference
  /// Whether one address must do, or each of the host's.
  package let addresses: AddressScope
  /// Asked for the target's name instead of the system's resolvers.
  package let resolver: Endpoint?
  /// The one address of its host that a run with `addresses: each` is about at the moment; nil in every configuration.
  package let pinned: IPAddress?
  /// The local address connections are made from.
  package let sourceAddress: IPAddress?
  /// The target must not answer as the conditions say: success and failure change places.
  package let negate: Bool
  package let kind: CheckKind
  package let responseTime: Thresholds<Duration>

  package var type: CheckType { kind.type }

  /// What is probed, without user info, query and fragment; behind an international name, that name as people write it.
  package var target: String {
    guard let name = kind.name.flatMap(InternationalName.unicode) else { return kind.target }
    return "\(kind.target) (\(name))"
  }
}

/// The settings of each kind.
package enum CheckKind: Hashable, Sendable {
  case http(HTTPSettings)
  case tcp(TCPSettings)
  case dns(DNSSettings)
  case tls(TLSSettings)
  case ping(PingSettings)

  package var type: CheckType {
    switch self {
    case .http: .http
    case .tcp: .tcp
    case .dns: .dns
    case .tls: .tls
    case .ping: .ping
    }
  }

  /// The name that people know it by; nil where it is the machine's own.
  fileprivate var name: String? {
    switch self {
    case .http(let http): http.url.host
    case .tcp(let tcp): tcp.host
    case .tls(let tls): tls.host
    case .dns(let dns): dns.name
    case .ping(let ping): ping.host
    }
  }

  package var target: String {
    switch self {
    case .http(let http): http.url.display
    case .tcp(let tcp): Endpoint(host: tcp.host, port: tcp.port).description
    case .tls(let tls): Endpoint(host: tls.host, port: tls.port).description
    case .dns(let dns): "\(dns.server?.description ?? "system")/\(dns.name) \(dns.recordType)"
    case .ping(let ping): ping.host
    }
  }
}

/// A warn threshold makes a success degraded, a fail threshold makes it a failure. Nil: no such threshold.
package struct Thresholds<Value: Hashable & Sendable>: Hashable, Sendable {
  package var warn: Value?
  package var fail: Value?

  package init(warn: Value? = nil, fail: Value? = nil) {
    self.warn = warn
    self.fail = fail
  }
}
