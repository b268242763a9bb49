// SPDX-License-Identifier: MIT

import Basics

/// Why a monitor does not become a check.
struct KumaRefusal: Error {
  var why: String
  init(_ why: String) { self.why = why }
}

/// One monitor.
struct KumaMonitor {
  let row: KumaRow
  let proxies: [ByteText: ForeignNode]
  /// Before the end of a certificate, the most first.
  let days: [Int]

  func check() throws(KumaRefusal) -> ImportedCheck {
    let type = row.text("type") ?? ""
    var check = try target(type)
    check.name = row.text("name") ?? "unnamed"
    if row["active"]?.flag == false { check["enabled"] = .plain("false") }
    row.carry("active")
    if row.flag("upside_down") {
      guard type != "push" else { throw KumaRefusal("a push monitor that is upside down") }
      check["negate"] = .plain("true")
    }
    try pace(&check)
    return check
  }

  /// Values that are left once the check is made.
  func settle() {
    row.carry(
      "id", "user_id", "weight", "created_date", "pathName", "path", "childrenIDs", "includeSensitiveData")
    row.settle(Self.usual)
    row.list("how the page shows it", "description", "custom_url")
    row.list("it is the last answer", "dns_last_result")
    row.list(
      "when a domain ends is not asked", "domain_expiry_notification", change: .laxer)
    if row["type"]?.text == "json-query", row["maxretries"]?.number ?? 0 > 0 {
      row.list(
        "a wrong value is tried again as well; Kuma does that for a failed request alone",
        "retry_only_on_status_code_failure", change: .changed)
    }
    row.list(
      "answers are kept for failures only", "save_response", "save_error_response", "response_max_length")
    row.ledger.list(row.node, "another kind of monitor's setting, or one that is off", always: false)
  }

  /// Values of columns that mean nothing.
  private static let usual: [(name: String, values: [String])] = [
    ("method", ["GET"]), ("ignore_tls", ["0", "false"]), ("maxredirects", ["10"]),
    ("accepted_statuscodes_json", ["[\"200-299\"]"]), ("dns_resolve_type", ["A"]),
    ("dns_resolve_server", ["1.1.1.1"]),
    ("packet_size", ["56"]), ("http_body_encoding", ["json"]),
    ("expiry_notification", ["0", "1", "false", "true"]),
    ("domain_expiry_notification", ["0", "false"]), ("grpc_enable_tls", ["0", "false"]),
    ("invert_keyword", ["0", "false"]), ("upside_down", ["0", "false"]), ("resend_interval", ["0"]),
    ("retry_interval", ["0"]), ("timeout", ["0", "0.0", "48", "48.0"]),
    ("kafka_producer_ssl", ["0", "false"]),
    ("kafka_producer_allow_auto_topic_creation", ["0", "false"]), ("mqtt_check_type", ["keyword"]),
    ("json_path", ["$"]), ("json_path_operator", ["=="]), ("cache_bust", ["0", "false"]),
    ("conditions", ["[]"]),
    ("gamedig_given_port_only", ["1", "true"]), ("ping_count", ["1", "3"]), ("ping_numeric", ["1", "true"]),
    ("ping_per_request_timeout", ["2"]), ("retry_only_on_status_code_failure", ["0", "false"]),
    ("save_response", ["0", "false"]), ("save_error_response", ["0", "1", "true", "false"]),
    ("response_max_length", ["1024"]), ("ws_ignore_sec_websocket_accept_header", ["0", "false"]),
    ("snmp_version", ["2c"]), ("rabbitmq_nodes", ["[]"]), ("kafka_producer_brokers", ["[]"]),
    ("kafka_producer_sasl_options", ["{\"mechanism\":\"None\"}"]), ("auth_method", ["null"]),
    ("oauth_auth_method", ["client_secret_basic"]), ("expected_tls_alert", ["none"]), ("maxretries", ["0"]),
    ("port", ["53"]), ("url", ["https://", "http://"]), ("docker_host", ["0"]),
    ("force_inactive", ["0", "false"]), ("screenshot_delay", ["0"]), ("ntp_stratum_threshold", ["5"]),
    ("ntp_time_offset_threshold", ["1000"]), ("ntp_root_dispersion_threshold", ["500"]),
    ("maintenance", ["false"]),
  ]

