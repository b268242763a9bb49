// SPDX-License-Identifier: MIT

import Basics

/// The section `quartz` of agent.yaml: plain data, already judged by its reader.
package struct QuartzSettings: Hashable, Sendable {
  /// The API's base, such as `https://project.example/functions/v1/public-api/v1`. Https, or http to loopback.
  package var url: HTTPURL
  package var apiKey: Redacted
  /// The file the key was read from, read again after a 401; nil when it came from elsewhere.
  package var apiKeyFile: String?
  package var checks = PullSettings()
  package var deliver = DeliverSettings()
  /// Needed when `deliver.target` is `supabase`.
  package var supabase: SupabaseSettings?
  /// Write `resources.status`, one request a change. With `quartz` the backend does it.
  package var updateResources = false

  package init(url: HTTPURL, apiKey: Redacted, apiKeyFile: String? = nil) {
    self.url = url
    self.apiKey = apiKey
    self.apiKeyFile = apiKeyFile
  }
}

/// `quartz.checks`: whether and which checks come from the API.
package struct PullSettings: Hashable, Sendable {
  package var pull = false
  /// At least 1 min; each pull costs one request per 100 checks the key can see.
  package var every: Duration = .seconds(600)
  package var only = CheckFilter()
  package var except = CheckFilter()
  /// `ping` checks of the API as ICMP instead of the backend's TCP connect.
  package var pingICMP = false
  /// Read the body of an `http` check's answer to its end, which the backend does not.
  package var readBody = false
  /// Keep the checks' own credentials in the list on disk, so that those checks run with the API down too.
  package var cacheCredentials = false

  package init() {}
}

/// Names checks by resource, id or type. An empty list names nothing.
package struct CheckFilter: Hashable, Sendable {
  package var resources: [UniqueID] = []
  package var checks: [UniqueID] = []
  /// The API's words (`http`, `keyword`, `port`, `ping`, `ssl`), or `tcp` and `tls` for whatever maps onto these.
  package var types: [String] = []

  package init() {}

  package var isEmpty: Bool { resources.isEmpty && checks.isEmpty && types.isEmpty }
}

/// `quartz.deliver`: where results go and how often.
package struct DeliverSettings: Hashable, Sendable {
  package enum Target: String, CaseIterable, Hashable, Sendable {
    case quartz, supabase, off
  }

  package var target = Target.quartz
  /// Rows in one request, 1 to 1,000.
  package var batch = 500
  /// How long a result waits for company, 1 s to 5 min.
  package var every: Duration = .seconds(15)
  /// Requests for new results in an hour, where the other purposes leave all but their own shares of the budget.
  package static let requestsPerHour = 740
  /// Send each result's message too. Without it the receiver gets the reason's fixed word and the phase, so that
  /// nothing a target or a resolver said leaves this machine.
  package var messages = false

  package init() {}
}

/// `quartz.supabase`: the table interface that the backend has today.
package struct SupabaseSettings: Hashable, Sendable {
  /// How the agent proves who it is.
  package enum Login: Hashable, Sendable {
    /// A team member's account; tokens are fetched and renewed by the agent.
    case password(email: String, password: Redacted)
    /// Bypasses every rule of the database: allowed, with a warning.
    case serviceKey(Redacted)
  }

  /// The project's base, such as `https://project.supabase.example`. Https, or http to loopback.
  package var url: HTTPURL
  /// The project's public (`anon`) key for the gateway; with a service key, nil means that key.
  package var apiKey: Redacted?
  package var login: Login

  package init(url: HTTPURL, apiKey: Redacted?, login: Login) {
    self.url = url
    self.apiKey = apiKey
    self.login = login
  }
}
