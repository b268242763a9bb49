// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension Settings: KeyedSettings {
  package static let keys: [Key<Settings>] = [
    Key(section: \.agent, "agent", "Identity of this agent"),
    Key(section: \.status, "status", "The local status server"),
    Key(section: \.metrics, "metrics", "Settings of the metrics"),
    Key(
      section: \.probe, "probe",
      "Answers /probe?target=&module= of the status server as blackbox_exporter does, see "
        + "[probe.md](probe.md)"),
    Key(section: \.limits, "limits", "Limits on concurrent work and on checks from the API"),
    Key(
      section: \.defaults, "defaults",
      "Default values of a check: every key of a check, and below a type's name those of that type",
      table: .defaults),
    Key("templates", .templates, "Keys of checks by a name that checks extend", default: "none") { _, _ in },
    Key("groups", .list(.map(.group)), "Checks with tags and defaults in common", default: "[]") { _, _ in },
    Key(section: \.quartz, "quartz", "The Quartz API: checks from it, results to it"),
    Key(
      section: \.group, "group",
      "Agents that share their checks, with failover, see [groups.md](groups.md)"),
    Key(section: \.spool, "spool", "The store of results that wait for delivery"),
    Key(section: \.egress, "egress", "Addresses that probes may reach; the API can never widen it"),
    Key("maintenance", .list(.map(.maintenance)), "Maintenance windows") {
      $1.maintenance($0.maintenance)
    },
    Key(
      "include", .oneOrMore(.text),
      "Further files with checks, groups, templates, defaults of their own, maintenance, canaries and dependencies, such "
        + "as conf.d/*.yaml; relative to this file",
      default: "[]"
    ) { _, _ in },
    Key(
      "canaries", .list(.text),
      "Names of checks that show whether this machine's own uplink works", default: "[]"
    ) { settings, printer in
      if !settings.canaries.isEmpty { printer.texts("canaries", settings.canaries) }
    },
    Key(
      "dependencies", .list(.map(.dependency)), "Checks that cannot work while others are down",
      default: "[]"
    ) { $1.dependencies($0.dependencies) },
    Key(section: \.trace, "trace", "When the path to a target is traced, hop by hop"),
    Key(section: \.alerts, "alerts", "Alerting rules and notification channels"),
    Key(
      "heartbeat", .list(.map(.lifeSign)), "Dead man's switches: URLs requested while the agent is healthy",
      default: "[]"
    ) { $1.lifeSigns($0.lifeSigns) },
    Key(
      "discover", .list(.map(.discovery)), "Checks for targets from files, a URL, or SRV records",
      default: "[]"
    ) { _, _ in },
    Key("checks", .list(.check), "The checks") { $1.checks($0.checks) },
  ]
}

extension KeyTable {
  /// agent.yaml as a whole.
  static let root = KeyTable(Settings.keys, planned: ["otlp"])

  /// Keys of an included file: the lists of the main file, and the values that its checks have in common.
  static let included = KeyTable(
    keys: root.keys.filter {
      ["checks", "groups", "templates", "defaults", "maintenance", "canaries", "dependencies"].contains(
        $0.name)
    })

  /// Keys that belong to one check alone.
  private static let ownKeys: Set = ["name", "id", "was", "type", "extends", "hosts", "token"]

  /// Keys of a check that mean something else for each type.
  static let ambiguous: Set<ByteText> = {
    var seen: Set<ByteText> = []
    return Set(check.keys.map { ByteText($0.name) }.filter { !seen.insert($0).inserted })
  }()

  /// `defaults`: what every type may have, and a map for each type.
  static let defaults = KeyTable(
    keys: check.without(ownKeys).keys.filter { !ambiguous.contains(ByteText($0.name)) }
      + CheckType.allCases.map { type in
        KeyFacts(type.rawValue, .map(check(type).without(ownKeys)), "The same for checks of this type")
      })

  /// An entry of `groups`.
  static let group = KeyTable(keys: [
    KeyFacts("name", .text, "Its checks have the tag `group:` and this name; each only once", required: true),
    KeyFacts("tags", .list(.text), "Tags of all its checks, besides their own", default: "[]"),
    KeyFacts("defaults", .map(.defaults), "Default values of its checks", default: "none"),
    KeyFacts("checks", .list(.check), "Its checks", required: true),
  ])
}

extension AgentSettings: KeyedSettings {
  package static let keys: [Key<AgentSettings>] = [
    Key(
      \.name, "name", .shown,
      "Name of the agent, at most 100 bytes; in every result, and part of the schedule's phase",
      default: "the host's name"),
    Key(\.region, "region", .shown, "Location of the agent, such as eu-west; at most 100 bytes"),
    Key(\.stateDir, "state_dir", .directory, "Directory of the spool and the history; relative to this file"),
  ]
}

