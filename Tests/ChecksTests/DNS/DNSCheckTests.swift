// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks

/// What every kind of check can do, for dns and ping: through the runner, as the agent runs them.
@Suite(.timeLimit(.minutes(1))) struct DNSCheckTests {
  private static func right(_ request: [UInt8], _ last: UInt8 = 1) -> [UInt8] {
    Wire(to: request).with { $0.answers = [Wire.a(192, 0, 2, last)] }.bytes
  }

  private func run(
    _ check: MonitoringCheck, names: UInt16 = 53, egress: EgressPolicy = EgressPolicy()
  ) async throws -> CheckResult {
    try await withResolver("nameserver 127.0.0.1", port: names) { reactor, system in
      try await withCurlEngine { engine in
        let runner = CheckRunner(
          engine: engine, reactor: reactor, system: system,
          finder: TargetFinder(resolver: system, policy: egress),
          userAgent: "test")
        return try await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
      }
    }
  }

  @Test func aSecondAttemptMaySucceed() async throws {
    let count = Mutex(0)
    try await withUDPResponder(script: { request, client in
      let number = count.withLock { count in
        count += 1
        return count
      }
      client.send(number == 1 ? Wire(to: request).with { $0.flags = 0x8182 }.bytes : Self.right(request))
    }) { server in
      let result = try await run(
        try makeCheck("dns") { definition in
          (definition.server, definition.queryName) = ("127.0.0.1:\(server.port)", "x.example")
          (definition.retries, definition.retryDelay) = (1, .milliseconds(1))
        })
      #expect(result.state == .up)
      #expect(result.attempts.map(\.reason) == [.dnsServfail, .ok])
    }
  }

  /// Of two addresses one holds another answer.
  @Test func eachAddressOfAServerIsAsked() async throws {
    try await withUDPResponder(script: { request, client in client.send(Self.right(request, 1)) }) { first in
      try await withUDPResponder(
        0x7f00_0002, port: first.port,
        script: { request, client in
          client.send(Self.right(request, 2))
        }
      ) { _ in
        try await withUDPResponder(script: { request, client in
          let isA = request[request.count - 14] == 1
          client.send(
            Wire(to: request).with { $0.answers = isA ? [Wire.a(127, 0, 0, 1), Wire.a(127, 0, 0, 2)] : [] }
              .bytes)
        }) { names in
          let result = try await run(
            try makeCheck("dns") { definition in
              (definition.server, definition.queryName) = ("ns.test:\(first.port)", "x.example")
              (definition.addresses, definition.expect.answersExact) = ("each", ["192.0.2.1"])
            }, names: names.port)
          #expect(result.reason == .dnsAnswer)
          #expect(result.addresses.map(\.reason) == [.ok, .dnsAnswer])
          #expect(result.addresses.map(\.address) == ["127.0.0.1:\(first.port)", "127.0.0.2:\(first.port)"])
        }
      }
    }
  }

  /// The name of the server is asked of the check's own resolver; the question itself is not.
  @Test func theCheckMayNameItsResolver() async throws {
    try await withUDPResponder(script: { request, client in client.send(Self.right(request)) }) { server in
      try await withUDPResponder(script: { request, client in
        client.send(Wire(to: request).with { $0.answers = [Wire.a(127, 0, 0, 1)] }.bytes)
      }) { names in
        let result = try await run(
          try makeCheck("dns") { definition in
            (definition.server, definition.queryName) = ("ns.test:\(server.port)", "x.example")
            (definition.resolver, definition.ip) = ("127.0.0.1:\(names.port)", "4")
          }, names: 1)
        #expect(result.state == .up, "\(result.message ?? "")")
        #expect(names.received.count == 1)
        #expect(server.received.count == 1)
      }
    }
  }

  /// In a file that is refused. A stranger's columns are what they are.
  @Test func theFamilyMayBeChosen() async throws {
    let result = try await run(
      try makeCheck("dns") {
        ($0.origin, $0.server, $0.queryName, $0.ip) = (.api, "127.0.0.1", "x.example", "6")
      })
    #expect(result.reason == .unsupported, "\(result)")
    #expect(throws: InvalidCheck.self) {
      try makeCheck("dns") { ($0.server, $0.queryName, $0.ip) = ("127.0.0.1:5", "x.example", "6") }
    }
  }

  @Test func namesInPeoplesLettersAreAskedInTheirASCIIForm() async throws {
    try await withUDPResponder(script: { request, client in client.send(Self.right(request)) }) { server in
      let result = try await run(
        try makeCheck("dns") { definition in
          (definition.server, definition.queryName) = ("127.0.0.1:\(server.port)", "B\u{fc}cher.example")
        })
      #expect(result.state == .up)
      let asked = try #require(server.received.first)
      #expect(asked.contains(subsequence: Array("xn--bcher-kva".utf8)))
    }
  }

  /// Codes above 15 come in two parts (RFC 6891 6.1.3).
  @Test(arguments: [("BADVERS", 1, 0), ("BADCOOKIE", 1, 7), ("BADMODE", 1, 3)])
  func extendedCodesMayBeExpected(code: String, upper: UInt8, lower: UInt16) async throws {
    try await withUDPResponder(script: { request, client in
      client.send(
        Wire(to: request).with { wire in
          wire.flags = 0x8180 | lower
          wire.additional = [[0, 0, 41, 4, 208, upper, 0, 0, 0, 0, 0]]
        }.bytes)
    }) { server in
      for expected in [code, "NOERROR"] {
        let result = try await run(
          try makeCheck("dns") { definition in
            (definition.server, definition.queryName) = ("127.0.0.1:\(server.port)", "x.example")
            definition.expect.rcodes = [expected]
          })
        #expect(result.dns?.rcode == code)
        #expect(result.reason == (expected == code ? .ok : .dnsRcode))
      }
    }
  }

  @Test func onlyEchoesNeedThePermission() throws {
    let echo = try makeCheck("ping") { $0.host = "192.0.2.1" }
    let connection = try makeCheck("ping") { ($0.host, $0.pingMethod, $0.port) = ("192.0.2.1", "tcp", 22) }
    let name = try makeCheck("dns") { $0.queryName = "x.example" }
    #expect([echo, connection, name].map(\.sendsEchoes) == [true, false, false])
  }
}

extension [UInt8] {
  fileprivate func contains(subsequence: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: subsequence) }
  }
}
