// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Network

/// The rest of the fault table's rows for name servers, seen through a whole check. `HostileServerTests` and
/// `DNSMessageTests` have the others.
@Suite(.timeLimit(.minutes(1))) struct DNSFaultTests {
  private func chain(_ request: [UInt8], _ count: Int, loops: Bool = false) -> [UInt8] {
    Wire(to: request).with { wire in
      wire.answers = (0..<count).map { index in
        let next = loops && index == count - 1 ? "x.example" : "n\(index).example"
        return Wire.cname(next, name: index == 0 ? [0xc0, 12] : Wire.name("n\(index - 1).example"))
      }
      if !loops { wire.answers.append(Wire.a(192, 0, 2, 1, name: Wire.name("n\(count - 1).example"))) }
    }.bytes
  }

  @Test(
    "D11: aliases are followed to their end, and a circle is told",
    arguments: [(8, false), (9, false), (16, false), (100, false), (3, true)])
  func aliases(count: Int, loops: Bool) async throws {
    // 100 aliases are more than a datagram of 1,232 bytes, but a server that sends them anyway is heard.
    try await withUDPResponder(script: { request, client in
      client.send(chain(request, count, loops: loops))
    }) { server in
      let outcome = try await dnsAttempt(within: .seconds(5)) { definition in
        (definition.server, definition.queryName) = ("127.0.0.1:\(server.port)", "x.example")
        definition.expect.answersExact = ["192.0.2.1"]
      }
      if !loops {
        #expect(outcome.verdict == .ok)
      } else {
        #expect(outcome.verdict.reason == .dnsMalformed)
        #expect(outcome.verdict.message == "the aliases of x.example lead in a circle")
        #expect(outcome.assertions.map(\.ok) == [true, false])
      }
    }
  }

  /// A name server for `ns.test`, which a check then asks; it answers A queries by the number of the query.
  private func withServerNamed<Value>(
    _ addresses: @escaping @Sendable (_ count: Int) -> [[UInt8]], ttl: UInt32 = 300,
    _ body: (_ names: UDPResponder, _ asked: UDPResponder) async throws -> Value
  ) async throws -> Value {
    let count = Mutex(0)
    let script: @Sendable ([UInt8], UDPClient) -> Void = { request, client in
      let isA = request[request.count - 11 - 3] == 1
      let number = count.withLock { count in
        if isA { count += 1 }
        return count
      }
      client.send(
        Wire(to: request).with { wire in
          if isA { wire.answers = addresses(number).map { Wire.record(1, $0, ttl: ttl) } }
        }.bytes)
    }
    return try await withUDPResponder(script: script) { names in
      try await withUDPResponder(script: { request, client in
        client.send(Wire(to: request).with { $0.answers = [Wire.a(192, 0, 2, 1)] }.bytes)
      }) { asked in try await body(names, asked) }
    }
  }

  private func ask(
    _ names: UDPResponder, _ asked: UDPResponder, egress: EgressPolicy = EgressPolicy()
  ) async throws -> ProbeOutcome {
    try await dnsAttempt(
      within: .seconds(5), egress: egress, system: "nameserver 127.0.0.1", systemPort: names.port
    ) { definition in
      (definition.server, definition.queryName) = ("ns.test:\(asked.port)", "x.example")
      definition.ip = "4"
    }
  }

  @Test("D13: the address that was judged is the one that is dialled, and there is one resolution")
  func rebinding()
    async throws
  {
    try await withServerNamed({ $0 == 1 ? [[127, 0, 0, 1]] : [[127, 0, 0, 9]] }) { names, asked in
      let outcome = try await ask(names, asked)
      #expect(outcome.verdict == .ok)
      #expect(outcome.address == "127.0.0.1:\(asked.port)")
      #expect(names.received.count == 1)
    }
  }

  @Test("D14: of a mixed answer only the permitted addresses are dialled") func mixedAnswer() async throws {
    var settings = EgressSettings()
    settings.deny = [EgressRule(try #require(CIDR("127.0.0.2/31")))]
    let policy = EgressPolicy(settings)
    try await withServerNamed({ _ in [[127, 0, 0, 2], [127, 0, 0, 1]] }) { names, asked in
      let outcome = try await ask(names, asked, egress: policy)
      #expect(outcome.verdict == .ok)
      #expect(outcome.address == "127.0.0.1:\(asked.port)")
    }
    try await withServerNamed({ _ in [[127, 0, 0, 2], [127, 0, 0, 3]] }) { names, asked in
      let outcome = try await ask(names, asked, egress: policy)
      #expect(outcome.verdict.reason == .policyDenied)
      #expect(asked.received.isEmpty)
    }
  }

  @Test("D15: nothing is kept, whatever the TTL", arguments: [UInt32(0), 300, 1 << 31, .max])
  func nothingIsCached(ttl: UInt32) async throws {
    try await withServerNamed({ _ in [[127, 0, 0, 1]] }, ttl: ttl) { names, asked in
      for _ in 0..<2 {
        let outcome = try await ask(names, asked)
        #expect(outcome.verdict == .ok)
      }
      #expect(names.received.count == 2)
      #expect(asked.received.count == 2)
    }
  }

  @Test("D16: the machine's name servers may change, vanish or be a hundred while running")
  func configuration()
    async throws
  {
    try await withUDPResponder(script: { request, client in
      client.send(Wire(to: request).with { $0.answers = [Wire.a(192, 0, 2, 1)] }.bytes)
    }) { server in
      try await withTemporaryDirectory { folder in
        let path = folder.appending(path: "resolv.conf").path
        let reactor = try Reactor()
        let system = SystemResolver(
          reactor: reactor, resolvConf: path, hosts: "/dev/null", port: server.port, freshness: .zero)
        let probe = DNSProbe(
          reactor: reactor, finder: TargetFinder(resolver: system, policy: EgressPolicy()), system: system)
        let check = try makeCheck("dns") { $0.queryName = "x.example" }
        let hundred = (1...100).map { "nameserver 127.0.0.\($0)\n" }.joined()
        // Without a line the one on this machine is asked, resolv.conf(5).
        for text in ["", "nameserver 127.0.0.1\n", "# none\n", hundred] {
          try write(text, folder, "resolv.conf")
          let outcome = try await probe.attempt(check, deadline: .after(.seconds(5)))
          #expect(outcome.verdict.reason == .ok, "\(text.prefix(30)): \(outcome.verdict)")
        }
        try FileManager.default.removeItem(atPath: path)
        let outcome = try await probe.attempt(check, deadline: .after(.seconds(5)))
        #expect(outcome.verdict.reason == .ok)
      }
    }
  }
}
