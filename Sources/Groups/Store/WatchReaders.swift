// SPDX-License-Identifier: MIT

import Basics

/// The readers of one watch, and how far each of them is. Pure: it says what a line of the stream means for them.
struct WatchReaders {
  struct Reader: Sendable {
    var span: KeySpan
    /// Everything up to here was told.
    var told: Int64
    var tell: @Sendable ([EtcdEvent]) -> Void
    var end: @Sendable (WatchEnd) -> Void
  }

  /// Outcome of one line.
  struct Outcome: Sendable {
    /// To be done when no lock is held.
    var act: @Sendable () -> Void = {}
    /// The stream says more.
    var goesOn = true
  }

  private(set) var readers: [Int64: Reader] = [:]
  private var last: Int64 = 0
  /// Readers that went before they came.
  private var gone: Set<Int64> = []
  /// Of the stream; each is the only one.
  private(set) var turn = 0
  private var lines = LineCutter()
  /// Readers whose watch has not begun in this stream, in the order of their requests.
  private var waiting: [Int64] = []
  /// A line of this stream was understood.
  private(set) var hasBegun = false
  /// The stream is to be begun again for the readers that there are.
  private(set) var isStale = false
  /// The store that the readers have read.
  private var cluster: UInt64?
  /// Revisions in a row that were told, each a change of one reader's keys, as each transaction of an agent is. Keys that
  /// go with a lease are of several readers, and do not count.
  private(set) var run: ClosedRange<Int64>?

  /// A number for `add`; etcd takes those from 1 on.
  mutating func number() -> Int64 {
    last += 1  // bounded: one for each watch
    return last
  }

  /// - Returns: false: it has gone meanwhile.
  mutating func add(_ number: Int64, _ reader: Reader) -> Bool {
    guard gone.remove(number) == nil else { return false }
    readers[number] = reader
    turn &+= 1
    return true
  }

  /// - Returns: the reader's end, to be called when no lock is held.
  mutating func remove(_ number: Int64) -> (@Sendable (WatchEnd) -> Void)? {
    guard let reader = readers.removeValue(forKey: number) else {
      gone.insert(number)
      return nil
    }
    if readers.isEmpty { (cluster, run) = (nil, nil) }
    return reader.end
  }

  mutating func forget(_ number: Int64) { gone.remove(number) }

  /// The body of a stream for all readers. `nil` where there are none, or another stream is in its place.
  mutating func begin(_ turn: Int) -> [UInt8]? {
    guard turn == self.turn, !readers.isEmpty else { return nil }
    (lines, hasBegun, isStale) = (LineCutter(), false, false)
    waiting = readers.keys.sorted()
    let requests = waiting.compactMap { number in
      readers[number].map { EtcdBody.watch($0.span, after: $0.told, reader: number) }
    }
    return Array(requests.joined(separator: [UInt8(ascii: "\n")]))
  }

  /// - Returns: the lines that have ended; `nil` where one is too long.
  mutating func cut(_ bytes: [UInt8], _ turn: Int) -> [[UInt8]]? {
    turn == self.turn ? lines.take(bytes) : []
  }

  mutating func take(_ line: WatchLine, _ turn: Int) -> Outcome {
    guard turn == self.turn else { return Outcome(goesOn: false) }
    switch line {
    case .begun(let number, let cluster):
      if let end = hear(number, cluster) { return self.end(end, turn) }
      waiting.removeAll { $0 == number }
      return Outcome()
    case .refused(let trouble):
      // Without a token all are refused.
      guard trouble.kind != .unauthenticated, !waiting.isEmpty else { return end(.trouble(trouble), turn) }
      return refuse(waiting.removeFirst(), .trouble(trouble))
    case .changes(let number, let events, let cluster):
      if let end = hear(number, cluster) { return self.end(end, turn) }
      guard !events.isEmpty, let reader = readers[number] else { return Outcome() }
      readers[number]?.told = events.reduce(reader.told) { max($0, $1.pair.changed) }
      for event in events where !event.isGone { extend(event.pair.changed) }
      return Outcome(act: { reader.tell(events) })
    case .ended(let number, let end): return refuse(number, end)
    case .broken(let trouble): return end(.trouble(trouble), turn)
    }
  }

  /// A line for a reader, of a store.
  ///
  /// - Returns: the end for all where it is for none of them, or of another store than they know.
  private mutating func hear(_ number: Int64, _ cluster: UInt64) -> WatchEnd? {
    guard (1...max(1, last)).contains(number) else {
      return .trouble(StoreTrouble(.garbled, "a line of the watch is for no reader"))
    }
    if let known = self.cluster, known != cluster { return .otherStore }
    (self.cluster, hasBegun) = (cluster, true)
    return nil
  }

  /// The end for one reader. The stream is begun again for the others where etcd has refused it: some look at no later
  /// request then.
  private mutating func refuse(_ number: Int64, _ end: WatchEnd) -> Outcome {
    guard let reader = readers.removeValue(forKey: number) else { return Outcome() }
    isStale = end != .compacted || readers.isEmpty
    return Outcome(act: { reader.end(end) }, goesOn: !isStale)
  }

  private mutating func extend(_ revision: Int64) {
    guard let run, revision <= run.upperBound.bounded(plus: 1) else { return self.run = revision...revision }
    self.run = run.lowerBound...max(run.upperBound, revision)
  }

  /// The end for all readers.
  mutating func end(_ end: WatchEnd, _ turn: Int) -> Outcome {
    guard turn == self.turn else { return Outcome(goesOn: false) }
    let ended = readers.sorted { $0.key < $1.key }.map(\.value)
    (readers, cluster, run) = ([:], nil, nil)
    return Outcome(act: { for reader in ended { reader.end(end) } }, goesOn: false)
  }
}
