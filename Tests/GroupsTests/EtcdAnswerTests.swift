// SPDX-License-Identifier: MIT

import Basics
import Curl
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Groups

/// What is believed of an etcd's answers, and how much of them.
@Suite struct EtcdAnswerTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  private func withStore(_ body: (EtcdStore) throws -> Void) async throws {
    try await withCurlEngine { engine in
      let client = EtcdClient(EtcdSettings(endpoints: []), over: .test(engine))
      try body(EtcdStore(client: client, keys: EtcdKeys(prefix: "/q/", group: "g"), name: "a"))
    }
  }

  @Test func aLeaseWithoutTimeIsDead() async throws {
    try await withStore { store in
      let (none, less, more) = (
        try json(#"{"result":{"ID":"7"}}"#), try json(#"{"result":{"ID":"7","TTL":"-1"}}"#),
        try json(#"{"result":{"ID":"7","TTL":"4"}}"#)
      )
      #expect(store.renewed(none) == .dead && store.renewed(less) == .dead)
      #expect(store.renewed(more) == nil)
    }
  }

  @Test func aReadingHasARevision() async throws {
    try await withStore { store in
      guard case .trouble(let trouble) = store.reading(try json(#"{"header":{"cluster_id":"7"}}"#)) else {
        Issue.record("a reading of no revision")
        return
      }
      #expect(trouble.kind == .garbled)
    }
  }

  @Test func countsAndValuesAreBounded() throws {
    let header = #""header":{"cluster_id":"7","revision":"12"}"#
    let (over, most) = (
      try json("{\(header),\"count\":\"2147483648\"}"), try json("{\(header),\"count\":\"2147483647\"}")
    )
    #expect(EtcdRange(over) == nil)
    #expect(EtcdRange(most)?.count == 2_147_483_647)
    for (bytes, isTaken) in [(StoreBounds.value, true), (StoreBounds.value + 1, false)] {
      let value = Base64.text([UInt8](repeating: 7, count: bytes))
      let pair = EtcdPair(try json(#"{"key":"YQ==","mod_revision":"3","value":"\#(value)"}"#))
      #expect((pair?.value?.count == bytes) == isTaken)
      #expect(pair != nil)
    }
  }

  @Test func linesAreCutWhereverThePiecesEnd() {
    let text = Array("one\n\ntwo\nthree\nrest".utf8)
    for piece in 1...text.count {
      var cutter = LineCutter()
      var lines: [[UInt8]] = []
      for start in stride(from: 0, to: text.count, by: piece) {
        lines += cutter.take(Array(text[start..<min(text.count, start + piece)])) ?? []
      }
      #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["one", "two", "three"])
    }
  }

  @Test func aLineWithoutEndIsRefused() {
    var cutter = LineCutter()
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<4 { #expect(cutter.take(piece) == []) }
    #expect(cutter.take([7]) == nil)
    var other = LineCutter()
    #expect(other.take([UInt8](repeating: 7, count: LineCutter.most + 1) + [10]) == nil)
  }
}
