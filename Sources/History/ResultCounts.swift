// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How many scheduled results of a check had which state and reason.
package struct ResultCount: Hashable, Sendable {
  package var state: CheckState
  package var reason: Reason
  package var count: Int64
}

/// Response times of a check's scheduled results that worked, since the start of the process.
package struct LatencyTotal: Hashable, Sendable {
  package private(set) var count: Int64 = 0
  package private(set) var microseconds: Int64 = 0

  mutating func add(_ time: Duration) {
    count &+= 1
    microseconds &+= LatencySum.within(time.microseconds)
  }
}

/// Of one check: a few pairs, each once. Counted as the windows are: a record that was counted before is not counted
/// again, so a restart takes nothing away.
struct ResultCounts: Hashable, Sendable {
  /// In the order in which they were first seen.
  private(set) var pairs: [ResultCount] = []

  mutating func add(_ state: CheckState, _ reason: Reason) {
    if let place = pairs.firstIndex(where: { $0.state == state && $0.reason == reason }) {
      pairs[place].count &+= 1
    } else {
      // An array doubles by itself: most checks only ever need one or two.
      pairs.reserveCapacity(pairs.count + 1)
      pairs.append(ResultCount(state: state, reason: reason, count: 1))
    }
  }

  /// Bytes held beyond the struct itself.
  var footprint: Int { pairs.capacity * MemoryLayout<ResultCount>.stride }

  init() {}

  func encode(into writer: inout ByteWriter) {
    writer.count(pairs.count)
    for pair in pairs {
      writer.text(pair.state.rawValue)
      writer.text(pair.reason.rawValue)
      writer.signed(pair.count)
    }
  }

  init(from reader: inout ByteReader) throws(CodingDamage) {
    for _ in 0..<(try reader.count()) {
      guard let state = CheckState(word: try reader.text() ?? ""),
        let reason = Reason(word: try reader.text() ?? ""),
        !pairs.contains(where: { $0.state == state && $0.reason == reason })
      else { throw CodingDamage() }
      pairs.append(ResultCount(state: state, reason: reason, count: try reader.signed(in: 0...1 << 40)))
    }
  }
}
