// SPDX-License-Identifier: MIT

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing
@testable import StatusServer

/// Which browsers hear what: the changes, or that the page is to be fetched.
@Suite struct LiveFeedTests {
  private func feed(_ channels: EmbeddedChannel...) throws -> LiveFeed {
    let feed = LiveFeed(source: try sampleSource())
    for (seat, channel) in channels.enumerated() {
      feed.state.withLock { $0.readers[seat + 1] = LiveFeed.Reader(channel: channel) }
    }
    return feed
  }

  /// What a browser was sent since the last look.
  private func heard(_ channel: EmbeddedChannel) throws -> [String] {
    channel.embeddedEventLoop.run()
    var texts: [String] = []
    while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
      switch part {
      case .body(.byteBuffer(let buffer)): texts.append(String(buffer: buffer))
      case .end: texts.append("end")
      default: texts.append("?")
      }
    }
    return texts
  }

  /// One that is new, or missed a round, is told to fetch the page; from then on it hears the changes.
  @Test func whoMissedNewsFetchesThePage() throws {
    let (quick, slow) = (EmbeddedChannel(), EmbeddedChannel())
    let feed = try feed(quick, slow)
    let rounds: [(isWritable: Bool, quick: [String], slow: [String])] = [
      (true, ["sync"], ["sync"]), (true, ["news"], ["news"]), (false, ["news"], []),
      (true, ["news"], ["sync"]),
      (true, ["news"], ["news"]), (false, ["news"], []), (false, ["news"], []), (true, ["news"], ["sync"]),
      (true, ["news"], ["news"]),
    ]
    for (number, round) in rounds.enumerated() {
      slow.isWritable = round.isWritable
      feed.send("news", sync: "sync")
      #expect(try heard(quick) == round.quick && heard(slow) == round.slow, "round \(number)")
    }
  }

  /// Five rounds in a row without room for a word, and the connection ends; one with room begins the count again.
  @Test func whoDoesNotReadIsLeft() throws {
    let channel = EmbeddedChannel()
    let feed = try feed(channel)
    final class Flag { var isSet = false }
    let ended = Flag()
    channel.closeFuture.assumeIsolated().whenComplete { _ in ended.isSet = true }
    func rounds(_ count: Int, isWritable: Bool) throws -> [String] {
      channel.isWritable = isWritable
      for _ in 0..<count { feed.send("news", sync: "sync") }
      return try heard(channel)
    }
    #expect(try rounds(1, isWritable: true) == ["sync"])
    #expect(try rounds(4, isWritable: false) == [] && !ended.isSet)
    #expect(try rounds(2, isWritable: true) == ["sync", "news"])
    #expect(try rounds(4, isWritable: false) == [] && !ended.isSet)
    #expect(try rounds(1, isWritable: false) == [] && ended.isSet)
  }

  /// Thirty-two at a time, and none once the server ends.
  @Test func seats() throws {
    let feed = try feed()
    #expect(LiveFeed.maxReaders == 32)
    let channel = EmbeddedChannel()
    feed.state.withLock { state in
      for seat in 1...32 { state.readers[seat] = LiveFeed.Reader(channel: channel) }
    }
    #expect(feed.join(channel) == nil)
    feed.leave(7)
    #expect(feed.state.withLock { $0.readers.keys.sorted() } == (1...32).filter { $0 != 7 })
    feed.close()
    #expect(feed.state.withLock { $0.readers.isEmpty && $0.isClosed } && feed.join(channel) == nil)
    #expect(try heard(channel).allSatisfy { $0 == "end" })
  }
}
