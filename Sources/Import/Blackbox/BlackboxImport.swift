// SPDX-License-Identifier: MIT

import Basics

/// blackbox.yml, and who says what is probed by it: Prometheus' scrape configs and the operator's Probe objects.
struct BlackboxImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ files: [ImportFile]) throws(ImportProblem) -> [ImportedCheck] {
    var documents: [ForeignNode] = []
    for file in files { documents += try ForeignNode.documents(file, ledger) }
    documents += documents.flatMap { $0["kind"]?.text == "List" ? $0["items"]?.items ?? [] : [] }
    let modules = documents.flatMap { $0["modules"]?.entries ?? [] }.map {
      BlackboxModule(name: $0.name, $0.value)
    }
    // The last one of a name, as everywhere.
    let known = Dictionary(
      modules.map { (ByteText($0.name), ($0, ForeignWeight($0.node))) }, uniquingKeysWith: { $1 })
    var wishes: [ProbeWish] = []
    for document in documents { wishes += try self.wishes(document) }
    var uses: [ByteText: Int] = [:]
    for wish in wishes { uses[ByteText(wish.module), default: 0] += 1 }
    for (name, count) in uses {
      guard let (_, weight) = known[name] else { continue }
      try ledger.count(count, sharing: weight, of: "module \"\(name.text)\"")
    }
    var checks: [ImportedCheck] = []
    for wish in wishes {
      guard let (module, _) = known[ByteText(wish.module)] else {
        ledger.list(
          wish.source, "no file given has the module \"\(wish.module.printable(maxBytes: 100))\"")
        continue
      }
      if let check = check(wish, module) { checks.append(check) }
    }
    ledger.settle()
    for module in modules where uses[ByteText(module.name)] == nil {
      ledger.list(module.node, "no target given uses the module; give the scrape config or Probe as well")
    }
    return checks
  }

  private func check(_ wish: ProbeWish, _ module: BlackboxModule) -> ImportedCheck? {
    ledger.settle()
    guard var check = module.check(of: wish.target, ledger) else {
      ledger.list(wish.source, "its module \"\(module.name.printable(maxBytes: 100))\" makes no check")
      return nil
    }
    ledger.carry(wish.source)
    check.question = OldQuestion(module: wish.module, target: wish.target)
    check.name = wish.name ?? "\(module.name) \(ForeignURL.withoutUser(wish.target))"
    check.pace(interval: wish.interval ?? 60_000, timeout: module.timeout ?? wish.timeout ?? 10_000)
    for tag in wish.tags { check.tag(tag) }
    check.notes += ledger.takeNotes()
    return check
  }

  private func wishes(_ document: ForeignNode) throws(ImportProblem) -> [ProbeWish] {
    if document["kind"]?.text == "Probe" { return try ProbeObject(document, ledger).wishes() }
    if document["kind"]?.text == "ConfigMap" {
      ledger.list(document, "a ConfigMap's data is text: give the files themselves")
      return []
    }
    guard document["scrape_configs"] != nil || document["global"] != nil else { return [] }
    let global = Section(document, ledger).section("global")
    let interval = global?.text("scrape_interval").flatMap { ForeignDuration.milliseconds($0) }
    let timeout = global?.text("scrape_timeout").flatMap { ForeignDuration.milliseconds($0) }
    global?.listRest("it is about Prometheus itself")
    let jobs = document["scrape_configs"]?.items ?? []
    var wishes: [ProbeWish] = []
    for job in jobs {
      wishes += try ScrapeJob(Section(job, ledger)).wishes(interval: interval, timeout: timeout)
    }
    for entry in document.entries ?? [] where !["global", "scrape_configs", "modules"].contains(entry.name) {
      ledger.list(entry.value, "it is about Prometheus itself", always: false)
    }
    return wishes
  }
}

/// A target that somebody has probed by a module.
struct ProbeWish {
  var target: String
  var module: String
  /// Where the target stands.
  var source: ForeignNode
  /// Milliseconds.
  var interval: Int?
  var timeout: Int?
  var tags: [String] = []
  var name: String?
}

