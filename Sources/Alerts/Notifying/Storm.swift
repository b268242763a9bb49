// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// More incidents at once than a channel is to have notifications of: they are one for it, from the first notification to
/// the last, and none of them is sent by itself.
package struct Storm: Hashable, Sendable {
  package let id: UniqueID
  package let begin: Timestamp
  /// When the first of its alerts opened.
  let beganAt: Instant
  /// Those that it tells of, and whether the channel has heard that one is over.
  package internal(set) var incidents: Set<UniqueID> = []
  package internal(set) var heard: [UniqueID: Bool] = [:]
  var last: Timestamp?
  var lastAt: Instant?
  /// A notification that was written down before it was sent.
  var sending: NotificationRecord.Sending?

  /// Incidents that a channel gets one by one.
  package static let limit = 10

  init(id: UniqueID, begin: Timestamp, at instant: Instant) {
    (self.id, self.begin, beganAt) = (id, begin, instant)
  }

  var isTold: Bool { lastAt != nil }

  /// Whether the channel knows which of these are over.
  func hasHeard(of own: [Incident]) -> Bool { own.allSatisfy { heard[$0.id] == !$0.isOpen } }

  /// Whether incidents that are new join it. One of which so few are open that only a hold keeps it from its end has no new ones:
  /// they are sent by themselves.
  func grows(_ all: [Incident], _ settings: AlertSettings, at now: Instant) -> Bool {
    guard let lastAt, lastAt + settings.groupInterval <= now else { return true }
    return all.count { $0.isOpen && incidents.contains($0.id) } > Self.limit
  }

  /// The notification due now. `nil` where there is none yet.
  ///
  /// - Parameters:
  ///   - own: its incidents, as they are.
  ///   - news: changes in them; those of the set of open incidents are found here.
  func kind(
    _ own: [Incident], _ channel: AlertChannel, _ settings: AlertSettings, news: StormNews = StormNews(),
    at now: Instant
  ) -> AlertMessage.Kind? {
    let firing = own.count { $0.activeCount > 0 || $0.isOpen }
    guard let lastAt else {
      // One that may be over is not begun.
      guard own.contains(where: { $0.activeCount > 0 }) else { return nil }
      return beganAt + settings.groupWait <= now ? .opened : nil
    }
    if firing == 0 { return .recovered }
    let isQuiet = own.allSatisfy { $0.activeCount == 0 }
    // Nothing fires, and nothing is over yet: the end is the next notification.
    if isQuiet, channel.keepAlive.map({ lastAt + $0 > now }) ?? true { return nil }
    if news.isRisen { return .update }
    if news.isAcknowledged { return .acknowledged }
    guard lastAt + settings.groupInterval <= now else { return nil }
    if firing <= Self.limit, news.mayEnd { return .recovered }
    if news.hasChanged || !hasHeard(of: own) { return .update }
    guard channel.updates || channel.keepAlive != nil else { return nil }
    let rest = channel.keepAlive ?? settings.remind
    return lastAt + rest <= now ? .update : nil
  }
}

/// Changes in the incidents of a storm since its last notification, by the rules for one incident.
struct StormNews: Hashable, Sendable {
  /// The highest severity that fires is above the one that the channel knows.
  var isRisen = false
  /// All that fires is acknowledged, and the channel has not been sent that.
  var isAcknowledged = false
  /// An alert joined or rose, the alert of a title recovered, and the like.
  var hasChanged = false
  /// Something fires of which one incident would be notified again: not all is muted, acknowledged or shown by the apps.
  var isLive = false
  /// Something waits for a time that is no change of an incident, such as the end of a mute.
  var isWaiting = false
  /// The incidents that still fire could be sent one by one now.
  var mayEnd = true

  /// Notes the notification that one of the incidents would have by itself.
  ///
  /// - Returns: its draft, where it would be sent.
  mutating func note(_ decision: Notifier.Decision) -> Draft? {
    switch decision {
    case .nothing, .fold: return nil
    case .hold(_, _, _, let draft):
      if draft.isWaiting || !draft.trigger.saysTheSame { isWaiting = true }
      return nil
    case .send(let draft):
      if draft.isWaiting || draft.trigger == .opened { isWaiting = true }
      if Self.changes.contains(draft.trigger) { hasChanged = true }
      if !draft.isOver, draft.trigger != .acknowledged, draft.trigger != .reminder || !draft.isForDigest {
        isLive = true
      }
      return draft
    }
  }

  private static let changes: Set<Draft.Trigger> = [.joined, .rose, .flapping, .eased, .rootRecovered]
}

// Drafts of a storm's incidents.
extension [Draft] {
  /// Severity to which what fires rose since the channel was notified of it; `nil` where it did not rise.
  ///
  /// - Parameter news: drafts of those that may have risen.
  func risen(by news: [Draft]) -> AlertSeverity? {
    let fresh = news.flatMap { draft in draft.firing.filter { draft.fresh.contains($0.trouble.key) } }
    guard let severity = fresh.map(\.trouble.severity).max() else { return nil }
    let known = flatMap { draft in
      draft.firing.compactMap { draft.record.heard.alerts[$0.trouble.key] }.filter { $0.end == nil }
    }
    let before = known.map(\.severity).max() ?? compactMap(\.record.heard.severity).max() ?? .low
    return severity > before ? severity : nil
  }

  mutating func noteAcknowledgement() {
    let isAcknowledged = acknowledgement != nil
    for place in indices { self[place].isStormAcknowledged = isAcknowledged }
  }

  /// The latest acknowledgement, where all that fires is acknowledged; `nil` otherwise.
  var acknowledgement: Incident.Acknowledgement? {
    let firing = filter { !$0.firing.isEmpty }
    guard firing.allSatisfy(\.incident.isAcknowledged) else { return nil }
    return firing.compactMap(\.incident.acknowledged).max { ($0.at, $0.by) < ($1.at, $1.by) }
  }
}
