// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Rules, channels and times of `alerts` by their tables.
@Suite struct AlertTableTests {
  private func webhook(_ format: WebhookChannel.Format, _ url: String = "https://h.example/T0/B0") throws
    -> AlertChannel
  {
    AlertChannel(name: "hook", kind: .webhook(WebhookChannel(url: try HTTPURL(url), format: format)))
  }

  private func mail(_ recipients: [String]) -> AlertChannel {
    let settings = MailChannel(
      server: Endpoint(host: "mx.example", port: 25), security: .none, sender: "a@x.example",
      recipients: recipients)
    return AlertChannel(name: "mail", kind: .mail(settings))
  }

  private func exec(_ command: [String]) -> AlertChannel {
    AlertChannel(name: "exec", kind: .exec(ExecChannel(command: command)))
  }

  @Test func severitiesInOrder() {
    let words = ["low", "medium", "high", "critical"]
    #expect(AlertSeverity.allCases.map(\.rawValue) == words)
    #expect(AlertSeverity.allCases.shuffled().sorted().map(\.rawValue) == words)
    #expect(!(AlertSeverity.high < .high) && AlertSeverity.medium < .high && AlertSeverity.critical > .high)
  }

  /// Type, subject and word of each kind of rule.
  @Test func kindsOfRules() {
    let rows: [(AlertRule.Kind, AlertRuleType, AlertSubject, String)] = [
      (
        .consecutiveFailures(threshold: 1, recoveries: 1), .consecutiveFailures, .availability,
        "consecutive_failures"
      ),
      (.state(.degraded, for: .zero), .state, .availability, "state"),
      (
        .responseTime(above: .zero, percentile: nil, window: .zero), .responseTime, .performance,
        "response_time"
      ),
      (.certificateExpiry(before: []), .certificateExpiry, .certificate, "certificate_expiry"),
      (.downtime(above: .zero, window: .week), .downtime, .budget, "downtime"),
      (.burnRate(objective: 99), .burnRate, .budget, "burn_rate"),
      (.agent(for: .zero), .agent, .agent, "agent"),
    ]
    for (kind, type, subject, word) in rows {
      #expect(kind.word == type && kind.subject == subject && type.rawValue == word)
    }
    #expect(rows.count == AlertRuleType.allCases.count)
  }

  /// The rules where none is configured.
  @Test func usualRules() {
    let rules = AlertRule.defaults
    #expect(rules.map(\.name) == ["down", "certificate", "agent"])
    #expect(rules.map(\.severity) == [.high, .low, .high])
    #expect(rules[0].kind == .consecutiveFailures(threshold: nil, recoveries: 1))
    let steps = [21, 7, 1].map { Duration.seconds($0 * 86_400) }
    #expect(rules[1].kind == .certificateExpiry(before: steps))
    #expect(rules[2].kind == .agent(for: .seconds(300)))
    #expect(rules.allSatisfy { $0.channels.isEmpty && $0.selection.isEverything })
    #expect(AlertSettings().rules == rules && AlertSettings.none.rules == [])
  }

  @Test func usualTimes() {
    let settings = AlertSettings()
    #expect(settings.remind == .seconds(14_400) && settings.groupWait == .seconds(15))
    #expect(settings.groupInterval == .seconds(60) && settings.escalate == [] && settings.app == .always)
    #expect(settings.flap.opens == 3 && settings.flap.within == .seconds(900))
    #expect(settings.flap.stable == .seconds(300) && AppAlerting.patience == .seconds(90))
    #expect(AlertSettings.remind == .seconds(60) ... .seconds(604_800))
    #expect(AlertSettings.groupWait == .zero ... .seconds(600))
    #expect(AlertSettings.groupInterval == .seconds(1) ... .seconds(3600))
    #expect(Escalation.after == .seconds(60) ... .seconds(604_800) && Escalation.limit == 8)
    #expect(FlapSettings.opens == 2...20 && FlapSettings.within == .seconds(60) ... .seconds(86_400))
    #expect(FlapSettings.stable == .seconds(10) ... .seconds(86_400))
    #expect(AlertChannel.timeout == .seconds(1) ... .seconds(60) && AlertChannel.limit == 32)
    #expect(AlertRule.limit == 64 && LifeSign.limit == 8 && DependencyRule.limit == 256)
    #expect(AlertLimits.threshold == 1...1000 && AlertLimits.recoveries == 1...100)
    #expect(AlertLimits.lasting == .zero ... .seconds(604_800) && AlertLimits.percentile == 1...99)
    #expect(AlertLimits.above == .milliseconds(1) ... .seconds(7_776_000))
    #expect(AlertLimits.window == .seconds(60) ... .seconds(7_776_000))
    #expect(AlertLimits.before == .seconds(3600) ... .seconds(31_536_000))
    #expect(UptimePeriod.allCases.map(\.rawValue) == ["24h", "7d", "30d", "90d"])
    #expect(UptimePeriod.allCases.map(\.duration) == [1, 7, 30, 90].map { Duration.seconds($0 * 86_400) })
  }

