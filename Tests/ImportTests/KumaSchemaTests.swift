// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// A database with every column that Uptime Kuma 2 has, after all its migrations, with the values it gives by itself.
@Suite struct KumaSchemaTests {
  /// Columns of `monitor` with their defaults.
  private static let monitor = """
    CREATE TABLE monitor (id INTEGER PRIMARY KEY, name VARCHAR(150), active BOOLEAN NOT NULL DEFAULT 1, user_id INTEGER,
      interval INTEGER NOT NULL DEFAULT 20, url TEXT, type VARCHAR(20), weight INTEGER DEFAULT 2000, hostname VARCHAR(255),
      port INTEGER, created_date DATETIME NOT NULL DEFAULT '2026-01-01 00:00:00', keyword VARCHAR(255),
      maxretries INTEGER NOT NULL DEFAULT 0, ignore_tls BOOLEAN NOT NULL DEFAULT 0, upside_down BOOLEAN NOT NULL DEFAULT 0,
      maxredirects INTEGER NOT NULL DEFAULT 10, accepted_statuscodes_json TEXT NOT NULL DEFAULT '["200-299"]',
      dns_resolve_type VARCHAR(5), dns_resolve_server VARCHAR(255), dns_last_result TEXT,
      retry_interval INTEGER NOT NULL DEFAULT 0, push_token VARCHAR(32), method TEXT NOT NULL DEFAULT 'GET', body TEXT,
      headers TEXT, basic_auth_user TEXT, basic_auth_pass TEXT, docker_host INTEGER, docker_container VARCHAR(255),
      proxy_id INTEGER, expiry_notification BOOLEAN DEFAULT 1, mqtt_topic TEXT, mqtt_success_message VARCHAR(255),
      mqtt_username VARCHAR(255), mqtt_password VARCHAR(255), database_connection_string VARCHAR(2000), database_query TEXT,
      auth_method VARCHAR(250), auth_domain TEXT, auth_workstation TEXT, grpc_url VARCHAR(255), grpc_protobuf TEXT,
      grpc_body TEXT, grpc_metadata TEXT, grpc_method TEXT, grpc_service_name TEXT,
      grpc_enable_tls BOOLEAN NOT NULL DEFAULT 0, radius_username VARCHAR(255), radius_password VARCHAR(255),
      radius_calling_station_id VARCHAR(50), radius_called_station_id VARCHAR(50), radius_secret VARCHAR(255),
      resend_interval INTEGER NOT NULL DEFAULT 0, packet_size INTEGER NOT NULL DEFAULT 56, game VARCHAR(255),
      http_body_encoding VARCHAR(25), description TEXT, tls_ca TEXT, tls_cert TEXT, tls_key TEXT, parent INTEGER,
      invert_keyword BOOLEAN NOT NULL DEFAULT 0, json_path TEXT, expected_value VARCHAR(255),
      kafka_producer_topic VARCHAR(255), kafka_producer_brokers TEXT, kafka_producer_ssl BOOLEAN NOT NULL DEFAULT 0,
      kafka_producer_allow_auto_topic_creation BOOLEAN NOT NULL DEFAULT 0, kafka_producer_sasl_options TEXT,
      kafka_producer_message TEXT, oauth_client_id TEXT, oauth_client_secret TEXT, oauth_token_url TEXT, oauth_scopes TEXT,
      oauth_auth_method TEXT, timeout DOUBLE NOT NULL DEFAULT 0, gamedig_given_port_only BOOLEAN NOT NULL DEFAULT 1,
      mqtt_check_type VARCHAR(255) NOT NULL DEFAULT 'keyword', remote_browser INTEGER, snmp_oid VARCHAR(255),
      snmp_version TEXT DEFAULT '2c', json_path_operator VARCHAR(255), cache_bust BOOLEAN NOT NULL DEFAULT 0,
      conditions TEXT NOT NULL DEFAULT '[]', rabbitmq_nodes TEXT, rabbitmq_username VARCHAR(255),
      rabbitmq_password VARCHAR(255), smtp_security VARCHAR(255),
      ws_ignore_sec_websocket_accept_header BOOLEAN NOT NULL DEFAULT 0, ws_subprotocol VARCHAR(255) NOT NULL DEFAULT '',
      ping_count INTEGER NOT NULL DEFAULT 1, ping_numeric BOOLEAN NOT NULL DEFAULT 1,
      ping_per_request_timeout INTEGER NOT NULL DEFAULT 2, ip_family VARCHAR(4), manual_status SMALLINT,
      oauth_audience VARCHAR(255), mqtt_websocket_path VARCHAR(255), domain_expiry_notification BOOLEAN DEFAULT 0,
      save_response BOOLEAN NOT NULL DEFAULT 0, save_error_response BOOLEAN NOT NULL DEFAULT 1,
      response_max_length INTEGER NOT NULL DEFAULT 1024, system_service_name VARCHAR(255), subtype VARCHAR(10),
      location VARCHAR(255), protocol VARCHAR(20), snmp_v3_username VARCHAR(255), expected_tls_alert VARCHAR(50),
      retry_only_on_status_code_failure BOOLEAN NOT NULL DEFAULT 0, screenshot_delay INTEGER NOT NULL DEFAULT 0,
      ntp_stratum_threshold INTEGER DEFAULT 5, ntp_time_offset_threshold INTEGER DEFAULT 1000,
      ntp_root_dispersion_threshold INTEGER DEFAULT 500, bearer_token TEXT, gamedig_token TEXT);
    CREATE TABLE notification (id INTEGER PRIMARY KEY, name VARCHAR(255), active BOOLEAN NOT NULL DEFAULT 1,
      user_id INTEGER, is_default BOOLEAN NOT NULL DEFAULT 0, config LONGTEXT);
    CREATE TABLE monitor_notification (id INTEGER PRIMARY KEY, monitor_id INTEGER, notification_id INTEGER);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name VARCHAR(255), color VARCHAR(255), created_date DATETIME);
    CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER, tag_id INTEGER, value TEXT);
    CREATE TABLE remote_browser (id INTEGER PRIMARY KEY, name VARCHAR(255), url VARCHAR(255), user_id INTEGER);
    CREATE TABLE heartbeat (id INTEGER PRIMARY KEY, monitor_id INTEGER, status SMALLINT, msg TEXT, time DATETIME);

    """

