// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Uptime Kuma's database of version 2, and the backup of version 1.
@Suite struct KumaTests {
  static let schema = """
    CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT, type TEXT, url TEXT, hostname TEXT, port INTEGER,
      interval INTEGER, active INTEGER, parent INTEGER, proxy_id INTEGER, maxretries INTEGER, retry_interval INTEGER,
      resend_interval INTEGER, method TEXT, body TEXT, http_body_encoding TEXT, headers TEXT, auth_method TEXT,
      bearer_token TEXT, keyword TEXT, invert_keyword INTEGER, dns_resolve_server TEXT, dns_resolve_type TEXT,
      expiry_notification INTEGER, json_path TEXT, json_path_operator TEXT, expected_value TEXT, push_token TEXT,
      conditions TEXT, docker_host INTEGER, ip_family TEXT);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER, tag_id INTEGER, value TEXT);
    CREATE TABLE notification (id INTEGER PRIMARY KEY, name TEXT, config TEXT, active INTEGER);
    CREATE TABLE monitor_notification (id INTEGER PRIMARY KEY, monitor_id INTEGER, notification_id INTEGER);
    CREATE TABLE proxy (id INTEGER PRIMARY KEY, protocol TEXT, host TEXT, port INTEGER, auth INTEGER, username TEXT,
      password TEXT, active INTEGER);
    CREATE TABLE maintenance (id INTEGER PRIMARY KEY, title TEXT, description TEXT, active INTEGER, strategy TEXT,
      start_date TEXT, end_date TEXT, start_time TEXT, end_time TEXT, weekdays TEXT, days_of_month TEXT,
      interval_day INTEGER, timezone TEXT);
    CREATE TABLE monitor_maintenance (id INTEGER PRIMARY KEY, monitor_id INTEGER, maintenance_id INTEGER);
    CREATE TABLE status_page (id INTEGER PRIMARY KEY, slug TEXT, title TEXT, theme TEXT, published INTEGER);
    CREATE TABLE "group" (id INTEGER PRIMARY KEY, name TEXT, public INTEGER, active INTEGER, weight INTEGER,
      status_page_id INTEGER);
    CREATE TABLE monitor_group (id INTEGER PRIMARY KEY, monitor_id INTEGER, group_id INTEGER, send_url INTEGER);
    CREATE TABLE docker_host (id INTEGER PRIMARY KEY, docker_daemon TEXT, name TEXT);
    CREATE TABLE setting (id INTEGER PRIMARY KEY, key TEXT, value TEXT);

    """

  private func read(_ sql: String) throws -> Imported {
    try Importer.read(nil, [ImportFile(name: "kuma.db", bytes: try DatabaseMaker.make(Self.schema + sql))])
  }

  private func backup(_ monitor: String, _ rest: String = "") throws -> Imported {
    let text = "{\"monitorList\": [\(monitor)]\(rest)}"
    return try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
  }

  private func written(_ made: Imported) -> String {
    var yaml = AgentYAML(secrets: .environment)
    return yaml.render(made.checks, sections: made.sections, head: [])
  }

