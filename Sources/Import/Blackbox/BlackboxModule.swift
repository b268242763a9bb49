// SPDX-License-Identifier: MIT

import Basics

/// A module of blackbox.yml: how to probe, without what.
package struct BlackboxModule: Sendable {
  package enum Prober: String, CaseIterable, Sendable { case http, tcp, dns, icmp, grpc, unix, websocket }

  package let name: String
  /// `nil` for an unknown prober.
  package let prober: Prober?
  /// Milliseconds; nil: the scrape's.
  package let timeout: Int?
  let node: ForeignNode

  init(name: String, _ node: ForeignNode) {
    (self.name, self.node) = (name, node)
    prober = (node["prober"]?.text).flatMap { Prober(rawValue: $0.lowercased()) }
    timeout = node["timeout"]?.text.flatMap { ForeignDuration.milliseconds($0) }.flatMap {
      $0 == 0 ? nil : $0
    }
  }

  /// The section of its prober, empty where it is missing.
  var settings: ForeignNode {
    node[prober?.rawValue ?? ""] ?? ForeignNode(content: .map([]), line: 0)
  }

  /// The modules of a file; those of a file that is none are none.
  package static func read(_ bytes: [UInt8]) throws(ImportProblem) -> [BlackboxModule] {
    let documents = try ForeignNode.yaml(bytes)
    guard let entries = documents.first?["modules"]?.entries, !entries.isEmpty else {
      throw ImportProblem("has no modules", hint: "it is to be the blackbox.yml of blackbox_exporter")
    }
    return entries.map { BlackboxModule(name: $0.name, $0.value) }
  }

  /// The preferred family, 4 or 6, and whether the other will do where there is no address of it.
  package var family: (preferred: Int, fallback: Bool) {
    let preferred = Self.isSix(settings["preferred_ip_protocol"]?.text) ? 6 : 4
    return (preferred, settings["ip_protocol_fallback"]?.flag ?? true)
  }

  /// The exporter takes every other word for IPv4.
  static func isSix(_ word: String?) -> Bool { ["", "ip6"].contains(word ?? "") }

  /// A check of this target for `/probe`, which applies `rules` to the answer. `nil` for an unknown prober.
  package func probe(of target: String) -> ImportedCheck? {
    guard var check = remainder.check(of: target, Ledger()) else { return nil }
    if prober == .tcp { check.readLines() }
    guard prober == .http else { return check }
    // The exporter sets no limit of its own.
    check["max_body"] = .plain("16MiB")
    if settings["compression"]?.text?.isEmpty == false {
      check.append("expect.body.matches", .text("(?-m)^"))
    }
    // Who has a condition on the version sees what is negotiated.
    if check["expect.http_version"] == nil, check["http_version"] == nil, check["body"] == nil {
      check["expect.http_version"] = .text("!= 0.9")
    }
    return check
  }

  /// The Host header that the module itself sends.
  package var host: String? {
    settings["headers"]?.entries?.last { $0.name.lowercased() == "host" }?.value.text
  }

  /// Asks for SOA records, whose serial is a metric of its own.
  package var asksForSerial: Bool { settings["query_type"]?.text == "SOA" }

  /// Rules that no check can express.
  package var rules: BlackboxRules { BlackboxRules(settings) }

  /// Settings of the module that would not apply, in words, for `/probe`.
  package var shortcomings: [String] {
    let ledger = Ledger()
    let known = BlackboxModule(name: name, ledger.enter(remainder.node, file: name))
    _ = known.check(of: prober == .tcp ? "a.example:1" : "a.example", ledger)
    ledger.close()
    var found = ledger.general.map { "\($0.place): \($0.why)" }
    if settings["valid_rcodes"]?.items?.isEmpty == true {
      found.append("dns.valid_rcodes: an empty list lets no code pass")
    }
    return found
  }

  /// The module without `rules`, and without other probers' settings, which are not read.
  private var remainder: BlackboxModule {
    guard let prober, let entries = node.entries else { return self }
    let others = ["http", "tcp", "dns", "icmp", "grpc", "unix", "websocket"]
    var made = node
    made.content = .map(
      entries.compactMap { entry in
        guard entry.name == prober.rawValue, let inner = entry.value.entries else {
          return others.contains(entry.name) && entry.name != prober.rawValue ? nil : entry
        }
        var value = entry.value
        let plain = BlackboxRules.headerRules(value).filter(\.isPlain)
        value.content = .map(
          inner.filter { !BlackboxRules.keys.contains($0.name) && !isUnread($0.name) }.compactMap { key in
            guard BlackboxRules.headerKeys.contains(key.name) else { return key }
            var list = key.value
            let items = plain.filter { $0.key == key.name }.map(\.node)
            list.content = .list(items)
            return items.isEmpty ? nil : (key.name, list)
          })
        return (entry.name, value)
      })
    return BlackboxModule(name: name, made)
  }

  /// Keys that the exporter does not read without another setting.
  private func isUnread(_ key: String) -> Bool {
    guard key == "tls_config" else { return false }
    switch prober {
    case .tcp:
      let upgrades = settings["query_response"]?.items?.contains { $0["starttls"]?.flag == true } ?? false
      return settings["tls"]?.flag != true && !upgrades
    case .dns: return settings["dns_over_tls"]?.flag != true
    default: return false
    }
  }

  /// Requests go through a proxy, which resolves the target's name.
  package var hasProxy: Bool { prober == .http && settings["proxy_url"]?.text?.isEmpty == false }

  /// The exporter resolves the name all the same, unless this says otherwise.
  package var skipsResolving: Bool { hasProxy && settings["skip_resolve_phase_with_proxy"]?.flag == true }

  func check(of target: String, _ ledger: Ledger) -> ImportedCheck? {
    let section = Section(node, ledger).withoutEmptyTexts()
    section.carry("prober")
    _ = section.span("timeout")
    let inner = Section(
      section.node[prober?.rawValue ?? ""] ?? ForeignNode(content: .map([]), line: 0), ledger)
    var check: ImportedCheck?
    switch prober {
    case .http: check = BlackboxHTTP(inner).check(of: target)
    case .tcp: check = BlackboxTCP(inner).check(of: target)
    case .dns: check = BlackboxDNS(inner).check(of: target)
    case .icmp: check = BlackboxICMP(inner).check(of: target)
    default:
      section.listAll("agent.yaml has no checks of this kind")
      return nil
    }
    // Another target may have one.
    guard var check else { return nil }
    inner.listRest()
    section.listRest("another prober's settings, which the exporter does not read either")
    check["retries"] = .plain("0")
    check.keepOneLogin()
    return check
  }
}

