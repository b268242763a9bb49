// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One question over one connected UDP socket.
///
/// It is asked again, without EDNS, when nothing came for a while (a lost packet, or a server that drops what it
/// does not know) and when the server says it does not understand EDNS (RFC 6891 7). An answer to either counts.
struct DNSDatagramConversation: Conversation {
  /// More than any server sends to a client that announced 1,232; a bigger datagram is ignored.
  static let sizeLimit = 4096

  let first: DNSQuery
  /// How long after the first query the second goes out.
  private(set) var patience: Duration
  /// How often the second is sent again, each time after twice as long.
  private var repetitions: Int

  private(set) var answer: [UInt8]?
  /// Datagrams that were no answer to any of our queries.
  private(set) var ignored = 0
  /// The query without EDNS, with an id of its own; nil until it is sent.
  private var second: DNSQuery?
  private let freshID: @Sendable () -> UInt16

  /// `freshID` gives the id of the second query.
  init(
    first: DNSQuery, patience: Duration, repetitions: Int = 0, freshID: @escaping @Sendable () -> UInt16
  ) {
    self.first = first
    self.patience = patience
    self.repetitions = repetitions
    self.freshID = freshID
  }

  mutating func opened(at now: Instant) -> ConversationStep {
    // bounded: patience is ours, doubled a few times
    ConversationStep(send: first.bytes, wake: now + patience)
  }

  mutating func woke(at now: Instant) -> ConversationStep {
    guard let second else {
      var step = askAgain()
      if repetitions > 0 { step.wake = now + patience * 2 }  // bounded: patience is ours, doubled a few times
      return step
    }
    guard repetitions > 0 else { return .wait }
    repetitions -= 1  // bounded: above 0, as was asked before
    patience = patience * 2  // bounded: patience is ours, doubled a few times
    // bounded: patience is ours, doubled a few times
    return ConversationStep(send: second.bytes, wake: repetitions > 0 ? now + patience * 2 : nil)
  }

  private mutating func askAgain() -> ConversationStep {
    let query = DNSQuery(id: freshID(), question: first.question, recursion: first.recursion, edns: false)
    second = query
    return ConversationStep(send: query.bytes)
  }

  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep {
    let isFirst = first.accepts(bytes)
    guard bytes.count <= Self.sizeLimit, isFirst || second?.accepts(bytes) == true else {
      ignored += 1
      return .wait
    }
    if isFirst, first.edns, second == nil, refusesEDNS(bytes) { return askAgain() }
    answer = Array(bytes)
    return .done
  }

  /// FORMERR and NOTIMP are what servers from before EDNS say to it.
  private func refusesEDNS(_ bytes: ArraySlice<UInt8>) -> Bool {
    let rcode = bytes[bytes.startIndex + 3] & 15  // bounded: an answer that was accepted has a whole header
    return rcode == DNSResponseCode.formErr.rawValue || rcode == DNSResponseCode.notImp.rawValue
  }
}

/// One question over one TCP connection (RFC 7766): each message behind its length.
package struct DNSStreamConversation: Conversation {
  /// Bytes of one connection at most: the largest answer behind as much again that is none of ours. We ask one question.
  static let sizeLimit = 4 * 65_537  // bounded: constants

  let query: DNSQuery

  package private(set) var answer: [UInt8]?
  package private(set) var ignored = 0
  /// The length prefix cannot be that of an answer.
  package private(set) var isMalformed = false
  /// It sent more than any answer takes.
  private(set) var isFlood = false
  private var stream: [UInt8] = []
  private var received = 0

  package init(query: DNSQuery) { self.query = query }

  package mutating func opened(at now: Instant) -> ConversationStep {
    let bytes = query.bytes
    // bounded: a query of ours, of a name of 255 bytes at most
    return ConversationStep(send: [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes)
  }

  package mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep {
    received += bytes.count  // bounded: held to the limit with every piece
    stream += bytes
    // Cut off at the end, once: to move what is left for each message would be quadratic.
    var start = 0
    defer { stream.removeFirst(start) }
    while stream.count - start >= 2 {  // bounded: places within the stream, and sixteen bits
      // bounded: places within the stream, and sixteen bits
      let length = Int(stream[start]) << 8 | Int(stream[start + 1])
      if length < 12 {
        isMalformed = true
        return .done
      }
      let end = start + 2 + length  // bounded: places within the stream, and sixteen bits
      guard stream.count >= end else { break }
      if query.accepts(stream[(start + 2)..<end]) {  // bounded: places within the stream, and sixteen bits
        answer = Array(stream[(start + 2)..<end])  // bounded: places within the stream, and sixteen bits
        return .done
      }
      ignored += 1
      start = end
    }
    guard received > Self.sizeLimit else { return .wait }
    isFlood = true
    return .done
  }
}
