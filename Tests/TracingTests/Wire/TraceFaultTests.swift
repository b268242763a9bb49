// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import TestSupport
import Testing
import Tracing

extension TraceLabTests {
  /// A way whose end is not the target's answer.
  @Suite(.serialized) struct Ends {
    typealias Family = TraceLab.Family
    private let lab: TraceLab

    init() throws { lab = try TraceLab.shared.get() }

    private func hops(_ family: Family, _ numbers: [Int]) -> [String] { numbers.map(family.hop) }

    @Test(arguments: Family.allCases) func aSmallerLinkIsNamed(family: Family) async throws {
      let trace = try await lab.with("narrow") { try await lab.trace(family.server) { $0.findsMTU = true } }
      let by = try #require(IPAddress(family.hop(5)))
      #expect(trace.narrowings == [TraceNarrowing(ttl: 5, by: by, mtu: 1400)])
      #expect(trace.mtu == 1400)
      #expect(trace.end == .reached("accepted"))
    }

    /// The router of the smaller link says so, and answers nothing else: its hop is that before the one that was too far.
    @Test(arguments: Family.allCases) func aSmallerLinkOfASilentRouter(family: Family) async throws {
      let trace = try await lab.with("narrow") {
        try lab.order(
          "rules r5 'chain o { type filter hook output priority 0; icmp type time-exceeded drop; icmpv6 type time-exceeded drop; }'"
        )
        defer { try? lab.order("unrule r5") }
        return try await lab.trace(family.server) { $0.findsMTU = true }
      }
      let by = try #require(IPAddress(family.hop(5)))
      #expect(trace.path[4] == "*" && trace.hops.count == 9)
      #expect(trace.narrowings == [TraceNarrowing(ttl: 5, by: by, mtu: 1400)])
      #expect(trace.mtu == 1400)
    }

    @Test(arguments: Family.allCases) func aBlackHoleForBigPackets(family: Family) async throws {
      let trace = try await lab.with("hole") { try await lab.trace(family.server) { $0.findsMTU = true } }
      let by = try #require(IPAddress(family.hop(5)))
      #expect(trace.narrowings == [TraceNarrowing(ttl: 5, by: by, mtu: 1400, isSilent: true)])
      #expect(trace.mtu == 1400)
      #expect(trace.end == .reached("accepted"))
    }

    /// TCP is dropped behind r4; datagrams go on, which is seen, and is no answer of the target to TCP.
    @Test(arguments: Family.allCases) func aFirewallThatDrops(family: Family) async throws {
      let trace = try await lab.with("drop") {
        try await lab.trace(family.server) { $0.budget = .seconds(4) }
      }
      #expect(trace.end == .silent(after: 4))
      #expect(trace.path == hops(family, Array(1...9)))
      #expect(trace.hops.map(\.method) == [nil, nil, nil, nil] + Array(repeating: .udp, count: 5))
      #expect(
        trace.why.contains("nothing answers TCP behind hop 4, so UDP and ICMP were tried for the rest"),
        "\(trace.why)")
      #expect(trace.why.contains("UDP reaches the target at hop 9"), "\(trace.why)")
    }

    @Test(arguments: Family.allCases) func aWallThatDropsAll(family: Family) async throws {
      let trace = try await lab.with("wall") {
        try await lab.trace(family.server) { $0.budget = .seconds(4) }
      }
      #expect(trace.end == .silent(after: 4))
      #expect(trace.path == hops(family, [1, 2, 3, 4]) + ["*", "*", "*"])
      #expect(trace.elapsed < .seconds(5))
    }

    @Test(arguments: Family.allCases) func aFirewallThatSaysSo(family: Family) async throws {
      let trace = try await lab.with("prohibited") { try await lab.trace(family.server) }
      let by = try #require(IPAddress(family.hop(4)))
      #expect(trace.end == .refused(by: by, ttl: 4, says: "administratively prohibited"))
      #expect(trace.path == hops(family, [1, 2, 3, 4, 4]))
      #expect(trace.hops.last?.answers.first?.says == "administratively prohibited")
    }

