// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A group as its member sees it, in figures.
package struct GroupFigures: Hashable, Sendable {
  package var name: String
  package var members = 0
  /// Revision of the newest change of who has what; 0: the group was never reached.
  package var view: Int64 = 0
  /// Checks of the group.
  package var total = 0
  package var owned = 0
  /// Another member's by now, and run here until that one does.
  package var held = 0
  /// Run here because the store is away.
  package var standingIn = 0
  /// Since when the store is away; nil: it is not.
  package var alone: Timestamp?
  /// Checks that came from other members, since the start.
  package var takeovers = 0

  /// Members that run the checks of the group that this agent does not, by name.
  package var others: [Share] = []
  /// Some of these checks, in the order of the list.
  package var elsewhere: [Elsewhere] = []

  /// Of `elsewhere` at most.
  package static let mostElsewhere = 200

  /// Checks that one member runs and this agent does not.
  package struct Share: Hashable, Sendable {
    /// `nil` where no member is known to run them.
    package var member: String?
    package var checks: Int

    package init(member: String?, checks: Int) { (self.member, self.checks) = (member, checks) }
  }

  /// A check of the group that this agent does not run, and so knows no state of.
  package struct Elsewhere: Hashable, Sendable {
    package var id: UniqueID
    package var name: String
    /// `nil` where no member is known to run it.
    package var member: String?

    package init(id: UniqueID, name: String, member: String?) {
      (self.id, self.name, self.member) = (id, name, member)
    }
  }

  package init(name: String) { self.name = name }

  /// `5 by london-2, 3 by london-3`; nil: all are run here.
  package var othersText: String? {
    guard !others.isEmpty else { return nil }
    let named = others.prefix(5).map { share in
      let who = share.member.map { StatusFormat.name($0) } ?? "no known member"
      return "\(StatusFormat.grouped(share.checks)) by \(who)"
    }
    let rest = others.dropFirst(5).map(\.checks).reduce(0, +)
    return (named + (rest > 0 ? ["\(StatusFormat.grouped(rest)) by others"] : [])).joined(separator: ", ")
  }

  /// `5 members, view 812, 2,013 of 10,004 checks mine`
  package func words(now: Timestamp) -> String {
    var words = [
      view == 0
        ? alone == nil ? "not in it yet" : "not reached since the start"
        : "\(counted(members, "member")), view \(view)",
      "\(StatusFormat.grouped(owned)) of \(StatusFormat.grouped(total)) checks mine",
    ]
    if held > 0 { words.append("\(StatusFormat.grouped(held)) run until their new owner does") }
    if standingIn > 0 { words.append("\(StatusFormat.grouped(standingIn)) stood in for") }
    if let alone { words.append("alone for \(StatusFormat.age(alone, now: now))") }
    return words.joined(separator: ", ")
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.field("members", members)
      json.field("view", view)
      json.field("checks", total)
      json.field("owned", owned)
      json.field("held", held)
      json.field("standing_in", standingIn)
      json.fieldIfPresent("alone_since", alone)
      json.field("takeovers", takeovers)
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
