// SPDX-License-Identifier: MIT

import Basics

/// The kind of probe a check asks for; the word used in agent.yaml and in results.
package enum CheckType: String, CaseIterable, Hashable, Sendable {
  case http, tcp, dns, tls, ping
  /// Nothing is dialled: a job reports to the agent.
  case heartbeat

  /// Those that go out and look at a target.
  package static let probing = Set(allCases).subtracting([.heartbeat])
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

/// Settings of a check of any kind that need no judge but their limits.
package struct CheckPlan: Hashable, Sendable {
  package var enabled = true
  /// Deliver although the id is not in the API's list.
  package var post = false
  package var tags: [String] = []
  /// Tries after the first that did not succeed; 0 to 10.
  package var retries = 1
  package var retryDelay: Duration = .seconds(2)
  /// After the last retry, one more try after this long; zero: none. Without retries there is none either.
  package var confirmDelay: Duration = .zero
  /// Slot to slot while the last result was not a success; nil: the interval.
  package var intervalFailing: Duration?
  /// Failures in a row from which the check counts as down for its resource; 1 to 100.
  package var failureThreshold = 1
  /// The target must not answer as the conditions say: success and failure change places.
  package var negate = false
  /// Names or ids of checks, or `tag:` and a tag: what must work for this one to work.
  package var dependsOn: [String] = []
  /// Failures count as down although something is down that it depends on.
  package var strictDowntime = false
  /// The way to the target is looked at when something is wrong with it.
  package var trace = true
  /// URL of the runbook. `nil` where there is none.
  package var runbook: String?
  package var responseTime = Thresholds<Duration>()
  /// A list takes the room of a pointer, and `confirm` is rare.
  private var confirms: [ConfirmSettings] = []
  /// Whose word it takes for the check to be down; nil: this agent's own.
  package var confirm: ConfirmSettings? {
    get { confirms.first }
    set { confirms = newValue.map { [$0] } ?? [] }
  }

  package init() {}
}

/// A configured check, always valid. Both doors, YAML and API, go through `init(_:)`.
///
/// A check is some 800 bytes and is handed on at each step of a run, so that all its copies share one place in memory.
@dynamicMemberLookup
package struct MonitoringCheck: Sendable {
  let shared: Shared

  package var id: UniqueID { shared.parts.id }
  package var name: String { shared.parts.name }
  package var origin: CheckOrigin { shared.parts.origin }
  package var resourceID: UniqueID? { shared.parts.resourceID }
  /// From slot to slot; at least 1 s.
  package var interval: Duration { shared.parts.interval }
  /// Over one whole attempt, resolution and redirects included; at most the interval and 60 s.
  package var timeout: Duration { shared.parts.timeout }
  package var ip: IPPreference { shared.parts.ip }
  /// Whether one address must do, or each of the host's.
  package var addresses: AddressScope { shared.parts.addresses }
  /// Asked for the target's name instead of the system's resolvers.
  package var resolver: Endpoint? { shared.parts.resolver }
  /// The local address connections are made from.
  package var sourceAddress: IPAddress? { shared.parts.sourceAddress }
  package var kind: CheckKind { shared.parts.kind }
  package var plan: CheckPlan { shared.parts.plan }
  /// Why it must not be run here; `nil` where every value could be read.
  package var unread: UnreadCredentials? { shared.parts.unread }

  package subscript<Value>(dynamicMember path: KeyPath<CheckPlan, Value>) -> Value {
    shared.parts.plan[keyPath: path]
  }

  package var type: CheckType { kind.type }

  /// The target without user info, query and fragment; behind an international name, that name in its own letters.
  package var target: String { shared.target }

  init(_ parts: Parts) { shared = Shared(parts) }
}

extension MonitoringCheck {
  /// The same check of a target that a stranger named: it may go where a stranger's check may. How it is made stays the
  /// administrator's.
  package var aimedByStranger: MonitoringCheck {
    var parts = shared.parts
    parts.origin = .api
    return MonitoringCheck(parts)
  }

  /// The same check, tried once: for a caller that wants to know at once, and has tried more than once itself.
  package var triedOnce: MonitoringCheck {
    var parts = shared.parts
    (parts.plan.retries, parts.plan.confirmDelay) = (0, .zero)
    return MonitoringCheck(parts)
  }
}

extension MonitoringCheck {
  /// It asks for the certificates of both sorts of keys. A `tls` check of each address does so anyway: the certificates are
  /// what it is about.
  package var asksBothKeySorts: Bool {
    if type == .tls, addresses == .each { return true }
    return tlsOptions?.asksBoth ?? false
  }

  /// `nil` for a check without TLS.
  private var tlsOptions: TLSOptions? {
    switch kind {
    // A redirect may lead to https.
    case .http(let http): http.url.scheme == .https || http.follow ? http.tls : nil
    case .tcp(let tcp): tcp.tls
    case .tls(let tls): tls.options
    case .dns(let dns): dns.tls
    case .ping, .heartbeat: nil
    }
  }

  /// The same check by a client that knows that sort of keys only.
  package func asking(for sort: KeySort) -> MonitoringCheck {
    var parts = shared.parts
    switch parts.kind {
    case .http(var http):
      http.tls.keySort = sort
      parts.kind = .http(http)
    case .tcp(var tcp):
      tcp.tls?.keySort = sort
      parts.kind = .tcp(tcp)
    case .tls(var tls):
      tls.options.keySort = sort
      parts.kind = .tls(tls)
    case .dns(var dns):
      dns.tls.keySort = sort
      parts.kind = .dns(dns)
    case .ping, .heartbeat: break
    }
    return MonitoringCheck(parts)
  }
}

extension MonitoringCheck: Hashable {
  package static func == (left: MonitoringCheck, right: MonitoringCheck) -> Bool {
    left.shared === right.shared || left.shared.parts == right.shared.parts
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(shared.parts) }
}

extension MonitoringCheck {
  final class Shared: Sendable {
    let parts: Parts
    /// In every result, so it is put together once.
    let target: String

    init(_ parts: Parts) {
      self.parts = parts
      let name = parts.kind.name.flatMap(InternationalName.unicode)
      target = name.map { "\(parts.kind.target) (\($0))" } ?? parts.kind.target
    }
  }

  /// The properties are described at `MonitoringCheck`.
  struct Parts: Hashable, Sendable {
    let id: UniqueID
    var name: String
    var origin: CheckOrigin
    let resourceID: UniqueID?
    let interval: Duration
    let timeout: Duration
    let ip: IPPreference
    let addresses: AddressScope
    let resolver: Endpoint?
    let sourceAddress: IPAddress?
    var kind: CheckKind
    var plan: CheckPlan
    let unread: UnreadCredentials?
  }
}

/// The settings of each kind.
package indirect enum CheckKind: Hashable, Sendable {
  case http(HTTPSettings)
  case tcp(TCPSettings)
  case dns(DNSSettings)
  case tls(TLSSettings)
  case ping(PingSettings)
  case heartbeat(HeartbeatSettings)

  package var type: CheckType {
    switch self {
    case .http: .http
    case .tcp: .tcp
    case .dns: .dns
    case .tls: .tls
    case .ping: .ping
    case .heartbeat: .heartbeat
    }
  }

  /// Whose addresses are dialled; nil where the check does not name it, and behind a proxy. The port of an ICMP ping is 0.
  package var dialled: Endpoint? {
    switch self {
    case .http(let http): http.proxy == nil ? http.url.endpoint : nil
    case .tcp(let tcp): Endpoint(host: tcp.host, port: tcp.port)
    case .dns(let dns): dns.server
    case .tls(let tls): Endpoint(host: tls.host, port: tls.port)
    case .ping(let ping): Endpoint(host: ping.host, port: ping.port ?? 0)
    case .heartbeat: nil
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
    case .heartbeat: nil
    }
  }

  package var target: String {
    switch self {
    case .http(let http): http.url.display
    case .tcp(let tcp): Endpoint(host: tcp.host, port: tcp.port).description
    case .tls(let tls): Endpoint(host: tls.host, port: tls.port).description
    case .dns(let dns): "\(dns.server?.description ?? "system")/\(dns.name) \(dns.recordType)"
    case .ping(let ping): ping.host
    case .heartbeat(let heartbeat): heartbeat.target
    }
  }
}

/// A warn threshold makes a success degraded, a fail threshold makes it a failure. `nil` for no such threshold.
package struct Thresholds<Value: Hashable & Sendable>: Hashable, Sendable {
  package var warn: Value?
  package var fail: Value?

  package init(warn: Value? = nil, fail: Value? = nil) {
    self.warn = warn
    self.fail = fail
  }
}

extension MonitoringCheck {
  /// Whose share of this process's budgets its runs take from, where the schedule makes them.
  package var originKind: WorkOrigin.Kind { origin == .api ? .apiChecks : .fileChecks }
}
