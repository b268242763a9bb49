// SPDX-License-Identifier: MIT

import Basics

/// A configuration of Gatus.
struct GatusImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ file: ImportFile) throws(ImportProblem) -> [ImportedCheck] {
    var checks: [ImportedCheck] = []
    for document in try ForeignNode.documents(file, ledger) {
      let section = Section(document, ledger)
      for name in ["endpoints", "services"] {
        for endpoint in section[name]?.items ?? [] {
          ledger.settle()
          guard let check = GatusEndpoint(Section(endpoint, ledger)).check() else { continue }
          do throws(ImportProblem) { try ledger.count(of: check.name) } catch { throw error.of(file) }
          checks.append(check)
        }
      }
      for endpoint in section["external-endpoints"]?.items ?? [] {
        ledger.settle()
        if let check = GatusEndpoint(Section(endpoint, ledger)).heartbeat() { checks.append(check) }
      }
      section.list("steps that use one another's answers are no checks here", "suites")
      section.list("write alerts.channels, see docs/alerts.md", "alerting")
      section.list("write maintenance, see docs/configuration.md", "maintenance")
      section.list("the store is built in", "storage")
      section.list(
        "the page and the metrics are built in: see status in docs/configuration.md", "web", "ui", "metrics")
      section.list("write status.read_token", "security")
      section.list("checks are spread over their interval", "disable-monitoring-lock", "concurrency")
      section.list("name a check in canaries", "connectivity")
      section.listRest()
    }
    return checks
  }
}

/// One endpoint.
struct GatusEndpoint {
  private let section: Section

  init(_ section: Section) { self.section = section }

  func check() -> ImportedCheck? {
    let name = section.text("name") ?? "unnamed"
    guard let url = section["url"]?.text, var check = target(url) else {
      section.listRest("no check here speaks what this address asks for")
      return nil
    }
    section.carry("url")
    identity(&check, name)
    request(&check)
    client(&check)
    let timeout = section["client"]?["timeout"]?.text.flatMap { ForeignDuration.milliseconds($0) } ?? 10_000
    let interval = section.text("interval").flatMap { ForeignDuration.milliseconds($0) } ?? 60_000
    check.pace(interval: interval, timeout: timeout)
    check["retries"] = .plain("0")
    var conditions = GatusConditions(section.ledger, timeout: min(timeout, interval))
    conditions.judge(section["conditions"]?.items ?? [], &check)
    section.list("write alerts.rules, see docs/alerts.md", "alerts")
    section.list("write maintenance in the check", "maintenance-windows")
    section.list("how the page shows it", "ui")
    section.listRest()
    check.notes += section.ledger.takeNotes()
    return check
  }