  /// The first step that names a channel counts, and never less than the wait of the group.
  @Test func waitsOfChannels() {
    var settings = AlertSettings()
    settings.groupWait = .seconds(120)
    settings.escalate = [
      Escalation(after: .seconds(60), to: ["night"]),
      Escalation(after: .seconds(600), to: ["boss", "night"]),
    ]
    let rows: [(String, Duration?, Int)] = [
      ("night", .seconds(60), 120), ("boss", .seconds(600), 600), ("ops", nil, 120),
    ]
    for (name, after, wait) in rows {
      #expect(settings.escalation(to: name) == after && settings.wait(to: name) == .seconds(wait), "\(name)")
    }
  }

  /// What a receiver forgets, what it keeps, and what it is sent of acknowledgements.
  @Test func receiversByFormat() throws {
    for format in WebhookChannel.Format.allCases {
      var channel = try webhook(format)
      let keepAlive: Duration? = format == .alertmanager ? .seconds(240) : nil
      #expect(channel.keepAlive == keepAlive, "\(format)")
      #expect(channel.keepsState == [.alertmanager, .pagerduty].contains(format), "\(format)")
      #expect(channel.sendsAcknowledged == (format == .pagerduty), "\(format)")
      channel.acknowledged = true
      #expect(channel.sendsAcknowledged)
    }
    #expect(exec(["/bin/a"]).keepAlive == nil && !mail(["a@x.example"]).keepsState)
  }

  @Test func targetsWithoutSecrets() throws {
    #expect(try webhook(.slack, "https://h.example/T0/s3cret?k=1").target == "https://h.example:443")
    #expect(mail(["a@x.example", "b@x.example"]).target == "a@x.example, b@x.example")
    #expect(exec(["/bin/notify", "s3cret"]).target == "/bin/notify")
  }

  /// A receiver is the same by its format, its URL and its key, or by one recipient.
  @Test func sameReceivers() throws {
    let slack = try webhook(.slack).receiver
    let others = [
      try webhook(.slack), try webhook(.json), try webhook(.slack, "https://h.example/T0/B1"),
    ]
    #expect(others.map { slack.isSame(as: $0.receiver) } == [true, false, false])
    #expect(slack.digest.count == 32)
    var keyed = WebhookChannel(url: try HTTPURL("https://h.example/"), format: .pagerduty)
    keyed.routingKey = Redacted("one")
    let one = AlertChannel(name: "a", kind: .webhook(keyed)).receiver
    (keyed.method, keyed.headers) = ("PUT", [HeaderField("X-A", "1")])
    #expect(one.isSame(as: AlertChannel(name: "b", kind: .webhook(keyed)).receiver))
    keyed.routingKey = Redacted("two")
    #expect(!one.isSame(as: AlertChannel(name: "a", kind: .webhook(keyed)).receiver))
    let both = mail(["b@x.example", "a@x.example"]).receiver
    #expect(both.digest == mail(["a@x.example", "b@x.example"]).receiver.digest)
    #expect(both.isSame(as: mail(["c@x.example", "a@x.example"]).receiver))
    #expect(!both.isSame(as: mail(["c@x.example"]).receiver))
    #expect(!exec(["/bin/a", "b c"]).receiver.isSame(as: exec(["/bin/a", "b", "c"]).receiver))
  }

