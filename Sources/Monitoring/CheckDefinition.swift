// SPDX-License-Identifier: MIT

/// A check as somebody wrote it: typed values, nothing judged, everything optional.
///
/// The YAML walk and the API mapping fill one; `MonitoringCheck.init(_:)` is the only judge of it.
package struct CheckDefinition: Sendable {
  package var origin: CheckOrigin = .local
  package var id: String?
  package var name: String?
  package var type: String?
  package var enabled: Bool?
  package var post: Bool?
  package var resource: String?
  package var tags: [String]?
  package var interval: Duration?
  package var timeout: Duration?
  package var retries: Int?
  package var retryDelay: Duration?
  package var confirmDelay: Duration?
  package var ip: String?

  // http
  package var url: String?
  package var method: String?
  package var headers: [(name: String, value: Redacted)]?
  package var body: Redacted?
  package var basicUsername: String?
  package var basicPassword: Redacted?
  package var bearer: Redacted?
  package var follow: Bool?
  package var maxRedirects: Int?
  package var allowDowngrade: Bool?
  /// Bytes.
  package var maxBody: Int?

  // tcp, tls, ping
  package var host: String?
  package var port: Int?

  // tls
  package var tlsCAFile: String?
  package var tlsServerName: String?
  package var tlsVerify: Bool?

  // dns
  /// `host` or `host:port`.
  package var server: String?
  package var queryName: String?
  package var queryType: String?
  package var queryRecursion: Bool?

  // ping
  package var count: Int?
  package var packetInterval: Duration?
  package var size: Int?

  // expect
  /// Each a code such as `204` or a range such as `200-299`. Nil: the default; empty: any.
  package var expectStatus: [String]?
  package var expectBodyContains: [String]?
  package var expectBodyNotContains: [String]?
  package var expectRcode: [String]?
  package var expectAnswersAny: [String]?
  package var expectResponseTime = Thresholds<Duration>()
  package var expectCertificate = Thresholds<Duration>()
  /// Percent.
  package var expectLoss = Thresholds<Double>()
  package var expectRTT = Thresholds<Duration>()

  package init() {}
}

/// One thing wrong with a definition.
package struct CheckProblem: Hashable, Sendable {
  /// Where, as keys below the check: `["expect", "status", "0"]`. A number is an index. Empty: the check itself.
  package var path: [String]
  /// Lower case, no full stop: what is wrong, with the offending value where it is no secret.
  package var message: String
  /// What to do; nil when the message says it.
  package var hint: String?

  package init(_ path: [String], _ message: String, hint: String? = nil) {
    self.path = path
    self.message = message
    self.hint = hint
  }
}

/// Thrown by `MonitoringCheck.init(_:)` with every problem found, never only the first.
package struct InvalidCheck: Error, Hashable, Sendable {
  package var problems: [CheckProblem]

  package init(problems: [CheckProblem]) { self.problems = problems }
}
