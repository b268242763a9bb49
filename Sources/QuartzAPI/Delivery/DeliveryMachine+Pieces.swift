// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension DeliveryMachine {
  mutating func accept(
    _ piece: Piece, of lane: DeliveryLane, _ acknowledgement: Acknowledgement, at now: Timestamp
  ) -> [Effect] {
    let codes = Dictionary(
      acknowledgement.rejected.map { ($0.id, $0.code) }, uniquingKeysWith: { first, _ in first })
    let rejected = Dictionary(
      grouping: piece.rows.filter { codes[$0.record.sentID] != nil },
      by: { ByteText(codes[$0.record.sentID] ?? "") })
    var effects = rejected.sorted { $0.key.text < $1.key.text }
      .map { Effect.quarantine($0.value, code: $0.key.text) }
    for (code, rows) in rejected { count(rows.count, code.text) }
    tally.delivered += piece.rows.count { codes[$0.record.sentID] == nil }
    tally.duplicates += acknowledgement.duplicates ?? 0
    tally.batches += 1
    effects += settle(piece.rows, of: piece, in: lane)
    for other in DeliveryLane.allCases {
      lanes[other]?.forEach { if $0.isSuspect { $0.blame.othersAccepted = true } }
    }
    if codes.isEmpty { convict(siblingOf: piece, in: lane) }
    return effects + succeeded(at: now)
  }

  /// Half of a refused piece was accepted: the poison is in the other, which need not be sent whole again.
  private mutating func convict(siblingOf accepted: Piece, in lane: DeliveryLane) {
    guard var other = lanes[lane]?.pieces.first(where: { $0.sibling == accepted.id }) else { return }
    other.sibling = nil
    other.isKnownBad = true
    lanes[lane]?.update(other)
    if other.rows.count > 1 { split(other, of: lane, countsAsBisection: true) }
  }

  mutating func divide(_ piece: Piece, of lane: DeliveryLane, code: String) -> [Effect] {
    forgetSiblings(of: piece, in: lane)
    if piece.rows.count > 1 {
      split(piece, of: lane, countsAsBisection: true)
      return []
    }
    // A unique violation of a row that stands alone says that the receiver has it.
    if code == "23505" {
      tally.delivered += 1
      tally.duplicates += 1
      return settle(piece.rows, of: piece, in: lane)
    }
    return quarantine(piece.rows, of: piece, in: lane, code: code)
  }

  /// Takes every row of a check that is gone out of the batch; the rest goes again as one.
  mutating func remove(_ check: UniqueID, from piece: Piece, of lane: DeliveryLane, code: String) -> [Effect]
  {
    let gone = piece.rows.filter { $0.record.checkID == check }
    if gone.isEmpty { return divide(piece, of: lane, code: code) }
    // This half is no longer what was refused before, so its acceptance proves nothing about the other.
    forgetSiblings(of: piece, in: lane)
    return quarantine(gone, of: piece, in: lane, code: code)
  }

  mutating func shrink(_ piece: Piece, of lane: DeliveryLane, at now: Timestamp) -> [Effect] {
    if piece.rows.count > 1 { return halve(piece, of: lane, at: now) }
    holdUntil = now.advanced(by: .seconds(900))
    if failingSince == nil { failingSince = now }
    tally.trouble = Notice.warning(
      .delivery, "the receiver takes not even one result in a request (413)",
      hint: "raise the body limit of the proxy before it")
    tally.troubleSince = failingSince
    return []
  }

  /// Smaller batches from now on, this one among them.
  private mutating func halve(_ piece: Piece, of lane: DeliveryLane, at now: Timestamp) -> [Effect] {
    batchLimit = max(1, min(batchLimit, piece.rows.count / 2))
    split(piece, of: lane, countsAsBisection: piece.isSplit)
    return remember(at: now)
  }

  /// No answer, or a gateway's, while others are accepted: the batch may take the receiver longer than it has. It is halved
  /// after three such failures; a row that stands alone is tried ever more rarely, and never given up.
  mutating func doubt(_ piece: Piece, of lane: DeliveryLane, pause: Duration, at now: Timestamp) -> [Effect] {
    var piece = piece
    piece.blame.alone += 1
    piece.blame.notBefore = now.advanced(by: max(pause, Self.ownPause(piece.blame.alone)))
    lanes[lane]?.update(piece)
    guard piece.blame.alone >= 3, piece.rows.count > 1 else { return [] }
    return halve(piece, of: lane, at: now)
  }

  /// The pause of one batch grows although the acceptance of others resets the common one.
  private static func ownPause(_ failures: Int) -> Duration { .seconds(min(300, 1 << min(failures, 9))) }

  /// A bare 500 for the same rows, again and again, while others are accepted: then it is the rows.
  mutating func blame(_ piece: Piece, of lane: DeliveryLane, pause: Duration, at now: Timestamp) -> [Effect] {
    var piece = piece
    piece.blame.failures += 1
    piece.blame.since = piece.blame.since ?? now
    piece.blame.notBefore = now.advanced(by: max(pause, Self.ownPause(piece.blame.failures)))
    lanes[lane]?.update(piece)
    guard isProven(piece, at: now) else { return [] }
    piece.blame = Piece.Blame()
    lanes[lane]?.update(piece)
    return divide(piece, of: lane, code: "http_500")
  }

  /// Eight refusals over half an hour while others were accepted; two for a row whose other half was accepted.
  private func isProven(_ piece: Piece, at now: Timestamp) -> Bool {
    guard piece.blame.othersAccepted, let since = piece.blame.since else { return false }
    if piece.isKnownBad { return piece.blame.failures >= 2 }
    return piece.blame.failures >= 8 && since.duration(to: now) >= .seconds(1800)
  }

  private mutating func split(_ piece: Piece, of lane: DeliveryLane, countsAsBisection: Bool) {
    let middle = (piece.rows.count + 1) / 2
    nextPiece += 2
    var left = Piece(id: nextPiece - 1, rows: Array(piece.rows[..<middle]))
    var right = Piece(id: nextPiece, rows: Array(piece.rows[middle...]))
    left.isSplit = countsAsBisection
    right.isSplit = countsAsBisection
    // They are still what fails while others do not.
    let alone = min(piece.blame.alone, 1)
    (left.blame.alone, right.blame.alone) = (alone, alone)
    if countsAsBisection {
      left.sibling = right.id
      right.sibling = left.id
    }
    lanes[lane]?.replace(piece, with: [left, right])
  }

  mutating func forgetSiblings(of piece: Piece, in lane: DeliveryLane) {
    lanes[lane]?.forEach { if $0.sibling == piece.id { $0.sibling = nil } }
  }

  private mutating func quarantine(
    _ rows: [QueuedRecord], of piece: Piece, in lane: DeliveryLane, code: String
  ) -> [Effect] {
    count(rows.count, code)
    return [.quarantine(rows, code: code)] + settle(rows, of: piece, in: lane)
  }

  private mutating func count(_ rows: Int, _ code: String) {
    tally.quarantined += rows
    // A receiver that makes up a code for each row fills no memory.
    let isKnown = tally.codes[ByteText(code)] != nil || tally.codes.count < Self.mostCodes
    tally.codes[isKnown ? ByteText(code) : Self.otherCodes, default: 0] += rows
  }

  static let mostCodes = 64
  private static let otherCodes = ByteText("other codes")

  private mutating func settle(_ rows: [QueuedRecord], of piece: Piece, in lane: DeliveryLane) -> [Effect] {
    lanes[lane]?.settle(rows, of: piece)
    return [.acknowledge(lane, rows.map(\.sequence))]
  }
}
