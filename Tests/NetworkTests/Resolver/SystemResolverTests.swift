// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Network

@Suite(.timeLimit(.minutes(1))) struct SystemResolverTests {
  private func resolve(
    _ host: String, _ ip: IPPreference = .any, servers: String = "nameserver 127.0.0.1", hosts: String = "",
    port: UInt16, within: Duration = .seconds(20)
  ) async throws -> ResolvedHost {
    try await withResolver(servers, hosts: hosts, port: port) { _, resolver in
      try await resolver.resolve(host, ip: ip, deadline: .after(within))
    }
  }

  private static func answer(
    _ request: [UInt8], _ client: UDPClient, v4: [UInt8] = [192, 0, 2, 1], code: UInt16 = 0
  ) {
    let isV4 = request[request.count - 14] == 1 || request.suffix(4) == [0, 1, 0, 1]
    client.send(
      Wire(to: request).with { wire in
        wire.flags = 0x8180 | code
        if code == 0, isV4 { wire.answers = [Wire.record(1, v4)] }
      }.bytes)
  }

  static let names: [(host: String, ip: IPPreference, addresses: Set<String>, reason: Reason?)] = [
    ("www.shop.example", .any, ["192.0.2.80", "2001:db8::80"], nil),
    ("www.shop.example", .v4, ["192.0.2.80"], nil), ("www.shop.example", .v6, ["2001:db8::80"], nil),
    ("c0.shop.example", .v4, ["192.0.2.80"], nil), ("V4.Shop.Example.", .any, ["192.0.2.4"], nil),
    ("none.shop.example", .any, [], .dnsNXDomain), ("text.shop.example", .any, [], .dnsNoData),
    ("v4.shop.example", .v6, [], .dnsNoData), ("any.refused.example", .any, [], .dnsRefused),
  ]

  @Test func resolvesThroughUnbound() async throws {
    try await withNameServers { servers in
      try await withResolver("nameserver 127.0.0.1", port: servers.unbound) { _, resolver in
        for (name, ip, addresses, reason) in Self.names {
          let host = try await resolver.resolve(name, ip: ip, deadline: .after(.seconds(10)))
          #expect(Set(host.addresses.map(\.description)) == addresses, "\(name)")
          #expect(host.failure?.reason == reason, "\(name)")
        }
      }
    }
  }

  @Test func theTimeOfTheAnswerIsMeasured() async throws {
    try await withUDPResponder(script: { request, client in Self.answer(request, client) }) { server in
      let host = try await resolve("web.example", port: server.port)
      #expect(host.addresses == [IPAddress("192.0.2.1")])
      #expect(host.elapsed > .zero)
    }
  }

  @Test(arguments: ["localhost", "only4.example"])
  func aNameOfTheFileWithoutTheFamilyHasNoData(name: String) async throws {
    let asked = Mutex(0)
    try await withUDPResponder(script: { request, client in
      asked.withLock { $0 += 1 }
      Self.answer(request, client, code: 3)
    }) { server in
      let hosts = "127.0.0.1 localhost\n192.0.2.4 only4.example"
      let host = try await resolve(name, .v6, hosts: hosts, port: server.port)
      #expect(host.failure?.reason == .dnsNoData, "\(String(describing: host.failure))")
      #expect(host.failure?.message == "\(name) has no IPv6 address in /etc/hosts, and no other")
      #expect((asked.withLock { $0 } == 0) == (name == "localhost"))
    }
  }

  @Test func aMissingNameIsToldAsItIsWritten() async throws {
    try await withUDPResponder(script: { request, client in Self.answer(request, client, code: 3) }) {
      server in
      let host = try await resolve(
        "a.test", servers: "nameserver 127.0.0.1\nsearch corp.test", port: server.port)
      #expect(host.failure?.message == "a.test. does not exist")
    }
  }

  @Test func literalsPassThrough() async throws {
    #expect(try await resolve("192.0.2.9", port: 1).addresses == [IPAddress("192.0.2.9")])
    #expect(
      try await resolve("2001:db8::9", port: 1)
        == ResolvedHost(addresses: [.init("2001:db8::9")].compactMap(\.self)))
    #expect(try await resolve("192.0.2.9", .v6, port: 1).failure?.reason == .unsupported)
  }

  @Test(arguments: [
    "", ".", "a..b", "\u{e9}.example", "0x7f.1..", String(repeating: "a", count: 64) + ".example",
  ])
  func whatIsNoNameDoesNotExist(host: String) async throws {
    #expect(try await resolve(host, port: 1).failure?.reason == .dnsNXDomain)
  }

  @Test func theHostsFileComesFirst() async throws {
    let hosts = "192.0.2.7 web.example web\n2001:db8::7 web.example"
    try await withUDPResponder(script: { request, client in Self.answer(request, client) }) { server in
      let port = server.port
      let both = try await resolve("WEB.example", hosts: hosts, port: port)
      #expect(
        both
          == ResolvedHost(
            addresses: [.init("192.0.2.7"), .init("2001:db8::7")].compactMap(\.self), source: .hostsFile))
      #expect(
        try await resolve("web.example", .v6, hosts: hosts, port: port).addresses == [
          IPAddress("2001:db8::7")
        ])
      #expect(server.received.isEmpty)
      // The file has no IPv6 address for this one, so the servers are asked.
      _ = try await resolve("web", .v6, hosts: hosts, port: port)
      #expect(!server.received.isEmpty)
    }
  }

  @Test func localhostNeedsNobody() async throws {
    #expect(try await resolve("localhost", .v4, servers: "", port: 1).addresses == [.loopback])
  }

  @Test(arguments: ["", "# nothing here", "nameserver nonsense"])
  func withoutServersItIsALocalFault(servers: String) async throws {
    let host = try await resolve("web.example", servers: servers, port: 1)
    #expect(host.failure?.reason == .localFault)
    #expect(
      host.failure?.message?.hasSuffix(
        "; /etc/resolv.conf has no nameserver line, so 127.0.0.1 and ::1 were asked") == true)
  }

  @Test func missingFilesAreALocalFault() async throws {
    let resolver = SystemResolver(
      reactor: try Reactor(), resolvConf: "/nonexistent/resolv.conf", hosts: "/nonexistent/hosts", port: 1)
    let host = try await resolver.resolve("web.example", ip: .any, deadline: .after(.seconds(1)))
    #expect(host.failure?.reason == .localFault)
  }

  @Test func theSearchListIsTried() async throws {
    try await withUDPResponder(script: { request, client in
      let isQualified = Wire(to: request).question.starts(with: Wire.name("web.lab.example"))
      Self.answer(request, client, code: isQualified ? 0 : 3)
    }) { server in
      let servers = "nameserver 127.0.0.1\nsearch corp.example lab.example"
      let found = try await resolve("web", .v4, servers: servers, port: server.port)
      #expect(found.addresses == [IPAddress("192.0.2.1")])
      let absolute = try await resolve("web.", .v4, servers: servers, port: server.port)
      #expect(absolute.failure?.reason == .dnsNXDomain)
      #expect(absolute.failure?.message == "web. does not exist")
    }
  }

  /// The second server is 127.0.0.2 on the same port.
  @Test func aSilentServerLeavesTimeForTheNext() async throws {
    let servers = "nameserver 127.0.0.1\nnameserver 127.0.0.2\noptions timeout:1"
    try await withUDPResponder(script: { _, _ in }) { silent in
      let answers: @Sendable ([UInt8], UDPClient) -> Void = { request, client in Self.answer(request, client)
      }
      try await withUDPResponder(0x7f00_0002, port: silent.port, script: answers) { _ in
        try await withResolver(servers, port: silent.port) { _, resolver in
          let first = try await resolver.resolve("web.example", ip: .v4, deadline: .after(.seconds(20)))
          #expect(first.addresses == [IPAddress("192.0.2.1")])
          #expect(first.elapsed >= .milliseconds(800))
          // From now on the one that answers is asked first.
          let asked = silent.received.count
          let second = try await resolver.resolve("web.example", ip: .v4, deadline: .after(.seconds(20)))
          #expect(second.addresses == [IPAddress("192.0.2.1")])
          #expect(silent.received.count == asked)
        }
      }
    }
  }

  /// Although the file lets one server be waited for longer than the whole attempt may last.
  @Test func aSilentServerTakesOnlyItsShareOfTheTime() async throws {
    try await withUDPResponder(script: { _, _ in }) { silent in
      let answers: @Sendable ([UInt8], UDPClient) -> Void = { request, client in Self.answer(request, client)
      }
      try await withUDPResponder(0x7f00_0002, port: silent.port, script: answers) { _ in
        let servers = "nameserver 127.0.0.1\nnameserver 127.0.0.2\noptions timeout:30"
        let host = try await resolve(
          "web.example", .v4, servers: servers, port: silent.port, within: .seconds(8))
        #expect(host.addresses == [IPAddress("192.0.2.1")])
      }
    }
  }

  @Test(arguments: [UInt16(2), 5]) func aServerThatCannotIsPassedOver(code: UInt16) async throws {
    let fails: @Sendable ([UInt8], UDPClient) -> Void = { request, client in
      Self.answer(request, client, code: code)
    }
    try await withUDPResponder(script: fails) { server in
      let answers: @Sendable ([UInt8], UDPClient) -> Void = { request, client in Self.answer(request, client)
      }
      try await withUDPResponder(0x7f00_0002, port: server.port, script: answers) { _ in
        let host = try await resolve(
          "web.example", .v4, servers: "nameserver 127.0.0.1\nnameserver 127.0.0.2", port: server.port)
        #expect(host.addresses == [IPAddress("192.0.2.1")])
      }
    }
  }

  @Test(arguments: [(UInt16(2), Reason.dnsServfail), (5, .dnsRefused), (3, .dnsNXDomain)])
  func whenAllSayTheSameThatIsTheReason(code: UInt16, reason: Reason) async throws {
    try await withUDPResponder(script: { request, client in Self.answer(request, client, code: code) }) {
      server in
      let host = try await resolve("web.example", port: server.port)
      #expect(host.failure?.reason == reason)
      #expect(host.failure?.state == .down)
    }
  }

  @Test func aDeadServerIsALocalFault() async throws {
    let host = try await resolve("web.example", port: try freePort(udp: true))
    #expect(host.failure?.reason == .localFault)
    #expect(host.failure?.phase == .dns)
  }

  @Test func silenceFromTheStartIsNobodysOutage() async throws {
    try await withUDPResponder(script: { _, _ in }) { server in
      let host = try await resolve("web.example", port: server.port, within: .seconds(3))
      #expect(host.failure?.reason == .dnsTimeout)
      #expect(host.failure?.state == .unknown)
      #expect(host.failure?.status == .timeout)
    }
  }

  /// Others were answered a moment ago, so the silence is about this name.
  @Test func silenceAboutOneNameIsAnOutage() async throws {
    try await withUDPResponder(script: { request, client in
      if Wire(to: request).question.starts(with: Wire.name("web.example")) { Self.answer(request, client) }
    }) { server in
      try await withResolver("nameserver 127.0.0.1", port: server.port) { _, resolver in
        let good = try await resolver.resolve("web.example", ip: .v4, deadline: .after(.seconds(20)))
        #expect(good.failure == nil)
        let bad = try await resolver.resolve("dead.example", ip: .v4, deadline: .after(.seconds(3)))
        #expect(bad.failure?.reason == .dnsTimeout)
        #expect(bad.failure?.state == .down)
        #expect(bad.failure?.message == "no name server answered for dead.example.")
      }
    }
  }

  /// Some servers never answer for AAAA.
  @Test func aFamilyThatNeverAnswersDoesNotHoldTheOther() async throws {
    try await withUDPResponder(script: { request, client in
      if request.dropFirst(12).contains(28) { return }
      Self.answer(request, client)
    }) { server in
      // A quarter of it would be longer than this test may last: the grace of the other family is one of its own.
      let host = try await resolve("web.example", port: server.port, within: .seconds(3600))
      #expect(host.addresses == [IPAddress("192.0.2.1")])
    }
  }

  @Test func malformedAnswersAreMalformed() async throws {
    try await withUDPResponder(script: { request, client in
      client.send(Wire(to: request).with { $0.counts.1 = 9 }.bytes)
    }) { server in
      let host = try await resolve("web.example", port: server.port)
      #expect(host.failure?.reason == .dnsMalformed)
    }
  }

  @Test func aChangedFileIsReadAgain() async throws {
    try await withTemporaryDirectory { folder in
      try write("192.0.2.1 web.example\n", folder, "hosts")
      try write("", folder, "resolv.conf")
      let resolver = SystemResolver(
        reactor: try Reactor(), resolvConf: folder.appending(path: "resolv.conf").path,
        hosts: folder.appending(path: "hosts").path, port: 1, freshness: .zero)
      let before = try await resolver.resolve("web.example", ip: .any, deadline: .after(.seconds(5)))
      #expect(before.addresses == [IPAddress("192.0.2.1")])
      try write("192.0.2.222 web.example\n", folder, "hosts")
      let after = try await resolver.resolve("web.example", ip: .any, deadline: .after(.seconds(5)))
      #expect(after.addresses == [IPAddress("192.0.2.222")])
    }
  }

  @Test func cancellingEndsAResolution() async throws {
    try await withUDPResponder(script: { _, _ in }) { server in
      try await withResolver("nameserver 127.0.0.1", port: server.port) { _, resolver in
        let task = Task {
          try await resolver.resolve("web.example", ip: .any, deadline: .after(.seconds(50)))
        }
        while server.received.count < 2 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
      }
    }
  }
}
