// SPDX-License-Identifier: MIT

import Basics

// The checks of each input, by the rules of its plugin. An empty text is none: its section lacks it.
extension TelegrafInput {
  // MARK: http_response

  /// Any answer is a success, unless a status or a text is asked for.
  func http(_ url: String) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "http")
    check.take(url: url)
    if let method = section.text("method") { check["method"] = .text(method) }
    if section.flag("follow_redirects") != true { check["follow"] = .plain("false") }
    headers(&check)
    login(&check)
    if let body = section.text("body") { check.body(body) }
    form(&check)
    if let proxy = section.text("http_proxy") {
      check.proxy(proxy)
    }
    tls(&check, isHTTPS: Self.isHTTPS(url))
    answer(&check)
    source(&check)
    // Less than a second is five to it.
    let timeout = span("response_timeout", usual: 5000)
    pace(&check, timeout: timeout < 1000 ? 5000 : timeout)
    section.list(
      "the check logs in nowhere before, so what it asks for may be refused", "cookie_auth_url",
      "cookie_auth_method", "cookie_auth_username", "cookie_auth_password", "cookie_auth_body",
      "cookie_auth_renewal", "cookie_auth_headers", change: .stricter)
    return check
  }

  static func isHTTPS(_ url: String) -> Bool { !url.lowercased().hasPrefix("http://") }

  private func headers(_ check: inout ImportedCheck) {
    for header in section["headers"]?.entries ?? [] {
      guard let value = header.value.text else { continue }
      section.ledger.carry(header.value)
      check.header(header.name, value)
    }
  }

  private func login(_ check: inout ImportedCheck) {
    if let file = section.text("bearer_token") {
      check["auth.bearer"] = .file(file)
      if check["auth.bearer"] == nil {
        section.ledger.list(section["bearer_token"], AgentValue.oddFile)
      }
    } else if let token = section.text("token") {
      check["auth.bearer"] = .secret(Redacted(token), as: "token")
    }
    guard section["username"] != nil || section["password"] != nil else { return }
    check.login(section.text("username") ?? "", section.text("password") ?? "")
  }

  private func form(_ check: inout ImportedCheck) {
    guard let form = section["body_form"]?.entries, !form.isEmpty, check["body"] == nil else { return }
    let pairs = form.flatMap { field in
      field.value.all.compactMap(\.text).map { "\(percentEncoded(field.name))=\(percentEncoded($0))" }
    }
    section.carry("body_form")
    check.body(pairs.joined(separator: "&"))
  }

  private func answer(_ check: inout ImportedCheck) {
    let code = section.number("response_status_code") ?? 0
    check["expect.status"] = code == 0 ? .plain("any") : .list([.number(code)])
    guard let pattern = section.text("response_string_match") else {
      // It is down there all the same.
      return section.list(
        "an answer that is longer is up where no text is looked for in it", "response_body_max_size",
        change: .laxer)
    }
    check["expect.body.matches"] = .list([.text(PatternText.whole(pattern))])
    let given = section["response_body_max_size"]?.text.flatMap(Self.size)
    let most = given.flatMap { $0 == 0 ? nil : $0 } ?? 32 << 20
    section.carry("response_body_max_size")
    check["max_body"] = .plain("\(min(max(1, most), 16 << 20))B")
    if most > 16 << 20 {
      check.note(.stricter, "response_body_max_size", "an answer of more than 16 MiB is down")
    }
  }

  /// Bytes: a number, or one with a unit, of which those with an i are powers of 1024.
  static func size(_ text: String) -> Int? {
    if let bytes = Int(text) { return bytes }
    let digits = text.prefix { ("0"..."9").contains($0) || $0 == "." }
    let units: [ByteText: Double] = [
      "B": 1, "KB": 1e3, "KiB": 1024, "MB": 1e6, "MiB": 1_048_576, "GB": 1e9, "GiB": 1_073_741_824,
    ]
    guard let number = Double(digits), number < 1e9, let unit = units[ByteText(text.dropFirst(digits.count))]
    else { return nil }
    return Int(number * unit)
  }

  private func tls(_ check: inout ImportedCheck, isHTTPS: Bool = true) {
    // Without redirects an address in the clear never comes to TLS.
    guard isHTTPS || check["follow"] == nil else { return }
    if let isOn = section["tls_enable"]?.flag {
      section.carry("tls_enable")
      guard isOn else {
        return section.list(
          "tls_enable switches it off", "tls_ca", "tls_cert", "tls_key", "tls_key_pwd", "tls_server_name",
          "server_name", "tls_min_version", "tls_cipher_suites", "tls_renegotiation_method",
          "insecure_skip_verify", "ssl_ca", "ssl_cert", "ssl_key")
      }
    }
    // Older files write `ssl_`.
    for (theirs, ours) in [("ca", "ca_file"), ("cert", "client_certificate"), ("key", "client_key")] {
      for key in ["ssl_\(theirs)", "tls_\(theirs)"] {
        if let file = section.text(key) { check["tls.\(ours)"] = .text(file) }
      }
    }
    if section.flag("insecure_skip_verify") == true { check["tls.verify"] = .plain("false") }
    for key in ["tls_server_name", "server_name"] {
      if let name = section.text(key) { check["tls.server_name"] = .text(name) }
    }
    let known = ["TLS10": "1.0", "TLS11": "1.1", "TLS12": "1.2", "TLS13": "1.3"]  // own text
    if let word = section["tls_min_version"]?.text, let version = known[word] {
      section.carry("tls_min_version")
      check["tls.min_version"] = .text(version)
    }
    section.list("TLS is not negotiated again", "tls_renegotiation_method", change: .changed)
    section.list("no password opens a key here", "tls_key_pwd", "password", change: .stricter)
  }

  /// An address; the name of an interface is none.
  private func source(_ check: inout ImportedCheck) {
    guard let text = section["interface"]?.text else { return }
    guard IPAddress(text) != nil else {
      return section.list(
        "a check is bound to an address, not to an interface: write source_address", "interface",
        change: .changed)
    }
    section.carry("interface")
    check["source_address"] = .text(text)
  }

  // MARK: net_response

  /// One line of the answer is looked at.
  func port(_ address: String, _ why: inout String?) -> ImportedCheck? {
    guard section.text("protocol") ?? "tcp" == "tcp" else {
      why = "no check here speaks to a port of UDP"
      return nil
    }
    let place = ForeignURL.place(address)
    guard let port = place.port else {
      why = "its address has no port"
      return nil
    }
    var check = ImportedCheck(name: "", type: "tcp")
    check["host"] = .text(place.host.isEmpty ? "localhost" : place.host)
    check["port"] = .number(port)
    let timeout = span("timeout", usual: 1000)
    let wait = span("read_timeout", usual: 1000)
    if let text = section.text("send") {
      check.say(BlackboxTCP.escaped(text))
    }
    let expected = section.text("expect") ?? ""
    if !expected.isEmpty {
      let pattern = "~ \\A[^\\r\\n]*?(?:\(LinePattern.bounded(expected)))"
      check.append("dialog", .map([("expect", .text(pattern))]))
    }
    pace(&check, timeout: expected.isEmpty ? timeout : timeout + wait)
    return check
  }

  // MARK: ping

  func ping(_ host: String, _ why: inout String?) -> ImportedCheck? {
    guard section["arguments"]?.all.isEmpty ?? true else {
      why = "arguments of the program ping are not read"
      return nil
    }
    var check = ImportedCheck(name: "", type: "ping")
    check["host"] = .text(host)
    // None is one to it.
    let asked = section.number("count").map { max(1, $0) } ?? 1
    let count = check.within(1...100, "count", asked)
    check["count"] = .number(count)
    let isNative = section.text("method") == "native"
    let given = span("ping_interval", usual: 1000)
    let pause = isNative ? max(200, given) : given
    if count > 1 { check["packet_interval"] = .duration(min(10_000, max(10, pause))) }
    if section.flag("ipv6") == true { check["ip"] = .text("6") }
    if section.flag("ipv4") == true { check["ip"] = .text("4") }
    source(&check)
    let size = (section["size"]?.text).flatMap { $0.hasSuffix("B") ? Int($0.dropLast()) : Int($0) }
    if isNative, let size, (0...1472).contains(size) {
      section.carry("size")
      check["size"] = .number(size)
    }
    if isNative { section.list("a packet has 1472 bytes at most", "size", change: .changed) }
    section.list("the program ping is not given it", "size")
    section.carry("privileged", "binary")
    let deadline = span("deadline", usual: 10_000)
    // The native method waits for answers until then.
    let wait = isNative ? deadline : span("timeout", usual: 1000)
    section.list("the native method does not read it", "timeout")
    pace(&check, timeout: min(deadline, pause * (count - 1) + max(wait, 1000)))
    return check
  }

  // MARK: dns_query

  func dns(_ server: String, _ name: String) -> ImportedCheck {
    var check = ImportedCheck(name: "", type: "dns")
    // Telegraf takes 0 for the usual one.
    let port = section.number("port").flatMap { $0 > 0 ? $0 : nil } ?? 53
    let network = section["network"]?.text ?? "udp"
    // Over TLS a check would ask at port 853.
    let isTLS = network.hasSuffix("-tls")
    check["server"] = .text(port == 53 && !isTLS ? server : "\(bracketed(server)):\(port)")
    check["query.name"] = .text(name)
    let type = section.text("record_type") ?? "NS"
    // Without domains it is the root that is asked for.
    check["query.type"] = .text(section["domains"]?.all.isEmpty ?? true ? "NS" : type)
    transport(network, &check)
    pace(&check, timeout: span("timeout", usual: 2000))
    return check
  }

  /// Names of networks as Go has them, with or without a version of addresses.
  private func transport(_ network: String, _ check: inout ImportedCheck) {
    let isTLS = network.hasSuffix("-tls")
    let name = isTLS ? network.dropLast(4) : network[...]
    let version = name.last.flatMap { $0 == "4" || $0 == "6" ? $0 : nil }
    let known = ["": "udp", "udp": "udp", "tcp": isTLS ? "dot" : "tcp"]  // own text
    guard let word = known[String(version == nil ? name : name.dropLast())], !isTLS || word == "dot" else {
      return section.list(
        "it is no network that a check asks over: it asks by UDP", "network", change: .changed)
    }
    section.carry("network")
    if word != "udp" { check["transport"] = .plain(word) }
    if let version { check["ip"] = .text(String(version)) }
  }

  // MARK: x509_cert

  func certificate(_ source: String, _ why: inout String?) -> ImportedCheck? {
    guard let scheme = source.range(of: "://") else {
      why =
        source.hasPrefix("/")
        ? "a file of this machine is not looked at" : "it has no scheme, such as tcp:// or https://"
      return nil
    }
    let ports: [ByteText: Int?] = ["https": 443, "tcp": nil, "tcp4": nil, "tcp6": nil, "smtp": 25]
    var kind = String(source[..<scheme.lowerBound])
    if kind == "smtp+starttls" { kind = "smtp" }
    guard let usual = ports[ByteText(kind)] else {
      why = "no check here looks at a certificate of this kind: \(kind.printable(maxBytes: 40))"
      return nil
    }
    let place = ForeignURL.place(String(source[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }))
    guard let port = place.port ?? usual else {
      why = "its address has no port"
      return nil
    }
    var check = ImportedCheck(name: "", type: "tls")
    check["host"] = .text(place.host)
    check["port"] = .number(port)
    if kind == "smtp" { check["starttls"] = .plain("smtp") }
    if kind.hasSuffix("4") || kind.hasSuffix("6") { check["ip"] = .text(String(kind.suffix(1))) }
    tls(&check)
    if section["use_proxy"]?.flag != false || section["proxy_url"] != nil {
      section.list("a tls check passes no proxy", "use_proxy", "proxy_url", change: .changed)
    }
    pace(&check, timeout: span("timeout", usual: 5000))
    return check
  }
}
