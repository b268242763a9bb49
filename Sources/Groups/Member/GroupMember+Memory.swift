// SPDX-License-Identifier: MIT

import Basics

// A start without the store: what the last view on the disk is good for.
extension GroupMember {
  /// Leases without the store after which a member that has only a memory runs everything: the members in the memory
  /// may never have come back. A member that has seen the group since its start goes on with its own and its standby's.
  static let patience = 60

  /// Before the first event.
  package mutating func recall(_ memory: GroupMemory) { self.memory = memory }

  /// Checks are placed by the memory, since the store has not been seen yet.
  var isRecalled: Bool { memory != nil && view == nil && alone != nil }

  /// The store has been silent for a lease, and there is only the memory. Our checks by the memory run, and their last
  /// slots at once: this process has just begun, and they may have passed without a run.
  mutating func placeByMemory() {
    guard isRecalled, let recalled, !postpones(recalled: recalled) else { return }
    placement.follow(recalled)
    let own = placement.place(settings.name)
    for position in gained.indices where placement.ownerPlace(position) == own && gained[position] == 0 {
      gained[position] = max(1, recalled.placed)
      taken.insert(placement.id(position))
    }
  }

  /// The weight is what the others remember of this member; what it may divide with whom is decided by what it has now.
  var recalled: GroupView? {
    var known = memory?.view
    known?.members[ByteText(settings.name)]?.card.pools = card.pools
    return known
  }

  /// The store has been read. Others may have had since then what the memory gave this member: it is its own as of now.
  mutating func forget(at now: ClockReading) {
    guard let memory, let view else { return }
    self.memory = nil
    for position in gained.indices where gained[position] > 0 { gained[position] = max(1, view.placed) }
    if let cluster, cluster != memory.cluster || view.revision < memory.view.placed {
      journal.note(now.wall, view.placed, .newWorld)
    }
  }

  /// The view to keep on disk. `nil` where none is known to hold now.
  package func remembered(root: String, at now: Timestamp) -> GroupMemory? {
    guard alone == nil, let view, let cluster else { return nil }
    switch stage {
    case .inside, .reading: break
    // Who leaves is not to come back to a group that it has left: the view before is what it had.
    default: return nil
    }
    guard let own = view.members[ByteText(settings.name)], own.card.weight > 0, own.card.boot == card.boot
    else { return nil }
    return GroupMemory(root: root, name: settings.name, cluster: cluster, view: view, at: now)
  }
}
