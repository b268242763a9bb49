// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Checks
import Import
import Monitoring
import Synchronization

/// Asks the old monitor and probes by the new checks, side by side, and compares the verdicts.
struct ImportDiff: Sendable {
  struct Pair: Sendable {
    let ours: MonitoringCheck
    /// Holds when the exporter says that its probe succeeded.
    let old: MonitoringCheck
  }

  let pairs: [Pair]
  /// How long.
  let length: Duration
  let time: TimeSource

  /// Checks that are compared at most.
  static let most = 1000
  /// Before a difference counts both are asked once more, after this.
  private static let pause = Duration.milliseconds(500)

  /// - Parameters:
  ///   - old: where the exporter is; its `/probe` may be left out.
  ///   - file: what paths of the modules are relative to.
  static func pairs(_ document: ImportDocument, old: String, file: String) throws(ConfigErrors) -> [Pair] {
    // The loader refuses a file without checks.
    guard !document.checks.isEmpty else { return [] }
    let ours = try document.loaded(as: file)
    let asked = zip(document.checks, ours).filter { $0.0.question != nil && $0.1.enabled }.prefix(most)
    let questions = asked.map { imported, check in question(imported, old, check) }
    guard !questions.isEmpty else { return [] }
    var yaml = AgentYAML(secrets: .environment)
    let text = yaml.render(Array(questions), head: [])
    let sources = ConfigSources(
      environment: [:], secrets: .disk, hostName: "import", patterns: Pattern.rule)
    let theirs = try ConfigLoader.parse(text: text, file: file, sources: sources).settings.checks
    return zip(asked, theirs).map { Pair(ours: $0.0.1, old: $0.1) }
  }

  private static func question(
    _ imported: ImportedCheck, _ old: String, _ check: MonitoringCheck
  ) -> ImportedCheck {
    var base = old
    while base.hasSuffix("/") { base.removeLast() }
    if !base.hasSuffix("/probe") { base += "/probe" }
    let (module, target) = (imported.question?.module ?? "", imported.question?.target ?? "")
    var question = ImportedCheck(name: imported.name, type: "http")
    question["url"] = .text("\(base)?module=\(percentEncoded(module))&target=\(percentEncoded(target))")
    // It answers half a second before the scrape would give up.
    question["headers"] = .map([
      ("X-Prometheus-Scrape-Timeout-Seconds", .text("\(check.timeout.seconds + 0.5)"))
    ])
    question["expect.body.matches"] = .list([.text("^probe_success 1$")])
    // A little longer than the exporter may take, for the way.
    let timeout = min(60_000, Int(check.timeout.seconds * 1000) + 1500)
    (question["interval"], question["timeout"]) = (.plain("1h"), .plain("\(timeout)ms"))
    (question["retries"], question["max_body"]) = (.plain("0"), .plain("1MiB"))
    return question
  }

  /// Compares until the time is over, or until it is stopped.
  ///
  /// - Returns: the exit code.
  func run() async throws -> Int32 {
    let book = DiffBook(pairs.map(\.ours.name))
    let signals = processSignals(keepsIgnored: true)
    defer { forgetProcessSignals() }
    let wasStopped = try await withProbeEngine(egress: ProbeEgress(), time: time) { engine in
      let work = Task { try await compare(engine, book) }
      let watch = Task { for await _ in signals { work.cancel() } }
      let news = Task { await tell(book, engine.time) }
      defer {
        watch.cancel()
        news.cancel()
      }
      do { try await work.value } catch is CancellationError { return true }
      return false
    }
    for line in book.report { printOutput(line + "\n") }
    return wasStopped ? ExitStatus.interrupted : book.status
  }

  private func compare(_ engine: ProbeEngine, _ book: DiffBook) async throws {
    let start = engine.time.instant()
    try await withThrowingDiscardingTaskGroup { group in
      for (index, pair) in pairs.enumerated() {
        group.addTask {
          // Spread over the interval, so that no two of them disturb each other.
          let share = min(pair.ours.interval, length) * index / pairs.count
          var next = start + share
          while next < start + length {
            try await engine.time.sleep(until: next)
            book.note(try await both(pair, engine), of: index)
            next += pair.ours.interval
            let now = engine.time.instant()
            if next < now { next = now }
          }
        }
      }
    }
  }

