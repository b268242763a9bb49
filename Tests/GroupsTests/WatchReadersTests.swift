// SPDX-License-Identifier: MIT

import Basics
import Synchronization
import Testing

@testable import Groups

/// The one watch of an agent: its lines, and what they mean for each of its readers.
@Suite struct WatchReadersTests {
  private static func events(_ reader: Int, _ revisions: [Int], cluster: Int = 7) -> String {
    let events = revisions.map { #"{"kv":{"key":"YQ==","mod_revision":"\#($0)"}}"# }
    return """
      {"result":{"header":{"cluster_id":"\(cluster)","revision":"50"},"watch_id":"\(reader)",\
      "events":[\(events.joined(separator: ","))]}}
      """
  }

  private static func canceled(_ reader: Int, _ rest: String) -> String {
    #"{"result":{"header":{"cluster_id":"7"},"watch_id":"\#(reader)","canceled":true\#(rest)}}"#
  }

  private static func trouble(_ kind: StoreTrouble.Kind, _ words: String) -> WatchEnd {
    .trouble(StoreTrouble(kind, words))
  }

  /// What ends the watch of one reader.
  @Test(
    arguments: [
      (#","compact_revision":"3""#, .compacted),
      (#","compact_revision":"0""#, trouble(.noQuorum, "etcd ended the watch: no reason given")),
      (#","cancel_reason":"a\u0007""#, trouble(.noQuorum, "etcd ended the watch: a\\u{7}")),
    ] as [(String, WatchEnd)])
  func endsOfOne(rest: String, end: WatchEnd) {
    #expect(WatchLine(Array(Self.canceled(2, rest).utf8)) == .ended(reader: 2, end))
  }

  /// A refusal names no reader: etcd 3.4 answers one like this.
  private static func refused(_ reason: String) -> String {
    canceled(-1, #","created":true,"cancel_reason":"rpc error: code = C desc = etcdserver: \#(reason)""#)
  }

  @Test(
    arguments: [
      ("permission denied", .denied), ("invalid auth token", .unauthenticated),
      ("user name is empty", .unauthenticated), ("no leader", .noQuorum),
    ] as [(String, StoreTrouble.Kind)])
  func refusals(reason: String, kind: StoreTrouble.Kind) {
    let words = "etcd ended the watch: rpc error: code = C desc = etcdserver: \(reason)"
    #expect(WatchLine(Array(Self.refused(reason).utf8)) == .refused(StoreTrouble(kind, words)))
  }

  private static func begun(_ reader: Int) -> String {
    #"{"result":{"header":{"cluster_id":"7","revision":"50"},"watch_id":"\#(reader)","created":true}}"#
  }

  /// A reader without permission is told so, and the others go on without it; without a token none does.
  @Test(
    arguments: [
      ([refused("permission denied")], ["a denied"], [21]),
      ([begun(1), refused("permission denied")], ["b denied"], [11]),
      ([begun(1), begun(2), refused("permission denied")], ["a denied", "b denied"], []),
      ([refused("invalid auth token")], ["a unauthenticated", "b unauthenticated"], []),
      ([begun(1), refused("invalid auth token")], ["a unauthenticated", "b unauthenticated"], []),
    ] as [([String], [String], [Int64])])
  func refusedReaders(lines: [String], words: [String], left: [Int64]) {
    let told = Told()
    var readers = pair(told)
    #expect(starts(&readers) == [11, 21])
    var goesOn: [Bool] = []
    for line in lines {
      let outcome = readers.take(WatchLine(Array(line.utf8)), readers.turn)
      outcome.act()
      goesOn.append(outcome.goesOn)
    }
    #expect(goesOn == Array(repeating: true, count: lines.count - 1) + [false])
    #expect(told.take() == words && readers.isStale == !left.isEmpty && starts(&readers) == left)
  }

  /// What ends it for all: no line of an etcd.
  @Test(
    arguments: [
      ("x", .garbled, "a line of the watch is no JSON"), ("", .garbled, "a line of the watch is no JSON"),
      (#"{"error":{"code":14,"message":"no leader"}}"#, .noQuorum, "etcd's watch: no leader"),
      (
        #"{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}}"#, .noQuorum,
        "etcd's watch: etcdserver: no leader"
      ),
      (
        #"{"result":{"header":{"cluster_id":"7"},"events":[{"type":"DELETE"}]}}"#, .garbled,
        "an event of the watch is not understood"
      ),
      (
        #"{"result":{"header":{"cluster_id":"7"},"events":[{"kv":{"key":"YQ=="}}]}}"#, .garbled,
        "an event of the watch is not understood"
      ),
    ] as [(String, StoreTrouble.Kind, String)])
  func endsOfAll(line: String, kind: StoreTrouble.Kind, words: String) {
    #expect(WatchLine(Array(line.utf8)) == .broken(StoreTrouble(kind, words)))
  }

  /// What readers were told, in the order of it.
  private final class Told: Sendable {
    let words = Mutex<[String]>([])

    func reader(_ name: String, after told: Int64) -> WatchReaders.Reader {
      WatchReaders.Reader(
        span: KeySpan(below: "/\(name)/"), told: told,
        tell: { events in
          self.words.withLock { $0.append("\(name) \(events.map { Int($0.pair.changed) })") }
        }, end: { end in self.words.withLock { $0.append("\(name) \(Self.name(end))") } })
    }

    private static func name(_ end: WatchEnd) -> String {
      switch end {
      case .over: "over"
      case .compacted: "compacted"
      case .otherStore: "other store"
      case .trouble(let trouble): trouble.kind.rawValue
      }
    }

    func take() -> [String] {
      words.withLock { words in
        defer { words = [] }
        return words
      }
    }
  }

  /// Two readers at their revisions, in a stream that has begun.
  private func pair(_ told: Told) -> WatchReaders {
    var readers = WatchReaders()
    let (first, second) = (readers.number(), readers.number())
    let areIn =
      readers.add(first, told.reader("a", after: 10)) && readers.add(second, told.reader("b", after: 20))
    #expect(areIn && first == 1 && second == 2 && readers.turn == 2)
    return readers
  }

  private func starts(_ readers: inout WatchReaders) -> [Int64] {
    guard let body = readers.begin(readers.turn) else { return [] }
    return body.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let json = try? JSONValue.parse(Array(line), maxDepth: 4) else { return nil }
      return json["create_request"]?.etcdNumber("start_revision")
    }
  }

  /// A stream asks for each reader from where it is, and a line is told to the reader that it is for.
  @Test func eachReaderIsToldItsOwn() {
    let told = Told()
    var readers = pair(told)
    #expect(starts(&readers) == [11, 21] && !readers.hasBegun)
    let turn = readers.turn
    for (line, words) in [
      (Self.events(1, []), []), (Self.events(2, [22, 24]), ["b [22, 24]"]),
      (Self.events(1, [23]), ["a [23]"]),
    ] as [(String, [String])] {
      let outcome = readers.take(WatchLine(Array(line.utf8)), turn)
      outcome.act()
      #expect(outcome.goesOn && readers.hasBegun && told.take() == words, "\(line)")
    }
    #expect(starts(&readers) == [24, 25], "the next stream goes on where this one ended")
    // A stream that is not the one of now says nothing any more.
    let late = readers.take(WatchLine(Array(Self.events(1, [30]).utf8)), turn - 1)
    late.act()
    let cut = readers.cut(Array("x\n".utf8), turn - 1)
    #expect(!late.goesOn && told.take() == [] && cut == [] && readers.begin(turn - 1) == nil)
  }

  /// The end of one leaves the other, and what etcd refused is not asked for again with it.
  @Test(
    arguments: [
      (canceled(1, #","compact_revision":"15""#), ["a compacted"], true),
      (canceled(1, #","cancel_reason":"permission denied""#), ["a denied"], false),
      (canceled(9, #","compact_revision":"15""#), [], true),
      (events(1, [30], cluster: 8), ["a other store", "b other store"], false),
      (events(9, [30]), ["a garbled", "b garbled"], false), ("x", ["a garbled", "b garbled"], false),
    ] as [(String, [String], Bool)])
  func endsForReaders(line: String, words: [String], goesOn: Bool) {
    let told = Told()
    var readers = pair(told)
    #expect(starts(&readers) == [11, 21])
    readers.take(WatchLine(Array(Self.events(1, []).utf8)), readers.turn).act()
    let outcome = readers.take(WatchLine(Array(line.utf8)), readers.turn)
    outcome.act()
    #expect(told.take() == words && outcome.goesOn == goesOn)
    let left: [Int64] = words.isEmpty ? [11, 21] : words.count == 1 ? [21] : []
    #expect(readers.isStale == (words.count == 1 && !goesOn) && starts(&readers) == left)
  }

  /// A reader that goes is told so, also before it came; with none left no stream is begun.
  @Test func readersThatGo() {
    let told = Told()
    var readers = pair(told)
    readers.remove(1)?(.over)
    #expect(told.take() == ["a over"] && starts(&readers) == [21])
    let third = readers.number()
    let early = readers.remove(third)
    let isIn = readers.add(third, told.reader("c", after: 1))
    #expect(early == nil && !isIn && starts(&readers) == [21])
    readers.remove(2)?(.over)
    #expect(told.take() == ["b over"] && starts(&readers) == [])
  }
}
