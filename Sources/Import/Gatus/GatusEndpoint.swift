// SPDX-License-Identifier: MIT

import Basics

/// One endpoint.
struct GatusEndpoint {
  let section: Section
  private let name: String
  private let group: String

  init(_ section: Section) {
    self.section = section
    name = section.text("name") ?? "unnamed"
    group = section.text("group") ?? ""
  }

  var title: String { GatusVariables.name(group.isEmpty ? name : "\(group) \(name)") }

  /// Why there is no check.
  private struct NoCheck: Error {
    var why: String
    init(_ why: String) { self.why = why }
  }

  func check(_ alerts: inout GatusAlerts) -> ImportedCheck? {
    let before = section.ledger.carried
    do throws(NoCheck) {
      var check = try made()
      finish(&check, &alerts, before)
      return check
    } catch {
      section.listAll(error.why)
      section.ledger.leaveOut(title, error.why)
      return nil
    }
  }

  private func made() throws(NoCheck) -> ImportedCheck {
    guard let url = section["url"]?.text else { throw NoCheck("it has no url") }
    var check = try target(url)
    section.carry("url")
    identity(&check)
    try request(&check)
    try client(&check)
    let timeout = timeout(of: check)
    let interval = duration("interval", of: section) ?? 60_000
    check.pace(interval: interval, timeout: timeout)
    check["retries"] = .plain("0")
    let rest = url.range(of: "://").map { url[$0.upperBound...] } ?? url[...]
    var conditions = GatusConditions(
      check, section.ledger, timeout: min(timeout, interval, 60_000),
      host: ForeignURL.place(String(rest.prefix { !"/?#".contains($0) })).host, isTLS: url.hasPrefix("https:")
    )
    if let why = conditions.judge(section["conditions"]?.items ?? [], &check) { throw NoCheck(why) }
    return check
  }

  /// Names are asked for by a client of their own, whose two seconds no setting changes.
  private func timeout(of check: ImportedCheck) -> Int {
    let client = section.section("client")
    guard check["type"]?.word == "dns" else {
      return client.flatMap { duration("timeout", of: $0) } ?? 10_000
    }
    client?.list("Gatus waits two seconds for a name server, whatever it says", "timeout")
    return 2000
  }

  private func finish(_ check: inout ImportedCheck, _ alerts: inout GatusAlerts, _ before: Int) {
    check.key = section.ledger.nextKey()
    alerts.read(section, of: &check, group: group)
    for window in section["maintenance-windows"]?.items ?? [] {
      let made = GatusMaintenance.windows(Section(window, section.ledger))
      for window in made { check.append("maintenance", .map(window.keys)) }
      if !made.isEmpty { check.note(.changed, "maintenance-windows", GatusMaintenance.why) }
    }
    section.list("how the page shows it", "ui")
    section.listRest()
    check.writeVariables()
    check.notes += section.ledger.takeNotes()
    check.carried = section.ledger.carried - before
  }

  /// Endpoints whose results are reported to Gatus.
  func heartbeat(_ alerts: inout GatusAlerts) -> ImportedCheck? {
    let before = section.ledger.carried
    var check = ImportedCheck(name: "", type: "heartbeat")
    identity(&check)
    let period = section.section("heartbeat").flatMap { duration("interval", of: $0) }
    guard let period, period >= 10_000, let token = section.text("token") else {
      let why = "without heartbeat.interval it is not known when a report is overdue"
      section.listAll(why)
      section.ledger.leaveOut(title, why)
      return nil
    }
    check["token"] = .secret(Redacted(token), as: "token")
    check["period"] = .duration(period)
    // Gatus waits no longer than the interval.
    check["grace"] = .plain("0s")
    check.note(.changed, "token", "jobs report to /hb/TOKEN of the agent, and a failure to /hb/TOKEN/fail")
    finish(&check, &alerts, before)
    return check
  }

  private func duration(_ name: String, of section: Section) -> Int? {
    guard let node = section[name], let text = node.text else { return nil }
    guard let span = ForeignDuration.milliseconds(text), span > 0 else {
      section.ledger.list(node, "it is no duration that is known here", .changed)
      return nil
    }
    section.ledger.carry(node)
    return span
  }

