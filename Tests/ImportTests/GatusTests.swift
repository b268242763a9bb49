// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Variables, alerts and maintenance of Gatus.
@Suite struct GatusTests {
  private func read(_ text: String) throws -> Imported {
    try Importer.read(.gatus, [ImportFile(name: "f", bytes: Array(text.utf8))])
  }

  private func written(_ made: Imported) -> String {
    var yaml = AgentYAML(secrets: .environment)
    return yaml.render(made.checks, sections: made.sections, head: [])
  }

  /// What of a provider has no place, and keys that Gatus does not read, have reasons of their own.
  @Test func reasonsOfKeys() throws {
    let made = try ReadSource(
      .gatus,
      """
      x-usual: &usual {interval: 2m, conditions: ["[STATUS] == 200"]}
      alerting:
        ntfy: {topic: alerts, priority: 4, default-alert: {failure-threshold: 3}}
        slack: {webhook-url: "https://a.example/"}
      endpoints:
        - {<<: *usual, name: a, url: "https://a.example/", alerts: [{type: ntfy}]}
      """)
    #expect(
      made.reasonCounts == [
        "Gatus does not read the key; what an alias takes from it counts where the alias is": 2,
        "a notification has the priority of its severity": 1,
        "no alert of an endpoint uses it": 1,
      ])
  }

  @Test func variablesAreReferences() throws {
    let made = try read(
      """
      endpoints:
        - name: "$REGION front"
          url: "https://${HOST}/a$$b?q=$Q&apikey=${KEY}"
          method: POST
          headers:
            Authorization: "Bearer $TOKEN"
            X-Cost: "$$5 ${literal"
            X-Both: "$$${A}"
          body: "a ${B}c $-"
          conditions: ["[STATUS] == 200"]

      """)
    #expect(
      written(made) == """
        checks:

          # changed: name: a variable of the environment is called by its own name: names are fixed
          - name: REGION front
            type: http
            url: "https://${env:HOST}/a$b?q=${env:Q}&apikey=${env:KEY}"
            expect:
              status: [200]
            method: POST
            headers:
              Authorization: "Bearer ${env:TOKEN}"
              X-Cost: "$5 literal"
              X-Both: "${env:QUARTZ_REGION_FRONT_TEXT}${env:A}"
            body: "a ${env:B}c "
            interval: 1m
            timeout: 10s
            retries: 0
            allow_downgrade: true

        """)
  }

  @Test func aVariableThatDecidesIsListed() throws {
    let made = try read(
      """
      endpoints:
        - {name: a, url: "$URL", conditions: ["[STATUS] == 200"]}
        - {name: b, url: "https://b.example/", conditions: ["[STATUS] == $CODE", "[BODY].a == x"]}

      """)
    #expect(
      made.leftOut.map { "\($0.name) \($0.why)" } == [
        "\"a\" the kind of check is in a variable of the environment, or no kind that is known"
      ])
    #expect(
      made.checks.first?.notes.map(\.line) == [
        "laxer: f:3: endpoints[1].conditions[0]: a variable of the environment in a condition is not known before the start"
      ])
  }

  @Test func alertsBecomeChannelsAndRules() throws {
    let made = try read(
      """
      alerting:
        slack:
          webhook-url: https://hooks.slack.example/T/B/x
          default-alert: {failure-threshold: 5, send-on-resolved: true}
          overrides: [{group: core, webhook-url: "https://hooks.slack.example/core"}]
        email: {from: a@example.com, username: u, password: hunter2, host: smtp.example, port: 465, to: "b@example.com, c@example.com"}
        pagerduty: {integration-key: 0123456789abcdef0123456789abcdef}
        gotify: {server-url: https://gotify.example, token: t}
      endpoints:
        - name: a
          url: https://a.example/
          conditions: ["[STATUS] == 200"]
          alerts: [{type: slack}, {type: email, success-threshold: 1, minimum-reminder-interval: 30m}, {type: gotify}]
        - name: b
          group: core
          url: https://b.example/
          conditions: ["[STATUS] == 200"]
          alerts: [{type: slack, failure-threshold: 1}, {type: pagerduty, enabled: false}]

      """)
    let sections = written(made)
    #expect(
      sections.hasPrefix(
        """
        alerts:
          remind: 30m
          channels:

            - name: slack
              webhook: "${env:QUARTZ_SLACK_WEBHOOK}"
              format: slack
              recovered: true
              updates: false

            - name: email
              mail:
                server: "smtp.example:465"
                tls: implicit
                username: u
                password: "${env:QUARTZ_EMAIL_PASSWORD}"
                from: "a@example.com"
                to: ["b@example.com", "c@example.com"]
              recovered: false
              updates: true

            - name: slack core
              webhook: "${env:QUARTZ_SLACK_CORE_WEBHOOK}"
              format: slack
              recovered: true
              updates: false
          rules:

            - name: slack after 5 until 2
              type: consecutive_failures
              threshold: 5
              recoveries: 2
              channels: [slack]

            - name: email after 3
              type: consecutive_failures
              threshold: 3
              channels: [email]

            - name: slack core after 1 until 2
              type: consecutive_failures
              threshold: 1
              recoveries: 2
              channels: [slack core]

        checks:
        """), "\(sections)")
    #expect(made.sections.rules.map(\.selected) == [[1], [1], [2]])
    let whys = Set((made.notes + made.checks.flatMap(\.notes)).map(\.why))
    #expect(
      whys == [
        "no alert of an endpoint uses it",
        "no channel here is of this kind: gotify",
      ])
    #expect(!sections.contains("hunter2") && !sections.contains("hooks.slack"))
  }

  @Test func alertsWithVariables() throws {
    let made = try read(
      """
      alerting:
        discord: {webhook-url: "$DISCORD"}
        email: {from: a@example.com, password: "$PW", host: "$HOST", port: $PORT, to: b@example.com}
      endpoints:
        - name: a
          url: https://a.example/
          conditions: ["[STATUS] == 200"]
          alerts: [{type: discord, failure-threshold: $N}, {type: email}]

      """)
    let text = written(made)
    for line in [
      "webhook: \"${env:DISCORD}\"", "server: \"${env:HOST}:${env:PORT}\"", "password: \"${env:PW}\"",
      "- name: discord after 3 until 2",
    ] { #expect(text.contains(line), "\(text)") }
    #expect(
      made.checks[0].notes.map(\.line) == [
        "changed: f:8: endpoints[0].alerts[0].failure-threshold: it is no value that is known before the start"
      ])
  }

  @Test func maintenanceBecomesWindows() throws {
    let made = try read(
      """
      maintenance: {start: "23:00", duration: 1h, timezone: Europe/Amsterdam, every: [Monday, Thursday]}
      endpoints:
        - name: a
          url: https://a.example/
          conditions: ["[STATUS] == 200"]
          maintenance-windows: [{start: "01:30", duration: 30m}]

      """)
    let text = written(made)
    #expect(
      text.contains(
        """
          - name: Maintenance on Thursday
            start: "2024-01-04T23:00"
            duration: 1h
            repeat: weekly
            timezone: Europe/Amsterdam
        """))
    #expect(text.contains("    maintenance: [{start: \"2024-01-01T01:30\", duration: 30m, repeat: daily}]\n"))
    #expect(
      made.checks[0].notes.map(\.line) == [
        "changed: maintenance-windows: downtime is not counted meanwhile; Gatus only sends no alerts"
      ])
  }

  @Test func nothingIsForgotten() throws {
    let made = try read(
      """
      suites: [{name: shop, endpoints: [{name: x, url: "https://x.example/", conditions: ["[STATUS] == 200"]}]}]
      endpoints:
        - {name: a, url: "https://a.example/", interval: soon, conditions: ["[STATUS] == 200"], headers: {}}
        - {name: g, url: "https://g.example/", client: {tunnel: t}, conditions: ["[STATUS] == 200"]}
      ---
      endpoints: [{name: second}]

      """)
    #expect(made.checks.map(\.name) == ["a"])
    #expect(made.leftOut.map(\.name) == ["\"g\"", "\"shop\""])
    #expect(
      made.checks[0].notes.map(\.line) == [
        "changed: f:3: endpoints[0].interval: it is no duration that is known here"
      ])
    #expect((made.notes + made.checks.flatMap(\.notes)).count { $0.isValue } == made.listed)
  }

  @Test func secretsOfABody() throws {
    let made = try read(
      """
      endpoints:
        - name: a
          url: "https://a.example/login?user=u&token=s3cr3t"
          method: POST
          body: '{"user": "u", "password": "hunter2"}'
          conditions: ["[STATUS] == 200"]

      """)
    let text = written(made)
    #expect(text.contains("    url: \"https://a.example/login?user=u&token=${env:QUARTZ_A_TOKEN}\"\n"))
    #expect(text.contains("    body: \"${env:QUARTZ_A_BODY}\"\n"))
  }
}
