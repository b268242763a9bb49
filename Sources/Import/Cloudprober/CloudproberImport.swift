// SPDX-License-Identifier: MIT

import Basics

/// A configuration of cloudprober: its probes of HTTP, TCP, DNS and PING, with targets that are listed.
struct CloudproberImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ file: ImportFile) throws(ImportProblem) -> [ImportedCheck] {
    var checks: [ImportedCheck] = []
    let document: ForeignNode
    do throws(ImportProblem) {
      document = ledger.enter(try TextProto.read(file.bytes), file: file.name)
    } catch { throw error.of(file) }
    for probe in document.each("probe") {
      do throws(ImportProblem) { checks += try CloudproberProbe(Section(probe, ledger)).checks() } catch {
        throw error.of(file)
      }
    }
    for entry in document.entries ?? [] where entry.name != "probe" {
      let why =
        switch entry.name {
        case "surfacer": "metrics and results are built in: see status in docs/configuration.md"
        case "server": "a server to probe against is no monitor"
        default: "it is about cloudprober itself"
        }
      ledger.list(entry.value, why, always: false)
    }
    return checks
  }
}

/// One probe.
struct CloudproberProbe {
  private let section: Section

  init(_ section: Section) { self.section = section }

  func checks() throws(ImportProblem) -> [ImportedCheck] {
    section.ledger.settle()
    let name = section.text("name") ?? "unnamed"
    let kind = section.text("type")?.uppercased() ?? ""
    let hosts = hosts()
    let types = ["HTTP": "http", "TCP": "tcp", "DNS": "dns", "PING": "ping"]  // own text
    guard let type = types[kind], !hosts.isEmpty else {
      section.listRest(
        types[kind] == nil ? "no check here is of this kind" : "its targets are not listed in the file")
      section.ledger.settle()
      return []
    }
    let interval = span("interval", "interval_msec") ?? 2000
    let timeout = span("timeout", "timeout_msec") ?? 1000
    let settings = section.section("\(type)_probe")
    let weight = ForeignWeight(section.node.without("targets"))
    try section.ledger.count(hosts.count, sharing: weight, of: name)
    var checks: [ImportedCheck] = []
    for host in hosts {
      var check = ImportedCheck(name: hosts.count == 1 ? name : "\(name) \(host)", type: type)
      guard fill(&check, type, host, settings) else { continue }
      check.pace(interval: interval, timeout: timeout)
      check["retries"] = .plain("0")
      if section.flag("negative_test") == true { check["negate"] = .plain("true") }
      if let ip = section.text("ip_version") { check["ip"] = .text(ip.hasSuffix("6") ? "6" : "4") }
      if let source = section.text("source_ip") { check["source_address"] = .text(source) }
      validators(&check, type)
      for label in section.node.each("additional_label") {
        guard let key = label["key"]?.text, let value = label["value"]?.text else { continue }
        section.ledger.carry(label)
        check.tag("\(key):\(value)")
      }
      checks.append(check)
    }
    settings?.listRest()
    section.list("write alerts.rules, see docs/alerts.md", "alert")
    section.list("write maintenance, see docs/configuration.md", "schedule")
    section.listRest()
    let notes = section.ledger.takeNotes()
    if checks.isEmpty { section.ledger.settle() } else { checks[0].notes += notes }
    return checks
  }

  private func span(_ text: String, _ milliseconds: String) -> Int? {
    if let value = section.text(text) { return ForeignDuration.milliseconds(value) }
    return section.number(milliseconds)
  }

  private func hosts() -> [String] {
    guard let targets = section.section("targets") else { return [] }
    var hosts = (targets.text("host_names") ?? "").split(separator: ",", maxSplits: 2 * ForeignLimits.checks)
      .map { $0.trimmed }.filter {
        !$0.isEmpty
      }
    for endpoint in targets.node.each("endpoint") {
      let endpoint = Section(endpoint, section.ledger)
      if let url = endpoint.text("url") {
        hosts.append(url)
      } else if let name = endpoint.text("name") {
        hosts.append(endpoint.number("port").map { "\(name):\($0)" } ?? name)
      }
      endpoint.carry("name")
    }
    targets.list(
      "list them as host_names, or see discover in docs/configuration.md", "gce_targets", "rds_targets",
      "file_targets", "k8s", "shared_targets")
    targets.listRest("targets are the names in host_names and endpoint here")
    return hosts
  }

