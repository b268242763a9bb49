// SPDX-License-Identifier: MIT

import Basics

/// Two files of results, phase by phase of each check that both have.
struct Comparison {
  /// Comparison of the times of one phase of one check.
  struct Row {
    var check: String
    var phase: ComparedPhase
    var counts: (a: Int, b: Int)
    var medians: (a: Double, b: Double)
    var p95: (a: Double, b: Double)
    /// Milliseconds by which the median moves within the files, from piece to piece; of both together.
    var drift: Double
    /// As it counts among all rows; nil: too few values to claim anything.
    var p: Double?

    /// Milliseconds that the second takes more.
    var difference: Double { medians.b - medians.a }
    /// Percent of the first.
    var share: Double? { medians.a > 0 ? difference * 100 / medians.a : nil }

    var verdict: Verdict {
      guard let p else { return .tooFew }
      // Ranks may differ where medians do not.
      if p >= Comparison.level || difference == 0 { return .noDifference }
      // The test takes the values for independent, and those of a machine that was busy for a while are not.
      if abs(difference) <= drift * Comparison.margin(counts) { return .unsteady }
      return difference > 0 ? .slower : .faster
    }
  }

  enum Verdict: String {
    case slower = "b_slower"
    case faster = "b_faster"
    case noDifference = "no_difference_shown"
    /// The ranks differ, and by no more than the files do within themselves.
    case unsteady
    case tooFew = "too_few"
  }

  struct Uptime {
    var check: String
    var a: MeasuredChecks.Check
    var b: MeasuredChecks.Check
  }

  private(set) var rows: [Row] = []
  private(set) var uptimes: [Uptime] = []
  /// Names of checks that only one has.
  private(set) var onlyA: [String] = []
  private(set) var onlyB: [String] = []

  /// A difference counts when it would come by chance less than once in twenty comparisons like this whole one.
  static let level = 0.05

  /// - Parameter name: of the one check that is wanted; nil: all.
  init(_ a: MeasuredChecks, _ b: MeasuredChecks, only name: String? = nil) {
    var rest = b.checks
    var pairs: [Uptime] = []
    var unmatched: [MeasuredChecks.Check] = []
    for (key, check) in a.checks.sorted(by: { $0.value.name < $1.value.name }) {
      if let other = rest.removeValue(forKey: key) {
        pairs.append(Uptime(check: check.name, a: check, b: other))
      } else {
        unmatched.append(check)
      }
    }
    var byName: [ByteText: [ByteText]] = [:]
    for (key, check) in rest { byName[check.place, default: []].append(key) }
    var twins: [ByteText: Int] = [:]
    for check in unmatched { twins[check.place, default: 0] += 1 }  // bounded: checks of a file
    for check in unmatched {
      // Another id, but in both files one check alone bears that name and goes there.
      if let keys = byName[check.place], keys.count == 1, twins[check.place] == 1,
        let other = rest.removeValue(forKey: keys[0])
      {
        pairs.append(Uptime(check: check.name, a: check, b: other))
      } else {
        onlyA.append(check.name)
      }
    }
    onlyB = rest.values.map(\.name).sorted()
    uptimes = pairs.filter { name == nil || $0.check == name }
    compare()
  }

  private mutating func compare() {
    for pair in uptimes {
      for phase in ComparedPhase.allCases {
        guard let a = pair.a.times[phase], let b = pair.b.times[phase] else { continue }
        let (first, second) = (a.sorted(), b.sorted())
        guard let medianA = first.nearestRank(0.5), let medianB = second.nearestRank(0.5),
          let p95A = first.nearestRank(0.95), let p95B = second.nearestRank(0.95)
        else { continue }
        let isEnough = min(a.count, b.count) >= RankTest.least
        rows.append(
          Row(
            check: pair.check, phase: phase, counts: (a.count, b.count),
            medians: (medianA, medianB), p95: (p95A, p95B), drift: Self.drift(a) + Self.drift(b),
            p: isEnough ? RankTest(a, b).p : nil))
      }
    }
    let judged = rows.indices.filter { rows[$0].p != nil }
    let adjusted = RankTest.adjusted(judged.map { rows[$0].p ?? 1 })
    for (place, index) in judged.enumerated() { rows[index].p = adjusted[place] }
  }

  /// Pieces of a file whose medians are looked at. With fewer of them what a busy machine does for a second or two stays
  /// hidden, and two runs of the same differ: of 20 pairs each on a busy machine, 3 and 8 were claimed with the drift of 2
  /// pieces, none with that of 8 (`scripts/prove-compare`).
  private static let pieces = 8

  /// How many times the drift a difference must be. Pieces of fewer than eight values each have medians that a moment decides:
  /// of 20,000 comparisons of 30 simulated values of one busy machine 49 were claimed without a margin, 6 with it.
  private static func margin(_ counts: (a: Int, b: Int)) -> Double {
    min(counts.a, counts.b) < 8 * pieces ? 1.5 : 1
  }

  /// Difference between the greatest and the least median of pieces of the values, in the order they were measured.
  private static func drift(_ values: [Double]) -> Double {
    let count = min(pieces, values.count)
    let medians = (0..<count).compactMap { piece in
      values[piece * values.count / count..<(piece + 1) * values.count / count].sorted().nearestRank(0.5)
    }
    guard let least = medians.min(), let most = medians.max() else { return 0 }
    return most - least
  }

  /// Checks whose whole response is slower in the second file by that many percent or more, and by more than chance.
  func slower(by percent: Double) -> [String] {
    rows.filter {
      $0.phase == .response && $0.verdict == .slower && $0.share.map { $0 >= percent } ?? true
    }.map(\.check)
  }

  /// Checks of which the files cannot say whether the whole response is slower by that many percent, and why.
  func undecided(by percent: Double) -> [(check: String, why: String)] {
    var undecided: [(check: String, why: String)] = []
    // A row for each pair that has these times in both, in their order.
    var responses = rows.filter { $0.phase == .response }.makeIterator()
    for pair in uptimes {
      let isInA = pair.a.times[.response] != nil
      guard isInA, pair.b.times[.response] != nil, let row = responses.next() else {
        let file = isInA ? "B" : "A"
        undecided.append((pair.check, "\(file) has no response time of it"))
        continue
      }
      switch row.verdict {
      case .tooFew:
        let least = min(row.counts.a, row.counts.b)
        undecided.append((pair.check, "\(counted(least, "time")) of the \(RankTest.least) that are needed"))
      case .unsteady where row.share.map({ $0 >= percent }) ?? true:
        undecided.append((pair.check, "the files vary by \(ComparisonText.time(row.drift)) themselves"))
      case .unsteady, .slower, .faster, .noDifference: break
      }
    }
    return undecided
  }
}
