// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The notification log of reports: up to which one each channel has them, and the one on its way.
struct ReportLog: Hashable, Sendable {
  /// A report of the configuration and one of its channels.
  struct Key: Hashable, Comparable, Sendable {
    var report: String
    var channel: String

    static func < (left: Key, right: Key) -> Bool {
      (left.report, left.channel) < (right.report, right.channel)
    }
  }

  struct Entry: Hashable, Sendable {
    /// Reports that were due by then are done.
    var upTo: Timestamp
    /// Nothing was sent yet: `upTo` is when the report was first configured here.
    var isFirst = false
    /// The last one that was delivered, and when.
    var period: String?
    var delivered: Timestamp?
    /// Words of a receiver that refused the last one, or recipients that will never have it; `nil` when all is well.
    var problem: String?
    var isRefused = false
    /// The one that was written down before it was sent, and whose answer is not known yet; when it was due.
    var sending: NotificationRecord.Sending?
    var due: Timestamp?
  }

  private(set) var entries: [Key: Entry] = [:]

  /// A clock that was ahead by more than the longest period left a time behind that means nothing.
  private static let farthest: Duration = .seconds(32 * 86_400)

  subscript(report: String, channel: String) -> Entry? { entries[Key(report: report, channel: channel)] }

  /// Follows the configuration: a report or a channel that is new begins with what is due next.
  mutating func follow(_ schedules: [ReportSchedule], now: Timestamp) {
    var followed: [Key: Entry] = [:]
    for schedule in schedules {
      for channel in schedule.channels {
        let key = Key(report: schedule.name, channel: channel)
        var entry = entries[key] ?? Entry(upTo: Self.whole(now), isFirst: true)
        if entry.upTo > now.advanced(by: Self.farthest) { entry.upTo = Self.whole(now) }
        followed[key] = entry
      }
    }
    if followed != entries { entries = followed }
  }

  /// Takes the new names of channels over.
  mutating func rename(_ names: [String: String]) {  // own text: channels
    guard !names.isEmpty else { return }
    var renamed: [Key: Entry] = [:]
    for (key, entry) in entries {
      var key = key
      key.channel = names[key.channel] ?? key.channel
      renamed[key] = entry
    }
    entries = renamed
  }

  /// The report that a channel is owed; of several that were missed the last. `nil` where there is none.
  func owed(_ schedule: ReportSchedule, to channel: String, now: Timestamp) -> ReportSchedule.Due? {
    guard let entry = self[schedule.name, channel], let due = schedule.last(by: now), due.at > entry.upTo
    else { return nil }
    return due
  }

  /// The notification on its way for what is due then; `nil` where it is none of them.
  func sending(_ report: String, _ channel: String, due: Timestamp) -> NotificationRecord.Sending? {
    guard let entry = self[report, channel], entry.due == due else { return nil }
    return entry.sending
  }

  mutating func begin(
    _ report: String, _ channel: String, due: Timestamp, _ sending: NotificationRecord.Sending
  ) {
    change(report, channel) { ($0.sending, $0.due) = (sending, due) }
  }

  /// Some recipients of a mail do not have it yet.
  mutating func leave(_ report: String, _ channel: String, _ sending: NotificationRecord.Sending) {
    change(report, channel) { $0.sending = sending }
  }

  mutating func deliver(
    _ report: String, _ channel: String, _ due: ReportSchedule.Due, at now: Timestamp, missing: String?
  ) {
    end(report, channel, due) { entry in
      (entry.period, entry.delivered, entry.problem) = (due.period.text, Self.whole(now), missing)
      entry.isRefused = false
    }
  }

  mutating func refuse(_ report: String, _ channel: String, _ due: ReportSchedule.Due, _ words: String) {
    end(report, channel, due) { entry in
      (entry.problem, entry.isRefused) = (words.printable(maxBytes: SendOutcome.shown), true)
    }
  }

  private mutating func end(
    _ report: String, _ channel: String, _ due: ReportSchedule.Due, _ change: (inout Entry) -> Void
  ) {
    self.change(report, channel) { entry in
      (entry.upTo, entry.isFirst) = (max(due.at, entry.upTo), false)
      (entry.sending, entry.due) = (nil, nil)
      change(&entry)
    }
  }

  private mutating func change(_ report: String, _ channel: String, _ change: (inout Entry) -> Void) {
    let key = Key(report: report, channel: channel)
    // What is not configured any more is not in the log.
    guard var entry = entries[key] else { return }
    change(&entry)
    entries[key] = entry
  }

  /// Takes what another agent of the group wrote: what it sent is sent, and what it was sending goes on under that id.
  mutating func merge(_ report: String, _ other: [String: Entry]) {  // own text: channels
    for (channel, theirs) in other {
      let key = Key(report: report, channel: channel)
      guard let mine = entries[key] else { continue }
      if mine.isFirst || theirs.upTo > mine.upTo {
        entries[key] = theirs
      } else if theirs.upTo == mine.upTo, mine.sending == nil, theirs.sending != nil {
        entries[key] = theirs
      }
    }
  }

  /// Entries of one report, by channel.
  func channels(of report: String) -> [String: Entry] {  // own text: channels
    var found: [String: Entry] = [:]  // own text: channels
    for (key, entry) in entries where key.report == report { found[key.channel] = entry }
    return found
  }

  /// To the second, as it is kept.
  private static func whole(_ instant: Timestamp) -> Timestamp {
    Timestamp(seconds: floorDivide(instant.microseconds, 1_000_000).quotient)
  }
}

// Over a restart, and in a group's store.
extension ReportLog {
  func write(to json: inout JSONWriter) {
    json.key("reports")
    json.array { json in
      for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.field("report", key.report)
          entry.write(key.channel, to: &json)
        }
      }
    }
  }

  /// - Parameter saved: a state on disk; what is damaged in it is left out.
  init(_ saved: JSONValue?) {
    for item in (saved?["reports"]?.array ?? []).prefix(ReportSchedule.limit * AlertChannel.limit) {
      guard let report = item["report"]?.string, let (channel, entry) = Entry.read(item) else { continue }
      entries[Key(report: report, channel: channel)] = entry
    }
  }
}

extension ReportLog.Entry {
  /// Fields of an object that is open.
  func write(_ channel: String, to json: inout JSONWriter) {
    json.field("channel", channel)
    json.field("up_to", upTo)
    if isFirst { json.field("first", true) }
    json.fieldIfPresent("period", period)
    json.fieldIfPresent("delivered", delivered)
    json.fieldIfPresent("problem", problem)
    if isRefused { json.field("refused", true) }
    json.fieldIfPresent("due", due)
    if let sending {
      json.key("sending")
      json.object { sending.write(to: &$0) }
    }
  }

  static func read(_ json: JSONValue) -> (channel: String, entry: Self)? {
    guard let channel = json["channel"]?.string, let upTo = json.time("up_to") else { return nil }
    var entry = Self(upTo: upTo, isFirst: json["first"]?.bool ?? false)
    entry.period = json["period"]?.string?.printable(maxBytes: 16)
    entry.delivered = json.time("delivered")
    entry.problem = json["problem"]?.string?.printable(maxBytes: SendOutcome.shown)
    entry.isRefused = json["refused"]?.bool ?? false
    (entry.due, entry.sending) = (json.time("due"), json["sending"].flatMap(NotificationRecord.Sending.init))
    return (channel, entry)
  }
}
