// SPDX-License-Identifier: MIT

import Basics

/// Who has which check: the owner and the standby of each, kept up to date change by change.
///
/// 16 bytes a check. One that comes costs a hash a check, one that goes the full count for its own checks only.
package struct Placement: Sendable {
  /// One of the members in a table whose places stay, so that a check can remember a place instead of a name.
  private struct Place: Hashable {
    var name: String
    var seed: UInt64
    var weight: Int
    var pools: MemberCard.Pools
  }

  private struct Row {
    var owner = Placement.none
    var standby = Placement.none
    var claim = -Float.infinity
    var second = -Float.infinity
  }

  fileprivate static let none: Int32 = -1

  package struct GroupCheck: Hashable, Sendable {
    package var id: UniqueID
    package var pool: Pool

    package init(_ id: UniqueID, _ pool: Pool) { (self.id, self.pool) = (id, pool) }
  }

  package private(set) var checks: [GroupCheck] = []
  private var rows: [Row] = []
  private var places: [Place?] = []
  private var placeOf: [ByteText: Int] = [:]
  /// Whose pools decide who may have a check of them: its own, for the others place theirs among themselves.
  private let own: String

  /// - Parameter own: this member's name.
  package init(own: String) { self.own = own }

  /// By position in `checks`; nil: nobody who may have it is there.
  package func owner(_ position: Int) -> String? { name(rows[position].owner) }
  package func standby(_ position: Int) -> String? { name(rows[position].standby) }

  /// The place of a name, for comparing positions without texts; nil: it is not there.
  func place(_ name: String) -> Int32? { placeOf[ByteText(name)].map(Int32.init) }
  func ownerPlace(_ position: Int) -> Int32 { rows[position].owner }
  func standbyPlace(_ position: Int) -> Int32 { rows[position].standby }
  func name(_ place: Int32) -> String? { place < 0 ? nil : places[Int(place)]?.name }

  /// Another list of checks; their order is the caller's.
  package mutating func replace(_ checks: [GroupCheck]) {
    self.checks = checks
    rows = Array(repeating: Row(), count: checks.count)
    for position in checks.indices { rank(position) }
  }

  /// The members as they are now. Those that are as they were cost nothing.
  package mutating func follow(_ view: GroupView) {
    var wanted: [ByteText: Place] = [:]
    for (name, member) in view.members where member.card.weight > 0 {
      wanted[name] = Place(
        name: name.text, seed: Rendezvous.seed(name.text), weight: member.card.weight,
        pools: member.card.pools)
    }
    let mine = wanted[ByteText(own)]?.pools ?? pools
    if mine != pools {
      pools = mine
      // Another set of peers: nothing of the old order holds.
      (places, placeOf) = ([], [:])
      for name in wanted.keys.map(\.text).sorted() { _ = wanted[ByteText(name)].map { seat($0) } }
      for position in rows.indices { rank(position) }
      return
    }
    var left: Set<Int32> = []
    for (name, place) in placeOf where wanted[name] != places[place] {
      left.insert(Int32(place))
      places[place] = nil
      placeOf[name] = nil
    }
    if !left.isEmpty { release(left) }
    for name in wanted.keys.map(\.text).sorted() where placeOf[ByteText(name)] == nil {
      if let place = wanted[ByteText(name)] { claim(for: seat(place)) }
    }
  }

  /// This member's, which it has also before the store shows its card.
  package var pools = MemberCard.Pools()

  private mutating func seat(_ place: Place) -> Int {
    let index = places.firstIndex { $0 == nil } ?? places.count
    if index == places.count { places.append(place) } else { places[index] = place }
    placeOf[ByteText(place.name)] = index
    return index
  }

  /// What these had is ranked anew.
  private mutating func release(_ left: Set<Int32>) {
    for position in rows.indices
    where left.contains(rows[position].owner) || left.contains(rows[position].standby) {
      rank(position)
    }
  }

  /// The claims of one that came, against what is there.
  private mutating func claim(for index: Int) {
    guard let place = places[index] else { return }
    let fits = Pool.allCases.map { place.pools[$0] == pools[$0] }
    for position in rows.indices where fits[Int(checks[position].pool.rawValue)] {
      enter(Int32(index), place, position)
    }
  }

  private mutating func rank(_ position: Int) {
    rows[position] = Row()
    let pool = checks[position].pool
    for index in places.indices {
      if let place = places[index], place.pools[pool] == pools[pool] { enter(Int32(index), place, position) }
    }
  }

  private mutating func enter(_ index: Int32, _ place: Place, _ position: Int) {
    let claim = Rendezvous.claim(checks[position].id, seed: place.seed, weight: place.weight)
    let row = rows[position]
    if isBefore(claim, place, row.claim, row.owner) {
      (rows[position].standby, rows[position].second) = (row.owner, row.claim)
      (rows[position].owner, rows[position].claim) = (index, claim)
    } else if isBefore(claim, place, row.second, row.standby) {
      (rows[position].standby, rows[position].second) = (index, claim)
    }
  }

  private func isBefore(_ claim: Float, _ place: Place, _ other: Float, _ holder: Int32) -> Bool {
    if claim != other { return claim > other }
    guard holder >= 0, let held = places[Int(holder)] else { return true }
    return place.name < held.name
  }
}
