// SPDX-License-Identifier: MIT

/// A value for every key of agent.yaml that is not its default, and what else a configuration with it has to have.
enum KeySamples {
  /// Dotted paths as a flow map.
  static func flow(_ values: [String: String]) -> String {
    var nested: [String: [String: String]] = [:]
    var items: [String] = []
    for (path, value) in values.sorted(by: { $0.key < $1.key }) {
      let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
      if parts.count == 1 {
        items.append("\(path): \(value)")
      } else {
        nested[parts[0], default: [:]][parts[1]] = value
      }
    }
    return (items + nested.sorted { $0.key < $1.key }.map { "\($0.key): {\(flow($0.value))}" }).joined(
      separator: ", ")
  }

  /// A place that confirms.
  static let ownPlace = "group: {name: a, share: true, store: {etcd: [\"https://e.example:2379\"]}}\n"
  static let id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"

  static func groupBase(_ path: [String]) -> [String: String] {
    var base = [
      "group.name": "london", "group.store.etcd": "[\"https://e.example:2379\"]", "group.store.user": "a",
      "group.store.password": "x", "group.store.tls.client_certificate": "c.pem",
    ]
    guard path.last == "share" else { return base.merging(["group.share": "true"]) { $1 } }
    base.merge(quartzBase(["quartz"])) { $1 }
    base["quartz.checks.pull"] = "true"
    return base
  }

  static func quartzBase(_ path: [String]) -> [String: String] {
    var base = ["quartz.url": "\"https://q.example/v1\"", "quartz.api_key": "x"]
    if path.count > 2, path[1] == "checks", path[2] != "pull" { base["quartz.checks.pull"] = "true" }
    if path.dropFirst().first == "update_resources" || path.count > 2 && path[1] == "supabase" {
      base["quartz.deliver.to"] = "supabase"
      base["quartz.supabase.url"] = "\"https://s.example\""
      if path.last != "service_key" {
        base.merge([
          "quartz.supabase.api_key": "x", "quartz.supabase.email": "a", "quartz.supabase.password": "x",
        ]) { $1 }
      }
    }
    return base
  }

  static func alertsBase(_ path: [String]) -> [String: String] {
    let late = path.contains("escalate") ? ", {name: late, exec: [/bin/true]}" : ""
    var base = ["alerts.channels": "[{name: ops, exec: [/bin/true]}\(late)]"]
    if path.contains("quiet_hours") {
      (base["alerts.quiet_hours.from"], base["alerts.quiet_hours.to"]) = ("\"22:00\"", "\"07:00\"")
    }
    return base
  }

