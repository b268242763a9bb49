// SPDX-License-Identifier: MIT

/// A proxy between the agent and an http target.
package struct ProxySettings: Hashable, Sendable {
  package enum Scheme: String, CaseIterable, Hashable, Sendable {
    /// Plain requests for http targets, CONNECT for https.
    case http
    /// RFC 1928, with the target's name.
    case socks5h
  }

  package var scheme: Scheme
  package var endpoint: Endpoint
  /// Basic for http, RFC 1929 for SOCKS; nil: no credentials.
  package var username: String?
  package var password: Redacted?

  package init(scheme: Scheme, endpoint: Endpoint, username: String? = nil, password: Redacted? = nil) {
    self.scheme = scheme
    self.endpoint = endpoint
    self.username = username
    self.password = password
  }
}
