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
      document = ledger.enter(try Self.document(file), file: file.name)
    } catch { throw error.of(file) }
    var shared: [ByteText: ForeignNode] = [:]
    for entry in document.each("shared_targets") {
      shared[ByteText(entry["name"]?.text ?? "")] = entry
    }
    for probe in document.each("probe") {
      do throws(ImportProblem) {
        checks += try CloudproberProbe(Section(probe, ledger).withoutEmptyTexts(), shared).checks()
      } catch {
        throw error.of(file)
      }
    }
    for entry in document.entries ?? [] where entry.name != "probe" {
      let why =
        switch entry.name {
        case "surfacer": "metrics and results are built in: see status in docs/configuration.md"
        case "server": "a server to probe against is no monitor"
        case "shared_targets": "no probe with a check uses them"
        case "include": "probes of a file that it includes are in no check: give that file as well"
        default: "it is about cloudprober itself"
        }
      ledger.list(entry.value, why, always: false)
    }
    return checks
  }

  /// By the end of its name, as cloudprober does it.
  private static func document(_ file: ImportFile) throws(ImportProblem) -> ForeignNode {
    let kind = file.name.split(separator: ".").last?.lowercased() ?? ""
    if kind == "jsonnet" {
      throw ImportProblem("jsonnet is not worked out here", hint: "write it with cloudprober --dumpconfig")
    }
    guard ["yaml", "yml", "json"].contains(kind) else { return try TextProto.read(file.bytes) }
    let documents = try ForeignNode.yaml(file.bytes)
    return documents.first?.asMessage() ?? ForeignNode(content: .map([]), line: 0)
  }
}

/// One probe.
struct CloudproberProbe {
  private let section: Section
  /// Targets that probes share, by their names.
  private let shared: [ByteText: ForeignNode]

  init(_ section: Section, _ shared: [ByteText: ForeignNode]) {
    (self.section, self.shared) = (section, shared)
  }

  func checks() throws(ImportProblem) -> [ImportedCheck] {
    section.ledger.settle()
    let name = section.text("name") ?? "unnamed"
    let kind = section.text("type")?.uppercased() ?? ""
    let types = ["HTTP": "http", "TCP": "tcp", "DNS": "dns", "PING": "ping"]  // own text
    let targets = types[kind] == nil ? [] : targets()
    guard let type = types[kind], !targets.isEmpty else {
      let why =
        types[kind] != nil
        ? "its targets are not listed in the file"
        : kind.isEmpty ? "it has no type" : "no check here is of this kind"
      section.listAll(why)
      let isForeign = types[kind] == nil && !kind.isEmpty
      section.ledger.leaveOut(name, isForeign ? "\(why): \(kind.printable(maxBytes: 40))" : why)
      return []
    }
    let settings = section.section("\(type)_probe")
    let weight = ForeignWeight(section.node.without("targets"))
    try section.ledger.count(targets.count, sharing: weight, of: name)
    var checks: [ImportedCheck] = []
    var refused: [(why: String, names: [String])] = []
    for target in targets {
      var check = ImportedCheck(name: targets.count == 1 ? name : "\(name) \(target.name)", type: type)
      func refuse(_ why: String) {
        if refused.last?.why != why { refused.append((why, [])) }
        refused[refused.count - 1].names.append(ForeignURL.withoutCredentials(target.name))
      }
      guard !target.name.contains("/") || target.host != nil || target.ip != nil else {
        refuse("cloudprober takes no host with a / in it: write an endpoint with its url")
        continue
      }
      guard fill(&check, type, target, settings) else {
        refuse("it has no port")
        continue
      }
      about(&check, type, target, settings)
      if let why = GoTemplates.placeholders.replace(in: &check) {
        refuse(why)
        continue
      }
      checks.append(check)
    }
    let missing = Self.missing(refused)
    if let missing { section.ledger.list(section["name"] ?? section["type"], missing) }
    if checks.isEmpty { section.listAll("no check was made of it") }
    rest(settings)
    if checks.isEmpty { section.ledger.leaveOut(name, missing ?? "no check was made of it") }
    section.ledger.note(&checks)
    return checks
  }

  /// Targets without a check, in one line; `nil` for none.
  private static func missing(_ refused: [(why: String, names: [String])]) -> String? {
    guard !refused.isEmpty else { return nil }
    let words = refused.prefix(5).map { why, names in
      let shown = names.andMore(after: 5) { "\"\($0.printable(maxBytes: 100))\"" }
      return "no check was made of \(shown): \(why)"
    }
    let more = refused.count > 5 ? "; and more" : ""
    return words.joined(separator: "; ") + more
  }

