// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import Network
import NetworkTestSupport
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

  /// The first server answers when it sees that the second is asked.
  @Test func anAnswerThatComesLateStillCounts() async throws {
    let waiting = Mutex<(request: [UInt8], client: UDPClient)?>(nil)
    try await withUDPResponder(script: { request, client in
      waiting.withLock { waiting in if waiting == nil { waiting = (request, client) } }
    }) { first in
      let hints: @Sendable ([UInt8], UDPClient) -> Void = { _, _ in
        if let (request, client) = waiting.withLock({ $0 }) { Self.answer(request, client) }
      }
      try await withUDPResponder(0x7f00_0002, port: first.port, script: hints) { _ in
        let host = try await resolve(
          .v4, servers: "nameserver 127.0.0.1\nnameserver 127.0.0.2", port: first.port, within: .seconds(4))
        #expect(host.addresses == [IPAddress("192.0.2.1")], "\(String(describing: host.failure))")
        // From the first query on, and the second server was asked after half of the time.
        #expect(host.elapsed >= .milliseconds(1500))
      }
    }
  }

  /// Who gives up one family has heard all that is to be heard from a server.
  @Test func aServerThatIsGivenUpIsNotCalledSilent() async throws {
    let answers: @Sendable ([UInt8], UDPClient) -> Void = { request, client in
      if Self.isV4(request) { Self.answer(request, client) }
    }
    try await withUDPResponder(script: answers) { first in
      try await withUDPResponder(0x7f00_0002, port: first.port, script: answers) { second in
        let servers = "nameserver 127.0.0.1\nnameserver 127.0.0.2"
        try await withResolver(servers, port: first.port) { (_, resolver) async throws in
          for _ in 0..<3 {
            let host = try await resolver.resolve("web.example", ip: .any, deadline: .after(.seconds(8)))
            #expect(host.addresses == [IPAddress("192.0.2.1")])
          }
        }
        #expect(second.received.isEmpty)
      }
    }
  }

  /// A server asked alone is asked again, over the same socket.
  @Test func theQuestionIsRepeated() async throws {
    let ports = Mutex<[UInt16]>([])
    try await withUDPResponder(script: { request, client in
      let count = ports.withLock { ports in
        ports.append(client.port)
        return ports.count
      }
      if count == 4 { Self.answer(request, client) }
    }) { server in
      let host = try await resolve(
        .v4, servers: "nameserver 127.0.0.1\noptions timeout:1 attempts:5", port: server.port,
        within: .seconds(20))
      #expect(host.addresses == [IPAddress("192.0.2.1")], "\(String(describing: host.failure))")
      #expect(Set(ports.withLock { $0 }).count == 1)
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
      let began = Instant.now
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

  /// Of the search list's names the first that exists is meant, also where only a part of it is known.
  @Test func eachAddressIsOfOneName() async throws {
    try await withUDPResponder(script: { request, client in
      let isFirst = Wire(to: request).question.starts(with: Wire.name("web.a.example"))
      let fails = isFirst && !Self.isV4(request)
      Self.answer(request, client, flags: fails ? 0x8182 : 0x8180, empty: fails)
    }) { server in
      let servers = "nameserver 127.0.0.1\nsearch a.example b.example"
      try await withResolver(servers, port: server.port) { (_, resolver) async throws in
        let host = try await resolver.resolve("web", ip: .any, scope: .each, deadline: .after(.seconds(8)))
        #expect(host.addresses.isEmpty && host.failure?.reason == .dnsServfail)
        #expect(
          host.failure?.message?.hasSuffix("web.a.example.") == true, "\(String(describing: host.failure))")
      }
    }
  }

  /// What was left out of the first look, because it took long, is in the second.
  @Test(.enabled(if: Machine.hasIPv6, "\(Machine.noIPv6)"))
  func theSecondLookWaitsForBothFamilies() async throws {
    let v4 = Mutex<(request: [UInt8], client: UDPClient)?>(nil)
    // AAAA is answered at once, A when somebody asks for it again, which happens after a second.
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
        ($0.host, $0.port) = ("web.example", 443)
      }
      try await withResolver("nameserver 127.0.0.1\noptions timeout:2", port: server.port) {
        (_, system) async throws in
        let finder = TargetFinder(resolver: system, policy: EgressPolicy())
        func families(isSecondLook: Bool) async throws -> [Int] {
          let attempt = Attempt(of: check, until: .after(.seconds(8)), isSecondLook: isSecondLook)
          let target = try #require(check.ownTarget)
          guard
            case .found(let addresses, _) = try await finder.find(
              target, for: attempt, until: attempt.deadline)
          else { return [] }
          return addresses.map(\.address.version)
        }
        #expect(try await families(isSecondLook: false) == [6])
        #expect(try await families(isSecondLook: true) == [6, 4])
      }
    }
  }
}
