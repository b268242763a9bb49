// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Import
import Logging
import Monitoring
import Status
import StatusServer
import Synchronization

/// Probes for `/probe`: beside the schedule, through the same engine, and into no history but a list of the last ones.
final class ProbeDesk: ProbeTaking {
  private struct State {
    var modules = ProbeModules()
    /// Why the modules cannot be read; `nil` when they were.
    var problem: String?
    var checks = RecentMap<CheckKey, MonitoringCheck>(limit: kept)
    /// The last ones, oldest first.
    var last: [String] = []
    var askers = AskerPlaces()
    var figures: ProbeFigures
  }

  private struct CheckKey: Hashable {
    var module: ByteText
    var target: ByteText
    var hostname: ByteText?
    var family: Int?
    var milliseconds: Int
  }

  private let engine: ProbeEngine
  private let runner: CheckRunner
  private let maker: ProbeCheckMaker
  private let file: String
  private let log: Logger
  private let state: Mutex<State>
  let limit: Int

  /// Checks that are kept, so that the same one is not judged twice.
  private static let kept = 4096
  private static let lastKept = 100
  /// Time of a scrape besides the probe, in seconds, as the exporter counts it.
  private static let offset = 0.5

  /// - Parameter limit: probes at once.
  init(_ settings: ProbeSettings, engine: ProbeEngine, limit: Int, log: Logger) {
    (self.engine, self.limit, self.log) = (engine, limit, log)
    file = settings.modules ?? ""
    maker = ProbeCheckMaker(origin: settings.trust == .local ? .local : .api, file: file)
    var runner = engine.runner
    (runner.canaries, runner.parents, runner.explains, runner.isAsked) = (nil, nil, true, true)
    self.runner = runner
    state = Mutex(State(figures: ProbeFigures(limit: limit)))
  }

  var figures: ProbeFigures { state.withLock(\.figures) }
  var last: [String] { state.withLock { $0.last.reversed() } }

  /// The modules in force, without their secrets.
  var config: String { state.withLock { $0.modules.text } }

  func reload() async -> String? { await onThread { self.read() } }

  /// Reads the modules. A file that cannot be read changes nothing, nor does one that the exporter would refuse: the old ones
  /// stay, where there are any. Blocks.
  ///
  /// - Returns: why the old ones stay.
  func read() -> String? {
    let read = Result { try ProbeModules(file: file) }
    let now = engine.time.wall()
    let refusal = state.withLock { state -> String? in
      switch read {
      case .success(let modules) where modules.faults.isEmpty || state.figures.readAt == nil:
        (state.modules, state.problem, state.checks) = (modules, nil, RecentMap(limit: Self.kept))
        (state.figures.isFileRead, state.figures.readAt) = (true, now)
        return nil
      case .success(let modules):
        state.figures.isFileRead = false
        return modules.faults.prefix(5).joined(separator: "; ")
      case .failure(let error):
        let words = ProbeModules.words(for: error)
        if state.figures.readAt == nil { state.problem = words }
        state.figures.isFileRead = false
        return words
      }
    }
    if let refusal {
      let consequence =
        figures.readAt == nil
        ? "/probe has no modules until the file is valid" : "the modules that were read before stay active"
      log.error("probe.modules: \(refusal.printable(maxBytes: 1000)): \(consequence)")
    } else if case .success(let modules) = read {
      for words in modules.shortcomings {
        log.warning("/probe: a module asks for what is not done here: \(words)")
      }
    }
    return refusal
  }

  func probe(_ question: ProbeQuestion) async -> ProbeAnswer {
    let name = question.module
    let (known, problem) = state.withLock { ($0.modules[name], $0.problem) }
    if let problem { return .broken("probe.modules: \(problem)") }
    guard let entry = known else {
      state.withLock { $0.figures.unknown += 1 }
      return .refused("Unknown module \"\(name.printable(maxBytes: 100))\"")
    }
    guard !question.target.isEmpty else { return .refused("Target parameter is missing") }
    if let hostname = question.hostname, !Self.isHostname(hostname) {
      state.withLock { $0.figures.refused += 1 }
      return .refused(
        "hostname \"\(hostname.printable(maxBytes: 100))\" is no host name: up to 255 of a-z, 0-9, - _ . and a port;"
          + " an international name is written as xn--")
    }
    if let words = entry.shortcoming {
      state.withLock { $0.figures.refused += 1 }
      return .refused("the module \(name) asks for what is not done here: \(words.printable(maxBytes: 1000))")
    }
    if entry.module.prober == .http, let own = entry.module.host, let asked = question.hostname, own != asked
    {
      return .refused("host header defined both in the module and by hostname")
    }
    guard takePlace(question.asker) else { return .busy }
    let finding = await finding(entry, question)
    settle(finding, question.asker)
    let metrics = ProbeMetrics.text(finding)
    return question.isDebug ? .log(ProbeLog.text(finding, metrics)) : .metrics(metrics)
  }

