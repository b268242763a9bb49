// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The whole of alerting but for the sending: rules, incidents and their notification log, fed with results and the time.
/// A pure machine, kept over restarts.
package struct AlertBook: Sendable {
  package internal(set) var watch: RuleWatch
  package internal(set) var incidents: IncidentBook
  package internal(set) var notifier: Notifier
  /// State shared with the other members of a group; `nil` outside of one.
  package internal(set) var share: AlertShare?
  /// The alerts of the Quartz apps; `nil` without a backend.
  package internal(set) var apps: AppsView?
  /// When the apps stopped to show an alert that fires here.
  var lastShown: [AppAlerts.Key: Instant] = [:]
  /// For the audit.
  var takenAcknowledgements: [TakenAcknowledgement] = []
  private var savedVersion = 0
  private var savedRows = 0
  private var savedReports = ReportLog()
  /// Checks with alerts from before the start or from another member, and without a result of this agent.
  var unconfirmed: Set<UniqueID> = []
  /// Deadline of waiting for those results.
  private let confirmedBy: Instant
  private let life: String?
  var hasChanged = false

  package var settings: AlertSettings { notifier.settings }

  /// Something changed that a restart must not forget.
  package var isDirty: Bool {
    hasChanged || incidents.version != savedVersion || watch.rowsVersion != savedRows
      || notifier.reports != savedReports
  }

  /// - Parameters:
  ///   - saved: what `encode(to:now:)` wrote before; what is damaged in it is left out.
  ///   - now: digests before it are not made up for, where nothing is saved.
  ///   - life: which life of the machine this is: in the same one instants are still good; `nil` where it is not known.
  package init(
    _ settings: AlertSettings, saved: JSONValue? = nil, now: ClockReading, life: String? = nil,
    generator: any RandomNumberGenerator & Sendable = RandomPool()
  ) {
    let clock = SavedClock(saved, now: now, life: life)
    self.life = life
    let open = (saved?["open"]?.array ?? []).compactMap { Incident($0, clock) }.filter { $0.isOpen }
    let over = (saved?["over"]?.array ?? []).suffix(20_000).compactMap { Incident($0, clock) }.filter {
      !$0.isOpen
    }
    incidents = IncidentBook(
      groupWait: settings.groupWait, flap: settings.flap, open: open, over: over, generator: generator)
    unconfirmed = Set(incidents.troubles.keys.compactMap(\.check))
    confirmedBy = now.boot + Self.longestUnconfirmed
    watch = RuleWatch(settings.rules, open: incidents.troubles, SavedRules(saved))
    notifier = Notifier(settings, now: now.wall, generator: generator)
    share = AlertShare(saved)
    // In a group another member may still send the end.
    let channels = (saved?["channels"]?.array ?? []).prefix(FormerChannel.most)
    let former = share == nil ? channels.compactMap { FormerChannel($0) } : []
    let moves = ChannelMoves(former, to: settings, taken: incidents.channels)
    notifier.follow(moves, &incidents, now: now)
    notifier.restore(saved, moves, clock, now: now.wall, &incidents)
    savedVersion = incidents.version
    savedReports = ReportLog(saved)
    hasChanged = !moves.isEmpty
  }

  /// Incidents that were left open at a receiver since the last call.
  package mutating func drainLeftOpen() -> [LeftOpenNote] {
    defer { notifier.leftOpen = [] }
    return notifier.leftOpen
  }

  /// Takes over other settings, while incidents stay as they are. The list of checks has to follow.
  package mutating func apply(_ settings: AlertSettings, now: ClockReading) {
    take(watch.replace(settings.rules, now: now.wall), now)
    incidents.apply(settings)
    let moves = notifier.moves(to: settings, incidents)
    // In a group the agent that notifies sends the end.
    let (share, names) = (share, incidents.names)
    incidents.move(moves) { incident in
      share.map { $0.view.notifies || !$0.isShared(incident, names) } ?? true
    }
    notifier.apply(settings, moves, now: now)
    hasChanged = true
  }

  /// Takes over other checks and dependencies.
  ///
  /// - Parameters:
  ///   - awaited: not in the list yet, and not removed.
  ///   - names: the group's checks, also those that other agents run; `nil` outside of a group.
  package mutating func apply(
    _ checks: [MonitoringCheck], _ graph: DependencyGraph, awaited: Set<UniqueID> = [],
    names: IncidentNames? = nil, now: ClockReading
  ) {
    let kept = watch.kept
    incidents.names = names
    if names != nil, share == nil { share = AlertShare(writer: "") }
    incidents.apply(graph)
    let shared = names?.checks ?? []
    take(watch.apply(checks, awaited: awaited, now: now.wall) { shared.contains($0) }, now)
    if let names { adopt(Set(checks.map(\.id)), names, now) }
    if watch.kept != kept { hasChanged = true }
  }

  /// Longest hold of a notification for a check without results, such as one that is probed once a day.
  private static let longestUnconfirmed: Duration = .seconds(600)

  package mutating func note(_ result: CheckResult, now: ClockReading) {
    if result.state != .unknown { unconfirmed.remove(result.checkID) }
    take(watch.note(result, now: now), now)
  }

  /// A slot that a maintenance window leaves out.
  package mutating func skipped(_ check: UniqueID, at slot: Timestamp, now: ClockReading) {
    take(watch.skipped(check, at: slot), now)
  }

  private mutating func take(_ events: [TroubleEvent], _ now: ClockReading) {
    for event in events { take(event, now) }
  }

  /// Takes the agent's own notices.
  package mutating func note(_ notices: [Notice], now: ClockReading) {
    take(watch.judge(notices, now: now), now)
  }

  /// Takes the figures of the windows.
  package mutating func judge(_ figures: some RuleWatch.Figures, now: ClockReading) {
    take(watch.judge(figures, now: now.wall), now)
  }

  package var needsFigures: Bool { watch.needsFigures }

  /// As time passes: what lasted for long enough fires, and what has been well for long enough is over.
  package mutating func advance(to now: ClockReading) {
    take(watch.advance(to: now), now)
    takeAcknowledgements()
    incidents.advance(to: now.boot, shadowed: watch.shadowed)
    if incidents.over.count > IncidentBook.kept || incidents.needsForgetting {
      let notifier = notifier
      incidents.forget { notifier.isSettled($0) }
    }
  }

  /// Adds the state of this agent and of its group.
  private func informed(_ context: NotifyContext) -> NotifyContext {
    var context = informedOfReports(grouped(context))
    if settings.app == .fallback { context.inApps = standing(context) }
    guard !unconfirmed.isEmpty, context.now.boot < confirmedBy else { return context }
    // Shared checks follow the group's rules.
    let shared = incidents.names?.checks ?? []
    context.confirmedBy = { [unconfirmed, confirmedBy] trouble in
      trouble.key.check.map { unconfirmed.contains($0) && !shared.contains($0) } ?? false ? confirmedBy : nil
    }
    return context
  }

  /// Notifications to send now, once they are written down; `finish` has to follow each.
  package mutating func next(_ context: NotifyContext) -> [Notification] {
    let context = informed(context)
    return notifier.next(&incidents, context)
  }

  /// Takes a receiver's answer.
  package mutating func finish(
    _ notification: Notification, _ outcome: SendOutcome, title: String, now: ClockReading
  ) {
    let outcome = notifier.finish(notification, outcome, title: title, &incidents, at: now)
    if outcome.isDelivered { noteDelivery(notification) }
    hasChanged = true
  }

  /// Every notification that would be sent, to which channel, and the stage that holds it, by the same function that sends.
  package func decisions(
    _ context: NotifyContext
  ) -> [(incident: Incident, channel: AlertChannel, decision: Notifier.Decision)] {
    let context = informed(context)
    return incidents.all.filter { !notifier.isSettled($0) }.flatMap { incident in
      notifier.channels.map { (incident, $0, notifier.decide(incident, $0, context)) }
    }
  }

  /// `nil`: no open incident, or several, are called so.
  package mutating func acknowledge(
    _ word: String, by: String, note: String?, now: Timestamp
  ) -> Incident? {
    incidents.change(word) { $0.acknowledge(by: by, note: note, at: now) }
  }

  /// Everything that a restart must not forget.
  package mutating func encode(to json: inout JSONWriter, now: ClockReading) {
    (hasChanged, savedVersion, savedRows) = (false, incidents.version, watch.rowsVersion)
    savedReports = notifier.reports
    json.field("version", 2)
    json.field("saved_at", now.wall)
    if let life {
      json.field("life", life)
      json.field("uptime_us", now.boot.microseconds)
    }
    notifier.write(to: &json, now: now)
    share?.write(to: &json)
    watch.kept.write(to: &json)
    json.key("open")
    json.array { json in for incident in incidents.opened { incident.write(to: &json, now: now) } }
    json.key("over")
    json.array { json in for incident in incidents.over { incident.write(to: &json, now: now) } }
  }
}
