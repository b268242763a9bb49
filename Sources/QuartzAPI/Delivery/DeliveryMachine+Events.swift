// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension DeliveryMachine {
  /// The queue's answer to a `fetch`.
  package mutating func fetched(_ lane: DeliveryLane, _ records: [QueuedRecord], at now: Timestamp)
    -> [Effect]
  {
    guard var ledger = lanes[lane] else { return [] }
    defer { lanes[lane] = ledger }
    let fresh = ledger.unknown(records)
    if lane == .live { (arrived, lookedAt) = (0, now) }
    // A full batch says there may be more; anything less, that the lane is empty for now.
    ledger.nextLook = fresh.count >= batchLimit ? nil : now.advanced(by: pause(lane, fresh, at: now))
    let taken = fresh.prefix(batchLimit)
    let wanted = taken.filter { isWanted($0.record) }
    if !wanted.isEmpty {
      nextPiece += 1
      ledger.add(Piece(id: nextPiece, rows: wanted))
    }
    let withheld = taken.filter { !isWanted($0.record) }
    guard !withheld.isEmpty else { return [] }
    tally.withheld += withheld.count
    return [.acknowledge(lane, withheld.map(\.sequence))]
  }

  /// Until the next look at a lane that had less than a batch.
  private mutating func pause(_ lane: DeliveryLane, _ found: [QueuedRecord], at now: Timestamp) -> Duration {
    guard lane == .live, let until = hurryUntil else { return settings.every }
    // Other results are not what is waited for; each look that finds some costs a request.
    if until > now, !found.contains(where: { $0.record.trigger == .manual }) {
      return found.isEmpty ? min(Self.glance, settings.every) : min(Self.storeGroup, settings.every)
    }
    hurryUntil = nil
    return settings.every
  }

  /// A result that answers an ask was recorded, and is in the store within a second: it is sent without waiting for a batch.
  package mutating func hurry(at now: Timestamp) {
    hurryUntil = now.advanced(by: Self.hurryTime)
    lanes[.live]?.nextLook = nil
  }

  /// The next sign of life is due now, unless this agent gives none.
  package mutating func makeContact() {
    guard lastPost != nil else { return }
    lastPost = .epoch
    lanes[.live]?.nextLook = nil
  }

  /// The store writes in groups, at most `storeGroup` apart; looked at so often meanwhile.
  private static let hurryTime: Duration = .seconds(5)
  private static let storeGroup: Duration = .seconds(1)
  private static let glance: Duration = .milliseconds(200)

  private func isWanted(_ record: DeliveryRecord) -> Bool {
    record.isDeliverable && (settings.carriesMaintenance || !record.flags.contains(.maintenance))
  }

  /// New results were recorded; a full batch of them does not wait for the next flush.
  package mutating func recorded(_ count: Int) {
    arrived += count
    if arrived >= batchLimit { lanes[.live]?.nextLook = nil }
  }

  /// A full batch waits, or the flush is due at once.
  package var isLiveDue: Bool { lanes[.live]?.nextLook == nil }

  /// Looks at both lanes at once instead of waiting for the flush.
  package mutating func flush() {
    inFlight = nil
    for lane in DeliveryLane.allCases { lanes[lane]?.nextLook = nil }
  }

  /// The request under way ended without an answer because we stop: its rows are open again.
  package mutating func abandon() { inFlight = nil }

  /// The rate budget does not admit the request that was to be made.
  package mutating func refused(_ use: RequestUse, until: Timestamp) {
    throttled[use] = until
    if use == .bisection { _ = bisections.popLast() }
    inFlight = nil
  }

  /// The queue has dropped rows of the batch that was to be made, and counts them as lost.
  package mutating func dropped(_ sequences: Set<UInt64>, of batch: Batch) {
    if batch.use == .bisection { _ = bisections.popLast() }
    inFlight = nil
    for piece in lanes[batch.lane]?.pieces ?? [] {
      let gone = piece.rows.filter { sequences.contains($0.sequence) }
      guard !gone.isEmpty else { continue }
      // What is left is not what was refused before: neither half proves anything about the other.
      forgetSiblings(of: piece, in: batch.lane)
      var rest = piece
      (rest.sibling, rest.isKnownBad) = (nil, false)
      lanes[batch.lane]?.settle(gone, of: rest)
    }
  }

  /// The outcome of a heartbeat.
  package mutating func heartbeatAnswered(
    _ outcome: DeliveryOutcome, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    // One that fails is repeated as soon as the backoff is over: a run that was asked for waits for it.
    if case .transient = outcome {} else { lastPost = now }
    sentAt = nil
    switch outcome {
    case .acknowledged: return succeeded(at: now)
    // There are no rows to blame or to halve: what is left of such an answer is that it was none.
    case .rowsRefused, .checkGone, .tooLarge:
      return failed(Notice.warning(.delivery, "the receiver refuses an empty batch"), at: now)
    default: return answered(outcome, at: now, using: &generator)
    }
  }

  /// The outcome of the batch that is under way.
  package mutating func answered(
    _ outcome: DeliveryOutcome, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    let sent = inFlight
    inFlight = nil
    switch outcome {
    case .acknowledged(let acknowledgement):
      guard let sent else { return [] }
      // A small one proves nothing about larger ones.
      if sent.piece.rows.count * 2 > batchLimit { grewWell() }
      return accept(sent.piece, of: sent.lane, acknowledgement, at: now)
    case .rowsRefused(let code):
      reached()
      return sent.map { divide($0.piece, of: $0.lane, code: code) } ?? []
    case .checkGone(let check, let code):
      reached()
      return sent.map { remove(check, from: $0.piece, of: $0.lane, code: code) } ?? []
    case .tooLarge: return sent.map { shrink($0.piece, of: $0.lane, at: now) } ?? []
    case .throttled(let wait):
      hold(wait ?? .seconds(60), at: now)
      return failed(Notice.warning(.delivery, "the receiver asks for fewer requests (429)"), at: now)
    case .misconfigured(let trouble, let retry):
      hold(retry, at: now)
      return failed(trouble, at: now)
    case .unauthorized(let trouble): return unauthorized(trouble, at: now)
    case .transient(let trouble, let wait, let blamesBatch):
      let own = backoff.next(using: &generator)
      let pause = wait.map { max($0, backoff.first) } ?? own
      hold(pause, at: now)
      let worked = failingSince == nil && hasDelivered
      let effects = failed(trouble, at: now)
      guard let sent else { return effects }
      if blamesBatch { return effects + blame(sent.piece, of: sent.lane, pause: pause, at: now) }
      if worked { return effects + doubt(sent.piece, of: sent.lane, pause: pause, at: now) }
      // Another one fails as well: it is no batch's fault.
      for lane in DeliveryLane.allCases {
        lanes[lane]?.forEach { if $0.id != sent.piece.id { $0.blame.alone = 0 } }
      }
      return effects
    }
  }

  /// The key file was read again, or a new session is there (`changed`), or it is the same as before.
  package mutating func credentialsRenewed(changed: Bool) {
    // Once per refusal: credentials that are new and refused as well wait their turn.
    guard changed, !triedRenewal else { return }
    triedRenewal = true
    authorizationFailures = 0
    holdUntil = nil
  }

  private mutating func hold(_ pause: Duration, at now: Timestamp) { holdUntil = now.advanced(by: pause) }

  private mutating func failed(_ trouble: Notice, at now: Timestamp) -> [Effect] {
    if failingSince == nil { failingSince = now }
    tally.trouble = trouble
    tally.troubleSince = failingSince
    return []
  }

  private mutating func unauthorized(_ trouble: Notice, at now: Timestamp) -> [Effect] {
    let minutes = [1, 5, 15][min(authorizationFailures, 2)]
    authorizationFailures += 1
    hold(.seconds(minutes * 60), at: now)
    return failed(trouble, at: now) + [.renewCredentials]
  }

  /// The receiver talks to us, whatever it thinks of the rows.
  private mutating func reached() {
    backoff.reset()
    holdUntil = nil
    authorizationFailures = 0
    triedRenewal = false
  }

  mutating func succeeded(at now: Timestamp) -> [Effect] {
    reached()
    lastPost = now
    let outage = failingSince.map { $0.duration(to: now) } ?? .zero
    failingSince = nil
    tally.lastSuccess = now
    let isOneLeft = lanes.values.contains { $0.pieces.contains { $0.blame.alone > 0 } }
    if !isOneLeft { (tally.trouble, tally.troubleSince) = (nil, nil) }
    // What piled up, while delivery did not work or before this start, must not stand before what comes now.
    wantsLiveLane = wantsLiveLane || !hasDelivered || outage >= .seconds(60)
    hasDelivered = true
    // Parts being looked through are finished first: their story would be lost with the ledgers.
    let isSearching = parkedRows == 0 && lanes.values.contains { $0.pieces.contains(where: \.isSplit) }
    guard wantsLiveLane, !isSearching, !isOneLeft else { return [] }
    wantsLiveLane = false
    // The queue moves records between the lanes, so nothing known of either holds any longer.
    lanes = [.live: LaneLedger(), .backlog: LaneLedger()]
    lanes[.live]?.nextLook = now.advanced(
      by: hurryUntil == nil ? settings.every : min(Self.glance, settings.every))
    return [.startLiveLane]
  }
}
