// SPDX-License-Identifier: MIT

import Basics

/// Uptime Kuma: its database, or the backup in JSON of version 1.
struct KumaImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ file: ImportFile) throws(ImportProblem) -> [ImportedCheck] {
    let source = file.isDatabase ? try database(file) : try ForeignNode.json(file, ledger)
    guard let monitors = source["monitorList"]?.items else {
      throw ImportProblem(
        "no monitors are in it", hint: "give Uptime Kuma's kuma.db, or a backup of version 1 in JSON"
      ).of(file)
    }
    let tags = tags(in: source)
    var checks: [ImportedCheck] = []
    for monitor in monitors {
      ledger.settle()
      let section = Section(monitor, ledger)
      let beside = monitor["id"]?.text.flatMap { tags[ByteText($0)] } ?? []
      let own = (monitor["tags"]?.items ?? []).compactMap(tag)
      guard var check = KumaMonitor(section).check() else { continue }
      do throws(ImportProblem) { try ledger.count(of: check.name) } catch { throw error.of(file) }
      for tag in own + beside { check.tag(tag) }
      check.notes += ledger.takeNotes()
      checks.append(check)
    }
    let section = Section(source, ledger)
    section.list("write alerts.channels, see docs/alerts.md", "notificationList")
    section.list("proxies stand in the check", "proxyList")
    section.list("it says which version wrote the file", "version")
    section.listRest()
    return checks
  }

  private func database(_ file: ImportFile) throws(ImportProblem) -> ForeignNode {
    do throws(ImportProblem) {
      let database = try SQLiteFile(file.bytes)
      guard let monitors = try database.table("monitor", order: "id") else {
        throw ImportProblem("has no table \"monitor\": it is not of Uptime Kuma")
      }
      let tags = try Self.joined(database.table("monitor_tag") ?? [], database.table("tag") ?? [])
      let notifications = (try database.table("notification") ?? []).compactMap { row in
        row.entries?.first { $0.name == "name" }.map { ForeignNode(content: .map([$0]), line: 0) }
      }
      let columns: [(name: String, value: ForeignNode)] = [
        ("monitorList", ForeignNode(content: .list(monitors), line: 0)),
        ("tagList", ForeignNode(content: .list(tags), line: 0)),
        ("notificationList", ForeignNode(content: .list(notifications), line: 0)),
      ]
      return ledger.enter(ForeignNode(content: .map(columns), line: 0), file: file.name)
    } catch { throw error.of(file) }
  }

  /// The tags of monitors with their names.
  private static func joined(_ uses: [ForeignNode], _ tags: [ForeignNode]) -> [ForeignNode] {
    let names = Dictionary(
      tags.compactMap { tag in tag["id"]?.text.flatMap { id in tag["name"].map { (ByteText(id), $0) } } },
      uniquingKeysWith: { first, _ in first })
    return uses.compactMap { use in
      guard let id = use["tag_id"]?.text, let name = names[ByteText(id)] else { return nil }
      let kept = (use.entries ?? []).filter { ["monitor_id", "value"].contains($0.name) }
      return ForeignNode(content: .map(kept + [("name", name)]), line: 0)
    }
  }

  /// The tags of a table beside the monitors, by the id of their monitor.
  private func tags(in source: ForeignNode) -> [ByteText: [String]] {
    var tags: [ByteText: [String]] = [:]
    for entry in source["tagList"]?.items ?? [] {
      guard let id = entry["monitor_id"]?.text, let words = tag(entry) else { continue }
      tags[ByteText(id), default: []].append(words)
    }
    return tags
  }

  private func tag(_ tag: ForeignNode) -> String? {
    ledger.carry(tag)
    guard let name = tag["name"]?.text else { return nil }
    let value = tag["value"]?.text ?? ""
    return value.isEmpty ? name : "\(name):\(value)"
  }
}

/// One monitor: the columns of the table, or the names of the backup, which differ in their spelling.
struct KumaMonitor {
  private let section: Section

  init(_ section: Section) { self.section = section }

  private func value(_ names: String...) -> ForeignNode? {
    for name in names {
      guard let value = section[name], !(value.text?.isEmpty ?? false) else { continue }
      section.ledger.carry(value)
      return value
    }
    return nil
  }

  func check() -> ImportedCheck? {
    let name = value("name")?.text ?? "unnamed"
    guard let type = value("type")?.text, var check = target(type) else {
      section.listRest("no check here is of this kind")
      return nil
    }
    check.name = name
    if value("active")?.flag == false { check["enabled"] = .plain("false") }
    pace(&check)
    if value("upsideDown", "upside_down")?.flag == true { check["negate"] = .plain("true") }
    section.carry(
      "id", "user_id", "weight", "maxretries", "forceInactive", "includeSensitiveData", "pathName", "path",
      "childrenIDs")
    settled()
    section.listRest()
    return check
  }

