// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The public page's content: some checks under a title, and nothing of the agent, its network or the details of
/// failures.
package struct PublicFace: Sendable {
  package var title: String
  /// Tags that make the page's sections, in their order.
  package var groups: [String]
  /// Names or ids of further checks; they come first, under no heading.
  package var checks: [String]
  package var hidesTargets: Bool

  package init(title: String, groups: [String], checks: [String], hidesTargets: Bool) {
    (self.title, self.groups, self.checks) = (title, groups, checks)
    self.hidesTargets = hidesTargets
  }
}

/// One check on the public page. A property that is not here cannot be shown by mistake.
struct PublicCheck: Sendable {
  enum State: String, Sendable {
    case up, degraded, down, unknown, maintenance
  }

  struct Window: Sendable {
    var period: UptimePeriod
    /// As people read it, with how much it rests on where that is little.
    var text: String
    /// Percent.
    var uptime: Double?
  }

  struct Downtime: Sendable {
    var begin: Timestamp
    /// `nil` while it lasts.
    var end: Timestamp?
    var length: Duration
  }

  var id: UniqueID
  var name: String
  /// `nil` where it is hidden.
  var target: String?
  var state: State
  var windows: [Window]
  /// The last 90 days, oldest first.
  var days: [SeriesPoint]
  /// Newest first.
  var outages: [Downtime]
  /// Of the last 24 hours, successes only.
  var median: Duration?
  var maintenanceUntil: Timestamp?
}

/// Everything that the public face shows, of one instant.
struct PublicPicture: Sendable {
  var face: PublicFace
  var now: Timestamp
  var sections: [(heading: String?, checks: [PublicCheck])]

  /// Each once, in the order of the page.
  var checks: [PublicCheck] {
    var seen: Set<UniqueID> = []
    return sections.flatMap(\.checks).filter { seen.insert($0.id).inserted }
  }

  init(_ face: PublicFace, from source: any StatusSource) async {
    let snapshot = await source.snapshot()
    (self.face, now, sections) = (face, snapshot.now, [])
    let enabled = snapshot.checks.filter(\.enabled)
    let names = Set(face.checks.map { ByteText($0) })
    var known: [UniqueID: PublicCheck] = [:]
    func shown(_ checks: [CheckStatus]) async -> [PublicCheck] {
      var list: [PublicCheck] = []
      for check in checks {
        let found: PublicCheck
        if let known = known[check.id] {
          found = known
        } else {
          found = await PublicCheck(check, snapshot.now, hidesTarget: face.hidesTargets, from: source)
        }
        known[check.id] = found
        list.append(found)
      }
      return list
    }
    let own = enabled.filter {
      names.contains(ByteText($0.name)) || names.contains(ByteText($0.id.description))
    }
    if !own.isEmpty { sections.append((nil, await shown(own))) }
    for tag in face.groups {
      let checks = enabled.filter { check in check.tags.contains { $0 == tag } }
      if !checks.isEmpty { sections.append((tag, await shown(checks))) }
    }
  }
}

extension PublicCheck {
  fileprivate init(
    _ check: CheckStatus, _ now: Timestamp, hidesTarget: Bool, from source: any StatusSource
  ) async {
    (id, name) = (check.id, check.name)
    target = hidesTarget ? nil : check.target
    // What has not been looked at for long is not known any more, whatever it was.
    state =
      check.maintenance != nil
      ? .maintenance : check.stale ? .unknown : State(rawValue: check.state.rawValue) ?? .unknown
    maintenanceUntil = check.maintenance?.until
    windows = check.windows.map { window in
      Window(
        period: window.period,
        text: StatusFormat.percent(window.uptime)
          + (window.uptime == nil ? "" : StatusFormat.remark(window.data)),
        uptime: window.data.isThin ? nil : window.uptime)
    }
    median = check.window(.day).latency?.p50
    days = await source.series(check.id, .quarter, points: UptimeStrip.cells(.quarter)) ?? []
    outages = (await source.outages(check.id) ?? []).reversed().map {
      Downtime(begin: $0.begin, end: $0.end, length: $0.duration(now: now))
    }
  }
}

extension PublicCheck.State {
  /// Mark and word, which say all without a colour.
  var mark: String {
    switch self {
    case .up: CheckState.up.mark
    case .degraded: CheckState.degraded.mark
    case .down: CheckState.down.mark
    case .unknown: CheckState.unknown.mark
    case .maintenance: StatusFormat.maintenanceMark
    }
  }

  var word: String { self == .maintenance ? "maintenance" : rawValue }

  /// Of the private page's style.
  var style: String { self == .maintenance ? "off" : rawValue }
}
