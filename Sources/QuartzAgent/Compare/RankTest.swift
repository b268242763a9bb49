// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// The Mann-Whitney U test, two-sided: whether values of one sample tend to be larger than those of another. It asks for no
/// shape of the distribution, which latencies do not have (H. B. Mann, D. R. Whitney, 1947).
struct RankTest {
  /// How likely ranks at least as far apart are where there is no difference, 0 to 1.
  let p: Double

  /// Below that many values on either side nothing is claimed.
  static let least = 5
  /// Up to that many on both sides, and without ties, the distribution is counted out; beyond it is as good as normal.
  private static let exact = 20

  /// Both with a value at least, and without NaN.
  init(_ a: [Double], _ b: [Double]) {
    let (n1, n2) = (Double(a.count), Double(b.count))
    let (sum, ties) = Self.ranks(a, b)
    let u = sum - n1 * (n1 + 1) / 2
    if ties == 0, a.count <= Self.exact, b.count <= Self.exact {
      p = Self.counted(Int(max(u, n1 * n2 - u)), a.count, b.count)
      return
    }
    let n = n1 + n2
    let variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)))
    guard variance > 0 else {
      // All values are the same.
      p = 1
      return
    }
    let z = (max(u, n1 * n2 - u) - n1 * n2 / 2 - 0.5) / variance.squareRoot()
    p = min(1, erfc(z / 2.0.squareRoot()))
  }

  /// The sum of the first sample's ranks, equal values sharing theirs, and Σ(t³ − t) over the groups of equal ones.
  private static func ranks(_ a: [Double], _ b: [Double]) -> (sum: Double, ties: Double) {
    let all = (a.map { ($0, true) } + b.map { ($0, false) }).sorted { $0.0 < $1.0 }
    var (sum, ties, begin) = (0.0, 0.0, 0)
    while begin < all.count {
      var end = begin
      while end < all.count, all[end].0 == all[begin].0 { end += 1 }
      let size = Double(end - begin)
      // Ranks count from 1.
      sum += Double(all[begin..<end].count { $0.1 }) * (Double(begin + end) + 1) / 2
      ties += size * size * size - size
      begin = end
    }
    return (sum, ties)
  }

  /// Twice the share of all orders in which U is at least that: the coefficients of Π (1 − x^(n2+i)) / (1 − x^i).
  private static func counted(_ u: Int, _ n1: Int, _ n2: Int) -> Double {
    var ways = [Double](repeating: 0, count: n1 * n2 + 1)
    ways[0] = 1
    for i in 1...n1 {
      for power in stride(from: ways.count - 1, through: n2 + i, by: -1) {
        ways[power] -= ways[power - n2 - i]
      }
      for power in stride(from: i, to: ways.count, by: 1) { ways[power] += ways[power - i] }
    }
    let tail = ways[min(u, ways.count)...].reduce(0, +)
    return min(1, 2 * tail / ways.reduce(0, +))
  }

  /// The p values as they count when so many were looked at together (S. Holm, 1979), in their order.
  static func adjusted(_ values: [Double]) -> [Double] {
    var adjusted = values
    var most = 0.0
    for (rank, place) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
      most = max(most, min(1, values[place] * Double(values.count - rank)))
      adjusted[place] = most
    }
    return adjusted
  }
}
