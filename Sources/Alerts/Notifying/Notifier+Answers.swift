// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What receivers answered.
extension Notifier {
  /// - Parameter title: of the message, for the incident's history.
  /// - Returns: the outcome for all recipients, where this was an attempt for some of them.
  @discardableResult mutating func finish(
    _ notification: Notification, _ outcome: SendOutcome, title: String, _ book: inout IncidentBook,
    at now: ClockReading
  ) -> SendOutcome {
    guard let notification = current(notification) else { return outcome }
    let channel = notification.channel.name
    let outcome = outcome.joined(to: sending(notification, book))
    states[channel]?.sending = nil
    switch outcome {
    case .delivered, .deliveredBut:
      states[channel]?.succeed()
      var missing: String?
      if case .deliveredBut(let words) = outcome { missing = words }
      states[channel]?.problem = missing
      states[channel]?.delivered[notification.kind, default: 0] += 1  // bounded: counts of what happened
      deliver(notification, title, missing, &book, now)
    case .failed(let words, _, _) where isForRest(notification, book):
      // What it says of recipients that are left says nothing about the others of the channel.
      states[channel]?.problem = words
      change(notification, &book) { $0.postpone(at: now.boot) }
    case .failed(let words, let retryAfter, let isUnreachable):
      states[channel]?.fail(
        words, retryAfter: retryAfter, isUnreachable: isUnreachable, id: notification.id, at: now.boot)
      // Other incidents are tried before it: the receiver may fail because of it.
      if !isUnreachable, notification.form == .incident { change(notification, &book) { $0.fail() } }
    case .partly(let words, let remaining, let refused, let isTaken):
      // A recipient took it, so the server works: other notifications do not wait for the recipients that are left.
      if isTaken {
        states[channel]?.succeed()
        states[channel]?.problem = words
      } else {
        states[channel]?.fail(
          words, retryAfter: nil, isUnreachable: false, id: notification.id, at: now.boot)
      }
      change(notification, &book) { sending in
        (sending.recipients, sending.refused, sending.isTaken) = (remaining, refused, isTaken)
        if isTaken { sending.postpone(at: now.boot) }
      }
    case .refused(let words):
      states[channel]?.problem = words
      refuse(notification, words, &book, now)
    }
    return outcome
  }

  /// Whether a mail was an attempt for recipients that are left, as others have it.
  private func isForRest(_ notification: Notification, _ book: IncidentBook) -> Bool {
    sending(notification, book).map { $0.recipients != nil && $0.isTaken } ?? false
  }

  /// Changes the log's entries of a notification that is being sent.
  private mutating func change(
    _ notification: Notification, _ book: inout IncidentBook,
    _ edit: (inout NotificationRecord.Sending) -> Void
  ) {
    let channel = notification.channel.name
    for draft in notification.parts {
      book.update(draft.incident.id) { incident in
        if var sending = incident.log[channel]?.sending {
          edit(&sending)
          incident.log[channel]?.sending = sending
        }
      }
    }
    if case .storm(states[channel]?.storm?.id, _, _) = notification.form,
      var sending = states[channel]?.storm?.sending
    {
      edit(&sending)
      states[channel]?.storm?.sending = sending
    }
    if case .report(let schedule, let due) = notification.form,
      var sending = reports.sending(schedule.name, channel, due: due.at)
    {
      edit(&sending)
      reports.leave(schedule.name, channel, sending)
    }
  }

  /// The log's entry of a notification that is being sent.
  func sending(_ notification: Notification, _ book: IncidentBook) -> NotificationRecord.Sending? {
    let channel = notification.channel.name
    let known: NotificationRecord.Sending? =
      switch notification.form {
      case .storm: states[channel]?.storm?.sending
      case .report(let schedule, let due): reports.sending(schedule.name, channel, due: due.at)
      case .incident, .digest, .past:
        notification.parts.first.flatMap { book[$0.incident.id]?.log[channel]?.sending }
      }
    return known?.id == notification.id ? known : nil
  }