  /// It is sent as the Host header and as the name in TLS (RFC 6066, section 3), which are ASCII.
  private static func isHostname(_ text: String) -> Bool {
    text.utf8.count <= 255
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || "-._:[]".utf8.contains(byte)
      }
  }

  private func takePlace(_ asker: IPAddress?) -> Bool {
    state.withLock { state in
      guard state.askers.take(for: asker, of: limit) else {
        state.figures.busy += 1
        return false
      }
      state.figures.running += 1
      return true
    }
  }

  private func settle(_ finding: ProbeFinding, _ asker: IPAddress?) {
    let line = ProbeLog.line(finding)
    state.withLock { state in
      state.figures.running -= 1
      state.askers.give(of: asker)
      if finding.isUp { state.figures.succeeded += 1 } else { state.figures.failed += 1 }
      if state.last.count >= Self.lastKept { state.last.removeFirst() }
      state.last.append(line)
    }
  }

  private func finding(_ entry: ProbeModules.Entry, _ question: ProbeQuestion) async -> ProbeFinding {
    var finding = ProbeFinding(entry.module, question.target)
    let start = engine.time.instant()
    (finding.at, finding.bodyLimit) = (engine.time.wall(), entry.rules.bodyLimit)
    do throws(ProbeCheckMaker.Refusal) {
      finding.result = try await result(entry.module, question, &finding)
      if var result = finding.result, !entry.rules.isEmpty {
        finding.result = await judged(&result, entry.rules)
      }
    } catch { finding.words = error.words }
    finding.elapsed = start.duration(to: engine.time.instant())
    return finding
  }

  /// Patterns may take their time: the pool's threads are for others too.
  private func judged(_ result: inout CheckResult, _ rules: ProbeRules) async -> CheckResult {
    guard rules.hasPatterns else {
      rules.judge(&result)
      return result
    }
    let given = result
    return await onThread {
      var result = given
      rules.judge(&result)
      return result
    }
  }

  /// The preferred family first; the other where the name has no address of it. `nil` where there is no such address.
  private func result(
    _ module: BlackboxModule, _ question: ProbeQuestion, _ finding: inout ProbeFinding
  ) async throws(ProbeCheckMaker.Refusal) -> CheckResult? {
    let (preferred, fallback) = module.family
    var wish = ProbeWish(
      target: question.target, hostname: question.hostname, family: preferred,
      milliseconds: milliseconds(module, question))
    if let written = finding.literal?.version {
      guard written == preferred || fallback else {
        (finding.reason, finding.phase) = (.dnsNoData, .dns)
        return nil
      }
      wish.family = written
      return try await run(module, wish)
    }
    let first = try await run(module, wish)
    let lacks = first.reason == .dnsNoData || first.reason == .dnsNXDomain
    guard fallback, lacks, first.phase == .dns, first.peer == nil, first.hops.isEmpty else { return first }
    wish.family = preferred == 4 ? 6 : 4
    return try await run(module, wish)
  }

  private func milliseconds(_ module: BlackboxModule, _ question: ProbeQuestion) -> Int {
    let scrape = question.scrapeTimeout.flatMap { $0 > 0 ? min($0, 100_000) : nil } ?? 120
    let most = scrape - Self.offset
    let own = module.timeout.map { Double($0) / 1000 }
    // Less than nothing: the exporter takes the module's.
    let seconds = own.map { most < 0 ? $0 : min($0, most) } ?? max(0, most)
    return max(10, min(60_000, Int(seconds * 1000)))
  }

  private func run(
    _ module: BlackboxModule, _ wish: ProbeWish
  ) async throws(ProbeCheckMaker.Refusal) -> CheckResult {
    let check = try check(module, wish)
    let slot = ProbeSlot(scheduledAt: engine.time.wall(), trigger: .manual)
    do {
      return try await withTaskExecutorPreference(engine.loop) { () async throws(CancellationError) in
        try await runner.run(check, slot: slot)
      }
    } catch { throw ProbeCheckMaker.Refusal(words: "the agent is ending") }
  }

  private func check(
    _ module: BlackboxModule, _ wish: ProbeWish
  ) throws(ProbeCheckMaker.Refusal) -> MonitoringCheck {
    let key = CheckKey(
      module: ByteText(module.name), target: ByteText(wish.target),
      hostname: wish.hostname.map { ByteText($0) },
      family: wish.family, milliseconds: wish.milliseconds)
    if let known = state.withLock({ $0.checks.value(for: key) }) { return known }
    let check = try maker.check(module, wish)
    state.withLock { $0.checks.insert(check, for: key) }
    return check
  }
}

extension ProbeDesk: AgentPart {
  /// `nil` where `/probe` is off. An agent whose modules cannot be read probes all the same.
  static func make(_ base: AgentBase) async -> ProbeDesk? {
    guard let probe = base.settings.probe, let open = base.outside.asked else { return nil }
    // Beside the schedule, which has its own limit, and within what the descriptors allow.
    let desk = open(probe, max(8, inFlightLimit(base.settings.limits.inFlight) / 4))
    await desk.reread()
    return desk
  }

  func reread() async { _ = await onThread { self.read() } }
  func contribute(to metrics: inout MetricsView) { metrics.probes = figures }
}
