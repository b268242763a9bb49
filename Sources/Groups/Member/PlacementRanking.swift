// SPDX-License-Identifier: MIT

import Basics

/// All members that may have the checks of one pool, laid out for counting them through check by check.
///
/// By far the most claims are smaller than the second best so far, and that shows in the hash alone: no logarithm is taken of
/// them, and who has what is the same as if one were.
struct PlacementRanking: Sendable {
  /// Members of one weight, next to each other.
  private struct Run: Sendable {
    var weight: Int
    var start: Int
    var end: Int
  }

  private var seeds: [UInt64] = []
  private var seats: [UInt16] = []
  private var runs: [Run] = []
  /// Members that take no part in a check; most checks have none.
  private var outsiders: [UniqueID: Set<UInt16>] = [:]
  private let names: PlacementSeats

  init(_ placement: Placement, _ pool: Pool) {
    names = PlacementSeats(placement)
    let fitting = placement.places.indices.filter { index in
      placement.places[index].map { $0.pools[pool] == placement.pools[pool] } ?? false
    }
    for index in fitting.sorted(by: { weight(placement, $0) < weight(placement, $1) }) {
      guard let place = placement.places[index] else { continue }
      if runs.last?.weight != place.weight {
        runs.append(Run(weight: place.weight, start: seeds.count, end: seeds.count))
      }
      // bounded: members of a group
      for check in place.pools.without { outsiders[check, default: []].insert(UInt16(index)) }
      seeds.append(place.seed)
      seats.append(UInt16(index))  // bounded: members of a group
      runs[runs.count - 1].end = seeds.count
    }
  }

  private func weight(_ placement: Placement, _ index: Int) -> Int { placement.places[index]?.weight ?? 0 }

  func holders(of check: UniqueID) -> Placement.Holders {
    var first = Claim.none, second = Claim.none
    let (high, low) = (check.high, check.low)
    let out = outsiders.isEmpty ? nil : outsiders[check]
    for run in runs {
      var floor = second.floor(for: run.weight)
      var index = run.start
      while index < run.end {
        let hash = Rendezvous.hash(high, low, seeds[index])
        if hash >= floor, out.map({ !$0.contains(seats[index]) }) ?? true {
          let claim = Claim(
            value: Rendezvous.claim(of: hash, weight: run.weight), seat: seats[index])
          if names.isBefore(claim, first) {
            (first, second) = (claim, first)
            floor = second.floor(for: run.weight)
          } else if names.isBefore(claim, second) {
            second = claim
            floor = second.floor(for: run.weight)
          }
        }
        index += 1  // bounded: a place in a list
      }
    }
    return Placement.Holders(owner: first.seat, standby: second.seat)
  }
}

/// A member's claim to a check.
struct Claim: Sendable {
  var value: Float
  var seat: UInt16

  static let none = Claim(value: -.infinity, seat: Placement.Holders.none)

  func floor(for weight: Int) -> UInt64 {
    seat == Placement.Holders.none ? 0 : Rendezvous.floor(of: value, weight: weight)
  }
}

/// Seeds, weights and names by seat.
struct PlacementSeats: Sendable {
  private var seeds: [UInt64]
  private var weights: [Int]
  private var names: [String]

  init(_ placement: Placement) {
    seeds = placement.places.map { $0?.seed ?? 0 }
    weights = placement.places.map { $0?.weight ?? 0 }
    names = placement.places.map { $0?.name ?? "" }
  }

  /// Equal claims are decided by the names.
  func isBefore(_ claim: Claim, _ other: Claim) -> Bool {
    if claim.value != other.value { return claim.value > other.value }
    guard other.seat != Placement.Holders.none else { return true }
    return names[Int(claim.seat)] < names[Int(other.seat)]
  }

  /// Owner and standby of a check when one more member claims it.
  func entering(_ seat: UInt16, _ holders: Placement.Holders, _ check: UniqueID) -> Placement.Holders {
    let hash = hash(seat, check)
    guard holders.standby != Placement.Holders.none else { return ranked(seat, hash, holders, check) }
    let standby = self.hash(holders.standby, check)
    // Of one weight a hash that is smaller by this much makes a smaller claim, for sure: h·ln(1/h) is at most 1/e, so a
    // 2^21st of the range is more than a millionth of any claim.
    if weights[Int(seat)] == weights[Int(holders.standby)], standby > hash, standby - hash > 1 << 43 {
      return holders
    }
    return ranked(seat, hash, holders, check)
  }

  private func ranked(
    _ seat: UInt16, _ hash: UInt64, _ holders: Placement.Holders, _ check: UniqueID
  ) -> Placement.Holders {
    let claim = claim(seat, hash)
    if isBefore(claim, self.claim(of: holders.owner, check)) {
      return Placement.Holders(owner: seat, standby: holders.owner)
    }
    if isBefore(claim, self.claim(of: holders.standby, check)) {
      return Placement.Holders(owner: holders.owner, standby: seat)
    }
    return holders
  }

  private func hash(_ seat: UInt16, _ check: UniqueID) -> UInt64 {
    Rendezvous.hash(check.high, check.low, seeds[Int(seat)])
  }

  private func claim(_ seat: UInt16, _ hash: UInt64) -> Claim {
    Claim(value: Rendezvous.claim(of: hash, weight: weights[Int(seat)]), seat: seat)
  }

  private func claim(of seat: UInt16, _ check: UniqueID) -> Claim {
    seat == Placement.Holders.none ? .none : claim(seat, hash(seat, check))
  }
}
