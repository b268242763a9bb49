// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// Name servers, and others on their way, that do not play by the rules.
@Suite(.timeLimit(.minutes(1))) struct HostileServerTests {
  private let question = DNSProbeTests.Case(name: "x.example", answers: ["192.0.2.1"])
  private static func right(_ request: [UInt8]) -> [UInt8] {
    Wire(to: request).with { $0.answers = [Wire.a(192, 0, 2, 1)] }.bytes
  }

  static let decoys: [(what: String, make: @Sendable ([UInt8]) -> [UInt8])] = [
    ("nothing at all", { _ in [] }), ("one byte", { _ in [1] }), ("the query itself", { $0 }),
    ("a wrong id", { request in wrong(request) { $0.id ^= 1 } }),
    ("another name", { request in wrong(request) { $0.question[1] = 0x79 } }),
    ("another type", { request in wrong(request) { $0.question[$0.question.count - 3] = 28 } }),
    ("another class", { request in wrong(request) { $0.question[$0.question.count - 1] = 3 } }),
    ("QR clear", { request in wrong(request) { $0.flags = 0x0180 } }),
    ("an opcode that is no query", { request in wrong(request) { $0.flags = 0xa180 } }),
    ("no question", { request in wrong(request) { ($0.counts.0, $0.question) = (0, []) } }),
    ("no question and no answer", { request in bare(request, 0x8180) }),
    ("a bare refusal under a wrong id", { request in bare(request, 0x8185) { $0.id ^= 1 } }),
    (
      "a refusal with an answer",
      { request in wrong(request) { ($0.flags, $0.counts.0, $0.question) = (0x8185, 0, []) } }
    ),
    (
      "two questions",
      { request in wrong(request) { ($0.counts.0, $0.question) = (2, $0.question + $0.question) } }
    ),
    ("more than 4 KiB", { request in right(request) + [UInt8](repeating: 0, count: 4096) }),
    ("64 KiB", { request in right(request) + [UInt8](repeating: 0, count: 65_000) }),
  ]

  private static func wrong(_ request: [UInt8], _ change: (inout Wire) -> Void) -> [UInt8] {
    Wire(to: request).with { wire in
      wire.answers = [Wire.a(10, 6, 6, 6)]
      change(&wire)
    }.bytes
  }

  /// A header and no more.
  private static func bare(
    _ request: [UInt8], _ flags: UInt16, _ change: (inout Wire) -> Void = { _ in }
  ) -> [UInt8] {
    Wire(to: request).with { wire in
      (wire.flags, wire.counts.0, wire.question) = (flags, 0, [])
      change(&wire)
    }.bytes
  }

  @Test(
    "a refusal that is a header and no more is one, at once",
    arguments: [
      (UInt16(0x8185), Reason.dnsRefused), (0x8182, .dnsServfail), (0x8181, .dnsRcode), (0x8184, .dnsRcode),
    ])
  func aBareRefusalCounts(flags: UInt16, reason: Reason) async throws {
    try await withUDPResponder(script: { $1.send(Self.bare($0, flags)) }) { server in
      let outcome = try await probe(question, server.port, within: .seconds(20))
      #expect(outcome.verdict.reason == reason)
      #expect(outcome.dns?.ignored == 0)
      // What may be about EDNS is asked again without.
      #expect(server.received.count == (reason == .dnsRcode ? 2 : 1))
    }
  }

  @Test("D2, D3, D4, D10: a decoy is ignored and the wait goes on", arguments: decoys.indices)
  func ignoresADecoyAndWaitsOn(index: Int) async throws {
    let decoy = Self.decoys[index]
    try await withUDPResponder(script: { request, client in
      client.send(decoy.make(request))
      client.send(Self.right(request))
    }) { server in
      let outcome = try await probe(question, server.port)
      #expect(outcome.verdict == .ok, "\(decoy.what)")
      #expect(outcome.dns?.ignored == 1, "\(decoy.what)")
    }
  }

  @Test("D2, D3, D4, D10: decoys alone are counted and are a timeout")
  func decoysAloneAreATimeout() async throws {
    try await sideBySide(Self.decoys.indices) { [question] index in
      let decoy = Self.decoys[index]
      try await withUDPResponder(script: { request, client in client.send(decoy.make(request)) }) { server in
        let outcome = try await probe(question, server.port, within: .seconds(2))
        #expect(outcome.verdict.reason == .dnsTimeout, "\(decoy.what)")
        // The query and its repetition were both answered with it.
        #expect(
          outcome.verdict.message?.hasSuffix("; 2 packets that answered no question of ours were ignored")
            == true, "\(decoy.what)")
      }
    }
  }

  @Test("D2: what comes from another port or address never arrives") func answersFromElsewhereNeverArrive()
    async throws
  {
    try await withUDPResponder(script: { request, client in
      let wrong = Self.wrong(request) { _ in }
      try? client.sendFromElsewhere(wrong)
      try? client.sendFromElsewhere(wrong, address: 0x7f00_0002)
      client.send(Self.right(request))
    }) { server in
      let outcome = try await probe(question, server.port)
      #expect(outcome.verdict == .ok)
    }
  }

  @Test("D18: the case of the name does not matter") func theCaseOfTheNameDoesNotMatter() async throws {
    try await withUDPResponder(script: { request, client in
      let wire = Wire(to: request).with { ($0.question[1], $0.answers) = (0x58, [Wire.a(192, 0, 2, 1)]) }
      client.send(wire.bytes)
    }) { server in
      let outcome = try await probe(question, server.port)
      #expect(outcome.verdict == .ok)
    }
  }

  @Test("D1: silence is a timeout at the deadline") func silenceIsATimeoutAtTheDeadline() async throws {
    try await withUDPResponder(script: { _, _ in }) { server in
      let start = Instant.now
      let outcome = try await probe(question, server.port, within: .seconds(2))
      #expect(outcome.verdict.reason == .dnsTimeout)
      #expect(outcome.verdict.status == .timeout)
      #expect(outcome.verdict.state == .down)
      #expect(start.duration(to: .now) >= .seconds(2))
      #expect(outcome.responseTime.map { $0 >= .milliseconds(1900) } == true)
    }
  }

  @Test func aLostPacketIsAskedForAgain() async throws {
    let count = Mutex(0)
    try await withUDPResponder(script: { request, client in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      if !isFirst { client.send(Self.right(request)) }
    }) { server in
      let outcome = try await probe(question, server.port, within: .seconds(1))
      #expect(outcome.verdict == .ok)
      #expect(server.received.count == 2)
    }
  }

  /// RFC 6891 7, and servers that simply drop what they do not know.
  @Test("D17: a server that is hostile to EDNS is asked without", arguments: [UInt16(0x8181), 0x8184, nil])
  func aServerWithoutEDNSIsAskedWithout(flags: UInt16?)
    async throws
  {
    try await withUDPResponder(script: { request, client in
      // The additional count tells a query with OPT.
      if request[11] == 0 { client.send(Self.right(request)) }
      if request[11] != 0, let flags { client.send(Wire(to: request).with { $0.flags = flags }.bytes) }
    }) { server in
      let outcome = try await probe(question, server.port, within: .seconds(1))
      #expect(outcome.verdict == .ok)
      #expect(server.received.count == 2)
    }
  }

  @Test func aLateAnswerToTheFirstQueryStillCounts() async throws {
    let first = Mutex<[UInt8]?>(nil)
    try await withUDPResponder(script: { request, client in
      let earlier = first.withLock { kept in
        defer { kept = kept ?? request }
        return kept
      }
      if let earlier { client.send(Self.right(earlier)) }
    }) { server in
      let outcome = try await probe(question, server.port, within: .seconds(1))
      #expect(outcome.verdict == .ok)
    }
  }

  @Test("D9: damage behind a right question is malformed") func damageBehindARightQuestionIsMalformed()
    async throws
  {
    try await withUDPResponder(script: { request, client in
      client.send(Wire(to: request).with { $0.counts.1 = 9 }.bytes)
    }) { server in
      let outcome = try await probe(question, server.port)
      #expect(outcome.verdict.reason == .dnsMalformed)
      #expect(outcome.verdict.state == .down)
    }
  }

  private static let cut: @Sendable ([UInt8], UDPClient) -> Void = { request, client in
    client.send(Wire(to: request).with { $0.flags = 0x8380 }.bytes)
  }

  @Test("D5, D6, D12: a cut answer comes by TCP, whole or broken", arguments: streams.indices)
  func judgesWhatComesByTCP(index: Int) async throws {
    let stream = Self.streams[index]
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      var bytes: [UInt8] = []
      while bytes.count < 2 || bytes.count < 2 + Int(bytes[0]) << 8 + Int(bytes[1]) {
        let more = connection.read()
        if more.isEmpty { return }
        bytes += more
      }
      stream.script(connection, Array(bytes[2...]))
    }
    try await withLoopbackServer(script: script) { tcp in
      try await withUDPResponder(port: tcp.port, script: Self.cut) { udp in
        let outcome = try await probe(question, udp.port, within: .seconds(3))
        #expect(outcome.verdict.reason == stream.reason, "\(stream.what): \(outcome.verdict)")
        if stream.reason == .ok { #expect(outcome.dns?.truncated == true) }
        if stream.what == "one for somebody else, and closed" {
          #expect(
            outcome.verdict.message?.hasSuffix("; 1 packets that answered no question of ours were ignored")
              == true, "\(outcome.verdict)")
        }
        if stream.what == "4,000 addresses" {
          #expect(outcome.dns?.answerCount == 4000 && outcome.dns?.answers.count == 64)
        }
      }
    }
  }

  @Test("D5: a cut answer without TCP behind it is a refusal") func noTCPBehindACutAnswerIsRefused()
    async throws
  {
    try await withUDPResponder(script: Self.cut) { server in
      let outcome = try await probe(question, server.port)
      #expect(outcome.verdict.reason == .connectRefused)
      let words = "the answer over UDP was cut, and over TCP 127.0.0.1:\(server.port): connection refused"
      #expect(outcome.verdict.message == words)
    }
  }

  /// While one waits for an answer that never comes, others come and go.
  @Test("D1: a silent server delays nobody else") func aSilentServerDelaysNobody() async throws {
    try await withUDPResponder(script: { _, _ in }) { silent in
      try await withUDPResponder(script: { request, client in client.send(Self.right(request)) }) { healthy in
        let slow = Task { [question] in try await probe(question, silent.port, within: .seconds(50)) }
        while silent.received.isEmpty { await Task.yield() }
        for _ in 0..<20 {
          let outcome = try await probe(question, healthy.port)
          #expect(outcome.verdict == .ok)
        }
        slow.cancel()
        await #expect(throws: CancellationError.self) { _ = try await slow.value }
      }
    }
  }
}
