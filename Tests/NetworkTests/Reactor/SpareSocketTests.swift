// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Network

/// A UDP socket that serves one flow after the other must be to each what a fresh one is.
@Suite(.timeLimit(.minutes(1))) struct SpareSocketTests {
  @Test func everyFlowHasAPortThatNobodyCanKnow() async throws {
    let reactor = try Reactor()
    let ports = Mutex<[UInt16]>([])
    try await withUDPResponder(script: { request, client in
      ports.withLock { $0.append(client.port) }
      client.send(request)
    }) { responder in
      for _ in 0..<40 {
        let outcome = try await reactor.converse(
          Chat(say: [1]), over: .udp, with: SocketAddress(.loopback, port: responder.port),
          until: .after(.seconds(10)))
        #expect(outcome.conversation.heard == [1])
      }
    }
    let seen = ports.withLock(\.self)
    #expect(seen.count == 40)
    // Of 28,232 ports, 40 drawn at random hold three pairs once in ten million times.
    #expect(Set(seen).count >= 38)
    let steps = zip(seen, seen.dropFirst()).map { abs(Int($0) - Int($1)) }
    #expect(steps.contains { $0 > 1000 })
  }

  @Test func whatComesLateForOneFlowIsNotHeardByTheNext() async throws {
    let reactor = try Reactor()
    try await withUDPResponder(script: { request, client in
      client.send(request)
      client.send([66, 66])
      client.send([66, 66])
    }) { responder in
      let peer = SocketAddress(.loopback, port: responder.port)
      for number in 0..<50 as Range<UInt8> {
        let outcome = try await reactor.converse(
          Chat(say: [number]), over: .udp, with: peer, until: .after(.seconds(10)))
        #expect(outcome.conversation.heard == [number])
      }
    }
  }

  @Test func aRefusalEndsOneFlowOnly() async throws {
    let reactor = try Reactor()
    let closed = SocketAddress(.loopback, port: try freePort(udp: true))
    try await withUDPResponder(script: { request, client in client.send(request) }) { responder in
      for _ in 0..<10 {
        let refused = try await reactor.converse(
          Chat(say: [1]), over: .udp, with: closed, until: .after(.seconds(10)))
        #expect(refused.report.end == .failed(ECONNREFUSED))
        let answered = try await reactor.converse(
          Chat(say: [2]), over: .udp, with: SocketAddress(.loopback, port: responder.port),
          until: .after(.seconds(10)))
        #expect(answered.report.end == .done)
      }
    }
  }

  @Test func aSocketIsLentAgainWithoutItsPortAndEmpty() throws {
    var spares = SpareSockets()
    let server = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(server) }
    let peer = SocketAddress(.loopback, port: try bindUDP(server, 0x7f00_0001, 0))
    let number = openSocket(.udp, family: AF_INET)
    #expect(peer.withPointer { connect(number, $0, $1) } == 0)
    let port = try #require(nearPort(number))
    #expect(port != 0)
    spares.lend(number, to: 7)
    #expect(spares.borrower(SpareSockets.tag(number)) == 7)
    UDPClient(server: server, address: loopbackAddress(0x7f00_0001, port)).send([1])
    spares.giveBack(number, AF_INET, nextDeparture: nil)
    #expect(spares.borrower(SpareSockets.tag(number)) == nil)
    #expect(nearPort(number) == 0)
    #expect(spares.take(AF_INET6) == nil)
    #expect(spares.take(AF_INET) == number)
    #expect(spares.take(AF_INET) == nil)
    var byte: UInt8 = 0
    #expect(recv(number, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
    close(number)
  }

  /// Nobody knows what number its next datagram has: a late stamp of the last flow would be taken for the next one's.
  @Test func aSocketOfUnknownNumbersIsClosed() throws {
    var spares = SpareSockets()
    for next in [UInt32(3), nil] {
      let number = openSocket(.udp, family: AF_INET)
      spares.add(number, isStamped: true)
      #expect(spares.nextDeparture(of: number) == 0)
      spares.giveBack(number, AF_INET, nextDeparture: next)
      #expect(spares.take(AF_INET) == (next == nil ? nil : number))
      #expect(spares.nextDeparture(of: number) == next)
      if next != nil { close(number) }
    }
  }

  @Test func aFloodedSocketIsClosed() throws {
    var spares = SpareSockets()
    let server = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(server) }
    let peer = SocketAddress(.loopback, port: try bindUDP(server, 0x7f00_0001, 0))
    let number = openSocket(.udp, family: AF_INET)
    #expect(peer.withPointer { connect(number, $0, $1) } == 0)
    let client = UDPClient(
      server: server, address: loopbackAddress(0x7f00_0001, try #require(nearPort(number))))
    for _ in 0..<40 { client.send([1]) }
    spares.giveBack(number, AF_INET, nextDeparture: nil)
    #expect(spares.take(AF_INET) == nil)
  }
}