  private mutating func deliver(
    _ notification: Notification, _ title: String, _ missing: String?, _ book: inout IncidentBook,
    _ now: ClockReading
  ) {
    let channel = notification.channel.name
    var isStorm = false
    if case .storm = notification.form { isStorm = true }
    for draft in notification.parts {
      book.update(draft.incident.id) { incident in
        incident.log[channel, default: .init()].deliver(draft.heard, at: now, missing: missing)
        if !isStorm { incident.log[channel]?.storm = nil }
        guard draft.trigger != .keepAlive else { return }
        incident.note(.init(at: now.wall, channel: channel, kind: notification.kind, title: title))
      }
    }
    if notification.form == .digest { states[channel]?.isDigestDue = notification.rest > 0 }
    if case .report(let schedule, let due) = notification.form {
      reports.deliver(schedule.name, channel, due, at: now.wall, missing: missing)
    }
    if isStorm { advanceStorm(notification, &book, now) }
  }

  private mutating func advanceStorm(
    _ notification: Notification, _ book: inout IncidentBook, _ now: ClockReading
  ) {
    let name = notification.channel.name
    guard var storm = states[name]?.storm, case .storm(storm.id, _, _) = notification.form else { return }
    for draft in notification.parts { storm.heard[draft.incident.id] = !draft.incident.isOpen }
    (storm.last, storm.lastAt, storm.sending) = (now.wall, now.boot, nil)
    states[name]?.storm = notification.kind == .recovered ? nil : storm
    for draft in notification.parts {
      book.update(draft.incident.id) { incident in
        incident.log[name]?.storm = storm.id
        guard notification.kind == .recovered, incident.isOpen else { return }
        if notification.channel.keepsState {
          // Its receiver knows the storm alone: what still fires is opened there by itself.
          incident.log[name] = incident.log[name]?.successor
        } else if draft.incident.activeCount == 0 {
          // It is not among what is still down: the end of the storm is its end.
          incident.log[name]?.heard.isOver = true
        }
      }
    }
  }

  /// A notification that is refused with the channel's template is tried once more without it.
  private mutating func refuse(
    _ notification: Notification, _ words: String, _ book: inout IncidentBook, _ now: ClockReading
  ) {
    let channel = notification.channel
    // Of several incidents in one request each is sent alone before it counts as refused.
    let isShared = notification.form == .incident && notification.parts.count > 1
    let isLast = !isShared && (notification.isPlain || channel.template == AlertTemplate())
    if isLast {
      states[channel.name]?.failed[notification.kind, default: 0] += 1  // bounded: counts of what happened
    }
    for draft in notification.parts {
      book.update(draft.incident.id) { incident in
        incident.log[channel.name]?.refused = .init(heard: draft.heard, words: words, isPlain: isLast)
        incident.log[channel.name]?.sending = nil
      }
    }
    if notification.form == .digest, isLast {
      // What was refused before waits for the next digest.
      let isFirstTime = notification.parts.contains { $0.refusal == nil }
      states[channel.name]?.isDigestDue = isFirstTime && notification.rest > 0
    }
    if case .report(let schedule, let due) = notification.form {
      reports.refuse(schedule.name, channel.name, due, words)
    }
    guard case .storm = notification.form, isLast else { return }
    // It is told of again when something of it has changed.
    states[channel.name]?.storm?.lastAt = now.boot
    states[channel.name]?.storm?.sending = nil
    for draft in notification.parts {
      states[channel.name]?.storm?.heard[draft.incident.id] = !draft.incident.isOpen
    }
  }
}

extension Draft {
  /// All of an incident, as a storm tells of it; `nil`: it is not the channel's business, and the channel has heard nothing
  /// of it.
  init?(
    whole incident: Incident, _ channel: AlertChannel, _ settings: AlertSettings, now: Instant? = nil,
    isLeaving: Bool = false
  ) {
    let record = incident.log[channel.name] ?? NotificationRecord()
    let members = incident.members.filter { member in
      Self.isRouted(member, to: channel, settings.rules, record)
        || isLeaving && record.heard.alerts[member.trouble.key] != nil
    }
    (self.incident, self.channel, self.members, self.record) = (incident, channel, members, record)
    let heard = record.heard
    let swings = Swings(incident, heard, settings.flap, at: now)
    self.swings = swings
    fresh = Set(
      members.lazy.filter { $0.isActive && Self.isNews($0, heard, swings) }.map(\.trouble.key))
    if isLeaving || members.isEmpty {
      guard record.mayBeKnown, !record.heard.isOver else { return nil }
      trigger = isLeaving ? .channelRemoved : .belowSeverity
    } else {
      let isKnown = !heard.isEmpty && !heard.isOver
      trigger = !incident.isOpen ? .resolved : isKnown ? .reminder : .opened
    }
  }

  /// The channel is to hear nothing more of it.
  var isClosing: Bool { trigger == .channelRemoved || trigger == .belowSeverity }
}
