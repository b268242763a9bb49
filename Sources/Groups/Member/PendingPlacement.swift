// SPDX-License-Identifier: MIT

import Basics

/// A change that takes effect once the placement is computed: a hash for each check and member may take a second, which
/// is too long under the member's lock. Until then nothing changes: running checks run on.
struct PendingPlacement: Hashable, Sendable {
  var number: Int
  /// To be entered.
  var reading: StoreReading?
  /// In place of those that there are.
  var checks: [Placement.GroupCheck]?
  /// The member's view is to be put into effect.
  var followsView = false
  /// The view that the disk remembers is to be.
  var recalls = false
  /// A thread is computing it.
  var isTaken = false
}

/// To be done on a thread of its own, and brought back with `GroupMember.finish`.
package struct PlacementJob: Sendable {
  fileprivate var number: Int
  fileprivate var placement: Placement
  fileprivate var checks: [Placement.GroupCheck]?
  fileprivate var view: GroupView?
  /// Of the new list, by the old view.
  fileprivate var listed: Placement?
  fileprivate var result: Placement?

  package mutating func run() {
    if let checks { placement.replace(checks) }
    listed = placement
    if let view { placement.follow(view) }
    result = placement
  }
}

extension GroupMember {
  var hasJob: Bool { pending.map { !$0.isTaken } ?? false }

  /// The placement to compute aside. `nil` where there is none, or it is being computed.
  package mutating func takeJob() -> PlacementJob? {
    guard let pending, !pending.isTaken else { return nil }
    self.pending?.isTaken = true
    let view =
      pending.reading.map { GroupView($0) }
      ?? (pending.followsView ? self.view : pending.recalls ? recalled : nil)
    return PlacementJob(number: pending.number, placement: placement, checks: pending.checks, view: view)
  }

  /// Applies a computed placement, unless it is not wanted any more.
  package mutating func finish(_ job: PlacementJob, at now: ClockReading) -> [Action] {
    var actions: [Action] = []
    guard let pending, pending.number == job.number, let listed = job.listed, let result = job.result else {
      return actions
    }
    self.pending = nil
    if let checks = pending.checks { install(listed, checks, &actions) }
    // Following the view again costs nothing then.
    if let reading = pending.reading {
      guard case .reading = stage else { return actions }
      enter(reading, placed: result, at: now, &actions)
    } else {
      placement = result
      if pending.followsView { effect(view?.revision ?? 0, at: now, &actions) }
      if pending.recalls {
        placeByMemory()
        actions.append(.arrange)
      }
      switch stage {
      case .inside, .leaving: startWatch(&actions)
      default: break
      }
    }
    advance(at: now, &actions)
    return actions
  }

  private mutating func pend(
    _ reading: StoreReading? = nil, _ checks: [Placement.GroupCheck]? = nil, followsView: Bool = false,
    recalls: Bool = false
  ) {
    numbers &+= 1
    pending = PendingPlacement(
      number: numbers, reading: reading, checks: checks, followsView: followsView, recalls: recalls)
    // What comes now comes again, after the revision that is waited for.
    watch &+= 1
    nextWatch = nil
  }

  mutating func postpones(_ reading: StoreReading) -> Bool {
    guard pending != nil || placement.cost(of: GroupView(reading)) > settings.atOnce else { return false }
    pend(reading, pending?.checks)
    return true
  }

  mutating func postpones(_ checks: [Placement.GroupCheck]) -> Bool {
    if let pending {
      let isKnown = pending.checks.map { $0 == checks } ?? placement.isOf(checks)
      if !isKnown { restartPending(with: checks) }
      return true
    }
    guard placement.cost(of: checks) > settings.atOnce else { return false }
    pend(nil, checks)
    return true
  }

  /// - Returns: whether the view as it is costs too much to be put into effect at once.
  mutating func postponesView(only name: ByteText?) -> Bool {
    guard let view, pending == nil, placement.cost(of: view, only: name) > settings.atOnce else {
      return false
    }
    pend(followsView: true)
    return true
  }

  /// Drops the computation for a view that is no longer ours; a list that waits is taken all the same.
  mutating func dropPendingView() {
    guard let old = pending else { return }
    pending = nil
    if let checks = old.checks { pend(nil, checks) }
  }

  /// - Returns: whether the view that the disk remembers costs too much to be put into effect at once.
  mutating func postpones(recalled: GroupView) -> Bool {
    // What the store says comes after it.
    if pending?.reading != nil { return true }
    guard pending != nil || placement.cost(of: recalled) > settings.atOnce else { return false }
    pend(nil, pending?.checks, recalls: true)
    return true
  }

  /// The input of the computation has changed.
  mutating func restartPending(with checks: [Placement.GroupCheck]? = nil) {
    guard let old = pending else { return }
    pend(old.reading, checks ?? old.checks, followsView: old.followsView, recalls: old.recalls)
  }
}
