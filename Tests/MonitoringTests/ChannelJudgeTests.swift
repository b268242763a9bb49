// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// What is refused of a webhook, a program and a mail, and what is printed of a channel and a rule.
@Suite struct ChannelJudgeTests {
  private func made(_ fill: (inout AlertChannelDefinition) -> Void) throws(InvalidAlerts) -> AlertChannel {
    var definition = AlertChannelDefinition()
    definition.name = "ops"
    fill(&definition)
    return try AlertChannel(definition)
  }

  private func problems(_ fill: (inout AlertChannelDefinition) -> Void) -> [String] {
    do throws(InvalidAlerts) {
      _ = try made(fill)
      return []
    } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
  }

  private func webhook(_ fill: (inout AlertChannelDefinition) -> Void) -> [String] {
    problems {
      $0.webhook = Redacted("https://h.example/T0")
      fill(&$0)
    }
  }

  @Test func whatIsRefusedOfAWebhook() {
    #expect(
      problems { $0.webhook = Redacted("ftp://s3cret") }
        == ["webhook: webhook must be an http or https URL"])
    for (length, isTaken) in [(2048, true), (2049, false)] {
      let url = "https://h.example/" + String(repeating: "a", count: length - 18)
      #expect(problems { $0.webhook = Redacted(url) }.isEmpty == isTaken, "\(length)")
    }
    for (method, isTaken) in [("POST", true), ("PUT", true), ("GET", false), ("post", false)] {
      let words = ["method: method must be POST or PUT, found \"\(method)\""]
      #expect(webhook { $0.method = method } == (isTaken ? [] : words))
    }
    for (name, isTaken) in [
      ("Content-Type", false), ("content-length", false), ("HOST", false), ("Transfer-Encoding", false),
      ("X-Key", true), ("Authorization", true),
    ] {
      let words = ["headers: headers may not set \"\(name)\": the agent does"]
      #expect(webhook { $0.headers = [(name: name, value: Redacted("v"))] } == (isTaken ? [] : words))
    }
    for (name, value) in [("X A", "v"), ("", "v"), ("X-A", "a\nb"), ("X-A", "a\u{7f}")] {
      #expect(
        webhook { $0.headers = [(name: name, value: Redacted(value))] }
          == ["headers: headers has a name or a value that cannot be sent: \"\(name)\""])
    }
    for (count, isTaken) in [(20, true), (21, false)] {
      let found = webhook { $0.headers = (0..<count).map { (name: "X-\($0)", value: Redacted("v")) } }
      #expect(found == (isTaken ? [] : ["headers: headers may list at most 20, found 21"]))
    }
  }

  /// PagerDuty needs a key that no other takes, and ntfy a topic.
  @Test func whatAFormatNeeds() {
    for format in WebhookChannel.Format.allCases {
      let isPager = format == .pagerduty
      let missing = isPager ? ["routing_key: routing_key is missing"] : []
      #expect(webhook { $0.format = format.rawValue } == missing, "\(format)")
      let foreign = isPager ? [] : ["routing_key: routing_key has no effect without format: pagerduty"]
      let keyed = webhook { ($0.format, $0.routingKey) = (format.rawValue, Redacted("k")) }
      #expect(keyed == foreign, "\(format)")
    }
    let words = ["webhook: webhook has no topic, which ntfy takes from the end of the URL"]
    for (url, found) in [
      ("https://ntfy.example", words), ("https://ntfy.example//", words), ("https://ntfy.example/alerts", []),
    ] {
      #expect(problems { ($0.webhook, $0.format) = (Redacted(url), "ntfy") } == found, "\(url)")
    }
  }

  /// A program by its absolute path, and nothing that ends an argument early.
  @Test func programs() {
    let words = ["exec: exec must begin with the absolute path of a program"]
    for (command, isTaken) in [
      (["/bin/notify", "--all", ""], true), ([], false), (["bin/notify"], false),
      (["/bin/notify", "a\0"], false),
    ] as [([String], Bool)] {
      #expect(problems { $0.exec = command } == (isTaken ? [] : words), "\(command)")
    }
  }

  /// Plain addresses of RFC 5321, to the last byte of each part.
  @Test(
    arguments: [
      ("a@x.example", true), ("a+b.c@x.example", true), (String(repeating: "a", count: 64) + "@x", true),
      (String(repeating: "a", count: 65) + "@x", false), ("a@" + String(repeating: "x", count: 255), true),
      ("a@" + String(repeating: "x", count: 256), false), ("@x", false), ("a@", false), ("a@b@c", false),
      ("a b@x", false), ("a@x_y", false), ("a@[192.0.2.1]", false), ("a<b@x", false), ("ä@x", false),
    ])
  func addresses(text: String, isTaken: Bool) {
    let found = problems {
      var mail = AlertChannelDefinition.Mail()
      (mail.server, mail.from, mail.to) = ("mx.example", text, ["b@x.example"])
      $0.mail = mail
    }
    #expect(found.isEmpty == isTaken && found.allSatisfy { $0.hasPrefix("mail/from: ") })
  }

  /// In plain text a password goes to this machine only.
  @Test func passwordsInPlainText() {
    let words = ["mail/tls: mail.tls: none would send the password in plain text"]
    for (server, isTaken) in [
      ("mx.example", false), ("localhost", true), ("127.0.0.1:25", true), ("[::1]:25", true),
    ] {
      let found = problems {
        var mail = AlertChannelDefinition.Mail()
        (mail.server, mail.from, mail.to) = (server, "a@x.example", ["b@x.example"])
        (mail.security, mail.username, mail.password) = ("none", "u", Redacted("p"))
        $0.mail = mail
      }
      #expect(found == (isTaken ? [] : words), "\(server)")
    }
  }

  /// What a channel is where nothing is said, and where everything is.
  @Test func values() throws {
    let plain = try made { $0.webhook = Redacted("https://h.example/T0") }
    #expect(plain.severity == .low && plain.updates && plain.sendsRecovered && !plain.acknowledged)
    #expect(!plain.hidesTargets && plain.timeout == .seconds(10) && plain.template == AlertTemplate())
    guard case .webhook(let hook) = plain.kind else {
      Issue.record("not a webhook")
      return
    }
    #expect(hook.format == .json && hook.method == "POST" && hook.headers.isEmpty && hook.caFile == nil)
    let full = try made {
      $0.exec = ["/bin/notify"]
      ($0.severity, $0.updates, $0.recovered, $0.acknowledged) = ("high", false, false, true)
      ($0.hideTargets, $0.timeout, $0.title, $0.text) = (true, .seconds(7), "{{title}}!", "{{check}}")
    }
    #expect(full.severity == .high && !full.updates && !full.sendsRecovered && full.acknowledged)
    #expect(full.hidesTargets && full.timeout == .seconds(7))
    #expect(full.template.title == [.field(.title), .text("!")] && full.template.text == [.field(.check)])
    #expect(problems { ($0.exec, $0.text) = (["/bin/a"], "{{x}}") }.map { $0.prefix(5) } == ["text:"])
    let quiet = try made { ($0.exec, $0.updates) = (["/bin/a"], false) }
    #expect(!quiet.updates && quiet.sendsRecovered)
  }

  @Test func channelsArePrinted() throws {
    let hook = try made {
      ($0.webhook, $0.format, $0.method) = (Redacted("https://h.example:8443/s3cret"), "pagerduty", "PUT")
      ($0.routingKey, $0.headers) = (Redacted("k"), [(name: "X-A", value: Redacted("v"))])
      ($0.caFile, $0.timeout, $0.severity) = ("/ca.pem", .seconds(60), "medium")
      ($0.acknowledged, $0.title) = (true, "{{ title }}")
    }
    let mail = try made {
      var mail = AlertChannelDefinition.Mail()
      (mail.server, mail.security, mail.from) = ("mx.example", "implicit", "a@x.example")
      (mail.to, mail.hello) = (["b@x.example", "c@x.example"], "agent.example")
      (mail.username, mail.password) = ("u", Redacted("p"))
      ($0.mail, $0.updates, $0.recovered, $0.hideTargets) = (mail, false, false, true)
    }
    var printer = KeyPrinter(secretPaths: [])
    printer.alertChannels([hook, mail])
    #expect(printer.text == Self.printed)
  }

  private static let printed = """
    channels:
      - name: "ops"
        webhook: "https://h.example:8443/%3Credacted%3E"
        format: pagerduty
        method: "PUT"
        headers:
          "X-A": "<redacted>"
        routing_key: "<redacted>"
        ca_file: "/ca.pem"
        timeout: 1m
        severity: medium
        updates: true
        recovered: true
        acknowledged: true
        hide_targets: false
        title: "{{title}}"
      - name: "ops"
        mail:
          server: "mx.example:465"
          tls: implicit
          username: "u"
          password: "<redacted>"
          from: "a@x.example"
          to: ["b@x.example", "c@x.example"]
          hello: "agent.example"
        timeout: 10s
        severity: low
        updates: false
        recovered: false
        acknowledged: false
        hide_targets: true

    """

  @Test func rulesArePrinted() throws {
    let selection = MaintenanceSelection(checks: ["b", "a"], tags: ["web"])
    var printer = KeyPrinter(secretPaths: [])
    printer.alertRules([
      AlertRule(
        "slow", .responseTime(above: .milliseconds(800), percentile: 95, window: .seconds(900)),
        severity: .medium, selection: selection, channels: ["ops", "night"]),
      AlertRule(
        "each", .responseTime(above: .seconds(2), percentile: nil, window: .seconds(900)), severity: .low),
      AlertRule("down", .consecutiveFailures(threshold: 3, recoveries: 2), severity: .critical),
      AlertRule("lost", .downtime(above: .seconds(600), window: .month), severity: .high),
      AlertRule("ends", .certificateExpiry(before: [.seconds(1_814_400), .seconds(3600)]), severity: .low),
      AlertRule("odd", .state(.degraded, for: .seconds(90)), severity: .low),
    ])
    #expect(printer.text == Self.printedRules)
  }

  private static let printedRules = """
    rules:
      - type: response_time
        name: "slow"
        severity: medium
        checks: ["a", "b"]
        tags: ["web"]
        channels: ["ops", "night"]
        above: 800ms
        percentile: 95
        window: 15m
      - type: response_time
        name: "each"
        severity: low
        above: 2s
      - type: consecutive_failures
        name: "down"
        severity: critical
        threshold: 3
        recoveries: 2
      - type: downtime
        name: "lost"
        severity: high
        above: 10m
        window: 30d
      - type: certificate_expiry
        name: "ends"
        severity: low
        before: [21d, 1h]
      - type: state
        name: "odd"
        severity: low
        state: "degraded"
        for: 90s

    """

  /// A sign of life: its urls, its pace, and what is refused of it.
  @Test func signsOfLife() throws {
    func problems(_ fill: (inout LifeSignDefinition) -> Void) -> [String] {
      var definition = LifeSignDefinition()
      fill(&definition)
      do throws(InvalidAlerts) {
        _ = try LifeSign(definition)
        return []
      } catch { return error.problems.map { "\($0.path.joined()): \($0.message)" } }
    }
    let end = "must be an http or https URL"
    #expect(problems { _ in } == ["url: url is missing"])
    #expect(problems { $0.url = Redacted("ftp://a") } == ["url: url \(end)"])
    #expect(
      problems { ($0.url, $0.failURL) = (Redacted("https://a.example/1"), Redacted("x")) }
        == ["fail_url: fail_url \(end)"])
    var definition = LifeSignDefinition()
    definition.url = Redacted("https://a.example/s3cret")
    #expect(try LifeSign(definition).every == .seconds(60) && LifeSign(definition).failURL == nil)
    (definition.every, definition.failURL) = (.seconds(30), Redacted("http://b.example:81/s3cret"))
    var printer = KeyPrinter(secretPaths: [])
    printer.lifeSigns([try LifeSign(definition)])
    #expect(
      printer.text == """
        heartbeat:
          - url: "https://a.example:443/%3Credacted%3E"
            every: 30s
            fail_url: "http://b.example:81/%3Credacted%3E"

        """)
  }
}
