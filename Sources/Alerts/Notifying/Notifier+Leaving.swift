// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Incidents that a receiver takes for open, as no notification reaches it any more.
package struct LeftOpenNote: Hashable, Sendable {
  /// Its name in the notification log.
  package var channel: String
  /// Where to, without secrets; empty where it is not known any more.
  package var target: String
  package var incidents: [UniqueID]
}

// Channels whose receiver is not configured any more.
extension Notifier {
  /// Longest attempt to send a receiver that is not configured any more the end of what it was sent.
  static let longestEnding: Duration = .seconds(3600)

  func moves(to settings: AlertSettings, _ book: IncidentBook) -> ChannelMoves {
    ChannelMoves(
      channels.map { FormerChannel($0) }, to: settings, taken: book.channels.union(leaving.map(\.name)))
  }

  /// Takes over other settings: a receiver that is not configured any more gets the end of what it was sent first.
  mutating func apply(_ settings: AlertSettings, _ moves: ChannelMoves, now: ClockReading) {
    let (before, left) = (states, moves.left)
    states = [:]
    for channel in settings.channels where !left.contains(channel.name) {
      states[channel.name] = before[channel.name]
    }
    for (old, new) in moves.renames {
      states[new] = before[old]
      // The answer comes under the old name: it is sent once more.
      states[new]?.sending = nil
    }
    leaving = []
    for retired in moves.retired {
      guard let channel = retired.channel else { continue }
      leaving.append(channel)
      var state = before[retired.former.name] ?? ChannelState(digestUpTo: now.wall)
      if retired.isPart { state.sending = nil }
      state.leavingSince = state.leavingSince ?? now.boot
      states[channel.name] = state
    }
    for channel in settings.channels {
      states[channel.name, default: ChannelState(digestUpTo: now.wall)].leavingSince = nil
      if self.settings.channels.first(where: { $0.name == channel.name }) != channel {
        states[channel.name]?.retryAt = nil
      }
    }
    rests = [:]
    self.settings = settings
    reports.rename(moves.renames)
    reports.follow(settings.reports, now: now.wall)
  }

  /// The notification as one by the channel that now leads to its receiver; `nil`: it has another name meanwhile.
  func current(_ notification: Notification) -> Notification? {
    let own = notification.channel
    let channel =
      channels.first { $0.name == own.name && $0.isSame(as: own) }
      ?? leaving.first { state(of: $0.name).sending == notification.id }
    return channel.map { notification.by($0.name) }
  }

  /// Marks the channel as free where its notification is not sent after all.
  mutating func release(_ notification: Notification) {
    for name in states.keys where states[name]?.sending == notification.id { states[name]?.sending = nil }
  }

  /// Channels that are not configured any more go when they have had the end of all that they were sent, or when that has
  /// been tried for long enough.
  mutating func letGo(_ incidents: [Incident], _ book: inout IncidentBook, _ context: NotifyContext) {
    guard !leaving.isEmpty else { return }
    var staying: [AlertChannel] = []
    for channel in leaving {
      let state = state(of: channel.name)
      let owed = incidents.filter { Draft($0, channel, settings, isLeaving: true) != nil }
      let since = state.leavingSince ?? context.now.boot
      if state.isBusy || !owed.isEmpty && since + Self.longestEnding > context.now.boot {
        staying.append(channel)
      } else {
        // What another member of the group notifies of is not this one's to end.
        let own = owed.filter { context.heldByGroup($0) == nil }
        for incident in owed where context.heldByGroup(incident) != nil {
          book.update(incident.id) { $0.log[channel.name]?.heard.isOver = true }
        }
        leaveOpen(own.map(\.id), at: channel.name, channel.target, &book, context.now.wall)
      }
    }
    guard staying.count != leaving.count else { return }
    leaving = staying
    let names = Set(channels.map(\.name))
    states = states.filter { names.contains($0.key) }
    rests = rests.filter { names.contains($0.key) }
  }

  /// Notes that a receiver is not sent the end of these, under a name that no other channel gets.
  mutating func leaveOpen(
    _ incidents: [UniqueID], at channel: String, _ target: String, _ book: inout IncidentBook,
    _ now: Timestamp
  ) {
    guard !incidents.isEmpty else { return }
    let taken = book.channels.union(channels.map(\.name))
    let name = ChannelMoves.formerName(channel, taken: taken)
    for id in incidents {
      book.update(id) { incident in
        guard var record = incident.log.removeValue(forKey: channel) else { return }
        record.leftOpen = .init(target: target, at: now)
        record.sending = nil
        incident.log[name] = record
      }
    }
    leftOpen.append(LeftOpenNote(channel: name, target: target, incidents: incidents))
  }

  /// Channels of an earlier run: what their receivers were sent follows them, and what is owed to one that cannot be reached
  /// any more is left open.
  mutating func follow(_ moves: ChannelMoves, _ book: inout IncidentBook, now: ClockReading) {
    book.move(moves) { _ in true }
    for retired in moves.retired {
      if let channel = retired.channel {
        leaving.append(channel)
        states[channel.name] = ChannelState(digestUpTo: now.wall)
        states[channel.name]?.leavingSince = now.boot
      } else {
        let owed = book.all.filter { $0.log[retired.name]?.isOwedEnd ?? false }.map(\.id)
        leaveOpen(owed, at: retired.name, retired.former.receiver?.target ?? "", &book, now.wall)
      }
    }
  }
}

extension Notification {
  fileprivate func by(_ name: String) -> Notification {
    var renamed = self
    renamed.channel.name = name
    return renamed
  }
}

extension IncidentBook {
  /// Names of all channels in the notification log.
  var channels: Set<String> {  // own text: channels
    all.reduce(into: []) { $0.formUnion($1.log.keys) }
  }

  /// Moves the entries of receivers to the names that their channels have now.
  ///
  /// - Parameter isEnded: whether receivers that are not configured any more are sent the end by this agent.
  mutating func move(_ moves: ChannelMoves, isEnded: (Incident) -> Bool) {
    guard !moves.isEmpty else { return }
    for incident in all {
      let log = moves.apply(to: incident.log, withRetired: isEnded(incident))
      if log != incident.log { update(incident.id) { $0.log = log } }
    }
  }
}

extension ChannelMoves {
  fileprivate func apply(
    to log: [String: NotificationRecord], withRetired: Bool  // own text: channels
  ) -> [String: NotificationRecord] {  // own text: channels
    var moved = log
    for name in withRetired ? left : Set(renames.keys) { moved[name] = nil }
    for (old, new) in renames { moved[new] = log[old] }
    for retired in withRetired ? self.retired : [] {
      guard var record = log[retired.former.name] else { continue }
      if let twin = retired.twin, moved[twin]?.isOwedEnd ?? false { continue }
      if retired.isPart {
        guard record.isOwedEnd else { continue }
        record.sending = nil
      }
      moved[retired.name] = record
      // Members of a group take it for newer than the one of the old receiver.
      if moved[retired.former.name] == nil { moved[retired.former.name] = record.successor }
    }
    return moved
  }
}
