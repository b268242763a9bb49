// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// A socket that the kernel joins with itself.
@Suite(.timeLimit(.minutes(1))) struct SelfConnectionTests {
  /// Nobody listens, and the kernel is made to choose the target's port for our end as well.
  @Test(.enabled(if: NetworkNamespace.isAvailable), .returnsHome) func joiningASocketWithItselfIsARefusal()
    async throws
  {
    let reactor = try await NetworkNamespace.reactor([
      "ip link set lo up", "echo '40000 40000' > /proc/sys/net/ipv4/ip_local_port_range",
    ])
    let peer = SocketAddress(.loopback, port: 40_000)
    let report = try await reactor.converse(Silence(), over: .tcp, with: peer, until: .after(.seconds(5)))
      .report
    #expect(report.end == .failed(ECONNREFUSED))
  }
}
