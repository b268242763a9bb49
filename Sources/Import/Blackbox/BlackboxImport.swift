// SPDX-License-Identifier: MIT

import Basics

/// blackbox.yml, with Prometheus' scrape configs and the operator's Probe objects, which say what is probed by it.
struct BlackboxImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ files: [ImportFile]) throws(ImportProblem) -> [ImportedCheck] {
    var documents: [ForeignNode] = []
    let work = RelabelWork()
    work.names = files.map(\.name)
    for file in files {
      let read = try ForeignNode.documents(file, ledger)
      let groups = read.flatMap { $0.items ?? [] }.filter { $0["targets"] != nil }
      // A list may be empty at the time.
      let isList = !groups.isEmpty || (!read.isEmpty && read.allSatisfy { $0.items?.isEmpty == true })
      if isList { work.files.append((file, groups)) } else { documents += read }
    }
    documents += documents.flatMap { $0["kind"]?.text == "List" ? $0["items"]?.items ?? [] : [] }
    let modules = Self.allModules(documents)
    // The last one of a name, as everywhere.
    let known = Dictionary(
      modules.map { (ByteText($0.name), ($0, ForeignWeight($0.node))) }, uniquingKeysWith: { $1 })
    let unlike = ChartModules.unlike(modules)
    var wishes: [ProbeWish] = []
    for document in documents { wishes += try self.wishes(document, work) }
    var uses: [ByteText: Int] = [:]
    for wish in wishes { uses[ByteText(wish.module), default: 0] += 1 }
    for (name, count) in uses {
      guard let (_, weight) = known[name] else { continue }
      try ledger.count(count, sharing: weight, of: "module \"\(name.text)\"")
    }
    var made: [TargetFile.Made] = []
    var makers: Set<ByteText> = []
    for wish in wishes {
      guard let (module, _) = known[ByteText(wish.module)] else {
        leaveOut(wish, "no file given has the module \"\(wish.module.printable(maxBytes: 100))\"")
        continue
      }
      if let check = check(wish, module, isUnlike: unlike.contains(ByteText(module.name))) {
        made.append((wish, check))
        makers.insert(ByteText(module.name))
      }
    }
    ledger.settle()
    let checks = folded(made, work.lists) { name in known[ByteText(name)]?.0 }
    for document in documents where document["modules"] == nil && Self.modules(document) != nil {
      listChart(document)
    }
    for (_, groups) in work.files {
      for group in groups { ledger.list(group, "no job given reads this file", always: false) }
    }
    for module in modules {
      if uses[ByteText(module.name)] == nil {
        ledger.list(module.node, "no target given uses the module; give the scrape config or Probe as well")
      } else {
        // What was read of one that makes none is carried nowhere.
        if let (last, _) = known[ByteText(module.name)], !makers.contains(ByteText(module.name)) {
          ledger.list(last.node, "none of its targets has a check")
        }
        // One of the same name that comes later counts.
        ledger.list(module.node, "the module is defined again; the last definition counts", always: false)
      }
    }
    return checks
  }

  /// With those of the chart where its values are given; any other of the name comes later.
  private static func allModules(_ documents: [ForeignNode]) -> [BlackboxModule] {
    var entries = documents.flatMap { ChartModules.entries(modules($0), isFile: $0["modules"] != nil) }
    if documents.contains(where: { $0["modules"] == nil && modules($0) != nil }) {
      entries.insert((name: ProbeWish.usual, value: ChartModules.usual), at: 0)
    }
    return entries.map { BlackboxModule(name: $0.name, $0.value) }
  }

  /// Of a file of the exporter, of values of its Helm chart, or of a HelmRelease with such values.
  private static func modules(_ document: ForeignNode) -> ForeignNode? {
    document["modules"] ?? (document["spec"]?["values"] ?? document)["config"]?["modules"]
  }

  /// Lists the rest of the values of the exporter's Helm chart.
  private func listChart(_ document: ForeignNode) {
    let values = document["spec"]?["values"] ?? document
    let targets = "the targets of the chart become no checks: write them as static_configs of a job"
    for target in values["serviceMonitor"]?["targets"]?.items ?? [] {
      ledger.settle()
      let name = target["name"]?.text ?? target["url"]?.text ?? "unnamed"
      ledger.list(target, targets, always: false)
      ledger.leaveOut("target \(name)", targets)
    }
    let parts = [(document, ["spec", "config"]), (document["spec"], ["values"]), (values, ["config"])]
    for (node, inner) in parts {
      for entry in node?.entries ?? [] where !inner.contains(entry.name) {
        ledger.list(entry.value, "it is about the Helm chart", always: false)
      }
    }
  }

  /// The checks without those of files that are read by `discover`.
  private func folded(
    _ made: [TargetFile.Made], _ lists: [TargetFile], _ module: (String) -> BlackboxModule?
  ) -> [ImportedCheck] {
    var own: [Int: [TargetFile.Made]] = [:]
    for item in made { if let list = item.wish.list { own[list.number, default: []].append(item) } }
    var folded: Set<Int> = []
    for (number, list) in lists.enumerated() {
      if ledger.sections.discover.count < TargetFile.most, let first = own[number]?.first,
        let module = module(first.wish.module),
        var entry = list.folded(own[number] ?? [], samples(list, module))
      {
        // What changes a check of a name is said, too, where all targets are addresses.
        ledger.settle()
        entry.add(list.samples.first.flatMap { check($0, module) }?.notes ?? [])
        ledger.sections.discover.append(entry)
        folded.insert(number)
      } else {
        list.listAsFixed()
      }
    }
    ledger.settle()
    return made.filter { item in item.wish.list.map { !folded.contains($0.number) } ?? true }.map(\.check)
  }

  /// Checks of targets that nothing is known of, in books of their own.
  private func samples(_ list: TargetFile, _ module: BlackboxModule) -> [ImportedCheck] {
    guard module.prober == .http else { return [] }
    let books = Ledger()
    let module = BlackboxModule(name: module.name, books.enter(module.node, file: ""))
    let wishes = list.samples.filter { $0.module == module.name }
    return wishes.compactMap { BlackboxImport(books).check($0, module) }
  }

  private func leaveOut(_ wish: ProbeWish, _ why: String) {
    ledger.settle()
    ledger.list(wish.source, why)
    ledger.leaveOut("\(wish.module) \(ForeignURL.withoutUser(wish.target))", why)
  }

  /// - Parameter isUnlike: another definition of the module is not the same.
  private func check(
    _ wish: ProbeWish, _ module: BlackboxModule, isUnlike: Bool = false
  ) -> ImportedCheck? {
    ledger.settle()
    guard var check = module.check(of: wish.target, ledger) else {
      let isPort = module.prober == .tcp
      leaveOut(
        wish,
        isPort
          ? "the target has no port" : "its module \"\(module.name.printable(maxBytes: 100))\" makes no check"
      )
      return nil
    }
    ledger.carry(wish.source)
    check.question = OldQuestion(module: wish.module, target: wish.target)
    check.name = "\(module.name) \(ForeignURL.withoutUser(wish.target))"
    if let name = wish.hostname { check.asks(for: name) }
    // The exporter answers half a second before the scrape gives up.
    let most = max(0, wish.timeout - 500)
    check.pace(interval: wish.interval, timeout: min(module.timeout ?? most, most))
    for tag in wish.tags { check.tag(tag) }
    if wish.isUsual {
      let why = "no module is named: \(ProbeWish.usual) is what the exporter takes"
      check.notes.append(ImportNote(place: "params.module", why: why))
    }
    if isUnlike {
      check.note(
        .changed, "module", "other files have another module of this name: the last definition is taken")
    }
    for key in wish.unread { check.note(.changed, key, Ledger.misread) }
    if wish.isAssumed {
      check.note(
        .changed, "spec.interval",
        "the Prometheus object says how often, and is not in the files: its usual 30s is taken")
    }
    family(module, &check)
    if module.prober == .http, let coding = module.settings["compression"], coding.text?.isEmpty == false {
      ledger.list(coding, "an answer that is not compressed is taken, too; it fails there", .laxer)
    }
    check.notes += ledger.takeNotes()
    return check
  }

  /// The exporter asks one address, of the family that it prefers; a check asks further ones where the first does not
  /// answer.
  private func family(_ module: BlackboxModule, _ check: inout ImportedCheck) {
    let preferred = module.settings["preferred_ip_protocol"]
    guard module.family.fallback, check["ip"] == nil, preferred?.text?.isEmpty == false else { return }
    let url = check["url"]?.word ?? ""
    let authority = url.range(of: "://").map { String(url[$0.upperBound...].prefix { !"/?#".contains($0) }) }
    let place = check["host"]?.word ?? check["server"]?.word ?? authority ?? ""
    guard IPAddress(ForeignURL.place(place).host) == nil else { return }
    ledger.list(
      preferred, "addresses of the other family are asked, too, where this one does not answer", .laxer)
  }

  private func wishes(_ document: ForeignNode, _ work: RelabelWork) throws(ImportProblem) -> [ProbeWish] {
    if document["kind"]?.text == "Probe" { return try ProbeObject(document, ledger).wishes(work) }
    if document["kind"]?.text == "ConfigMap" {
      ledger.list(document, "a ConfigMap's data is text: give the files themselves")
      return []
    }
    if let kind = document["kind"]?.text, document["apiVersion"] != nil, kind != "List",
      Self.modules(document) == nil
    {
      let why = "an object of this kind is not read: write its targets as a Probe or a job"
      ledger.settle()
      ledger.list(document, why)
      if ["ScrapeConfig", "VMProbe", "VMScrapeConfig", "VMStaticScrape"].contains(kind) {
        ledger.leaveOut("\(kind) \(document["metadata"]?["name"]?.text ?? "unnamed")", why)
      }
      return []
    }
    let jobs = document["scrape_configs"]?.items ?? document.items?.filter { $0["job_name"] != nil } ?? []
    guard !jobs.isEmpty || document["scrape_configs"] != nil || document["global"] != nil else { return [] }
    let global = Section(document, ledger).section("global")
    let pace = ScrapePace(global, within: ScrapePace())
    global?.listRest("it is about Prometheus itself")
    var wishes: [ProbeWish] = []
    for job in jobs { wishes += try ScrapeJob(Section(job, ledger), work).wishes(pace) }
    furtherJobs(document["scrape_config_files"], work)
    for entry in document.entries ?? [] where !["global", "scrape_configs", "modules"].contains(entry.name) {
      ledger.list(entry.value, "it is about Prometheus itself", always: false)
    }
    return wishes
  }

  /// Files of jobs: those that are not given are left out.
  private func furtherJobs(_ patterns: ForeignNode?, _ work: RelabelWork) {
    for pattern in patterns?.all ?? [] {
      guard let text = pattern.text else { continue }
      let own = ledger.place(pattern)
      let isGiven = work.names.contains {
        RelabelWork.isNamed($0, by: text) && !own.hasPrefix("\($0.printable(maxBytes: 120)):")
      }
      guard !isGiven else {
        ledger.carry(pattern)
        continue
      }
      ledger.settle()
      let why = "its jobs are in files of their own: give these as well"
      ledger.list(pattern, why)
      ledger.leaveOut("files \(text)", why)
    }
  }
}

