// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import QuartzAPI
import Status
import Synchronization

/// Alerting in the daemon. Results are only put down here, so that no probe ever waits; what they mean is decided a moment
/// later, and what is to be sent is on disk before it is sent.
final class AlertDesk: Sendable {
  struct State {
    var book: AlertBook
    var writer: MessageWriter
  }

  let state: Mutex<State>
  let file: any DurableBytes
  let log: Logger
  let time: TimeSource
  let sender: any MessageSending
  /// From one look at what came in to the next.
  let pace: Duration
  let saving = AlertSaving()
  /// When the last save ended, and how long it took.
  let lastSave = Mutex((end: Instant(nanoseconds: 0), took: Duration.zero))
  let catalog: CheckCatalog
  let history: HistoryStore
  let agent: AgentSettings
  private let labels: [String]
  private let inbox = Mutex<[Inbound]>([])
  let around: Surroundings

  /// A result, or a slot without one.
  private enum Inbound: Sendable {
    case result(CheckResult)
    case skipped(UniqueID, Timestamp)
  }

  /// The rest of the agent, as far as it decides what is sent.
  struct Surroundings: Sendable {
    /// Until when a check is muted, or in maintenance.
    var mutedUntil: @Sendable (MonitoringCheck, Timestamp) -> Timestamp? = { _, _ in nil }
    var maintenanceUntil: @Sendable (UniqueID, Timestamp) -> Timestamp? = { _, _ in nil }
    /// `nil`: paths are not traced.
    var traces: TraceDesk?
    /// `nil`: every incident is this agent's alone.
    var share: (any IncidentShare)?
  }

  static let every: Duration = .seconds(1)
  /// Between looks at the agent's own problems, and at the windows.
  private static let own: Duration = .seconds(30)
  private static let figures: Duration = .seconds(60)
  static let fileName = "alerts.json"

  init(
    _ settings: AlertSettings, agent: AgentSettings, labels: [String] = [], history: HistoryStore,
    catalog: CheckCatalog, sender: any MessageSending, file: any DurableBytes,
    around: Surroundings = Surroundings(), pace: Duration = AlertDesk.every, log: Logger, time: TimeSource,
    life: String? = nil
  ) async {
    (self.file, self.pace, self.agent, self.labels) = (file, pace, agent, labels)
    (self.history, self.catalog, self.sender) = (history, catalog, sender)
    (self.log, self.time, self.around) = (log, time, around)
    var saved: JSONValue?
    do throws(StateFile.Failure) {
      if let bytes = try await file.read() {
        saved = try? JSONValue.parse(bytes)
        if saved == nil { log.warning("incidents of before are lost: \(Self.fileName) is damaged") }
      }
    } catch {
      log.warning("incidents of before are not known", metadata: ["problem": "\(error)"])
    }
    state = Mutex(
      State(
        book: AlertBook(settings, saved: saved, now: time.reading(), life: life),
        writer: Self.writer(settings, agent, labels, catalog, history)))
    tellLeftOpen()
  }

  /// Says once which receivers are not sent the end of incidents.
  func tellLeftOpen() {
    for note in state.withLock({ $0.book.drainLeftOpen() }) {
      log.warning(
        "incidents are left open at a receiver that is not configured any more",
        metadata: [
          "channel": "\(note.channel)", "receiver": "\(note.target)", "count": "\(note.incidents.count)",
          "incidents": "\(note.incidents.prefix(20).map(\.description).joined(separator: ", "))",
        ])
    }
  }

  private static func writer(
    _ settings: AlertSettings, _ agent: AgentSettings, _ labels: [String], _ catalog: CheckCatalog,
    _ history: HistoryStore
  ) -> MessageWriter {
    MessageWriter(
      agent: agent.name, region: agent.region, pageURL: settings.pageURL, check: { catalog[$0] },
      labels: labels, recent: { history.recent($0) ?? [] })
  }

  var settings: AlertSettings { state.withLock { $0.book.settings } }

  /// Takes over other settings: `alerts` of a configuration that was read again. A list of checks has to follow.
  func apply(_ settings: AlertSettings) {
    let (now, writer) = (time.reading(), Self.writer(settings, agent, labels, catalog, history))
    drain()
    state.withLock { state in
      guard state.book.settings != settings else { return }
      state.book.apply(settings, now: now)
      state.writer = writer
    }
  }

