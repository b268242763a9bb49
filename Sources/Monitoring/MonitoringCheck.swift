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
  package let ip: IPPreference
  package let kind: CheckKind
  package let responseTime: Thresholds<Duration>

  package var type: CheckType { kind.type }

  /// What is probed, without user info, query and fragment.
  package var target: String { kind.target }
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

/// Settings of an http check.
package struct HTTPSettings: Hashable, Sendable {
  package var url: HTTPURL
  package var method: String
  /// In the order given; values are secret.
  package var headers: [HTTPHeader]
  package var body: Redacted?
  package var auth: HTTPAuth?
  package var follow: Bool
  /// 0 to 20.
  package var maxRedirects: Int
  /// Whether a redirect may lead from https to http.
  package var allowDowngrade: Bool
  /// Decoded bytes read at most when a condition needs the body.
  package var maxBody: Int
  package var tls: TLSOptions
  package var expect: HTTPExpectations
}

package struct HTTPHeader: Hashable, Sendable {
  package var name: String
  package var value: Redacted

  package init(name: String, value: Redacted) {
    self.name = name
    self.value = value
  }
}

package enum HTTPAuth: Hashable, Sendable {
  case basic(username: String, password: Redacted)
  case bearer(Redacted)
}

/// The conditions of an http check; all of them must hold.
package struct HTTPExpectations: Hashable, Sendable {
  /// Empty: any status is right.
  package var status: [ClosedRange<Int>]
  /// Literal, case-sensitive.
  package var bodyContains: [String]
  package var bodyNotContains: [String]
  package var certificateDays: Thresholds<Duration>

  package var needsBody: Bool { !bodyContains.isEmpty || !bodyNotContains.isEmpty }

  package init(
    status: [ClosedRange<Int>] = [200...299], bodyContains: [String] = [], bodyNotContains: [String] = [],
    certificateDays: Thresholds<Duration> = Thresholds()
  ) {
    self.status = status
    self.bodyContains = bodyContains
    self.bodyNotContains = bodyNotContains
    self.certificateDays = certificateDays
  }
}

/// How a TLS handshake is made and judged.
package struct TLSOptions: Hashable, Sendable {
  /// PEM file used instead of the system's trust store.
  package var caFile: String?
  /// Sent as SNI and matched against the certificate instead of the host.
  package var serverName: String?
  /// Whether a bad certificate fails the probe. Its facts are in the result either way.
  package var verify: Bool

  package init(caFile: String? = nil, serverName: String? = nil, verify: Bool = true) {
    self.caFile = caFile
    self.serverName = serverName
    self.verify = verify
  }
}

/// Settings of a tcp check.
package struct TCPSettings: Hashable, Sendable {
  package var host: String
  package var port: UInt16
}

/// Settings of a tls check: the certificate of a port.
package struct TLSSettings: Hashable, Sendable {
  package var host: String
  package var port: UInt16
  package var options: TLSOptions
  package var certificate: Thresholds<Duration>
}

/// Settings of a dns check.
package struct DNSSettings: Hashable, Sendable {
  /// Nil: the system's resolvers.
  package var server: Endpoint?
  package var name: String
  /// Mnemonic, upper case, such as `A`.
  package var recordType: String
  package var recursion: Bool
  /// Mnemonics; the answer's code must be one of them.
  package var rcodes: [String]
  /// At least one answer must equal one of these (presentation format); empty: not judged.
  package var answersAny: [String]
}

/// Settings of a ping check.
package struct PingSettings: Hashable, Sendable {
  package var host: String
  /// Packets a run, 1 to 100.
  package var count: Int
  package var packetInterval: Duration
  /// Payload bytes, 0 to 1,472.
  package var size: Int
  /// Percent lost.
  package var loss: Thresholds<Double>
  package var rtt: Thresholds<Duration>
}

/// A host (name or address literal without brackets) and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// `host:port`, IPv6 literals in brackets.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
