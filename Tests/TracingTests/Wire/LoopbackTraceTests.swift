// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import TestSupport
import Testing
import Tracing

/// The way to this machine itself, whose link takes packets of 64 KiB.
@Suite struct LoopbackTraceTests {
  /// Replies are read whole, however large: nothing vanishes here.
  @Test(arguments: [TraceMethod.tcp, .udp])
  func largePacketsDoNotVanish(method: TraceMethod) async throws {
    let (host, address) = ("127.0.0.1", IPAddress.v4(0x7f00_0001))
    var request = TraceRequest(host: host, target: SocketAddress(address, port: try freePort()))
    (request.method, request.probes, request.findsNames) = (method, 1, false)
    let trace = try await Tracer().trace(request, each: nil)
    #expect(trace.end == .reached(method == .tcp ? "refused" : "port unreachable"))
    #expect(trace.narrowings.isEmpty, "\(trace.narrowings)")
    #expect((trace.mtu ?? .max) > 60_000, "\(trace.mtu ?? 0)")
  }
}
