// SPDX-License-Identifier: MIT

import Basics
import NIOCore
import NIOHTTP1
import Status
import Synchronization

/// Sends the page's changes to the browsers that listen (server-sent events). Changes are computed once a second for
/// all of them, and only while there is one. The feed never waits: a browser that does not read gets fewer events, then
/// none.
final class LiveFeed: Sendable {
  struct Reader {
    let channel: any Channel
    /// Has to fetch the page again: it is new, or was not told something.
    var isBehind = true
    /// Rounds in a row in which it took nothing.
    var stuck = 0
  }

  struct State {
    var readers: [Int: Reader] = [:]
    var last = 0
    var isRunning = false
    var isClosed = false
  }

  static let maxReaders = 32
  static let pace: TimeAmount = .seconds(1)
  /// Rounds a reader may take nothing in.
  static let patience = 5
  /// Bytes the system may hold for one reader: what is beyond it shows that he does not read.
  static let sendBuffer: Int = 64 << 10

  private let source: any StatusSource
  let state = Mutex(State())

  private let forms: PageForms?

  init(source: any StatusSource, forms: PageForms? = nil) { (self.source, self.forms) = (source, forms) }

  /// A seat; nil when all are taken, or the server ends.
  func join(_ channel: any Channel) -> Int? {
    let (seat, starts) = state.withLock { state -> (Int?, Bool) in
      guard !state.isClosed, state.readers.count < Self.maxReaders else { return (nil, false) }
      state.last += 1
      state.readers[state.last] = Reader(channel: channel)
      defer { state.isRunning = true }
      return (state.last, !state.isRunning)
    }
    // Ends by itself with the last reader, who leaves when his connection ends.
    let loop = channel.eventLoop
    if starts { _ = Task { await run(loop) } }
    return seat
  }

  func leave(_ seat: Int) { state.withLock { $0.readers[seat] = nil } }

  /// Ends all streams; browsers come back by themselves when there is a server again.
  func close() {
    let readers = state.withLock { state in
      state.isClosed = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers {
      let channel = reader.channel
      channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
    }
  }

  private func run(_ loop: any NIOCore.EventLoop) async {
    var picture = LivePicture(forms: forms)
    while true {
      let snapshot = await source.snapshot()
      send(picture.update(snapshot), sync: LivePicture.sync(snapshot.now))
      // Ends early when the server does, which has no readers by then.
      try? await loop.scheduleTask(in: Self.pace) {}.futureResult.get()
      let goesOn = state.withLock { state in
        state.isRunning = !state.readers.isEmpty
        return state.isRunning
      }
      if !goesOn { return }
    }
  }

  func send(_ news: String, sync: String) {
    let (news, sync) = (ByteBuffer(string: news), ByteBuffer(string: sync))
    let (writes, leaving) = state.withLock { state -> ([(any Channel, ByteBuffer)], [any Channel]) in
      var writes: [(any Channel, ByteBuffer)] = []
      var leaving: [any Channel] = []
      for (seat, known) in state.readers {
        var reader = known
        if reader.channel.isWritable {
          writes.append((reader.channel, reader.isBehind ? sync : news))
          (reader.isBehind, reader.stuck) = (false, 0)
        } else {
          (reader.isBehind, reader.stuck) = (true, reader.stuck + 1)
          if reader.stuck >= Self.patience { leaving.append(reader.channel) }
        }
        state.readers[seat] = reader
      }
      return (writes, leaving)
    }
    for (channel, buffer) in writes {
      channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
    }
    for channel in leaving { channel.close(promise: nil) }
  }
}
