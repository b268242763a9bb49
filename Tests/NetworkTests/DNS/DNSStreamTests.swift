// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Network

/// Messages over one TCP connection, ours and others, in a bounded number of bytes.
@Suite(.timeLimit(.minutes(1))) struct DNSStreamTests {
  private let query = DNSQuery(
    id: 7, question: DNSQuestion(name: .root, type: .a), recursion: true, edns: false)

  private func framed(_ message: [UInt8]) -> [UInt8] {
    [UInt8(message.count >> 8), UInt8(message.count & 255)] + message
  }

  /// A header and a question of nobody's.
  private var decoy: [UInt8] {
    var message = query.bytes
    message[0] ^= 0xff
    message[2] |= 0x80
    return message
  }

  private var answer: [UInt8] {
    var message = query.bytes
    message[2] |= 0x80
    return message
  }

  /// However many small messages that are none of ours: they are counted, and end at the limit of bytes.
  @Test func aFloodEndsAtItsLimit() {
    var stream = DNSStreamConversation(query: query)
    let flood = Array(repeating: framed(decoy), count: 65_536 / framed(decoy).count).flatMap { $0 }
    var sent = 0
    while !stream.received(flood[...], from: nil, at: .now).isDone {
      sent += flood.count
      guard sent <= DNSStreamConversation.sizeLimit else { break }
    }
    #expect(stream.isFlood)
    #expect(!stream.isMalformed)
    #expect(stream.answer == nil)
    #expect(sent <= DNSStreamConversation.sizeLimit)
    #expect(stream.ignored >= sent / framed(decoy).count)
  }

  /// Our answer is found behind others, in pieces of any size, and the largest one there is fits.
  @Test(arguments: [1, 2, 3, 7, 1000, 65_536])
  func ourAnswerIsFoundBehindOthers(piece: Int) {
    var stream = DNSStreamConversation(query: query)
    let large = answer + [UInt8](repeating: 0, count: 65_535 - answer.count)
    var rest = (framed(decoy) + framed(decoy) + framed(large))[...]
    while !rest.isEmpty, stream.answer == nil {
      _ = stream.received(rest.prefix(piece), from: nil, at: .now)
      rest = rest.dropFirst(piece)
    }
    #expect(stream.answer == large)
    #expect(stream.ignored == 2)
    #expect(!stream.isFlood)
  }
}
