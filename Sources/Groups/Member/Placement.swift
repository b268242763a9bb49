// SPDX-License-Identifier: MIT

import Basics

/// The owner and the standby of each check, kept up to date change by change.
///
/// 20 bytes a check, its id among them. A member that comes costs two hashes a check; one that goes costs a hash a
/// member for its own checks only; the first time, or when all members are new, it is a hash for each check and member.
package struct Placement: Sendable {
  /// One of the members in a table whose seats stay, so that a check can remember a seat instead of a name.
  struct Place: Hashable, Sendable {
    var name: String
    var seed: UInt64
    var weight: Int
    var pools: MemberCard.Pools
  }

  /// Seats of the owner and the standby, and in the highest bit of the first which pool the check is of.
  private struct Row: Sendable {
    private var first: UInt16
    private var second: UInt16

    init(_ pool: Pool, _ holders: Holders = Holders()) {
      first = UInt16(pool.rawValue) << 15 | holders.owner
      second = holders.standby
    }

    var pool: Pool { first >> 15 == 0 ? .api : .file }
    var holders: Holders {
      get { Holders(owner: first & 0x7fff, standby: second) }
      set { self = Row(pool, newValue) }
    }
  }

  /// Seats of who has a check.
  struct Holders: Hashable, Sendable {
    /// No member: a group has `StoreBounds.members` at most.
    static let none: UInt16 = 0x7fff
    var owner = none
    var standby = none
  }

  package struct GroupCheck: Hashable, Sendable {
    package var id: UniqueID
    package var pool: Pool

    package init(_ id: UniqueID, _ pool: Pool) { (self.id, self.pool) = (id, pool) }
  }

  private var ids: [UniqueID] = []
  private var rows: [Row] = []
  private(set) var places: [Place?] = []
  private var placeOf: [ByteText: Int] = [:]
  /// Whose pools decide who may have a check of them: its own, for the others place theirs among themselves.
  private let own: String

  /// - Parameter own: this member's name.
  package init(own: String) { self.own = own }

  static let bytesACheck = MemoryLayout<UniqueID>.stride + MemoryLayout<Row>.stride

  package var count: Int { ids.count }
  package func id(_ position: Int) -> UniqueID { ids[position] }
  func check(_ position: Int) -> GroupCheck { GroupCheck(ids[position], rows[position].pool) }
  package var checks: [GroupCheck] { ids.indices.map { check($0) } }

  func isOf(_ checks: [GroupCheck]) -> Bool {
    checks.count == count && checks.indices.allSatisfy { check($0) == checks[$0] }
  }

  /// By position in `checks`. `nil` where no member that may have it is there.
  package func owner(_ position: Int) -> String? { name(ownerPlace(position)) }
  package func standby(_ position: Int) -> String? { name(standbyPlace(position)) }

  /// The seat of a name, for comparing positions without texts; `nil` when it is not there.
  func place(_ name: String) -> Int32? { placeOf[ByteText(name)].map { Int32($0) } }
  func ownerPlace(_ position: Int) -> Int32 { Self.number(rows[position].holders.owner) }
  func standbyPlace(_ position: Int) -> Int32 { Self.number(rows[position].holders.standby) }
  func name(_ place: Int32) -> String? { place < 0 ? nil : places[Int(place)]?.name }
  private static func number(_ seat: UInt16) -> Int32 { seat == Holders.none ? -1 : Int32(seat) }

  /// By which the rows are ranked.
  private(set) var pools = MemberCard.Pools()
  /// This member's, which it has also while the store does not show its card; of effect with the next view.
  package var ownPools = MemberCard.Pools()
}

// What changes.
extension Placement {
  /// Another list of checks; their order is the caller's. Checks in both cost nothing.
  package mutating func replace(_ checks: [GroupCheck]) {
    let known = knownRows()
    let ranking = Pool.allCases.map { PlacementRanking(self, $0) }
    ids = checks.map(\.id)
    rows = checks.map { check in
      if let row = known[check.id], row.pool == check.pool { return row }
      return Row(check.pool, ranking[Int(check.pool.rawValue)].holders(of: check.id))
    }
  }

  private func knownRows() -> [UniqueID: Row] {
    guard !placeOf.isEmpty else { return [:] }
    return Dictionary(zip(ids, rows), uniquingKeysWith: { first, _ in first })
  }

  /// Hashes that `replace` would make.
  func cost(of checks: [GroupCheck]) -> Int {
    guard !placeOf.isEmpty else { return 0 }
    let known = knownRows()
    return checks.count { known[$0.id]?.pool != $0.pool } * placeOf.count  // bounded: lists in memory
  }

