// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Decides what the uploader does next and what an answer leads to. No clock, no network, no store: an event and the
/// time go in, actions come out.
///
/// One batch is under way at a time. The live lane goes first, then the backlog; a batch refused for its rows is halved
/// until the bad row stands alone; only results that the receiver rejected are given up.
package struct DeliveryMachine: Sendable {
  package struct Settings: Hashable, Sendable {
    /// Rows in a request.
    package var batch = 500
    /// How long a live result waits for company.
    package var every: Duration = .seconds(15)
    /// An empty batch when none went out for so long; `nil` when the receiver has no use for one.
    package var heartbeat: Duration?
    /// An empty batch at the start, where there is nothing else to send: for what the receiver says in turn.
    package var greets = false
    /// Whether results in a maintenance window are sent.
    package var carriesMaintenance = false
    /// Requests an hour spent on looking for poison.
    package var bisectionsPerHour = 40

    package init() {}
  }

  /// The next step.
  package enum Action: Hashable, Sendable {
    case fetch(DeliveryLane, limit: Int)
    case send(Batch)
    case heartbeat
    case wait(until: Timestamp)
  }

  /// A request to make; `answered` reports on it.
  package struct Batch: Hashable, Sendable {
    package let lane: DeliveryLane
    package let rows: [QueuedRecord]
    package let use: RequestUse
  }

  /// Effects of an event outside, in this order.
  package enum Effect: Hashable, Sendable {
    case quarantine([QueuedRecord], code: String)
    /// The rows of these sequences are settled.
    case acknowledge(DeliveryLane, [UInt64])
    case startLiveLane
    /// Read the key again, or sign in again, then report to `credentialsRenewed`.
    case renewCredentials
    /// Keep this for the next run.
    case remember(BatchMemory)
  }

  let settings: Settings
  var lanes: [DeliveryLane: LaneLedger] = [.live: LaneLedger(), .backlog: LaneLedger()]
  var inFlight: (lane: DeliveryLane, piece: Piece)? { didSet { if inFlight == nil { sentAt = nil } } }
  /// When the request that is under way was handed out.
  var sentAt: Timestamp?
  var nextPiece = 0
  /// Rows in a request from now on; 413 halves it for good.
  package internal(set) var batchLimit: Int
  /// When the last 413 halved it, or a larger one was tried.
  var shrunkAt: Timestamp?
  /// How long after that the next larger one is tried.
  var growPatience = BatchMemory.patience.lowerBound
  /// The last change of the size was to a larger one.
  var hasGrown = false
  var backoff = Backoff()
  var authorizationFailures = 0
  var triedRenewal = false
  /// Nothing is sent before then.
  var holdUntil: Timestamp?
  /// Uses that the rate budget does not admit before then.
  var throttled: [RequestUse: Timestamp] = [:]
  var bisections: [Timestamp] = []
  var failingSince: Timestamp?
  var hasDelivered = false
  /// The next success makes what is pending the backlog.
  var wantsLiveLane = false
  var lastPost: Timestamp?
  /// Until then the live lane is looked at more often.
  var hurryUntil: Timestamp?
  /// How often the receiver wants to hear of the agent, where it says so.
  package var contact: Duration?
  var arrived = 0
  /// When the queue was last asked for live results.
  var lookedAt: Timestamp?
  package internal(set) var tally = DeliveryTally()

  package init(settings: Settings) {
    self.settings = settings
    self.batchLimit = settings.batch
  }

  /// A piece that could go, and what it would count as.
  private struct Candidate {
    var lane: DeliveryLane
    var piece: Piece
    var use: RequestUse
  }

  /// The next step at `now`. A `send` must be answered before the next call.
  package mutating func next(at now: Timestamp) -> Action {
    if let holdUntil, holdUntil > now { return .wait(until: holdUntil) }
    if lastPost == nil { lastPost = settings.greets ? .epoch : now }
    growBatch(at: now)
    let ready = candidates(at: now)
    joinContact(at: now)
    for lane in DeliveryLane.allCases {
      if let piece = ready.first(where: { $0.lane == lane && !$0.piece.isSuspect }) {
        return send(piece, at: now)
      }
      if let ledger = lanes[lane], mayFetch(ledger, lane, at: now) {
        return .fetch(lane, limit: ledger.limit(for: batchLimit))
      }
    }
    if let suspect = ready.first { return send(suspect, at: now) }
    if let due = heartbeatDue, due <= now {
      sentAt = now
      return .heartbeat
    }
    return .wait(until: nextEvent(after: now))
  }

  /// A contact that is due takes along what waits.
  private mutating func joinContact(at now: Timestamp) {
    guard let due = heartbeatDue, due <= now, lookedAt.map({ $0 < due }) ?? true else { return }
    guard throttled[.live] == nil, lanes[.live]?.isFull == false else { return }
    lanes[.live]?.nextLook = nil
  }

  private func mayFetch(_ ledger: LaneLedger, _ lane: DeliveryLane, at now: Timestamp) -> Bool {
    (ledger.nextLook ?? now) <= now && !ledger.isFull && (throttled[use(of: lane)] ?? now) <= now
  }

  private mutating func send(_ candidate: Candidate, at now: Timestamp) -> Action {
    inFlight = (candidate.lane, candidate.piece)
    sentAt = now
    if candidate.use == .bisection { bisections.append(now) }
    return .send(Batch(lane: candidate.lane, rows: candidate.piece.rows, use: candidate.use))
  }

  /// Pieces that may go now: live before backlog, in each the parts before whole batches.
  private mutating func candidates(at now: Timestamp) -> [Candidate] {
    bisections.removeAll { $0.advanced(by: .seconds(3600)) <= now }
    throttled = throttled.filter { $0.value > now }
    var found: [Candidate] = []
    for lane in DeliveryLane.allCases {
      let pieces = lanes[lane]?.pieces ?? []
      for piece in pieces.filter(\.isSplit) + pieces.filter({ !$0.isSplit }) {
        let use = piece.isSplit ? RequestUse.bisection : use(of: lane)
        let isParked = piece.isSplit && bisections.count >= settings.bisectionsPerHour
        guard !isParked, throttled[use] == nil, (piece.blame.notBefore ?? now) <= now else { continue }
        found.append(Candidate(lane: lane, piece: piece, use: use))
      }
    }
    return found
  }

  private var heartbeatDue: Timestamp? {
    guard let every = settings.heartbeat, let lastPost, throttled[.heartbeat] == nil else { return nil }
    return lastPost.advanced(by: min(every, contact ?? every))
  }

  private func nextEvent(after now: Timestamp) -> Timestamp {
    var times = Array(throttled.values) + [heartbeatDue].compactMap { $0 }
    for ledger in lanes.values {
      times += [ledger.nextLook].compactMap { $0 } + ledger.pieces.compactMap(\.blame.notBefore)
    }
    if parkedRows > 0, let oldest = bisections.first { times.append(oldest.advanced(by: .seconds(3600))) }
    let later = times.filter { $0 > now }.min()
    return later ?? now.advanced(by: settings.every)
  }

  func use(of lane: DeliveryLane) -> RequestUse { lane == .live ? .live : .backlog }

  /// Rows in parts that wait for the bisection allowance.
  package var parkedRows: Int {
    guard bisections.count >= settings.bisectionsPerHour else { return 0 }
    return lanes.values.reduce(0) { sum, ledger in
      sum + ledger.pieces.filter(\.isSplit).reduce(0) { $0 + $1.rows.count }
    }
  }
}

/// Counts since the start, and the last word on how delivery goes.
package struct DeliveryTally: Hashable, Sendable {
  /// Rows the receiver has, duplicates included.
  package var delivered = 0
  /// Of these, rows it had already; only the quartz transport tells.
  package var duplicates = 0
  package var quarantined = 0
  /// Of these, how many by the receiver's code.
  package var codes: [ByteText: Int] = [:]
  /// Rows that are not delivered: unknown, or in maintenance where the receiver has no place for that.
  package var withheld = 0
  package var batches = 0
  package var lastSuccess: Timestamp?
  package var trouble: Notice?
  package var troubleSince: Timestamp?

  package init() {}
}
