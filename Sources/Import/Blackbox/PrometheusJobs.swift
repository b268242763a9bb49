// SPDX-License-Identifier: MIT

import Basics

/// One entry of `scrape_configs` that asks the exporter's `/probe`.
struct ScrapeJob {
  private let section: Section
  private let work: RelabelWork

  init(_ section: Section, _ work: RelabelWork) { (self.section, self.work) = (section, work) }

  func wishes(_ outer: ScrapePace) throws(ImportProblem) -> [ProbeWish] {
    let path = section["metrics_path"]?.text ?? "/metrics"
    let rules = try RelabelRules(section["relabel_configs"], "relabel_configs", section.ledger, work)
    guard path.hasSuffix("/probe") || rules.maySet("__metrics_path__") else {
      section.ledger.list(section.node, "this job scrapes metrics, it probes nothing")
      return []
    }
    section.carry("metrics_path", "scheme")
    let job = section.text("job_name")
    let pace = ScrapePace(section, within: outer)
    var common = TargetLabels(
      [("__metrics_path__", path), ("__scheme__", section["scheme"]?.text ?? "http")] + pace.labels)
    common["job"] = job
    let params = try parameters(section.section("params"))
    func shared(_ own: [(name: String, value: String)]) -> TargetLabels {
      var labels = common
      for label in own { labels[label.name] = label.value }
      for (name, value) in params { labels["__param_\(name)"] = value }
      return labels
    }
    var samples: [ProbeWish] = []
    for address in rules.arePlain ? TargetFile.samples : [] {
      let target = ForeignNode(content: .scalar(address, isPlain: false), line: 0)
      var labels = shared([])
      labels["__address__"] = address
      if let wish = try rules.wish(target, labels, pace, Ledger()) { samples.append(wish) }
    }
    var wishes: [ProbeWish] = []
    for (group, list) in groups(samples) {
      let own = try labels(of: group)
      let known = shared(own)
      for target in group["targets"]?.items ?? [] {
        guard let text = target.text else { continue }
        var labels = known
        labels["__address__"] = text
        guard var wish = try rules.wish(target, labels, pace, section.ledger) else { continue }
        wish.list = list.map { ($0, own) }
        wishes.append(wish)
      }
    }
    discovered(job)
    section.listRest("it is about the exporter or Prometheus, not about the target")
    return wishes
  }

  /// Targets that the files do not list.
  private func discovered(_ job: String?) {
    let kinds = (section.node.entries ?? []).filter {
      $0.name.hasSuffix("_sd_configs") && $0.name != "file_sd_configs" && $0.value.all.count > 0
    }
    guard let first = kinds.first else { return }
    section.ledger.settle()
    for kind in kinds {
      section.ledger.list(
        kind.value, "list the targets in the file, or see discover in docs/configuration.md", always: false)
    }
    section.ledger.leaveOut(
      "job \(job ?? "unnamed")",
      "its targets of \(first.name.printable(maxBytes: 60)) are known to Prometheus only")
  }

  /// The first value of each.
  private func parameters(_ params: Section?) throws(ImportProblem) -> [(name: String, value: String)] {
    guard let params else { return [] }
    try params.node.limit(params.node.entries?.count ?? 0, "params of one job")
    for name in ["module", "target", "hostname"] {
      guard let values = params[name]?.all, !values.isEmpty else { continue }
      params.ledger.carry(values[0])
      for value in values.dropFirst() { params.ledger.list(value, "only the first value is read") }
    }
    params.listRest("the exporter reads target, module and hostname only")
    return (params.node.entries ?? []).compactMap { entry in
      entry.value.all.first?.text.map { (entry.name, $0) }
    }
  }

  private func labels(of group: ForeignNode) throws(ImportProblem) -> [(name: String, value: String)] {
    try group["labels"]?.limit(group["labels"]?.entries?.count ?? 0, "labels of one group of targets")
    return (group["labels"]?.entries ?? []).map { label in
      section.ledger.carry(label.value)
      return (label.name, label.value.text ?? "")
    }
  }

  private static let notGiven = "its targets are in a file that was not given: import it too"