  /// Fields of a template, and what is none.
  @Test func templates() throws {
    func error(_ text: String) -> String? {
      do throws(AlertTemplate.Invalid) {
        _ = try AlertTemplate.parse(text)
        return nil
      } catch { return error.message }
    }
    let text = "{{ title }}: {{since}} }} x"
    let parts = try AlertTemplate.parse(text)
    #expect(parts == [.field(.title), .text(": "), .field(.since), .text(" }} x")])
    #expect(AlertTemplate.text(parts) == "{{title}}: {{since}} }} x")
    #expect(try AlertTemplate.parse("") == [])
    for field in AlertTemplate.Field.allCases { #expect(error("{{\(field.rawValue)}}") == nil) }
    #expect(error("a {{title") == "has {{ without }}")
    #expect(error("{{}}") == "has a field that no message has: \"\"")
    #expect(error("{{Title}}") == "has a field that no message has: \"Title\"")
    #expect(error(String(repeating: "a", count: 4096)) == nil)
    #expect(error(String(repeating: "a", count: 4097)) == "is longer than 4096 bytes")
  }

  @Test func ordersOfAnOperator() {
    let rows: [(String, OperatorTarget)] = [
      ("all", .everything), ("tag:web", .tag("web")), ("tag:", .tag("")), ("Shop", .check("Shop")),
      ("All", .check("All")),
    ]
    for (word, target) in rows {
      #expect(OperatorTarget(word) == target && target.text == word, "\(word)")
    }
    #expect(OperatorTarget.check("a").selection == MaintenanceSelection(checks: ["a"]))
    #expect(OperatorTarget.tag("a").selection == MaintenanceSelection(tags: ["a"]))
    #expect(OperatorTarget.everything.selection.isEverything)
    let long = String(repeating: "x", count: 300)
    let wish = OperatorWish(.acknowledge(incident: "1"), by: "a\n" + long, why: long)
    #expect(wish.by?.utf8.count == 80 && wish.by?.hasPrefix("a\\u{a}x") == true)
    #expect(wish.why?.utf8.count == 200 && OperatorWish(.unmute(id: "1")).by == nil)
    #expect(OperatorWish.length == .seconds(1) ... .seconds(2_592_000))
  }

  /// An acknowledgement in words, and those of alerts that are open and of those that were resolved by hand.
  @Test func acknowledgementsOfTheApps() {
    let at = Timestamp(microseconds: 1_234_567)
    let rows: [(AppAlerts.Acknowledgement, String)] = [
      (.init(at: at, by: "Ann"), "Ann in the Quartz app"), (.init(at: at), "an operator in the Quartz app"),
      (.init(at: at, by: "Ann", agent: "london-1"), "Ann at agent london-1"),
      (.init(at: at, agent: "london-1"), "an operator at agent london-1"),
    ]
    for (said, words) in rows {
      #expect(said.words == words && said.note == nil && said.at == Timestamp(milliseconds: 1234))
    }
    #expect(
      AppAlerts.Acknowledgement(at: at, isResolve: true).note == "resolved there while the check still fails")
    func key(_ low: UInt64, _ kind: AlertSubject) -> AppAlerts.Key {
      AppAlerts.Key(UniqueID(high: 0, low: low), kind)
    }
    var alerts = AppAlerts(version: 1)
    alerts.open = [
      key(3, .availability): AppAlerts.Alert(
        since: nil, acknowledged: AppAlerts.Acknowledgement(at: at, by: "Ann")),
      key(2, .availability): AppAlerts.Alert(since: at),
      key(1, .performance): AppAlerts.Alert(since: at, acknowledged: AppAlerts.Acknowledgement(at: at)),
    ]
    alerts.closed = [key(3, .availability): at, key(1, .certificate): at, key(2, .availability): at]
    let found = alerts.acknowledgements
    let keys = [key(1, .certificate), key(1, .performance), key(3, .availability)]
    #expect(found.map { $0.key } == keys)
    #expect(found.map { $0.said.isResolve } == [true, false, false])
    #expect(found.map { $0.said.by } == [nil, nil, "Ann"])
  }
}