  private func rest(_ settings: Section?) {
    settings?.list("each run opens a connection of its own", "keep_alive", "disable_http2")
    settings?.list("a run is one request", "requests_per_probe", "requests_interval_msec")
    settings?.list(
      "the time of a request is that of the whole run", "resolve_first", "latency_breakdown", "validator")
    settings?.listRest()
    section.list("write alerts.rules, see docs/alerts.md", "alert")
    section.list("checks run all day; write maintenance for the rest", "schedule", change: .changed)
    section.list(
      "metrics and results are built in: see status in docs/configuration.md", "latency_unit",
      "latency_distribution", "latency_metric_name", "debug_options", "export_metrics_interval",
      "stats_export_interval_msec", "stats_export_interval")
    section.list("it says where cloudprober runs the probe", "run_on")
    section.list("a validator of this kind has no counterpart", "validator", change: .laxer)
    section.listRest()
  }

  private func about(
    _ check: inout ImportedCheck, _ type: String, _ target: CloudproberTarget, _ settings: Section?
  ) {
    check.pace(
      interval: span("interval", "interval_msec") ?? 2000, timeout: span("timeout", "timeout_msec") ?? 1000)
    check["retries"] = .plain("0")
    let isNegative = section.flag("negative_test") == true
    if isNegative { check["negate"] = .plain("true") }
    if let ip = section.text("ip_version") { check["ip"] = .text(ip.hasSuffix("6") ? "6" : "4") }
    if let source = section.text("source_ip") { check["source_address"] = .text(source) }
    if type == "http" {
      if isNegative { section.list("a negative test fails at every answer, whatever it is", "validator") }
      validators(&check, isNegative ? [] : section.node.each("validator"))
    }
    for label in section.node.each("additional_label") {
      guard let key = label["key"]?.text, let value = label["value"]?.text else { continue }
      section.ledger.carry(label)
      let port = settings?["port"]?.number ?? target.port
      if let made = target.filled(value, port: port) {
        check.tag(GoTemplates.short("\(key):\(made)"))
      } else {
        section.ledger.list(label, "what it says of the target is known to cloudprober only")
      }
    }
  }

  private func span(_ text: String, _ milliseconds: String) -> Int? {
    section[text] == nil ? section.number(milliseconds) : section.span(text)
  }

  private func targets() -> [CloudproberTarget] {
    guard let targets = section.section("targets") else { return [] }
    let common = targets["shared_targets"]?.text.flatMap { shared[ByteText($0)] }
    let own = common.flatMap { Section($0, section.ledger).section("targets") }
    if own == nil {
      targets.list("no file given has targets of this name", "shared_targets")
    } else {
      targets.carry("shared_targets")
      section.ledger.carry(common?["name"])
    }
    return listed(targets) + (own.map(listed) ?? [])
  }

  private func listed(_ targets: Section) -> [CloudproberTarget] {
    let text = targets.text("host_names") ?? ""
    // Blanks part them where no comma does.
    let hasComma = text.contains(",")
    let names = text.split(maxSplits: 2 * ForeignLimits.checks) { hasComma ? $0 == "," : $0.isWhitespace }
    var found = names.map { $0.trimmed }.filter { !$0.isEmpty }.map { CloudproberTarget(name: $0) }
    for endpoint in targets.node.each("endpoint") {
      if let target = CloudproberTarget(Section(endpoint, section.ledger)) { found.append(target) }
    }
    targets.list(
      "list them as host_names, or see discover in docs/configuration.md", "gce_targets", "rds_targets",
      "file_targets", "k8s")
    targets.list("write resolver, see docs/checks.md", "dns_options", "dns_server", change: .changed)
    targets.list(
      "targets that it leaves out have a check: remove these", "regex", change: .changed)
    targets.listRest("targets are the names in host_names and endpoint here")
    return found
  }

  private func fill(
    _ check: inout ImportedCheck, _ type: String, _ target: CloudproberTarget, _ settings: Section?
  ) -> Bool {
    switch type {
    case "http": CloudproberHTTP(settings).fill(&check, target)
    case "tcp":
      guard let port = settings?.number("port") ?? target.port else { return false }
      let ip = ip(of: target, settings)
      check["host"] = .text(ip ?? target.name)
      check["port"] = .number(port)
      // How it is made says that it is made.
      if settings?.flag("tls_handshake") ?? (settings?.section("tls_config") != nil) {
        CloudproberHTTP(settings).tls(&check)
        if ip != nil, check["tls.server_name"] == nil { check["tls.server_name"] = .text(target.name) }
        if check["tls"] == nil { check["tls"] = .plain("true") }
      }
      settings?.carry("tls_handshake")
    case "dns": dns(&check, target, settings)
    default: ping(&check, target, settings)
    }
    return true
  }

