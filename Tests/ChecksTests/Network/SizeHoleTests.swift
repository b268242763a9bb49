// SPDX-License-Identifier: MIT

import Basics
import Curl
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// Large packets vanish on the way and small ones get through (RFC 2923 section 2.1): in namespaces whose firewall drops by
/// length.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .returnsHome, .timeLimit(.minutes(2)))
struct SizeHoleTests {
  private func result(
    _ change: @escaping (inout CheckDefinition) -> Void,
    script: @escaping @Sendable (LoopbackConnection) -> Void
  ) async throws -> CheckResult {
    let lines = [
      "ip link set lo up", "nft add table inet t",
      "nft 'add chain inet t in { type filter hook input priority 0; }'",
      "nft add rule inet t in meta length \\> 1000 drop",
    ]
    let (engine, reactor, server) = try await NetworkNamespace.run(lines) {
      (try CurlEngine(), try Reactor(), try LoopbackServer(script: script))
    }
    let runner = CheckRunner(
      engine: engine, reactor: reactor, system: SystemResolver(reactor: reactor),
      finder: TargetFinder(resolver: NameTable.loopback, policy: EgressPolicy()), userAgent: "test")
    let check = try httpCheck("http://good.test:\(server.port)/") {
      ($0.timeout, $0.retries) = (.seconds(3), 0)
      change(&$0)
    }
    let result = try await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
    server.stop()
    await engine.shutdown()
    return result
  }

  /// What this side sends is sent again and again.
  @Test func ourOwnLargePackets() async throws {
    let result = try await result {
      $0.method = "POST"
      $0.http.body = Redacted(String(repeating: "x", count: 5000))
    } script: {
      $0.waitForEnd()
    }
    #expect(result.reason == .firstByteTimeout)
    let message = try #require(result.message)
    #expect(message.hasPrefix("127.0.0.1:"), "\(message)")
    #expect(
      message.contains(": connected, but no answer came within the timeout of 3s; "), "\(message)")
    #expect(
      message.hasSuffix(" segments were sent again: packets are lost on the way, all or only large ones"),
      "\(message)")
    #expect(
      result.reason.advice(in: result.phase, of: message)
        == "see whether large packets get through: ping -M do -s 1472, or quartz-agent trace")
  }

  /// The other side's vanish, and a small one that follows them comes.
  @Test func theirLargePackets() async throws {
    let result = try await result {
      $0.http.expect.bodyContains = ["needle"]
    } script: { link in
      var on: Int32 = 1
      setsockopt(
        link.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 5006\r\n\r\n")
      usleep(50_000)
      link.write(String(repeating: "x", count: 5000))
      usleep(50_000)
      link.write("needle")
      link.waitForEnd()
    }
    #expect(result.reason == .transferTimeout)
    let message = try #require(result.message)
    #expect(
      message.contains(": the answer did not end within the timeout of 3s; "), "\(message)")
    #expect(
      message.hasSuffix(
        " of the segments came out of order: packets may be lost on the way, all or only large ones"),
      "\(message)")
    #expect(NarrowCause(result.reason, message) == .lostSegments)
  }
}
