// SPDX-License-Identifier: MIT

import Basics

// Which checks are run, and as whose.
extension GroupMember {
  /// Another list. Checks in both stay with their owners; new ones had no owner, so they have no slot to catch up with.
  mutating func replace(_ checks: [Placement.GroupCheck], _ actions: inout [Action]) {
    guard !postpones(checks), !placement.isOf(checks) else { return }
    var fresh = placement
    fresh.replace(checks)
    install(fresh, checks, &actions)
  }

  /// - Parameter fresh: the placement as it is, of the new list.
  mutating func install(_ fresh: Placement, _ checks: [Placement.GroupCheck], _ actions: inout [Action]) {
    var before: [Placement.GroupCheck: (gained: Int64, held: Held?)] = [:]
    for position in gained.indices where gained[position] > 0 || held[position] != nil {
      before[placement.check(position)] = (gained[position], held[position])
    }
    placement = fresh
    gained = GainTable(count: checks.count)
    held = [:]
    let own = placement.place(settings.name)
    for (position, check) in checks.enumerated() {
      let old = before[check]
      if let own, placement.ownerPlace(position) == own {
        let known = old?.gained ?? 0
        let placed = view?.placed ?? memory?.view.placed ?? 1
        gained[position] = known > 0 ? known : max(1, placed)
      } else if let kept = old?.held {
        held[position] = kept
      }
    }
    taken.formIntersection(checks.map(\.id))
    orphaned = orphaned.filter { taken.contains($0.key) }
    actions.append(.arrange)
  }

  /// Our file or our rules are others than before, and with them who may divide checks with us.
  mutating func change(_ pools: MemberCard.Pools, at now: ClockReading) {
    guard pools != card.pools else { return }
    card.pools = pools
    placement.ownPools = pools
    restartPending()
    placeByMemory()
    owesPut = true
    nextPut = now.boot
  }

  /// Whether it has no part in the group, and no view of it that can be relied on: then it is on its own, and runs all.
  var isBlind: Bool { view == nil && alone != nil && (memory == nil || alone?.runsAll == true) }

  /// False: who has what is not known yet, for this process has just begun.
  package var isPlaced: Bool { view != nil || alone != nil }

  var runsAny: Bool { !gained.isEmpty }

  /// The checks to run now.
  package var assignment: GroupAssignment {
    var assignment = GroupAssignment(total: placement.count)
    let own = placement.place(settings.name)
    let standsIn = alone?.standsIn == true
    for position in gained.indices {
      if gained[position] > 0 {
        assignment.owned += 1
        assignment.revisions[placement.id(position)] = gained[position]
      } else if held[position] != nil {
        assignment.held += 1
        assignment.revisions[placement.id(position)] = 0
      } else if isBlind || (standsIn && own != nil && placement.standbyPlace(position) == own) {
        assignment.standingIn += 1
        assignment.revisions[placement.id(position)] = 0
      }
    }
    return assignment
  }

  /// The checks to run now; those of them whose last slots are to be run, once; and those of dead members (see
  /// `takeOrphaned`): of one moment, for a check that is taken after a look at the one would be lost for the other.
  package mutating func takeArrangement(
    at now: Instant
  ) -> (assignment: GroupAssignment, taken: Set<UniqueID>, orphaned: [UniqueID: Duration]) {
    let here = assignment
    return (here, takeTaken().filter { here.revisions[$0] != nil }, takeOrphaned(at: now))
  }

  /// The checks whose last slots are to be run, once.
  package mutating func takeTaken() -> Set<UniqueID> {
    defer { taken = [] }
    return taken
  }

  /// Of the checks that were taken, those whose owner has died, and for how long they may not have run.
  package mutating func takeOrphaned(at now: Instant) -> [UniqueID: Duration] {
    defer { orphaned = [:] }
    return orphaned.mapValues { $0.duration(to: now) }
  }

  /// Whether this member does what the group does once. Alone, as with a check: by the last view.
  package func does(_ task: UniqueID, where isFit: (MemberCard) -> Bool) -> Bool {
    isBlind || isOwner(knownView?.owners(of: task) { isFit($0) && $0.pools.api == card.pools.api })
  }

  /// Whether this member makes the group's incidents and notifies about them. There is one in the group, also where members have
  /// different lists.
  package var notifies: Bool { isBlind || isOwner(notifiers) }

  /// Name of the member that does.
  package var notifier: String? { notifiers?.first }

  /// Other members that have other checks, or other rules for them.
  var apart: [ByteText: GroupView.Member] {
    let own = ByteText(settings.name)
    return (knownView?.members ?? [:]).filter { $0 != own && !$1.card.pools.agrees(with: card.pools) }
  }

  private var notifiers: GroupView.Owners? { knownView?.owners(of: .alertsTask) { _ in true } }

  private var knownView: GroupView? { view ?? (isRecalled ? memory?.view : nil) }

  private func isOwner(_ owners: GroupView.Owners?) -> Bool {
    guard let owners else { return false }
    return owners.first == settings.name || alone?.standsIn == true && owners.second == settings.name
  }
}

/// The checks that a member runs of its group's.
package struct GroupAssignment: Hashable, Sendable {
  /// Of the group.
  package var total: Int
  package var owned = 0
  /// Another's by now, and run until that one does.
  package var held = 0
  /// Run because the store is away.
  package var standingIn = 0
  /// The revision that made each ours; 0 for a check that is not ours and is run so that no run is missed.
  package var revisions: [UniqueID: Int64] = [:]

  package init(total: Int) { self.total = total }
}
