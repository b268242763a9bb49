// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Channels and rules of each provider of Gatus, by the documentation of its alerting.
@Suite struct GatusChannelTests {
  private func read(_ providers: String, _ alerts: String, group: String = "") throws -> ReadSource {
    try ReadSource(
      .gatus,
      """
      alerting: {\(providers)}
      endpoints:
      - name: e
        group: "\(group)"
        url: https://a.example/
        conditions: ["[STATUS] == 200"]
        alerts: [\(alerts)]
      """)
  }

  /// Lines of the first channel without its name, and the secrets.
  private func channel(_ provider: String, _ settings: String) throws -> (keys: String, secrets: [String]) {
    let made = try read("\(provider): {\(settings)}", "{type: \(provider)}").imported
    guard let channel = made.sections.channels.first else {
      return ("none: \(made.checks.flatMap(\.notes).map(\.why).joined(separator: "; "))", [])
    }
    var yaml = AgentYAML(secrets: .environment)
    var alone = channel
    alone.name = "c"
    alone.notes = []
    let lines = yaml.render([alone], head: []).split(separator: "\n").dropFirst(2).map { $0.dropFirst(4) }
    return (lines.joined(separator: "\n"), yaml.values.map { $0.value.reveal() })
  }

  private static let flags = "\nrecovered: false\nupdates: false"
  private static let letters = "host: s.example, from: f@a.example, to: \"b@a.example, c@a.example\""
  private static func mail(_ server: String, _ tls: String, _ login: String = "") -> String {
    "mail:\n  server: \"\(server)\"\n  tls: \(tls)\n\(login)  from: \"f@a.example\"\n"
      + "  to: [\"b@a.example\", \"c@a.example\"]\(flags)"
  }
  private static func login(_ name: String) -> String {
    "  username: \(name)\n  password: \"${env:QUARTZ_C_PASSWORD}\"\n"
  }
  private static let post = "url: \"https://c.example/\", method: POST"
  private static let webhook = "webhook: \"${env:QUARTZ_C_WEBHOOK}\""

  private static let rows: [(provider: String, settings: String, keys: String, secrets: [String])] = [
    (
      "slack", "webhook-url: \"https://h.example/s\"", "\(webhook)\nformat: slack\(flags)",
      ["https://h.example/s"]
    ),
    (
      "discord", "webhook-url: \"https://h.example/d\"", "\(webhook)\nformat: discord\(flags)",
      ["https://h.example/d"]
    ),
    (
      "teams", "webhook-url: \"https://h.example/t\"", "\(webhook)\nformat: teams\(flags)",
      ["https://h.example/t"]
    ),
    (
      "teams-workflows", "webhook-url: \"https://h.example/w\"", "\(webhook)\nformat: teams\(flags)",
      ["https://h.example/w"]
    ),
    ("ntfy", "topic: t", "\(webhook)\nformat: ntfy\(flags)", ["https://ntfy.sh/t"]),
    (
      "ntfy", "topic: t, url: \"https://n.example/\", token: tk",
      "\(webhook)\nformat: ntfy\nheaders:\n  Authorization: \"${env:QUARTZ_C_AUTHORIZATION}\"\(flags)",
      ["https://n.example/t", "Bearer tk"]
    ),
    (
      "ntfy", "topic: t, url: \"https://n.example\"", "\(webhook)\nformat: ntfy\(flags)",
      ["https://n.example/t"]
    ),
    (
      "pagerduty", "integration-key: abc",
      "webhook: https://events.pagerduty.com/v2/enqueue\nformat: pagerduty\n"
        + "routing_key: \"${env:QUARTZ_C_ROUTING_KEY}\"\(flags)", ["abc"]
    ),
    ("email", letters, mail("s.example:587", "starttls"), []),
    ("email", "\(letters), port: 465", mail("s.example:465", "implicit"), []),
    ("email", "\(letters), port: 25", mail("s.example:25", "starttls"), []),
    ("email", "\(letters), username: u, password: pw", mail("s.example:587", "starttls", login("u")), ["pw"]),
    (
      "email", "\(letters), password: pw", mail("s.example:587", "starttls", login("\"f@a.example\"")), ["pw"]
    ),
    ("email", "\(letters), username: u, password: \"\"", mail("s.example:587", "starttls"), []),
    ("email", "\(letters), username: u", mail("s.example:587", "starttls"), []),
    (
      "email", letters.replacing("s.example", with: "\"2001:db8::1\""), mail("[2001:db8::1]:587", "starttls"),
      []
    ),
    (
      "custom", "url: \"https://c.example/\", method: put, headers: {X-A: b, X-Token: s}",
      "\(webhook)\nmethod: PUT\nheaders:\n  X-A: b\n  X-Token: \"${env:QUARTZ_C_X_TOKEN}\"\(flags)",
      ["https://c.example/", "s"]
    ),
    (
      "custom", "url: \"https://c.example/\", method: POST", "\(webhook)\nmethod: POST\(flags)",
      ["https://c.example/"]
    ),
    (
      "custom", "url: \"https://c.example/\", method: Patch", "\(webhook)\nmethod: PATCH\(flags)",
      ["https://c.example/"]
    ),
  ]

