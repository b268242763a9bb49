// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Each key of a channel, a rule, a window and their like goes to its property and is printed from it.
@Suite struct DefinitionKeysTests {
  private func text(_ text: String) -> Given { Given(.text(text)) }
  private func list(_ texts: String...) -> Given { Given(.list(texts.map { Given(.text($0)) })) }
  private func flag(_ flag: Bool) -> Given { Given(.flag(flag)) }
  private func seconds(_ seconds: Int) -> Given { Given(.duration(.seconds(seconds))) }
  private func map(_ entries: (String, Given)...) -> GivenMap {
    GivenMap(entries.map { (name: $0.0, value: $0.1) })
  }

  private func printed(_ print: (inout KeyPrinter) -> Void) -> String {
    var printer = KeyPrinter(secretPaths: [])
    print(&printer)
    return printer.text
  }

  @Test func keysOfAChannel() {
    var reader = KeyReader(.local) { "/etc/\($0)" }
    let mail = map(
      ("server", text("s")), ("tls", text("implicit")), ("username", text("u")), ("password", text("p")),
      ("from", text("f")), ("to", list("t", "o")), ("hello", text("h")))
    let read = AlertChannelDefinition(
      map(
        ("name", text("n")), ("webhook", text("w")), ("format", text("slack")), ("method", text("PUT")),
        ("headers", Given(.map(map(("X-B", text("1")), ("X-A", text("2")))))), ("routing_key", text("r")),
        ("mail", Given(.map(mail))), ("exec", list("/a", "b")), ("ca_file", text("ca.pem")),
        ("timeout", seconds(7)), ("severity", text("high")), ("updates", flag(false)),
        ("recovered", flag(true)), ("acknowledged", flag(false)), ("hide_targets", flag(true)),
        ("title", text("T")), ("text", text("X"))), &reader)
    #expect(read.name == "n" && read.webhook?.reveal() == "w" && read.format == "slack")
    #expect(read.method == "PUT" && read.routingKey?.reveal() == "r" && read.caFile == "/etc/ca.pem")
    #expect(read.headers?.map(\.name) == ["X-B", "X-A"] && read.exec == ["/a", "b"])
    #expect(read.headers?.map { $0.value.reveal() } == ["1", "2"] && read.timeout == .seconds(7))
    #expect(read.severity == "high" && read.updates == false && read.recovered == true)
    #expect(read.acknowledged == false && read.hideTargets == true && read.title == "T" && read.text == "X")
    #expect(read.mail?.server == "s" && read.mail?.security == "implicit" && read.mail?.username == "u")
    #expect(read.mail?.password?.reveal() == "p" && read.mail?.from == "f" && read.mail?.to == ["t", "o"])
    #expect(read.mail?.hello == "h" && reader.problems.isEmpty)
  }

  @Test func keysOfARule() {
    var reader = KeyReader(.local)
    let read = AlertRuleDefinition(
      map(
        ("type", text("state")), ("name", text("n")), ("severity", text("low")), ("checks", list("c")),
        ("tags", list("t")), ("channels", list("h")), ("threshold", Given(.integer(3))),
        ("recoveries", Given(.integer(2))), ("state", text("down")), ("for", seconds(5)),
        ("above", seconds(6)), ("percentile", Given(.integer(95))), ("window", seconds(8)),
        ("before", Given(.list([seconds(9), seconds(1)]))), ("objective", Given(.number(99.5)))), &reader)
    #expect(read.type == "state" && read.name == "n" && read.severity == "low" && read.checks == ["c"])
    #expect(read.tags == ["t"] && read.channels == ["h"] && read.threshold == 3 && read.recoveries == 2)
    #expect(read.state == "down" && read.lasting == .seconds(5) && read.above == .seconds(6))
    #expect(read.percentile == 95 && read.window == .seconds(8) && read.objective == 99.5)
    #expect(read.before == [.seconds(9), .seconds(1)])
  }

  @Test func keysOfReportsHoursAndSteps() {
    var reader = KeyReader(.local)
    let report = ReportDefinition(
      map(
        ("name", text("n")), ("every", text("week")), ("weekday", text("fri")), ("day", Given(.integer(4))),
        ("at", text("09:00")), ("timezone", text("UTC")), ("channels", list("c")), ("checks", list("k")),
        ("tags", list("t")), ("format", text("csv")), ("objective", Given(.number(99)))), &reader)
    #expect(report.name == "n" && report.every == "week" && report.weekday == "fri" && report.day == 4)
    #expect(report.at == "09:00" && report.timezone == "UTC" && report.channels == ["c"])
    #expect(report.checks == ["k"] && report.tags == ["t"] && report.format == "csv")
    #expect(report.objective == 99)
    let hours = QuietHoursDefinition(
      map(
        ("from", text("f")), ("to", text("t")), ("days", list("sat")), ("timezone", text("z")),
        ("except", text("low"))), &reader)
    #expect(hours.from == "f" && hours.to == "t" && hours.days == ["sat"] && hours.timezone == "z")
    #expect(hours.except == "low")
    let step = EscalationDefinition(map(("after", seconds(60)), ("to", list("a", "b"))), &reader)
    #expect(step.after == .seconds(60) && step.to == ["a", "b"])
    let flap = FlapSettings(
      map(("opens", Given(.integer(5))), ("within", seconds(70)), ("stable", seconds(80))), &reader)
    #expect(flap.opens == 5 && flap.within == .seconds(70) && flap.stable == .seconds(80))
    let sign = LifeSignDefinition(
      map(("url", text("u")), ("every", seconds(9)), ("fail_url", text("f"))), &reader)
    #expect(sign.url?.reveal() == "u" && sign.every == .seconds(9) && sign.failURL?.reveal() == "f")
  }

