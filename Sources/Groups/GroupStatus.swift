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

    package init(
      name: String, isSelf: Bool = false, card: MemberCard = MemberCard(), ahead: Duration? = nil,
      isApart: Bool = false, owns: Int = 0
    ) {
      (self.name, self.isSelf, self.card) = (name, isSelf, card)
      (self.ahead, self.isApart, self.owns) = (ahead, isApart, owns)
    }
  }

  package var group: String
  package var name: String
  /// By name.
  package var members: [Member] = []
  /// Revision of the view; 0: there is none.
  package var view: Int64 = 0
  package var isInside = false
  /// The members and the view are of the disk, as of then; nil: they are of the store.
  package var remembered: Timestamp?
  package var alone: GroupMember.Alone?
  /// Name of the member that makes the group's incidents and notifies about them.
  package var notifier: String?
  package var assignment: GroupAssignment
  package var journal: GroupJournal
  package var notices: [Notice] = []
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

  /// Prefix of all keys of the group, for operators who look there.
  private let root: String

  /// A group that was never reached.
  package init(_ group: String) {
    (self.group, name, root, assignment, journal) = (
      group, "", group + "/", GroupAssignment(total: 0), GroupJournal()
    )
  }

  /// - Parameter root: `GroupStore.root`; nil: the store has no keys.
  package init(_ member: GroupMember, group: String, root: String? = nil) {
    self.group = group
    self.root = (root ?? group + "/").printable(maxBytes: 200)  // bounded: a name of the configuration
    name = member.settings.name
    assignment = member.assignment
    journal = member.journal
    (alone, notifier) = (member.alone, member.notifier)
    switch member.stage {
    case .inside, .reading, .leaving: isInside = true
    default: isInside = false
    }
    var owned: [Int32: Int] = [:]
    for position in member.gained.indices {
      owned[member.placement.ownerPlace(position), default: 0] += 1
    }
    if member.isRecalled { remembered = member.memory?.at }
    if let view = member.view ?? (member.isRecalled ? member.memory?.view : nil) {
      self.view = view.placed
      for name in view.names {
        guard let other = view.members[ByteText(name)] else { continue }
        members.append(
          Member(
            name: name, isSelf: name == self.name, card: other.card,
            ahead: name == self.name ? nil : other.ahead,
            isApart: !other.card.pools.agrees(with: member.card.pools),
            owns: member.placement.place(name).flatMap { owned[$0] } ?? 0))
      }
    }
    notices = problems(garbled: member.view?.garbled ?? []) + odd(member)
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
      notices.append(Notice(.warning, .group, words(of: alone), since: alone.since))
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
          .group,
          "the store's key of the member \(name.printable(maxBytes: 100)) is not understood, or has no lease: it counts as none",
          hint:
            "unless a newer agent wrote it: etcdctl del \(root)m/\(name.printable(maxBytes: 100))"
        ))
    }
    return notices
  }

  private func words(of alone: GroupMember.Alone) -> String {
    let runs =
      alone.runsAll || members.isEmpty
      ? "this agent runs all of the group's checks"
      : alone.standsIn
        ? "this agent runs its own checks and those it is the standby of" : "this agent runs its own checks"
    guard remembered != nil || members.isEmpty else { return "the group is out of reach: \(runs)" }
    let what = "the group has not been reached since the start"
    guard let remembered else { return "\(what), and no view of before is kept: \(runs)" }
    return alone.runsAll
      ? "\(what), and who of its last view is there is not known: \(runs)"
      : "\(what): \(runs), by the view of \(remembered.rfc3339.prefix(19))Z"
  }

  /// Notices about other content of the store.
  private func odd(_ member: GroupMember) -> [Notice] {
    var notices: [Notice] = []
    if let strays = member.view?.strays, strays > 0 {
      notices.append(
        .warning(
          .group,
          "the store has \(counted(strays, "key")) below \(root)m/ that no agent wrote, or more than \(StoreBounds.members) members: what is too much is not looked at",
          hint: "look with etcdctl get --prefix --keys-only \(root)m/, and delete what no agent wrote"))
    }
    if member.headRevision > 0, member.head == nil {
      notices.append(
        .warning(
          .group, "the key \(root)c/head in the store is not understood: the list of before stays",
          hint:
            "the next pull puts the list there again; where none is pulled: etcdctl del \(root)c/head. See who else writes there"
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
    let unlike = members.filter { $0.card.alerts != own.card.alerts }
    if !unlike.isEmpty {
      let names = unlike.andMore(after: 3) { $0.name.printable(maxBytes: 60) }
      notices.append(
        .warning(
          .group,
          own.card.alerts
            ? "\(names) \(plural("has", unlike.count, "have")) no section alerts, and this agent has one: each runs all of the checks"
            : "this agent has no section alerts, and \(names) \(plural("has", unlike.count, "have")) one: each runs all of the checks",
          hint: "give all members of the group the same section alerts"))
    }
    for (word, path) in [
      ("shared checks of its file", \MemberCard.Pools.file),
      ("rules for the API's checks", \MemberCard.Pools.api),
    ] {
      let others = members.filter {
        $0.card.alerts == own.card.alerts && $0.card.pools[keyPath: path] != own.card.pools[keyPath: path]
      }
      guard !others.isEmpty else { continue }
      let names = others.andMore(after: 3) { $0.name.printable(maxBytes: 60) }
      notices.append(
        .warning(
          .group, "\(names) and this agent differ in the \(word): these are run by both",
          hint: "give all members of the group the same configuration"))
    }
    return notices
  }
}

extension Notice.Place {
  package static let group: Self = "group"
}
