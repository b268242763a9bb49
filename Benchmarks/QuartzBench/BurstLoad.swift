// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// All probes at the same moment, and the response time that each of them reports, in milliseconds.
struct BurstLoad {
  private let load: ProbeLoad

  init(_ arguments: Arguments) throws { load = try ProbeLoad(arguments) }

  func run() async throws -> String {
    let times = try await load.withRunner { runner in
      // What the agent does once in its life, such as reading the trust store, is no part of a probe.
      _ = try await load.probe(0, with: runner)
      return try await withThrowingTaskGroup(of: Double.self) { group in
        for number in 0..<load.count {
          group.addTask {
            let result = try await load.probe(number, with: runner)
            guard result.state == .up, let time = result.responseTime else {
              throw Misuse("a probe failed: \(result.reason)")
            }
            return time.milliseconds
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    return "[" + times.map { "\($0)" }.joined(separator: ", ") + "]"
  }
}
