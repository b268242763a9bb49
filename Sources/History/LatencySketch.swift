// SPDX-License-Identifier: MIT

import Basics

/// How wide the bins of a sketch are.
enum SketchResolution: Sendable {
  /// 4 % wide: a quantile is within 2 %.
  case fine
  /// Two fine bins in one, 8.2 % wide: a quantile is within 5 %.
  case coarse
}

/// The bins all sketches share. Edges grow by 1/25 in whole microseconds, so that every machine, with or without a
/// maths library, sorts a latency into the same bin and sketches of different checks and days can be added.
enum LatencyBins {
  /// Lower edges in microseconds, ascending from 0 to beyond 71 minutes, the most 32 bits hold.
  static let edges: [Int64] = {
    var edges: [Int64] = [0]
    var edge: Int64 = 1
    while edge < 4_500_000_000 {
      edges.append(edge)
      edge += max(1, edge / 25)  // bounded: edges of ours
    }
    return edges
  }()

  static func bin(_ microseconds: Int64, _ resolution: SketchResolution) -> UInt16 {
    var low = 0
    var high = edges.count - 2  // bounded: edges of ours
    while low < high {
      let middle = (low + high + 1) / 2  // bounded: places within the list
      // bounded: places within the list
      if edges[middle] <= microseconds { low = middle } else { high = middle - 1 }
    }
    return UInt16(resolution == .fine ? low : low & ~1)  // bounded: places within the list
  }

  /// The value whose relative distance to both ends of the bin is the same and least: their harmonic mean.
  static func value(_ bin: UInt16, _ resolution: SketchResolution) -> Int64 {
    let first = min(Int(bin), edges.count - 2)  // bounded: places within the list
    let low = edges[first]
    // bounded: places within the list
    let high = edges[min(first + (resolution == .fine ? 1 : 2), edges.count - 1)] - 1
    // Of the greatest edges the product takes more than 64 bits.
    return low + high == 0  // bounded: edges of ours, below 2^40
      // bounded: edges of ours, below 2^40
      ? 0 : (low + high).dividingFullWidth(low.multipliedFullWidth(by: 2 * high)).quotient
  }
}

/// How many latencies fell into which bin; only bins that hold something are stored.
struct LatencySketch: Hashable, Sendable {
  struct Bin: Hashable, Sendable {
    var index: UInt16
    var count: UInt32
  }

  /// Ascending by index, counts above zero.
  private(set) var bins: [Bin] = []

  mutating func add(_ index: UInt16, _ count: UInt32 = 1) {
    let place = position(of: index)
    if place < bins.count, bins[place].index == index {
      bins[place].count &+= count
    } else {
      bins.insert(Bin(index: index, count: count), at: place)
    }
  }

  static func += (left: inout LatencySketch, right: LatencySketch) {  // bounded: operators on sketches
    for bin in right.bins { left.add(bin.index, bin.count) }
  }

  /// Counts are whole numbers, so what was added can be taken away without a trace.
  static func -= (left: inout LatencySketch, right: LatencySketch) {  // bounded: operators on sketches
    for bin in right.bins {
      let place = left.position(of: bin.index)
      guard place < left.bins.count, left.bins[place].index == bin.index else { continue }
      if left.bins[place].count > bin.count {
        left.bins[place].count -= bin.count  // bounded: no more than it holds, as was asked before
      } else {
        left.bins.remove(at: place)
      }
    }
  }

  /// For quantiles in ascending order: one way through the bins for all of them.
  var walk: Walk { Walk(bins: bins) }

  struct Walk {
    fileprivate let bins: [Bin]
    private var next = 0
    private var seen: Int64 = 0

    fileprivate init(bins: [Bin]) { self.bins = bins }

    /// The value at this rank, 1 being the smallest; no rank may be below one asked for before. Beyond the last one
    /// it is the largest value, and 0 without any.
    mutating func value(atRank rank: Int64, _ resolution: SketchResolution) -> Int64 {
      while next < bins.count, seen + Int64(bins[next].count) < rank {  // bounded: counts of 32 bits
        seen += Int64(bins[next].count)  // bounded: counts of 32 bits
        next += 1  // bounded: counts of 32 bits
      }
      guard let bin = next < bins.count ? bins[next] : bins.last else { return 0 }
      return LatencyBins.value(bin.index, resolution)
    }
  }

  private func position(of index: UInt16) -> Int {
    var low = 0
    var high = bins.count
    while low < high {
      let middle = (low + high) / 2  // bounded: places within the list
      // bounded: places within the list
      if bins[middle].index < index { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func encode(into writer: inout ByteWriter) {
    writer.count(bins.count)
    var previous: UInt16 = 0
    for bin in bins {
      writer.unsigned(UInt64(bin.index - previous))  // bounded: bins rise, and counts are not negative
      writer.unsigned(UInt64(bin.count))  // bounded: bins rise, and counts are not negative
      previous = bin.index
    }
  }

  init() {}

  init(from reader: inout ByteReader) throws(CodingDamage) {
    var previous: UInt64 = 0
    for _ in 0..<(try reader.count()) {
      // bounded: constants, which are wider here
      let step = try reader.unsigned(through: UInt64(LatencyBins.edges.count))
      // bounded: constants, which are wider here
      let count = try reader.unsigned(through: UInt64(UInt32.max))
      previous += step  // bounded: both are at most the number of edges
      // They stand in order, each once.
      // bounded: the number of edges
      guard previous < UInt64(LatencyBins.edges.count), bins.isEmpty || step > 0 else { throw CodingDamage() }
      bins.append(Bin(index: UInt16(clamping: previous), count: UInt32(clamping: count)))
    }
  }
}
