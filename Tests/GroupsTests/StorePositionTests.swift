// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import NetworkTestSupport
import Testing

@testable import Groups

/// The one treatment of what a store can do to a reader: for members, votes, incidents and states alike.
@Suite struct StorePositionTests {
  private func read(_ cluster: UInt64 = 7, _ revision: Int64 = 10) -> StorePosition {
    var position = StorePosition()
    position.read(StoreMark(cluster: cluster, revision: revision), asked: 0)
    return position
  }

  @Test func beforeTheFirstReading() {
    let position = StorePosition()
    let mark = StoreMark(cluster: 7, revision: 0)
    #expect(position.cluster == nil && position.told == 0 && position.trust == .lost)
    #expect(!position.isIdle(mark) && !position.isOther(mark, asked: 5))
  }

  /// Another cluster, or a revision below the one that was known when the request left.
  @Test(
    arguments: [
      (7, 10, 10, false, 12), (7, 11, 10, false, 12), (7, 9, 10, true, 9), (7, 15, 12, false, 15),
      (8, 30, 12, true, 30), (8, 3, 12, true, 3),
    ] as [(UInt64, Int64, Int64, Bool, Int64)])
  func storesThatWereSetBack(cluster: UInt64, revision: Int64, asked: Int64, isOther: Bool, told: Int64) {
    var position = read()
    position.tell(12)
    let mark = StoreMark(cluster: cluster, revision: revision)
    #expect(position.isOther(mark, asked: asked) == isOther)
    #expect(position.read(mark, asked: asked) == isOther)
    #expect(position.told == told && position.cluster == cluster && position.trust == .whole)
  }

  /// A store is idle between what was told and what it has said to be all.
  @Test(
    arguments: [
      (7, 11, false), (7, 12, true), (7, 14, true), (7, 15, false), (8, 13, false),
    ] as [(UInt64, Int64, Bool)])
  func idleStores(cluster: UInt64, revision: Int64, isIdle: Bool) {
    var position = read()
    position.tell(12)
    position.settle(StoreMark(cluster: 8, revision: 40))
    position.settle(StoreMark(cluster: 7, revision: 14))
    let mark = StoreMark(cluster: cluster, revision: revision)
    #expect(position.isIdle(mark) == isIdle)
    position.doubt()
    #expect(!position.isIdle(mark))
  }

  /// What the end of a watch says of what is known, and what puts it right.
  @Test(
    arguments: [
      (.over, .whole, .whole), (.compacted, .lost, .lost), (.otherStore, .lost, .lost),
      (.trouble(StoreTrouble(.denied, "a")), .doubted, .whole),
      (.trouble(StoreTrouble(.garbled, "a")), .doubted, .whole),
    ] as [(WatchEnd, StorePosition.Trust, StorePosition.Trust)])
  func endsOfAWatch(end: WatchEnd, trust: StorePosition.Trust, settled: StorePosition.Trust) {
    var position = read()
    position.take(end)
    #expect(position.trust == trust)
    position.settle(StoreMark(cluster: 7, revision: 10))
    #expect(position.trust == settled)
    position.read(StoreMark(cluster: 7, revision: 10), asked: 10)
    #expect(position.trust == .whole)
  }

  // MARK: Each reader

  enum Reader: String, CaseIterable { case members, votes, incidents, states }

  /// Everything that was read, of one store or another.
  private struct Content {
    let reader: Reader
    var bench = MemberBench()
    var votes = VoteMirror()
    var entries = IncidentMirror()
    var isOther = false

    init(_ reader: Reader) {
      self.reader = reader
      if reader == .members { bench.join() }
      read(7, 10)
    }

    var position: StorePosition {
      switch reader {
      case .members: bench.member.position
      case .votes: votes.position
      case .incidents, .states: entries.position
      }
    }

    mutating func read(_ cluster: UInt64, _ revision: Int64) {
      let mark = StoreMark(cluster: cluster, revision: revision)
      switch reader {
      case .members:
        // In the group it was read at 10 already; a proof of the lease is the next word of the store.
        guard cluster != 7 || revision != 10 else { return }
        bench.tick(at: bench.now + 3400)
        bench.answer(
          .keepAlive, .alive(StoreAudit(cluster: cluster, revision: revision, members: 2, newest: 9)))
        isOther = bench.member.journal.entries.contains { $0.what == .newWorld }
      case .votes: isOther = votes.complete(mark, before: votes, asked: position.told)
      case .incidents, .states:
        let known = entries.entries
        entries.take(IncidentReading(world: cluster, revision: revision, entries: []), asked: position.told)
        isOther = entries.entries != known || entries.revision < 10 || entries.world != 7
      }
    }

