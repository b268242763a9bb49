// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Decides what each channel is told of which incident, and when: a pure machine.
///
/// One message when an incident begins, one when it is over; in between one when it has become worse, and one each
/// `remind` until somebody acknowledges it. What is of low severity, and what began and ended in quiet hours, is told in
/// a digest. What is muted is not told while it is.
package struct Notifier: Sendable {
  package let settings: AlertSettings
  /// Up to when digests were sent.
  package private(set) var digestUpTo: Timestamp
  private var wasQuiet = false

  package struct Decision: Hashable, Sendable {
    package var channel: String
    package var kind: AlertMessage.Kind
    /// Of a digest several, of everything else one.
    package var incidents: [UniqueID]
  }

  package init(_ settings: AlertSettings, digestUpTo: Timestamp) {
    (self.settings, self.digestUpTo) = (settings, digestUpTo)
  }

  /// What is to be sent now; the incidents note that it was.
  ///
  /// - Parameters:
  ///   - incidents: open ones and those that are over, oldest first.
  ///   - speaks: false: another agent tells of it.
  ///   - isMuted: whether nobody wants to hear of a trouble at present.
  package mutating func decide(
    _ incidents: inout [Incident], now: Timestamp, speaks: (Incident) -> Bool = { _ in true },
    isMuted: (Trouble) -> Bool
  ) -> [Decision] {
    let quietEnd = settings.quietHours?.end(at: now)
    let isDigestTime = digestIsDue(now) || (wasQuiet && quietEnd == nil)
    wasQuiet = quietEnd != nil
    var decisions: [Decision] = []
    var digests: [String: [UniqueID]] = [:]  // own text: channels
    for place in incidents.indices where !incidents[place].isSettled(settings.channels.map(\.name)) {
      guard speaks(incidents[place]) else { continue }
      for channel in settings.channels {
        var incident = incidents[place]
        let view = ChannelView(incident, channel, settings.rules, isMuted)
        guard view.severity != nil || incident.told[channel.name] != nil else { continue }
        let isQuiet = quietEnd != nil && (view.severity ?? .low) < settings.quietHours?.except ?? .critical
        if isDigestTime, !isQuiet, view.belongsInDigest {
          digests[channel.name, default: []].append(incident.id)
          incident.note(channel.name, view, now, isDigest: true)
        } else if !isQuiet, let kind = kind(incident, channel, view, now) {
          if kind != .recovered || channel.sendsRecovered {
            decisions.append(Decision(channel: channel.name, kind: kind, incidents: [incident.id]))
          }
          incident.note(channel.name, view, now, isDigest: false)
        }
        incidents[place].told = incident.told
      }
    }
    for channel in settings.channels {
      if let ids = digests[channel.name] {
        decisions.append(Decision(channel: channel.name, kind: .digest, incidents: ids))
      }
    }
    return decisions
  }

  /// Nil: nothing.
  private func kind(
    _ incident: Incident, _ channel: AlertChannel, _ view: ChannelView, _ now: Timestamp
  ) -> AlertMessage.Kind? {
    guard let told = incident.told[channel.name], !told.isDigest || (view.severity ?? .low) > .low else {
      // Something of it must be wrong still, for long enough to have gathered what belongs to it.
      guard incident.isOpen, view.isActive, let severity = view.severity, severity > .low else { return nil }
      return incident.opened.duration(to: now) >= settings.groupWait ? .opened : nil
    }
    if told.isOver || told.isDigest { return nil }
    if !incident.isOpen { return .recovered }
    guard view.isActive else { return nil }
    if let severity = view.severity, severity > told.severity || view.level > told.level { return .update }
    let rest = told.last.duration(to: now)
    if let keepAlive = channel.keepAlive, rest >= keepAlive { return .update }
    if incident.acknowledged != nil || !channel.updates { return nil }
    return rest >= settings.remind ? .update : nil
  }

  /// Whether the time of day of the digest lies between the last one and now. After a clock that was set far the next
  /// one is the next day's.
  private mutating func digestIsDue(_ now: Timestamp) -> Bool {
    defer { digestUpTo = now }
    let day: Int64 = 86_400
    let local = settings.zone.local(now)
    let midnight = local.seconds - local.timeOfDay  // bounded: a time of day
    return [midnight, midnight - day].contains { begin in  // bounded: one day
      // bounded: a time of day
      let moment = settings.zone.instant(LocalTime(seconds: begin + settings.digest))
      return moment > digestUpTo && moment <= now
    }
  }
}

/// An incident as one channel sees it.
private struct ChannelView {
  /// Of what is its business, muted or not; nil: nothing is.
  private(set) var severity: AlertSeverity?
  private(set) var level = 1
  /// Something is wrong that is not muted.
  private(set) var isActive = false
  /// It has something for a digest.
  private(set) var belongsInDigest = false

  init(_ incident: Incident, _ channel: AlertChannel, _ rules: [AlertRule], _ isMuted: (Trouble) -> Bool) {
    var isHeard = false
    for member in incident.members {
      let trouble = member.trouble
      guard trouble.severity >= channel.severity,
        rules.first(where: { ByteText($0.name) == trouble.key.rule }).map({
          $0.channels.isEmpty || $0.channels.contains(channel.name)
        }) ?? true
      else { continue }
      severity = max(severity ?? .low, trouble.severity)
      level = max(level, trouble.level)
      guard !isMuted(trouble) else { continue }
      isHeard = true
      if member.isActive { isActive = true }
    }
    guard isHeard, let severity else { return }
    let told = incident.told[channel.name]
    if let told {
      belongsInDigest = told.isDigest && !told.isOver && (!incident.isOpen || severity > .low)
      if severity > .low, incident.isOpen { belongsInDigest = false }
    } else {
      // Too short for a message is no news; what nobody heard because of the hour is.
      let lasted = incident.opened.duration(to: incident.quietSince ?? .init(microseconds: .max))
      belongsInDigest = severity == .low || (!incident.isOpen && lasted >= .seconds(60))
    }
  }
}

extension Incident {
  /// No channel will ever hear of it again.
  fileprivate func isSettled(_ channels: [String]) -> Bool {
    !isOpen && channels.allSatisfy { told[$0]?.isOver ?? false }
  }

  fileprivate mutating func note(_ channel: String, _ view: ChannelView, _ now: Timestamp, isDigest: Bool) {
    var entry =
      told[channel]
      ?? Told(first: now, last: now, severity: view.severity ?? .low, level: view.level)
    entry.last = now
    entry.severity = max(entry.severity, view.severity ?? .low)
    entry.level = max(entry.level, view.level)
    entry.isDigest = isDigest
    entry.isOver = !isOpen
    told[channel] = entry
  }
}