    /// It answers in the target's name, from nearer than the target is.
    @Test(arguments: Family.allCases) func aFirewallThatResets(family: Family) async throws {
      let trace = try await lab.with("reset") { try await lab.trace(family.server) }
      let says = "reset by something behind hop 4, as the target is farther away"
      #expect(trace.end == .refused(by: nil, ttl: 4, says: says))
      #expect(trace.path == hops(family, Array(1...9)))
      #expect(trace.hops[4].method == .udp)
    }

    /// Both the client's and the server's address are rewritten on the way; what is quoted comes back as it was sent.
    @Test(arguments: Family.allCases) func addressesThatAreRewritten(family: Family) async throws {
      let trace = try await lab.with("nat") { try await lab.trace(family.hop(99)) }
      #expect(trace.end == .reached("accepted"))
      // Behind the place where the target's address is rewritten, so is that of who speaks of its packets.
      #expect(trace.path == hops(family, [1, 2, 3, 4, 99, 99, 99, 99, 99]), "\(trace.path)")
      let says = trace.hops.map { $0.answers.first?.says }
      #expect(
        says == [nil, nil, nil, nil] + Array(repeating: "passed on in the target's name (NAT)", count: 4) + [
          "accepted"
        ])
    }

    @Test(arguments: Family.allCases) func aLoop(family: Family) async throws {
      let trace = try await lab.with("loop") { try await lab.trace(family.server) }
      // Over IPv6 a router answers from where a packet came in, and r5 is another one from the right.
      #expect(trace.end == .loop(from: family == .v4 ? 5 : 6))
      let circle = family == .v4 ? [5, 6].map(family.hop) : ["fd77:6::1", "fd77:6::2", "fd77:6::1"]
      #expect(trace.path == hops(family, [1, 2, 3, 4, 5, 6]) + circle)
    }

    @Test(arguments: Family.allCases) func aHopThatAnswersForAll(family: Family) async throws {
      let trace = try await lab.with("everyttl") { try await lab.trace(family.server) }
      let by = try #require(IPAddress(family.hop(4)))
      let says = "answers to every TTL from 4 on, so that packets go no further"
      #expect(trace.end == .refused(by: by, ttl: 4, says: says))
      #expect(trace.path == hops(family, [1, 2, 3, 4, 4, 4, 4]))
    }

    /// The last router asks for the server's address on its link for three seconds before it says that nobody has it.
    @Test(arguments: zip([TraceMethod.tcp, .udp], Family.allCases))
    func aServerThatIsNotThere(method: TraceMethod, family: Family) async throws {
      let trace = try await lab.with("down") { try await lab.trace(family.server) { $0.method = method } }
      let by = try #require(IPAddress(family.hop(8)))
      #expect(trace.end == .refused(by: by, ttl: 8, says: "host unreachable"), "\(trace.end)")
    }

    @Test(arguments: Family.allCases) func theLastTTLIsKept(family: Family) async throws {
      let trace = try await lab.trace(family.server) { $0.maxTTL = 5 }
      #expect(trace.path == hops(family, [1, 2, 3, 4, 5]))
      #expect(trace.end == .reached("accepted, beyond the last hop that was looked at"))
    }

    @Test func noRouteIsThisMachinesFault() async throws {
      let trace = try await lab.trace("2001:db8::1") { $0.target.source = IPAddress("fd77:99::99") }
      guard case .fault(let why) = trace.end else {
        Issue.record("\(trace.end)")
        return
      }
      #expect(why.contains("this machine does not have the address fd77:99::99"), "\(why)")
    }

    @Test func itIsStoppedAtOnce() async throws {
      let start = ContinuousClock.now
      try await lab.with("wall") {
        let (pictures, picture) = AsyncStream<RouteTrace>.makeStream()
        let task = Task {
          defer { picture.finish() }
          return try await lab.trace("10.77.9.2", { $0.wait = .seconds(5) }, each: { picture.yield($0) })
        }
        // A hop has answered: it is under way.
        _ = await pictures.first { _ in true }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      // Nobody waited for an answer's five seconds; a busy machine may need one or two of them.
      #expect(ContinuousClock.now - start < .seconds(4))
    }
  }
}
