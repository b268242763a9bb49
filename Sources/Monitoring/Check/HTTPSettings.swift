// SPDX-License-Identifier: MIT

import Basics

/// Settings of an http check.
package struct HTTPSettings: Hashable, Sendable {
  package var url = HTTPURL.unset
  package var method = "GET"
  /// In the order given; values are secret.
  package var headers: [HeaderField] = []
  /// From `body` or `body_file`.
  package var body: Redacted?
  package var auth: HTTPAuth?
  /// The texts that the references in url, headers, body and auth stand for.
  package var secrets = SecretTexts()
  package var follow = true
  /// 0 to 20.
  package var maxRedirects = 10
  /// Whether a redirect may lead from https to http.
  package var allowDowngrade = false
  package var version = HTTPVersionChoice.auto
  /// Local checks only; the target's name is then the proxy's to resolve.
  package var proxy: ProxySettings?
  /// Ask for a compressed body where a condition needs one, and judge it decoded.
  package var decompress = true
  /// Bytes of the body read at most; decoded ones where a condition needs it.
  package var maxBody = 1024 * 1024
  /// Whether a body that no condition needs is read to its end. `nil` for yes, unless the answer is a stream.
  package var readBody: Bool?
  package var tls = TLSOptions()
  package var expect = HTTPExpectations()
}

/// Secrets as their sources give them, without what the configuration writes around them. It prints alike for any number.
package struct SecretTexts: Hashable, Sendable, CustomStringConvertible {
  package var all: [Redacted]

  package init(_ all: [Redacted] = []) { self.all = all }

  package var description: String { Redacted.mark }
}

package enum HTTPAuth: Hashable, Sendable {
  /// RFC 7617.
  case basic(username: String, password: Redacted)
  /// RFC 7616: sent once the server has asked.
  case digest(username: String, password: Redacted)
  /// RFC 6750.
  case bearer(Redacted)
  /// A bearer token fetched first, by RFC 6749 section 4.4.
  case oauth2(OAuth2Settings)
}

/// The client credentials grant.
package struct OAuth2Settings: Hashable, Sendable {
  package var tokenURL: HTTPURL
  package var clientID: String
  package var clientSecret: Redacted
  package var scopes: [String]

  package init(tokenURL: HTTPURL, clientID: String, clientSecret: Redacted, scopes: [String] = []) {
    self.tokenURL = tokenURL
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.scopes = scopes
  }
}

/// The version of HTTP a probe speaks.
package enum HTTPVersionChoice: String, CaseIterable, Hashable, Sendable {
  /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
  case auto
  case v10 = "1.0"
  case v11 = "1.1"
  /// Over TLS by ALPN and nothing else; without TLS with prior knowledge.
  case v2 = "2"
}

/// The conditions of an http check; all of them must hold.
package struct HTTPExpectations: Hashable, Sendable {
  /// Empty: any status is right.
  package var status: [ClosedRange<Int>] = [200...299]
  /// Literal, case-sensitive.
  package var bodyContains: [String] = []
  package var bodyNotContains: [String] = []
  /// PCRE2, multiline, unanchored.
  package var bodyMatches: [String] = []
  package var bodyNotMatches: [String] = []
  /// Compare the body's bytes as they came, whatever charset they are in.
  package var comparesBytes = false
  /// In the order given; a header that is missing fails its condition.
  package var headers: [HeaderCondition] = []
  package var json: [JSONCondition] = []
  /// Of the URL the last answer came from, query and all.
  package var finalURL: Condition?
  /// Of `1.0`, `1.1` or `2`.
  package var httpVersion: Condition?
  package var certificateDays = Thresholds<Duration>()

  package var needsBody: Bool { judgesText || !json.isEmpty }

  var judgesText: Bool {
    !bodyContains.isEmpty || !bodyNotContains.isEmpty || !bodyMatches.isEmpty || !bodyNotMatches.isEmpty
  }

  package init() {}
}

/// `expect.header`: one name and what one of its values must be.
package struct HeaderCondition: Hashable, Sendable {
  package var name: String
  package var condition: Condition

  package init(name: String, condition: Condition) {
    self.name = name
    self.condition = condition
  }
}

/// `expect.json`: one path into the body and what must be there.
package struct JSONCondition: Hashable, Sendable {
  package var path: JSONPath
  package var condition: Condition

  package init(path: JSONPath, condition: Condition) {
    self.path = path
    self.condition = condition
  }
}
