// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Notifications of several incidents that are sent by parts, and what is repeated.
extension Notifier {
  /// One page of the digest. Incidents that the receiver refused come last, so that they keep no others from it.
  mutating func page(_ drafts: [Draft], _ channel: AlertChannel, _ now: Timestamp) -> Notification {
    let untried = drafts.filter { $0.refusal == nil }
    let parts = (untried.isEmpty ? drafts : untried).prefix(Notification.mostParts)
    var page = make(.digest, .digest, Array(parts), channel, now)
    page.rest = drafts.count - parts.count
    return page
  }

  /// Incidents that began and ended unheard; `nil` where there are none.
  mutating func past(_ drafts: [Draft], _ channel: AlertChannel, _ now: Timestamp) -> Notification? {
    guard let first = drafts.first else { return nil }
    guard drafts.count > 1 else { return make(first.kind, .incident, [first], channel, now) }
    let parts = drafts.suffix(Notification.mostParts)
    var page = make(.digest, .past, Array(parts), channel, now)
    page.rest = drafts.count - parts.count
    return page
  }

  /// Most keep-alives of one request.
  private static let mostKeepAlives = 64

  /// Keep-alives that are sent in one request, the longest due first: fewer after each failure, and one that was refused alone, so
  /// that it spoils no others.
  ///
  /// - Parameter ready: all with as many failed attempts.
  func keepAlives(_ ready: [Draft]) -> [Draft] {
    let due = ready.filter { $0.trigger == .keepAlive }
    let clean = due.filter { $0.record.refused == nil }
    guard let failures = clean.first?.failures else { return longestDue(due).map { [$0] } ?? [] }
    let most = Self.mostKeepAlives >> (2 * min(failures, 3))
    return Array(clean.sorted(by: Self.isLongerDue).prefix(most))
  }

  func longestDue(_ drafts: [Draft]) -> Draft? { drafts.min(by: Self.isLongerDue) }

  private static func isLongerDue(_ one: Draft, _ other: Draft) -> Bool {
    if one.due == other.due { return one.incident.id > other.incident.id }
    return (one.due ?? Instant(nanoseconds: 0)) < (other.due ?? Instant(nanoseconds: 0))
  }
}

extension Draft {
  /// Longest time that news and ends keep a keep-alive waiting: the alert holds for a minute more.
  private static let longestWait: Duration = .seconds(30)

  /// It is a keep-alive that goes before news.
  func isLate(at now: Instant) -> Bool {
    trigger == .keepAlive && due.map { $0 + Self.longestWait <= now } ?? false
  }
}
