// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import Synchronization

/// Alerting in the daemon. Results are only put down here, so that no probe ever waits; what they mean is decided a moment
/// later, and what is to be told is on disk before anything is sent.
final class AlertDesk: Sendable {
  struct State {
    var book: AlertBook
    var outbox: Outbox
    var generator = SystemRandomNumberGenerator()
  }

  let settings: AlertSettings
  let state: Mutex<State>
  let file: StateFile
  let log: Logger
  let time: TimeSource
  let sender: ChannelSender
  let saving = AlertSaving()
  private let inbox = Mutex<[CheckResult]>([])
  private let writer: MessageWriter
  private let history: HistoryStore
  private let catalog: CheckCatalog
  /// Whether nobody wants to hear of a check.
  private let isMuted = Mutex<@Sendable (MonitoringCheck, Timestamp) -> Bool>({ _, _ in false })
  /// What the agent says of itself.
  private let notices = Mutex<@Sendable () async -> [Notice]>({ [] })

  static let every: Duration = .seconds(1)
  /// Between looks at the agent's own problems, and at the windows.
  private static let own: Duration = .seconds(30)
  private static let figures: Duration = .seconds(60)
  static let fileName = "alerts.json"

  init(
    _ settings: AlertSettings, agent: AgentSettings, history: HistoryStore, catalog: CheckCatalog,
    sender: ChannelSender, log: Logger, time: TimeSource
  ) async {
    self.settings = settings
    (self.history, self.catalog, self.sender) = (history, catalog, sender)
    (self.log, self.time) = (log, time)
    file = StateFile(path: agent.stateDir + "/" + Self.fileName)
    writer = MessageWriter(agent: agent.name, region: agent.region, pageURL: settings.pageURL) {
      history.recent($0) ?? []
    }
    var saved: JSONValue?
    do throws(StateFile.Failure) {
      if let bytes = try await file.read() {
        saved = try? JSONValue.parse(bytes)
        if saved == nil { log.warning("incidents of before are lost: \(file.path) is damaged") }
      }
    } catch {
      log.warning("incidents of before are not known", metadata: ["problem": "\(error)"])
    }
    let now = time.wall()
    state = Mutex(
      State(
        book: AlertBook(settings, saved: saved, now: now),
        outbox: Outbox(saved?["outbox"], channels: settings.channels.map(\.name), now: now)))
  }

  func follow(_ operators: OperatorDesk, _ status: AgentStatus) {
    isMuted.withLock { $0 = { operators.current.isMuted($0, at: $1) } }
    notices.withLock { $0 = { await status.snapshot().ownProblems } }
  }

  /// One result, from whichever thread found it.
  func note(_ result: CheckResult) {
    guard result.trigger == .schedule else { return }
    inbox.withLock { $0.append(result) }
  }

  /// Takes over other checks.
  func apply(_ checks: [MonitoringCheck]) {
    let (graph, now) = (catalog.dependencies, time.wall())
    drain()
    state.withLock { $0.book.apply(checks, graph, now: now) }
  }

  private func drain() {
    let results = inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
    guard !results.isEmpty else { return }
    let now = time.wall()
    state.withLock { state in
      for result in results { state.book.note(result, now: now) }
    }
  }

  /// Decides, until the task is cancelled.
  func run() async {
    var (ownDue, figuresDue) = (time.instant(), time.instant())
    repeat {
      drain()
      let instant = time.instant()
      if instant >= ownDue {
        ownDue = instant + Self.own
        let notices = await notices.withLock { $0 }()
        let now = time.wall()
        state.withLock { $0.book.note(notices, now: now) }
      }
      if instant >= figuresDue {
        figuresDue = instant + Self.figures
        judgeFigures()
      }
      decide()
    } while (try? await time.sleep(for: Self.every)) != nil
  }

  private func judgeFigures() {
    let now = time.wall()
    let figures = HistoryFigures(history: history, now: now)
    state.withLock { state in
      if state.book.needsFigures { state.book.judge(figures, now: now) }
    }
  }

  private func decide() {
    let now = time.wall()
    let isMuted = isMuted.withLock { $0 }
    state.withLock { state in
      let decisions = state.book.advance(to: now) { trouble in
        trouble.key.check.flatMap { self.catalog[$0] }.map { isMuted($0, now) } ?? false
      }
      for (decision, incidents) in decisions {
        let message = writer.message(
          decision, incidents, cause: incidents.first.flatMap(cause), now: now, using: &state.generator)
        if let message { state.outbox.add(message, to: decision.channel, now: now) }
      }
    }
  }

  /// The member that another one depends on.
  private func cause(_ incident: Incident) -> String? {
    let graph = catalog.dependencies
    guard !graph.isEmpty else { return nil }
    let checks = Set(incident.members.prefix(500).compactMap(\.trouble.key.check))
    for member in incident.members.prefix(500) {
      guard let check = member.trouble.key.check else { continue }
      if let parent = graph.ancestors(of: check).last(where: { checks.contains($0.id) }) {
        return parent.name
      }
    }
    return nil
  }

  func acknowledge(_ word: String, by: String, note: String?) -> Incident? {
    let now = time.wall()
    return state.withLock { $0.book.acknowledge(word, by: by, note: note, now: now) }
  }

  /// For whoever named none of them.
  var openNames: String {
    let names = state.withLock { state in
      state.book.incidents.opened.prefix(5).map { "\($0.short) (\($0.title))" }
    }
    return names.isEmpty ? "no incident is open" : "open: \(names.joined(separator: ", "))"
  }
}

/// What the rules about windows ask for.
private struct HistoryFigures: RuleWatch.Figures {
  let history: HistoryStore
  let now: Timestamp

  func down(_ check: UniqueID, last span: Duration) -> Duration? { history.down(check, last: span, now: now) }
}