  /// The address of a target that has one, unless its name is to be asked.
  private func ip(of target: CloudproberTarget, _ settings: Section?) -> String? {
    settings?.flag("resolve_first") == false ? nil : target.ip
  }

  private func dns(_ check: inout ImportedCheck, _ target: CloudproberTarget, _ settings: Section?) {
    let server = ip(of: target, settings) ?? target.name
    // The port is 53 with TLS, too.
    let port = target.port ?? (settings?["dns_proto"]?.text == "TCP_TLS" ? 53 : nil)
    check["server"] = .text(port.map { "\(bracketed(server)):\($0)" } ?? server)
    check["query.name"] = .text(settings?.text("resolved_domain") ?? "www.google.com")
    check["query.type"] = .text(settings?.text("query_type") ?? "MX")
    if settings?["query_class"]?.text == "CH" { check["query.class"] = .text("CH") }
    if let known = settings?["query_class"]?.text, ["CH", "IN"].contains(known) {
      settings?.carry("query_class")
    }
    settings?.list(Ledger.misread, "query_class", change: .changed)
    if settings?.flag("recursion_desired") == false { check["query.recursion"] = .plain("false") }
    let transports = ["UDP": "udp", "TCP": "tcp", "TCP_TLS": "dot"]  // own text
    if let transport = settings?["dns_proto"]?.text.flatMap({ transports[$0] }) {
      settings?.carry("dns_proto")
      check["transport"] = .plain(transport)
    }
    settings?.list(Ledger.misread, "dns_proto", change: .changed)
    if let least = settings?.number("min_answers"), least > 0 {
      check["expect.count"] = .text(">= \(least)")
    }
    settings?.carry("min_answers")
  }

  private func ping(_ check: inout ImportedCheck, _ target: CloudproberTarget, _ settings: Section?) {
    check["host"] = .text(target.ip ?? target.name)
    let count = settings?.number("packets_per_probe") ?? 2
    check["count"] = .number(check.within(1...100, "packets_per_probe", count))
    let gap = check.within(
      10...10_000, "packets_interval_msec", settings?.number("packets_interval_msec") ?? 25)
    check["packet_interval"] = .duration(gap)
    if let size = settings?.number("payload_size") {
      check["size"] = .number(check.within(0...1472, "payload_size", size))
    }
    settings?.carry("use_datagram_socket", "resolve_targets_interval")
  }

  private func validators(_ check: inout ImportedCheck, _ validators: [ForeignNode]) {
    var statuses = StatusSet()
    for validator in validators {
      let validator = Section(validator, section.ledger)
      validator.carry("name")
      if let pattern = validator.text("regex") {
        check.append("expect.body.matches", .text(PatternText.whole(pattern)))
      }
      guard let http = validator.section("http_validator") else { continue }
      for (key, isWanted) in [("success_status_codes", true), ("failure_status_codes", false)] {
        guard let codes = http[key]?.text else { continue }
        let parts = codes.split(separator: ",")
        let ranges = parts.compactMap { Self.range($0.trimmed) }
        guard ranges.count == parts.count else {
          http.list("one of them is no status and no range of statuses", key, change: .laxer)
          continue
        }
        guard ranges.count <= ForeignLimits.each else {
          http.list("more than \(ForeignLimits.each) ranges", key)
          continue
        }
        let isTaken = statuses.keep { code in ranges.contains { $0.contains(code) } == isWanted }
        if isTaken { http.carry(key) } else { http.list("no status meets it together with the others", key) }
      }
      if let header = http["success_header"], let name = header["name"]?.text {
        section.ledger.carry(header)
        let pattern = header["value_regex"]?.text.map(PatternText.whole) ?? "^"
        check.entry("expect.header", name, .text("~ \(pattern)"))
      }
      http.list(
        "a condition on a header wants the header to be there", "failure_header", change: .laxer)
    }
    check["expect.status"] = statuses.value
  }

  private static func range(_ text: String) -> ClosedRange<Int>? {
    let parts = text.split(separator: "-").map { Int($0.trimmed) }
    guard (1...2).contains(parts.count), let low = parts.first.flatMap(\.self),
      let high = parts.last.flatMap(\.self), low <= high
    else {
      return nil
    }
    return low...high
  }
}
