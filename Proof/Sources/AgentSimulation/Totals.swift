// SPDX-License-Identifier: MIT

import Basics

/// A seed that can be lived through, of one agent or of several.
protocol SimulatedWorld: AnyObject {
  var diary: Diary { get }
  var figures: Simulation.Figures { get }
  var backend: Backend { get }
  var elapsed: Duration { get }
  /// Of all of its machines together.
  var agentTime: Duration { get }
  var processes: Int { get }
  /// Nil: every rule held.
  func run() -> Violation?
}

extension Simulation: SimulatedWorld {
  var agentTime: Duration { elapsed }
  var processes: Int { lives }
}

extension GroupSimulation: SimulatedWorld {
  var agentTime: Duration { elapsed * seats.count }
  var processes: Int { seats.reduce(0) { $0 + $1.lives } }
}

/// Over all seeds.
struct Totals {
  private(set) var seconds = 0.0
  private var all = Simulation.Figures()
  private var lives = 0
  private var rows = 0
  private var duplicates = 0
  private var hash: UInt64 = 0
  private var groups = (
    seconds: 0.0, count: 0, calm: 0, slots: 0, doubled: 0, uncovered: 0, told: 0, excused: 0
  )

  mutating func add(_ world: any SimulatedWorld) {
    seconds += world.agentTime.seconds
    lives += world.processes
    rows += world.backend.rows.count
    duplicates += world.backend.duplicates
    all.add(world.figures)
    hash = hash &* 31 &+ world.diary.hash
    if let group = world as? GroupSimulation { add(group) }
  }

  private mutating func add(_ group: GroupSimulation) {
    groups.seconds += group.agentTime.seconds
    groups.count += 1
    groups.calm += group.calmLooks
    groups.slots += group.coverage.slots
    groups.doubled += group.coverage.doubled
    groups.uncovered += group.coverage.uncovered
    groups.told += group.incidents.incidents
    groups.excused += group.incidents.excused
  }

  func print(seeds: Range<UInt64>, wall: Double) {
    func years(_ seconds: Double) -> Double { (seconds / 31_557_600 * 1000).rounded() / 1000 }
    Swift.print(
      "seeds \(seeds.lowerBound) to \(seeds.upperBound - 1): \(years(seconds)) agent-years in \(wall.rounded()) s, "
        + "\(Int(seconds / wall)) times real time; every rule held")
    Swift.print("lives \(lives) (\(all.crashes) crashes, \(all.stops) stops), pauses \(all.pauses)")
    Swift.print(
      "runs \(all.runs), slots missed \(all.missed), rows \(rows), requests \(all.requests), rows sent again \(duplicates)"
    )
    Swift.print(
      "messages \(all.messages), orders by hand \(all.orders), edits of lists \(all.edits); most: \(all.mostSleepers) sleeping tasks, \(all.mostBytes) bytes on disk, \(all.mostEvents) events"
    )
    if groups.count > 0 {
      Swift.print(
        "groups \(groups.count), \(years(groups.seconds)) agent-years of it: \(groups.slots) slots, run by several \(groups.doubled), "
          + "not judged \(groups.uncovered); looks in peace \(groups.calm), incidents told \(groups.told), again with a reason \(groups.excused)"
      )
    }
    Swift.print("trace \(String(hash, radix: 16))")
  }
}

extension Simulation.Figures {
  mutating func add(_ other: Self) {
    runs += other.runs
    missed += other.missed
    crashes += other.crashes
    stops += other.stops
    pauses += other.pauses
    requests += other.requests
    messages += other.messages
    orders += other.orders
    edits += other.edits
    mostSleepers = max(mostSleepers, other.mostSleepers)
    mostBytes = max(mostBytes, other.mostBytes)
    mostEvents = max(mostEvents, other.mostEvents)
  }
}