  private func identity(_ check: inout ImportedCheck) {
    check.name = group.isEmpty ? name : "\(group) \(name)"
    if !group.isEmpty { check.tag(GatusVariables.name(group)) }
    if section.flag("enabled") == false { check["enabled"] = .plain("false") }
    for label in section["extra-labels"]?.entries ?? [] {
      section.ledger.carry(label.value)
      check.tag(GatusVariables.name("\(label.name):\(label.value.text ?? "")"))
    }
  }

  private func target(_ text: String) throws(NoCheck) -> ImportedCheck {
    if section["dns"] != nil { return try dns(text) }
    guard let mark = text.range(of: "://"), !GatusVariables.isIn(String(text[..<mark.lowerBound])) else {
      throw NoCheck("the kind of check is in a variable of the environment, or no kind that is known")
    }
    let (scheme, rest) = (String(text[..<mark.lowerBound]), String(text[mark.upperBound...]))
    let place = ForeignURL.place(String(rest.prefix { !"/?".contains($0) }))
    var check: ImportedCheck
    switch scheme {
    case "http", "https":
      check = ImportedCheck(name: "", type: "http")
      check.take(url: text)
      // Gatus asks for no more than its conditions do.
      check["expect.status"] = .plain("any")
      return check
    case "tcp": check = ImportedCheck(name: "", type: "tcp")
    case "tls": check = ImportedCheck(name: "", type: "tls")
    case "starttls":
      check = ImportedCheck(name: "", type: "tls")
      check["starttls"] = .plain("smtp")
    case "icmp":
      check = ImportedCheck(name: "", type: "ping")
      check["host"] = .text(rest)
      check["count"] = .plain("1")
      return check
    case "ssh": return ssh(place)
    default: throw NoCheck("no check here speaks \(scheme.printable(maxBytes: 40))")
    }
    guard let port = place.port else { throw NoCheck("it has no port that is known before the start") }
    check["host"] = .text(place.host)
    check["port"] = .number(port)
    if scheme != "tcp" { check["expect.certificate.warn"] = .plain("0d") }
    return check
  }

  private func ssh(_ place: (host: String, port: Int?)) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "tcp")
    check["host"] = .text(place.host)
    check["port"] = .number(place.port ?? 22)
    check["dialog"] = .plain("ssh")
    section.list("the greeting is read, and there is no login", "ssh", "body", change: .laxer)
    return check
  }

  private func dns(_ server: String) throws(NoCheck) -> ImportedCheck {
    guard let dns = section.section("dns"), let name = dns.text("query-name") else {
      throw NoCheck("it asks for no name")
    }
    var check = ImportedCheck(name: "", type: "dns")
    check["server"] = .text(server)
    check["query.name"] = .text(name)
    check["query.type"] = .text(dns.text("query-type") ?? "A")
    return check
  }
}

// Requests and how they are made.
extension GatusEndpoint {
  private func request(_ check: inout ImportedCheck) throws(NoCheck) {
    guard check["type"]?.word == "http" else {
      if check["type"]?.word == "tcp", check["dialog"] == nil, let body = try body() {
        check.say(BlackboxTCP.escaped(body))
      }
      if check["type"]?.word == "tls", check["starttls"] == nil {
        section.list("nothing is sent after the handshake, and no answer awaited", "body", change: .laxer)
      }
      return
    }
    let method = (section.text("method") ?? "GET").uppercased()
    guard !GatusVariables.isIn(method) else {
      throw NoCheck("its method is in a variable of the environment")
    }
    if section["method"] != nil { check["method"] = .text(method) }
    for header in section["headers"]?.entries ?? [] {
      guard let value = header.value.text else { continue }
      section.ledger.carry(header.value)
      check.header(header.name, value)
    }
    guard !["HEAD", "TRACE"].contains(method) else {
      section.list("a \(method) request has no body here", "body", "graphql", change: .changed)
      return
    }
    guard var body = try body() else { return }
    if section.flag("graphql") == true {
      body = "{\"query\":\(JSONValue.string(body).text)}"
      let names = (section["headers"]?.entries ?? []).map { $0.name.lowercased() }
      if !names.contains("content-type") { check.header("Content-Type", "application/json") }
    }
    check.body(body)
  }