  private func read(_ columns: String, _ values: String) throws -> Imported {
    let sql = "INSERT INTO monitor (name, user_id, interval, \(columns)) VALUES ('m', 1, 60, \(values));"
    return try Importer.read(
      nil, [ImportFile(name: "kuma.db", bytes: try DatabaseMaker.make(Self.monitor + sql))])
  }

  private func keys(_ made: Imported) throws -> String {
    var check = try #require(made.checks.first)
    check.keys.removeAll { ["interval", "timeout", "retries"].contains($0.name) }
    check.notes = []
    var yaml = AgentYAML(secrets: .environment)
    return yaml.render([check], head: []).split(separator: "\n").dropFirst(2)
      .map { $0.dropFirst(4) }.joined(separator: "\n")
  }

  /// What Kuma writes by itself means nothing, and nothing of it is listed.
  @Test(arguments: [
    (
      "type, url", "'http', 'https://a.example'",
      "type: http\nurl: https://a.example\nmax_redirects: 10\nexpect:\n  status: [200-299]\n  certificate:\n    warn: 21d"
        + "\nallow_downgrade: true"
    ),
    ("type, hostname, port", "'port', 'a.example', 443", "type: tcp\nhost: a.example\nport: 443"),
    (
      "type, hostname, port, dns_resolve_type, dns_resolve_server", "'dns', 'a.example', 53, 'A', '1.1.1.1'",
      "type: dns\nquery:\n  name: a.example\n  type: A\nserver: \"1.1.1.1\"\nexpect:\n  count: \">= 1\""
    ),
    (
      "type, hostname, port, dns_resolve_type, dns_resolve_server",
      "'dns', 'a.example', 5353, 'A', '[2001:db8::1]'",
      "type: dns\nquery:\n  name: a.example\n  type: A\nserver: \"[2001:db8::1]:5353\"\nexpect:\n  count: \">= 1\""
    ),
    (
      "type, hostname, port, smtp_security", "'smtp', 'm.example', 587, 'starttls'",
      "type: tcp\nhost: m.example\nport: 587\nstarttls: smtp\ndialog: smtp"
    ),
  ])
  func aPlainMonitorOfVersionTwo(columns: String, values: String, keys: String) throws {
    let made = try read(columns, values)
    #expect(try self.keys(made) == keys)
    #expect(made.checks.flatMap(\.notes).map(\.line) == [])
    #expect(made.notes.map(\.line) == [] && made.listed == 0)
  }

  /// A ping is sent again until it is answered, which no check here does.
  @Test func aPingOfVersionTwo() throws {
    let made = try read("type, hostname, timeout", "'ping', 'a.example', 10")
    #expect(try keys(made) == "type: ping\nhost: a.example\ncount: 1\nsize: 56")
    #expect(made.checks[0]["timeout"]?.word == "10s" && made.listed == 0)
    #expect(
      made.checks[0].notes.map(\.line) == [
        "stricter: ping_count: Kuma sends a packet each second until as many are answered or the time is over; "
          + "here as many are sent"
      ])
  }

  @Test func columnsOfVersionTwo() throws {
    let made = try read(
      "type, url, ip_family, auth_method, bearer_token, method, body, http_body_encoding, cache_bust, maxredirects, "
        + "domain_expiry_notification, save_response, oauth_audience",
      "'http', 'https://a.example', 'ipv6', 'bearer', 't0ken', 'GET', '{}', 'json', 1, 0, 1, 1, 'aud'")
    #expect(
      try keys(made) == """
        type: http
        url: https://a.example
        headers:
          Content-Type: application/json
        body: "{}"
        follow: false
        ip: 6
        expect:
          status: [200-299]
          certificate:
            warn: 21d
        auth:
          bearer: "${env:QUARTZ_M_TOKEN}"
        method: GET
        """)
    #expect(
      made.checks[0].notes.map { "\($0.change?.rawValue ?? "-"): \($0.why)" } == [
        "changed: a parameter that is another one each time is not sent",
        "laxer: when a domain ends is not asked",
        "-: answers are kept for failures only", "-: another kind of monitor's setting, or one that is off",
      ])
  }

  @Test(arguments: [
    ("type, ntp_stratum_threshold", "'ntp', 3"), ("type, system_service_name", "'system-service', 'sshd'"),
    ("type, subtype, location, url", "'globalping', 'http', 'Berlin', 'https://a.example'"),
    ("type, manual_status", "'manual', 1"), ("type, hostname, snmp_oid", "'snmp', 'a', '1.3'"),
    ("type, url", "'websocket-upgrade', 'wss://a.example'"), ("type, rabbitmq_nodes", "'rabbitmq', '[]'"),
  ])
  func kindsThatAreNotTakenAreNamed(columns: String, values: String) throws {
    let made = try read(columns, values)
    #expect(made.checks.isEmpty && made.leftOut.map(\.name) == ["\"m\""])
    #expect(made.leftOut[0].why.hasPrefix("no check here is of this kind: "))
  }
}
