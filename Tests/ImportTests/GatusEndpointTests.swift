// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Endpoints of Gatus beside their conditions: kinds, requests, clients, reports and maintenance.
@Suite struct GatusEndpointTests {
  private func read(_ url: String, _ more: String = "") throws -> ReadSource {
    try ReadSource(
      .gatus, "endpoints:\n- {name: e, url: \"\(url)\", conditions: [\"[CONNECTED] == true\"]\(more)}\n")
  }

  /// The keys without those that every endpoint of http has.
  private func keys(_ url: String, _ more: String = "") throws -> String {
    let start = "type: http\nurl: \(url)\nexpect:\n  status: any"
    let keys = try read(url, more).keys()
    return keys.hasPrefix(start) ? String(keys.dropFirst(start.count).drop { $0 == "\n" }) : keys
  }

  private static let page = "https://a.example/"

  @Test(
    arguments: [
      ("tcp://a.example:25", "", "type: tcp\nhost: a.example\nport: 25"),
      ("tcp://[2001:db8::1]:25", "", "type: tcp\nhost: \"2001:db8::1\"\nport: 25"),
      (
        "tls://a.example:443", "",
        "type: tls\nhost: a.example\nport: 443\nexpect:\n  certificate:\n    warn: 0d"
      ),
      (
        "starttls://a.example:587", "",
        "type: tls\nstarttls: smtp\nhost: a.example\nport: 587\nexpect:\n  certificate:\n    warn: 0d"
      ),
      ("icmp://a.example", "", "type: ping\nhost: a.example\ncount: 1"),
      ("ssh://a.example", "", "type: tcp\nhost: a.example\nport: 22\ndialog: ssh"),
      ("ssh://a.example:2222", "", "type: tcp\nhost: a.example\nport: 2222\ndialog: ssh"),
      (
        "192.0.2.53", ", dns: {query-name: a.example}",
        "type: dns\nserver: \"192.0.2.53\"\nquery:\n  name: a.example\n  type: A\nexpect:\n  rcode: ["
      ),
    ])
  func kinds(url: String, more: String, found: String) throws {
    let keys = try keys(url, more)
    #expect(found.hasSuffix("[") ? keys.hasPrefix(found) : keys == found, "\(keys)")
  }

  @Test(
    arguments: [
      ("tcp://a.example", "", "it has no port that is known before the start"),
      ("tls://a.example", "", "it has no port that is known before the start"),
      ("starttls://a.example:$P", "", "it has no port that is known before the start"),
      ("a.example", "", "the kind of check is in a variable of the environment, or no kind that is known"),
      (
        "$S://a.example", "",
        "the kind of check is in a variable of the environment, or no kind that is known"
      ),
      ("ws://a.example", "", "no check here speaks ws"), ("", "", "it has no url"),
      ("192.0.2.53", ", dns: {query-type: A}", "it asks for no name"),
      (page, ", method: $M", "its method is in a variable of the environment"),
      (
        page, ", method: POST, body: \"a [RANDOM_STRING_10]\"",
        "a body that is another one each time is not sent"
      ),
      (page, ", method: POST, body: \"[LOCAL_ADDRESS]\"", "a body that is another one each time is not sent"),
      (page, ", client: {tunnel: t}", "it is reached through an SSH tunnel"),
      (
        page, ", client: {identity-aware-proxy: {audience: a}}",
        "it needs a login of Google's Identity-Aware Proxy"
      ),
    ])
  func noCheck(url: String, more: String, why: String) throws {
    let made = try read(url, more)
    #expect(made.names == [] && made.imported.leftOut.map(\.why) == [why])
    #expect(made.imported.leftOut.map(\.name) == ["\"e\""] && made.imported.carried == 0)
  }