  private func both(_ pair: Pair, _ engine: ProbeEngine) async throws -> DiffBook.Finding {
    let first = try await ask(pair, engine)
    guard case .differs = first else { return first }
    try await engine.time.sleep(until: engine.time.instant() + Self.pause)
    let second = try await ask(pair, engine)
    guard case .differs = second else { return .passing }
    return second
  }

  func ask(_ pair: Pair, _ engine: ProbeEngine) async throws -> DiffBook.Finding {
    async let asked = engine.runNow(pair.old, .none)
    let result = try await engine.runNow(pair.ours, .none)
    return Self.finding(result, old: try await asked)
  }

  /// - Parameter old: the answer of the exporter.
  static func finding(_ result: CheckResult, old: CheckResult) -> DiffBook.Finding {
    let isOldUp = old.reason == .ok
    guard isOldUp || old.reason == .body && old.statusCode == 200 else {
      return .unknown("blackbox_exporter was not to be asked: \(old.message ?? old.reason.rawValue)")
    }
    guard result.state != .unknown else { return .unknown(result.message ?? result.reason.rawValue) }
    let isUp = result.state != .down
    guard isUp != isOldUp else { return .same }
    let words = isUp ? "up" : "down: \(result.reason.rawValue): \(result.message ?? "")"
    return .differs("\(result.startedAt) blackbox_exporter \(isOldUp ? "up" : "down"), quartz-agent \(words)")
  }

  /// Reports progress once a minute.
  private func tell(_ book: DiffBook, _ time: TimeSource) async {
    let start = time.instant()
    while !Task.isCancelled {
      guard (try? await time.sleep(until: time.instant() + .seconds(60))) != nil else { return }
      let minutes = Int(start.duration(to: time.instant()).seconds / 60)
      printError("quartz-agent: \(minutes) min of \(length.text): \(book.sum)")
    }
  }
}

/// Verdicts by check.
final class DiffBook: Sendable {
  enum Finding: Equatable, Sendable {
    case same
    case differs(String)
    /// They differed, and did no more half a second later.
    case passing
    /// One of them could not be told.
    case unknown(String)
  }

  private struct Row: Sendable {
    let name: String
    var (same, differing, passing, unknown) = (0, 0, 0, 0)
    /// The last of each.
    var difference: String?
    var obstacle: String?

    init(_ name: String) { self.name = name }
  }

  private let rows: Mutex<[Row]>

  init(_ names: [String]) { rows = Mutex(names.map { Row($0) }) }

  func note(_ finding: Finding, of index: Int) {
    rows.withLock { rows in
      switch finding {
      case .same: rows[index].same += 1
      case .passing: rows[index].passing += 1
      case .differs(let words):
        rows[index].differing += 1
        rows[index].difference = words
      case .unknown(let words):
        rows[index].unknown += 1
        rows[index].obstacle = words
      }
    }
  }

  /// Of all checks, in one line.
  var sum: String {
    let rows = rows.withLock(\.self)
    func all(_ part: (Row) -> Int) -> Int { rows.reduce(0) { $0 + part($1) } }
    return "\(counted(rows.count, "check")): \(all(\.same)) verdicts the same, "
      + "\(all(\.differing)) differ, \(all(\.passing)) differed for a moment, \(all(\.unknown)) could not be compared"
  }

  /// A line each, the last difference below it, and the sum.
  var report: [String] {
    let rows = rows.withLock(\.self)
    var lines: [String] = []
    for row in rows {
      let counts = [
        (row.same, "same"), (row.differing, "differ"), (row.passing, "differed for a moment"),
        (row.unknown, "not compared"),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      lines.append("\(row.name.printable(maxBytes: 200)): \(counts.isEmpty ? "not asked" : counts)")
      for words in [row.difference, row.obstacle].compactMap(\.self) {
        lines.append("    last: " + words.printable(maxBytes: 600))
      }
    }
    return lines + [sum]
  }

  var status: Int32 {
    let rows = rows.withLock(\.self)
    if rows.contains(where: { $0.differing > 0 }) { return ExitStatus.degraded }
    return rows.contains { $0.same + $0.passing > 0 } ? ExitStatus.up : ExitStatus.unknown
  }
}
