// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Durations counted in fixed buckets, as Prometheus adds them up over agents: the bounds never change with what is
/// measured.
package struct LatencyHistogram: Hashable, Sendable {
  /// Upper bounds in microseconds, each included: 1 ms to 60 s.
  package static let bounds: [Int64] = [
    1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000, 30_000_000, 60_000_000,
  ]

  /// How many fell between a bound and the one before; the last place is for what is above all.
  package private(set) var counts = [Int64](repeating: 0, count: bounds.count + 1)
  /// Microseconds.
  package private(set) var sum: Int64 = 0
  /// The same in steps of 2^(1/8), for readers of native histograms: the first bucket is that of the lowest `fine` step.
  package private(set) var fineCounts = [Int64](repeating: 0, count: fine.count)
  /// How many took no time at all.
  package private(set) var zeros: Int64 = 0

  /// Numbers of the fine buckets: number i is for more than 2^((i-1)/8) seconds, up to 2^(i/8). They reach from less than a
  /// microsecond to 256 s; what is longer counts in the last.
  package static let fine = -160...64
  /// Of Prometheus' native histograms: 2^schema buckets to a power of two.
  package static let schema = 3

  package init() {}

  package var count: Int64 { counts.reduce(0, +) }

  package mutating func add(_ duration: Duration) {
    let value = LatencySum.within(duration.microseconds)
    counts[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count] += 1
    sum += value
    guard value > 0 else { return zeros += 1 }
    let step = log2(Double(value) / 1_000_000) * Double(1 << Self.schema)
    fineCounts[whole(step.rounded(.up), in: Self.fine) - Self.fine.lowerBound] += 1
  }
}

/// How long scheduled runs took since the agent started, by kind of check: their number does not grow with that of the
/// checks. They are no part of the history's files: a counter may begin again with its process.
package struct ResultHistograms: Hashable, Sendable {
  /// Of which time a run had a part.
  package enum Part: String, CaseIterable, Hashable, Sendable {
    case dns, connect, starttls, tls
    case firstByte = "first_byte"
    case transfer

    package func duration(_ timings: Timings) -> Duration? {
      switch self {
      case .dns: timings.dns
      case .connect: timings.connect
      case .starttls: timings.startTLS
      case .tls: timings.tls
      case .firstByte: timings.firstByte
      case .transfer: timings.transfer
      }
    }
  }

  package struct Response: Hashable, Sendable {
    package var type: CheckType
    package var state: CheckState
    package var times = LatencyHistogram()
  }

  package struct Phase: Hashable, Sendable {
    package var type: CheckType
    package var part: Part
    package var times = LatencyHistogram()
  }

  /// Each pair once, in the order in which they were first seen: a few kinds of check, four states.
  package private(set) var responses: [Response] = []
  /// A few kinds of check, six parts.
  package private(set) var phases: [Phase] = []

  package init() {}

  /// - Parameter isMeasured: the response time is of no earlier result.
  mutating func add(_ result: CheckResult, isMeasured: Bool = true) {
    if isMeasured, let time = result.facts.responseTime {
      let place = responses.firstIndex { $0.type == result.type && $0.state == result.state }
      if place == nil { responses.append(Response(type: result.type, state: result.state)) }
      responses[place ?? responses.count - 1].times.add(time)
    }
    for part in Part.allCases {
      guard let time = part.duration(result.facts.timings) else { continue }
      let place = phases.firstIndex { $0.type == result.type && $0.part == part }
      if place == nil { phases.append(Phase(type: result.type, part: part)) }
      phases[place ?? phases.count - 1].times.add(time)
    }
  }
}