  @Test(
    arguments: [
      (", method: post, body: x", "method: POST\nbody: x"), (", body: x", "body: x\nmethod: GET"),
      (", method: get", "method: GET"),
      (", method: head, body: x", "method: HEAD"), (", method: trace, body: x", "method: TRACE"),
      (
        ", body: \"[ENDPOINT_NAME] [ENDPOINT_GROUP] [ENDPOINT_URL] [ENDPOINT_NAME]\", group: g",
        "body: \"e g https://a.example/ e\"\nmethod: GET"
      ),
      (
        ", method: POST, graphql: true, body: \"{ a }\"",
        "method: POST\nheaders:\n  Content-Type: application/json\nbody: \"{\\\"query\\\":\\\"{ a }\\\"}\""
      ),
      (
        ", method: POST, graphql: true, body: q, headers: {content-type: text/plain}",
        "method: POST\nheaders:\n  content-type: text/plain\nbody: \"{\\\"query\\\":\\\"q\\\"}\""
      ),
      (", method: POST, graphql: false, body: q", "method: POST\nbody: q"),
      (", client: {insecure: true}", "tls:\n  verify: false"), (", client: {insecure: false}", ""),
      (", client: {ignore-redirect: true}", "follow: false"), (", client: {ignore-redirect: false}", ""),
      (", client: {proxy-url: \"http://p.example:3128\"}", "proxy: http://p.example:3128"),
      (", client: {dns-resolver: \"udp://192.0.2.53:53\"}", "resolver: \"192.0.2.53\""),
      (", client: {dns-resolver: \"udp://192.0.2.53:5353\"}", "resolver: \"192.0.2.53:5353\""),
      (", client: {dns-resolver: \"tcp://192.0.2.53:53\"}", "resolver: \"192.0.2.53\""),
      (", client: {dns-resolver: \"tls://192.0.2.53:853\"}", ""), (", client: {network: ip4}", ""),
      (
        ", client: {oauth2: {token-url: \"https://t.example/\", client-id: i, client-secret: s, scopes: [a, b]}}",
        "auth:\n  oauth2:\n    token_url: https://t.example/\n    client_id: i\n"
          + "    client_secret: \"${env:QUARTZ_C_CLIENT_SECRET}\"\n    scopes: [a, b]"
      ),
      (
        ", client: {tls: {certificate-file: /a/c.pem, private-key-file: /a/k.pem}}",
        "tls:\n  client_certificate: \"/a/c.pem\"\n  client_key: \"/a/k.pem\""
      ),
      (", enabled: false", "enabled: false"), (", enabled: true", ""),
    ])
  func requests(more: String, found: String) throws {
    let keys = try keys(Self.page, more)
    #expect(keys == found, "\(more): \(keys)")
  }

  /// A setting of the client is that of the kinds which have it.
  @Test(
    arguments: [
      ("icmp://a.example", "network: ip4", "ip", "4"), ("icmp://a.example", "network: ip6", "ip", "6"),
      ("icmp://a.example", "network: ip", "ip", nil), ("tcp://a.example:1", "network: ip6", "ip", nil),
      ("tls://a.example:1", "insecure: true", "tls.verify", "false"),
      ("tcp://a.example:1", "insecure: true", "tls.verify", nil),
      ("tls://a.example:1", "ignore-redirect: true", "follow", nil),
      ("tls://a.example:1", "proxy-url: \"http://p.example\"", "proxy", nil),
      ("starttls://a.example:1", "dns-resolver: \"udp://192.0.2.53\"", "resolver", "192.0.2.53"),
      ("tcp://a.example:1", "timeout: 3s", "timeout", "3s"),
    ] as [(String, String, String, String?)])
  func clients(url: String, settings: String, key: String, value: String?) throws {
    let made = try read(url, ", client: {\(settings)}")
    #expect(made.imported.checks.first?[key]?.word == value && made.imported.listed == 0)
  }

  @Test(
    arguments: [
      ("tcp://192.0.2.53:53", "changed: client.dns-resolver: it is asked over UDP first"),
      (
        "tls://192.0.2.53:853",
        "changed: f:2: endpoints[0].client.dns-resolver: it is no resolver that is known"
      ),
      ("192.0.2.53", "changed: f:2: endpoints[0].client.dns-resolver: it is no resolver that is known"),
    ])
  func resolvers(text: String, line: String) throws {
    let made = try read(Self.page, ", client: {dns-resolver: \"\(text)\"}")
    #expect(made.imported.checks.first?.notes.map(\.line) == [line])
  }

