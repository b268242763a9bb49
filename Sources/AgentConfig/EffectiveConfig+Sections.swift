// SPDX-License-Identifier: MIT

import Monitoring

extension ConfigPrinter {
  mutating func sections(_ settings: Settings) {
    map("agent") { printer in
      printer.text("name", settings.agent.name)
      printer.text("region", settings.agent.region)
      printer.text("state_dir", settings.agent.stateDir)
    }
    map("status") { printer in
      printer.text("listen", settings.status.listen.text)
      printer.secret("run_now_token", settings.status.runNowToken)
      printer.secret("read_token", settings.status.readToken)
      if settings.status.allowUnauthenticated { printer.flag("allow_unauthenticated", true) }
      if !settings.status.hosts.isEmpty { printer.texts("hosts", settings.status.hosts) }
    }
    map("limits") { printer in
      printer.word("in_flight", settings.limits.inFlight.map(String.init) ?? "auto")
      printer.word("in_flight_per_host", String(settings.limits.inFlightPerHost))
      printer.word("remote_checks", String(settings.limits.remoteChecks))
      printer.word("remote_interval_min", settings.limits.remoteIntervalMin.text)
      printer.word("destinations", String(settings.limits.destinations))
    }
    map("defaults") { printer in
      printer.word("interval", settings.defaults.interval.text)
      printer.word("timeout", settings.defaults.timeout.text)
      printer.word("retries", String(settings.defaults.retries))
      printer.word("retry_delay", settings.defaults.retryDelay.text)
    }
    map("spool") { printer in
      printer.word("size", ByteSize.text(settings.spool.size))
      printer.word("durability", settings.spool.durability.rawValue)
    }
    map("egress") { printer in
      printer.word("mode", settings.egress.mode.rawValue)
      printer.texts("allow", settings.egress.allow.flatMap(\.texts))
      printer.texts("deny", settings.egress.deny.flatMap(\.texts))
      printer.word("ports", "[\(settings.egress.ports.map(String.init).joined(separator: ", "))]")
      printer.texts("methods", settings.egress.methods)
      printer.proxy(settings.egress.proxy)
      if !settings.egress.allowNames.isEmpty { printer.texts("allow_names", settings.egress.allowNames) }
    }
  }

  mutating func quartz(_ settings: QuartzSettings) {
    map("quartz") { printer in
      printer.url("url", settings.url)
      printer.secret("api_key", settings.apiKey)
      printer.map("checks") { $0.pull(settings.checks) }
      printer.map("deliver") { printer in
        printer.word("to", settings.deliver.target.rawValue)
        printer.word("batch", String(settings.deliver.batch))
        printer.word("every", settings.deliver.every.text)
        printer.flag("messages", settings.deliver.messages)
      }
      if let supabase = settings.supabase { printer.map("supabase") { $0.supabase(supabase) } }
      // Only supabase has a use for it.
      if settings.deliver.target == .supabase { printer.flag("update_resources", settings.updateResources) }
    }
  }

  private mutating func pull(_ settings: PullSettings) {
    flag("pull", settings.pull)
    // Without it these have no effect, and the loader says so.
    guard settings.pull else { return }
    word("every", settings.every.text)
    if !settings.only.isEmpty { map("only") { $0.filter(settings.only) } }
    if !settings.except.isEmpty { map("except") { $0.filter(settings.except) } }
    flag("ping_icmp", settings.pingICMP)
    flag("read_body", settings.readBody)
    flag("cache_credentials", settings.cacheCredentials)
  }

  private mutating func filter(_ filter: CheckFilter) {
    texts("resources", filter.resources.map(\.description))
    texts("checks", filter.checks.map(\.description))
    texts("types", filter.types)
  }

  private mutating func supabase(_ settings: SupabaseSettings) {
    url("url", settings.url)
    secret("api_key", settings.apiKey)
    switch settings.login {
    case .password(let email, let password):
      text("email", email)
      secret("password", password)
    case .serviceKey(let key): secret("service_key", key)
    }
  }

  /// Of an url with a secret in it, only what results show as well. What stands for the query is escaped, so that the
  /// whole is still an url.
  mutating func url(_ name: String, _ url: HTTPURL) {
    guard isSecret(name) else { return text(name, url.text, host: url.host) }
    let origin = "\(url.scheme.rawValue)://\(url.authority)"
    shown(
      name, origin + (url.path == "/" ? "/" : "/%3Credacted%3E") + (url.query == nil ? "" : "?%3Credacted%3E")
    )
  }
}

extension StatusSettings.Listen {
  /// As in the file.
  package var text: String {
    switch self {
    case .off: "off"
    case .tcp(let host, let port): Endpoint(host: host, port: port).description
    case .unix(let path): "unix:\(path)"
    }
  }
}
