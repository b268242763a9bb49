// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Notifications of Kuma at their edges: settings that are missing or that have no counterpart, reminders, groups and limits.
@Suite struct KumaChannelTests {
  private func read(_ monitors: [String], _ settings: [String]) throws -> Imported {
    let list = settings.enumerated().map {
      "{\"id\":\($0.offset + 1),\"name\":\"n\",\"config\":\(JSONValue.string($0.element).text)}"
    }
    let text =
      "{\"monitorList\":[\(monitors.joined(separator: ","))],\"notificationList\":[\(list.joined(separator: ","))]}"
    return try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
  }

  private func monitor(_ id: Int, _ more: String = "", ids: [Int] = [1]) -> String {
    "{\"id\":\(id),\"name\":\"m\(id)\",\"type\":\"port\",\"hostname\":\"a.example\",\"port\":1\(more),"
      + "\"notificationIDList\":{\(ids.map { "\"\($0)\":true" }.joined(separator: ","))}}"
  }

  private static let slack = #"{"type":"slack","slackwebhookURL":"https://s.example"}"#

  @Test(arguments: [
    (#"{"type":"slack"}"#, "it has no address"), (#"{"type":"discord"}"#, "it has no address"),
    (#"{"type":"teams","webhookUrl":""}"#, "it has no address"),
    (#"{"type":"webhook"}"#, "it has no address"),
    (
      #"{"type":"discord","discordWebhookUrl":"https://d.example","discordChannelType":"createNewForumPost"}"#,
      "forum posts are not written"
    ),
    (#"{"type":"ntfy"}"#, "it has no topic"), (#"{"type":"PagerDuty"}"#, "it has no key"),
    (#"{"type":"smtp","smtpFrom":"a@b","smtpTo":"c@d"}"#, "it has no server, sender or recipient"),
    (#"{"type":"smtp","smtpHost":"h","smtpTo":"c@d"}"#, "it has no server, sender or recipient"),
    (#"{"type":"smtp","smtpHost":"h","smtpFrom":"a@b"}"#, "it has no server, sender or recipient"),
    (#"{"type":"gotify"}"#, "no channel here is of this kind: gotify"),
    ("{}", "no channel here is of this kind: "),
    ("no JSON", "its settings are not in the file"), ("[1]", "its settings are not in the file"),
  ])
  func noChannel(settings: String, why: String) throws {
    let made = try read([monitor(1)], [settings])
    #expect(made.sections.channels.isEmpty && made.sections.rules.isEmpty)
    #expect(made.leftOut.map(\.why) == [why] && made.leftOut.map(\.name) == ["\"notification n\""])
  }

  private func channel(_ settings: String) throws -> (keys: String, secrets: [String], notes: [String]) {
    var channel = try #require(try read([monitor(1)], [settings]).sections.channels.first)
    let notes = channel.notes.map(\.line)
    channel.notes = []
    var yaml = AgentYAML(secrets: .environment)
    let lines = yaml.render([channel], head: []).split(separator: "\n").dropFirst(2).map { $0.dropFirst(4) }
    return (lines.joined(separator: "\n"), yaml.values.map { $0.value.reveal() }, notes)
  }

  @Test func ownAddressesHeadersAndLogins() throws {
    let pager = try channel(
      #"{"type":"PagerDuty","pagerdutyIntegrationKey":"k","pagerdutyIntegrationUrl":"https://eu.example/q"}"#)
    #expect(pager.keys.hasPrefix("webhook: https://eu.example/q\nformat: pagerduty\n"))
    let hook = try channel(
      #"{"type":"webhook","webhookURL":"https://w.example","webhookAdditionalHeaders":"{\"X-A\":\"b\",\"X-N\":5,\"X-Key\":\"s\"}"}"#
    )
    #expect(
      hook.keys == """
        webhook: "${env:QUARTZ_N_WEBHOOK}"
        headers:
          X-A: b
          X-N: "5"
          X-Key: s
        updates: false
        """)
    #expect(hook.secrets == ["https://w.example"])
    #expect(hook.notes == ["changed: config: the receiver gets the agent's own JSON"])
    let mail = try channel(
      #"{"type":"smtp","smtpHost":"2001:db8::1","smtpFrom":"<k@a.example>","smtpTo":"a@b.example","smtpUsername":"u"}"#
    )
    #expect(
      mail.keys == """
        mail:
          server: "[2001:db8::1]:587"
          tls: starttls
          username: u
          password: ""
          from: "k@a.example"
          to: ["a@b.example"]
        updates: false
        """)
    let starttls =
      "changed: config: STARTTLS is required; Kuma sends without it where the server has none: write mail.tls: none then"
    #expect(mail.notes == [starttls])
    for setting in [#""smtpSecure":true"#, #""smtpIgnoreSTARTTLS":true"#] {
      let other = try channel(
        #"{"type":"smtp","smtpHost":"m.example","smtpFrom":"k@a.example","smtpTo":"a@b.example",\#(setting)}"#
      )
      #expect(other.notes == [], "\(setting)")
    }
    let user = try channel(
      #"{"type":"ntfy","ntfytopic":"x","ntfyAuthenticationMethod":"usernamePassword","ntfyusername":"u"}"#)
    #expect(user.secrets == ["https://ntfy.sh/x", "Basic dTo="])
    let off = try channel(
      #"{"type":"ntfy","ntfytopic":"x","ntfyAuthenticationMethod":"none","ntfyaccesstoken":"t"}"#)
    #expect(off.secrets == ["https://ntfy.sh/x"] && off.notes == [])
  }

  /// What says something and was not taken is named, its value never.
  @Test func settingsWithoutACounterpart() throws {
    let made = try channel(
      #"{"name":"x","isDefault":true,"applyExisting":true,"type":"slack","slackwebhookURL":"https://s.example","#
        + #""odd":"s3cr3t","empty":"","zero":0,"off":false,"list":[],"map":{},"nothing":null,"on":true}"#)
    #expect(made.notes == ["changed: config: without counterpart: odd, on"])
  }

  /// All channels remind as often as the most impatient monitor; where they differ, each says so.
  @Test func reminders() throws {
    let same = try read(
      [monitor(1, ",\"resendInterval\":2"), monitor(2, ",\"resendInterval\":2")], [Self.slack])
    #expect(same.sections.remind == 120_000 && same.sections.channels.flatMap(\.notes) == [])
    let made = try read(
      [
        monitor(1, ",\"resendInterval\":5"), monitor(2, ",\"resendInterval\":2", ids: [2]),
        monitor(3, ids: [3]),
      ],
      [Self.slack, Self.slack, Self.slack])
    #expect(made.sections.remind == 120_000)
    #expect(made.sections.channels.map(\.name) == ["n", "n (2)", "n (3)"])
    #expect(made.sections.channels.map { $0["updates"]?.word } == ["true", "true", "false"])
    let line = "changed: resend_interval: all channels remind as often: 2m"
    #expect(made.sections.channels.map { $0.notes.map(\.line) } == [[line], [line], []])
  }

  /// A monitor that resends has a channel of its own: the others of the notification are notified once, as are certificates.
  @Test func remindersOfSomeMonitors() throws {
    let made = try read(
      [monitor(1), monitor(2, ",\"interval\":20,\"resendInterval\":1"), monitor(3)], [Self.slack])
    #expect(made.sections.channels.map(\.name) == ["n", "n with reminders"])
    #expect(made.sections.channels.map { $0["updates"]?.word } == ["false", "true"])
    #expect(made.sections.rules.map(\.name) == ["n", "n with reminders"])
    #expect(made.sections.rules.map(\.selected) == [[1, 3], [2]])
    #expect(made.sections.reminders == [2: 60_000] && made.sections.channels.flatMap(\.notes) == [])
    let lines = made.checks.map { $0.notes.filter { $0.place == "resend_interval" }.map(\.line) }
    #expect(lines == [[], ["changed: resend_interval: 20s is made 1m, the least there is"], []])
    let page =
      "{\"id\":1,\"name\":\"m\",\"type\":\"http\",\"url\":\"https://a.example/\",\"expiryNotification\":true,"
      + "\"resendInterval\":2,\"notificationIDList\":{\"1\":true}}"
    let pages = try read([page], [Self.slack]).sections
    #expect(
      pages.channels.map { "\($0.name) \($0["updates"]?.word ?? "")" } == [
        "n false", "n with reminders true",
      ])
    #expect(pages.rules.map(\.name) == ["n with reminders", "n certificates"])
    let channels = pages.rules.map { rule -> [String?] in
      guard case .list(let names)? = rule["channels"] else { return [] }
      return names.map(\.word)
    }
    #expect(channels == [["n with reminders"], ["n"]])
  }

  /// A monitor whose certificate is judged has a rule for it with each of its notifications.
  @Test func certificates() throws {
    let page = { (id: Int, warns: Bool, ids: String) in
      "{\"id\":\(id),\"name\":\"m\(id)\",\"type\":\"http\",\"url\":\"https://a.example/\",\"expiryNotification\":\(warns),"
        + "\"notificationIDList\":{\(ids)}}"
    }
    let made = try read(
      [
        page(1, true, "\"1\":true,\"2\":true"), page(2, false, "\"1\":true"),
        page(3, true, "\"2\":true,\"1\":false"),
      ],
      [Self.slack, Self.slack])
    let rules = made.sections.rules
    #expect(rules.map(\.name) == ["n", "n (2)", "n certificates", "n (2) certificates"])
    #expect(rules.map(\.selected) == [[1, 2], [1, 3], [1], [1, 3]])
    #expect(rules.map { $0["severity"]?.word } == [nil, nil, "medium", "medium"])
  }

  /// Of a monitor 64 notifications count, and of the groups above it 20.
  @Test func limits() throws {
    let ids = Array(1...66)
    let made = try read([monitor(1, ids: ids)], ids.map { _ in Self.slack })
    #expect(made.sections.rules.count == 64 && made.sections.channels.count == 64)
    let groups = (2...23).map { "{\"id\":\($0),\"name\":\"g\($0)\",\"type\":\"group\",\"parent\":\($0 + 1)}" }
    let nested = try read([monitor(1, ",\"parent\":2")] + groups, [])
    #expect(nested.checks.map(\.tags) == [(2...21).map { "g\($0)" }])
  }
}