    mutating func end(_ end: WatchEnd) {
      switch reader {
      case .members: bench.handle(.watchEnded(bench.member.watch, end))
      case .votes: votes.take(end)
      case .incidents, .states: entries.take(end)
      }
    }

    /// Everything is asked for again.
    var readsAgain: Bool {
      reader == .members ? bench.requests == [.read] : position.trust != .whole
    }
  }

  /// A compacted watch is read again, by all.
  @Test(arguments: Reader.allCases) func compaction(reader: Reader) {
    var content = Content(reader)
    let line =
      #"{"result":{"header":{"cluster_id":"7"},"watch_id":"1","canceled":true,"compact_revision":"9"}}"#
    guard case .ended(1, let end) = WatchLine(Array(line.utf8)) else {
      Issue.record("no end")
      return
    }
    content.end(end)
    #expect(end == .compacted && content.position.trust == .lost && content.readsAgain)
  }

  /// A garbled line is no compaction: nothing that is known is dropped, and nothing is believed to be whole.
  @Test(arguments: Reader.allCases) func garbledLine(reader: Reader) {
    var content = Content(reader)
    guard case .broken(let trouble) = WatchLine(Array("{".utf8)) else {
      Issue.record("no trouble")
      return
    }
    content.end(.trouble(trouble))
    #expect(trouble.kind == .garbled && content.position.trust == .doubted)
    #expect(content.position.told == 10 && content.position.cluster == 7)
    #expect(!content.position.isIdle(StoreMark(cluster: 7, revision: 10)))
  }

  /// A lost sign-in says so, whichever way etcd puts it.
  @Test(arguments: Reader.allCases) func lostSignIn(reader: Reader) {
    for (reason, kind) in [
      ("etcdserver: permission denied", .denied), ("etcdserver: invalid auth token", .unauthenticated),
    ] as [(String, StoreTrouble.Kind)] {
      var content = Content(reader)
      let line = """
        {"result":{"header":{"cluster_id":"7"},"watch_id":"-1","created":true,"canceled":true,\
        "cancel_reason":"\(reason)"}}
        """
      guard case .refused(let trouble) = WatchLine(Array(line.utf8)) else {
        Issue.record("no end")
        return
      }
      content.end(.trouble(trouble))
      #expect(trouble.kind == kind && content.position.trust == .doubted)
      #expect(!content.position.isIdle(StoreMark(cluster: 7, revision: 10)))
    }
  }

  /// A store that was set back to a copy, or is another one, is known as that by all; one that has gone on is not.
  @Test(arguments: Reader.allCases) func setBackStore(reader: Reader) {
    for (cluster, revision, isOther) in [(7, 9, true), (8, 10, true), (8, 30, true), (7, 10, false)]
      as [(UInt64, Int64, Bool)]
    {
      var content = Content(reader)
      content.read(cluster, revision)
      #expect(content.isOther == isOther, "cluster \(cluster) at \(revision)")
    }
  }

  /// A key that no agent writes is counted and passed over, however long it is.
  @Test(arguments: Reader.allCases) func strangeKey(reader: Reader) async throws {
    let roots: [Reader: String] = [
      .members: "/q/g/m/", .votes: "/q/v/", .incidents: "/q/g/open/", .states: "/q/g/state/",
    ]
    let root = try #require(roots[reader])
    let key = root + String(repeating: "x", count: 5000)
    let row = #"{"key":"\#(Base64.text(key.utf8))","create_revision":"3","mod_revision":"3","lease":"1"}"#
    let json = try JSONValue.parse(
      Array(#"{"header":{"cluster_id":"7","revision":"12"},"kvs":[\#(row)],"count":"1"}"#.utf8))
    let page = try #require(EtcdPage(json, after: []))
    try await withCurlEngine { engine in
      let client = EtcdClient(EtcdSettings(endpoints: []), over: .test(engine))
      switch reader {
      case .members:
        let store = EtcdStore(client: client, keys: EtcdKeys(prefix: "/q/", group: "g"), name: "a")
        guard case .read(let reading) = store.reading(json) else {
          Issue.record("no reading")
          return
        }
        #expect(reading.strays == 1 && reading.members.isEmpty)
      case .votes:
        let rows = EtcdQuorum(client: client, prefix: "/q/").page(page, at: 0).rows
        #expect(rows.strange.count == 1 && rows.entries.isEmpty && rows.growth == 1)
      case .incidents, .states:
        let store = EtcdIncidents(
          client: client, prefix: "/q/", group: "g", reader == .states ? .state : .open)
        var (entries, strange) = ([IncidentEntry](), StrangeKeys())
        store.take(EtcdEvent(page.pairs[0]), into: &entries, &strange)
        #expect(entries.isEmpty && strange.count == 1 && strange.example?.hasPrefix(root) == true)
      }
    }
  }
}
