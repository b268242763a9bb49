// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// As incidents are kept over restarts, and in a group's store.
extension Incident {
  package func write(to json: inout JSONWriter, now: ClockReading) {
    json.object { json in
      json.field("id", id.description)
      json.field("subject", subject.rawValue)
      json.field("begin", begin)
      json.field("opened", opened)
      json.age("opened_ago", openedAt, now: now)
      json.age("joined_ago", lastJoinedAt, now: now)
      json.fieldIfPresent("end", end)
      json.fieldIfPresent("quiet_since", quietSince)
      json.age("quiet_ago", quietAt, now: now)
      acknowledged?.write(to: &json)
      writeTaken(to: &json)
      if let opening {
        json.key("opening")
        json.object { opening.write(to: &$0) }
      }
      json.key("log")
      json.array { json in
        for (channel, record) in log.sorted(by: { $0.key < $1.key }) {
          json.object { record.write(channel, to: &$0, now: now) }
        }
      }
      json.key("sent")
      json.array { json in for sent in sent { sent.write(to: &json) } }
      if let dropped {
        json.field("sent_dropped", dropped.count)
        json.field("sent_dropped_until", dropped.until)
      }
      json.key("members")
      json.array { json in for member in members { member.write(to: &json, now: now) } }
    }
  }

  /// `nil` where it is none.
  init?(_ json: JSONValue, _ clock: SavedClock) {
    guard let id = json["id"]?.uniqueID,
      let subject = json["subject"]?.string.flatMap(AlertSubject.init), let begin = json.time("begin"),
      let opened = json.time("opened")
    else { return nil }
    let joined = clock.instant(json, "joined_ago")
    self.init(
      id: id, subject: subject, begin: begin, opened: opened,
      at: clock.instant(json, "opened_ago") ?? clock.present,
      lastJoinedAt: joined)
    restore((json["members"]?.array ?? []).compactMap { Member($0, clock) })
    (end, quietSince) = (json.time("end"), json.time("quiet_since"))
    quietAt = clock.instant(json, "quiet_ago")
    acknowledged = json["ack"].flatMap { Acknowledgement($0, of: members) }
    readTaken(json)
    opening = json["opening"].flatMap(Opening.init)
    for item in json["log"]?.array ?? [] {
      guard let channel = item["channel"]?.string, channel.utf8.count <= 100 else { continue }
      log[channel] = NotificationRecord(item, clock)
    }
    // As it was kept before there was a log.
    for item in json["told"]?.array ?? [] {
      guard let channel = item["channel"]?.string, log[channel] == nil else { continue }
      log[channel] = NotificationRecord(told: item, of: self, clock)
    }
    sent = (json["sent"]?.array ?? []).prefix(Self.keptSent).compactMap(SentNotification.init)
    if let until = json.time("sent_dropped_until"),
      let count = json["sent_dropped"]?.integer, (1...1_000_000).contains(count)
    {
      dropped = DroppedNotifications(count: Int(count), until: until)
    }
    // Nothing fires that could stop: it must end by itself.
    if end == nil, activeCount == 0 {
      (quietSince, quietAt) = (quietSince ?? opened, quietAt ?? clock.present)
    }
  }
}

extension SentNotification {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("at", at)
      json.field("channel", channel)
      json.field("kind", kind.rawValue)
      json.field("title", title)
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let at = json.time("at"), let channel = json["channel"]?.string,
      let kind = json["kind"]?.string.flatMap(AlertMessage.Kind.init), let title = json["title"]?.string
    else { return nil }
    self.init(
      at: at, channel: channel.printable(maxBytes: 100), kind: kind, title: title.printable(maxBytes: 1024))
  }
}

extension Trouble.Key {
  func write(to json: inout JSONWriter) {
    json.field("rule", rule.text)
    json.fieldIfPresent("check", check?.description)
    if !part.text.isEmpty { json.field("part", part.text) }
  }

