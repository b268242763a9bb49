// SPDX-License-Identifier: MIT

import Basics

/// Who runs what, as the members have it at one time. Pure.
struct PlacementRules {
  /// What one process says of itself.
  struct Picture {
    let seat: Int
    let name: String
    /// Since its start, or since it went on.
    let lives: Duration
    let isInside: Bool
    let isAlone: Bool
    /// It can read who is in the group, and so take what is its own.
    let canRead: Bool
    /// Another process has its name.
    let hasRival: Bool
    /// Revision of its view; 0: it has none.
    let view: Int64
    let held: Int
    let standingIn: Int
    let total: Int
    /// By check; nil: nobody who may have it.
    let owners: [UniqueID: String?]
    let runs: Set<UniqueID>
  }

  let ttl: Duration
  /// Since when a member runs all, with its view, while another lives.
  private var runsAll: [Int: Instant] = [:]
  /// Since when a member has been alone without a view.
  private var blind: [Int: Instant] = [:]

  init(ttl: Duration) { self.ttl = ttl }

  /// Nothing has happened for long: everybody is inside, and each check is run by whom all say that it belongs to.
  ///
  /// - Parameter newest: the revision that the store is at.
  func judge(_ pictures: [Picture], newest: Int64) -> Violation.Found? {
    let inside = pictures.filter(\.isInside)
    for picture in pictures where !picture.isInside {
      guard picture.hasRival, inside.contains(where: { $0.name == picture.name }) else {
        return (.agreed, "\(picture.name) is not in the group")
      }
      if !picture.runs.isEmpty {
        return (.agreed, "\(picture.name) runs checks although the name is another's")
      }
    }
    guard let first = inside.first else { return nil }
    for picture in inside {
      let name = picture.name
      if picture.isAlone { return (.agreed, "\(name) believes itself alone") }
      if picture.view > newest {
        return (.agreed, "\(name) has the view \(picture.view) of a store that is at \(newest)")
      }
      if picture.held + picture.standingIn > 0 {
        return (.agreed, "\(name) holds \(picture.held) checks and stands in for \(picture.standingIn)")
      }
      if Set(inside.map(\.name)).count != inside.count { return (.agreed, "two are in the group as \(name)") }
      if picture.owners != first.owners {
        return (.agreed, "\(name) and \(first.name) differ in who owns what")
      }
      for (check, owner) in picture.owners where picture.runs.contains(check) != (owner == name) {
        return (.agreed, "\(name) does not run what it owns, or more: \(check) is \(owner ?? "nobody")'s")
      }
    }
    return nil
  }

  /// At any time: who has a view of others does not run everything, but for a moment. Where the store is full nobody can say
  /// what it runs, so hand-overs wait.
  mutating func judgeAll(_ pictures: [Picture], isFull: Bool, now: Instant) -> Violation.Found? {
    if isFull { runsAll = [:] }
    for picture in pictures {
      let others = pictures.contains {
        $0.name != picture.name && $0.isInside && $0.view > 0 && $0.canRead && !$0.isAlone
          && $0.lives > ttl * 3
      }
      let isInPeace = picture.view > 0 && !picture.isAlone
      guard picture.runs.count == picture.total, picture.total > 0, isInPeace, others else {
        runsAll[picture.seat] = nil
        continue
      }
      let since = runsAll[picture.seat] ?? now
      runsAll[picture.seat] = since
      if since.duration(to: now) > ttl * 4 {
        return (.all, "\(picture.name) has run all checks for \(since.duration(to: now))")
      }
    }
    return nil
  }

  /// At any time: who knows nobody, and has had no store for a lease, runs everything, since nobody else may.
  mutating func judgeBlind(_ pictures: [Picture], now: Instant) -> Violation.Found? {
    for picture in pictures {
      guard picture.isAlone, picture.view == 0 else {
        blind[picture.seat] = nil
        continue
      }
      let since = blind[picture.seat] ?? now
      blind[picture.seat] = since
      if since.duration(to: now) > .seconds(1), picture.runs.count < picture.total {
        return (
          .blind,
          "\(picture.name) has had neither view nor store for \(since.duration(to: now)), and runs \(picture.runs.count) of \(picture.total)"
        )
      }
    }
    return nil
  }
}
