// SPDX-License-Identifier: MIT

import Basics

/// Who is in the group, as of one revision of the store.
package struct GroupView: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var card: MemberCard
    /// Of its key.
    package var revision: Int64
    /// Its clock was so much ahead of ours when its card came; nil: it has not been compared.
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

  package init() {}

  /// What the range says.
  package init(_ reading: StoreReading) {
    revision = reading.revision
    placed = reading.revision
    for entry in reading.members.prefix(StoreBounds.members) { take(entry) }
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
    guard members[name] != nil || members.count < StoreBounds.members else { return }
    members[name] = Member(card: card, revision: entry.revision, ahead: ahead ?? members[name]?.ahead)
  }

  mutating func remove(_ name: String) {
    members[ByteText(name)] = nil
    garbled.remove(ByteText(name))
  }

  /// Names in the order of their bytes.
  package var names: [String] { members.keys.map(\.text).sorted() }

  /// Who does what the whole group does once, such as pulling the list: first and second by their claims to it.
  package func owners(of task: UniqueID, where isFit: (MemberCard) -> Bool) -> (
    first: String?, second: String?
  ) {
    var ranked: [(claim: Float, name: ByteText)] = []
    for (name, member) in members where member.card.weight > 0 && isFit(member.card) {
      let claim = Rendezvous.claim(task, seed: Rendezvous.seed(name.text), weight: member.card.weight)
      ranked.append((claim, name))
    }
    ranked.sort { $0.claim != $1.claim ? $0.claim > $1.claim : $0.name.text < $1.name.text }
    return (ranked.first?.name.text, ranked.dropFirst().first?.name.text)
  }
}

extension UniqueID {
  /// Pulls the list of checks for all.
  package static let listTask = UniqueID(high: 0x406c_6973_7400_0000, low: 1)
}
