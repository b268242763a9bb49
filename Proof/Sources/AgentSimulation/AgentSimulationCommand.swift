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
      print("usage: agent-simulation [--seed N] [--years Y] [--days D] [--replay SEED]")
      exit(64)
    }
    exit(order.replay.map { replay($0, days: order.days) } ?? runAll(order))
  }

  /// The order of a dictionary is another in each process unless this says otherwise, and it must be set before the start.
  private static func settleHashing() {
    guard getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
    arguments.append(nil)
    execv("/proc/self/exe", arguments)
    print("agent-simulation: cannot start anew: \(String(cString: strerror(errno)))")
    exit(70)
  }

  private static func runAll(_ order: Order) -> Int32 {
    let begin = SystemClock.monotonic.microseconds
    var total = Totals()
    var seed = order.seed
    while total.seconds < order.years * 31_557_600 {
      guard let simulation = make(seed, days: order.days, diary: Diary(limit: 40, isPrinted: false)) else {
        return 70
      }
      if let violation = simulation.run() {
        print("seed \(seed): \(violation)")
        print("after \(simulation.elapsed) in the simulation; the last events:")
        for line in simulation.diary.last { print("  \(line)") }
        print(
          "again: scripts/simulate --replay \(seed)\(order.days == Order.usualDays ? "" : " --days \(order.days)")"
        )
        return 1
      }
      total.add(simulation)
      seed += 1
    }
    let wall = Double(SystemClock.monotonic.microseconds - begin) / 1e6
    total.print(seeds: order.seed..<seed, wall: wall)
    return 0
  }

  private static func replay(_ seed: UInt64, days: Double) -> Int32 {
    guard let simulation = make(seed, days: days, diary: Diary(limit: 0, isPrinted: true)) else { return 70 }
    let violation = simulation.run()
    print(violation.map { "seed \(seed): \($0)" } ?? "seed \(seed): every rule held")
    return violation == nil ? 0 : 1
  }

  private static func make(_ seed: UInt64, days: Double, diary: Diary) -> Simulation? {
    do {
      let scenario = try Scenario(seed: seed, span: .seconds(Int64(days * 86_400)))
      return Simulation(scenario, diary: diary)
    } catch {
      print("agent-simulation: seed \(seed) is no world: \(error)")
      return nil
    }
  }
}

/// What the command line asks for.
struct Order {
  static let usualDays = 7.0
  var seed: UInt64 = 1
  var years = 1.0
  /// Of one seed.
  var days = Order.usualDays
  var replay: UInt64?

  init?(_ words: [String]) {
    var words = words[...]
    while let word = words.popFirst() {
      guard let value = words.popFirst() else { return nil }
      switch word {
      case "--seed":
        guard let number = UInt64(value) else { return nil }
        seed = number
      case "--years":
        guard let number = Double(value), number > 0 else { return nil }
        years = number
      case "--days":
        guard let number = Double(value), number > 0 else { return nil }
        days = number
      case "--replay":
        guard let number = UInt64(value) else { return nil }
        replay = number
      default: return nil
      }
    }
  }
}

/// Over all seeds.
struct Totals {
  private(set) var seconds = 0.0
  private var all = Simulation.Figures()
  private var lives = 0
  private var rows = 0
  private var duplicates = 0
  private var hash: UInt64 = 0

  mutating func add(_ simulation: Simulation) {
    let figures = simulation.figures
    seconds += simulation.elapsed.seconds
    lives += simulation.lives
    rows += simulation.backend.rows.count
    duplicates += simulation.backend.duplicates
    all.runs += figures.runs
    all.missed += figures.missed
    all.crashes += figures.crashes
    all.stops += figures.stops
    all.pauses += figures.pauses
    all.requests += figures.requests
    all.messages += figures.messages
    all.mostSleepers = max(all.mostSleepers, figures.mostSleepers)
    all.mostBytes = max(all.mostBytes, figures.mostBytes)
    all.mostEvents = max(all.mostEvents, figures.mostEvents)
    hash = hash &* 31 &+ simulation.diary.hash
  }

  func print(seeds: Range<UInt64>, wall: Double) {
    let years = (seconds / 31_557_600 * 1000).rounded() / 1000
    Swift.print(
      "seeds \(seeds.lowerBound) to \(seeds.upperBound - 1): \(years) agent-years in \(wall.rounded()) s, "
        + "\(Int(seconds / wall)) times real time; every rule held")
    Swift.print("lives \(lives) (\(all.crashes) crashes, \(all.stops) stops), pauses \(all.pauses)")
    Swift.print(
      "runs \(all.runs), slots missed \(all.missed), rows \(rows), requests \(all.requests), rows sent again \(duplicates)"
    )
    Swift.print(
      "messages \(all.messages); most: \(all.mostSleepers) sleeping tasks, \(all.mostBytes) bytes on disk, \(all.mostEvents) events"
    )
    Swift.print("trace \(String(hash, radix: 16))")
  }
}
