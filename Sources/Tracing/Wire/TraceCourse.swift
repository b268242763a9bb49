// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Which packet each flow sends next, and how long its answer is waited for. Pure.
///
/// Every flow goes up the TTLs, round by round, to where it ends. Where no answer comes any more, it goes on for a
/// while: silent routers are common, more than a few in a row are not.
struct TraceCourse: Hashable, Sendable {
  let request: TraceRequest
  /// One packet of a flow at a time, whose silence takes its time: where no answer comes the flows share the TTLs.
  let takesTurns: Bool
  /// A host at the target's address answers, so that silence is no end.
  var targetAnswers = false
  private(set) var circle: TraceCircle?
  private var lanes: [Lane]
  private let firstTTL: Int

  private struct Lane: Hashable, Sendable {
    var round = 0
    var ttl: Int
    var isDone = false
  }

  /// TTLs beyond the last answer that are tried at first, and in every later round.
  static let silence = 8
  static let laterSilence = 3

  /// - Parameter firstTTL: what lies before it is known.
  init(_ request: TraceRequest, takesTurns: Bool, firstTTL: Int = 1) {
    (self.request, self.takesTurns, self.firstTTL) = (request, takesTurns, firstTTL)
    lanes = Array(repeating: Lane(ttl: firstTTL), count: request.flows)
  }

  var isDone: Bool { lanes.allSatisfy(\.isDone) }

  /// The round that a flow is in, from 0.
  func round(of flow: Int) -> Int { lanes[flow].round }
  func isDone(_ flow: Int) -> Bool { lanes[flow].isDone }

  /// `nil` for none for now. A round without a packet to send that is not waited for is over.
  ///
  /// - Parameter waits: packets of this flow are on their way, whose answers may make the way longer.
  mutating func next(_ flow: Int, _ book: TraceBook, waits: Bool) -> TracePacket? {
    guard !lanes[flow].isDone else { return nil }
    let (round, limit) = (lanes[flow].round, limit(of: flow, book))
    while lanes[flow].ttl <= limit {
      let ttl = lanes[flow].ttl
      lanes[flow].ttl += 1
      if isMine(ttl, flow, book) { return TracePacket(flow: flow, ttl: ttl, round: round) }
    }
    if !waits { endRound(flow) }
    return nil
  }

  private mutating func endRound(_ flow: Int) {
    lanes[flow].round += 1
    lanes[flow].ttl = firstTTL
    lanes[flow].isDone = lanes[flow].round >= request.probes
  }

  /// To be called after each answer.
  mutating func look(at book: TraceBook) {
    guard circle == nil else { return }
    for path in book.paths {
      guard let found = TraceCircle(path) else { continue }
      if circle.map({ found.from < $0.from }) ?? true { circle = found }
    }
  }

  private func isMine(_ ttl: Int, _ flow: Int, _ book: TraceBook) -> Bool {
    guard takesTurns, ttl > max(book.lastAnswered + 1, firstTTL) else { return true }
    return ttl % request.flows == flow
  }

  private func limit(of flow: Int, _ book: TraceBook) -> Int {
    if let end = book.ends[flow] { return end.ttl }
    if let circle { return min(request.maxTTL, circle.from + TraceCircle.shown - 1) }
    let known = book.ends.compactMap { $0?.ttl }.max() ?? 0
    let last = max(book.lastAnswered, firstTTL - 1)
    let reach: Int =
      if lanes[flow].round > 0 {
        known > 0 ? known : last + Self.laterSilence
      } else if targetAnswers, known == 0 {
        request.maxTTL
      } else { max(known, last) + (known > 0 ? 2 : Self.silence) }
    return min(request.maxTTL, reach)
  }

  /// The first who may be silent is waited for as was asked; behind it, as long as others took.
  func patience(for packet: TracePacket, _ book: TraceBook) -> Duration {
    guard let worst = book.worst, packet.round > 0 || packet.ttl > book.lastAnswered + 2 else {
      return request.wait
    }
    return min(request.wait, max(.milliseconds(500), worst * 4))
  }
}
