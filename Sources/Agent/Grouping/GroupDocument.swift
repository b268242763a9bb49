// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring

extension GroupDesk {
  /// For the picture of everything.
  var status: GroupStatus {
    var status = runner.status
    let (shares, first) = runner.elsewhere(most: GroupStatus.mostElsewhere)
    status.others = shares.map { GroupStatus.Share(member: $0.owner, checks: $0.checks) }
      .sorted { ($0.member ?? "") < ($1.member ?? "") }
    guard !first.isEmpty else { return status }
    let wanted = Set(first.map(\.id))
    var names: [UniqueID: String] = [:]
    for check in shared where wanted.contains(check.id) { names[check.id] = check.name }
    status.elsewhere = first.map {
      GroupStatus.Elsewhere(id: $0.id, name: names[$0.id] ?? $0.id.description, member: $0.owner)
    }
    return status
  }
}

/// Content of `/api/v1/group`, which `quartz-agent group` prints.
struct GroupDocument: Sendable {
  let status: GroupStatus
  /// Name, id and owner of each check. `nil` where they are not requested.
  let checks: [GroupRunner.PlacedCheck]?
  let names: [UniqueID: String]
  let notices: [Notice]

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", status.group)
      json.field("member", status.name)
      json.field("inside", status.isInside)
      json.field("view", status.view)
      json.field("checks", status.assignment.total)
      json.field("owned", status.assignment.owned)
      json.field("held", status.assignment.held)
      json.field("standing_in", status.assignment.standingIn)
      json.fieldIfPresent("alone_since", status.alone?.since)
      json.fieldIfPresent("remembered_at", status.remembered)
      json.fieldIfPresent("notified_by", status.notifier)
      json.field("takeovers", status.journal.takeovers)
      json.key("members")
      json.array { json in for member in status.members { write(member, to: &json) } }
      json.key("moves")
      json.array { json in
        for entry in status.journal.entries {
          json.object { json in
            json.field("at", entry.at)
            json.field("view", entry.revision)
            json.field("what", entry.what.words)
          }
        }
      }
      json.key("problems")
      json.array { json in
        for notice in notices {
          json.object { json in
            json.field("what", notice.what)
            json.fieldIfPresent("hint", notice.hint)
            json.fieldIfPresent("since", notice.since)
            json.field("critical", notice.isCritical)
          }
        }
      }
      if let checks { write(checks, to: &json) }
    }
  }

  private func write(_ member: GroupStatus.Member, to json: inout JSONWriter) {
    json.object { json in
      json.field("name", member.name)
      json.field("self", member.isSelf)
      json.field("version", member.card.version)
      json.field("weight", member.card.weight)
      json.field("leaving", member.card.weight == 0)
      json.field("owns", member.owns)
      json.field("applied", member.card.applied)
      json.fieldIfPresent("clock_ahead_ms", member.ahead)
      json.field("apart", member.isApart)
      json.field("without", member.card.pools.without.count)
    }
  }

  private func write(_ checks: [GroupRunner.PlacedCheck], to json: inout JSONWriter) {
    json.key("placement")
    json.array { json in
      for check in checks {
        json.object { json in
          json.field("id", check.id.description)
          json.field("name", (names[check.id] ?? "").printable(maxBytes: 256))
          json.fieldIfPresent("owner", check.owner)
          json.fieldIfPresent("standby", check.standby)
          json.field("here", check.isHere)
        }
      }
    }
  }
}

extension GroupDesk {
  func document(withChecks: Bool) -> GroupDocument {
    let shared = shared
    return GroupDocument(
      status: runner.status, checks: withChecks ? runner.placed : nil,
      names: Dictionary(shared.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first }),
      notices: notices)
  }
}