  static let settingValues: [String: String] = [
    "status.public.listen": "127.0.0.1:9899", "status.public.title": "Shop", "status.public.groups": "[web]",
    "status.public.checks": "[Shop front]", "status.public.hide_targets": "false",
    "status.public.language": "de", "status.public.announce": "2d",
    "status.public.maintenance_names": "true", "status.public.logo": "logo.svg",
    "status.public.color": "\"#0f766e\"", "status.public.color_dark": "\"#5eead4\"",
    "status.public.links": "[{title: Help, url: \"https://shop.example/help\"}]",
    "status.public.imprint": "\"https://shop.example/imprint\"", "status.public.footer": "Example Ltd",
    "status.public.pages": "[{name: shop, title: Shop, checks: [Shop front]}]",
    "heartbeat": "[{url: \"https://hc.example/ping\"}]",
    "discover": "[{dns: _h._tcp.example.com, extends: t}]",
    "groups": "[{name: G, checks: [{name: Z, type: ping, host: z}]}]",
    "alerts.channels": "[{name: other, exec: [/bin/false]}]",
    "alerts.rules": "[{type: state, state: degraded}]", "alerts.remind": "7h", "alerts.app": "fallback",
    "alerts.group_wait": "7s",
    "alerts.group_interval": "7s", "alerts.escalate": "[{after: 7m, to: [late]}]", "alerts.flap.opens": "7",
    "alerts.flap.within": "7m", "alerts.reports": "[{name: m, channels: [ops]}]", "alerts.flap.stable": "7m",
    "alerts.digest": "\"07:00\"",
    "alerts.timezone": "Europe/London", "alerts.page_url": "\"https://s.example/\"",
    "alerts.quiet_hours.from": "\"21:00\"", "alerts.quiet_hours.to": "\"06:00\"",
    "alerts.quiet_hours.days": "[sat]", "alerts.quiet_hours.timezone": "Europe/London",
    "alerts.quiet_hours.except": "high", "maintenance": "[{name: A, start: 2026-01-04T02:00, duration: 2h}]",
    "dependencies": "[{tags: [web], depends_on: [Shop front]}]",
    "agent.name": "other", "agent.region": "other", "agent.state_dir": "/other", "status.listen": "\"off\"",
    "status.socket": "\"off\"",
    "status.run_now_token": "0123456789abcdef", "status.read_token": "0123456789abcdef",
    "status.allow_unauthenticated": "true", "status.hosts": "[agent.example]", "metrics.labels": "[team]",
    "trace.on_failure": "false", "trace.slow_factor": "7", "trace.good_every": "7h", "trace.at_once": "7",
    "trace.every": "7m", "trace.api_checks": "true", "trace.networks": "n.csv", "trace.names": "false",
    "group.name": "paris", "group.store.etcd": "[\"https://f.example:2379\"]", "group.store.user": "b",
    "group.store.password": "y", "group.store.tls.ca_file": "ca.pem",
    "group.store.tls.client_certificate": "d.pem", "group.store.tls.client_key": "k.pem", "group.ttl": "20s",
    "group.url": "\"http://a.example:9797\"", "group.token": "fedcba9876543210",
    "group.weight": "7", "group.prefix": "/q/", "group.share": "true",
    "probe.modules": "b.yml", "probe.trust": "local", "probe.token": "fedcba9876543210",
    "probe.allow": "[127.0.0.1/32]",
    "limits.in_flight": "7", "limits.in_flight_per_host": "7", "limits.remote_checks": "7",
    "limits.remote_interval_min": "7s", "defaults.interval": "70s", "defaults.timeout": "7s",
    "defaults.retries": "7",
    "defaults.retry_delay": "7s", "canaries": "[Shop front]", "limits.destinations": "7",
    "egress.methods": "[GET]", "egress.proxy": "\"http://p.example:8080\", allow_names: [a.example]",
    "egress.allow_names": "[a.example], proxy: \"http://p.example:8080\"", "spool.size": "64MiB",
    "spool.durability": "interval",
    "egress.mode": "allowlist_only, allow: [10.0.0.0/8]",
    "egress.allow": "[10.0.0.0/8]", "egress.deny": "[10.0.0.0/8]", "egress.ports": "[7]",
    "quartz.url": "\"https://other.example\"", "quartz.api_key": "other", "quartz.checks.pull": "true",
    "quartz.checks.every": "7m", "quartz.checks.only.resources": "[\(id)]",
    "quartz.checks.only.checks": "[\(id)]",
    "quartz.checks.only.types": "[http]", "quartz.checks.except.resources": "[\(id)]",
    "quartz.checks.except.checks": "[\(id)]", "quartz.checks.except.types": "[http]",
    "quartz.checks.ping_icmp": "true", "quartz.checks.read_body": "true",
    "quartz.checks.cache_credentials": "true", "quartz.deliver.to": "\"off\"", "quartz.deliver.batch": "7",
    "quartz.deliver.every": "7s", "quartz.deliver.messages": "true",
    "quartz.supabase.url": "\"https://other.example\"",
    "quartz.supabase.api_key": "other", "quartz.supabase.email": "other", "quartz.supabase.password": "other",
    "quartz.supabase.service_key": "other", "quartz.update_resources": "true",
  ]

  static let checkBases: [String: [String: String]] = [
    "http": ["name": "A", "type": "http", "url": "\"https://a.example/\""],
    "tcp": ["name": "A", "type": "tcp", "host": "a", "port": "1"],
    "tls": ["name": "A", "type": "tls", "host": "a"],
    "dns": ["name": "A", "type": "dns", "query.name": "a"],
    "ping": ["name": "A", "type": "ping", "host": "a"],
    "heartbeat": ["name": "A", "type": "heartbeat", "token": "0123456789abcdef", "period": "1d"],
  ]

  /// What a key cannot be without.
  static let checkNeeds: [String: [String: String]] = [
    "heartbeat:timezone": ["cron": "\"0 3 * * *\""],
    "ping:port": ["method": "tcp", "port": "8"], "dns:addresses": ["server": "ns.example"],
    "dns:tls.ca_file": dot, "dns:tls.server_name": dot, "dns:tls.verify": dot, "dns:tls.min_version": dot,
    "dns:tls.max_version": dot, "dns:tls.both": dot, "dns:tls.client_certificate": dot,
    "dns:tls.client_key": dot.merging(["tls.client_certificate": "/c.pem"]) { $1 },
    "tcp:expect.certificate.strict": ["tls": "true"], "expect.body.bytes": ["expect.body.contains": "x"],
    "tcp:expect.certificate.warn": ["tls": "true"], "tcp:expect.certificate.fail": ["tls": "true"],
    "confirm.from": ["confirm.of": "[a, b]"], "confirm.of": ["confirm.of": "[a, b]"],
    "confirm.within": ["confirm.of": "[a, b]"],
    "body": ["method": "POST"],
    "auth.basic.username": ["auth.basic.username": "x", "auth.basic.password": "x"],
    "auth.basic.password": ["auth.basic.username": "x", "auth.basic.password": "x"],
    "auth.digest.username": ["auth.digest.username": "x", "auth.digest.password": "x"],
    "auth.digest.password": ["auth.digest.username": "x", "auth.digest.password": "x"],
    "auth.oauth2.token_url": oauth2, "auth.oauth2.client_id": oauth2, "auth.oauth2.client_secret": oauth2,
    "auth.oauth2.scopes": oauth2, "body_file": ["method": "POST"],
    "tls.client_key": ["tls.client_certificate": "/c.pem"],
  ]

