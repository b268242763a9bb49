// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// `resolver:`, `source_address:` and `ip:` of a check.
@Suite(.timeLimit(.minutes(2))) struct CheckResolverTests {
  private static func answer(_ request: [UInt8], _ client: UDPClient, _ v4: [UInt8]) {
    let isV4 = request[request.count - 14] == 1 || request.suffix(4) == [0, 1, 0, 1]
    client.send(
      Wire(to: request).with { wire in
        if isV4 { wire.answers = [Wire.record(1, v4)] }
      }.bytes)
  }

  private func check(_ type: String, _ change: (inout CheckDefinition) -> Void = { _ in }) throws
    -> MonitoringCheck
  {
    try makeCheck(type) {
      $0.host = "web.example"
      if type == "tcp" { $0.port = 443 }
      if type == "http" { $0.url = "http://web.example/" }
      if type == "dns" {
        $0.server = "web.example"
        $0.queryName = "example.com"
      }
      change(&$0)
    }
  }

  private func find(
    _ check: MonitoringCheck, systemPort: UInt16 = 1, hosts: String = "",
    egress: EgressSettings = EgressSettings(),
    within: Duration = .seconds(20)
  ) async throws -> TargetFinder.Finding {
    try await withResolver("nameserver 127.0.0.1\nsearch lab.example", hosts: hosts, port: systemPort) {
      _, system in
      let finder = TargetFinder(resolver: system, policy: EgressPolicy(egress))
      let target = try #require(check.ownTarget)
      return try await finder.find(target, for: check, until: .after(within))
    }
  }

  private func addresses(_ finding: TargetFinder.Finding) -> [String] {
    if case .found(let addresses, _) = finding { addresses.map(\.address.description) } else { [] }
  }

  private func verdict(_ finding: TargetFinder.Finding) -> Verdict? {
    if case .ended(let outcome) = finding { outcome.verdict } else { nil }
  }

  /// Not the machine's name servers, not its hosts file, not its search list.
  @Test(arguments: ["http", "tcp", "tls", "dns", "ping"]) func theChecksOwnResolverIsAsked(type: String)
    async throws
  {
    try await withUDPResponder(script: { Self.answer($0, $1, [192, 0, 2, 1]) }) { machines in
      try await withUDPResponder(script: { Self.answer($0, $1, [192, 0, 2, 53]) }) { own in
        let check = try check(type) { $0.resolver = "127.0.0.1:\(own.port)" }
        let finding = try await find(check, systemPort: machines.port, hosts: "192.0.2.7 web.example")
        #expect(addresses(finding) == ["192.0.2.53"])
        #expect(machines.received.isEmpty)
        #expect(own.received.allSatisfy { Wire(to: $0).question.starts(with: Wire.name("web.example")) })
      }
    }
  }

  /// Its name is found by the machine's resolver, and the time for that counts.
  @Test func aResolverMayHaveAName() async throws {
    try await withUDPResponder(script: { Self.answer($0, $1, [192, 0, 2, 53]) }) { own in
      let check = try check("tcp") { $0.resolver = "ns.example:\(own.port)" }
      #expect(addresses(try await find(check, hosts: "127.0.0.1 ns.example")) == ["192.0.2.53"])
      let missing = try await find(
        try self.check("tcp") { $0.resolver = "localhost.invalid.:53" }, systemPort: 9)
      #expect(verdict(missing)?.message?.hasPrefix("resolver localhost.invalid.: ") == true)
    }
  }

  @Test func itsAddressIsJudgedToo() async throws {
    let stranger = try check("tcp") {
      $0.origin = .api
      $0.resolver = "127.0.0.1:53"
    }
    let refused = try #require(verdict(try await find(stranger)))
    #expect(refused.reason == .policyDenied && refused.state == .unknown)
    #expect(refused.message?.hasPrefix("resolver 127.0.0.1 is loopback") == true)
    let metadata = try check("tcp") { $0.resolver = "169.254.169.254" }
    #expect(verdict(try await find(metadata))?.reason == .policyDenied)
  }

  /// A resolver of the check's own choice is part of what it watches: its silence is an outage, also while nothing
  /// else answers.
  @Test func aSilentResolverIsAnOutage() async throws {
    try await withUDPResponder(script: { _, _ in }) { silent in
      let check = try check("tcp") { $0.resolver = "127.0.0.1:\(silent.port)" }
      let verdict = try #require(verdict(try await find(check, within: .seconds(2))))
      #expect(verdict.reason == .dnsTimeout && verdict.state == .down && verdict.phase == .dns)
      #expect(verdict.message == "resolver 127.0.0.1:\(silent.port) did not answer for web.example.")
    }
  }

  @Test func aDeadResolverIsAnOutage() async throws {
    let port = try freePort(udp: true)
    let verdict = try #require(
      verdict(try await find(try check("tcp") { $0.resolver = "127.0.0.1:\(port)" })))
    #expect(verdict.reason == .connectRefused && verdict.state == .down && verdict.phase == .dns)
    #expect(verdict.message == "resolver 127.0.0.1:\(port): connection refused")
  }

  /// Its answer is cut, and over TCP nothing listens.
  @Test func aResolverWithoutTCPIsAnOutage() async throws {
    try await withUDPResponder(script: { request, client in
      client.send(Wire(to: request).with { $0.flags = 0x8380 }.bytes)
    }) { own in
      let place = "127.0.0.1:\(own.port)"
      let verdict = try #require(verdict(try await find(try check("tcp") { $0.resolver = place })))
      #expect(verdict.reason == .connectRefused && verdict.state == .down)
      #expect(
        verdict.message == "resolver \(place) cut its answer over UDP, and over TCP: connection refused")
    }
  }

  @Test func aNameThatItDoesNotKnow() async throws {
    try await withUDPResponder(script: { request, client in
      client.send(Wire(to: request).with { $0.flags = 0x8183 }.bytes)
    }) { own in
      let verdict = verdict(try await find(try check("tcp") { $0.resolver = "127.0.0.1:\(own.port)" }))
      #expect(verdict?.reason == .dnsNXDomain)
    }
  }

  @Test func anAddressNeedsNoResolver() async throws {
    let check = try check("tcp") {
      $0.host = "192.0.2.9"
      $0.resolver = "127.0.0.1:1"
    }
    #expect(addresses(try await find(check)) == ["192.0.2.9"])
  }

  /// D1: probes whose name server is silent keep nobody else waiting.
  @Test func oneSilentNameServerDelaysNobodyElse() async throws {
    try await withUDPResponder(script: { _, _ in }) { silent in
      try await withUDPResponder(script: { Self.answer($0, $1, [192, 0, 2, 53]) }) { good in
        try await withResolver("nameserver 127.0.0.1", port: silent.port) { _, system in
          let finder = TargetFinder(resolver: system, policy: EgressPolicy())
          let target = TargetFinder.Target(Endpoint(host: "web.example", port: 443))
          let stuck = try check("tcp") { $0.resolver = "127.0.0.1:\(silent.port)" }
          let healthy = try check("tcp") { $0.resolver = "127.0.0.1:\(good.port)" }
          let waiting = Task {
            await withTaskGroup(of: Void.self) { group in
              for number in 0..<200 {
                group.addTask {
                  let limit = Instant.after(.seconds(3600))
                  let attempt =
                    number % 2 == 0
                    ? Attempt(of: stuck, until: limit)
                    : Attempt(of: healthy, until: limit).pinned(to: .loopback)
                  _ = try? await finder.find(target, for: attempt, until: limit)
                }
              }
            }
          }
          while silent.received.count < 100 { await Task.yield() }
          for _ in 0..<50 {
            let finding = try await finder.find(target, for: healthy, until: .after(.seconds(50)))
            guard case .found(let addresses, _) = finding else { throw CancellationError() }
            #expect(addresses.map(\.address.description) == ["192.0.2.53"])
          }
          // They still wait: none was answered, none gave up.
          #expect(silent.received.count >= 100)
          waiting.cancel()
          await waiting.value
        }
      }
    }
  }

  /// The same silence, seen by the machine's resolvers: nobody's outage until one of them has answered something
  /// within 30 s.
  @Test func theMachinesResolversAreDeafAfterThirtySeconds() {
    let start = Instant.now
    let server = SocketAddress(.loopback, port: 53)
    var health = ServerHealth()
    #expect(health.isDeaf(at: start))
    health.wasSilent(server, at: start)
    #expect(health.isDeaf(at: start))
    health.answered(server, at: start)
    #expect(!health.isDeaf(at: start + .seconds(30)))
    #expect(health.isDeaf(at: start + .seconds(30) + .milliseconds(1)))
    health.wasSilent(server, at: start + .seconds(40))
    health.answered(SocketAddress(.v4(0x7f00_0002), port: 53), at: start + .seconds(41))
    #expect(!health.isDeaf(at: start + .seconds(60)))
  }

  /// D16: the file is replaced, emptied, and filled with a hundred servers while the agent runs.
  @Test func aReplacedResolverFileCounts() async throws {
    try await withUDPResponder(script: { Self.answer($0, $1, [192, 0, 2, 53]) }) { server in
      try await withTemporaryDirectory { folder in
        try write("", folder, "hosts")
        try write("nameserver 127.0.0.1\n", folder, "resolv.conf")
        let resolver = SystemResolver(
          reactor: try Reactor(), resolvConf: folder.appending(path: "resolv.conf").path,
          hosts: folder.appending(path: "hosts").path, port: server.port, freshness: .zero)
        func resolve() async throws -> ResolvedHost {
          try await resolver.resolve("web.example", ip: .v4, deadline: .after(.seconds(20)))
        }
        #expect(try await resolve().addresses == [IPAddress("192.0.2.53")])
        try write("# nothing left here\n", folder, "resolv.conf")
        // Without a line the one on this machine is asked, resolv.conf(5).
        #expect(try await resolve().addresses == [IPAddress("192.0.2.53")])
        try write((1...100).map { "nameserver 127.0.0.\($0)\n" }.joined(), folder, "resolv.conf")
        #expect(try await resolve().addresses == [IPAddress("192.0.2.53")])
        // Replaced by a rename, as resolvconf and systemd do.
        try write("nameserver 127.0.0.1 \n", folder, "new")
        try #require(
          rename(folder.appending(path: "new").path, folder.appending(path: "resolv.conf").path) == 0)
        #expect(try await resolve().addresses == [IPAddress("192.0.2.53")])
      }
    }
  }

  // MARK: source_address and ip

  /// Over libcurl, over the reactor, and raced.
  @Test(arguments: ["http", "tcp", "http raced", "tcp raced"])
  func connectionsComeFromTheSourceAddress(how: String) async throws {
    let seen = Mutex<Set<UInt32>>([])
    try await withLoopbackServer(script: { link in
      seen.withLock { _ = $0.insert(peerAddress(link.descriptor)) }
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 204 No Content\r\n\r\n")
      link.waitForEnd()
    }) { server in
      var bench = ProbeBench()
      if how.hasSuffix("raced") {
        bench.names.hosts["good.test"] = ResolvedHost(addresses: [.v4(0x7f00_0009), .loopback])
      }
      let outcome: ProbeOutcome
      if how.hasPrefix("http") {
        outcome = try await bench.http(
          try httpCheck("http://good.test:\(server.port)/") { $0.sourceAddress = "127.0.0.77" })
      } else {
        let finder = TargetFinder(resolver: bench.names, policy: EgressPolicy())
        outcome = try await TCPProbe(reactor: try Reactor(), finder: finder).attempt(
          try makeCheck("tcp") {
            $0.host = "good.test"
            $0.port = Int(server.port)
            $0.sourceAddress = "127.0.0.77"
          }, deadline: .after(.seconds(20)))
      }
      #expect(outcome.verdict == .ok, "\(outcome.verdict)")
      while seen.withLock({ $0.isEmpty }) { await Task.yield() }
      #expect(seen.withLock { $0 } == [0x7f00_004d])
    }
  }

  @Test(.enabled(if: NetworkNamespace.isAvailable), .returnsHome) func aSourceThatIsNotOursIsALocalFault()
    async throws
  {
    let reactor = try await NetworkNamespace.reactor(["ip link set lo up"])
    let peer = SocketAddress(.loopback, port: 9, source: IPAddress("192.0.2.200"))
    let dialled = try await reactor.connect(
      to: [peer], named: Endpoint(host: "web.example", port: 9), until: .after(.seconds(5)))
    #expect(dialled.verdict.reason == .localFault && dialled.verdict.state == .unknown)
    #expect(dialled.verdict.message == "source_address 192.0.2.200 is no address of this machine")
  }

  @Test(arguments: [("192.0.2.1", ["192.0.2.9"]), ("2001:db8::1", ["2001:db8::9"])])
  func aSourceAddressChoosesTheFamily(source: String, expected: [String]) async throws {
    let check = try check("tcp") { $0.sourceAddress = source }
    let hosts = "192.0.2.9 web.example\n2001:db8::9 web.example"
    #expect(addresses(try await find(check, hosts: hosts)) == expected)
  }

  @Test(arguments: ["http", "tcp", "tls", "dns", "ping"], ["4", "6"])
  func theFamilyOfTheCheckIsUsed(type: String, family: String) async throws {
    let check = try check(type) { $0.ip = family }
    let hosts = "192.0.2.9 web.example\n2001:db8::9 web.example"
    #expect(
      addresses(try await find(check, hosts: hosts)) == [family == "4" ? "192.0.2.9" : "2001:db8::9"])
  }
}

private func peerAddress(_ descriptor: Int32) -> UInt32 {
  var storage = sockaddr_storage()
  var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
  let result = withUnsafeMutablePointer(to: &storage) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
  }
  guard result == 0, case .v4(let bits) = SocketAddress(storage)?.address else { return 0 }
  return bits
}
