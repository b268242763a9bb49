// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The title of a notification of one incident: what is so now, and first what has changed.
struct DraftWords {
  private let draft: Draft
  private let now: Timestamp

  init(_ draft: Draft, now: Timestamp) { (self.draft, self.now) = (draft, now) }

  private var incident: Incident { draft.incident }
  private var firing: [Incident.Member] { draft.firing }

  var title: String {
    switch draft.trigger {
    case .opened, .reminder, .keepAlive: incident.firingTitle(firing)
    case .acknowledged:
      "acknowledged by \(incident.acknowledged?.by ?? "somebody"): \(incident.firingTitle(firing))"
    case .joined: "\(Self.list(fresh.map(\.trouble.name))) joined: \(incident.firingTitle(firing))"
    case .rose: "now \(draft.severity.rawValue): \(incident.firingTitle(fresh.isEmpty ? firing : fresh))"
    case .flapping: flapping
    case .rootRecovered: "\(over(recovered)); \(left)"
    case .belowSeverity:
      "\(recovered.isEmpty ? "" : over(recovered) + "; ")what is left is below the severity of this channel: "
        + Self.list(incident.members.filter(\.isActive).map(\.trouble.name))
    case .channelRemoved:
      "this channel is not configured any more"
        + (firing.isEmpty ? "" : "; the incident lasts: \(incident.firingTitle(firing))")
    case .resolved: resolved
    case .past: past
    }
  }

  /// As a line of a digest.
  var digestTitle: String {
    if draft.trigger == .past { return past }
    return incident.isOpen
      ? incident.firingTitle(firing.isEmpty ? draft.members : firing) : over(draft.members)
  }

  private var fresh: [Incident.Member] { firing.filter(draft.isNew) }

  /// Members that the channel takes for firing, and that do not.
  private var recovered: [Incident.Member] {
    draft.members.filter { member in
      !member.isActive && draft.record.heard.alerts[member.trouble.key].map { $0.end == nil } ?? false
    }
  }

  private func over(_ members: [Incident.Member]) -> String {
    Incident.overTitle(members.isEmpty ? draft.members : members, incident.subject)
  }

  private var left: String {
    let names = firing.map(\.trouble.name)
    let state = incident.subject == .availability ? "down" : "wrong"
    return names.count <= 3
      ? "still \(state): \(Self.list(names))" : "\(names.count) still \(state): \(Self.list(names))"
  }

  private var flapping: String {
    let member = firing.first(where: \.isFlapping) ?? firing.first
    let times = member.map { max($0.openings, $0.opens.count) } ?? 0
    return "\(member?.trouble.name ?? "") is flapping: opened \(times) times"
  }

  private var resolved: String {
    let end = incident.end ?? now
    if let member = draft.members.first(where: \.isFlapping) {
      let down = StatusFormat.span(member.down(until: end).microseconds)
      return
        "\(over(draft.members)): it was flapping, opened \(member.openings) times, down for \(down) in all"
    }
    return over(draft.members)
  }

  private var past: String {
    let end = incident.end ?? now
    let length = StatusFormat.span(incident.begin.duration(to: end).microseconds)
    let names = Self.list(draft.members.map(\.trouble.name))
    let be = Set(draft.members.map { ByteText($0.trouble.name) }).count > 1 ? "were" : "was"
    let what = incident.subject == .availability ? "down" : "in trouble"
    return "\(names) \(be) \(what) \(Self.clock(incident.begin)) to \(Self.clock(end)) UTC, \(length)"
  }

  private static func clock(_ instant: Timestamp) -> String {
    String(instant.rfc3339.dropFirst(11).prefix(5))
  }

  /// Three names, and how many more; each once.
  static func list(_ names: [String]) -> String {
    var seen: Set<ByteText> = []
    let names = names.filter { seen.insert(ByteText($0)).inserted }
    let rest = names.count - 3
    return names.prefix(3).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension Draft {
  /// The channel has not heard of it as it is.
  func isNew(_ member: Incident.Member) -> Bool {
    trigger != .opened && member.isActive && fresh.contains(member.trouble.key)
  }
}

extension Trouble.Relation {
  /// As people write it, such as `192.0.2.0/24`.
  var networkText: String? {
    guard let parts = network?.split(separator: ":", maxSplits: 1), parts.count == 2 else { return nil }
    let bytes = parts[1].split(separator: ".").compactMap { UInt8($0) }
    if parts[0] == "4" { return bytes.map { String($0) }.joined(separator: ".") + ".0/24" }
    let words = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
    }
    return words.joined(separator: ":") + "::/48"
  }
}

extension AlertSubject {
  /// What an incident about it is.
  var noun: String {
    switch self {
    case .availability: "outage"
    case .performance: "slow"
    case .certificate: "certificate"
    case .budget: "downtime"
    case .agent: "problem of the agent"
    }
  }
}