  @Test func monitorsAndWhatIsBesideThem() throws {
    let made = try read(
      """
      INSERT INTO monitor (id, name, type, interval, active) VALUES (1, 'Shop', 'group', 60, 1);
      INSERT INTO monitor (id, name, type, url, interval, active, parent, proxy_id, maxretries, method, body,
        http_body_encoding, auth_method, bearer_token, expiry_notification) VALUES
        (2, 'Front', 'http', 'https://a.example/?key=k1', 60, 1, 1, 1, 2, 'POST', 'a=1', 'form', 'bearer', 's3cr3t', 1);
      INSERT INTO monitor (id, name, type, hostname, interval, active, dns_resolve_server, dns_resolve_type) VALUES
        (3, 'Zone', 'dns', 'a.example', 60, 1, '192.0.2.1, 192.0.2.2', 'MX');
      INSERT INTO monitor (id, name, type, interval, active, docker_host) VALUES (4, 'Box', 'docker', 60, 1, 1);
      INSERT INTO docker_host VALUES (1, '/var/run/docker.sock', 'local');
      INSERT INTO proxy VALUES (1, 'http', 'proxy.example', 3128, 1, 'me', 'hunter2', 1);
      INSERT INTO notification VALUES (1, 'Ops', '{"type":"slack","slackwebhookURL":"https://hooks.example/T","slackchannel":"#ops"}', 1);
      INSERT INTO notification VALUES (2, 'Phone', '{"type":"telegram","telegramBotToken":"hunter3"}', 1);
      INSERT INTO monitor_notification VALUES (1, 2, 1), (2, 3, 2);
      INSERT INTO maintenance VALUES (1, 'Patch', '', 1, 'recurring-weekday', NULL, NULL, '23:00:00', '01:00:00', '[0]', '[]', 1, 'UTC');
      INSERT INTO maintenance VALUES (2, 'By hand', '', 1, 'manual', NULL, NULL, NULL, NULL, '[]', '[]', 1, 'UTC');
      INSERT INTO monitor_maintenance VALUES (1, 2, 1), (2, 2, 2);
      INSERT INTO status_page VALUES (1, 'all', 'Example', 'auto', 1), (2, 'old', 'Old', 'auto', 0);
      INSERT INTO "group" VALUES (1, 'Web pages', 1, 1, 1, 1);
      INSERT INTO monitor_group VALUES (1, 2, 1, 0);
      """)
    #expect(
      made.leftOut.map { "\($0.name): \($0.why)" } == [
        "\"notification Phone\": no channel here is of this kind: telegram",
        "\"Shop\": a group: its monitors have its name as a tag",
        "\"Box\": no check here is of this kind: docker",
        "\"maintenance By hand\": it is switched by hand: quartz-agent maintenance start",
        "\"docker host local\": containers are not asked for",
        "\"status page Old\": the page is not published",
      ])
    let text = written(made)
    #expect(text.hasPrefix(Self.sections), "\(text)")
    #expect(text.hasSuffix(Self.checks), "\(text)")
    #expect(
      (made.notes + made.checks.flatMap(\.notes) + made.sections.entries.flatMap(\.notes)).count {
        $0.isValue
      } == made.listed)
    #expect(made.carried + made.listed == made.total)
  }

  private static let sections = """
    alerts:
      channels:

        # changed: config: without counterpart: slackchannel
        - name: Ops
          webhook: "${env:QUARTZ_OPS_WEBHOOK}"
          format: slack
          updates: false
      rules:

        - name: Ops
          type: consecutive_failures
          channels: [Ops]

        - name: Ops certificates
          type: certificate_expiry
          before: [21d, 14d, 7d]
          severity: medium
          channels: [Ops]
    maintenance:

      - name: Patch on Sunday
        start: "2024-01-07T23:00"
        duration: 2h
        repeat: weekly
        timezone: UTC
        skip: true
    status:
      # changed: listen: only this machine reaches it; write the address that visitors use
      # not carried: kuma.db: statusPageList[0].theme: how the page looks
      public:
        listen: "127.0.0.1:9798"
        title: Example
        groups: [Web-pages]

    """

  private static let checks = """
      - name: Front
        type: http
        url: "https://a.example/?key=${env:QUARTZ_FRONT_KEY}"
        method: POST
        headers:
          Content-Type: application/x-www-form-urlencoded
        body: "a=1"
        expect:
          certificate:
            warn: 21d
        auth:
          bearer: "${env:QUARTZ_FRONT_TOKEN}"
        proxy: "${env:QUARTZ_FRONT_PROXY}"
        interval: 1m
        timeout: 48s
        retries: 2
        retry_delay: 1m
        tags: [Shop, Web-pages]
        allow_downgrade: true

      # stricter: dns_resolve_server: only the first server is asked; Kuma asks the next when it does not answer
      - name: Zone
        type: dns
        query:
          name: a.example
          type: MX
        server: "192.0.2.1"
        expect:
          count: ">= 1"
        interval: 1m
        timeout: 48s
        retries: 0

    """

  @Test func queriesAndConditions() throws {
    let query = try backup(
      #"{"id":1,"name":"q","type":"json-query","url":"https://a.example/","jsonPath":"$.data[0].state","jsonPathOperator":"!=","expectedValue":"bad"}"#
    )
    #expect(written(query).contains("    json:\n        \"$.data[0].state\": \"!~ (?s)\\\\Abad\\\\z\"\n"))
    let complex = try backup(
      #"{"id":1,"name":"q","type":"json-query","url":"https://a.example/","jsonPath":"$sum(a)","expectedValue":"1"}"#
    )
    #expect(complex.checks.isEmpty && complex.leftOut.map(\.why) == ["its JSON query is more than a path"])
    let dns = try backup(
      #"{"id":1,"name":"d","type":"dns","hostname":"a.example","dns_resolve_type":"A","conditions":"[{\"type\":\"expression\",\"variable\":\"record\",\"operator\":\"equals\",\"value\":\"192.0.2.7\"}]"}"#
    )
    #expect(written(dns).contains(#"any: ["~ \\A192\\.0\\.2\\.7\\.?\\z"]"#))
  }

  @Test func retriesBeyondTen() throws {
    let made = try backup(
      #"{"id":1,"name":"r","type":"port","hostname":"a.example","port":1,"interval":60,"maxretries":30,"retryInterval":20}"#
    )
    #expect(
      written(made) == """
        checks:

          # changed: maxretries: a run has 10 retries at most: 31 failed runs in a row notify, and each counts as downtime
          - name: r
            type: tcp
            host: a.example
            port: 1
            interval: 1m
            timeout: 5s
            retries: 0
            failure_threshold: 31
            interval_failing: 20s

        """)
  }

  @Test func pushTokens() throws {
    let made = try backup(
      #"{"id":1,"name":"p","type":"push","pushToken":"abcdefghij","interval":60,"maxretries":2,"retryInterval":30}"#
    )
    var yaml = AgentYAML(secrets: .environment)
    _ = yaml.render(made.checks, head: [])
    #expect(yaml.values.map { $0.value.reveal() } == ["abcdefghij-abcdefghij"])
    #expect(made.checks[0]["period"]?.word == "1m" && made.checks[0]["grace"]?.word == "61s")
  }

  /// The days before a certificate's end are a setting of the whole server.
  @Test(
    arguments: [
      ("", "21d", ["21d", "14d", "7d"]), ("'[7,30]'", "30d", ["30d", "7d"]), ("'[0,3,3,400]'", "3d", ["3d"]),
      ("'[]'", nil, nil),
    ] as [(String, String?, [String]?)])
  func daysBeforeTheEndOfACertificate(days: String, warn: String?, before: [String]?) throws {
    let setting = days.isEmpty ? "" : "INSERT INTO setting VALUES (1, 'tlsExpiryNotifyDays', \(days));"
    let made = try read(
      """
      INSERT INTO monitor (id, name, type, url, active, expiry_notification) VALUES
        (1, 'c', 'http', 'https://c.example/', 1, 1);
      INSERT INTO notification VALUES (1, 'n', '{"type":"slack","slackwebhookURL":"https://s.example"}', 1);
      INSERT INTO monitor_notification VALUES (1, 1, 1);
      \(setting)
      """)
    #expect(made.checks.first?["expect.certificate.warn"]?.word == warn)
    let rule = made.sections.rules.first { $0["type"]?.word == "certificate_expiry" }
    var found: [String]?
    if case .list(let steps)? = rule?["before"] { found = steps.compactMap(\.word) }
    #expect(found == before && made.notes.map(\.line) == [])
  }

  @Test func groupsThatGoRound() throws {
    let made = try read(
      """
      INSERT INTO monitor (id, name, type, parent, active) VALUES (1, 'a', 'group', 2, 1), (2, 'b', 'group', 1, 0);
      INSERT INTO monitor (id, name, type, url, parent, active) VALUES (3, 'c', 'http', 'https://c.example/', 1, 1);
      """)
    #expect(made.checks.map(\.name) == ["c"] && made.checks[0]["enabled"]?.word == "false")
  }
}
