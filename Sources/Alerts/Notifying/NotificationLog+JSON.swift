// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// The notification log over a restart, and as a group's store keeps it.
extension NotificationRecord {
  func write(_ channel: String, to json: inout JSONWriter, now: ClockReading) {
    json.field("channel", channel)
    json.key("heard")
    json.object { heard.write(to: &$0) }
    json.fieldIfPresent("first", first)
    json.fieldIfPresent("last", last)
    json.age("last_ago", lastAt, now: now)
    json.field("deliveries", deliveries)
    if let leftOpen {
      json.key("left_open")
      json.object { json in
        json.field("target", leftOpen.target)
        json.field("at", leftOpen.at)
      }
    }
    json.fieldIfPresent("held", held?.rawValue)
    json.fieldIfPresent("storm", storm?.description)
    json.fieldIfPresent("missing", missing)
    if let sending {
      json.key("sending")
      json.object { sending.write(to: &$0) }
    }
    if let refused {
      json.key("refused")
      json.object { json in
        json.field("words", refused.words)
        json.field("plain", refused.isPlain)
        json.key("heard")
        json.object { refused.heard.write(to: &$0) }
      }
    }
  }

  init?(_ json: JSONValue, _ clock: SavedClock) {
    guard let heard = json["heard"].map(Heard.init) else { return nil }
    self.init()
    self.heard = heard
    (first, last, lastAt) = (json.time("first"), json.time("last"), clock.instant(json, "last_ago"))
    let count = json["deliveries"]?.integer.flatMap { (0...Self.most).contains($0) ? Int($0) : nil }
    deliveries = count ?? (first == nil ? 0 : 1)
    held = json["held"]?.string.flatMap(NotifyStage.init)
    if let left = json["left_open"], let at = left.time("at") {
      leftOpen = LeftOpen(target: (left["target"]?.string ?? "").printable(maxBytes: 256), at: at)
    }
    storm = json["storm"]?.uniqueID
    missing = json["missing"]?.string?.printable(maxBytes: SendOutcome.shown)
    sending = json["sending"].flatMap(Sending.init)
    if let refusal = json["refused"], let words = refusal["words"]?.string, let heard = refusal["heard"] {
      refused = Refusal(
        heard: Heard(heard), words: words.printable(maxBytes: SendOutcome.shown),
        isPlain: refusal["plain"]?.bool ?? false)
    }
  }

  /// Of an agent that kept only that a channel was told, and not of what: it was told of the incident as it is in the file.
  init?(told json: JSONValue, of incident: Incident, _ clock: SavedClock) {
    guard let first = json.time("first"), let last = json.time("last") else { return nil }
    self.init()
    (self.first, self.last, lastAt) = (first, last, clock.present)
    for member in incident.members {
      heard.alerts[member.trouble.key] = .init(
        severity: member.trouble.severity, level: member.trouble.level, end: member.end)
    }
    heard.root = Incident.root(of: incident.members.filter(\.isActive))?.trouble.key
    heard.isOver = json["over"]?.bool ?? false
    if heard.alerts.isEmpty { return nil }
  }
}

extension NotificationRecord.Sending {
  func write(to json: inout JSONWriter) {
    json.field("id", id.description)
    json.field("kind", kind.rawValue)
    json.key("heard")
    json.object { heard.write(to: &$0) }
    if let recipients {
      json.key("recipients")
      json.array { json in for recipient in recipients { json.string(recipient) } }
      json.field("taken", isTaken)
      json.fieldIfPresent("refused", refused)
    }
  }

  init?(_ json: JSONValue) {
    guard let id = json["id"]?.uniqueID,
      let kind = json["kind"]?.string.flatMap(AlertMessage.Kind.init), let heard = json["heard"]
    else { return nil }
    self.init(
      id: id, kind: kind, heard: Heard(heard),
      recipients: json["recipients"]?.array.map { $0.compactMap(\.string) })
    isTaken = json["taken"]?.bool ?? true
    refused = json["refused"]?.string?.printable(maxBytes: SendOutcome.shown)
  }
}

extension Heard {
  func write(to json: inout JSONWriter) {
    json.field("over", isOver)
    if isAcknowledged { json.field("acknowledged", true) }
    if isFlapping { json.field("flapping", true) }
    json.fieldIfPresent("opening", opening?.rawValue)
    if let root {
      json.key("root")
      json.object { root.write(to: &$0) }
    }
    json.key("alerts")
    json.array { json in
      for (key, alert) in alerts.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          key.write(to: &json)
          json.field("severity", alert.severity.rawValue)
          json.field("level", alert.level)
          json.fieldIfPresent("end", alert.end?.rawValue)
        }
      }
    }
  }

  init(_ json: JSONValue) {
    self.init()
    isOver = json["over"]?.bool ?? false
    isAcknowledged = json["acknowledged"]?.bool ?? false
    isFlapping = json["flapping"]?.bool ?? false
    opening = json["opening"]?.string.flatMap(AlertSeverity.init)
    root = json["root"].flatMap { Trouble.Key($0) }
    for item in json["alerts"]?.array ?? [] {
      guard let key = Trouble.Key(item), let severity = item["severity"]?.string.flatMap(AlertSeverity.init)
      else { continue }
      alerts[key] = Alert(
        severity: severity, level: item.small("level") ?? 1, end: item["end"]?.string.flatMap(TroubleEnd.init)
      )
    }
  }
}

