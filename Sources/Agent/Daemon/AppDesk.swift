// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Logging
import Monitoring
import QuartzAPI
import Synchronization

/// The exchange of this agent and the Quartz apps with each contact.
///
/// A message follows from the present state: nothing is queued, so that after a lost answer or a restart of either side only that
/// is repeated which the other has not shown.
final class AppDesk: Sendable {
  private struct State {
    /// Version of the alerts that are known.
    var version: Int64?
    /// In the request under way.
    var sent: [AppAck] = []
    /// Version of them that the receiver has; `nil`: it takes none.
    var windowsThere: String?
    /// Agents that are not well, and when that was said.
    var fleet: (heard: Instant, troubles: [FleetTrouble])?
    /// Those that an answer did not take: of another alert, or of one that is over there.
    var refused: [AppAlerts.Key: Timestamp] = [:]
  }

  let asks: AskDesk
  /// The incidents that the apps are about. `nil` where the agent has no section `alerts`, or results go where no app reads them.
  private let alerts: AlertDesk?
  /// The maintenance windows that the apps may show; see `MaintenanceBook.forApps`.
  private let windows: (@Sendable () -> [AppWindow])?
  private let isRunHere: @Sendable (UniqueID) -> Bool
  private let log: Logger
  private let time: TimeSource
  private let state = Mutex(State())

  /// - Parameter isRunHere: whether a check is this agent's, in a group as its owner.
  init(
    asks: AskDesk, alerts: AlertDesk? = nil, windows: (@Sendable () -> [AppWindow])? = nil,
    isRunHere: @escaping @Sendable (UniqueID) -> Bool, log: Logger, time: TimeSource
  ) {
    (self.asks, self.alerts, self.windows, self.isRunHere) = (asks, alerts, windows, isRunHere)
    (self.log, self.time) = (log, time)
    alerts?.expectApps()
  }

  /// The members of an answer that this agent understands.
  static func features(hasAlerts: Bool) -> [String] {  // own text
    ["list", "asks", "windows", "fleet"] + (hasAlerts ? ["acks"] : [])
  }

  /// All windows, where the receiver takes them and has others.
  private func otherWindows() -> AppWindows? {
    guard let windows, let there = state.withLock({ $0.windowsThere }) else { return nil }
    let list = windows()
    // None, and none there: nothing was ever said.
    guard !list.isEmpty || !there.isEmpty else { return nil }
    let all = AppWindows(list)
    return all.version == there ? nil : all
  }

  /// The part of the next request. It is called for each one.
  func say() -> ContactSaying {
    var saying = ContactSaying()
    let (refused, version) = state.withLock { ($0.refused, $0.version) }
    let acks = (alerts?.acks(isOwner: isRunHere) ?? []).filter { refused[$0.key] != $0.at }
    saying.acks = Array(acks.prefix(AppAck.most))
    saying.alerts = version
    saying.windows = otherWindows()
    state.withLock { $0.sent = saying.acks }
    return saying
  }

  /// Troubles of this agent and of those that share its key or its group, as the apps show them; none where the last answer
  /// is long ago.
  var notices: [Notice] {
    guard let fleet = state.withLock({ $0.fleet }), time.instant() - fleet.heard <= Self.patience else {
      return []
    }
    return fleet.troubles.map(\.notice)
  }

  /// An agent is silent in the apps after this time without a request.
  private static let patience: Duration = .seconds(180)

  /// An answer to the last request.
  func hear(_ words: ContactWords) {
    asks.hear(words.asks)
    let now = time.instant()
    state.withLock { state in
      state.windowsThere = words.windowsVersion
      state.fleet = (now, words.fleet)
    }
    guard let alerts else { return }
    guard words.makesAlerts else {
      state.withLock { ($0.version, $0.sent, $0.refused) = (nil, [], [:]) }
      return alerts.hear(AppsView(.silent))
    }
    // As they were: nothing is known of what was sent, which goes again.
    guard let said = words.alerts else { return }
    let sent = state.withLock { state in
      defer { state.sent = [] }
      state.version = said.version
      state.refused = state.refused.filter { said.open[$0.key] != nil }
      for ack in state.sent where said.open[ack.key].map({ $0.acknowledged == nil }) == true {
        state.refused[ack.key] = ack.at
      }
      return state.sent
    }
    for ack in sent where said.open[ack.key]?.acknowledged != nil {
      log.info(
        "an acknowledgement is in Quartz",
        metadata: ["check": "\(ack.key.check)", "kind": "\(ack.key.kind.rawValue)", "by": "\(ack.by)"])
    }
    var view = AppsView(.known(said))
    let offset = words.now.map { $0.duration(to: time.wall()) } ?? .zero
    if offset > AppsView.skew || offset < .zero - AppsView.skew { view.offset = offset }
    alerts.hear(view)
  }
}