  private func body() throws(NoCheck) -> String? {
    guard var body = section["body"]?.text else { return nil }
    for word in ["[RANDOM_STRING_", "[LOCAL_ADDRESS]"] where body.range(of: word) != nil {
      throw NoCheck("a body that is another one each time is not sent")
    }
    section.carry("body")
    for (word, value) in [
      ("[ENDPOINT_NAME]", name), ("[ENDPOINT_GROUP]", group), ("[ENDPOINT_URL]", section["url"]?.text ?? ""),
    ] { body = body.replacing(word, with: value) }
    return body
  }

  private func client(_ check: inout ImportedCheck) throws(NoCheck) {
    guard let client = section.section("client") else { return }
    for (key, why) in [
      ("identity-aware-proxy", "it needs a login of Google's Identity-Aware Proxy"),
      ("tunnel", "it is reached through an SSH tunnel"),
    ] where client[key] != nil { throw NoCheck(why) }
    let kind = check["type"]?.word
    if let insecure = client.flag("insecure"), insecure, kind == "http" || kind == "tls" {
      check["tls.verify"] = .plain("false")
    }
    if let isIgnored = client.flag("ignore-redirect"), isIgnored, kind == "http" {
      check["follow"] = .plain("false")
    }
    if let url = client.text("proxy-url"), kind == "http" {
      check.proxy(url)
    }
    resolver(client, &check)
    if let network = client["network"]?.text {
      client.carry("network")
      if kind == "ping", network == "ip4" || network == "ip6" {
        check["ip"] = .text(String(network.suffix(1)))
      }
    }
    guard kind == "http" else {
      return client.list("Gatus uses it for http only", "oauth2", "tls", "store-cookies")
    }
    if let oauth = client.section("oauth2") { credentials(oauth, &check) }
    if let tls = client.section("tls") {
      if let file = tls.text("certificate-file") { check["tls.client_certificate"] = .text(file) }
      if let file = tls.text("private-key-file") { check["tls.client_key"] = .text(file) }
      let isRenewed = ["once", "freely"].contains(tls["renegotiation"]?.text)
      tls.list(
        "a handshake is never repeated within a connection", "renegotiation",
        change: isRenewed ? .stricter : nil)
    }
    client.list("cookies are kept for one check only", "store-cookies", change: .changed)
  }

  /// `udp://192.0.2.53:53`
  private func resolver(_ client: Section, _ check: inout ImportedCheck) {
    guard let text = client["dns-resolver"]?.text else { return }
    guard check["type"]?.word == "http" || check["starttls"] != nil else {
      return client.list("Gatus asks it for http and starttls only", "dns-resolver")
    }
    let parts = text.range(of: "://").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
    guard let (scheme, server) = parts, scheme == "udp" || scheme == "tcp" else {
      return client.list("it is no resolver that is known", "dns-resolver", change: .changed)
    }
    client.carry("dns-resolver")
    check["resolver"] = .text(server.hasSuffix(":53") ? String(server.dropLast(3)) : String(server))
    if scheme == "tcp" { check.note(.changed, "client.dns-resolver", "it is asked over UDP first") }
  }

  private func credentials(_ oauth: Section, _ check: inout ImportedCheck) {
    check["auth.oauth2.token_url"] = oauth.text("token-url").map { .text($0) }
    check["auth.oauth2.client_id"] = oauth.text("client-id").map { .text($0) }
    check["auth.oauth2.client_secret"] = oauth.text("client-secret").map {
      .secret(Redacted($0), as: "client secret")
    }
    let scopes = oauth.texts("scopes")
    if !scopes.isEmpty { check["auth.oauth2.scopes"] = .list(scopes.map { .text($0) }) }
  }
}
