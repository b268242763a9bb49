// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One packet of a trace.
struct TracePacket: Hashable, Sendable {
  /// From 0.
  var flow: Int
  /// 1 to 64.
  var ttl: Int
  /// From 0.
  var round = 0
}

/// Answer to one packet.
struct TraceReply: Hashable, Sendable {
  var from: IPAddress
  var meaning: AnswerMeaning
  var roundTrip: Duration
  var hopsLeft: Int?
  var labels: [MPLSLabel] = []
}

/// Packets that were sent and their answers, in the order in which they happened. Pure.
struct TraceBook: Hashable, Sendable {
  /// By which method the way was looked at.
  let method: TraceMethod
  let flows: Int
  let maxTTL: Int
  /// By TTL; place 0 is not used.
  fileprivate var rows: [Row]
  /// By flow, then TTL: the first router that answered. `nil` where none has yet.
  private(set) var paths: [[IPAddress?]]
  /// By flow: the TTL at which there was an end, and what end.
  private(set) var ends: [End?]
  /// The longest round trip there was.
  private(set) var worst: Duration?
  /// Errors for which the kernel named no sender (before Linux 5.18, over TCP).
  private(set) var unnamed = 0

  /// How a flow ended.
  struct End: Hashable, Sendable {
    var ttl: Int
    var by: IPAddress
    var meaning: AnswerMeaning
  }

  fileprivate struct Row: Hashable, Sendable {
    var sent = 0
    var cells: [Cell] = []
  }

  fileprivate struct Cell: Hashable, Sendable {
    var address: IPAddress
    var received = 0
    var best = Duration.seconds(3600)
    var sum = Duration.zero
    var worst = Duration.zero
    var hopsLeft: Int?
    var flows: Set<Int> = []
    var labels: [MPLSLabel] = []
    var says: String?
    var isRouter = false
  }

  init(method: TraceMethod, flows: Int, maxTTL: Int) {
    (self.method, self.flows, self.maxTTL) = (method, flows, maxTTL)
    rows = Array(repeating: Row(), count: maxTTL + 1)
    paths = Array(repeating: Array(repeating: nil, count: maxTTL + 1), count: flows)
    ends = Array(repeating: nil, count: flows)
  }

  mutating func sent(_ packet: TracePacket) { rows[packet.ttl].sent += 1 }

  /// It was not sent after all.
  mutating func unsent(_ packet: TracePacket) { rows[packet.ttl].sent -= 1 }

  mutating func heardUnnamed() { unnamed += 1 }

  mutating func heard(_ packet: TracePacket, _ reply: TraceReply) {
    let (ttl, flow) = (packet.ttl, packet.flow)
    let place = rows[ttl].cells.firstIndex { $0.address == reply.from && $0.says == reply.meaning.words }
    let index = place ?? rows[ttl].cells.count
    if place == nil {
      rows[ttl].cells.append(
        Cell(address: reply.from, says: reply.meaning.words, isRouter: reply.meaning.isRouter))
    }
    rows[ttl].cells[index].add(reply, flow)
    worst = max(worst ?? .zero, reply.roundTrip)
    // What speaks in the target's name may be any router.
    if paths[flow][ttl] == nil, reply.meaning == .passesOn { paths[flow][ttl] = reply.from }
    switch reply.meaning {
    case .passesOn, .passesRewritten, .tooBig: break
    case .target, .refusal:
      if ends[flow].map({ ttl < $0.ttl }) ?? true {
        ends[flow] = End(ttl: ttl, by: reply.from, meaning: reply.meaning)
      }
    }
  }

  /// The last TTL with an answer; 0 without any.
  var lastAnswered: Int { rows.lastIndex { !$0.cells.isEmpty } ?? 0 }

  func isAnswered(_ ttl: Int) -> Bool { rows.indices.contains(ttl) && !rows[ttl].cells.isEmpty }
  func sent(at ttl: Int) -> Int { rows.indices.contains(ttl) ? rows[ttl].sent : 0 }

  /// Where that address is on the way; `nil` when it is not.
  func ttl(of address: IPAddress) -> Int? {
    rows.firstIndex { $0.cells.contains { $0.address == address && $0.isRouter } }
  }

  /// The router that forwards at that TTL, the one with most answers first.
  func router(at ttl: Int) -> IPAddress? {
    guard rows.indices.contains(ttl) else { return nil }
    return rows[ttl].cells.filter(\.isRouter).max { $0.received < $1.received }?.address
  }

  /// The last TTL to which a router answered that it would pass it on.
  var lastRouter: Int { rows.lastIndex { $0.cells.contains(where: \.isRouter) } ?? 0 }

  /// Those of the TTLs that belong to the way, with what was heard.
  ///
  /// - Parameter last: the last TTL of them.
  func hops(to last: Int) -> [TraceHop] {
    guard last > 0 else { return [] }
    return (1...min(last, maxTTL)).map { ttl in
      var hop = TraceHop(ttl: ttl, sent: rows[ttl].sent)
      hop.answers = rows[ttl].cells.sorted { $0.received > $1.received }.map(\.answer)
      return hop
    }
  }
}

extension TraceBook.Cell {
  fileprivate mutating func add(_ reply: TraceReply, _ flow: Int) {
    received += 1
    best = min(best, reply.roundTrip)
    worst = max(worst, reply.roundTrip)
    sum += reply.roundTrip
    flows.insert(flow)
    if let left = reply.hopsLeft { hopsLeft = left }
    if !reply.labels.isEmpty { labels = reply.labels }
  }

  fileprivate var answer: TraceAnswer {
    TraceAnswer(
      address: address, received: received, best: best,
      average: .microseconds(sum.microseconds / Int64(received)),
      worst: worst, flows: flows.sorted(), replyTTL: hopsLeft, labels: labels, says: says)
  }
}
