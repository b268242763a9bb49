// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Rows that travel together: a batch as it was read, or a part of one that was refused.
struct Piece: Hashable, Sendable {
  let id: Int
  var rows: [QueuedRecord]
  /// Made while looking for poison: sending it costs from the bisection allowance.
  var isSplit = false
  /// The other half of the same refused piece, while its acceptance would prove that the poison is in this one.
  var sibling: Int?
  /// Refused together with its other half, which was accepted since.
  var isKnownBad = false
  var blame = Blame()

  /// A batch that fails while others are accepted may be the reason for it: by its rows where the receiver answers with a
  /// bare 500 (`failures`), else by its size (`alone`).
  struct Blame: Hashable, Sendable {
    var failures = 0
    /// How often it failed right after something else was accepted.
    var alone = 0
    var since: Timestamp?
    var othersAccepted = false
    var notBefore: Timestamp?
  }

  var isSuspect: Bool { blame.failures > 0 || blame.alone > 0 }
}

/// State of one lane: the rows on their way. Settled rows are the queue's to know, in whatever order.
struct LaneLedger: Hashable, Sendable {
  private(set) var pieces: [Piece] = []
  /// When to ask the queue again; nil: at once.
  var nextLook: Timestamp?

  var openRows: Int { pieces.reduce(0) { $0 + $1.rows.count } }

  /// How many records to ask the queue for to see `count` new ones.
  func limit(for count: Int) -> Int { count + openRows }

  /// With more than this in memory, the lane waits for what is stuck.
  var isFull: Bool { openRows >= 10_000 || pieces.count { $0.isSuspect } >= 2 }

  func unknown(_ records: [QueuedRecord]) -> [QueuedRecord] {
    let open = Set(pieces.lazy.flatMap(\.rows).map(\.sequence))
    return records.filter { !open.contains($0.sequence) }
  }

  mutating func add(_ piece: Piece) { pieces.append(piece) }

  mutating func update(_ piece: Piece) {
    guard let index = pieces.firstIndex(where: { $0.id == piece.id }) else { return }
    if piece.rows.isEmpty { pieces.remove(at: index) } else { pieces[index] = piece }
  }

  mutating func replace(_ piece: Piece, with parts: [Piece]) {
    guard let index = pieces.firstIndex(where: { $0.id == piece.id }) else { return }
    pieces.replaceSubrange(index...index, with: parts)
  }

  mutating func forEach(_ change: (inout Piece) -> Void) {
    for index in pieces.indices { change(&pieces[index]) }
  }

  /// Takes rows that are settled out of their piece.
  mutating func settle(_ rows: [QueuedRecord], of piece: Piece) {
    let done = Set(rows.map(\.sequence))
    var piece = piece
    piece.rows.removeAll { done.contains($0.sequence) }
    update(piece)
  }
}
