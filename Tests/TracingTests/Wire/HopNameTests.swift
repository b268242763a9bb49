// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Synchronization
import TestSupport
import Testing

@testable import Tracing

/// Names and networks of hops.
@Suite(.timeLimit(.minutes(1))) struct HopNameTests {
  private struct SlowNames: HopNaming {
    let never: IPAddress
    func name(of address: IPAddress, until deadline: Instant) async -> String? {
      if address == never { try? await TimeSource.system.sleep(until: deadline) }
      return Task.isCancelled ? nil : "host-\(address)"
    }
  }

  /// A name that does not come holds nothing up for more than a second, and the pictures on the way come in order.
  @Test(.enabled(if: NetworkNamespace.isAvailable)) func namesHoldNothingUp() async throws {
    let place = try await NetworkNamespace.run(["ip link set lo up"]) {
      open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    }
    defer { close(place) }
    let table = try NetworkTable(Array("127.0.0.0/8,64500,Own".utf8))
    var request = TraceRequest(host: "own", target: SocketAddress(.v4(0x7f00_0001), port: 9))
    (request.pace, request.findsMTU) = (.zero, false)
    let pictures = Mutex<[Int]>([])
    for never in [IPAddress.v4(1), .v4(0x7f00_0001)] {
      let tracer = Tracer(
        names: SlowNames(never: never), networks: table, enter: { _ = joinNamespace(place) })
      let start = ContinuousClock.now
      let trace = try await tracer.trace(request) { picture in
        pictures.withLock { $0.append(picture.hops.reduce(0) { $0 + $1.received }) }
      }
      #expect(ContinuousClock.now - start < .seconds(3))
      #expect(trace.end == .reached("refused") && trace.hops.count == 1)
      let answer = try #require(trace.hops.first?.answers.first)
      #expect(answer.name == (never == .v4(1) ? "host-127.0.0.1" : nil))
      #expect(answer.network == "AS64500 Own")
    }
    #expect(!pictures.withLock { $0 }.isEmpty)
  }
}