/// One entry of `scrape_configs` that asks the exporter's `/probe`.
struct ScrapeJob {
  private let section: Section

  init(_ section: Section) { self.section = section }

  func wishes(interval: Int?, timeout: Int?) throws(ImportProblem) -> [ProbeWish] {
    let params = section.section("params")
    let modules = params?.texts("module") ?? []
    guard section["metrics_path"]?.text == "/probe" || params?["module"] != nil else {
      section.listRest("this job scrapes metrics, it probes nothing")
      return []
    }
    section.carry("metrics_path", "scheme")
    params?.listRest("only module says how to probe")
    let job = section.text("job_name")
    let interval = section.text("scrape_interval").flatMap { ForeignDuration.milliseconds($0) } ?? interval
    let timeout = section.text("scrape_timeout").flatMap { ForeignDuration.milliseconds($0) } ?? timeout
    let rules = (section["relabel_configs"]?.items ?? []).map { RelabelRule(Section($0, section.ledger)) }
    try section.node["relabel_configs"]?.limit(rules.count, "relabelling rules in one job")
    var wishes: [ProbeWish] = []
    for group in section["static_configs"]?.items ?? [] {
      try group["labels"]?.limit(group["labels"]?.entries?.count ?? 0, "labels of one group of targets")
      let group = Section(group, section.ledger)
      var labels: [(name: String, value: String)] = []
      for label in group["labels"]?.entries ?? [] {
        group.ledger.carry(label.value)
        labels.append((label.name, label.value.text ?? ""))
      }
      for target in group["targets"]?.items ?? [] {
        wishes += wish(target, labels, rules, module: modules.first).map { wish in
          var wish = wish
          (wish.interval, wish.timeout) = (interval, timeout)
          if let job { wish.tags.insert("job:\(job)", at: 0) }
          return wish
        }
      }
    }
    section.list(
      "list the targets in the file, or see discover in docs/configuration.md", "file_sd_configs",
      "dns_sd_configs", "http_sd_configs", "kubernetes_sd_configs", "consul_sd_configs")
    section.listRest("it is about the exporter or Prometheus, not about the target")
    return wishes
  }

  private func wish(
    _ target: ForeignNode, _ given: [(name: String, value: String)], _ rules: [RelabelRule], module: String?
  ) -> [ProbeWish] {
    guard let text = target.text else { return [] }
    var labels = RelabelRule.Labels(given)
    labels["__address__"] = text
    labels["__param_module"] = module
    for rule in rules where !rule.apply(&labels) {
      section.ledger.list(target, "relabelling makes more than \(ForeignLimits.words) bytes of it")
      return []
    }
    guard let module = labels["__param_module"] else {
      section.ledger.list(target, "nothing says by which module it is probed")
      return []
    }
    section.ledger.carry(target)
    let own = given.filter { !$0.name.hasPrefix("__") }.map { "\($0.name):\($0.value)" }
    return [
      ProbeWish(target: labels["__param_target"] ?? text, module: module, source: target, tags: own)
    ]
  }
}

/// A rule of `relabel_configs`, as far as it can be read without an engine of patterns: the whole value, or what stands
/// before or behind a fixed text.
struct RelabelRule {
  /// A handful, in their order.
  struct Labels {
    private var all: [(name: String, value: String)]

    init(_ all: [(name: String, value: String)]) { self.all = all }

    subscript(name: String) -> String? {
      get { all.last { $0.name == name }?.value }
      set {
        all.removeAll { $0.name == name }
        if let newValue { all.append((name, newValue)) }
      }
    }
  }

  private var sources: [String] = []
  private var target = ""
  private var separator = ";"
  private var replacement = "$1"
  private var before = ""
  private var behind = ""
  private var isKnown = true