  @Test func keysOfWindowsRulesAndSources() {
    var reader = KeyReader(.local)
    let window = MaintenanceDefinition(
      map(
        ("name", text("n")), ("checks", list("c")), ("tags", list("t")), ("resources", list("r")),
        ("start", text("s")), ("duration", seconds(60)), ("end", text("e")), ("repeat", text("daily")),
        ("timezone", text("z")), ("skip", flag(true))), &reader)
    #expect(window.name == "n" && window.checks == ["c"] && window.tags == ["t"])
    #expect(window.resources == ["r"])
    #expect(window.start == "s" && window.duration == .seconds(60) && window.end == "e")
    #expect(window.repetition == "daily" && window.timezone == "z" && window.skip == true)
    let rule = DependencyRule(
      map(("checks", list("c")), ("tags", list("t")), ("depends_on", list("d"))), &reader)
    #expect(rule.checks == ["c"] && rule.tags == ["t"] && rule.dependsOn == ["d"])
    let source = DiscoveryDefinition(
      map(
        ("file", text("f")), ("http", text("h")), ("dns", text("d")), ("extends", list("a", "b")),
        ("name", text("n")), ("refresh", seconds(9)), ("headers", Given(.map(map(("X", text("1"))))))),
      &reader)
    #expect(source.file == "f" && source.http?.reveal() == "h" && source.dns == "d")
    #expect(source.templates == ["a", "b"] && source.name == "n" && source.refresh == .seconds(9))
    #expect(source.headers.map(\.name) == ["X"] && source.headers.map { $0.value.reveal() } == ["1"])
  }

  @Test func stepsAndFlappingArePrinted() {
    #expect(printed { $0.escalations([]) } == "" && printed { $0.lifeSigns([]) } == "")
    #expect(printed { $0.reports([]) } == "" && printed { $0.dependencies([]) } == "")
    #expect(printed { $0.maintenance([]) } == "" && printed { $0.checks([]) } == "checks: []\n")
    #expect(
      printed {
        $0.escalations([
          Escalation(after: .seconds(600), to: ["night", "boss"]),
          Escalation(after: .seconds(3600), to: ["all"]),
        ])
        $0.flap(FlapSettings())
      } == """
        escalate:
          - after: 10m
            to: ["night", "boss"]
          - after: 1h
            to: ["all"]
        flap:
          opens: 3
          within: 15m
          stable: 5m

        """)
    var rule = DependencyRule()
    (rule.tags, rule.dependsOn) = (["north"], ["Gateway", "tag:core"])
    #expect(
      printed { $0.dependencies([rule]) } == """
        dependencies:
          - tags: ["north"]
            depends_on: ["Gateway", "tag:core"]

        """)
  }

  @Test func reportsArePrinted() throws {
    let month = ReportSchedule(name: "m", channels: ["ops"])
    #expect(month.day == 1 && month.at == 28_800 && month.format == .html && month.objective == nil)
    #expect(ReportSchedule(name: "w", every: .week, channels: []).day == 0)
    let week = ReportSchedule(
      name: "w", every: .week, day: 4, at: 34_230, zone: try TimeZoneFiles().zone("Asia/Tokyo"),
      selection: MaintenanceSelection(checks: ["b", "a"], tags: ["y", "x"]), channels: ["ops", "boss"],
      format: .csv, objective: 99.5)
    #expect(
      printed { $0.reports([month, week]) } == """
        reports:
          - name: "m"
            every: month
            day: 1
            at: "08:00"
            timezone: "UTC"
            channels: ["ops"]
            format: html
          - name: "w"
            every: week
            weekday: "fri"
            at: "09:30:30"
            timezone: "Asia/Tokyo"
            channels: ["ops", "boss"]
            checks: ["a", "b"]
            tags: ["x", "y"]
            format: csv
            objective: 99.5%

        """)
    #expect(ReportSchedule.limit == 16 && ReportSchedule.days == 1...31)
    #expect(ReportSchedule.objectives == 50..<100)
  }

  /// Rules whose values no other test prints.
  @Test func otherRulesArePrinted() {
    let rules = [
      AlertRule("burn", .burnRate(objective: 99.9), severity: .high),
      AlertRule("self", .agent(for: .seconds(90)), severity: .critical),
      AlertRule("down", .consecutiveFailures(threshold: nil, recoveries: 1), severity: .low),
    ]
    #expect(rules.map(\.objective) == [99.9, nil, nil])
    #expect(
      printed { $0.alertRules(rules) } == """
        rules:
          - type: burn_rate
            name: "burn"
            severity: high
            objective: 99.9%
          - type: agent
            name: "self"
            severity: critical
            for: 90s
          - type: consecutive_failures
            name: "down"
            severity: low
            recoveries: 1

        """)
  }

  /// What an exec channel and a plain mail are printed as.
  @Test func programsArePrinted() {
    let channel = AlertChannel(name: "run", kind: .exec(ExecChannel(command: ["/bin/notify", "--all"])))
    #expect(
      printed { $0.alertChannels([channel]) } == """
        channels:
          - name: "run"
            exec: ["/bin/notify", "--all"]
            timeout: 10s
            severity: low
            updates: true
            recovered: true
            acknowledged: false
            hide_targets: false

        """)
  }
}
