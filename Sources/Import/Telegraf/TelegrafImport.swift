// SPDX-License-Identifier: MIT

import Basics

/// Telegraf's inputs that probe something: http_response, net_response, ping, dns_query and x509_cert.
struct TelegrafImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// Files of one agent: settings of all of them hold for all inputs.
  func read(_ files: [ImportFile]) throws(ImportProblem) -> [ImportedCheck] {
    var documents: [(file: ImportFile, node: ForeignNode)] = []
    for file in files {
      do throws(ImportProblem) {
        documents.append((file, ledger.enter(try TOMLReader.read(file.bytes), file: file.name)))
      } catch { throw error.of(file) }
    }
    let agents = documents.compactMap { $0.node["agent"].map { Section($0, ledger) } }
    var pace = TelegrafPace()
    for agent in agents where agent["interval"] != nil {
      let span = agent.span("interval", TelegrafInput.span)
      (pace.interval, pace.isUnread) = (span ?? pace.interval, span == nil)
    }
    var tags: [(name: String, value: ForeignNode)] = []
    for (file, node) in documents {
      guard let given = node["global_tags"], let entries = given.entries else { continue }
      do throws(ImportProblem) { try given.limit(entries.count, "global tags") } catch {
        throw error.of(file)
      }
      // Of one name the last one holds.
      for entry in entries {
        tags.removeAll { $0.name == entry.name }
        tags.append(entry)
      }
    }
    var checks: [ImportedCheck] = []
    for (file, node) in documents {
      for kind in node["inputs"]?.entries ?? [] {
        for input in kind.value.all {
          do throws(ImportProblem) {
            checks += try TelegrafInput(
              kind.name, Section(input, ledger).withoutEmptyTexts(), pace, tags
            ).checks()
          } catch { throw error.of(file) }
        }
      }
    }
    ledger.settle()
    for (_, node) in documents {
      let section = Section(node, ledger)
      section.list("metrics and results are built in: see status in docs/configuration.md", "outputs")
      section.list("no check takes it: a later tag of its name takes its place", "global_tags")
      section.listRest("it is about Telegraf and its metrics")
    }
    return checks
  }
}

/// How often inputs are asked that do not say it.
struct TelegrafPace {
  /// Milliseconds.
  var interval = 10_000
  /// The agent says it in a way that is not read.
  var isUnread = false
}

/// One input, a check for each of its targets.
struct TelegrafInput {
  let kind: String
  let section: Section
  private let usual: TelegrafPace
  /// Global ones first.
  private let tags: [(name: String, value: ForeignNode)]
  private var ledger: Ledger { section.ledger }

  init(
    _ kind: String, _ section: Section, _ usual: TelegrafPace, _ tags: [(name: String, value: ForeignNode)]
  ) {
    let own = section["tags"]?.entries ?? []
    let names = Set(own.map { ByteText($0.name) })
    (self.kind, self.section, self.usual) = (kind, section, usual)
    // An input's own tag takes the place of a global one.
    self.tags = tags.filter { !names.contains(ByteText($0.name)) } + own
  }

  /// `5s`, or a number of seconds.
  static func span(_ text: String) -> Int? {
    if let seconds = Double(text), seconds.isFinite, (0..<1e8).contains(seconds) {
      return Int(seconds * 1000)
    }
    return ForeignDuration.milliseconds(text)
  }

  func span(_ name: String, usual: Int) -> Int {
    guard let span = section.span(name, Self.span), span != 0 else { return usual }
    return span
  }

  func checks() throws(ImportProblem) -> [ImportedCheck] {
    ledger.settle()
    guard section.node.entries != nil else { return [] }
    let targets: [(node: ForeignNode?, text: String)]
    switch kind {
    case "http_response": targets = all("urls", "address", usual: "http://localhost")
    case "net_response": targets = all("address", usual: "localhost:80")
    case "ping": targets = all("urls")
    case "dns_query": targets = all("servers")
    case "x509_cert": targets = all("sources")
    default:
      section.listRest("the input probes nothing that a check here probes")
      return []
    }
    let domains = kind == "dns_query" ? all("domains", usual: ".") : [(nil, "")]
    let shared = ForeignWeight(section.node)
    try ledger.count(targets.count * domains.count, sharing: shared, of: "inputs.\(kind)")
    var made: [ImportedCheck] = []
    for target in targets {
      for domain in domains {
        let before = ledger.carried
        guard var check = check(target, domain) else { continue }
        check.carried = ledger.carried - before
        made.append(check)
      }
    }
    if made.isEmpty { section.listAll("no check was made of the input") }
    // Where one is, it takes what others do not.
    if kind == "http_response", section["follow_redirects"]?.flag != true,
      !targets.contains(where: { Self.isHTTPS($0.text) })
    {
      section.list(
        "the address is no https", "tls_ca", "tls_cert", "tls_key", "insecure_skip_verify", "tls_server_name",
        "tls_renegotiation_method", "tls_min_version")
    }
    rest()
    ledger.note(&made)
    return made
  }

