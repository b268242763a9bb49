// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Synchronization
import Testing

@testable import Tracing

/// A walk beside a packet with a full TTL, and what a trace says of its own choice.
@Suite struct TraceScoutTests {
  /// Hears nothing, whatever is sent.
  private final class SilentSender: TraceSender {
    let window = 1
    let descriptors: [Int32] = []
    private(set) var sent: [Int] = []

    func send(_ packet: TracePacket) -> Int32 {
      sent.append(packet.ttl)
      return 0
    }

    func hear(at now: Instant) -> [TraceHeard] { [] }
    func giveUp(_ packet: TracePacket) {}
  }

  private func request(_ change: (inout TraceRequest) -> Void = { _ in }) -> TraceRequest {
    var request = TraceRequest(host: "h", target: SocketAddress(.v4(0x7f00_0001), port: 443))
    (request.flows, request.probes, request.pace, request.wait) = (1, 1, .zero, .zero)
    change(&request)
    return request
  }

  /// A port that is bound and that none listens on: whoever connects is refused at once.
  private func closedPort() throws -> PortAnchor {
    try #require(PortAnchor(for: SocketAddress(.v4(0x7f00_0001), port: 0), .tcp))
  }

  /// Where the target itself answers, silence is no end: every TTL is tried.
  @Test func theTargetAnswers() throws {
    let stop = try #require(TraceStop())
    let anchor = try closedPort()
    let scout = TraceScout(SocketAddress(.v4(0x7f00_0001), port: anchor.port))
    #expect(scout.isWaiting && !scout.isTarget && scout.reply == nil)
    stop.wait(for: [try #require(scout.descriptor)], until: .now + .seconds(5))
    let sender = SilentSender()
    let walk = TraceWalk(.icmp, request(), sender, stop: stop, until: .now + .seconds(60))
    walk.run(watching: scout) { _ in true }
    #expect(sender.sent == Array(1...30))
    #expect(scout.isTarget && !scout.isWaiting && scout.reply?.meaning == .target("refused"))
    #expect(scout.reply?.from == .v4(0x7f00_0001))
    let alone = SilentSender()
    TraceWalk(.icmp, request(), alone, stop: stop, until: .now + .seconds(60)).run { _ in true }
    #expect(alone.sent == Array(1...8))
  }

  /// Which packets are sent and why, by what was asked and whether there is a port.
  @Test func whatIsChosen() throws {
    let stop = try #require(TraceStop())
    func choice(_ method: TraceMethod?, port: UInt16) -> String {
      let wanted = request { ($0.method, $0.target.port) = (method, port) }
      let run = TraceRun(
        wanted, startedAt: Timestamp(seconds: 0), stop: stop, identifier: nil, tell: nil)
      return "\(run.choice.0.rawValue): \(run.choice.why)"
    }
    #expect(choice(.tcp, port: 25) == "tcp: TCP to port 25, as asked")
    #expect(choice(.udp, port: 53) == "udp: UDP to port 53, as asked")
    #expect(choice(.udp, port: 0) == "udp: UDP to port 33434, as asked")
    #expect(choice(.icmp, port: 25) == "icmp: ICMP echo, as asked")
    #expect(choice(nil, port: 25) == "tcp: TCP to port 25, the service's own")
    let ping = "icmp: ICMP echo, as there is no port"
    let datagrams =
      "udp: UDP to port 33434, as there is no port and the kernel forbids ping to this process"
    if case .unprivileged = pingWay() {
      #expect(choice(nil, port: 0) == ping)
    } else {
      // Without an identifier a raw socket is none.
      #expect(choice(nil, port: 0) == datagrams)
    }
  }

  /// TCP without a port is a fault, told in words, and nothing was sent for it.
  @Test func noPort() throws {
    let stop = try #require(TraceStop())
    let wanted = request { ($0.method, $0.target.port, $0.flows) = (.tcp, 0, 9) }
    let begin = Timestamp(seconds: 7)
    let trace = TraceRun(wanted, startedAt: begin, stop: stop, identifier: nil, tell: nil).run()
    #expect(trace.end == .fault("TCP needs a port") && trace.hops.isEmpty && trace.method == .tcp)
    #expect(trace.startedAt == begin && trace.flows == 8 && trace.why == "TCP to port 0, as asked")
    #expect(trace.mtu == nil && trace.narrowings.isEmpty)
  }

  /// A walk that was stopped sends nothing more, and a pull is seen by all who look.
  @Test func aPull() throws {
    let stop = try #require(TraceStop())
    #expect(!stop.isPulled)
    stop.pull()
    // Over at once, however far the end is.
    stop.wait(for: [], until: .now + .seconds(3600))
    #expect(stop.isPulled)
  }
}

/// Names of hops, as they are asked for.
@Suite struct HopNameBookTests {
  private final class Names: HopNaming {
    private let state = Mutex<(now: Int, most: Int, asked: [IPAddress])>((0, 0, []))
    var most: Int { state.withLock { $0.most } }
    var asked: Set<IPAddress> { Set(state.withLock { $0.asked }) }
    var count: Int { state.withLock { $0.asked.count } }

    func name(of address: IPAddress, until deadline: Instant) async -> String? {
      state.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
        $0.asked.append(address)
      }
      for _ in 0..<20 { await Task.yield() }
      state.withLock { $0.now -= 1 }
      return address == .v4(2) ? nil : "host-\(address)"
    }
  }

  private func trace(_ addresses: [[UInt32]]) -> RouteTrace {
    var trace = RouteTrace(
      host: "h", target: SocketAddress(.v4(9), port: 1), startedAt: Timestamp(seconds: 0), method: .tcp,
      why: "",
      flows: 1, end: .silent(after: 0))
    trace.hops = addresses.enumerated().map { index, addresses in
      TraceHop(
        ttl: index + 1, sent: 1,
        answers: addresses.map {
          TraceAnswer(
            address: .v4($0), received: 1, best: .zero, average: .zero, worst: .zero, flows: [0], name: "old")
        })
    }
    return trace
  }

  /// Every answer of every hop is asked for once and gets its name, or none.
  @Test func eachIsAskedForOnce() async {
    let (book, names) = (HopNameBook(), Names())
    var trace = trace([[1, 2], [], [3, 1]])
    book.want(trace)
    book.want(trace)
    book.finish()
    await book.lookUp(by: names, until: .now)
    #expect(names.count == 3 && names.asked == [.v4(1), .v4(2), .v4(3)])
    book.put(into: &trace)
    let found = trace.hops.map { $0.answers.map { $0.name ?? "-" } }
    #expect(found == [["host-0.0.0.1", "-"], [], ["host-0.0.0.3", "host-0.0.0.1"]])
  }

  /// 128 addresses are asked for, the first that came, and four at a time at most.
  @Test func howManyAreAskedFor() async {
    let (book, names) = (HopNameBook(), Names())
    book.want(trace((1...130).map { [UInt32($0)] }))
    book.want(trace([[200]]))
    book.finish()
    await book.lookUp(by: names, until: .now)
    #expect(names.count == 128 && names.asked == Set((1...128).map { IPAddress.v4($0) }))
    #expect(names.most <= 4 && names.most > 0)
  }
}