extension StatusSettings: KeyedSettings {
  package static let keys: [Key<StatusSettings>] = [
    Key(
      \.listen, "listen", .listen,
      "off, address:port, localhost:port, or unix:PATH of at most 107 bytes; port 0 lets the kernel choose",
      default: "unix:{state_dir}/agent.sock"),
    Key(
      "socket", .text,
      "Beside a listen on TCP: unix:PATH for commands, which need the rights of the file and no token; off",
      default: "unix:{state_dir}/agent.sock",
      read: { status, given, reader in
        guard let text = given.text, text != "off" else { return }
        guard text.hasPrefix("unix:") else {
          reader.problem(
            given.position, "status.socket must be off or unix:PATH, found \(given.found(text))",
            hint: "such as unix:/run/quartz-agent/agent.sock; an address belongs in status.listen")
          return
        }
        let path = reader.path(String(text.dropFirst(5)))
        judgeSocket(path, "status.socket", given.position, &reader)
        status.socket = .unix(path: path)
      },
      print: { status, printer in
        guard status.listen?.isSocket == false else { return }
        if let socket = status.socket {
          printer.text("socket", socket.description)
        } else {
          printer.word("socket", "off")
        }
      }),
    Key(
      \.runNowToken, "run_now_token", .token,
      "Token for run now and operator actions, also valid for reading; at least 10 characters",
      default: "disabled"),
    Key(
      \.readToken, "read_token", .token, "Token for reading over TCP; at least 10 characters",
      default: "no token needed"),
    Key(
      \.allowUnauthenticated, "allow_unauthenticated", .flag, "Serve other machines without read_token",
      shown: { $0.allowUnauthenticated }),
    Key(
      \.hosts, "hosts", .list(.ownName), "Further names that the server answers to, without a port",
      shown: { !$0.hosts.isEmpty }),
    Key(
      section: \.publicFace, "public",
      "A public page on an address of its own: some checks, their state, uptime and outages, nothing else"
    ),
  ]
}

extension PublicSettings: KeyedSettings {
  package static let keys: [Key<PublicSettings>] = [
    Key(
      \.listen, "listen", .listen, "address:port or unix:PATH; other than status.listen",
      required: "such as 0.0.0.0:8080"),
    Key(\.title, "title", .shown, "Heading of the page, and name of the feed"),
    Key(
      \.groups, "groups", .publicGroups,
      "Tags that make the page's sections, in this order; or maps of tag and title. Without a title the heading is what "
        + "follows the colon of the tag"),
    Key(\.checks, "checks", .list(.text), "Names or ids of checks that come before them"),
    Key(\.hideTargets, "hide_targets", .flag, "Do not show what the checks probe"),
    Key(
      \.language, "language", .choice,
      "Language of feeds and badges, and of readers whose browser asks for none of these"),
    Key(
      \.announce, "announce", .duration(SettingLimits.announce),
      "How long before its begin a maintenance window of a shown check is announced"),
    Key(
      \.maintenanceNames, "maintenance_names", .flag, "Show names of maintenance windows, too",
      shown: { $0.maintenanceNames }),
    Key(
      \.logo, "logo", .wholeFile,
      "PNG, JPEG, WebP or SVG of at most 64 KiB; read at start; relative to this file"),
    Key(\.color, "color", .color, "Colour of the band on top of the page, as #rrggbb"),
    Key(
      \.darkColor, "color_dark", .color, "The same in dark mode", default: "that of color"),
    Key(
      \.links, "links", .publicLinks, "Links at the end of the page, at most 10: maps of title and url",
      shown: { !$0.links.isEmpty }),
    Key(\.imprint, "imprint", .publicURL, "URL of the legal notice"),
    Key(\.footer, "footer", .footer, "One more paragraph at the end of the page, at most 500 bytes"),
    Key(
      \.pages, "pages", .publicPages,
      "Further pages at /NAME of the same address, at most 20, which look alike: maps of name, title, groups and checks",
      shown: { !$0.pages.isEmpty }),
  ]
}

extension PublicPageSettings: KeyedSettings {
  package static let keys: [Key<PublicPageSettings>] = [
    Key(
      \.name, "name", .pageName, "Its address is /NAME: lower case letters, digits and dashes",
      required: "such as shop"),
    Key(\.title, "title", .shown, "Heading of the page, and name of the feed", required: "such as Shop"),
    Key(\.groups, "groups", .publicGroups, "Sections of the page, as in status.public"),
    Key(\.checks, "checks", .list(.text), "Checks of the page, as in status.public"),
  ]
}

