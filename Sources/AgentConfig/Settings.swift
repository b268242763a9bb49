// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Everything agent.yaml says, judged and complete: no reader has to know a default or check a value again.
package struct Settings: Hashable, Sendable {
  package var agent = AgentSettings()
  package var status = StatusSettings()
  package var metrics = MetricsSettings()
  /// `nil` where `/probe` is off.
  package var probe: ProbeSettings?
  package var limits = LimitSettings()
  package var defaults = CheckDefaults()
  /// `nil` without a Quartz backend.
  package var quartz: QuartzSettings?
  /// `nil` where the agent is in no group.
  package var group: GroupSettings?
  package var spool = SpoolSettings()
  /// Results go to the API, so that they have to outlast its outages.
  package var delivers: Bool { quartz.map { $0.deliver.target != .off } ?? false }
  package var egress = EgressSettings()
  /// Names of checks; when all of them fail, what else fails may be our own fault.
  package var canaries: [String] = []
  /// Which checks cannot work while others are down, beside what the checks say themselves.
  package var dependencies: [DependencyRule] = []
  package var trace = TraceSettings()
  /// `nil` where alerts are off.
  package var alerts: AlertSettings?
  /// Dead man's switches.
  package var lifeSigns: [LifeSign] = []
  package var discover: [DiscoverySource] = []
  /// The checks of the file, in its order; names and ids are unique.
  package var checks: [MonitoringCheck] = []
  /// Windows of the section, then those of the checks.
  package var maintenance: [MaintenanceWindow] = []
  /// Paths of values that came from `${file:}` or `${cred:}` into keys that are not secret by themselves; the first
  /// two parts of a check's are `checks` and its id. Only `EffectiveConfig` looks at them.
  package var secretPaths: Set<[String]> = []
  /// Credentials that only the service can read, by the section that needs them. Empty in the service itself.
  package var unread: [String: UnreadCredentials] = [:]  // own text

  package init() {}
}

/// `agent`
package struct AgentSettings: Hashable, Sendable {
  package var name = ""
  package var region: String?
  /// Absolute, or relative to the working directory when the configuration's own path was.
  package var stateDir = "/var/lib/quartz-agent"

  package init() {}
}

/// `status`
package struct StatusSettings: Hashable, Sendable {
  /// `nil` without a status server.
  package var listen: ListenAddress?
  /// Unix socket for commands beside a TCP listener; `nil` when it is off.
  package var socket: ListenAddress?
  /// Token for running a check by hand. `nil` disables it.
  package var runNowToken: Redacted?
  /// Token for reading over TCP. `nil` for none.
  package var readToken: Redacted?
  /// Any client that reaches the port may read, from other machines too.
  package var allowUnauthenticated = false
  /// Names besides its addresses that the server answers to; lower case.
  package var hosts: [String] = []
  /// `nil` without a public page.
  package var publicFace: PublicSettings?

  package init() {}
}

/// `status.public`
package struct PublicSettings: Hashable, Sendable {
  /// Its own; nil: what it was given is no address.
  package var listen: ListenAddress?
  /// Title of the public page. By default `Status`, which does not give away the agent's name.
  package var title = "Status"
  /// In the order of the page's sections.
  package var groups: [PublicGroup] = []
  /// Names or ids of checks.
  package var checks: [String] = []
  package var hideTargets = true
  /// Of feeds, badges, and readers who ask for no language that there is.
  package var language = PublicLanguage.english
  /// How long before its begin a maintenance window is announced.
  package var announce: Duration = .seconds(7 * 86_400)
  /// Names of maintenance windows are shown.
  package var maintenanceNames = false
  /// File with a picture.
  package var logo: String?
  /// `#rrggbb`, of the light scheme and of the dark one.
  package var color: String?
  package var darkColor: String?
  package var links: [PublicLink] = []
  /// URL of the legal notice.
  package var imprint: String?
  package var footer: String?
  package var pages: [PublicPageSettings] = []

  package init() {}
}

/// A further public page, with a name and checks of its own.
package struct PublicPageSettings: Hashable, Sendable {
  /// Part of its address.
  package var name = ""
  package var title = ""
  package var groups: [PublicGroup] = []
  package var checks: [String] = []

  package init() {}
}

/// A section of the public page.
package struct PublicGroup: Hashable, Sendable {
  package var tag = ""
  /// `nil` where the tag says it.
  package var title: String?

  package init() {}
}

/// A link on the public page.
package struct PublicLink: Hashable, Sendable {
  package var title = ""
  package var url = ""

  package init() {}
}

/// `metrics`
package struct MetricsSettings: Hashable, Sendable {
  /// Tags that become labels.
  package var labels: [String] = []

  package init() {}
}

/// `probe`
package struct ProbeSettings: Hashable, Sendable {
  /// Trust in the targets that are asked for.
  package enum Trust: String, CaseIterable, Hashable, Sendable {
    /// As those of a check from the API.
    case stranger
    /// As those of a check of the file.
    case local
  }

  /// A file in the form of blackbox_exporter's.
  package var modules: String?
  package var trust = Trust.stranger
  /// Token that a client sends.
  package var token: Redacted?
  /// Networks that may use `/probe` without a token.
  package var allow: [EgressRule] = []

  package init() {}
}

/// `limits`
package struct LimitSettings: Hashable, Sendable {
  /// `nil` for what the descriptors allow, at most 2,000.
  package var inFlight: Int?
  /// To one host and port.
  package var inFlightPerHost = 8
  package var remoteChecks = 2000
  package var remoteIntervalMin: Duration = .seconds(10)
  /// Distinct destinations of checks from the API within a day.
  package var destinations = 500

  package init() {}
}

/// `defaults`: for the checks of the file; a check from the API has its own columns.
package struct CheckDefaults: Hashable, Sendable {
  package var interval: Duration = .seconds(60)
  package var timeout: Duration = .seconds(10)
  package var retries = 1
  package var retryDelay: Duration = .seconds(2)

  package init() {}
}

/// `spool`
package struct SpoolSettings: Hashable, Sendable {
  package enum Durability: String, CaseIterable, Hashable, Sendable {
    /// On disk before it counts as recorded.
    case always
    /// On disk within a second.
    case interval
  }

  /// Bytes.
  package var size = 256 * 1024 * 1024
  package var durability = Durability.always

  package init() {}
}