  init?(_ json: JSONValue) {
    guard let rule = json["rule"]?.string else { return nil }
    self.init(
      rule: rule, check: json["check"]?.uniqueID, part: json["part"]?.string ?? "")
  }
}

extension Incident.Member {
  fileprivate func write(to json: inout JSONWriter, now: ClockReading) {
    json.object { json in
      trouble.write(to: &json)
      json.field("joined", joined)
      json.fieldIfPresent("left", left)
      json.age("left_ago", leftAt, now: now)
      json.age("rose_ago", roseAt, now: now)
      json.key("opens_ago")
      json.array { json in for instant in opens { json.number(instant.duration(to: now.boot).seconds) } }
      json.fieldIfPresent("end", end?.rawValue)
      json.fieldIfPresent("note", note)
      if openings > 1 || isFlapping {
        json.field("openings", openings)
        json.field("down_before_s", downBefore.seconds)
        json.field("flapping", isFlapping)
      }
    }
  }

  fileprivate init?(_ json: JSONValue, _ clock: SavedClock) {
    guard let trouble = Trouble(json), let joined = json.time("joined") else { return nil }
    self.init(trouble, joined: joined)
    (left, end) = (json.time("left"), json["end"]?.string.flatMap(TroubleEnd.init))
    if left != nil { leftAt = clock.instant(json, "left_ago") ?? clock.present }
    roseAt = clock.instant(json, "rose_ago")
    opens = (json["opens_ago"]?.array ?? []).prefix(FlapSettings.opens.upperBound).compactMap {
      clock.instant($0)
    }
    note = json["note"]?.string?.printable(maxBytes: CheckLimits.nameBytes)
    openings = max(1, json.small("openings") ?? 1)
    isFlapping = json["flapping"]?.bool ?? false
    if let down = json["down_before_s"]?.double, (0...1e9).contains(down) {
      downBefore = .microseconds(Int64(down * 1e6))
    }
  }
}

extension Trouble {
  func write(to json: inout JSONWriter) {
    key.write(to: &json)
    json.field("subject", subject.rawValue)
    json.field("severity", severity.rawValue)
    json.field("name", name)
    json.fieldIfPresent("target", target)
    json.fieldIfPresent("state", state?.rawValue)
    json.fieldIfPresent("reason", reason?.rawValue)
    json.fieldIfPresent("text", text)
    json.field("since", since)
    json.fieldIfPresent("last_good", lastGood)
    json.field("level", level)
    if pace > .zero { json.field("pace_s", pace.seconds) }
    json.fieldIfPresent("host", relation.host)
    json.fieldIfPresent("resource", relation.resource?.description)
    json.fieldIfPresent("network", relation.network)
  }

  init?(_ json: JSONValue) {
    guard let key = Key(json), let name = json["name"]?.string,
      let subject = json["subject"]?.string.flatMap(AlertSubject.init),
      let severity = json["severity"]?.string.flatMap(AlertSeverity.init), let since = json.time("since")
    else { return nil }
    self.init(
      key: key, subject: subject, severity: severity, name: name.printable(maxBytes: CheckLimits.nameBytes),
      target: json["target"]?.string?.printable(maxBytes: 512), since: since)
    state = json["state"]?.string.flatMap(CheckState.init)
    reason = json["reason"]?.string.flatMap(Reason.init)
    text = json["text"]?.string?.printable(maxBytes: 256)
    lastGood = json.time("last_good")
    level = json.small("level") ?? 1
    if let seconds = json["pace_s"]?.double, (0...1e6).contains(seconds) {
      pace = .microseconds(Int64(seconds * 1e6))
    }
    relation = Relation(
      host: json["host"]?.string, resource: json["resource"]?.uniqueID,
      network: json["network"]?.string)
  }
}

extension JSONValue {
  /// `nil` where it is none.
  func time(_ name: String) -> Timestamp? { self[name]?.timestamp }

  /// A count of few.
  func small(_ name: String) -> Int? {
    self[name]?.integer.flatMap { (0...1000).contains($0) ? Int($0) : nil }
  }
}
