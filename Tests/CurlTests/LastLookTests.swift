// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import TestSupport
import Testing

@testable import Curl

/// The last look at an address before libcurl dials it: what was judged is what is dialled, to the last bit.
@Suite(.timeLimit(.minutes(1))) struct LastLookTests {
  private static func v4(_ literal: String, _ port: UInt16, family: Int32 = AF_INET) -> curl_sockaddr {
    var address = curl_sockaddr()
    address.family = family
    // SOCK_STREAM, which has another owner once the C module is imported.
    address.socktype = 1
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    inet_pton(AF_INET, literal, &place.sin_addr)
    withUnsafeMutableBytes(of: &address.addr) { $0.storeBytes(of: place, as: sockaddr_in.self) }
    address.addrlen = UInt32(MemoryLayout<sockaddr_in>.size)
    return address
  }

  /// libcurl's structure ends in a sockaddr and is allocated longer where the address is.
  private static func isV6(_ place: String, _ placePort: UInt16, _ literal: String, _ port: UInt16) throws
    -> Bool
  {
    let wanted = try SocketAddress(literal, port)
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = placePort.bigEndian
    inet_pton(AF_INET6, place, &address.sin6_addr)
    return withUnsafePointer(to: address) {
      SocketAddress(family: AF_INET6, at: $0)?.isPlace(of: wanted) == true
    }
  }

  /// The same address and port, and nothing near it.
  @Test(
    arguments: [
      ("127.0.0.1", 80, true), ("127.0.0.2", 80, false), ("127.0.0.1", 81, false),
      ("127.0.0.1", 0x5000, false),
      ("1.0.0.127", 80, false), ("::ffff:127.0.0.1", 80, false),
    ] as [(String, UInt16, Bool)])
  func anIPv4AddressIsItselfOnly(literal: String, port: UInt16, isSame: Bool) throws {
    var address = Self.v4("127.0.0.1", 80)
    #expect(leads(&address, to: try SocketAddress(literal, port)) == isSame)
  }

  /// All sixteen bytes count.
  @Test(
    arguments: [
      ("2001:db8::1", 443, true), ("2001:db8::2", 443, false), ("2001:db9::1", 443, false),
      ("2001:db8::1", 444, false), ("2001:db8:0:1::1", 443, false), ("127.0.0.1", 443, false),
    ] as [(String, UInt16, Bool)])
  func anIPv6AddressIsItselfOnly(literal: String, port: UInt16, isSame: Bool) throws {
    #expect(try Self.isV6("2001:db8::1", 443, literal, port) == isSame)
  }

  /// What is neither is no address that was judged.
  @Test func anotherFamilyIsNoAddress() throws {
    var address = Self.v4("127.0.0.1", 80, family: AF_UNIX)
    #expect(!leads(&address, to: try SocketAddress("127.0.0.1", 80)))
  }

  /// Hands the callback an address as libcurl would, and gives what it decided.
  private func dial(_ plan: ConnectionPlan, _ address: curl_sockaddr) async throws -> (
    Int32, TransferStop?
  ) {
    try await onLoop { try dial(plan, address, on: $0) }
  }

  private func dial(
    _ plan: ConnectionPlan, _ address: curl_sockaddr, on loop: LoopThread
  ) throws -> (Int32, TransferStop?) {
    let asked = TransferRequest(
      url: "http://good.test/", plan: plan, timeout: .seconds(5), goal: .headers)
    let handle = EasyHandle(try #require(curl_easy_init()))
    defer { handle.cleanUp() }
    let transfer = Transfer(
      TransferTicket(asked, submitted: .now), handle, arrivals: ArrivalClock(loop),
      sockets: EngineSockets(on: loop))
    var address = address
    let descriptor = openPinnedSocket(
      Unmanaged.passUnretained(transfer).toOpaque(), CURLSOCKTYPE_IPCXN, &address)
    transfer.arrivals.forget(transfer)
    if descriptor >= 0 { close(descriptor) }
    return (descriptor, transfer.stop)
  }

  private func isRefused(_ stop: TransferStop?) -> Bool {
    if case .local(.addressMismatch, _) = stop { true } else { false }
  }

  /// libcurl gets a socket for the judged address, and none for another one or another port.
  @Test func onlyTheJudgedAddressGetsASocket() async throws {
    let plan = ConnectionPlan.address(try SocketAddress("127.0.0.1", 80))
    let (descriptor, stop) = try await dial(plan, Self.v4("127.0.0.1", 80))
    #expect(descriptor >= 0 && stop == nil)
    for other in [
      Self.v4("127.0.0.2", 80), Self.v4("127.0.0.1", 81), Self.v4("127.0.0.1", 80, family: AF_UNIX),
    ] {
      let (descriptor, stop) = try await dial(plan, other)
      #expect(descriptor == CURL_SOCKET_BAD)
      #expect(isRefused(stop))
    }
  }

  /// A path on this machine is not dialled as an address, nor the other way round.
  @Test func aPathIsNoAddress() async throws {
    let (descriptor, stop) = try await dial(.unixSocket("/nowhere"), Self.v4("127.0.0.1", 80))
    #expect(descriptor == CURL_SOCKET_BAD)
    #expect(isRefused(stop))
  }

  /// A connection that was handed over is for its own address, and stays closed to another.
  @Test func aConnectionIsHandedOverForItsOwnAddress() async throws {
    let pair = try socketPair()
    defer { close(pair.other) }
    let socket = ConnectedSocket(pair.own, to: try SocketAddress("127.0.0.1", 80))
    let (descriptor, stop) = try await dial(.connected(socket), Self.v4("127.0.0.2", 80))
    #expect(descriptor == CURL_SOCKET_BAD)
    #expect(isRefused(stop))
    #expect(socket.take() == pair.own)
    close(pair.own)
  }

  /// A connection that leads elsewhere than it says is refused, whatever libcurl asked for.
  @Test(arguments: [("127.0.0.2", 0), ("127.0.0.1", 1)] as [(String, UInt16)])
  func aConnectionThatLeadsElsewhereIsRefused(literal: String, offset: UInt16) async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let own = try connectedSocket(to: server.port)
      #expect(socketName(own, getpeername) == (try SocketAddress("127.0.0.1", server.port)))
      let claimed = server.port &+ offset
      let socket = ConnectedSocket(own, to: try SocketAddress(literal, claimed))
      let (descriptor, stop) = try await dial(.connected(socket), Self.v4(literal, claimed))
      #expect(descriptor == CURL_SOCKET_BAD)
      #expect(isRefused(stop))
    }
  }
}
