// SPDX-License-Identifier: MIT

import Basics
import CSimulation
import Glibc

/// `agent-simulation`: seed after seed, until enough time has gone by in them or a rule did not hold.
@main
enum AgentSimulationCommand {
  static func main() {
    settleHashing()
    simulation_take_tasks()
    guard let order = Order(Array(CommandLine.arguments.dropFirst())) else {
      print(
        "usage: agent-simulation [--seed N] [--years Y] [--days D] [--hours H] [--kind single|group] [--replay SEED]"
      )
      exit(64)
    }
    exit(order.replay.map { replay($0, order) } ?? runAll(order))
  }

  /// The order of a dictionary is another in each process unless this says otherwise, and it must be set before the start.
  private static func settleHashing() {
    guard getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
    arguments.append(nil)
    execv("/proc/self/exe", arguments)
    print("agent-simulation: cannot start again: \(String(cString: strerror(errno)))")
    exit(70)
  }

  private static func runAll(_ order: Order) -> Int32 {
    let begin = SystemClock.monotonic.microseconds
    var total = Totals()
    var seed = order.seed
    while total.seconds < order.years * 31_557_600 {
      for kind in order.kinds {
        let world = WorldName(kind: kind, seed: seed)
        guard let simulation = make(world, order, diary: Diary(limit: 40, isPrinted: false)) else {
          return 70
        }
        if let violation = simulation.run() {
          report(violation, world, simulation, order)
          return 1
        }
        total.add(simulation)
      }
      seed += 1
    }
    let wall = Double(SystemClock.monotonic.microseconds - begin) / 1e6
    total.print(seeds: order.seed..<seed, wall: wall)
    return 0
  }

  private static func report(
    _ violation: Violation, _ world: WorldName, _ simulation: any SimulatedWorld, _ order: Order
  ) {
    print("seed \(world): \(violation)")
    print("after \(simulation.elapsed) in the simulation; the last events:")
    for line in simulation.diary.last { print("  \(line)") }
    let days = order.days == Order.usualDays ? "" : " --days \(order.days)"
    let hours = order.hours == Order.usualHours ? "" : " --hours \(order.hours)"
    print("again: scripts/simulate --replay \(world)\(world.kind == .single ? days : hours)")
  }

  private static func replay(_ world: WorldName, _ order: Order) -> Int32 {
    guard let simulation = make(world, order, diary: Diary(limit: 0, isPrinted: true)) else { return 70 }
    let violation = simulation.run()
    print(violation.map { "seed \(world): \($0)" } ?? "seed \(world): every rule held")
    return violation == nil ? 0 : 1
  }

  private static func make(_ world: WorldName, _ order: Order, diary: Diary) -> (any SimulatedWorld)? {
    do {
      switch world.kind {
      case .single:
        let span = Duration.seconds(Int64(order.days * 86_400))
        return Simulation(try Scenario(seed: world.seed, span: span), diary: diary)
      case .group:
        let span = Duration.seconds(Int64(order.hours * 3600))
        return GroupSimulation(try GroupScenario(seed: world.seed, span: span), diary: diary)
      }
    } catch {
      print("agent-simulation: seed \(world) is no world: \(error)")
      return nil
    }
  }
}
