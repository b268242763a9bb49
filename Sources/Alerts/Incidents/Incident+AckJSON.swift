// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension Incident.Acknowledgement {
  func write(to json: inout JSONWriter) {
    json.key("ack")
    json.object { json in
      json.field("at", at)
      json.field("by", by)
      json.fieldIfPresent("note", note)
      json.key("hands")
      json.array { json in hand?.write(to: &json) }
      if !earlier.isEmpty {
        json.key("earlier")
        json.array { json in for act in earlier { act.write(to: &json) } }
      }
      json.key("seen")
      json.array { json in
        for (key, severity) in seen.sorted(by: { $0.key < $1.key }) {
          json.object { json in
            key.write(to: &json)
            json.field("severity", severity.rawValue)
            json.fieldIfPresent("level", levels[key])
            if hand?.keys.contains(key) == true { json.field("hand", true) }
          }
        }
      }
    }
  }

  /// One that does not say what it saw is of before that was kept, and saw everything; one that does not say who made it is
  /// of before apps were heard, and was made at an agent.
  init?(_ json: JSONValue, of members: [Incident.Member]) {
    guard let at = json.time("at"), let by = json["by"]?.string else { return nil }
    let words = by.printable(maxBytes: AppAlerts.Acknowledgement.wordBytes)
    self.init(at: at, by: words, note: json["note"]?.string?.printable(maxBytes: 200))
    var keys: Set<Trouble.Key> = []
    if let list = json["seen"]?.array {
      for item in list {
        if let key = Trouble.Key(item), let severity = item["severity"]?.string.flatMap(AlertSeverity.init) {
          cover(key, severity, level: item.small("level") ?? 1)
          if item["hand"]?.bool == true { keys.insert(key) }
        }
      }
    } else {
      for trouble in members.map(\.trouble) { cover(trouble.key, trouble.severity, level: trouble.level) }
    }
    if let hands = json["hands"]?.array {
      if let hand = hands.first.flatMap({ Hand($0, keys: keys) }) { make(by: hand) }
    } else {
      make(by: Hand(at: at, by: self.by, note: note, keys: Set(seen.keys)))
    }
    keep((json["earlier"]?.array ?? []).prefix(Self.keptEarlier).compactMap(Act.init))
  }
}

extension Incident.Acknowledgement.Act {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("at", at)
      json.field("by", by)
      json.fieldIfPresent("note", note)
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let at = json.time("at"), let by = json["by"]?.string else { return nil }
    (self.at, self.by) = (at, by.printable(maxBytes: AppAlerts.Acknowledgement.wordBytes))
    note = json["note"]?.string?.printable(maxBytes: 200)
  }
}

extension Incident.Acknowledgement.Hand {
  fileprivate func write(to json: inout JSONWriter) {
    Incident.Acknowledgement.Act(at: at, by: by, note: note).write(to: &json)
  }

  fileprivate init?(_ json: JSONValue, keys: Set<Trouble.Key>) {
    guard let act = Incident.Acknowledgement.Act(json) else { return nil }
    self.init(at: act.at, by: act.by.printable(maxBytes: 80), note: act.note, keys: keys)
  }
}

extension Incident {
  func writeTaken(to json: inout JSONWriter) {
    guard !taken.isEmpty else { return }
    json.key("taken")
    json.array { json in
      for (key, at) in taken.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.field("check", key.check.description)
          json.field("kind", key.kind.rawValue)
          json.field("at", at)
        }
      }
    }
  }

  mutating func readTaken(_ json: JSONValue) {
    for item in json["taken"]?.array ?? [] {
      guard let check = item["check"]?.uniqueID,
        let kind = item["kind"]?.string.flatMap(AlertSubject.init), let at = item.time("at")
      else { continue }
      taken[AppAlerts.Key(check, kind)] = at
    }
  }
}
