// SPDX-License-Identifier: MIT

import Basics

/// A check as it was written; nothing is judged. Values that need no judge but their limits are in the settings that
/// the check will have, with their defaults; values that the judge converts, or needs as written, are beside them.
///
/// The keys fill one, from agent.yaml or from a row of the API; `MonitoringCheck.init(_:)` is the only judge of it.
@dynamicMemberLookup
package struct CheckDefinition: Sendable {
  package var origin: CheckOrigin = .local
  /// `nil` where every value could be read.
  package var unread: UnreadCredentials?
  package var plan = CheckPlan()
  package var http = HTTPSettings()
  package var dns = DNSSettings()
  package var ping = PingSettings()
  package var id: String?
  package var name: String?
  /// Former name, whose id the check has; `nil` when it was never renamed.
  package var was: String?
  package var type: String?
  package var resource: String?
  package var interval: Duration?
  package var timeout: Duration?
  package var ip: String?
  package var addresses: String?
  /// `host` or `host:port`.
  package var resolver: String?
  package var sourceAddress: String?

  // http
  package var url: String?
  /// A part of it came from a secret source.
  package var hasSecretURL = false
  package var method: String?
  package var headers: [(name: String, value: Redacted)]?
  package var auth = AuthDefinition()
  package var maxRedirects: Int?
  package var httpVersion: String?
  /// `scheme://[user:password@]host:port`.
  package var proxy: Redacted?
  /// Bytes.
  package var maxBody: Int?

  // tcp, tls, ping
  package var host: String?
  package var port: Int?

  // tcp, tls
  package var startTLS: String?
  package var dialogPreset: String?
  package var dialogSteps: [DialogStepDefinition]?

  // http, tcp, tls, dns
  package var tls = TLSDefinition()

  // dns
  /// `host` or `host:port`.
  package var server: String?
  package var transport: String?
  package var queryName: String?
  package var queryType: String?
  package var queryClass: String?

  // ping
  package var pingMethod: String?
  package var packetInterval: Duration?
  package var size: Int?

  // heartbeat
  package var token: Redacted?
  package var period: Duration?
  /// Five fields, as in crontab(5).
  package var cron: String?
  package var timezone: String?
  package var grace: Duration?
  package var maxRun: Duration?

  package var expect = ExpectDefinition()

  package init() {}

  package subscript<Value>(dynamicMember path: WritableKeyPath<CheckPlan, Value>) -> Value {
    get { plan[keyPath: path] }
    set { plan[keyPath: path] = newValue }
  }
}

/// `auth` as it was written: one way at most may be given.
package struct AuthDefinition: Sendable {
  package struct Login: Sendable {
    package var username: String?
    package var password: Redacted?
  }

  package var basic = Login()
  package var digest = Login()
  package var bearer: Redacted?
  package var oauth2: OAuth2Definition?
}

/// `auth.oauth2` as it was written.
package struct OAuth2Definition: Sendable {
  package var tokenURL: String?
  package var clientID: String?
  package var clientSecret: Redacted?
  package var scopes: [String]?

  package init() {}
}

/// `tls` as it was written.
package struct TLSDefinition: Sendable {
  /// Of a tcp check, with or without a map of options.
  package var isWanted: Bool?
  package var caFile: String?
  package var serverName: String?
  package var verify: Bool?
  package var minVersion: String?
  package var maxVersion: String?
  package var both: Bool?
  package var clientCertificate: String?
  package var clientKey: String?
}

/// `expect` as it was written, without the values that need no judge.
package struct ExpectDefinition: Sendable {
  /// Each a code such as `204` or a range such as `200-299`. `nil` for the default; empty for any.
  package var status: [String]?
  /// Conditions in the form of the file, with the header's name.
  package var headers: [(name: String, condition: String)]?
  /// Conditions in the form of the file, with the path.
  package var json: [(path: String, condition: ConditionText)]?
  package var finalURL: String?
  package var httpVersion: String?
  package var rcodes: [String]?
  package var answersAny: [String]?
  package var answersAll: [String]?
  package var answersExact: [String]?
  package var answersNone: [String]?
  package var count: String?
  package var ttl: String?
  package var certificate = Thresholds<Duration>()
  package var certificateStrict: Bool?
}

/// One entry of `dialog` as it was written: exactly one of the four is to be given.
package struct DialogStepDefinition: Sendable {
  package var send: Redacted?
  package var sendHex: Redacted?
  package var expect: String?
  package var expectHex: String?

  package init() {}
}

/// Says what is wrong with a regular expression, nil when nothing is. The engine is another room's.
package struct PatternRule: Sendable {
  package let problem: @Sendable (String) -> String?
  /// The same of a pattern that is held against bytes.
  package let byteProblem: @Sendable (String) -> String?

  package init(
    problem: @escaping @Sendable (String) -> String?, byteProblem: @escaping @Sendable (String) -> String?
  ) {
    self.problem = problem
    self.byteProblem = byteProblem
  }

  /// Takes everything: for checks that were judged before.
  package static let unchecked = PatternRule(problem: { _ in nil }, byteProblem: { _ in nil })
}

/// One thing wrong with a definition.
package struct CheckProblem: Hashable, Sendable {
  /// Where, as keys below the check: `["expect", "status", "0"]`. A number is an index. Empty: the check itself.
  package var path: [String]
  /// Lower case, no full stop: what is wrong, with the offending value where it is no secret.
  package var message: String
  /// The next step. `nil` where the message says it.
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
