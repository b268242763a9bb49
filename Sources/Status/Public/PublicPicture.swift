// SPDX-License-Identifier: MIT

import Alerts
import Basics
import History
import Monitoring

/// Everything that the public face shows, of one instant.
package struct PublicPicture: Sendable {
  struct Section: Sendable {
    /// `nil` for checks that are named one by one.
    var heading: String?
    var checks: [PublicCheck]
  }

  /// A maintenance window that some of the shown checks are in, or will be.
  struct Window: Sendable {
    var from: Timestamp
    var until: Timestamp
    /// `nil` where names of windows are not public.
    var title: String?
    /// Of the shown checks, in the order of the page.
    var names: [String]
    var isActive: Bool
    /// The same for good, for the feeds.
    var id: UniqueID
    /// When readers were told; `nil` where it was by the settings.
    var announced: Timestamp?
  }

  package var face: PublicFace
  package var now: Timestamp
  var sections: [Section]
  /// Those that hold now, then those to come.
  var windows: [Window] = []
  /// Windows beyond the limit, which are not among these.
  var furtherWindows = 0
  /// Posts about checks that are shown, the newest first.
  var posts: [StatusPost] = []

  /// Windows that are shown, and for how long a resolved post is.
  static let windowLimit = 10
  static let postAge: Duration = .seconds(7 * 86_400)

  /// Each once, in the order of the page.
  var checks: [PublicCheck] { sections.flatMap(\.checks).withoutRepetitions(by: \.id) }

  /// - Parameter past: days of 90, and outages, of a check; both oldest first.
  package init(
    _ face: PublicFace, _ snapshot: StatusSnapshot,
    past: (UniqueID) async -> (days: [SeriesPoint], outages: [Outage])
  ) async {
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
          let (days, outages) = await past(check.id)
          found = PublicCheck(
            check, snapshot.now, hidesTarget: face.hidesTargets, days: days, outages: outages)
        }
        known[check.id] = found
        list.append(found)
      }
      return list
    }
    let own = enabled.filter {
      names.contains(ByteText($0.name)) || names.contains(ByteText($0.id.description))
    }
    if !own.isEmpty { sections.append(Section(heading: nil, checks: await shown(own))) }
    for group in face.groups {
      let checks = enabled.filter { check in check.tags.contains { $0 == group.tag } }
      if !checks.isEmpty {
        sections.append(Section(heading: group.heading, checks: await shown(checks)))
      }
    }
    let visible = enabled.filter { known[$0.id] != nil }
    let all = Self.windows(of: visible, snapshot, face)
    windows = Array(all.prefix(Self.windowLimit))
    furtherWindows = all.count - windows.count
    posts = Self.posts(of: visible, snapshot)
  }

  /// Windows without any shown check stay private.
  private static func windows(
    of checks: [CheckStatus], _ snapshot: StatusSnapshot, _ face: PublicFace
  ) -> [Window] {
    let (plan, now) = (snapshot.maintenancePlan, snapshot.now)
    var names: [Int: [String]] = [:]
    for check in checks {
      for place in plan.windows(of: check.id) { names[place, default: []].append(check.name) }
    }
    let last = now.advanced(by: face.announce)
    // Reasons that people give for windows by hand are for the record.
    let byHand = Set(snapshot.byHand.map(\.id))
    let found = names.compactMap { place, names -> Window? in
      let window = plan.windows[place]
      let active = window.occurrence(at: now)
      guard let hours = active ?? window.next(after: now), hours.lowerBound <= last else { return nil }
      let id = window.announcementID(hours.lowerBound)
      let isNamed = face.namesMaintenance && !(window.id.map(byHand.contains) ?? false)
      return Window(
        from: hours.lowerBound, until: hours.upperBound, title: isNamed ? window.name : nil,
        names: names, isActive: active != nil, id: id, announced: snapshot.announced[id])
    }
    // What begins together stays in one order.
    return found.sorted { ($0.from, $0.id) < ($1.from, $1.id) }
  }

  private static func posts(of checks: [CheckStatus], _ snapshot: StatusSnapshot) -> [StatusPost] {
    snapshot.posts.reversed().filter { post in
      guard !post.isOver || post.changed.advanced(by: postAge) > snapshot.now else { return false }
      if case .everything = post.target { return true }
      return checks.contains { post.target.means($0) }
    }
  }
}

extension OperatorTarget {
  /// Whether the check is one of those that are meant.
  fileprivate func means(_ check: CheckStatus) -> Bool {
    switch self {
    case .everything: true
    case .tag(let tag): check.tags.contains { $0 == tag }
    case .check(let name): check.name == name || check.id.description == name
    }
  }
}
