// SPDX-License-Identifier: MIT

import Basics

// Which checks are run, and as whose.
extension GroupMember {
  /// Another list. What is in both stays with whom it was; what is new was nobody's, so it has no slot to catch up with.
  mutating func replace(_ checks: [Placement.GroupCheck], _ actions: inout [Action]) {
    guard checks != placement.checks else { return }
    var before: [Placement.GroupCheck: (gained: Int64, held: Held?)] = [:]
    for (position, check) in placement.checks.enumerated() {
      if gained[position] > 0 || held[position] != nil {
        before[check] = (gained[position], held[position])
      }
    }
    placement.replace(checks)
    gained = Array(repeating: 0, count: checks.count)
    held = [:]
    let own = placement.place(settings.name)
    for (position, check) in checks.enumerated() {
      let old = before[check]
      if let own, placement.ownerPlace(position) == own {
        let known = old?.gained ?? 0
        gained[position] = known > 0 ? known : max(1, view?.placed ?? 1)
      } else if let kept = old?.held {
        held[position] = kept
      }
    }
    taken.formIntersection(checks.map(\.id))
    actions.append(.arrange)
  }

  /// Our file or our rules are others than before, and with them who may divide checks with us.
  mutating func change(_ pools: MemberCard.Pools, at now: ClockReading, _ actions: inout [Action]) {
    guard pools != card.pools else { return }
    card.pools = pools
    if view?.members[ByteText(settings.name)] == nil { placement.pools = pools }
    owesPut = true
    nextPut = now.boot
  }

  /// Whether it has no part in the group, and no view of it: then it is on its own, and runs all.
  var isBlind: Bool { view == nil && alone != nil }

  var runsAny: Bool { gained.contains { $0 > 0 } }

  /// What to run now.
  package var assignment: GroupAssignment {
    var assignment = GroupAssignment(total: placement.checks.count)
    let own = placement.place(settings.name)
    let standsIn = alone?.standsIn == true
    for (position, check) in placement.checks.enumerated() {
      if gained[position] > 0 {
        assignment.owned += 1
        assignment.revisions[check.id] = gained[position]
      } else if held[position] != nil {
        assignment.held += 1
        assignment.revisions[check.id] = 0
      } else if isBlind || (standsIn && own != nil && placement.standbyPlace(position) == own) {
        assignment.standingIn += 1
        assignment.revisions[check.id] = 0
      }
    }
    return assignment
  }

  /// The checks whose last slots are to be run, once.
  package mutating func takeTaken() -> Set<UniqueID> {
    defer { taken = [] }
    return taken
  }

  /// Whether this member does what the group does once. Alone, as with a check: by the last view.
  package func does(_ task: UniqueID, where isFit: (MemberCard) -> Bool) -> Bool {
    guard let view else { return isBlind }
    let owners = view.owners(of: task) { isFit($0) && $0.pools.api == card.pools.api }
    if owners.first == settings.name { return true }
    return alone?.standsIn == true && owners.second == settings.name
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
  /// The revision that made each ours; 0: it is not ours, and is run so that somebody does.
  package var revisions: [UniqueID: Int64] = [:]

  package init(total: Int) { self.total = total }
}
