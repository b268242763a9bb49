// SPDX-License-Identifier: MIT

import Basics

/// The settings of an HTTP probe.
struct CloudproberHTTP {
  private let settings: Section?

  init(_ settings: Section?) { self.settings = settings }

  func fill(_ check: inout ImportedCheck, _ target: CloudproberTarget) {
    address(&check, target)
    if let method = settings?.text("method") { check["method"] = .text(method.uppercased()) }
    if let most = settings?.number("max_redirects") { check.redirects("max_redirects", most) }
    headers(&check)
    body(&check)
    if let proxy = settings?.text("proxy_url") {
      check.proxy(proxy)
    }
    if settings?.flag("disable_http2") == true { check["http_version"] = .text("1.1") }
    settings?.carry("disable_http2")
    if settings?.flag("disable_cert_validation") == true { check["tls.verify"] = .plain("false") }
    settings?.list(
      "the check has no token, so the target may refuse it", "oauth_config", change: .stricter)
    tls(&check)
  }

  /// The probe's settings win over the target's own URL. A target with an address is asked there by its name.
  private func address(_ check: inout ImportedCheck, _ target: CloudproberTarget) {
    let given = settings?.text("scheme") ?? settings?.text("protocol")
    let scheme = (given ?? target.scheme ?? "http").lowercased()
    let name = target.host ?? target.name
    let isResolved = target.ip != nil && settings?["resolve_first"]?.flag != false
    settings?.carry("resolve_first")
    let host = isResolved ? target.ip ?? name : name
    let bare = bracketed(host)
    let port = (settings?.number("port") ?? target.port).map { ":\($0)" } ?? ""
    let path = settings?.text("relative_url") ?? target.path ?? ""
    check.take(url: "\(scheme)://\(bare)\(port)\(path.isEmpty ? "/" : path)")
    guard isResolved else { return }
    if !names.contains("Host") { check.header("Host", "\(bracketed(name))\(port)") }
    if scheme == "https" { check["tls.server_name"] = .text(name) }
  }

  private var names: [String] {
    ((settings?.node.each("headers") ?? []).compactMap { $0["name"]?.text })
      + (settings?.node.each("header") ?? []).compactMap { $0["key"]?.text }
  }

  /// `headers` are messages with a name, `header` is a map, whose entries have a key.
  private func headers(_ check: inout ImportedCheck) {
    let agent = settings?.text("user_agent")
    // It is set after all headers, and `header` after `headers`.
    var seen: Set<ByteText> = agent == nil ? [] : ["user-agent"]
    for (list, key) in [("header", "key"), ("headers", "name")] {
      var sent: [(name: String, value: String)] = []
      for header in (settings?.node.each(list) ?? []).reversed() {
        guard let name = header[key]?.text, let value = header["value"]?.text else { continue }
        guard name == "Host" || name.lowercased() != "host" else {
          settings?.ledger.list(header, "cloudprober sends it under the name Host alone", always: false)
          continue
        }
        guard seen.insert(ByteText(name.lowercased())).inserted else {
          settings?.ledger.list(header, "another setting of the same header is sent", always: false)
          continue
        }
        settings?.ledger.carry(header)
        if value.contains("@uuid@") {
          settings?.ledger.list(
            header, "each request has a number of its own there, and the text @uuid@ here", .changed)
        }
        sent.append((name, value))
      }
      for header in sent.reversed() { check.header(header.name, header.value) }
    }
    if let agent { check.header("User-Agent", agent) }
  }

  private func body(_ check: inout ImportedCheck) {
    if let file = settings?.text("body_file") { check["body_file"] = .text(file) }
    let parts = settings?.node.each("body") ?? []
    guard !parts.isEmpty else { return }
    for part in parts { settings?.ledger.carry(part) }
    let texts = parts.compactMap(\.text)
    let body = texts.joined(separator: "&")
    check.body(body)
    // cloudprober guesses the kind of a short body, where no header names it.
    guard !body.isEmpty, body.utf8.count <= 512, !names.contains(where: { $0.lowercased() == "content-type" })
    else { return }
    if texts.count == 1, (try? JSONValue.parse(Array(body.utf8))) != nil {
      check.header("Content-Type", "application/json")
    } else if Self.isQuery(body) {
      check.header("Content-Type", "application/x-www-form-urlencoded")
    }
  }

  /// As Go's `url.ParseQuery` takes it: without `;`, and two digits behind each `%`.
  private static func isQuery(_ text: String) -> Bool {
    guard !text.contains(";") else { return false }
    return text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy {
      let digits = $0.utf8.prefix(2)
      return digits.count == 2
        && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }
  }

  func tls(_ check: inout ImportedCheck) {
    guard let tls = settings?.section("tls_config") else { return }
    if let file = tls.text("ca_cert_file") { check["tls.ca_file"] = .text(file) }
    if let file = tls.text("tls_cert_file") { check["tls.client_certificate"] = .text(file) }
    if let file = tls.text("tls_key_file") { check["tls.client_key"] = .text(file) }
    if let name = tls.text("server_name") { check["tls.server_name"] = .text(name) }
    if tls.flag("disable_cert_validation") == true { check["tls.verify"] = .plain("false") }
    let versions = ["TLS_1_0": "1.0", "TLS_1_1": "1.1", "TLS_1_2": "1.2", "TLS_1_3": "1.3"]  // own text
    for (theirs, ours) in [("min_tls_version", "tls.min_version"), ("max_tls_version", "tls.max_version")] {
      guard let word = tls[theirs]?.text.flatMap({ versions[$0] }) else { continue }
      tls.carry(theirs)
      check[ours] = .text(word)
    }
  }
}
