// SPDX-License-Identifier: MIT

import Basics

/// Members of the group, as of one revision of the store.
package struct GroupView: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var card: MemberCard
    /// Of its key.
    package var revision: Int64
    /// Its clock was so much ahead of ours when its card came; `nil` when it has not been compared.
    package var ahead: Duration?

    package init(card: MemberCard, revision: Int64, ahead: Duration? = nil) {
      (self.card, self.revision, self.ahead) = (card, revision, ahead)
    }
  }

  /// By name.
  package var members: [ByteText: Member] = [:]
  /// Everything up to this revision is in it.
  package var revision: Int64 = 0
  /// Of the newest change that may have moved a check.
  package var placed: Int64 = 0
  /// Names under `m/` that say nothing that can be used, and so have nothing.
  package var garbled: Set<ByteText> = []
  /// Keys below `m/` that are not looked at: no agent could have them, or there are more than `StoreBounds.members`.
  package var strays = 0

  /// Number of all keys below `m/`.
  // bounded: lists in memory
  var counted: Int { members.count + garbled.count + strays }

  package init() {}

  /// The view that a range of the store gives.
  package init(_ reading: StoreReading) {
    revision = reading.revision
    placed = reading.revision
    strays = reading.strays + max(0, reading.members.count - StoreBounds.members)  // bounded: lists in memory
    for entry in reading.members.prefix(StoreBounds.members) { take(entry) }
  }

  /// Whether by the other one each check is placed as by this one, and no member in it has restarted.
  func isPlaced(like other: GroupView) -> Bool {
    members.count == other.members.count
      && members.allSatisfy { name, member in
        other.members[name].map { $0.card.isPlaced(like: member.card) } ?? false
      }
  }

  /// A key of `m/` has a new value.
  mutating func take(_ entry: StoreReading.Entry, ahead: Duration? = nil) {
    let name = ByteText(entry.name)
    guard let card = entry.card else {
      garbled.insert(name)
      // What it said before holds no more: it may have left half of itself behind.
      members[name] = nil
      return
    }
    garbled.remove(name)
    guard members[name] != nil || members.count < StoreBounds.members else {
      strays = strays.bounded(plus: 1)
      return
    }
    members[name] = Member(card: card, revision: entry.revision, ahead: ahead ?? members[name]?.ahead)
  }

  /// So many more keys that are not looked at.
  mutating func take(strays added: Int) { strays = max(0, strays.bounded(plus: added)) }

  mutating func remove(_ name: String) {
    let key = ByteText(name)
    if members[key] == nil && !garbled.contains(key) { take(strays: -1) }
    members[key] = nil
    garbled.remove(key)
  }

  /// Names in the order of their bytes.
  package var names: [String] { members.keys.map(\.text).sorted() }

  package typealias Owners = (first: String?, second: String?)

  /// Members for a task that the whole group does once, such as pulling the list: first and second by their claims to
  /// it. A member that has all of the group's checks comes before those that are without some; for alerts those that have any come
  /// first of all.
  package func owners(of task: UniqueID, where isFit: (MemberCard) -> Bool) -> Owners {
    var ranked: [(isFirst: Bool, isWhole: Bool, claim: Float, name: ByteText)] = []
    for (name, member) in members where member.card.weight > 0 && isFit(member.card) {
      let claim = Rendezvous.claim(task, seed: Rendezvous.seed(name.text), weight: member.card.weight)
      let isFirst = task == .alertsTask && member.card.alerts
      ranked.append((isFirst, member.card.pools.without.isEmpty, claim, name))
    }
    ranked.sort {
      if $0.isFirst != $1.isFirst { return $0.isFirst }
      if $0.isWhole != $1.isWhole { return $0.isWhole }
      return $0.claim != $1.claim ? $0.claim > $1.claim : $0.name.text < $1.name.text
    }
    return (ranked.first?.name.text, ranked.dropFirst().first?.name.text)
  }
}

extension UniqueID {
  /// Pulls the list of checks for all.
  package static let listTask = UniqueID(high: 0x406c_6973_7400_0000, low: 1)
  /// Ends incidents without a member, and writes the status of resources: `@alerts`.
  package static let alertsTask = UniqueID(high: 0x4061_6c65_7274_7300, low: 1)
}
