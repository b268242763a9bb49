// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A group as one of its members sees it.
package struct GroupStatus: Sendable {
  package struct Member: Hashable, Sendable {
    package var name: String
    package var isSelf: Bool
    package var card: MemberCard
    /// Its clock against ours; nil: not compared yet, or it is ours.
    package var ahead: Duration?
    /// Its file or its rules for the API's checks are not ours.
    package var isApart: Bool
    /// Checks of ours that are its.
    package var owns = 0
  }

  package var group: String
  package var name: String
  /// By name.
  package var members: [Member] = []
  /// Revision of the view; 0: there is none.
  package var view: Int64 = 0
  package var isInside = false
  package var alone: GroupMember.Alone?
  package var assignment: GroupAssignment
  package var journal: GroupJournal
  package var notices: [Notice] = []

  init(_ member: GroupMember, group: String, now: ClockReading) {
    self.group = group
    name = member.settings.name
    assignment = member.assignment
    journal = member.journal
    alone = member.alone
    switch member.stage {
    case .inside, .reading, .leaving: isInside = true
    default: isInside = false
    }
    var owned: [Int32: Int] = [:]
    for position in member.placement.checks.indices {
      owned[member.placement.ownerPlace(position), default: 0] += 1
    }
    if let view = member.view {
      self.view = view.placed
      for name in view.names {
        guard let other = view.members[ByteText(name)] else { continue }
        members.append(
          Member(
            name: name, isSelf: name == self.name, card: other.card,
            ahead: name == self.name ? nil : other.ahead, isApart: other.card.pools != member.card.pools,
            owns: member.placement.place(name).flatMap { owned[$0] } ?? 0))
      }
    }
    notices = problems(garbled: member.view?.garbled ?? [])
  }
}

// What is not as it should be, and what to do.
extension GroupStatus {
  private func problems(garbled: Set<ByteText>) -> [Notice] {
    var notices: [Notice] = []
    if let trouble = journal.trouble {
      let words = "the group's store: \(trouble.what.words)"
      notices.append(Notice(.warning, .group, words, hint: trouble.what.hint, since: trouble.since))
    }
    if let alone {
      let what =
        members.isEmpty
        ? "the group has never been reached: this agent runs all of its checks"
        : alone.standsIn
          ? "the group is out of reach: this agent runs its own checks and those it is the standby of"
          : "the group is out of reach: this agent goes on with its own checks"
      notices.append(Notice(.warning, .group, what, since: alone.since))
    }
    if let rival = journal.rival {
      let version = rival.card.map { " (version \($0.version))" } ?? ""
      notices.append(
        Notice(
          .critical, .group,
          "another agent\(version) is in the group \(group.printable(maxBytes: 100)) as \(name)",
          hint:
            "give each agent an agent.name of its own; one that was copied with its state_dir is another too",
          since: rival.since))
    }
    notices += members.compactMap(clock)
    notices += pools
    for name in garbled.map(\.text).sorted().prefix(3) {
      notices.append(
        .warning(
          .group, "what the store says of the member \(name.printable(maxBytes: 100)) is not understood",
          hint:
            "delete the key below \(group.printable(maxBytes: 100))/m/ in etcd, unless a newer agent wrote it"
        ))
    }
    return notices
  }

  private func clock(_ member: Member) -> Notice? {
    guard let ahead = member.ahead, ahead > .seconds(1) || ahead < .seconds(-1) else { return nil }
    let span = Duration.microseconds(
      ahead.microseconds.magnitude > 1 << 60 ? 1 << 60 : abs(ahead.microseconds))
    let words = ahead > .zero ? "ahead of" : "behind"
    return .warning(
      .group,
      "the clock of \(member.name.printable(maxBytes: 100)) is \(Int(span.seconds.rounded())) s \(words) this machine's",
      hint:
        "let both machines keep time (chronyc tracking): their slots are as far apart, and results may be doubled"
    )
  }

  /// Members that differ divide nothing with us.
  private var pools: [Notice] {
    guard let own = members.first(where: \.isSelf) else { return [] }
    var notices: [Notice] = []
    for (word, path) in [
      ("shared checks of its file", \MemberCard.Pools.file),
      ("rules for the API's checks", \MemberCard.Pools.api),
    ] {
      let others = members.filter { $0.card.pools[keyPath: path] != own.card.pools[keyPath: path] }
      guard !others.isEmpty else { continue }
      let names = others.prefix(3).map { $0.name.printable(maxBytes: 60) }.joined(separator: ", ")
      let more = others.count > 3 ? " and \(others.count - 3) more" : ""
      notices.append(
        .warning(
          .group, "\(names)\(more) and this agent differ in the \(word): these are run by both",
          hint: "give all members of the group the same configuration"))
    }
    return notices
  }
}

extension Notice.Place {
  package static let group: Self = "group"
}