  private func fill(_ check: inout ImportedCheck, _ type: String, _ host: String, _ settings: Section?)
    -> Bool
  {
    let place = ForeignURL.place(host)
    switch type {
    case "http": http(&check, host, settings)
    case "tcp":
      guard let port = settings?.number("port") ?? place.port else { return false }
      check["host"] = .text(place.host)
      check["port"] = .number(port)
      if settings?.flag("tls_handshake") == true { check["tls"] = .plain("true") }
    case "dns":
      check["server"] = .text(host)
      check["query.name"] = .text(settings?.text("resolved_domain") ?? "www.google.com")
      check["query.type"] = .text(settings?.text("query_type") ?? "MX")
      if let proto = settings?.text("dns_proto") {
        check["transport"] = .plain(["TCP": "tcp", "TCP_TLS": "dot"][proto] ?? "udp")
      }  // own text
      if let least = settings?.number("min_answers"), least > 0 {
        check["expect.count"] = .text(">= \(least)")
      }
    default:
      check["host"] = .text(place.host)
      if let count = settings?.number("packets_per_probe"), (1...100).contains(count) {
        check["count"] = .number(count)
      }
      if let gap = settings?.number("packets_interval_msec"), gap >= 10 {
        check["packet_interval"] = .duration(min(gap, 10_000))
      }
      if let size = settings?.number("payload_size"), (0...1472).contains(size) {
        check["size"] = .number(size)
      }
      if settings?.flag("use_datagram_socket") != nil { settings?.carry("use_datagram_socket") }
    }
    return true
  }

  private func http(_ check: inout ImportedCheck, _ host: String, _ settings: Section?) {
    let proto = (settings?.text("scheme") ?? settings?.text("protocol") ?? "HTTP").lowercased()
    let port = settings?.number("port").map { ":\($0)" } ?? ""
    let path = settings?.text("relative_url") ?? "/"
    check.take(url: host.contains("://") ? host : "\(proto)://\(host)\(port)\(path)")
    // Any answer is a success there, unless a validator says more.
    check["expect.status"] = .plain("any")
    if let method = settings?.text("method") { check["method"] = .text(method.uppercased()) }
    if let most = settings?.number("max_redirects") {
      if most == 0 {
        check["follow"] = .plain("false")
      } else {
        check["max_redirects"] = .number(min(20, most))
      }
    }
    for header in settings?.node.each("headers") ?? [] {
      guard let name = header["name"]?.text, let value = header["value"]?.text else { continue }
      settings?.ledger.carry(header)
      check.header(name, value)
    }
    for header in settings?["header"]?.entries ?? [] {
      settings?.ledger.carry(header.value)
      check.header(header.name, header.value.text ?? "")
    }
    let body = settings?.node.each("body") ?? []
    if !body.isEmpty {
      for part in body { settings?.ledger.carry(part) }
      check["body"] = .text(body.compactMap(\.text).joined(separator: "&"))
    }
    if let proxy = settings?.text("proxy_url") { check["proxy"] = .text(proxy) }
    if settings?.flag("disable_cert_validation") == true { check["tls.verify"] = .plain("false") }
    guard let tls = settings?.section("tls_config") else { return }
    if let file = tls.text("ca_cert_file") { check["tls.ca_file"] = .text(file) }
    if let file = tls.text("tls_cert_file") { check["tls.client_certificate"] = .text(file) }
    if let file = tls.text("tls_key_file") { check["tls.client_key"] = .text(file) }
    if let name = tls.text("server_name") { check["tls.server_name"] = .text(name) }
    if tls.flag("disable_cert_validation") == true { check["tls.verify"] = .plain("false") }
  }

  private func validators(_ check: inout ImportedCheck, _ type: String) {
    for validator in section.node.each("validator") {
      let validator = Section(validator, section.ledger)
      validator.carry("name")
      if type == "http", let pattern = validator.text("regex") {
        check.append("expect.body.matches", .text(pattern))
      }
      guard type == "http", let http = validator.section("http_validator") else { continue }
      if let codes = http.text("success_status_codes") {
        check["expect.status"] = .list(codes.split(separator: ",").map { .plain($0.trimmed) })
      }
      http.list("codes that succeed are enough", "failure_status_codes")
      if let header = http["success_header"], let name = header["name"]?.text {
        section.ledger.carry(header)
        check.entry("expect.header", name, .text("~ \(header["value_regex"]?.text ?? "")"))
      }
    }
  }
}