  private func pace(_ check: inout ImportedCheck) throws(KumaRefusal) {
    let interval = row.seconds("interval").flatMap { $0 > 0 ? $0 : nil } ?? 60_000
    let retries = min(max(0, row.number("maxretries") ?? 0), 10_000)
    var delay = row.seconds("retry_interval") ?? 0
    if delay == 0 { delay = interval }
    if check["type"]?.word == "heartbeat" {
      check["period"] = .duration(max(10_000, interval))
      // A second for clocks that differ, and each retry.
      let grace = 1000 + Double(retries) * Double(delay)
      check["grace"] = .duration(Int(min(grace, 30 * 86_400_000)))
      return
    }
    check.pace(interval: interval, timeout: timeout(interval))
    guard retries > 10 else {
      check["retries"] = .number(retries)
      if retries > 0 { check["retry_delay"] = .duration(min(delay, 3_600_000)) }
      if retries > 0, delay > 3_600_000 {
        check.note(.changed, "retry_interval", "\(ForeignDuration.text(delay)) is made 1h, the most there is")
      }
      return
    }
    // More than a run has: as many runs, the first of which is a failure already.
    check["retries"] = .plain("0")
    check["failure_threshold"] = .number(min(100, retries + 1))
    check["interval_failing"] = .duration(min(max(1000, delay), max(1000, interval)))
    if retries > 99 {
      check.note(.stricter, "maxretries", "100 failed runs in a row notify, not \(retries + 1)")
    }
    check.note(
      .changed, "maxretries",
      "a run has 10 retries at most: \(min(100, retries + 1)) failed runs in a row notify, and each counts as downtime"
    )
  }

  /// A connection to a port has five seconds, and a ping of version 1 ten, whatever the monitor says.
  private func timeout(_ interval: Int) -> Int {
    switch row["type"]?.text {
    case "port": return 5000
    case "ping" where row["ping_per_request_timeout"] == nil: return 10_000
    default: return row.seconds("timeout").flatMap { $0 > 0 ? $0 : nil } ?? interval * 8 / 10
    }
  }

  private func target(_ type: String) throws(KumaRefusal) -> ImportedCheck {
    switch type {
    case "http", "keyword", "json-query": return try http(type)
    case "port":
      guard row["expected_tls_alert"].map({ $0.text == "none" }) ?? true else {
        throw KumaRefusal("it asks for an alert of TLS")
      }
      var check = try service("tcp", port: nil)
      certificate(of: &check)
      return check
    case "ping": return try ping()
    case "dns": return try dns()
    case "push":
      var check = ImportedCheck(name: "", type: "heartbeat")
      guard var token = row.text("push_token") else { throw KumaRefusal("it has no token") }
      let isShort = token.utf8.count < 16
      if isShort { token += "-\(token)" }
      check["token"] = .secret(Redacted(token), as: "token")
      check.note(
        .changed, "push_token",
        "the job reports to /hb/TOKEN of the agent\(isShort ? ", the token twice with a - between, for it is too short" : "")"
      )
      return check
    case "redis", "mysql", "postgres", "mqtt": return try database(type)
    case "smtp": return try mail()
    case "group": throw KumaRefusal("a group: its monitors have its name as a tag")
    default: throw KumaRefusal("no check here is of this kind: \(type.printable(maxBytes: 40))")
    }
  }

