// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

/// What the options of resolv.conf(5), its variables and a file without servers change.
@Suite(.timeLimit(.minutes(1))) struct ResolverOptionTests {
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

  /// resolv.conf(5): without a nameserver line the one on this machine is meant.
  @Test func withoutServersTheMachinesOwnIsAsked() async throws {
    try await withUDPResponder(script: { request, client in Self.answer(request, client) }) { server in
      let host = try await resolve("web.example", servers: "search .", port: server.port)
      #expect(host.addresses == [IPAddress("192.0.2.1")])
    }
  }

  @Test func withUseVCQuestionsGoOverTCP() async throws {
    try await withUDPResponder(script: { request, client in Self.answer(request, client) }) { server in
      let host = try await resolve(
        "web.example", servers: "nameserver 127.0.0.1\noptions use-vc", port: server.port)
      #expect(host.failure?.reason == .localFault)
      #expect(server.received.isEmpty)
    }
    try await withNameServers { servers in
      try await withResolver("nameserver 127.0.0.1\noptions use-vc", port: servers.unbound) { _, resolver in
        let host = try await resolver.resolve("www.shop.example", ip: .v4, deadline: .after(.seconds(10)))
        #expect(host.addresses == [IPAddress("192.0.2.80")])
      }
    }
  }

  /// So do questions to the machine's own servers that are no look-ups of a host: of dns checks, and for services.
  @Test func withUseVCOtherQuestionsGoOverTCPToo() async throws {
    let options = "nameserver 127.0.0.1\noptions use-vc"
    let name = try #require(DNSName("www.shop.example"))
    try await withUDPResponder(script: { request, client in Self.answer(request, client) }) { server in
      try await withResolver(options, port: server.port) { _, resolver in
        let reply = try await resolver.ask(
          DNSQuestion(name: name, type: .a), recursion: true, over: .udp, phase: .answer,
          until: .after(.seconds(10)))
        #expect(reply.failure != nil)
        let services = try await resolver.services(of: "_http._tcp.shop.example", until: .after(.seconds(10)))
        #expect(services.services.isEmpty && services.problem != nil)
      }
      #expect(server.received.isEmpty)
    }
    try await withNameServers { servers in
      try await withResolver(options, port: servers.unbound) { _, resolver in
        let reply = try await resolver.ask(
          DNSQuestion(name: name, type: .a), recursion: true, over: .udp, phase: .answer,
          until: .after(.seconds(10)))
        #expect(reply.failure == nil && reply.transport == .tcp)
      }
    }
  }

  @Test func withNoAAAAOnlyIPv4IsAskedFor() async throws {
    try await withUDPResponder(script: { request, client in Self.answer(request, client) }) { server in
      let servers = "nameserver 127.0.0.1\noptions no-aaaa"
      let host = try await resolve("web.example", servers: servers, port: server.port)
      #expect(host.addresses == [IPAddress("192.0.2.1")])
      let v6 = try await resolve("web.example", .v6, servers: servers, port: server.port)
      #expect(v6.failure?.reason == .localFault)
      #expect(
        v6.failure?.message
          == "options no-aaaa in /etc/resolv.conf or RES_OPTIONS: no IPv6 address is asked for")
      #expect(server.received.count == 1)
    }
  }

  /// A server, or a firewall before it, that drops the second of two questions at once.
  @Test func withSingleRequestTheFamiliesAreAskedForInTurn() async throws {
    try await withUDPResponder(script: { request, client in Self.answer(request, client) }) { server in
      let host = try await resolve(
        "web.example", servers: "nameserver 127.0.0.1\noptions single-request", port: server.port)
      #expect(host.addresses == [IPAddress("192.0.2.1")])
      #expect(server.received.map { $0[$0.count - 14] } == [1, 28])
    }
  }

  @Test func withRotateEachQuestionBeginsWithTheNextServer() async throws {
    let servers = NameServers(reactor: try Reactor(), time: .system)
    let lines = (1...3).map { "nameserver 192.0.2.\($0)\n" }.joined()
    let orders = { (options: String) in
      let file = ResolverConfiguration(parsing: lines + options)
      return (0..<4).map { _ in servers.order(file).map { $0.address.description.suffix(1) }.joined() }
    }
    #expect(orders("options rotate") == ["123", "231", "312", "123"])
    #expect(orders("") == ["123", "123", "123", "123"])
  }

  /// A link-local address without its interface has no route on any machine, whatever networks it is in.
  @Test func aHostOfTheFileIsTriedWhereThereIsARoute() async throws {
    let local = try #require(IPAddress("fe80::1"))
    #expect(!SocketAddress(local, port: 9).hasRoute)
    let host = try await resolve("two.example", hosts: "fe80::1 two.example\n127.0.0.1 two.example", port: 1)
    #expect(host.addresses == [.loopback, local])
  }

  @Test func theVariablesOfTheEnvironmentCount() async throws {
    try await withUDPResponder(script: { request, client in Self.answer(request, client, code: 3) }) {
      server in
      try await withTemporaryDirectory { folder in
        try write("nameserver 127.0.0.1\nsearch a.test\n", folder, "resolv.conf")
        try write("", folder, "hosts")
        let resolver = SystemResolver(
          reactor: try Reactor(), resolvConf: folder.appending(path: "resolv.conf").path,
          hosts: folder.appending(path: "hosts").path,
          environment: .init(options: "no-aaaa", search: "b.test"), port: server.port)
        _ = try await resolver.resolve("web", ip: .any, deadline: .after(.seconds(5)))
        let names = server.received.compactMap { try? DNSMessage($0).question?.name.description }
        #expect(names == ["web.b.test.", "web."])
      }
    }
  }
}