  /// What others report to Gatus.
  func heartbeat() -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "heartbeat")
    identity(&check, section.text("name") ?? "unnamed")
    let period = section.section("heartbeat")?.text("interval").flatMap { ForeignDuration.milliseconds($0) }
    guard let period, period >= 10_000, let token = section.text("token") else {
      section.listRest("without heartbeat.interval nobody knows when a report is overdue")
      return nil
    }
    check["token"] = .secret(Redacted(token), as: "token")
    check["period"] = .duration(period)
    section.list("write alerts.rules, see docs/alerts.md", "alerts")
    section.listRest()
    check.notes += section.ledger.takeNotes()
    return check
  }

  private func identity(_ check: inout ImportedCheck, _ name: String) {
    check.name = name
    if let group = section.text("group"), !group.isEmpty {
      check.name = "\(group) \(name)"
      check.tag(group)
    }
    if section.flag("enabled") == false { check["enabled"] = .plain("false") }
    for label in section["extra-labels"]?.entries ?? [] {
      section.ledger.carry(label.value)
      check.tag("\(label.name):\(label.value.text ?? "")")
    }
  }

  private func target(_ text: String) -> ImportedCheck? {
    if section["dns"] != nil { return dns(text) }
    let parts = text.range(of: "://").map { (String(text[..<$0.lowerBound]), String(text[$0.upperBound...])) }
    guard let (scheme, rest) = parts else { return nil }
    let place = ForeignURL.place(String(rest.prefix { $0 != "/" }))
    var check: ImportedCheck
    switch scheme.lowercased() {
    case "http", "https":
      check = ImportedCheck(name: "", type: "http")
      check.take(url: reference(text))
      // Gatus asks for no more than its conditions do.
      check["expect.status"] = .plain("any")
      return check
    case "tcp": check = ImportedCheck(name: "", type: "tcp")
    case "tls": check = ImportedCheck(name: "", type: "tls")
    case "starttls":
      check = ImportedCheck(name: "", type: "tls")
      check["starttls"] = .plain("smtp")
    case "icmp", "ping":
      check = ImportedCheck(name: "", type: "ping")
      check["host"] = .text(place.host)
      check["count"] = .plain("1")
      return check
    case "ssh":
      check = ImportedCheck(name: "", type: "tcp")
      check["host"] = .text(place.host)
      check["port"] = .number(place.port ?? 22)
      check["dialog"] = .plain("ssh")
      section.list("the greeting is read and nobody logs in", "ssh")
      return check
    default: return nil
    }
    guard let port = place.port else { return nil }
    check["host"] = .text(place.host)
    check["port"] = .number(port)
    if scheme != "tcp" { check["expect.certificate.warn"] = .plain("0d") }
    return check
  }

  private func reference(_ text: String) -> String { text }

  private func dns(_ server: String) -> ImportedCheck? {
    guard let dns = section.section("dns"), let name = dns.text("query-name") else { return nil }
    var check = ImportedCheck(name: "", type: "dns")
    check["server"] = .text(server.replacing("dns://", with: ""))
    check["query.name"] = .text(name)
    check["query.type"] = .text(dns.text("query-type") ?? "A")
    check["expect.rcode"] = .list(["NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED"].map { .plain($0) })
    return check
  }

  private func request(_ check: inout ImportedCheck) {
    guard case .plain("http")? = check["type"] else {
      if case .plain("tcp")? = check["type"], let body = section.text("body") {
        check.append("dialog", .map([("send", .text(BlackboxTCP.escaped(body)))]))
      }
      return
    }
    if let method = section.text("method") { check["method"] = .text(method.uppercased()) }
    for header in section["headers"]?.entries ?? [] {
      guard let value = header.value.text else { continue }
      section.ledger.carry(header.value)
      check.header(header.name, value)
    }
    guard var body = section.text("body") else { return }
    if section.flag("graphql") == true {
      body = "{\"query\":\(JSONValue.string(body).text)}"
      check.header("Content-Type", "application/json")
    }
    check["body"] = .text(body)
  }

  private func client(_ check: inout ImportedCheck) {
    guard let client = section.section("client") else { return }
    client.carry("timeout")
    let hasTLS =
      if case .plain("http")? = check["type"] { true } else if case .plain("tls")? = check["type"] {
        true
      } else { false }
    if client.flag("insecure") == true, hasTLS { check["tls.verify"] = .plain("false") }
    if client.flag("ignore-redirect") == true { check["follow"] = .plain("false") }
    if let url = client.text("proxy-url") {
      check["proxy"] = ForeignURL(url).username == nil ? .text(url) : .secret(Redacted(url), as: "proxy")
    }
    if let resolver = client["dns-resolver"]?.text {
      client.carry("dns-resolver")
      check["resolver"] = .text(resolver.split(separator: "/").last.map(String.init) ?? resolver)
    }
    if let network = client["network"]?.text, network == "ip4" || network == "ip6" {
      client.carry("network")
      check["ip"] = .text(String(network.suffix(1)))
    }
    if let oauth = client.section("oauth2") {
      check["auth.oauth2.token_url"] = oauth.text("token-url").map { .text($0) }
      check["auth.oauth2.client_id"] = oauth.text("client-id").map { .text($0) }
      check["auth.oauth2.client_secret"] = oauth.text("client-secret").map {
        .secret(Redacted($0), as: "client secret")
      }
      let scopes = oauth.texts("scopes")
      if !scopes.isEmpty { check["auth.oauth2.scopes"] = .list(scopes.map { .text($0) }) }
    }
    if let tls = client.section("tls") {
      if let file = tls.text("certificate-file") { check["tls.client_certificate"] = .text(file) }
      if let file = tls.text("private-key-file") { check["tls.client_key"] = .text(file) }
    }
    client.list("it needs Google's own service", "identity-aware-proxy")
    client.list("nothing is tunnelled through SSH", "tunnel")
  }
}
