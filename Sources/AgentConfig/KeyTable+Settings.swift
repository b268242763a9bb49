// SPDX-License-Identifier: MIT

import Monitoring

/// Bounds of the settings that are not a check's.
enum SettingLimits {
  static let inFlight = 1...100_000
  static let perHost = 1...10_000
  static let remoteChecks = 1...100_000
  static let destinations = 1...100_000
  static let remoteInterval: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)
  static let spoolSize = 16 * 1024 * 1024...1024 * 1024 * 1024 * 1024
  static let pullEvery: ClosedRange<Duration> = .seconds(60) ... .seconds(86_400)
  static let deliverEvery: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
  static let batch = 1...1000
  /// Bytes of UTF-8 of a name that travels with every result.
  static let nameBytes = 100
}

extension KeyTable {
  /// agent.yaml as a whole.
  static let root = KeyTable(
    keys: [
      Key("agent", .map(agent), "Who this agent is"),
      Key("status", .map(status), "The local status server"),
      Key("limits", .map(limits), "How much may happen at once"),
      Key("defaults", .map(defaults), "What a check of this file has when it says nothing"),
      Key("quartz", .map(quartz), "The Quartz API: checks from it, results to it"),
      Key("spool", .map(spool), "The store of results that wait for delivery"),
      Key("egress", .map(egress), "Where probes may go; the API can never widen it"),
      Key("maintenance", .list(.map(maintenance)), "Windows in which somebody works on the targets"),
      Key(
        "include", .oneOrMore(.text),
        "Further files with checks, maintenance and canaries, such as conf.d/*.yaml; relative to this file",
        default: "[]"),
      Key(
        "canaries", .list(.text),
        "Names of checks that tell whether this machine's own uplink works", default: "[]"),
      Key("checks", .list(.check), "What is probed"),
    ],
    planned: ["alerts", "otlp"])

  /// What an included file may hold: the lists of the main file.
  static let included = KeyTable(
    keys: root.keys.filter { ["checks", "maintenance", "canaries"].contains($0.name) })

  static let agent = KeyTable(keys: [
    Key("name", .text, "Name of the agent in results", default: "the host's name"),
    Key("region", .text, "Where it stands, such as eu-west"),
    Key(
      "state_dir", .text, "Directory of the spool and the history; relative to this file",
      default: "/var/lib/quartz-agent"),
  ])

  static let status = KeyTable(
    keys: [
      Key(
        "listen", .text, "off, address:port, or unix:PATH; port 0 lets the kernel choose",
        default: "unix:{state_dir}/agent.sock"),
      Key(
        "run_now_token", .secret,
        "What a client must show to run a check by hand; at least 10 characters", default: "nobody may"),
      Key(
        "read_token", .secret,
        "What a client must show to read over TCP; at least 10 characters", default: "whoever reaches it may"),
      Key(
        "allow_unauthenticated", .flag, "Listen to other machines without read_token", default: "false"),
      Key("hosts", .list(.text), "Further names that the server answers to, without a port", default: "[]"),
    ])

  static let limits = KeyTable(
    keys: [
      Key(
        "in_flight", .automatic(SettingLimits.inFlight),
        "Probes at once; auto: what the descriptors allow, at most 2000",
        default: "auto"),
      Key(
        "in_flight_per_host", .integer(SettingLimits.perHost), "Probes at once to one host and port",
        default: "8"),
      Key(
        "remote_checks", .integer(SettingLimits.remoteChecks), "Checks accepted from the API at most",
        default: "2000"),
      Key(
        "remote_interval_min", .duration(SettingLimits.remoteInterval),
        "Shortest interval of a check from the API",
        default: "10s"),
      Key(
        "destinations", .integer(SettingLimits.destinations),
        "Distinct destinations of checks from the API in a day", default: "500"),
    ])