extension Section {
  /// `preferred_ip_protocol`, `ip_protocol_fallback` and `source_ip_address`.
  func family(of check: inout ImportedCheck) {
    let preferred = text("preferred_ip_protocol")
    if flag("ip_protocol_fallback") == false {
      check["ip"] = .text(BlackboxModule.isSix(preferred) ? "6" : "4")
    }
    if let source = text("source_ip_address") { check["source_address"] = .text(source) }
  }

  /// `tls_config`.
  func tls(of check: inout ImportedCheck, _ name: String = "tls_config") {
    guard let tls = section(name) else { return }
    if tls.flag("insecure_skip_verify") == true { check["tls.verify"] = .plain("false") }
    if let file = tls.text("ca_file") { check["tls.ca_file"] = .text(file) }
    check.dropUnusedAuthority()
    if let file = tls.text("cert_file") { check["tls.client_certificate"] = .text(file) }
    if let file = tls.text("key_file") { check["tls.client_key"] = .text(file) }
    if let host = tls.text("server_name") { check["tls.server_name"] = .text(host) }
    for (theirs, ours) in [("min_version", "tls.min_version"), ("max_version", "tls.max_version")] {
      guard let version = tls[theirs]?.text else { continue }
      let known = ["TLS10": "1.0", "TLS11": "1.1", "TLS12": "1.2", "TLS13": "1.3"]  // own text
      guard let word = known[version] else { continue }
      tls.carry(theirs)
      check[ours] = .text(word)
    }
    tls.list("write it into a file and name that", "ca", "cert", "key")
    tls.listRest()
  }
}
