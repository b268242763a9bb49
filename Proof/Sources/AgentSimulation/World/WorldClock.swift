// SPDX-License-Identifier: MIT

import Basics
import CSimulation
import HeapModule

/// The one clock of a world, and everything that is to happen. Nothing takes time but what says so; whatever is due at
/// one instant happens in the order in which it was asked for.
///
/// No lock: the simulator has one thread.
final class WorldClock: @unchecked Sendable {
  private struct Event: Comparable {
    let at: Instant
    let order: UInt64
    let action: () -> Void

    static func < (left: Event, right: Event) -> Bool { (left.at, left.order) < (right.at, right.order) }
    static func == (left: Event, right: Event) -> Bool { left.order == right.order }
  }

  private var events = Heap<Event>()
  private var order: UInt64 = 0
  private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
  private(set) var steps: UInt64 = 0
  /// Steps of tasks at one instant; more than this and something goes round in circles.
  static let stepLimit: UInt64 = 2_000_000

  var pending: Int { events.count }

  func at(_ instant: Instant, _ action: @escaping () -> Void) {
    order += 1
    events.insert(Event(at: max(instant, now), order: order, action: action))
  }

  func after(_ delay: Duration, _ action: @escaping () -> Void) { at(now + delay, action) }

  /// The next event, with all that follows from it at once; false: there is none before the end.
  func advance(until end: Instant) -> Bool {
    guard let next = events.min, next.at <= end, let event = events.popMin() else {
      now = max(now, end)
      return false
    }
    now = event.at
    event.action()
    settle()
    return true
  }

  /// Lets every task run that can.
  func settle() {
    let taken = simulation_run_tasks(Self.stepLimit)
    steps += taken
    isStuck = isStuck || taken >= Self.stepLimit
  }

  /// Tasks went on and on without any time going by.
  private(set) var isStuck = false

  func clear() { events = Heap() }
}
