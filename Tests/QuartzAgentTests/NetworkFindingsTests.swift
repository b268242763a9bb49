// SPDX-License-Identifier: MIT

import Agent
import Basics
import Monitoring
import Network
import TestSupport
import Testing

@testable import QuartzAgent

/// What `doctor` says of the name servers.
@Suite struct NetworkFindingsTests {
  private func findings(_ file: String, _ servers: [SocketAddress]) async throws -> [Notice] {
    var configuration = ResolverConfiguration(parsing: file)
    configuration.servers = servers
    let asked = configuration
    return try await withProbeEngine(egress: ProbeEgress(), time: .system) { engine in
      await NetworkFindings(engine: engine).resolvers(asked)
    }
  }

  /// A file without a server means those of this machine (resolv.conf(5)); the advice is not to take out what is not there.
  @Test(arguments: [1, 2]) func noServerIsNamed(silent: Int) async throws {
    let servers = try (0..<silent).map { _ in SocketAddress(.v4(0x7f00_0001), port: try freePort(udp: true)) }
    let said = try await findings("search example.org\n", servers)
    #expect(
      said == [
        .critical(
          "resolver", "/etc/resolv.conf names no server, and none on this machine answers",
          hint: "add a line such as nameserver 192.0.2.53")
      ])
  }

  /// Of those that are named each has its own line, and advice that depends on whether there is another.
  @Test func serversThatAreNamed() async throws {
    let port = try freePort(udp: true)
    let server = SocketAddress(.v4(0x7f00_0001), port: port)
    let one = try await findings("nameserver 127.0.0.1\n", [server])
    #expect(one.map(\.severity) == [.critical])
    #expect(one.map(\.hint) == ["no name will resolve; see /etc/resolv.conf"])
    let two = try await findings("nameserver 127.0.0.1\nnameserver 127.0.0.2\n", [server, server])
    #expect(two.map(\.severity) == [.critical, .critical])
    #expect(
      Set(two.map(\.hint)) == ["every name then waits for the next server; take it out of /etc/resolv.conf"])
  }
}