  init(_ section: Section) {
    sources = section["source_labels"]?.all.compactMap(\.text) ?? []
    target = section["target_label"]?.text ?? ""
    separator = section["separator"]?.text ?? separator
    replacement = section["replacement"]?.text ?? replacement
    var pattern = section["regex"]?.text ?? "(.*)"
    let action = section["action"]?.text ?? "replace"
    for group in ["(.*)", "(.+)", "(.*?)"] {
      guard let range = pattern.range(of: group) else { continue }
      (before, behind) = (
        Self.literal(pattern[..<range.lowerBound]), Self.literal(pattern[range.upperBound...])
      )
      pattern = ""
      break
    }
    isKnown =
      action == "replace" && sources.count <= 32
      && replacement.utf8.count + separator.utf8.count <= ForeignLimits.words
      && (pattern.isEmpty || pattern == ".*") && !Self.isPattern(before + behind)
    let isPlain = isKnown && ["__param_target", "__param_module", "__address__", "instance"].contains(target)
    if isPlain || isKnown && target.hasPrefix("__") {
      section.ledger.carry(section.node)
    } else if isKnown {
      section.listRest("labels of Prometheus have no counterpart; tags stand in the check")
    } else {
      section.listRest("rules with this action or pattern are not worked out; look at the targets they make")
    }
  }

  private static func literal(_ text: Substring) -> String { text.replacing("\\.", with: ".") }

  private static func isPattern(_ text: String) -> Bool { text.contains { "*+?()[]|^$\\".contains($0) } }

  /// False: what it makes is too long, as of rules that double a label again and again.
  func apply(_ labels: inout Labels) -> Bool {
    guard isKnown, !target.isEmpty else { return true }
    let value = sources.map { labels[$0] ?? "" }.joined(separator: separator)
    guard value.hasPrefix(before), value.hasSuffix(behind),
      value.utf8.count >= before.utf8.count + behind.utf8.count
    else { return true }
    let inner = String(value.dropFirst(before.count).dropLast(behind.count))
    let signs = replacement.utf8.count { $0 == UInt8(ascii: "$") }
    guard replacement.utf8.count + signs * inner.utf8.count <= ForeignLimits.words else { return false }
    let made = replacement.replacing("${1}", with: inner).replacing("$1", with: inner)
    labels[target] = made.isEmpty ? nil : made
    return true
  }
}

/// A `Probe` of the Prometheus Operator.
struct ProbeObject {
  private let section: Section
  private let node: ForeignNode

  init(_ node: ForeignNode, _ ledger: Ledger) {
    self.node = node
    section = Section(node, ledger)
  }

  func wishes() throws(ImportProblem) -> [ProbeWish] {
    section.carry("apiVersion", "kind")
    let metadata = section.section("metadata")
    let object = metadata?.text("name") ?? "probe"
    metadata?.listRest("it is about the object in Kubernetes")
    guard let spec = section.section("spec"), let module = spec.text("module") else { return [] }
    let interval = spec.text("interval").flatMap { ForeignDuration.milliseconds($0) }
    let timeout = spec.text("scrapeTimeout").flatMap { ForeignDuration.milliseconds($0) }
    let fixed = spec.section("targets")?.section("staticConfig")
    try fixed?.node["labels"]?.limit(fixed?["labels"]?.entries?.count ?? 0, "labels of one group of targets")
    var tags = ["job:\(spec.text("jobName") ?? object)"]
    for label in fixed?["labels"]?.entries ?? [] {
      fixed?.ledger.carry(label.value)
      tags.append("\(label.name):\(label.value.text ?? "")")
    }
    let wishes = (fixed?["static"]?.items ?? []).compactMap { target -> ProbeWish? in
      spec.ledger.carry(target)
      return target.text.map {
        ProbeWish(
          target: $0, module: module, source: target, interval: interval, timeout: timeout, tags: tags)
      }
    }
    spec.section("targets")?.list("an Ingress is not looked up here: list its addresses", "ingress")
    spec.list("it says where the exporter is", "prober")
    spec.listRest("it is about Prometheus, not about the target")
    return wishes
  }
}
