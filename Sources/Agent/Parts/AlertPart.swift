// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Monitoring
import Status

/// Alerts, incidents and notifications.
struct AlertPart: AgentPart {
  let desk: AlertDesk

  /// `nil` without a section `alerts`.
  ///
  /// - Parameter share: `nil` where every incident is this agent's alone.
  init?(
    _ base: AgentBase, _ history: HistoryStore, _ traces: TraceDesk, share: (any IncidentShare)?
  ) async {
    let (settings, outside) = (base.settings, base.outside)
    let around = AlertDesk.Surroundings(
      mutedUntil: { [orders = base.orders] in orders.current.mutedUntil($0, at: $1) },
      maintenanceUntil: { [maintenance = base.maintenance] in maintenance.plan.ends($0, at: $1) },
      traces: traces, share: share)
    desk = await AlertDesk(
      settings.alerts ?? AlertSettings.none, agent: settings.agent, labels: settings.metrics.labels,
      history: history, catalog: base.catalog, sender: outside.sender,
      file: outside.disk.file(AlertDesk.fileName), around: around, pace: outside.pace, log: base.log,
      time: base.time, life: outside.boot)
    guard settings.alerts == nil else { return }
    // Receivers of an earlier run that take incidents for open are named at the first start without channels alone.
    try? await desk.keep()
    return nil
  }

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [{ await desk.run { await picture().ownProblems } }, { await desk.deliver(picture) }]
  }

  func follow(_ list: FollowedList) { desk.apply(list.known, awaited: list.awaited, names: list.names) }

  /// A section that is gone resolves what its channels were sent.
  func apply(_ settings: Settings) { desk.apply(settings.alerts ?? AlertSettings.none) }

  func contribute(to snapshot: inout StatusSnapshot) { snapshot.alerts = desk.view(now: snapshot.now) }
}

/// Orders by hand: mutes, maintenance, acknowledgements; and posts for the public page.
struct OperatorPart: AgentPart {
  let desk: OperatorDesk
  let posts: PostDesk
  private let base: AgentBase

  init(_ base: AgentBase, alerts: AlertDesk?) async {
    self.base = base
    desk = await OperatorDesk(
      restoring: base.outside.disk, base.catalog, base.maintenance, alerts: alerts, orders: base.orders,
      pace: base.outside.pace, log: base.log, time: base.time)
    posts = await PostDesk(restoring: base.outside.disk, base.catalog, log: base.log, time: base.time)
  }

  func services(_ picture: @escaping AgentPicture) -> [AgentService] { [{ await desk.run() }] }
  var notices: [Notice] { get async { [await desk.loss, await posts.loss].compactMap(\.self) } }

  func contribute(to snapshot: inout StatusSnapshot) async {
    snapshot.posts = await posts.posts
    let orders = base.orders.current
    (snapshot.mutes, snapshot.byHand) = (orders.mutes, orders.windows)
    snapshot.markHandled(muted: muted(by: orders))
  }

  private func muted(by orders: HandBook) -> [UniqueID: Timestamp] {
    guard !orders.mutes.isEmpty else { return [:] }
    let now = base.time.wall()
    let ends = base.catalog.checks.compactMap { check in
      orders.mutedUntil(check, at: now).map { (check.id, $0) }
    }
    return Dictionary(ends, uniquingKeysWith: max)
  }
}