  @Test func whatIsSaidOfARequest() throws {
    let made = try read(
      Self.page,
      ", method: head, body: x, graphql: true, client: {store-cookies: true}, ui: {hide-url: true}, odd: y, interval: 2m"
    )
    #expect(
      made.imported.checks.first?.notes.map { "\($0.change?.rawValue ?? ""): \($0.why)" } == [
        "changed: a HEAD request has no body here", "changed: a HEAD request has no body here",
        "changed: cookies are kept for one check only", ": how the page shows it",
        ": the key is unknown here, so it has no effect",
      ])
    #expect(
      made.imported.checks.first?["interval"]?.word == "2m"
        && made.imported.checks.first?["timeout"]?.word == "10s")
    let ssh = try read("ssh://a.example", ", ssh: {username: u, password: p}, body: x")
    #expect(
      ssh.imported.checks.first?.notes.map { "\($0.change?.rawValue ?? ""): \($0.why)" }
        == Array(repeating: "laxer: the greeting is read, and there is no login", count: 3))
  }

  /// Name, group and labels: a tag for each, a variable by its own name.
  @Test func names() throws {
    let made = try ReadSource(
      .gatus,
      """
      endpoints:
      - {url: "tcp://a.example:1"}
      - {name: e, group: $G, url: "tcp://a.example:1", extra-labels: {env: prod, place: "$P"}}
      """)
    #expect(made.names == ["unnamed", "G e"])
    #expect(
      made.imported.checks[0].tags == [] && made.imported.checks[1].tags == ["G", "env:prod", "place:P"])
  }

  /// The shortest interval between reports is that of agent.yaml.
  @Test(
    arguments: [
      ("heartbeat: {interval: 10s}, token: t", "10s"), ("heartbeat: {interval: 9999ms}, token: t", nil),
      ("heartbeat: {interval: 1h}, token: t", "1h"), ("heartbeat: {interval: 1h}", nil), ("token: t", nil),
      ("heartbeat: {interval: soon}, token: t", nil), ("heartbeat: {interval: 0s}, token: t", nil),
    ] as [(String, String?)])
  func reports(settings: String, period: String?) throws {
    let made = try ReadSource(.gatus, "external-endpoints: [{name: e, group: g, \(settings)}]\n")
    guard let period else {
      let why = "without heartbeat.interval it is not known when a report is overdue"
      #expect(made.names == [] && made.imported.leftOut.map(\.why) == [why])
      #expect(made.imported.leftOut.map(\.name) == ["\"g e\""] && made.imported.carried == 0)
      return
    }
    #expect(made.names == ["g e"])
    #expect(
      try made.keys() == "type: heartbeat\ntoken: \"${env:QUARTZ_C_TOKEN}\"\nperiod: \(period)\ngrace: 0s")
    #expect(
      made.imported.checks.first?.notes.map(\.line) == [
        "changed: token: jobs report to /hb/TOKEN of the agent, and a failure to /hb/TOKEN/fail"
      ])
  }

  private func windows(_ settings: String) throws -> [String] {
    try ReadSource(.gatus, "maintenance: {\(settings)}\nendpoints: []\n").imported.sections.windows.map {
      window in
      let words = ["start", "duration", "repeat", "timezone"].compactMap { window[$0]?.word }
      return "\(window.name): \(words.joined(separator: " "))"
    }
  }

  /// The first of January 2024 was a Monday.
  @Test func days() throws {
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    let made = try windows("start: \"23:00\", duration: 1h, every: [\(days.joined(separator: ", "))]")
    #expect(made == zip(days, 1...7).map { "Maintenance on \($0): 2024-01-0\($1)T23:00 1h weekly" })
  }

  @Test(
    arguments: [
      ("duration: 60s", ["Maintenance: 2024-01-01T23:00 1m daily"]), ("duration: 59s", []),
      ("duration: 24h", ["Maintenance: 2024-01-01T23:00 1d daily"]), ("duration: 24h1ms", []),
      ("enabled: true, duration: 1h", ["Maintenance: 2024-01-01T23:00 1h daily"]),
      ("enabled: false, duration: 1h", []),
      ("duration: 1h, timezone: Europe/Paris", ["Maintenance: 2024-01-01T23:00 1h daily Europe/Paris"]),
      ("duration: 1h, every: [Noday, Monday]", []),
      ("duration: 1h, every: []", ["Maintenance: 2024-01-01T23:00 1h daily"]),
    ] as [(String, [String])])
  func lengths(settings: String, made: [String]) throws {
    #expect(try windows("start: \"23:00\", \(settings)") == made)
    #expect(try windows("start: \"9:00\", \(settings)") == [])
  }

  /// A header that says who asks counts for Go, not the login of the address.
  @Test(arguments: ["user:pw", "user"]) func aLoginInTheAddress(login: String) throws {
    let made = try read("https://\(login)@a.example/", ", headers: {Authorization: \"Bearer zzz\"}")
    let check = try #require(made.imported.checks.first)
    #expect(check["auth"] == nil && check["url"]?.word == Self.page)
    #expect(made.secrets.map { $0.value.reveal() } == ["Bearer zzz"])
    #expect(
      check.notes.map(\.line) == [
        "not carried: url: the header Authorization is sent, and no login in the URL"
      ])
    #expect(made.problems == [])
  }
}
