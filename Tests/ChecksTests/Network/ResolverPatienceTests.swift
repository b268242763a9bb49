// SPDX-License-Identifier: MIT

import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Checks

/// For whom the resolver waits, and for how long.
@Suite(.timeLimit(.minutes(1))) struct ResolverPatienceTests {
  private static func isV4(_ request: [UInt8]) -> Bool {
    request[request.count - 14] == 1 || request.suffix(4) == [0, 1, 0, 1]
  }

  private static func answer(
    _ request: [UInt8], _ client: UDPClient, flags: UInt16 = 0x8180, empty: Bool = false
  ) {
    client.send(
      Wire(to: request).with { wire in
        wire.flags = flags
        if !empty, isV4(request) { wire.answers = [Wire.record(1, [192, 0, 2, 1])] }
      }.bytes)
  }

  private func resolve(
    _ ip: IPPreference, scope: ResolveScope = .any, servers: String = "nameserver 127.0.0.1", port: UInt16,
    within: Duration
  ) async throws -> ResolvedHost {
    try await withResolver(servers, port: port) { _, resolver in
      try await resolver.resolve("web.example", ip: ip, scope: scope, deadline: .after(within))
    }
  }

  /// The server answers the first query, and that only once the second one is there.
  @Test func anAnswerThatComesLateStillCounts() async throws {
    let waiting = Mutex<(request: [UInt8], client: UDPClient)?>(nil)
    try await withUDPResponder(script: { request, client in
      let first = waiting.withLock { waiting in
        if waiting == nil { waiting = (request, client) }
        return waiting
      }
      if let first, first.client.port != client.port { Self.answer(first.request, first.client) }
    }) { server in
      let host = try await resolve(.v4, port: server.port, within: .seconds(4))
      #expect(host.addresses == [IPAddress("192.0.2.1")], "\(String(describing: host.failure))")
      // From the first query on, and the second was sent after half of the time.
      #expect(host.elapsed >= .milliseconds(1500))
    }
  }

  /// It neither knows the name nor asks others: the next one may.
  @Test func aLameServerIsPassedOver() async throws {
    try await withUDPResponder(script: { Self.answer($0, $1, flags: 0x8100, empty: true) }) { lame in
      try await withUDPResponder(0x7f00_0002, port: lame.port, script: { Self.answer($0, $1) }) { _ in
        let host = try await resolve(
          .any, servers: "nameserver 127.0.0.1\nnameserver 127.0.0.2", port: lame.port, within: .seconds(20))
        #expect(host.addresses == [IPAddress("192.0.2.1")], "\(String(describing: host.failure))")
      }
    }
  }

  /// Some servers never answer for AAAA. They get a part of the time, and it is told that it was spent.
  @Test(arguments: [400, 20_000]) func theSilentFamilyLeavesTime(milliseconds: Int) async throws {
    try await withUDPResponder(script: { request, client in
      if Self.isV4(request) { Self.answer(request, client) }
    }) { server in
      let began = ContinuousClock.now
      let host = try await resolve(.any, port: server.port, within: .milliseconds(milliseconds))
      #expect(host.addresses == [IPAddress("192.0.2.1")], "\(String(describing: host.failure))")
      #expect(host.elapsed >= min(.milliseconds(80), .milliseconds(milliseconds / 5)))
      #expect(host.elapsed <= began.duration(to: .now))
      if milliseconds == 20_000 { #expect(host.elapsed >= .milliseconds(500)) }
    }
  }

  /// With `addresses: each` a part of the addresses is not enough.
  @Test(arguments: [false, true]) func eachAddressNeedsBothFamilies(isSilent: Bool) async throws {
    try await withUDPResponder(script: { request, client in
      if Self.isV4(request) {
        Self.answer(request, client)
      } else if !isSilent {
        Self.answer(request, client, flags: 0x8182, empty: true)
      }
    }) { server in
      let host = try await resolve(.any, scope: .each, port: server.port, within: .seconds(2))
      #expect(host.addresses.isEmpty)
      #expect(host.failure?.reason == (isSilent ? .dnsTimeout : .dnsServfail))
      #expect(host.failure?.message?.hasPrefix("only a part of the addresses is known: ") == true)
    }
  }

  /// What was left out of the first look, because it took long, is in the second.
  @Test func theSecondLookWaitsForBothFamilies() async throws {
    let v4 = Mutex<(request: [UInt8], client: UDPClient)?>(nil)
    // AAAA is answered at once, A when somebody asks for it again, which happens within half of the time.
    try await withUDPResponder(script: { request, client in
      guard Self.isV4(request) else {
        return client.send(
          Wire(to: request).with { $0.answers = [Wire.record(28, [UInt8](repeating: 0, count: 15) + [1])] }
            .bytes)
      }
      let first = v4.withLock { first in
        defer { first = (request, client) }
        return first
      }
      if let first, first.client.port == client.port { Self.answer(request, client) }
    }) { server in
      let check = try makeCheck("tcp") {
        ($0.host, $0.port, $0.resolver) = ("web.example", 443, "127.0.0.1:\(server.port)")
      }
      try await withResolver("", port: 1) { (_, system) async throws in
        let finder = TargetFinder(resolver: system, policy: EgressPolicy())
        func families(_ check: MonitoringCheck) async throws -> [Int] {
          let target = try #require(check.ownTarget)
          guard
            case .found(let addresses, _) = try await finder.find(
              target, for: check, until: .after(.seconds(6)))
          else { return [] }
          return addresses.map(\.address.version)
        }
        #expect(try await families(check) == [6])
        #expect(try await families(check.secondLook()) == [6, 4])
      }
    }
  }
}
