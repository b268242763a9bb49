// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The latest runs of a check as its sparkline shows them, in eight bytes each: with tens of thousands of checks plain
/// structs would be a good part of the memory.
struct SparkLine: Sendable {
  static let length = 40

  /// Oldest first. Microseconds plus one, or zero for none, above two bits of state.
  private var packed: [Int64] = []

  var count: Int { packed.count }

  /// Bytes held.
  var footprint: Int { packed.capacity * MemoryLayout<Int64>.stride }

  var points: [SparkPoint] { packed.map(Self.point) }

  mutating func append(_ point: SparkPoint) {
    // By steps: most of the time a check has all of its places or, young as it is, a few.
    if packed.count == packed.capacity, packed.count < Self.length {
      packed.reserveCapacity(min(Self.length, packed.count + max(2, packed.count)))
    }
    if packed.count >= Self.length { packed.removeFirst(packed.count - Self.length + 1) }
    let latency = point.responseTime.map { min(max(0, $0.microseconds), 1 << 60) + 1 } ?? 0
    packed.append(latency << 2 | Self.code(point.state))
  }

  private static func point(_ packed: Int64) -> SparkPoint {
    let latency = packed >> 2
    return SparkPoint(
      state: states[Int(packed & 3)], responseTime: latency == 0 ? nil : .microseconds(latency - 1))
  }

  private static let states: [CheckState] = [.up, .degraded, .down, .unknown]

  private static func code(_ state: CheckState) -> Int64 {
    switch state {
    case .up: 0
    case .degraded: 1
    case .down: 2
    case .unknown: 3
    }
  }
}