  static let defaults = KeyTable(keys: [
    Key("interval", .duration(CheckLimits.interval), "From one probe to the next", default: "60s"),
    Key(
      "timeout", .duration(CheckLimits.timeout), "Of one whole attempt; at most the interval", default: "10s"),
    Key("retries", .integer(CheckLimits.retries), "Attempts after the first that failed", default: "1"),
    Key("retry_delay", .duration(CheckLimits.delay), "Between attempts", default: "2s"),
  ])

  static let spool = KeyTable(keys: [
    Key("size", .size(SettingLimits.spoolSize), "Space on disk, set aside at start", default: "256MiB"),
    Key(
      "durability", .choice(SpoolSettings.Durability.allCases.map(\.rawValue)),
      "always: on disk before it counts as recorded; interval: at most a second later", default: "always"),
  ])

  static let egress = KeyTable(
    keys: [
      Key(
        "mode", .choice(EgressSettings.Mode.allCases.map(\.rawValue)),
        "allowlist_only: nothing but what allow lists, for every check", default: "default"),
      Key("allow", .list(.text), "Opened address ranges: CIDR, or CIDR:port", default: "[]"),
      Key("deny", .list(.text), "Closed address ranges; wins over allow", default: "[]"),
      Key(
        "ports", .list(.integer(CheckLimits.port)), "Ports that checks from the API may use",
        default: "[80, 443, 8080, 8443]"),
      Key(
        "methods", .list(.text), "Methods that http checks from the API may use", default: "[GET, HEAD]"),
      Key(
        "proxy", .hidden, "Proxy for http checks from the API, as in a check, to the names of allow_names"),
      Key("allow_names", .list(.text), "Names that go through proxy; *.NAME: all below it", default: "[]"),
    ])
}

extension KeyTable {
  static let quartz = KeyTable(
    keys: [
      Key("url", .text, "Base of the API; https, or http to loopback", required: true),
      Key("api_key", .secret, "The API's key", required: true),
      Key("checks", .map(pull), "Checks from the API"),
      Key("deliver", .map(deliver), "Results to the API"),
      Key("supabase", .map(supabase), "The table interface, for deliver.to: supabase"),
      Key(
        "update_resources", .flag, "Write the status of resources, with deliver.to: supabase",
        default: "false"),
    ])

  static let pull = KeyTable(keys: [
    Key("pull", .flag, "Run the checks of the API", default: "false"),
    Key("every", .duration(SettingLimits.pullEvery), "Between two looks at the list", default: "10m"),
    Key("only", .map(filter), "Run no others"),
    Key("except", .map(filter), "Leave these out"),
    Key("ping_icmp", .flag, "Ping by ICMP instead of a TCP connection", default: "false"),
    Key("read_body", .flag, "Read the bodies of http checks to their end", default: "false"),
    Key("cache_credentials", .flag, "Keep the checks' credentials in the list on disk", default: "false"),
  ])

  static let filter = KeyTable(keys: [
    Key("resources", .list(.text), "Ids of resources", default: "[]"),
    Key("checks", .list(.text), "Ids of checks", default: "[]"),
    Key("types", .list(.choice(filterTypes)), "Kinds of check", default: "[]"),
  ])

  static let filterTypes = ["http", "keyword", "port", "ping", "ssl", "tcp", "tls"]

  static let deliver = KeyTable(keys: [
    Key(
      "to", .choice(DeliverSettings.Target.allCases.map(\.rawValue)), "Which way results are sent",
      default: "quartz"),
    Key("batch", .integer(SettingLimits.batch), "Results in one request at most", default: "500"),
    Key(
      "every", .duration(SettingLimits.deliverEvery), "How long a result waits for company", default: "15s"),
    Key("messages", .flag, "Send each result's message too", default: "false"),
  ])

  static let supabase = KeyTable(keys: [
    Key("url", .text, "Base of the project; https, or http to loopback", required: true),
    Key("api_key", .secret, "The project's public key"),
    Key("email", .text, "Account of a team member"),
    Key("password", .secret, "Its password"),
    Key("service_key", .secret, "Instead of an account; it bypasses every rule of the database"),
  ])
}
