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
    let hasHost = names.contains { $0.lowercased() == "host" }
    if !hasHost { check.header("Host", "\(bracketed(name))\(port)") }
    if scheme == "https" { check["tls.server_name"] = .text(name) }
  }

  private var names: [String] {
    ((settings?.node.each("headers") ?? []).compactMap { $0["name"]?.text })
      + (settings?.node.each("header") ?? []).compactMap { $0["key"]?.text }
  }

  /// `headers` are messages with a name, `header` is a map, whose entries have a key.
  private func headers(_ check: inout ImportedCheck) {
    var seen: Set<ByteText> = []
    for (list, key) in [("header", "key"), ("headers", "name")] {
      for header in settings?.node.each(list) ?? [] {
        guard let name = header[key]?.text, let value = header["value"]?.text else { continue }
        guard seen.insert(ByteText(name.lowercased())).inserted else {
          settings?.ledger.list(header, "the check has this header already", always: false)
          continue
        }
        settings?.ledger.carry(header)
        check.header(name, value)
      }
    }
    if let agent = settings?.text("user_agent"), seen.insert("user-agent").inserted {
      check.header("User-Agent", agent)
    }
  }

  private func body(_ check: inout ImportedCheck) {
    if let file = settings?.text("body_file") { check["body_file"] = .text(file) }
    let parts = settings?.node.each("body") ?? []
    guard !parts.isEmpty else { return }
    for part in parts { settings?.ledger.carry(part) }
    check.body(parts.compactMap(\.text).joined(separator: "&"))
  }

  func tls(_ check: inout ImportedCheck) {
    guard let tls = settings?.section("tls_config") else { return }
    if let file = tls.text("ca_cert_file") { check["tls.ca_file"] = .text(file) }
    if let file = tls.text("tls_cert_file") { check["tls.client_certificate"] = .text(file) }
    if let file = tls.text("tls_key_file") { check["tls.client_key"] = .text(file) }
    if let name = tls.text("server_name") { check["tls.server_name"] = .text(name) }
    if tls.flag("disable_cert_validation") == true { check["tls.verify"] = .plain("false") }
  }
}
