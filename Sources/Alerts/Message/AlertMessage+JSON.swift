// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What a webhook is sent, and how messages are kept: docs/alert-message.schema.json describes it.
extension AlertMessage {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("version", 1)
      json.field("id", id.description)
      json.field("incident", incident.description)
      json.field("kind", kind.rawValue)
      json.field("severity", severity.rawValue)
      json.field("title", title)
      json.field("at", at)
      json.field("begin", begin)
      json.fieldIfPresent("end", end)
      json.field("agent", agent)
      json.fieldIfPresent("region", region)
      json.fieldIfPresent("page", pageURL)
      json.fieldIfPresent("cause", cause)
      json.fieldIfPresent("acknowledged_by", acknowledgedBy)
      json.field("member_count", memberCount)
      json.key("members")
      json.array { json in for member in members { member.write(to: &json) } }
      if kind == .digest {
        json.key("digest")
        json.array { json in for line in digest { line.write(to: &json) } }
      }
    }
  }

  /// Nil: it is none.
  package init?(_ json: JSONValue) {
    guard let id = json["id"]?.string.flatMap({ UniqueID($0) }),
      let incident = json["incident"]?.string.flatMap({ UniqueID($0) }),
      let kind = json["kind"]?.string.flatMap(Kind.init),
      let severity = json["severity"]?.string.flatMap(AlertSeverity.init), let title = json["title"]?.string,
      let at = json.time("at"), let begin = json.time("begin"), let agent = json["agent"]?.string
    else { return nil }
    self.init(
      id: id, incident: incident, kind: kind, severity: severity, title: title.printable(maxBytes: 1024),
      at: at,
      begin: begin, agent: agent.printable(maxBytes: 200))
    end = json.time("end")
    region = json["region"]?.string?.printable(maxBytes: 200)
    pageURL = json["page"]?.string?.printable(maxBytes: 2048)
    cause = json["cause"]?.string?.printable(maxBytes: CheckLimits.nameBytes)
    acknowledgedBy = json["acknowledged_by"]?.string?.printable(maxBytes: 80)
    members = (json["members"]?.array ?? []).prefix(Self.maxMembers).compactMap(Member.init)
    memberCount = Int(clamping: min(max(json["member_count"]?.integer ?? 0, 0), 1 << 40))
    digest = (json["digest"]?.array ?? []).prefix(100).compactMap(Line.init)
  }
}

extension AlertMessage.Member {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("check_id", checkID?.description)
      json.field("name", name)
      json.fieldIfPresent("target", target)
      json.field("rule", rule)
      json.field("severity", severity.rawValue)
      json.fieldIfPresent("state", state?.rawValue)
      json.fieldIfPresent("reason", reason?.rawValue)
      json.fieldIfPresent("text", text)
      json.fieldIfPresent("path", path)
      json.field("since", since)
      json.fieldIfPresent("until", until)
      json.key("recent")
      json.array { json in for run in recent { run.write(to: &json) } }
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, let rule = json["rule"]?.string,
      let severity = json["severity"]?.string.flatMap(AlertSeverity.init), let since = json.time("since")
    else { return nil }
    self.init(
      checkID: json["check_id"]?.string.flatMap { UniqueID($0) },
      name: name.printable(maxBytes: CheckLimits.nameBytes),
      target: json["target"]?.string?.printable(maxBytes: 512),
      rule: rule.printable(maxBytes: CheckLimits.nameBytes), severity: severity, since: since)
    state = json["state"]?.string.flatMap(CheckState.init)
    reason = json["reason"]?.string.flatMap(Reason.init)
    text = json["text"]?.string?.printable(maxBytes: 256)
    path = json["path"]?.string?.printable(maxBytes: 256)
    until = json.time("until")
    recent = (json["recent"]?.array ?? []).prefix(100).compactMap(Recent.init)
  }
}

extension AlertMessage.Member.Recent {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("at", at)
      json.field("state", state.rawValue)
      json.fieldIfPresent("response_time_ms", responseTime)
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let at = json.time("at"), let state = json["state"]?.string.flatMap(CheckState.init) else {
      return nil
    }
    let time = json["response_time_ms"]?.double.flatMap { $0 >= 0 && $0 < 1e9 ? $0 : nil }
    self.init(at: at, state: state, responseTime: time.map { .microseconds(Int64($0 * 1000)) })
  }
}

extension AlertMessage.Line {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("title", title)
      json.field("severity", severity.rawValue)
      json.field("begin", begin)
      json.fieldIfPresent("end", end)
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let title = json["title"]?.string, let begin = json.time("begin"),
      let severity = json["severity"]?.string.flatMap(AlertSeverity.init)
    else { return nil }
    self.init(
      title: title.printable(maxBytes: 1024), severity: severity, begin: begin, end: json.time("end"))
  }
}
