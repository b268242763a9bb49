// SPDX-License-Identifier: MIT

import Basics

/// The settings of the http prober.
struct BlackboxHTTP {
  private let section: Section

  init(_ section: Section) { self.section = section }

  func check(of target: String) -> ImportedCheck {
    var check = ImportedCheck(name: target, type: "http")
    check.take(url: target.contains("://") ? target : "http://\(target)")
    request(&check)
    answer(&check)
    body(&check)
    headers(&check)
    auth(&check)
    section.tls(of: &check)
    certificate(&check)
    // Without redirects an address in the clear never comes to TLS.
    if !target.lowercased().hasPrefix("https://"), check["follow"] != nil { check.remove("tls") }
    section.family(of: &check)
    check.nameMethod()
    return check
  }

  private func request(_ check: inout ImportedCheck) {
    if let method = section.text("method"), !method.isEmpty { check["method"] = .text(method.uppercased()) }
    if let headers = section.section("headers") {
      for header in headers.node.entries ?? [] {
        guard let value = header.value.text else { continue }
        headers.ledger.carry(header.value)
        check.header(header.name, value)
      }
    }
    furtherHeaders(&check)
    if let body = section.text("body"), !body.isEmpty { check.body(body) }
    if let file = section.text("body_file") { check["body_file"] = .text(file) }
    if section.flag("follow_redirects") == false { check["follow"] = .plain("false") }
    if section.flag("no_follow_redirects") == true { check["follow"] = .plain("false") }
    // Also of /probe, which writes no file.
    check.followDown()
    if let url = section.text("proxy_url") { check.proxy(url) }
    section.carry("skip_resolve_phase_with_proxy", "compression")
    if let limit = section["body_size_limit"]?.text.flatMap(Self.bytes), limit <= 16 << 20 {
      section.carry("body_size_limit")
      if limit > 0 { check["max_body"] = .plain("\(limit)B") }
    }
    section.list("an answer of more than 16 MiB is down here", "body_size_limit", change: .stricter)
    if section["enable_http2"]?.flag == false {
      section.carry("enable_http2")
      check["http_version"] = .text("1.1")
    }
    section.carry("enable_http2")
    if section["enable_http3"]?.flag == false { section.carry("enable_http3") }
    section.list("HTTP/3 is not spoken here", "enable_http3", change: .changed)
    section.list(
      "variables of the environment never choose a proxy here", "proxy_from_environment", "no_proxy",
      change: .changed)
    section.list("no headers of our own go to a proxy", "proxy_connect_header", change: .changed)
  }

  /// `http_headers`: values in the clear, secret ones, and files with one each.
  private func furtherHeaders(_ check: inout ImportedCheck) {
    for header in section.section("http_headers")?.node.entries ?? [] {
      let values = Section(header.value, section.ledger)
      for value in values.texts("values") { check.header(header.name, value) }
      for value in values.texts("secrets") {
        check.entry("headers", header.name, .secret(Redacted(value), as: header.name))
      }
      guard let files = values["files"]?.all else { continue }
      let made = files.compactMap { $0.text.flatMap { AgentValue.file($0) } }
      guard made.count == files.count else {
        values.list(AgentValue.oddFile, "files")
        continue
      }
      values.carry("files")
      for file in made { check.entry("headers", header.name, file) }
    }
  }

