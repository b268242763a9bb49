// SPDX-License-Identifier: MIT

import Basics

/// The last view that a member had, as it is kept on its disk: for a start while the store is away.
///
/// It decides nothing while the store can be asked. A view of another group or name, one that is too old and one
/// without this member are ignored: then the member runs everything, as one that has never seen the group.
package struct GroupMemory: Hashable, Sendable {
  /// Where the group's keys are; see `EtcdKeys.root`.
  package var root: String
  /// The member's own name.
  package var name: String
  /// Which store it was.
  package var cluster: UInt64
  /// Only what placing needs: `applied` and `clock` are 0.
  package var view: GroupView
  /// When the view was last known to hold.
  package var at: Timestamp

  /// A longer file is none: some 300 bytes a member, and 1,200 more where it is without checks, for as many as are looked at.
  package static let mostBytes = 4 << 20
  /// An older one is not used: who was away for a day knows nothing of the group any more.
  static let mostAge: Duration = .seconds(86_400)
  /// A clock without a battery may start where it last stood.
  static let mostAhead: Duration = .seconds(3600)

  package init(root: String, name: String, cluster: UInt64, view: GroupView, at: Timestamp) {
    (self.root, self.name, self.cluster, self.at) = (root, name, cluster, at)
    self.view = GroupView()
    (self.view.revision, self.view.placed) = (view.placed, view.placed)
    for (key, member) in view.members {
      var card = member.card
      (card.applied, card.waits, card.clock) = (0, 0, 0)
      self.view.members[key] = GroupView.Member(card: card, revision: 0)
    }
  }

  /// Why it must not be used; nil: it may.
  package func objection(root: String, name: String, now: Timestamp) -> String? {
    guard self.root == root else { return "it is of another group, \(self.root.printable(maxBytes: 200))" }
    guard self.name == name else { return "it is of another member, \(self.name.printable(maxBytes: 100))" }
    guard let own = view.members[ByteText(name)], own.card.weight > 0 else {
      return "this member is not in it"
    }
    let age = at.duration(to: now)
    if age > Self.mostAge { return "it is older than a day" }
    if age < .zero - Self.mostAhead { return "it is of \(at), which is yet to come" }
    return nil
  }
}

extension GroupMemory {
  package var json: [UInt8] {
    var json = JSONWriter(reserving: 256 + min(view.members.count, StoreBounds.members) * 320)
    json.object { json in
      json.field("version", 1)
      json.field("root", root)
      json.field("member", name)
      json.field("cluster", String(cluster))
      json.field("view", view.placed)
      json.field("at", at)
      json.key("members")
      json.array { json in
        for name in view.names {
          guard let member = view.members[ByteText(name)] else { continue }
          json.object { json in
            json.field("name", name)
            json.key("card")
            member.card.write(to: &json)
          }
        }
      }
    }
    return json.bytes
  }

  /// `nil` for bytes that are no view.
  package init?(json bytes: [UInt8]) {
    guard bytes.count <= Self.mostBytes,
      let json = try? JSONValue.parse(bytes, maxDepth: StoreBounds.depth), json["version"]?.integer == 1,
      let root = json["root"]?.string, let name = json["member"]?.string,
      let cluster = json["cluster"]?.string.flatMap({ UInt64($0) }),
      let placed = json["view"]?.integer, placed > 0,
      let at = json["at"]?.timestamp,
      let rows = json["members"]?.array, rows.count <= StoreBounds.members
    else { return nil }
    var view = GroupView()
    view.placed = placed
    for row in rows {
      guard let name = row["name"]?.string, !name.isEmpty, name.utf8.count <= StoreBounds.name,
        let card = row["card"].flatMap({ MemberCard($0) })
      else { return nil }
      view.members[ByteText(name)] = GroupView.Member(card: card, revision: 0)
    }
    self.init(root: root, name: name, cluster: cluster, view: view, at: at)
  }
}
