// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Synchronization
import TestSupport
import Testing
import Tracing

/// Names and networks of hops.
@Suite(.timeLimit(.minutes(1))) struct HopNameTests {
  private struct SlowNames: HopNaming {
    let never: IPAddress
    func name(of address: IPAddress, until deadline: Instant) async -> String? {
      if address == never { try? await TimeSource.system.sleep(until: deadline) }
      return Task.isCancelled ? nil : "host-\(address)"
    }
  }

  /// Packets that had come, picture by picture.
  private final class Pictures: Sendable {
    let received = Mutex<[Int]>([])
  }

  /// A name that does not come holds nothing up for more than a second behind the last packet, and the pictures on the way
  /// come in order.
  @Test(.enabled(if: NetworkNamespace.isAvailable)) func namesHoldNothingUp() async throws {
    let place = try await NetworkNamespace.run(["ip link set lo up"]) {
      open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    }
    defer { close(place) }
    let table = try NetworkTable(Array("127.0.0.0/8,64500,Own".utf8))
    var request = TraceRequest(host: "own", target: SocketAddress(.v4(0x7f00_0001), port: 9))
    (request.pace, request.findsMTU) = (.zero, false)
    let pictures = Pictures()
    for never in [IPAddress.v4(1), .v4(0x7f00_0001)] {
      let clock = FakeClock()
      let tracer = Tracer(
        names: SlowNames(never: never), networks: table, time: clock.time,
        enter: { _ = joinNamespace(place) })
      async let traced = tracer.trace(request) { picture in
        pictures.received.withLock { $0.append(picture.hops.reduce(0) { $0 + $1.received }) }
      }
      if never != .v4(1) {
        await clock.someoneSleeps(until: .seconds(1))
        clock.advance(by: .seconds(1))
      }
      let trace = try await traced
      #expect(clock.elapsed == (never == .v4(1) ? .zero : .seconds(1)))
      #expect(trace.end == .reached("refused") && trace.hops.count == 1)
      let answer = try #require(trace.hops.first?.answers.first)
      #expect(answer.name == (never == .v4(1) ? "host-127.0.0.1" : nil))
      #expect(answer.network == "AS64500 Own")
    }
    #expect(!pictures.received.withLock { $0 }.isEmpty)
  }
}