  /// What a monitor has whether it is used or not.
  private func settled() {
    let unused = [
      "method", "hostname", "port", "url", "keyword", "ignore_tls", "ignoreTls", "maxredirects",
      "accepted_statuscodes", "accepted_statuscodes_json", "expiryNotification", "expiry_notification",
      "dns_resolve_type", "dns_resolve_server", "packetSize", "packet_size", "httpBodyEncoding",
      "http_body_encoding",
      "authMethod", "auth_method", "resend_interval", "resendInterval", "retryInterval", "retry_interval",
      "timeout",
    ]
    for name in unused where section.node[name] != nil {
      section.ledger.list(
        section.node[name], "another kind of monitor's setting, or one that is off", always: false)
    }
    section.list("write alerts.rules, see docs/alerts.md", "notificationIDList")
    section.list("name the group as a tag", "parent")
    section.list("what the page says of it belongs to no check", "description")
  }

  private func seconds(_ names: String...) -> Int? {
    for name in names {
      if let number = value(name)?.text.flatMap({ Double($0) }), number.isFinite, number >= 0, number < 1e8 {
        return Int(number * 1000)
      }
    }
    return nil
  }

  private func pace(_ check: inout ImportedCheck) {
    let interval = seconds("interval") ?? 60_000
    if case .plain("heartbeat")? = check["type"] {
      check["period"] = .duration(max(10_000, interval))
      return
    }
    let timeout = seconds("timeout").flatMap { $0 > 0 ? $0 : nil } ?? interval * 8 / 10
    check.pace(interval: interval, timeout: timeout)
    let retries = min(10, value("maxretries")?.number ?? 0)
    check["retries"] = .number(max(0, retries))
    if retries > 0, let delay = seconds("retryInterval", "retry_interval"), delay > 0 {
      check["retry_delay"] = .duration(min(delay, 3_600_000))
    }
  }

  private func target(_ type: String) -> ImportedCheck? {
    switch type {
    case "http", "keyword", "json-query": return http(type)
    case "port":
      var check = ImportedCheck(name: "", type: "tcp")
      guard host(&check), port(&check) else { return nil }
      return check
    case "ping", "tailscale-ping":
      guard type == "ping" else { return nil }
      var check = ImportedCheck(name: "", type: "ping")
      guard host(&check) else { return nil }
      check["count"] = .plain("1")
      if let size = value("packetSize", "packet_size")?.number, (0...1472).contains(size) {
        check["size"] = .number(size)
      }
      return check
    case "dns": return dns()
    case "push":
      var check = ImportedCheck(name: "", type: "heartbeat")
      guard let token = value("pushToken", "push_token")?.text else { return nil }
      check["token"] = .secret(Redacted(token), as: "token")
      return check
    case "redis", "mysql", "postgres", "mqtt": return database(type)
    default: return nil
    }
  }

  private func host(_ check: inout ImportedCheck) -> Bool {
    guard let host = value("hostname")?.text else { return false }
    check["host"] = .text(host)
    return true
  }

  private func port(_ check: inout ImportedCheck) -> Bool {
    guard let port = value("port")?.number else { return false }
    check["port"] = .number(port)
    return true
  }