  @Test(arguments: GatusChannelTests.rows.indices) func ofEachProvider(_ index: Int) throws {
    let row = Self.rows[index]
    let made = try channel(row.provider, row.settings)
    #expect(made.keys == row.keys && made.secrets == row.secrets, "\(row.settings): \(made)")
  }

  /// What a provider needs is missing, or Gatus sends something that the agent does not.
  @Test(arguments: [
    ("slack", "title: x", "it has no webhook-url"), ("discord", "title: x", "it has no webhook-url"),
    ("teams", "title: x", "it has no webhook-url"), ("teams-workflows", "title: x", "it has no webhook-url"),
    ("ntfy", "url: \"https://n.example\"", "it has no topic"),
    ("pagerduty", "title: x", "it has no integration-key"),
    ("email", "from: f@a.example, to: b@a.example", "it lacks host, from or to"),
    ("email", "host: s.example, to: b@a.example", "it lacks host, from or to"),
    ("email", "host: s.example, from: f@a.example", "it lacks host, from or to"),
    ("custom", "method: POST", "it has no url"),
    ("custom", "url: \"https://c.example/\"", "a channel here sends POST, PUT or PATCH, not GET"),
    (
      "custom", "url: \"https://c.example/\", method: GET", "a channel here sends POST, PUT or PATCH, not GET"
    ),
    ("custom", "url: x, method: delete", "a channel here sends POST, PUT or PATCH, not DELETE"),
    ("custom", "\(post), body: x", "it has a body of its own, and a channel here sends the agent's JSON"),
    ("custom", "method: POST, url: \"[X]\"", "its URL has placeholders, which no channel here fills in"),
    ("telegram", "token: t, id: 1", "no channel here is of this kind: telegram"),
  ])
  func noChannel(provider: String, settings: String, why: String) throws {
    #expect(try channel(provider, settings).keys == "none: \(why)")
    let made = try read("\(provider): {\(settings)}", "{type: \(provider)}, {type: \(provider)}").imported
    #expect(made.leftOut.map(\.name) == ["\"alerting \(provider)\""] && made.leftOut.map(\.why) == [why])
    #expect(
      !(made.notes + made.checks.flatMap(\.notes)).contains { $0.why.contains("no alert of an endpoint") })
  }

  /// The way of an alert: what it says itself, else what its provider says for all.
  @Test(
    arguments: [
      ("", "", "3", "2", "false", "false"),
      ("", "failure-threshold: 1, success-threshold: 1", "1", nil, "false", "false"),
      ("failure-threshold: 5, success-threshold: 6", "", "5", "6", "false", "false"),
      ("failure-threshold: 5, success-threshold: 6", "failure-threshold: 7", "7", "6", "false", "false"),
      ("", "failure-threshold: 0, success-threshold: 0", "3", "2", "false", "false"),
      ("", "failure-threshold: -1, success-threshold: -1", "3", "2", "false", "false"),
      ("", "failure-threshold: 1000, success-threshold: 100", "1000", "100", "false", "false"),
      ("", "failure-threshold: 1001, success-threshold: 101", "1000", "100", "false", "false"),
      ("send-on-resolved: true", "", "3", "2", "true", "false"),
      ("send-on-resolved: true", "send-on-resolved: false", "3", "2", "false", "false"),
      ("", "send-on-resolved: true", "3", "2", "true", "false"),
      ("minimum-reminder-interval: 30m", "", "3", "2", "false", "true"),
      ("", "minimum-reminder-interval: 30m", "3", "2", "false", "true"),
      ("minimum-reminder-interval: 30m", "minimum-reminder-interval: 0s", "3", "2", "false", "true"),
      ("", "minimum-reminder-interval: 0s", "3", "2", "false", "false"),
      (
        "failure-threshold: 5, success-threshold: 6", "failure-threshold: 0, success-threshold: 0", "5", "6",
        "false",
        "false"
      ),
      ("enabled: false", "enabled: true", "3", "2", "false", "false"),
    ] as [(String, String, String, String?, String, String)])
  func ways(
    usual: String, own: String, failures: String, successes: String?, recovered: String, updates: String
  ) throws {
    let made = try read(
      "slack: {webhook-url: \"https://h.example/\", default-alert: {\(usual)}}",
      "{type: slack\(own.isEmpty ? "" : ", \(own)")}"
    ).imported.sections
    let rule = try #require(made.rules.first)
    #expect(rule["threshold"]?.word == failures && rule["recoveries"]?.word == successes)
    let channel = try #require(made.channels.first)
    #expect(channel["recovered"]?.word == recovered && channel["updates"]?.word == updates)
  }

  @Test(arguments: [("enabled: false", ""), ("", "enabled: false"), ("enabled: true", "enabled: false")])
  func alertsThatAreOff(usual: String, own: String) throws {
    let made = try read(
      "slack: {webhook-url: \"https://h.example/\", default-alert: {\(usual)}}",
      "{type: slack, failure-threshold: 1\(own.isEmpty ? "" : ", \(own)")}")
    #expect(made.imported.sections.channels.isEmpty && made.imported.sections.rules.isEmpty)
    #expect(made.reasonCounts["the alert is off"] == 1)
  }

  /// What an alert overrides comes first, then what its group does, then the provider's own.
  @Test func layers() throws {
    let provider =
      "slack: {webhook-url: \"https://h.example/all\", overrides: [{group: core, webhook-url: \"https://h.example/core\"}, "
      + "{group: core, webhook-url: \"https://h.example/second\"}, {group: empty, title: x}]}"
    let own = ", provider-override: {webhook-url: \"https://h.example/own\"}"
    func sent(_ alert: String, _ group: String) throws -> [String] {
      let made = try read(provider, "{type: slack\(alert)}", group: group)
      return made.imported.sections.channels.flatMap { channel -> [String] in
        if case .secret(let secret, _)? = channel["webhook"] {
          [channel.name, secret.reveal()]
        } else {
          [channel.name]
        }
      }
    }
    #expect(try sent("", "") == ["slack", "https://h.example/all"])
    #expect(try sent("", "other") == ["slack", "https://h.example/all"])
    #expect(try sent("", "core") == ["slack core", "https://h.example/core"])
    #expect(try sent("", "empty") == ["slack empty", "https://h.example/all"])
    #expect(try sent(own, "") == ["slack", "https://h.example/own"])
    #expect(try sent(own, "core") == ["slack core", "https://h.example/own"])
  }

  /// Alerts that are sent in the same way share a channel; a reminder or a recovery makes it another.
  @Test func channelsAreShared() throws {
    let override = "provider-override: {webhook-url: \"https://h.example/o\"}"
    let made = try read(
      "slack: {webhook-url: \"https://h.example/\"}",
      [
        "{type: slack}", "{type: slack, failure-threshold: 5}", "{type: slack, send-on-resolved: true}",
        "{type: slack, minimum-reminder-interval: 1h}", "{type: slack, \(override)}",
        "{type: slack, \(override)}",
      ].joined(separator: ", ")
    ).imported
    #expect(made.sections.channels.map(\.name) == ["slack", "slack (2)", "slack (3)", "slack (4)"])
    #expect(
      made.sections.rules.map(\.name) == [
        "slack after 3 until 2", "slack after 5 until 2", "slack (2) after 3 until 2",
        "slack (3) after 3 until 2",
        "slack (4) after 3 until 2",
      ])
    #expect(made.sections.rules.map(\.selected) == [[1], [1], [1], [1], [1, 1]])
    #expect(made.listed == 0)
  }

  /// Each setting without a counterpart says why; what changes the notification is named as a change.
  @Test func settingsWithoutACounterpart() throws {
    let made = try read(
      "ntfy: {topic: t, priority: 3, title: a, body: b, mentions: m, message-content: c, client: {insecure: true}, "
        + "disable-firebase: true, disable-cache: true, odd: x, default-alert: {description: d, odd: y}, "
        + "overrides: [{group: g, topic: u}]}, slack: {webhook-url: \"https://h.example/\"}",
      "{type: ntfy, description: own, odd: z}, {type: matrix, odd: w}")
    #expect(
      made.reasonCounts == [
        "a notification has the priority of its severity": 1,
        "a notification has the agent's own words": 4,
        "a channel has no client settings of its own": 3,
        "no channel made of it has the setting": 1,
        "a notification has the check's own words": 2,
        "no alert of an endpoint uses this default": 1,
        "no endpoint of the group has an alert, or the key is unknown here": 2,
        "no alert of an endpoint uses it": 1,
        "its provider is not configured, so Gatus sends nothing": 2,
        "the key is unknown here, so it has no effect": 1,
      ])
    let client = made.imported.notes.filter { $0.why.hasPrefix("a channel has no client") }
    #expect(client.allSatisfy { $0.change == .changed })
  }

  /// A provider may be written in several files, which Gatus merges.
  @Test func aProviderInTwoFiles() throws {
    let endpoints = """
      endpoints:
      - {name: e, url: "https://a.example", conditions: ["[STATUS] == 200"], alerts: [{type: slack}]}
      """
    let first =
      "alerting: {slack: {webhook-url: \"https://h.example/s\", overrides: [{group: a, webhook-url: x}]}}"
    let second =
      "alerting: {slack: {default-alert: {failure-threshold: 7}}, discord: {webhook-url: \"https://d.example\"}}"
    for files in [[first, "\(second)\n\(endpoints)"], [second, "\(first)\n\(endpoints)"]] {
      let made = try ReadSource(.gatus, files.enumerated().map { ("f\($0.offset)", $0.element) })
      #expect(made.imported.sections.channels.map(\.name) == ["slack"])
      #expect(made.imported.sections.rules.map { $0["threshold"]?.word } == ["7"])
      #expect(
        made.reasonCounts == [
          "no alert of an endpoint uses it": 1,
          "no endpoint of the group has an alert, or the key is unknown here": 2,
        ])
    }
  }

  /// Without a password Gatus sends the mail in the clear where the server has no STARTTLS.
  @Test(arguments: [("", true), (", port: 25", true), (", port: 465", false), (", password: pw", false)])
  func mailWithoutEncryption(more: String, isNoted: Bool) throws {
    let made = try read("email: {\(Self.letters)\(more)}", "{type: email}").imported.sections.channels
    let line =
      "changed: port: STARTTLS is required; Gatus sends without it where the server has none: write mail.tls: none then"
    #expect(made.map { $0.notes.map(\.line) } == [isNoted ? [line] : []])
  }

  /// Of a port that is a variable it is not known whether it is the one of implicit TLS.
  @Test func aPortThatIsAVariable() throws {
    let made = try read("email: {\(Self.letters), port: $PORT}", "{type: email}").imported.sections.channels
    #expect(made.first?["mail.tls"]?.word == "starttls")
    #expect(
      made.first?.notes.map(\.line) == [
        "changed: port: STARTTLS is used whatever the port is; write mail.tls: implicit for 465"
      ])
  }
}
