// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// One check on the public page. A property that is not here cannot be shown by mistake.
struct PublicCheck: Sendable {
  enum State: String, Sendable {
    case up, degraded, down, unknown, maintenance
  }

  struct Window: Sendable {
    var period: UptimePeriod
    /// Percent.
    var uptime: Double?
    /// How much the figure rests on, where that is little.
    var thin: Duration?
  }

  struct Downtime: Sendable {
    var begin: Timestamp
    /// `nil` while it lasts.
    var end: Timestamp?
    var length: Duration
    /// Outages that it followed closely and that are not kept any more; `nil` without any.
    var earlier: EarlierOutages?
    /// Begins within the state that lasts: the check was not seen up since the outage before it.
    var isContinued = false
  }

  var id: UniqueID
  var name: String
  /// `nil` where it is hidden.
  var target: String?
  var state: State
  /// Degraded because it takes long.
  var isSlow = false
  /// When the state began. `nil` where that is not known.
  var since: Timestamp?
  var windows: [Window]
  /// The last 90 days, oldest first.
  var days: [SeriesPoint]
  /// Newest first.
  var outages: [Downtime]
  /// Of the last 24 hours, successes only.
  var median: Duration?
  var maintenanceUntil: Timestamp?

  func window(_ period: UptimePeriod) -> Window? { windows.first { $0.period == period } }
}

extension PublicCheck {
  /// - Parameters:
  ///   - days: the last 90, oldest first.
  ///   - past: its outages, oldest first.
  init(
    _ check: CheckStatus, _ now: Timestamp, hidesTarget: Bool, days: [SeriesPoint], outages past: [Outage]
  ) {
    (id, name) = (check.id, check.name)
    target = hidesTarget ? nil : check.target
    // What has not been looked at for long is not known any more, whatever it was.
    state =
      check.maintenance != nil
      ? .maintenance : check.stale ? .unknown : State(rawValue: check.state.rawValue) ?? .unknown
    switch state {
    case .down: since = check.stateBegan
    case .degraded: (since, isSlow) = (check.stateBegan, check.last?.reason == .responseTime)
    case .up, .unknown, .maintenance: break
    }
    maintenanceUntil = check.maintenance?.until
    windows = check.windows.map { window in
      Window(
        period: window.period, uptime: window.uptime,
        thin: window.data.isThin ? .microseconds(window.data.judged) : nil)
    }
    median = check.window(.day).latency?.p50
    self.days = days
    let began = check.state == .down ? check.stateBegan : nil
    outages = past.reversed().map { outage in
      Downtime(
        begin: outage.begin, end: outage.end, length: outage.duration(now: now), earlier: outage.earlier,
        isContinued: began.map { outage.begin > $0 } ?? false)
    }
  }

  /// The state in words.
  func word(_ words: any PublicWords) -> String {
    switch state {
    case .up: words.isUp
    case .degraded: isSlow ? words.isSlow : words.isImpaired
    case .down: words.isDown
    case .unknown: words.isUnknown
    case .maintenance: words.isInMaintenance
    }
  }
}

extension PublicCheck.State {
  /// Beside the word: together they say all without a colour.
  var mark: String {
    switch self {
    case .up: CheckState.up.mark
    case .degraded: CheckState.degraded.mark
    case .down: CheckState.down.mark
    case .unknown: CheckState.unknown.mark
    case .maintenance: StatusFormat.maintenanceMark
    }
  }

  /// Of the private page's style.
  var style: String { self == .maintenance ? "off" : rawValue }
}