  /// The groups of the job, and of the files it names, each of these with the number of its list.
  private func groups(_ samples: [ProbeWish]) -> [(group: ForeignNode, list: Int?)] {
    var groups = (section["static_configs"]?.items ?? []).map { (group: $0, list: Int?.none) }
    for discovery in section["file_sd_configs"]?.items ?? [] {
      let discovery = Section(discovery, section.ledger)
      var isGiven = false
      for pattern in discovery["files"]?.all ?? [] {
        let found = work.files(of: pattern.text ?? "")
        guard !found.isEmpty else {
          discovery.ledger.settle()
          discovery.ledger.list(pattern, Self.notGiven)
          discovery.ledger.leaveOut("job \(section["job_name"]?.text ?? "unnamed")", Self.notGiven)
          continue
        }
        discovery.ledger.carry(pattern)
        isGiven = true
        let list = TargetFile(pattern, discovery, found, samples)
        groups += list.groups.map { ($0, work.lists.count) }
        work.lists.append(list)
      }
      if isGiven { discovery.carry("refresh_interval") }
      discovery.listRest(isGiven ? Ledger.unknownKey : "the file is read once")
    }
    return groups
  }
}

/// A `Probe` of the Prometheus Operator.
struct ProbeObject {
  private let section: Section

  init(_ node: ForeignNode, _ ledger: Ledger) { section = Section(node, ledger) }

  func wishes(_ work: RelabelWork) throws(ImportProblem) -> [ProbeWish] {
    section.ledger.settle()
    section.carry("apiVersion", "kind")
    let metadata = section.section("metadata")
    let (name, namespace) = (metadata?.text("name") ?? "probe", metadata?.text("namespace") ?? "default")
    metadata?.listRest("it is about the object in Kubernetes")
    guard let spec = section.section("spec") else {
      section.ledger.leaveOut("Probe \(name)", Self.withoutTargets)
      return []
    }
    let pace = ScrapePace(probe: spec)
    let prober = spec.section("prober")
    var common = TargetLabels([("__metrics_path__", prober?.text("path") ?? "/probe")] + pace.labels)
    common["job"] = spec.text("jobName") ?? "probe/\(namespace)/\(name)"
    for parameter in spec["params"]?.items ?? [] {
      guard let name = parameter["name"]?.text, let value = parameter["values"]?.all.first?.text else {
        continue
      }
      common["__param_\(name)"] = value
      spec.ledger.carry(parameter)
    }
    if let module = spec.text("module") { common["__param_module"] = module }
    let made = try targets(spec, common, namespace, prober?["url"]?.text ?? "exporter", pace, work)
    let isIngress = spec["targets"]?["ingress"] != nil
    if isIngress, let targets = spec.section("targets") {
      let why = "an Ingress is not looked up here: list its addresses"
      section.ledger.settle()
      targets.list(why, "ingress")
      section.ledger.leaveOut("Probe \(name)", why)
    }
    spec.list("it says where the exporter is", "prober")
    spec.listRest("it is about Prometheus, not about the target")
    if made.isEmpty, !isIngress {
      let listed = spec["targets"]?["staticConfig"]?["static"]?.items ?? []
      section.ledger.leaveOut(
        "Probe \(name)",
        listed.isEmpty ? Self.withoutTargets : "the exporter is asked for none of its targets")
    }
    return made
  }

  private static let withoutTargets = "it lists no targets"

  private func targets(
    _ spec: Section, _ common: TargetLabels, _ namespace: String, _ exporter: String, _ pace: ScrapePace,
    _ work: RelabelWork
  ) throws(ImportProblem) -> [ProbeWish] {
    guard let fixed = spec.section("targets")?.section("staticConfig") else { return [] }
    let own = fixed["labels"]?.entries ?? []
    try fixed.node["labels"]?.limit(own.count, "labels of one group of targets")
    var given = common
    given["namespace"] = namespace
    for label in own {
      fixed.ledger.carry(label.value)
      given[label.name] = label.value.text ?? ""
    }
    // The operator's own rules come before those of the object.
    let rules = try RelabelRules(
      fixed["relabelingConfigs"], "relabelingConfigs",
      before: [
        RelabelRule(copies: "__address__", to: "__param_target"),
        RelabelRule(copies: "__param_target", to: "instance"),
        RelabelRule(copies: nil, to: "__address__", replacement: exporter.replacing("$", with: "$$")),
      ], fixed.ledger, work)
    var wishes: [ProbeWish] = []
    for target in fixed["static"]?.items ?? [] {
      guard let text = target.text else { continue }
      var labels = given
      labels["__address__"] = text
      if let wish = try rules.wish(target, labels, pace, fixed.ledger) { wishes.append(wish) }
    }
    return wishes
  }
}
