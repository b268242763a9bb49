// SPDX-License-Identifier: MIT

import Basics

// http, keyword and json-query
extension KumaMonitor {
  func http(_ type: String) throws(KumaRefusal) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "http")
    guard let url = row.text("url") else { throw KumaRefusal("it has no url") }
    check.take(url: url)
    let method = (row.text("method") ?? "GET").uppercased()
    if method != "GET" { check["method"] = .text(method) }
    let names = headers(&check)
    body(&check, method: method, hasType: names.contains("content-type"))
    let isUnverified = row.flag("ignore_tls")
    if isUnverified { check["tls.verify"] = .plain("false") }
    if let most = row.number("maxredirects") { check.redirects("maxredirects", most) }
    switch row.text("ip_family") {
    case "ipv4": check["ip"] = .plain("4")
    case "ipv6": check["ip"] = .plain("6")
    default: break
    }
    let codes = row.texts("accepted_statuscodes") + row.texts("accepted_statuscodes_json")
    let known = codes.filter {
      $0.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2d } && !$0.isEmpty
    }
    if known.count < codes.count {
      check.note(.changed, "accepted_statuscodes", "one of them is no status and no range of statuses")
    }
    if !known.isEmpty { check["expect.status"] = .list(known.map { .plain($0) }) }
    // Kuma does not look at the days of a certificate that it does not verify.
    if row.flag("expiry_notification"), !isUnverified, url.hasPrefix("https:") {
      check["expect.certificate.warn"] = days.first.map { .plain("\($0)d") }
    }
    if type == "keyword" { keyword(&check) }
    if type == "json-query" { try query(&check) }
    if row["cache_bust"]?.flag == true {
      row.list("a parameter that is another one each time is not sent", "cache_bust", change: .changed)
    }
    try auth(&check, isGiven: names.contains("authorization"))
    try proxy(&check)
    return check
  }

  private func keyword(_ check: inout ImportedCheck) {
    guard let word = row.text("keyword") else { return }
    check[row.flag("invert_keyword") ? "expect.body.not_contains" : "expect.body.contains"] = .list([
      .text(word)
    ])
    // An answer in JSON is read, and written again without blanks, before the keyword is looked for.
    if ["\":", "\",", "{\"", "[\""].contains(where: { word.range(of: $0) != nil }) {
      check.note(
        .changed, "keyword", "Kuma looks for it in the answer's JSON without blanks, not in what was sent")
    }
  }

  /// A path of names and numbers, compared with a text.
  private func query(_ check: inout ImportedCheck) throws(KumaRefusal) {
    var path = row["json_path"]?.text ?? "$"
    if path.hasPrefix("$.") { path = String(path.dropFirst(2)) }
    let isPlain = path.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20)
        || [0x5f, 0x2e, 0x5b, 0x5d].contains($0)
    }
    guard isPlain || path == "$", let made = path == "$" ? GatusPath.root : GatusPath(path) else {
      throw KumaRefusal("its JSON query is more than a path")
    }
    let sign = row.text("json_path_operator") ?? "=="
    let expected = row.text("expected_value") ?? ""
    let escaped = PatternText.escaped(expected)
    let value: String
    switch sign {
    case "==": value = "~ (?s)\\A\(escaped)\\z"
    case "!=": value = "!~ (?s)\\A\(escaped)\\z"
    case "contains": value = "~ (?s)\(escaped)"
    case "<", "<=", ">", ">=":
      guard JSONValue.isNumber(expected) else { throw KumaRefusal("its JSON query compares no number") }
      value = "\(sign) \(expected)"
    default: throw KumaRefusal("its JSON query compares in a way that is not known")
    }
    row.carry("json_path")
    check.entry("expect.json", made.text, .text(value))
  }

  /// - Returns: the names, in lower case.
  private func headers(_ check: inout ImportedCheck) -> [String] {
    guard let text = row["headers"]?.text else { return [] }
    guard let members = try? JSONValue.parse(Array(text.utf8)).members else {
      row.list("it is no JSON object", "headers", change: .changed)
      return []
    }
    row.carry("headers")
    for member in members { check.header(member.name, member.value.string ?? member.value.text) }
    return members.map { $0.name.lowercased() }
  }

  private func body(_ check: inout ImportedCheck, method: String, hasType: Bool) {
    // Blanks are no body.
    guard let text = row["body"]?.text, !text[...].trimmed.isEmpty else {
      return row.carry("body", "http_body_encoding")
    }
    guard !["HEAD", "TRACE"].contains(method) else {
      return row.list("a \(method) request has no body here", "body", "http_body_encoding", change: .changed)
    }
    let types = [
      "json": "application/json", "form": "application/x-www-form-urlencoded",
      "xml": "text/xml; charset=utf-8",
    ]  // own text
    row.carry("body")
    let encoding = row.text("http_body_encoding") ?? "json"
    if !hasType, let type = types[encoding] { check.header("Content-Type", type) }
    if encoding == "json", (try? JSONValue.parse(Array(text.utf8))) == nil {
      check.note(.laxer, "body", "it is no JSON, so Kuma's monitor is always down")
    }
    check.body(text)
  }

  /// - Parameter isGiven: whether a header says who asks, which counts for Kuma then.
  private func auth(_ check: inout ImportedCheck, isGiven: Bool) throws(KumaRefusal) {
    let method = row.text("auth_method")
    guard !isGiven || !["basic", "bearer", "oauth2-cc"].contains(method) else {
      return row.list(
        "the header Authorization counts, as for Kuma", "basic_auth_user", "basic_auth_pass", "bearer_token",
        "oauth_token_url", "oauth_client_id", "oauth_client_secret", "oauth_scopes", "oauth_audience")
    }
    switch method {
    case nil, "null":
      row.list("another way to log in is used, or none", "basic_auth_user", "basic_auth_pass")
    case "basic":
      guard let name = row.text("basic_auth_user") else { return }
      check.login(name, row.text("basic_auth_pass") ?? "")
    case "bearer":
      check["auth.bearer"] = row.text("bearer_token").map { .secret(Redacted($0), as: "token") }
    case "oauth2-cc":
      check["auth.oauth2.token_url"] = row.text("oauth_token_url").map { .text($0) }
      check["auth.oauth2.client_id"] = row.text("oauth_client_id").map { .text($0) }
      check["auth.oauth2.client_secret"] = row.text("oauth_client_secret").map {
        .secret(Redacted($0), as: "client secret")
      }
      let scopes = (row.text("oauth_scopes") ?? "").split(separator: " ")
      if !scopes.isEmpty { check["auth.oauth2.scopes"] = .list(scopes.map { .text(String($0)) }) }
      row.list("a token is asked for without it", "oauth_audience", change: .changed)
      // Both ways are tried.
      row.carry("oauth_auth_method")
    case "mtls":
      throw KumaRefusal("its client certificate is in the database: write files, and tls.client_certificate")
    default: throw KumaRefusal("it logs in by NTLM, or in a way that is not known")
    }
  }

  private func proxy(_ check: inout ImportedCheck) throws(KumaRefusal) {
    guard let id = row["proxy_id"]?.text else { return }
    guard let node = proxies[ByteText(id)] else { throw KumaRefusal("its proxy is not in the file") }
    row.carry("proxy_id")
    let proxy = KumaRow(node, row.ledger)
    guard proxy["active"]?.flag == true else { return proxy.carry("active") }
    guard let host = proxy["host"]?.text, let port = proxy["port"]?.number,
      let scheme = proxy["protocol"]?.text
    else {
      throw KumaRefusal("its proxy has no address")
    }
    let schemes = ["http": "http", "socks": "socks5h", "socks5": "socks5h", "socks5h": "socks5h"]  // own text
    guard let ours = schemes[scheme] else {
      throw KumaRefusal("its proxy speaks \(scheme.printable(maxBytes: 40)), which no check does")
    }
    proxy.carry("active", "host", "port", "protocol")
    if scheme == "socks" || scheme == "socks5" {
      check.note(.changed, "proxy_id", "the proxy resolves the target's name, too")
    }
    guard proxy.flag("auth"), let name = proxy.text("username") else {
      check["proxy"] = .text("\(ours)://\(bracketed(host)):\(port)")
      return
    }
    let login = "\(percentEncoded(name)):\(percentEncoded(proxy.text("password") ?? ""))"
    check["proxy"] = .secret(Redacted("\(ours)://\(login)@\(bracketed(host)):\(port)"), as: "proxy")
  }
}
