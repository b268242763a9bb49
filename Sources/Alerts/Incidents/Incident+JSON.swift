// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// As incidents are kept over restarts.
extension Incident {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("id", id.description)
      json.field("subject", subject.rawValue)
      json.field("begin", begin)
      json.field("opened", opened)
      json.fieldIfPresent("end", end)
      json.fieldIfPresent("quiet_since", quietSince)
      if let acknowledged {
        json.key("ack")
        json.object { json in
          json.field("at", acknowledged.at)
          json.field("by", acknowledged.by)
          json.fieldIfPresent("note", acknowledged.note)
        }
      }
      json.key("told")
      json.array { json in
        for (channel, entry) in told.sorted(by: { $0.key < $1.key }) { entry.write(channel, to: &json) }
      }
      if !kept.isEmpty || isClosedElsewhere { writeShare(to: &json) }
      json.key("members")
      json.array { json in for member in members { member.write(to: &json) } }
    }
  }

  private func writeShare(to json: inout JSONWriter) {
    json.field("closed_elsewhere", isClosedElsewhere)
    json.key("kept")
    json.array { json in
      for (check, mark) in kept.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.field("check", check.description)
          json.field("world", String(mark.world))
          json.field("created", mark.created)
        }
      }
    }
  }

  private mutating func readShare(_ json: JSONValue) {
    isClosedElsewhere = json["closed_elsewhere"]?.bool ?? false
    for item in json["kept"]?.array ?? [] {
      if let check = item["check"]?.string.flatMap({ UniqueID($0) }),
        let world = item["world"]?.string.flatMap({ UInt64($0) }), let created = item["created"]?.integer
      {
        kept[check] = KeptMark(world: world, created: created)
      }
    }
  }

  package init?(_ json: JSONValue) {
    guard let id = json["id"]?.string.flatMap({ UniqueID($0) }),
      let subject = json["subject"]?.string.flatMap(AlertSubject.init), let begin = json.time("begin"),
      let opened = json.time("opened")
    else { return nil }
    self.init(id: id, subject: subject, begin: begin, opened: opened)
    restore((json["members"]?.array ?? []).compactMap(Member.init))
    (end, quietSince) = (json.time("end"), json.time("quiet_since"))
    if let ack = json["ack"], let at = ack.time("at"), let by = ack["by"]?.string {
      acknowledged = Acknowledgement(
        at: at, by: by.printable(maxBytes: 80), note: ack["note"]?.string?.printable(maxBytes: 200))
    }
    for item in json["told"]?.array ?? [] {
      if let channel = item["channel"]?.string, let entry = Told(item) { told[channel] = entry }
    }
    readShare(json)
    // Nobody is in it who could leave: it must end by itself.
    if end == nil, activeCount == 0, quietSince == nil { quietSince = opened }
  }
}

extension Told {
  fileprivate func write(_ channel: String, to json: inout JSONWriter) {
    json.object { json in
      json.field("channel", channel)
      json.field("first", first)
      json.field("last", last)
      json.field("severity", severity.rawValue)
      json.field("level", level)
      json.field("digest", isDigest)
      json.field("over", isOver)
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let first = json.time("first"), let last = json.time("last"),
      let severity = json["severity"]?.string.flatMap(AlertSeverity.init)
    else { return nil }
    self.init(first: first, last: last, severity: severity, level: json.small("level") ?? 1)
    (isDigest, isOver) = (json["digest"]?.bool ?? false, json["over"]?.bool ?? false)
  }
}

extension Incident.Member {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("rule", trouble.key.rule.text)
      json.fieldIfPresent("check", trouble.key.check?.description)
      if !trouble.key.part.text.isEmpty { json.field("part", trouble.key.part.text) }
      json.field("subject", trouble.subject.rawValue)
      json.field("severity", trouble.severity.rawValue)
      json.field("name", trouble.name)
      json.fieldIfPresent("target", trouble.target)
      json.fieldIfPresent("state", trouble.state?.rawValue)
      json.fieldIfPresent("reason", trouble.reason?.rawValue)
      json.fieldIfPresent("text", trouble.text)
      json.field("since", trouble.since)
      json.field("level", trouble.level)
      json.fieldIfPresent("host", trouble.relation.host)
      json.fieldIfPresent("resource", trouble.relation.resource?.description)
      json.fieldIfPresent("network", trouble.relation.network)
      json.field("joined", joined)
      json.fieldIfPresent("left", left)
      json.fieldIfPresent("end", end?.rawValue)
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let rule = json["rule"]?.string, let name = json["name"]?.string,
      let subject = json["subject"]?.string.flatMap(AlertSubject.init),
      let severity = json["severity"]?.string.flatMap(AlertSeverity.init), let since = json.time("since"),
      let joined = json.time("joined")
    else { return nil }
    let check = json["check"]?.string.flatMap { UniqueID($0) }
    let key = Trouble.Key(rule: rule, check: check, part: json["part"]?.string ?? "")
    var trouble = Trouble(
      key: key, subject: subject, severity: severity, name: name.printable(maxBytes: CheckLimits.nameBytes),
      target: json["target"]?.string?.printable(maxBytes: 512), since: since)
    trouble.state = json["state"]?.string.flatMap(CheckState.init)
    trouble.reason = json["reason"]?.string.flatMap(Reason.init)
    trouble.text = json["text"]?.string?.printable(maxBytes: 256)
    trouble.level = json.small("level") ?? 1
    trouble.relation = Trouble.Relation(
      host: json["host"]?.string, resource: json["resource"]?.string.flatMap { UniqueID($0) },
      network: json["network"]?.string)
    self.init(trouble, joined: joined)
    (left, end) = (json.time("left"), json["end"]?.string.flatMap(TroubleEnd.init))
  }
}

extension JSONValue {
  /// Nil where it is none.
  func time(_ name: String) -> Timestamp? { self[name]?.string.flatMap { Timestamp(rfc3339: $0) } }

  /// A count of few.
  func small(_ name: String) -> Int? {
    self[name]?.integer.flatMap { (0...1000).contains($0) ? Int($0) : nil }
  }
}
