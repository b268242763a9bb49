// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring

/// One target at a fixed pace, and the response time that each probe of it reports, in milliseconds; beside it as many
/// neighbours as asked for, each once a second, evenly spread, on the same threads.
struct SequenceLoad {
  private let target: ProbeLoad
  private let neighbours: ProbeLoad?
  private let pace: Duration

  init(_ arguments: Arguments) throws {
    target = try ProbeLoad(arguments)
    pace = .milliseconds(try arguments.number("pace"))
    guard let place = arguments.text("neighbour") else {
      neighbours = nil
      return
    }
    var others = arguments
    others.replaceTarget(with: place, count: try arguments.number("neighbours"))
    neighbours = try ProbeLoad(others)
  }

  func run() async throws -> String {
    let times = try await target.withRunner { runner in
      try await withThrowingTaskGroup(of: [Double].self) { group in
        if let neighbours {
          for number in 0..<neighbours.count {
            group.addTask { try await Self.repeatProbe(number, of: neighbours, with: runner) }
          }
          // All of them are under way before the first that counts.
          try await Task.sleep(for: .seconds(1))
        }
        group.addTask { try await measure(with: runner) }
        // Neighbours go on until they are told to stop: the first to end is the target.
        let times = try await group.next() ?? []
        group.cancelAll()
        return times
      }
    }
    return "[" + times.map { "\($0)" }.joined(separator: ", ") + "]"
  }

  private func measure(with runner: CheckRunner) async throws -> [Double] {
    var times: [Double] = []
    var turn = ContinuousClock.now
    for _ in 0..<target.count {
      let result = try await target.probe(0, with: runner)
      guard result.state == .up, let time = result.responseTime else {
        throw Misuse("a probe failed: \(result.reason): \(result.message ?? "")")
      }
      times.append(time.milliseconds)
      turn += pace
      try await Task.sleep(until: turn, clock: .continuous)
    }
    return times
  }

  private static func repeatProbe(
    _ number: Int, of load: ProbeLoad, with runner: CheckRunner
  ) async throws -> [Double] {
    var turn = ContinuousClock.now + .seconds(1) * number / load.count
    do {
      while !Task.isCancelled {
        try await Task.sleep(until: turn, clock: .continuous)
        let result = try await load.probe(number, with: runner)
        guard result.state == .up else { throw Misuse("a neighbour failed: \(result.reason)") }
        turn += .seconds(1)
      }
    } catch is CancellationError {}
    return []
  }
}