  private func service(_ type: String, port usual: Int?) throws(KumaRefusal) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: type)
    guard let host = row.text("hostname") else { throw KumaRefusal("it has no hostname") }
    check["host"] = .text(host)
    guard let port = row.number("port") ?? usual else { throw KumaRefusal("it has no port") }
    check["port"] = .number(port)
    return check
  }

  /// A port over TLS has its certificate verified where Kuma notifies of its end.
  private func certificate(of check: inout ImportedCheck) {
    guard row["expiry_notification"]?.flag == true else { return }
    switch row["smtp_security"]?.text {
    case "secure":
      row.carry("expiry_notification", "smtp_security")
      check["tls"] = .plain("true")
      // The connection is verified all the same.
      guard !row.flag("ignore_tls") else { return }
      check["expect.certificate.warn"] = days.first.map { .plain("\($0)d") }
    case "starttls":
      row.list(
        "its protocol is found by the greeting: write starttls", "smtp_security", change: .laxer)
    default: break
    }
  }

  private func mail() throws(KumaRefusal) -> ImportedCheck {
    var check = try service("tcp", port: 25)
    switch row.text("smtp_security") {
    case "secure": check["tls"] = .plain("true")
    case "starttls": check["starttls"] = .plain("smtp")
    default: break
    }
    check["dialog"] = .plain("smtp")
    return check
  }

  private func ping() throws(KumaRefusal) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "ping")
    guard let host = row.text("hostname") else { throw KumaRefusal("it has no hostname") }
    check["host"] = .text(host)
    check["count"] = .number(check.within(1...100, "ping_count", row.number("ping_count") ?? 1))
    if let size = row.number("packet_size") {
      check["size"] = .number(check.within(0...1472, "packet_size", size))
    }
    check.note(
      .stricter, "ping_count",
      "Kuma sends a packet each second until as many are answered or the time is over; here as many are sent")
    return check
  }

  /// Kuma fails where there is no answer of the type asked for.
  private func dns() throws(KumaRefusal) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "dns")
    guard let name = row.text("hostname") else { throw KumaRefusal("it has no hostname") }
    let type = row.text("dns_resolve_type") ?? "A"
    // Of a PTR record the monitor has the address.
    check["query.name"] = .text(type == "PTR" ? IPAddress(name)?.reverseName ?? name : name)
    check["query.type"] = .text(type)
    let port = row.number("port") ?? 53
    let servers = (row.text("dns_resolve_server") ?? "1.1.1.1").split(separator: ",").map { $0.trimmed }
    if let first = servers.first {
      check["server"] = .text(port == 53 ? first : "\(bracketed(first)):\(port)")
    }
    if servers.count > 1 {
      check.note(
        .stricter, "dns_resolve_server",
        "only the first server is asked; Kuma asks the next when it does not answer")
    }
    check["expect.count"] = .text(">= 1")
    try conditions(&check)
    return check
  }

  /// One condition on a record; several are joined in ways that answers do not have.
  private func conditions(_ check: inout ImportedCheck) throws(KumaRefusal) {
    guard let text = row["conditions"]?.text, text != "[]" else { return }
    guard let list = try? JSONValue.parse(Array(text.utf8)).array, list.count == 1,
      let value = list[0]["value"]?.string, list[0]["variable"]?.string == "record"
    else { return row.list("several conditions on an answer are not joined", "conditions", change: .laxer) }
    let escaped = PatternText.escaped(value)
    let isMail = check["query.type"]?.word == "MX"
    let start = isMail ? "\\A\\d+ " : "\\A"
    let patterns = [
      "equals": "\(start)\(escaped)\\.?\\z", "contains": escaped, "starts_with": "\(start)\(escaped)",
      "ends_with": "\(escaped)\\.?\\z",
    ]  // own text
    let name = list[0]["operator"]?.string ?? ""
    guard let pattern = patterns[name] else {
      return row.list("it is a condition that answers do not have", "conditions", change: .laxer)
    }
    row.carry("conditions")
    check["expect.answers.any"] = .list([.text("~ \(pattern)")])
  }

  /// A host of MQTT may be written with its scheme.
  private func scheme(of check: inout ImportedCheck) throws(KumaRefusal) {
    guard let host = row["hostname"]?.text, let mark = host.range(of: "://") else { return }
    switch String(host[..<mark.lowerBound]) {
    case "mqtt": break
    case "mqtts": check["tls"] = .plain("true")
    default: throw KumaRefusal("it speaks MQTT over a websocket")
    }
    check["host"] = .text(String(host[mark.upperBound...].prefix { $0 != "/" }))
  }

  /// A service that answers on its port; there is no login.
  private func database(_ type: String) throws(KumaRefusal) -> ImportedCheck {
    let why = "the service is asked whether it is there, and there is no login"
    let usual = ["redis": 6379, "mysql": 3306, "postgres": 5432, "mqtt": 1883]  // own text
    var check: ImportedCheck
    if let text = row["database_connection_string"]?.text, let scheme = text.range(of: "://") {
      check = ImportedCheck(name: "", type: "tcp")
      let rest = ForeignURL(text).url.dropFirst(text[..<scheme.upperBound].count)
      let place = ForeignURL.place(String(rest.prefix { $0 != "/" && $0 != "?" }))
      check["host"] = .text(place.host)
      check["port"] = .number(place.port ?? usual[type] ?? 0)
      if text.hasPrefix("rediss://") {
        let isVerified = !row.flag("ignore_tls")
        check[isVerified ? "tls" : "tls.verify"] = .plain(isVerified ? "true" : "false")
      }
      row.list(why, "database_connection_string", change: .laxer)
    } else {
      check = try service("tcp", port: usual[type])
      if type == "mqtt" { try scheme(of: &check) }
    }
    check["dialog"] = .plain(type)
    row.list(
      why, "database_query", "mqtt_topic", "mqtt_success_message", "mqtt_username", "mqtt_password",
      "mqtt_websocket_path", change: .laxer)
    return check
  }
}