extension PublicGroup: KeyedSettings {
  package static let keys: [Key<PublicGroup>] = [
    Key(\.tag, "tag", .text, "A tag of checks", required: "name a tag of the checks"),
    Key(\.title, "title", .shown, "Heading of the section"),
  ]
}

extension PublicLink: KeyedSettings {
  package static let keys: [Key<PublicLink>] = [
    Key(\.title, "title", .shown, "Words of the link", required: "such as Help"),
    Key(\.url, "url", .publicURL, "Where it leads", required: "such as https://shop.example/help"),
  ]
}

extension MetricsSettings: KeyedSettings {
  package static let keys: [Key<MetricsSettings>] = [
    Key(
      \.labels, "labels", .list(.label),
      "Tags that become labels of every check's metrics, at most 8: team is team=\"shop\" for a check with the tag "
        + "team:shop or team=shop")
  ]
}

extension ProbeSettings: KeyedSettings {
  package static let keys: [Key<ProbeSettings>] = [
    Key(
      \.modules, "modules", .wholeFile,
      "File of modules in the form of blackbox.yml; read at start and at SIGHUP; relative to this file",
      default: "required"),
    Key(
      \.trust, "trust", .choice,
      "stranger: targets as those of checks from the API, public unless egress.allow opens more; local: as those of "
        + "this file"),
    Key(
      \.token, "token", .token, "Token for /probe; at least 10 characters", default: "none: see allow"),
    Key(
      \.allow, "allow", .list(.range, texts: \.texts), "Networks that may use /probe without the token",
      shown: { !$0.allow.isEmpty }),
  ]
}

extension LimitSettings: KeyedSettings {
  package static let keys: [Key<LimitSettings>] = [
    Key(
      \.inFlight, "in_flight", .automatic(SettingLimits.inFlight),
      "Probes at once; auto: as many as the descriptors allow (six a probe, for three name servers that are "
        + "silent; 304 kept for the rest, or half where there are few), at most 2000"),
    Key(
      \.inFlightPerHost, "in_flight_per_host", .integer(SettingLimits.perHost),
      "Probes at once to one host and port"),
    Key(
      \.remoteChecks, "remote_checks", .integer(SettingLimits.remoteChecks),
      "Checks accepted from the API at most"),
    Key(
      \.remoteIntervalMin, "remote_interval_min", .duration(SettingLimits.remoteInterval),
      "Shortest interval of a check from the API"),
    Key(
      \.destinations, "destinations", .integer(SettingLimits.destinations),
      "Distinct destinations of checks from the API in a day: a public host is one by its name, everything "
        + "else by its address; what goes beyond is refused and shown as a problem in status"),
  ]
}

extension CheckDefaults: KeyedSettings {
  package static let keys: [Key<CheckDefaults>] = [
    Key(\.interval, "interval", .duration(CheckLimits.interval), "From one probe to the next"),
    Key(\.timeout, "timeout", .duration(CheckLimits.timeout), "Of one whole attempt; at most the interval"),
    Key(\.retries, "retries", .integer(CheckLimits.retries), "Attempts after the first that failed"),
    Key(\.retryDelay, "retry_delay", .duration(CheckLimits.delay), "Between attempts"),
  ]
}

extension SpoolSettings: KeyedSettings {
  package static let keys: [Key<SpoolSettings>] = [
    Key(
      \.size, "size", .size(SettingLimits.spoolSize),
      "Space on disk, set aside at start where results are delivered"),
    Key(
      \.durability, "durability", .choice,
      "always: on disk before a result counts as recorded; interval: at most a second later"),
  ]
}

extension EgressSettings: KeyedSettings {
  package static let keys: [Key<EgressSettings>] = [
    Key(\.mode, "mode", .choice, "allowlist_only: nothing but what allow lists, for every check"),
    Key(\.allow, "allow", .list(.range, texts: \.texts), "Opened address ranges: CIDR, or CIDR:port"),
    Key(
      \.deny, "deny", .list(.range, texts: \.texts),
      "Closed address ranges; wins over allow, for every check"),
    Key(
      \.ports, "ports", .list(.port),
      "Ports that checks from the API may use; a dns check may use 53 as well"),
    Key(
      \.methods, "methods", .list(.httpMethod),
      "Methods that http checks from the API may use; a body is only sent where one other than GET and HEAD "
        + "is listed"),
    Key(
      \.proxy, "proxy", .proxy,
      "Proxy for http checks from the API, as in a check, to the names of allow_names"
    ),
    Key(
      \.allowNames, "allow_names", .list(.namePattern),
      "Names that go through proxy, which resolves them; *.NAME: all below it",
      shown: { !$0.allowNames.isEmpty }),
  ]

  package init() { self.init(mode: .default) }
}