  /// `10MB` as the exporter reads it; `nil`: it does not.
  static func bytes(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), number.isFinite, number < 1e9 else { return nil }
    let factors = ["B": 0, "KB": 10, "KiB": 10, "MB": 20, "MiB": 20, "GB": 30, "GiB": 30]  // own text
    guard let shift = factors[String(text.dropFirst(digits.count))] else { return text == "0" ? 0 : nil }
    return Int(number * Double(1 << shift))
  }

  private func answer(_ check: inout ImportedCheck) {
    let codes = section.texts("valid_status_codes")
    if !codes.isEmpty {
      check["expect.status"] = .list(codes.map { Int($0) == nil ? .text($0) : .plain($0) })
    }
    if section.flag("accept_any_response") == true { check["expect.status"] = .plain("any") }
    versions(&check)
    if section.flag("fail_if_ssl") == true { check["expect.final_url"] = .text("~ ^http://") }
    if section.flag("fail_if_not_ssl") == true { check["expect.final_url"] = .text("~ ^https://") }
  }

  /// The exporter compares whole words, and that of version 2 is `HTTP/2.0`: `HTTP/2` never holds there.
  private func versions(_ check: inout ImportedCheck) {
    let known = ["HTTP/1.0": "1\\.0", "HTTP/1.1": "1\\.1", "HTTP/2.0": "2", "HTTP/3.0": "3"]  // own text
    let given = section.texts("valid_http_versions")
    guard !given.isEmpty else { return }
    for word in section["valid_http_versions"]?.all ?? [] where word.text.flatMap({ known[$0] }) == nil {
      section.ledger.list(word, "no answer has this version in the exporter: that of HTTP/2 is HTTP/2.0")
    }
    let made = given.compactMap { known[$0] }.joined(separator: "|")
    check["expect.http_version"] = .text("~ ^(\(made))$")
  }

  /// The exporter asks for the certificate of the host that the module names.
  private func certificate(_ check: inout ImportedCheck) {
    guard check["tls.server_name"] == nil, let url = check["url"]?.word, let start = url.range(of: "://"),
      url[..<start.lowerBound].lowercased() == "https",
      let named = section["headers"]?.entries?.last(where: { $0.name.lowercased() == "host" })?.value.text
    else { return }
    let own = ForeignURL.place(String(url[start.upperBound...].prefix { !"/?#".contains($0) })).host
    let name = ForeignURL.place(named).host
    if !name.isEmpty, name.lowercased() != own.lowercased() { check["tls.server_name"] = .text(name) }
  }

  private func body(_ check: inout ImportedCheck) {
    for pattern in section.texts("fail_if_body_matches_regexp") + section.texts("fail_if_matches_regexp") {
      check.append("expect.body.not_matches", .text(Self.pattern(pattern)))
    }
    for pattern in section.texts("fail_if_body_not_matches_regexp")
      + section.texts("fail_if_not_matches_regexp")
    {
      check.append("expect.body.matches", .text(Self.pattern(pattern)))
    }
    section.list(
      "CEL is not spoken here; write the condition as expect.json", "fail_if_body_json_matches_cel",
      "fail_if_body_json_not_matches_cel", change: .laxer)
  }

  static func pattern(_ text: String) -> String { PatternText.whole(text) }

  private func headers(_ check: inout ImportedCheck) {
    var seen: Set<ByteText> = []
    for (name, isRefused) in [("fail_if_header_matches", true), ("fail_if_header_not_matches", false)] {
      for rule in section[name]?.items ?? [] {
        let rule = Section(rule, section.ledger)
        guard let header = rule["header"]?.text, let pattern = rule["regexp"]?.text else { continue }
        if rule["allow_missing"]?.flag == true {
          rule.list(
            "a condition on a header wants the header to be there", "header", "regexp", "allow_missing",
            change: .laxer)
        } else if seen.contains(ByteText(header.lowercased())) {
          rule.list(
            "one header has one condition here: join the patterns", "header", "regexp", "allow_missing",
            change: .laxer)
        } else {
          rule.carry("header", "regexp", "allow_missing")
          check.entry(
            "expect.header", header, .text("\(isRefused ? "!~" : "~") \(PatternText.repeatable(pattern))"))
          seen.insert(ByteText(header.lowercased()))
        }
      }
    }
  }

  private func auth(_ check: inout ImportedCheck) {
    if let basic = section.section("basic_auth") {
      login(basic, &check)
    }
    if let bearer = secret(section, "bearer_token", "token") { check["auth.bearer"] = bearer }
    if let authorization = section.section("authorization") {
      let type = authorization.text("type") ?? "Bearer"
      let credentials = secret(authorization, "credentials", "credentials")
      if type.lowercased() == "bearer" {
        check["auth.bearer"] = credentials
      } else if case .secret(let secret, _)? = credentials {
        check.header("Authorization", "\(type) \(secret.reveal())")
      } else if case .reference(let text)? = credentials {
        check.entry("headers", "Authorization", .joined([.text("\(type) "), .reference(text)]))
      }
    }
    guard let oauth = section.section("oauth2") else { return }
    check["auth.oauth2.token_url"] = oauth.text("token_url").map { .text($0) }
    check["auth.oauth2.client_id"] = oauth.text("client_id").map { .text($0) }
    check["auth.oauth2.client_secret"] = secret(oauth, "client_secret", "client secret")
    let scopes = oauth.texts("scopes")
    if !scopes.isEmpty { check["auth.oauth2.scopes"] = .list(scopes.map { .text($0) }) }
    if oauth["endpoint_params"]?["grant_type"]?.text == "client_credentials" {
      oauth.ledger.carry(oauth["endpoint_params"]?["grant_type"])
    }
    oauth.list(
      "only the grant of client credentials is asked for, without more", "endpoint_params", change: .changed)
  }

  private func login(_ basic: Section, _ check: inout ImportedCheck) {
    let files = (basic["username_file"]?.text, basic["password_file"]?.text)
    let (name, password) = (basic.text("username") ?? "", basic.text("password") ?? "")
    guard files.0 != nil || files.1 != nil else { return check.login(name, password) }
    check["auth.basic.username"] = files.0 != nil ? file(basic, "username_file") : .text(name)
    check["auth.basic.password"] =
      files.1 != nil ? file(basic, "password_file") : .secret(Redacted(password), as: "password")
  }

  private func file(_ section: Section, _ key: String) -> AgentValue? {
    guard let path = section[key]?.text else { return nil }
    guard let value = AgentValue.file(path) else {
      section.list(AgentValue.oddFile, key)
      return nil
    }
    section.carry(key)
    return value
  }

  /// The value, or the file that has it.
  private func secret(_ section: Section, _ key: String, _ words: String) -> AgentValue? {
    if let value = section.text(key) { return .secret(Redacted(value), as: words) }
    return file(section, "\(key)_file")
  }
}
