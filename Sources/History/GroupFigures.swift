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

  package init(name: String) { self.name = name }

  /// `5 members, view 812, 2,013 of 10,004 checks mine`
  package func words(now: Timestamp) -> String {
    var words = [
      view == 0 ? "not reached yet" : "\(members) \(members == 1 ? "member" : "members"), view \(view)",
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
    }
  }
}
