// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension QuartzSettings: KeyedSettings {
  package static let keys: [Key<QuartzSettings>] = [
    Key(
      \.url, "url", .base(example: quartzExample), "Base of the API; https, or http to loopback; no query",
      required: "such as \(quartzExample)"),
    Key(
      \.apiKey, "api_key", .sentSecret,
      "The API's key; from a ${file:} it is read again when the API refuses it",
      required: "such as api_key: ${file:/run/secrets/api_key}"),
    Key(section: \.checks, "checks", "Checks from the API"),
    Key(section: \.deliver, "deliver", "Results to the API"),
    Key(section: \.supabase, "supabase", "The table interface, for deliver.to: supabase"),
    // Only supabase has a use for it.
    Key(
      \.updateResources, "update_resources", .flag,
      "With deliver.to: supabase, where the backend does not: write the status of resources, one request a change",
      shown: { $0.deliver.target == .supabase }),
  ]

  package init() { self.init(url: .unset, apiKey: Redacted("")) }
}

private let quartzExample = "https://PROJECT.example/functions/v1/public-api/v1"

extension PullSettings: KeyedSettings {
  package static let keys: [Key<PullSettings>] = [
    Key(\.pull, "pull", .flag, "Run the checks of the API"),
    // Without it the others have no effect, and the judge says so.
    Key(
      \.every, "every", .duration(SettingLimits.pullEvery), "Interval of fetching the list",
      shown: { $0.pull }),
    Key(section: \.only, "only", "Run only these", shown: { $0.pull && !$0.only.isEmpty }),
    Key(section: \.except, "except", "Leave these out", shown: { $0.pull && !$0.except.isEmpty }),
    Key(
      \.pingICMP, "ping_icmp", .flag, "Ping by ICMP instead of the TCP connection that the backend makes",
      shown: { $0.pull }),
    Key(
      \.readBody, "read_body", .flag,
      "Read the bodies of http checks to their end, so that one that breaks is down; the backend stops after the "
        + "headers", shown: { $0.pull }),
    Key(
      \.cacheCredentials, "cache_credentials", .flag,
      "Keep the checks' credentials, headers and urls' queries in the list on disk", shown: { $0.pull }),
  ]
}

extension CheckFilter: KeyedSettings {
  package static let keys: [Key<CheckFilter>] = [
    Key(\.resources, "resources", .list(.id), "Ids of resources"),
    Key(\.checks, "checks", .list(.id), "Ids of checks"),
    Key(
      \.types, "types",
      .list(.word(among: ["http", "keyword", "port", "ping", "ssl", "tcp", "tls"])),
      "Types of check in the API's words; tcp and tls: all that map onto these"),
  ]
}

extension DeliverSettings: KeyedSettings {
  package static let keys: [Key<DeliverSettings>] = [
    Key(\.target, "to", .choice, "Receiver of the results"),
    Key(\.batch, "batch", .integer(SettingLimits.batch), "Results in one request at most"),
    Key(
      \.every, "every", .duration(SettingLimits.deliverEvery),
      "Longest wait of a result for others, to fill a batch"),
    Key(\.messages, "messages", .flag, "Send each result's message, too"),
  ]
}

extension SupabaseSettings: KeyedSettings {
  package static let keys: [Key<SupabaseSettings>] = [
    Key(
      \.url, "url", .base(example: supabaseExample), "Base of the project; https, or http to loopback",
      required: "such as \(supabaseExample)"),
    Key(
      \.apiKey, "api_key", .sentSecret, "The project's public key", default: "required without service_key"),
    Key(\.email, "email", .text, "Account of a team member", default: "required without service_key"),
    Key(\.password, "password", .sentSecret, "Its password", default: "required without service_key"),
    Key(
      \.serviceKey, "service_key", .sentSecret,
      "Instead of an account; it bypasses every rule of the database, hence a warning"),
  ]

  package init() { self.init(url: .unset, apiKey: nil, login: .password(email: "", password: Redacted(""))) }
}

private let supabaseExample = "https://PROJECT.supabase.example"

// The ways to log in as the file writes them.
extension SupabaseSettings {
  private var account: (email: String, password: Redacted)? {
    if case .password(let email, let password) = login { (email, password) } else { nil }
  }

  fileprivate var email: String? {
    get { account?.email }
    set { login = .password(email: newValue ?? "", password: password ?? Redacted("")) }
  }

  fileprivate var password: Redacted? {
    get { account?.password }
    set { login = .password(email: email ?? "", password: newValue ?? Redacted("")) }
  }

  fileprivate var serviceKey: Redacted? {
    get { if case .serviceKey(let key) = login { key } else { nil } }
    set { if let newValue { login = .serviceKey(newValue) } }
  }
}