/// A target that is probed by a module.
struct ProbeWish {
  /// The module of a request that names none.
  static let usual = "http_2xx"

  var target: String
  var module: String
  /// No module is named.
  var isUsual = false
  /// Where the target stands.
  var source: ForeignNode
  /// Milliseconds.
  var interval: Int
  /// Of the scrape, in milliseconds.
  var timeout: Int
  var tags: [String] = []
  /// Keys of its pace whose values are no spans of time.
  var unread: [String] = []
  /// No file given says how often the target is scraped.
  var isAssumed = false
  /// The parameter `hostname`, which the exporter asks for instead of the target's own name.
  var hostname: String?
  /// The list that the target is of, with its labels there. `nil` for one of the job itself.
  var list: (number: Int, labels: [(name: String, value: String)])?
}

extension ImportedCheck {
  /// Effect of the exporter's parameter `hostname`. Where the module has another Host header, which the exporter refuses, the
  /// parameter counts.
  package mutating func asks(for name: String) {
    let isHTTP = self["type"]?.word == "http"
    // A port belongs to the Host header alone (RFC 6066, section 3).
    let former = isHTTP ? takeHost().map { ForeignURL.place($0).host } : nil
    if isHTTP { entry("headers", "Host", .text(name)) }
    // Without redirects an address in the clear never comes to TLS.
    let isSecured =
      isHTTP
      ? self["url"]?.word?.lowercased().hasPrefix("https://") == true || self["follow"] == nil
      : self["tls"] != nil || self["starttls"] != nil
    let given = self["tls.server_name"]?.word
    guard isSecured, given == nil || given == former else { return }
    if case .plain? = self["tls"] { self["tls"] = .map([]) }
    self["tls.server_name"] = .text(ForeignURL.place(name).host)
  }

  /// The Host header, which is taken away.
  private mutating func takeHost() -> String? {
    guard case .map(let headers)? = self["headers"] else { return nil }
    let others = headers.filter { $0.name.lowercased() != "host" }
    if others.isEmpty { remove("headers") } else { self["headers"] = .map(others) }
    return headers.last { $0.name.lowercased() == "host" }?.value.word
  }
}