extension Notifier {
  func write(to json: inout JSONWriter, now: ClockReading) {
    reports.write(to: &json)
    json.key("channels")
    json.array { json in
      for (name, state) in states.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.field("name", name)
          if let channel = channels.first(where: { $0.name == name }) { channel.receiver.write(to: &json) }
          json.field("digest_up_to", state.digestUpTo)
          json.field("digest_due", state.isDigestDue)
          json.field("quiet", state.wasQuiet)
          state.writeRetry(to: &json, now: now)
          if let storm = state.storm {
            json.key("storm")
            json.object { storm.write(to: &$0, now: now) }
          }
        }
      }
    }
  }

  /// - Parameters:
  ///   - moves: names of channels since: what another receiver was sent says nothing about the one of its name.
  ///   - book: notifications that an earlier version has on disk as not delivered: their incidents are sent again.
  mutating func restore(
    _ saved: JSONValue?, _ moves: ChannelMoves, _ clock: SavedClock, now: Timestamp,
    _ book: inout IncidentBook
  ) {
    reports = ReportLog(saved)
    reports.rename(moves.renames)
    reports.follow(settings.reports, now: now)
    let all = saved?.time("digest_up_to")
    if let all { for name in states.keys { states[name]?.digestUpTo = all } }
    let left = moves.left
    for item in saved?["channels"]?.array ?? [] {
      guard let known = item["name"]?.string else { continue }
      let name = moves.renames[known] ?? known
      guard name != known || !left.contains(known), var state = states[name] else { continue }
      state.digestUpTo = item.time("digest_up_to") ?? state.digestUpTo
      state.isDigestDue = item["digest_due"]?.bool ?? false
      state.wasQuiet = item["quiet"]?.bool ?? false
      state.storm = item["storm"].flatMap { Storm($0, clock) }
      state.readRetry(item, clock)
      states[name] = state
    }
    for item in saved?["outbox"]?.array ?? [] {
      guard let channel = item["channel"]?.string, let message = item["message"],
        let id = message["incident"]?.uniqueID,
        let kind = message["kind"]?.string.flatMap(AlertMessage.Kind.init)
      else { continue }
      book.update(id) { $0.log[channel]?.undo(kind) }
    }
  }
}

extension AlertChannel.Receiver {
  /// `FormerChannel` reads it.
  fileprivate func write(to json: inout JSONWriter) {
    json.field("receiver", digest)
    json.field("target", target)
    guard !recipients.isEmpty else { return }
    json.key("recipients")
    json.array { json in for recipient in recipients { json.string(recipient) } }
  }
}

extension NotificationRecord {
  /// A message of this kind never arrived.
  fileprivate mutating func undo(_ kind: AlertMessage.Kind) {
    if kind == .opened {
      heard = Heard()
      held = .retry
    } else {
      heard.isOver = false
    }
  }
}

extension Storm {
  func write(to json: inout JSONWriter, now: ClockReading) {
    json.field("id", id.description)
    json.field("begin", begin)
    json.age("began_ago", beganAt, now: now)
    json.fieldIfPresent("last", last)
    json.age("last_ago", lastAt, now: now)
    json.key("incidents")
    json.array { json in for id in incidents.sorted() { json.string(id.description) } }
    json.key("over")
    json.array { json in
      for (id, isOver) in heard.sorted(by: { $0.key < $1.key }) where isOver { json.string(id.description) }
    }
    if let sending {
      json.key("sending")
      json.object { sending.write(to: &$0) }
    }
  }

  init?(_ json: JSONValue, _ clock: SavedClock) {
    guard let id = json["id"]?.uniqueID, let begin = json.time("begin") else {
      return nil
    }
    self.init(id: id, begin: begin, at: clock.instant(json, "began_ago") ?? clock.present)
    func ids(_ name: String) -> [UniqueID] {
      (json[name]?.array ?? []).compactMap { $0.uniqueID }
    }
    incidents = Set(ids("incidents"))
    (last, lastAt) = (json.time("last"), clock.instant(json, "last_ago"))
    if lastAt != nil {
      for id in incidents { heard[id] = false }
      for id in ids("over") { heard[id] = true }
    }
    sending = json["sending"].flatMap(NotificationRecord.Sending.init)
  }
}
