// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import NetworkTestSupport
import Testing

@testable import Network

/// What came of a question over a stream, in the words of its server.
@Suite struct DNSClientWordTests {
  private static let query = DNSQuery(
    id: 7, question: DNSQuestion(name: .root, type: .a), recursion: true, edns: false)
  private let server = SocketAddress(.v4(0xc000_0201), port: 53)
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func client(_ transport: DNSTransport = .tcp, name: Endpoint? = nil) throws -> DNSClient {
    DNSClient(reactor: try Reactor(), phase: .answer, name: name, transport: transport)
  }

  private func report(
    _ end: FlowReport.End, isConnected: Bool = true, late: Duration = .zero
  ) -> FlowReport {
    FlowReport(
      end: end, started: start, connected: isConnected ? start + .milliseconds(5) : nil,
      ended: start + .seconds(10),
      deadline: start + .seconds(10), lateness: late)
  }

  private func failure(
    _ pieces: [[UInt8]], _ report: FlowReport, _ client: DNSClient, source: IPAddress? = nil
  ) -> Verdict? {
    var conversation = DNSStreamConversation(query: Self.query)
    _ = conversation.opened(at: start)
    for piece in pieces { _ = conversation.received(piece[...], from: nil, at: start) }
    var place = server
    place.source = source
    if case .failure(let verdict) = client.content(of: conversation, report, place) { return verdict }
    return nil
  }

  private func framed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var message = Self.query.bytes
    message[2] |= 0x80
    change(&message)
    return be(UInt16(message.count)) + message
  }

  @Test func withoutAnAnswer() throws {
    let client = try client()
    let place = "192.0.2.1:53"
    #expect(
      failure([], report(.timedOut, isConnected: false), client)
        == Verdict(.connectTimeout, phase: .connect, message: "\(place): no connection in time"))
    #expect(
      failure([], report(.timedOut), client)
        == Verdict(.dnsTimeout, phase: .answer, message: "\(place) did not answer"))
    #expect(failure([], report(.done), client)?.message == "\(place) did not answer")
    let decoy = framed { $0[0] ^= 0xff }
    #expect(
      failure([decoy, decoy], report(.timedOut), client)?.message
        == "\(place) did not answer; 2 packets that answered no question of ours were ignored")
    let closed = "\(place): the server closed the connection before its answer was complete"
    #expect(
      failure([], report(.closed), client) == Verdict(.connectionClosed, phase: .answer, message: closed))
    let busy = "this machine was busy: its network thread was 3000 ms late"
    for isConnected in [false, true] {
      let late = failure([], report(.timedOut, isConnected: isConnected, late: .seconds(3)), client)
      #expect(late == Verdict(.localFault, phase: isConnected ? .answer : .connect, message: busy))
      let reset = failure([], report(.failed(ECONNRESET), isConnected: isConnected), client)
      #expect(reset?.reason == .connectionReset && reset?.phase == (isConnected ? .answer : .connect))
    }
    let foreign = failure([], report(.failed(EADDRNOTAVAIL), isConnected: false), client, source: .loopback)
    #expect(foreign?.message == "source_address 127.0.0.1 is no address of this machine")
    // Datagrams have no connection to wait for.
    let datagram = failure([], report(.timedOut, isConnected: false), try self.client(.udp))
    #expect(datagram == Verdict(.dnsTimeout, phase: .answer, message: "\(place) did not answer"))
  }

  /// A server with a name is called by it.
  @Test func aServerWithAName() throws {
    let client = try client(name: Endpoint(host: "ns.example", port: 853))
    #expect(client.label(server) == "ns.example:853")
    #expect(failure([], report(.timedOut), client)?.message == "ns.example:853 did not answer")
    #expect(try self.client().label(server) == "192.0.2.1:53")
  }

  @Test func withABrokenAnswer() throws {
    let client = try client()
    let place = "192.0.2.1:53"
    func words(_ piece: [UInt8]) -> Verdict? { failure([piece], report(.done), client) }
    #expect(words(framed { $0[3] = 0 }) == nil, "a whole answer")
    #expect(
      words(framed { $0[2] |= 2 })
        == Verdict(
          .dnsMalformed, phase: .answer, message: "\(place) sent an answer over TCP that says it is cut"))
    #expect(words([0, 11])?.message == "\(place) sent an impossible length over TCP")
    #expect(words([0, 12])?.message == "\(place) did not answer")
    let broken = words(framed { $0[7] = 9 })
    #expect(broken?.reason == .dnsMalformed)
    #expect(broken?.message?.hasPrefix("\(place) sent a malformed answer: ") == true)
    let decoy = framed { $0[0] ^= 0xff }
    let flood = Array(repeating: decoy, count: 262_148 / decoy.count + 1).flatMap { $0 }
    let flooded = words(flood)
    #expect(flooded?.reason == .dnsMalformed)
    #expect(flooded?.message == "\(place) sent 256 KiB over TCP that answer no question of ours")
  }

  /// The limit of what answers nothing: four of the largest messages, each behind its length.
  @Test func theLimitOfAFlood() {
    func isFlood(_ count: Int) -> Bool {
      var conversation = DNSStreamConversation(query: Self.query)
      // Messages of 65,535 bytes, and a rest that is not whole.
      let message = be(.max) + [UInt8](repeating: 1, count: 65_535)
      let bytes = Array((message + message + message + message + message).prefix(count))
      return conversation.received(bytes[...], from: nil, at: start).isDone && conversation.isFlood
    }
    #expect(!isFlood(262_148) && isFlood(262_149))
  }
}