  /// One result, from whichever thread found it.
  func note(_ result: CheckResult) {
    guard result.trigger == .schedule else { return }
    inbox.withLock { $0.append(.result(result)) }
  }

  /// A slot that was not run, for a maintenance window leaves it out: alerts of the check end as by a result in the window.
  func skipped(_ check: UniqueID, slot: Timestamp) {
    inbox.withLock { $0.append(.skipped(check, slot)) }
  }

  /// Takes over other checks.
  ///
  /// - Parameters:
  ///   - awaited: not in the list yet, and not removed.
  ///   - names: the group's, also those that other agents run; `nil` outside of a group.
  func apply(_ checks: [MonitoringCheck], awaited: Set<UniqueID> = [], names: IncidentNames? = nil) {
    let (graph, now) = (catalog.dependencies, time.reading())
    drain()
    state.withLock { $0.book.apply(checks, graph, awaited: awaited, names: names, now: now) }
  }

  private func drain() {
    let results = inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
    guard !results.isEmpty else { return }
    let now = time.reading()
    state.withLock { state in
      for one in results {
        switch one {
        case .result(let result): state.book.note(result, now: now)
        case .skipped(let check, let slot): state.book.skipped(check, at: slot, now: now)
        }
      }
      state.book.keepOpenings(state.writer)
    }
  }

  /// Decides what fires and what is over, until the task is cancelled.
  ///
  /// - Parameter problems: the agent's own.
  func run(_ problems: @Sendable () async -> [Notice] = { [] }) async {
    var (ownDue, figuresDue) = (time.instant(), time.instant())
    repeat {
      drain()
      let instant = time.instant()
      if instant >= ownDue {
        ownDue = instant + max(Self.own, pace * 20)
        let notices = await problems()
        let now = time.reading()
        state.withLock { $0.book.note(notices, now: now) }
      }
      if instant >= figuresDue {
        figuresDue = instant + Self.figures
        judgeFigures()
      }
      advance()
    } while (try? await time.sleep(for: pace)) != nil
    // What came in last is not known otherwise after the next start.
    drain()
    advance()
    try? await keep()
  }

  private func judgeFigures() {
    let now = time.reading()
    let figures = HistoryFigures(history: history, now: now.wall) { [around] in
      around.maintenanceUntil($0, now.wall) != nil
    }
    state.withLock { state in
      if state.book.needsFigures { state.book.judge(figures, now: now) }
    }
  }

  private func advance() {
    let (now, share) = (time.reading(), around.share)
    let view = share?.look()
    state.withLock { state in
      if let view, let share { state.book.follow(view, writer: share.writer, now: now, role: share.role) }
      state.book.advance(to: now)
      state.book.keepOpenings(state.writer)
    }
    tellShare(share)
  }

  /// Passes the due writes to the group's store.
  func tellShare(_ share: (any IncidentShare)?) {
    guard let share else { return }
    let now = time.reading()
    share.write(state.withLock { $0.book.writes(now: now, role: share.role) })
  }

  func acknowledge(_ word: String, by: String, note: String?) -> Incident? {
    let now = time.wall()
    return state.withLock { $0.book.acknowledge(word, by: by, note: note, now: now) }
  }

  /// Limit of an order by hand in a group; `nil` where it reaches all.
  func limit(of order: OperatorWish.Kind) -> String? {
    around.share.flatMap { $0.look().limit(of: order, by: $0.writer) }
  }

  /// For a command that named none of them.
  var openNames: String {
    let names = state.withLock { state in
      state.book.incidents.opened.prefix(5).map { "\($0.short) (\($0.title))" }
    }
    return names.isEmpty ? "no incident is open" : "open: \(names.joined(separator: ", "))"
  }
}

/// Figures for the rules about windows.
private struct HistoryFigures: RuleWatch.Figures {
  let history: HistoryStore
  let now: Timestamp
  let maintained: (UniqueID) -> Bool

  func isInMaintenance(_ check: UniqueID) -> Bool { maintained(check) }

  func down(_ check: UniqueID, last span: Duration) -> Duration? { history.down(check, last: span, now: now) }
}