  static let dot = ["transport": "dot", "server": "192.0.2.1"]

  static let oauth2 = [
    "auth.oauth2.token_url": "\"https://t.example/\"", "auth.oauth2.client_id": "x",
    "auth.oauth2.client_secret": "x",
  ]

  static let checkValues: [String: String] = [
    "maintenance": "[{start: 2026-01-04T02:00, duration: 2h}]", "confirm.from": "1", "confirm.of": "[a, c]",
    "confirm.within": "17s", "depends_on": "[\"tag:x\"]", "strict_downtime": "true", "trace": "false",
    "runbook": "\"https://wiki.test/a?b=1#c\"", "was": "Old shop", "name": "B", "id": id, "type": "-",
    "enabled": "false", "post": "true", "resource": id, "tags": "[x]", "interval": "70s", "timeout": "7s",
    "retries": "7", "retry_delay": "7s", "confirm_delay": "7s", "ip": "4", "url": "\"https://b.example/\"",
    "method": "PUT", "headers": "{X-A: b}", "body": "x", "auth.basic.username": "y",
    "auth.basic.password": "y", "auth.bearer": "y", "follow": "false", "max_redirects": "7",
    "allow_downgrade": "true", "max_body": "7KiB", "read_body": "false", "host": "b", "port": "7",
    "tls.ca_file": "/x.pem", "tls.server_name": "b", "tls.verify": "false", "server": "b", "query.name": "b",
    "query.type": "MX", "query.recursion": "false", "count": "7", "packet_interval": "70ms", "size": "7",
    "expect.status": "any", "expect.body.contains": "x", "expect.body.not_contains": "x",
    "expect.rcode": "NXDOMAIN", "expect.answers.any": "192.0.2.1", "expect.response_time.warn": "7ms",
    "expect.response_time.fail": "7ms", "expect.certificate.warn": "70d", "expect.certificate.fail": "7d",
    "expect.loss.warn": "7%", "expect.loss.fail": "7%", "expect.rtt.warn": "7ms", "expect.rtt.fail": "7ms",
    "interval_failing": "7s", "failure_threshold": "7", "addresses": "each", "resolver": "192.0.2.53",
    "source_address": "192.0.2.7", "negate": "true", "body_file": "body.json", "http_version": "\"1.0\"",
    "proxy": "\"http://p.example:8080\"", "decompress": "false", "auth.digest.username": "y",
    "auth.digest.password": "y", "auth.oauth2.token_url": "\"https://other.example/\"",
    "auth.oauth2.client_id": "y", "auth.oauth2.client_secret": "y", "auth.oauth2.scopes": "[y]",
    "starttls": "imap", "dialog": "imap", "tcp:tls": "true", "tls.min_version": "\"1.3\"",
    "tls.max_version": "\"1.2\"", "tls.client_certificate": "/other.pem", "tls.client_key": "/key.pem",
    "tls.both": "true",
    "transport": "tcp", "query.class": "CH", "query.dnssec": "true", "ping:method": "tcp, port: 8",
    "expect.header": "{X-A: b}", "expect.json": "{$.a: b}", "expect.final_url": "\"~ x\"",
    "expect.http_version": "\"2\"", "expect.body.matches": "x", "expect.body.not_matches": "x",
    "expect.body.bytes": "true", "expect.certificate.strict": "true", "expect.answers.all": "192.0.2.1",
    "expect.answers.exact": "192.0.2.1", "expect.answers.none": "192.0.2.1", "expect.count": "7",
    "expect.ttl": "\"> 7\"", "expect.authoritative": "true", "expect.serial_agreement": "true",
    "token": "fedcba9876543210", "period": "7h", "cron": "\"0 3 * * *\"", "timezone": "Europe/London",
    "grace": "7s", "max_run": "7s",
  ]
}