  private func all(_ names: String..., usual: String? = nil) -> [(node: ForeignNode?, text: String)] {
    let nodes = names.flatMap { section[$0]?.all ?? [] }
    let found = nodes.compactMap { node in node.text.map { (node: Optional(node), text: $0) } }
    return found.isEmpty ? usual.map { [(nil, $0)] } ?? [] : found
  }

  private func check(
    _ target: (node: ForeignNode?, text: String), _ domain: (node: ForeignNode?, text: String)
  ) -> ImportedCheck? {
    var why: String?
    var made: ImportedCheck?
    switch kind {
    case "http_response": made = http(target.text)
    case "net_response": made = port(target.text, &why)
    case "ping": made = ping(target.text, &why)
    case "dns_query": made = dns(target.text, domain.text)
    default: made = certificate(target.text, &why)
    }
    let shown = ForeignURL.withoutUser(target.text)
    let name = domain.text.isEmpty ? shown : "\(domain.text) at \(shown)"
    if var check = made {
      check.name = section["alias"]?.text.map { "\($0) \(name)" } ?? name
      why = TelegrafPlaceholders.placeholders.replace(in: &check)
      if why == nil {
        for tag in tags {
          guard let text = tag.value.text, !text.contains("$"), text.range(of: "@{") == nil else {
            ledger.list(tag.value, "a tag takes no variable: write its value")
            continue
          }
          ledger.carry(tag.value)
          check.tag("\(tag.name):\(text)")
        }
        ledger.carry(target.node)
        ledger.carry(domain.node)
        return check
      }
    }
    ledger.list(target.node, why ?? "it is no target of a check")
    ledger.leaveOut("\(kind) \(name)", why ?? "it is no target of a check")
    return nil
  }

  func pace(_ check: inout ImportedCheck, timeout: Int) {
    check.pace(interval: span("interval", usual: usual.interval), timeout: timeout)
    if usual.isUnread, section["interval"] == nil { check.note(.changed, "agent.interval", Ledger.misread) }
    check["retries"] = .plain("0")
  }

  /// Lists the settings of metrics, and the rest.
  private func rest() {
    section.carry("alias", "tags", "interval")
    for name in ["use_system_proxy", "use_proxy"] where section[name]?.flag == false { section.carry(name) }
    section.list(
      "it is about metrics, which are the agent's own here", "name_override", "name_prefix", "name_suffix",
      "fielddrop", "fieldinclude", "fieldexclude", "fieldpass", "tagdrop", "tagexclude", "taginclude",
      "tagpass", "namepass", "namedrop", "metricpass", "precision", "log_level", "collection_jitter",
      "collection_offset", "percentiles", "include_fields", "exclude_root_certs", "pad_serial_with_zeroes",
      "response_body_field", "response_body_max_size", "http_header_tags", "startup_error_behavior")
    section.listRest()
  }
}

/// `${NAME}` and `$NAME`, variables of the environment; `$$` is a dollar. A reference to a secret store is none that is known here.
private enum TelegrafPlaceholders {
  static let placeholders = Placeholders(parts: parts)

  private static func parts(_ text: String) -> [Placeholders.Part]? {
    if text.range(of: "@{") != nil { return nil }
    var parts: [Placeholders.Part] = []
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      parts.append(.text(rest[..<dollar]))
      var behind = rest[rest.index(after: dollar)...]
      if behind.hasPrefix("$") {
        parts.append(.text("$"))
        rest = behind.dropFirst()
      } else if behind.hasPrefix("{") {
        behind = behind.dropFirst()
        guard let close = behind.firstIndex(of: "}"), Placeholders.isName(behind[..<close]) else {
          return nil
        }
        parts.append(.variable(ByteText(String(behind[..<close]))))
        rest = behind[behind.index(after: close)...]
      } else {
        let name = behind.unicodeScalars.prefix { GoPatternParser.word.contains($0.value) }
        guard Placeholders.isName(Substring(name)) else {
          parts.append(.text("$"))
          rest = behind
          continue
        }
        parts.append(.variable(ByteText(String(Substring(name)))))
        rest = behind[name.endIndex...]
      }
    }
    return parts + [.text(rest)]
  }
}