  /// The members as they are now. Those that are as they were cost nothing.
  ///
  /// - Parameter name: whose card is all that is different; nil: anybody's may be.
  package mutating func follow(_ view: GroupView, only name: ByteText? = nil) {
    follow(change(to: view, only: name))
  }

  /// Hashes that `follow` would make, about.
  func cost(of view: GroupView, only name: ByteText? = nil) -> Int { cost(of: change(to: view, only: name)) }

  /// Differences of a view.
  private struct Change {
    var pools: MemberCard.Pools
    /// Nothing of the old order holds.
    var isAll = false
    var left: [ByteText] = []
    /// In the order of their names.
    var came: [Place] = []
  }

  private func change(to view: GroupView, only name: ByteText?) -> Change {
    let mine = view.members[ByteText(own)]
    var change = Change(pools: mine.flatMap { $0.card.weight > 0 ? $0.card.pools : nil } ?? ownPools)
    change.isAll = !change.pools.agrees(with: pools)
    if let name, !change.isAll {
      look(at: name, placeOf[name], view.members[name]?.card, &change)
    } else {
      for (name, index) in placeOf { look(at: name, index, view.members[name]?.card, &change) }
      for (name, member) in view.members where placeOf[name] == nil {
        look(at: name, nil, member.card, &change)
      }
    }
    change.came.sort { $0.name < $1.name }
    // Each that comes is held against who is there: where most are new, all are counted together.
    if 2 * change.came.count > view.members.count { change.isAll = true }
    return change
  }

  private func look(at name: ByteText, _ index: Int?, _ card: MemberCard?, _ change: inout Change) {
    if let index {
      guard change.isAll || !isSame(places[index], card) else { return }
      change.left.append(name)
    }
    guard let card, card.weight > 0 else { return }
    let text = name.text
    change.came.append(
      Place(name: text, seed: Rendezvous.seed(text), weight: card.weight, pools: card.pools))
  }

  private func isSame(_ place: Place?, _ card: MemberCard?) -> Bool {
    guard let place, let card else { return false }
    return place.weight == card.weight && place.pools == card.pools
  }

  private func cost(of change: Change) -> Int {
    let stay = placeOf.count - change.left.count  // bounded: members
    let all = stay + change.came.count
    if change.isAll { return count * all }  // bounded: lists in memory
    // Of each that left what it had or stood by for, on average.
    let given = placeOf.isEmpty ? 0 : 2 * count / placeOf.count * change.left.count
    return given * stay + 2 * count * change.came.count  // bounded: lists in memory
  }

  private mutating func follow(_ change: Change) {
    pools = change.pools
    var left = [Bool](repeating: false, count: places.count)
    for name in change.left {
      guard let index = placeOf.removeValue(forKey: name) else { continue }
      left[index] = true
      places[index] = nil
    }
    if change.isAll {
      for place in change.came { seat(place) }
      let ranking = Pool.allCases.map { PlacementRanking(self, $0) }
      for position in rows.indices { rank(position, ranking) }
      return
    }
    if !change.left.isEmpty { release(left) }
    for place in change.came { claim(for: seat(place)) }
  }

  @discardableResult
  private mutating func seat(_ place: Place) -> Int {
    let index = places.firstIndex { $0 == nil } ?? places.count
    if index == places.count { places.append(place) } else { places[index] = place }
    placeOf[ByteText(place.name)] = index
    return index
  }

  /// Ranks the checks of these members again.
  private mutating func release(_ left: [Bool]) {
    let ranking = Pool.allCases.map { PlacementRanking(self, $0) }
    for position in rows.indices {
      let holders = rows[position].holders
      if isLeft(holders.owner, left) || isLeft(holders.standby, left) { rank(position, ranking) }
    }
  }

  private func isLeft(_ seat: UInt16, _ left: [Bool]) -> Bool { seat != Holders.none && left[Int(seat)] }

  private mutating func rank(_ position: Int, _ ranking: [PlacementRanking]) {
    let pool = Int(rows[position].pool.rawValue)
    rows[position].holders = ranking[pool].holders(of: ids[position])
  }

  /// The claims of one that came, against what is there.
  private mutating func claim(for index: Int) {
    guard let place = places[index] else { return }
    let without = Set(place.pools.without)
    for pool in Pool.allCases where place.pools[pool] == pools[pool] {
      let seats = PlacementSeats(self)
      for position in rows.indices where rows[position].pool == pool {
        if !without.isEmpty, without.contains(ids[position]) { continue }
        let holders = rows[position].holders
        let fresh = seats.entering(UInt16(index), holders, ids[position])
        if fresh != holders { rows[position].holders = fresh }
      }
    }
  }
}
