// SPDX-License-Identifier: MIT

import Basics

/// State shared by the jobs of an import. For one thread.
final class RelabelWork {
  /// Files of targets that were given.
  var files: [(file: ImportFile, groups: [ForeignNode])] = []
  /// Names of all files that were given.
  var names: [String] = []
  /// Those that jobs name.
  var lists: [TargetFile] = []
  var budget = GoPattern.Budget()

  /// The files that a pattern of `file_sd_configs` names: given files are known by their last part.
  func files(of pattern: String) -> [(file: ImportFile, groups: [ForeignNode])] {
    files.filter { Self.isNamed($0.file.name, by: pattern) }
  }

  static func isNamed(_ path: String, by pattern: String) -> Bool {
    let wanted = pattern.split(separator: "/").last.map(String.init) ?? ""
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return Glob.matches(wanted, name, hasQuestions: false)
  }
}

/// How often and how long a job scrapes, in milliseconds.
struct ScrapePace {
  var interval = 60_000
  var timeout = 10_000
  /// Keys whose values are no spans of time.
  private(set) var unread: [String] = []
  /// No file given says how often.
  var isAssumed = false

  init() {}

  /// Of a Probe object. Where it says nothing, the Prometheus object does, which has 30 s by itself.
  init(probe: Section) {
    var usual = ScrapePace()
    usual.interval = 30_000
    self.init(probe, within: usual, "interval", "scrapeTimeout")
    isAssumed = probe["interval"] == nil
  }

  /// As labels that rules can look at.
  var labels: [(name: String, value: String)] {
    [("__scrape_interval__", Self.text(interval)), ("__scrape_timeout__", Self.text(timeout))]
  }

  /// As Prometheus writes it: hours, minutes and so on beside one another.
  private static func text(_ milliseconds: Int) -> String {
    let units = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)]
    let days = [("y", 31_536_000_000), ("w", 604_800_000), ("d", 86_400_000)]
    if milliseconds == 0 { return "0s" }
    if let whole = days.first(where: { milliseconds % $0.1 == 0 }) {
      return "\(milliseconds / whole.1)\(whole.0)"
    }
    var rest = milliseconds
    return units.reduce(into: "") { made, unit in
      if rest >= unit.1 { made += "\(rest / unit.1)\(unit.0)" }
      rest %= unit.1
    }
  }

  /// A timeout that a job does not set is at most its interval.
  init(
    _ section: Section?, within outer: ScrapePace, _ interval: String = "scrape_interval",
    _ timeout: String = "scrape_timeout"
  ) {
    self.interval = section?.span(interval) ?? outer.interval
    self.timeout = section?.span(timeout) ?? min(outer.timeout, self.interval)
    let own = [interval, timeout].filter { name in
      (section?[name]?.text).map { ForeignDuration.milliseconds($0) == nil } ?? false
    }
    unread = own + outer.unread.filter { !own.contains($0) }
  }
}

/// The rules of a job, and what they make of its targets.
struct RelabelRules {
  /// The place of a rule, and the rule; `nil` for one that is not worked out.
  private var rules: [(place: String, rule: RelabelRule?)] = []
  private let work: RelabelWork

  /// - Parameter before: rules that stand before those of the file.
  init(
    _ node: ForeignNode?, _ key: String, before: [RelabelRule] = [], _ ledger: Ledger, _ work: RelabelWork
  ) throws(ImportProblem) {
    self.work = work
    rules = before.map { ("", $0) }
    let items = node?.items ?? []
    try node?.limit(items.count, "relabelling rules in one job")
    for (index, item) in items.enumerated() {
      let rule = RelabelRule(Section(item, ledger))
      let place = item.line > 0 ? " (line \(item.line))" : ""
      rules.append(("\(key)[\(index)]\(place)", rule))
      if rule != nil {
        ledger.carry(item)
      } else {
        ledger.list(
          item, "the rule is none of Prometheus', or its pattern is not worked out here", always: false)
      }
    }
  }

  /// A rule may set the label.
  func maySet(_ name: String) -> Bool {
    rules.contains { $0.rule.map { $0.sets == name || $0.sets.contains("$") } ?? true }
  }

  /// Each rule sets a label from the target's address, or from nothing, whatever the address is.
  var arePlain: Bool {
    rules.allSatisfy { $0.rule?.copies(onlyOf: ["__address__", "__param_target"]) ?? false }
  }

  enum Made {
    case target(TargetLabels)
    /// The target is left out, for this reason.
    case left(String)
  }

  func apply(to given: TargetLabels) throws(ImportProblem) -> Made {
    var labels = given
    for (place, rule) in rules {
      guard let rule else { return .left("\(place) is not worked out here") }
      if let name = rule.looksAt.first(where: { $0.hasPrefix("__meta_") }) {
        return .left(
          "\(place) looks at \(name.printable(maxBytes: 80)), which only Prometheus' discovery knows")
      }
      switch rule.apply(&labels, &work.budget) {
      case .kept: break
      case .dropped: return .left("\(place) drops it, so Prometheus does not probe it")
      case .tooLong: return .left("\(place) makes more than \(ForeignLimits.words) bytes of it")
      case .tooMuchWork:
        throw ImportProblem(
          "relabelling takes too much work, at \(place)", hint: "import fewer targets at a time")
      }
    }
    return .target(labels)
  }

  /// The probe of a target; `nil`: it is listed.
  func wish(
    _ target: ForeignNode, _ given: TargetLabels, _ pace: ScrapePace, _ ledger: Ledger
  ) throws(ImportProblem) -> ProbeWish? {
    let labels: TargetLabels
    switch try apply(to: given) {
    case .left(let why):
      ledger.list(target, why)
      return nil
    case .target(let made): labels = made
    }
    let path = labels["__metrics_path__"] ?? ""
    guard path.hasSuffix("/probe") else {
      ledger.list(target, "it is scraped at \(path.printable(maxBytes: 100)), not probed")
      return nil
    }
    guard let probed = labels["__param_target"] else {
      ledger.list(target, "no rule sets __param_target, so the exporter is asked for no target")
      return nil
    }
    // Other exporters have a path of that name, too, and know no modules.
    let module = labels["__param_module"]
    guard module != nil || ForeignURL.place(labels["__address__"] ?? "").port == 9115 else {
      ledger.list(target, "nothing says by which module it is probed: set params.module")
      return nil
    }
    ledger.carry(target)
    func span(_ name: String) -> Int? { labels[name].flatMap { ForeignDuration.milliseconds($0) } }
    var wish = ProbeWish(
      target: probed, module: module ?? ProbeWish.usual, source: target,
      interval: span("__scrape_interval__") ?? pace.interval,
      timeout: span("__scrape_timeout__") ?? pace.timeout)
    (wish.unread, wish.isAssumed) = (pace.unread, pace.isAssumed)
    wish.isUsual = module == nil
    wish.hostname = labels["__param_hostname"]
    wish.tags = labels["job"].map { ["job:\($0)"] } ?? []
    for label in labels.all
    where !label.name.hasPrefix("__") && label.name != "job" && label.name != "instance" {
      // A label may repeat the target, whose credentials no tag has.
      let isTarget = label.value == probed || label.value == given["__address__"]
      wish.tags.append("\(label.name):\(isTarget ? ForeignURL.withoutUser(label.value) : label.value)")
    }
    // A name of its own, by which dashboards and alerts know the target.
    if let instance = labels["instance"], instance != probed, instance != given["__address__"] {
      wish.tags.append("instance:\(instance)")
    }
    return wish
  }
}
