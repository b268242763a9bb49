// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring

extension GroupStatus {
  /// `5 by london-2, 3 by london-3`; nil: all are run here.
  package var othersText: String? {
    guard !others.isEmpty else { return nil }
    let named = others.prefix(5).map { share in
      "\(StatusFormat.grouped(share.checks)) by \(Self.runner(share.member))"
    }
    let rest = others.dropFirst(5).map(\.checks).reduce(0, +)
    return (named + (rest > 0 ? ["\(StatusFormat.grouped(rest)) by others"] : [])).joined(separator: ", ")
  }

  /// Name of the member that runs a check.
  static func runner(_ member: String?) -> String {
    member.map { StatusFormat.name($0) } ?? "no known member"
  }

  /// `5 members, view 812, 2,013 of 10,004 checks mine`
  package func words(now: Timestamp) -> String {
    var words = [
      view == 0
        ? alone == nil ? "not in it yet" : "not reached since the start"
        : "\(counted(members.count, "member")), view \(view)",
      "\(StatusFormat.grouped(assignment.owned)) of \(StatusFormat.grouped(assignment.total)) checks mine",
    ]
    if assignment.held > 0 {
      words.append("\(StatusFormat.grouped(assignment.held)) run until their new owner does")
    }
    if assignment.standingIn > 0 {
      words.append("\(StatusFormat.grouped(assignment.standingIn)) stood in for")
    }
    if let alone { words.append("alone for \(StatusFormat.age(alone.since, now: now))") }
    return words.joined(separator: ", ")
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", group)
      json.field("members", members.count)
      json.field("view", view)
      json.field("checks", assignment.total)
      json.field("owned", assignment.owned)
      json.field("held", assignment.held)
      json.field("standing_in", assignment.standingIn)
      json.fieldIfPresent("alone_since", alone?.since)
      json.field("takeovers", journal.takeovers)
      json.key("others")
      json.array { json in
        for share in others {
          json.object { json in
            json.fieldIfPresent("member", share.member)
            json.field("checks", share.checks)
          }
        }
      }
      json.key("elsewhere")
      json.array { json in
        for check in elsewhere {
          json.object { json in
            json.field("id", check.id.description)
            json.field("name", check.name)
            json.fieldIfPresent("member", check.member)
          }
        }
      }
    }
  }
}