  private func http(_ type: String) -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "http")
    guard let url = value("url")?.text else { return nil }
    check.take(url: url)
    if let method = value("method")?.text { check["method"] = .text(method.uppercased()) }
    headers(&check)
    if let body = value("body")?.text { check["body"] = .text(body) }
    if value("ignoreTls", "ignore_tls")?.flag == true { check["tls.verify"] = .plain("false") }
    if let most = value("maxredirects")?.number {
      if most == 0 {
        check["follow"] = .plain("false")
      } else {
        check["max_redirects"] = .number(min(20, most))
      }
    }
    statuses(&check)
    if value("expiryNotification", "expiry_notification")?.flag == true {
      check["expect.certificate.warn"] = .plain("21d")
    }
    if type == "keyword", let word = value("keyword")?.text {
      let isInverted = value("invertKeyword", "invert_keyword")?.flag == true
      check[isInverted ? "expect.body.not_contains" : "expect.body.contains"] = .text(word)
    }
    if type == "json-query" {
      section.list(
        "JSONata is not spoken here; write the condition as expect.json", "jsonPath", "json_path",
        "expectedValue",
        "expected_value", "jsonPathOperator", "json_path_operator")
    }
    auth(&check)
    return check
  }

  private func headers(_ check: inout ImportedCheck) {
    guard let node = section["headers"], let text = node.text, !text.isEmpty else { return }
    guard let members = try? JSONValue.parse(Array(text.utf8)).members else {
      section.list("it is no JSON object", "headers")
      return
    }
    section.carry("headers")
    for member in members { if let value = member.value.string { check.header(member.name, value) } }
  }

  /// A list, or its text in JSON; such as `200-299`.
  private func statuses(_ check: inout ImportedCheck) {
    var codes = section["accepted_statuscodes"]?.items?.compactMap(\.text) ?? []
    if codes.isEmpty, let text = section["accepted_statuscodes_json"]?.text,
      let list = try? JSONValue.parse(Array(text.utf8)).array
    {
      codes = list.compactMap(\.string)
    }
    section.carry("accepted_statuscodes", "accepted_statuscodes_json")
    let known = codes.filter {
      !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2d }
    }
    if !known.isEmpty { check["expect.status"] = .list(known.map { .plain($0) }) }
  }

  private func auth(_ check: inout ImportedCheck) {
    let method = value("authMethod", "auth_method")?.text
    switch method {
    case nil, "null", "": break
    case "basic":
      guard let name = value("basic_auth_user", "basicAuthUser")?.text else { break }
      check["auth.basic.username"] = .text(name)
      check["auth.basic.password"] = .secret(
        Redacted(value("basic_auth_pass", "basicAuthPass")?.text ?? ""), as: "password")
    case "oauth2-cc":
      check["auth.oauth2.token_url"] = value("oauth_token_url", "oauthTokenUrl")?.text.map { .text($0) }
      check["auth.oauth2.client_id"] = value("oauth_client_id", "oauthClientId")?.text.map { .text($0) }
      check["auth.oauth2.client_secret"] = value("oauth_client_secret", "oauthClientSecret")?.text
        .map { .secret(Redacted($0), as: "client secret") }
      let scopes = value("oauth_scopes", "oauthScopes")?.text ?? ""
      if !scopes.isEmpty {
        check["auth.oauth2.scopes"] = .list(scopes.split(separator: " ").map { .text(String($0)) })
      }
    default:
      section.list(
        "this way of saying who asks is not spoken here", "authMethod", "auth_method", "basic_auth_user",
        "basic_auth_pass", "authDomain", "auth_domain", "authWorkstation", "auth_workstation")
      section.list(
        "write the files' names as tls.client_certificate, client_key and ca_file", "tlsCert", "tls_cert",
        "tlsKey", "tls_key", "tlsCa", "tls_ca")
    }
  }

  private func dns() -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "dns")
    guard let name = value("hostname")?.text else { return nil }
    check["query.name"] = .text(name)
    check["query.type"] = .text(value("dns_resolve_type")?.text ?? "A")
    if let server = value("dns_resolve_server")?.text {
      let first = server.split(separator: ",").first.map { $0.trimmed } ?? server
      let port = value("port")?.number ?? 53
      check["server"] = .text(port == 53 ? first : "\(first):\(port)")
    }
    section.list("it is the last answer", "dns_last_result")
    return check
  }

  /// A service that answers on its port; who it lets in is not asked.
  private func database(_ type: String) -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "tcp")
    let usual = ["redis": 6379, "mysql": 3306, "postgres": 5432, "mqtt": 1883]  // own text
    if let node = section["databaseConnectionString"] ?? section["database_connection_string"],
      let text = node.text,
      let scheme = text.range(of: "://")
    {
      let rest = ForeignURL(text).url.dropFirst(text[..<scheme.upperBound].count)
      let place = ForeignURL.place(String(rest.prefix { $0 != "/" && $0 != "?" }))
      check["host"] = .text(place.host)
      check["port"] = .number(place.port ?? usual[type] ?? 0)
      section.ledger.list(node, "the service is asked whether it is there, nobody logs in")
    } else {
      guard host(&check) else { return nil }
      if !port(&check) { check["port"] = .number(usual[type] ?? 0) }
    }
    check["dialog"] = .plain(type)
    section.list(
      "the service is asked whether it is there, nobody logs in", "databaseQuery", "database_query",
      "mqttTopic",
      "mqtt_topic", "mqttSuccessMessage", "mqtt_success_message", "mqttUsername", "mqtt_username",
      "mqttPassword",
      "mqtt_password")
    return check
  }
}
