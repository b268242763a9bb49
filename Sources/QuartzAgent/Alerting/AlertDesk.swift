// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import QuartzAPI
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
  let file: any DurableBytes
  let log: Logger
  let time: TimeSource
  let sender: any MessageSending
  /// From one look at what came in to the next.
  let pace: Duration
  let saving = AlertSaving()
  private let inbox = Mutex<[CheckResult]>([])
  private let writer: MessageWriter
  private let history: HistoryStore
  private let catalog: CheckCatalog
  private let surroundings = Mutex(Surroundings())

  /// What it asks of the rest of the agent. Never bare in a `Mutex`: a closure is wrapped for who takes the lock, each time,
  /// and never unwrapped; asked once a second for a day it is 170,000 calls deep.
  private struct Surroundings {
    /// Whether nobody wants to hear of a check.
    var isMuted: @Sendable (MonitoringCheck, Timestamp) -> Bool = { _, _ in false }
    /// What the agent says of itself.
    var notices: @Sendable () async -> [Notice] = { [] }
    /// Nil: no way is looked at.
    var traces: TraceDesk?
    /// Nil: every incident is this agent's alone.
    var share: (any IncidentShare)?
  }

  /// Nil: no way is looked at.
  var traces: TraceDesk? { surroundings.withLock(\.traces) }

  /// Nil: every incident is this agent's alone.
  var share: (any IncidentShare)? { surroundings.withLock(\.share) }

  static let every: Duration = .seconds(1)
  /// Between looks at the agent's own problems, and at the windows.
  private static let own: Duration = .seconds(30)
  private static let figures: Duration = .seconds(60)
  static let fileName = "alerts.json"

  init(
    _ settings: AlertSettings, agent: AgentSettings, history: HistoryStore, catalog: CheckCatalog,
    sender: any MessageSending, file: any DurableBytes, pace: Duration = AlertDesk.every, log: Logger,
    time: TimeSource
  ) async {
    (self.settings, self.file, self.pace) = (settings, file, pace)
    (self.history, self.catalog, self.sender) = (history, catalog, sender)
    (self.log, self.time) = (log, time)
    writer = MessageWriter(agent: agent.name, region: agent.region, pageURL: settings.pageURL) {
      history.recent($0) ?? []
    }
    var saved: JSONValue?
    do throws(StateFile.Failure) {
      if let bytes = try await file.read() {
        saved = try? JSONValue.parse(bytes)
        if saved == nil { log.warning("incidents of before are lost: \(Self.fileName) is damaged") }
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

  /// - Parameters:
  ///   - isMuted: whether nobody wants to hear of a check.
  ///   - traces: nil: no way is looked at.
  ///   - share: nil: every incident is this agent's alone.
  ///   - notices: what the agent says of itself.
  func follow(
    isMuted: @escaping @Sendable (MonitoringCheck, Timestamp) -> Bool, traces: TraceDesk? = nil,
    share: (any IncidentShare)? = nil, notices: @escaping @Sendable () async -> [Notice]
  ) {
    surroundings.withLock {
      $0 = Surroundings(isMuted: isMuted, notices: notices, traces: traces, share: share)
    }
  }

  /// One result, from whichever thread found it.
  func note(_ result: CheckResult) {
    guard result.trigger == .schedule else { return }
    inbox.withLock { $0.append(result) }
  }

  /// Takes over other checks.
  ///
  /// - Parameter names: the group's, also those that other agents run; nil: there is no group.
  func apply(_ checks: [MonitoringCheck], names: IncidentNames? = nil) {
    let (graph, now) = (catalog.dependencies, time.wall())
    drain()
    state.withLock { $0.book.apply(checks, graph, names: names, now: now) }
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
        let notices = await surroundings.withLock(\.notices)()
        let now = time.wall()
        state.withLock { $0.book.note(notices, now: now) }
      }
      if instant >= figuresDue {
        figuresDue = instant + Self.figures
        judgeFigures()
      }
      decide()
    } while (try? await time.sleep(for: pace)) != nil
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
    let (isMuted, traces, share) = surroundings.withLock { ($0.isMuted, $0.traces, $0.share) }
    defer { tellShare(share) }
    let view = share?.look()
    state.withLock { state in
      if let view, let share { state.book.follow(view, now: now, role: share.role) }
      let decisions = state.book.advance(to: now, role: share.map { $0.role }) { trouble in
        trouble.key.check.flatMap { self.catalog[$0] }.map { isMuted($0, now) } ?? false
      }
      for (decision, incidents) in decisions {
        let message = writer.message(
          decision, incidents, cause: incidents.first.flatMap(cause), now: now, using: &state.generator)
        guard let message else { continue }
        let (whole, isComplete) = traces?.completed(message) ?? (message, true)
        let hold = isComplete ? Duration.zero : TraceDesk.patience
        state.outbox.add(whole, to: decision.channel, hold: hold, now: now)
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
