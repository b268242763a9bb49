// SPDX-License-Identifier: MIT

import Basics
import Curl
import Glibc
import Monitoring
import NetworkTestSupport
import Testing

@testable import Network

/// What sockets are opened with, what calls on them say, and the words for what they could not do.
@Suite struct SocketCallTests {
  private func option(_ number: Int32, _ level: Int32, _ name: Int32) -> Int32? {
    var (value, length) = (Int32(-1), socklen_t(4))
    return getsockopt(number, level, name, &value, &length) == 0 ? value : nil
  }

  private static let (v4, v6) = (Int32(IPPROTO_IP), Int32(IPPROTO_IPV6))

  @Test func whatSocketsAreOpenedWith() throws {
    for transport in [Transport.tcp, .udp, .icmp, .rawICMP] {
      let number = openSocket(transport, family: AF_INET)
      // Echoes need a permission.
      if transport.isICMP, number < 0 { continue }
      defer { close(number) }
      #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0 && fcntl(number, F_GETFD) == FD_CLOEXEC)
      #expect(option(number, Self.v4, IP_RECVERR) == (transport == .tcp ? 0 : 1))
      #expect(option(number, Self.v4, IP_RECVTTL) == (transport.isICMP ? 1 : 0))
    }
    #expect(
      Transport.icmp.isICMP && Transport.rawICMP.isICMP && !Transport.tcp.isICMP && !Transport.udp.isICMP)
    let six = openSocket(.udp, family: AF_INET6)
    if six >= 0 { #expect(option(six, Self.v6, IPV6_RECVERR) == 1) }
    if six >= 0 { close(six) }
  }

  /// A connection over IPv4 asks for what routers say; a source that is none of this machine's leaves no socket.
  @Test func whereSocketsLeadTo() throws {
    let peer = SocketAddress(.loopback, port: 9)
    let number = openSocket(.tcp, to: peer)
    #expect(option(number, Self.v4, IP_RECVERR) == 1 && nearPort(number) == 0)
    close(number)
    let datagram = openSocket(.udp, to: SocketAddress(.loopback, port: 9, source: .v4(0x7f00_0007)))
    #expect(socketName(datagram, getsockname)?.address == .v4(0x7f00_0007))
    close(datagram)
    let foreign = SocketAddress(.loopback, port: 9, source: .v4(0xc000_024d))
    let (none, code) = (openSocket(.tcp, to: foreign), errno)
    #expect(none == -1 && code == EADDRNOTAVAIL)
  }

  @Test func whatCallsSay() throws {
    let number = openSocket(.udp, family: AF_INET)
    let other = openSocket(.udp, family: AF_INET)
    defer { for one in [number, other] { close(one) } }
    #expect(sendDatagram([1], number) == .failed, "nobody is connected to")
    let any = SocketAddress(.loopback, port: 0)
    #expect(any.withPointer { bind(other, $0, $1) } == 0)
    let place = try #require(socketName(other, getsockname))
    #expect(nearPort(other) == place.port && place.port > 0 && nearPort(-1) == nil)
    #expect(place.withPointer { connect(number, $0, $1) } == 0 && pendingError(number) == 0)
    #expect(sendDatagram([7, 8, 9], number) == .sent)
    var (data, control) = ([UInt8](repeating: 0, count: 8), [UInt8](repeating: 0, count: 64))
    let packet = readPacket(other, &data, &control)
    #expect(packet.count == 3 && packet.sender == .loopback && data.prefix(3) == [7, 8, 9])
    #expect(packet.notes == PacketNotes())
    let (none, code) = (readPacket(other, &data, &control).count, errno)
    #expect(none == -1 && code == EAGAIN)
    #expect(readPacket(other, &data, &control, ofErrors: true).count == -1)
    #expect(read(other, &data) == -1)
    #expect(sendDatagram([1, 2], number) == .sent)
    #expect(read(other, &data) == 2)
    #expect(!isSelfConnected(number, place) && isConnectOver(number))
    #expect(pendingError(-1) == EBADF)
    // One that is connected to itself.
    let lonely = openSocket(.udp, family: AF_INET)
    defer { close(lonely) }
    #expect(any.withPointer { bind(lonely, $0, $1) } == 0)
    let own = try #require(socketName(lonely, getsockname))
    #expect(!isSelfConnected(lonely, own))
    #expect(own.withPointer { connect(lonely, $0, $1) } == 0 && isSelfConnected(lonely, own))
    #expect(!isSelfConnected(lonely, place))
  }

  @Test(
    arguments: [
      (ECONNREFUSED, .connectRefused, .connect, "p: connection refused"),
      (ECONNRESET, .connectionReset, .connect, "p: connection reset by peer"),
      (EPIPE, .connectionReset, .connect, "p: connection reset by peer"),
      (ETIMEDOUT, .connectTimeout, .connect, "p: connection timed out"),
      (EHOSTDOWN, .connectUnreachable, .connect, "p: host is down"),
      (ENOANO, .connectUnreachable, .connect, "p: administratively prohibited by a firewall on the way"),
      (EMFILE, .localFault, .prepare, "no file descriptor left on this machine: raise LimitNOFILE"),
      (ENFILE, .localFault, .prepare, "no file descriptor left on this machine: raise LimitNOFILE"),
      (ENETUNREACH, .localFault, .connect, "no route from this machine to p"),
      (ENETDOWN, .localFault, .connect, "no route from this machine to p"),
      (EADDRNOTAVAIL, .localFault, .connect, "no free local port or address to reach p from"),
      (EACCES, .localFault, .connect, "this machine could not reach p: permission denied"),
      (EINVAL, .localFault, .connect, "this machine could not reach p: invalid argument"),
    ] as [(Int32, Reason, Phase, String)])
  func words(code: Int32, reason: Reason, phase: Phase, words: String) {
    #expect(Verdict(errno: code, phase: .connect, peer: "p") == Verdict(reason, phase: phase, message: words))
    let source = Verdict(errno: code, phase: .connect, peer: "p", source: .loopback)
    if code == EADDRNOTAVAIL {
      let words = "source_address 127.0.0.1 is no address of this machine"
      #expect(source == Verdict(.localFault, phase: .prepare, message: words))
    } else {
      #expect(source.message == words)
    }
  }

  /// A ping that could not be sent is forbidden where its socket was, and by no other error.
  @Test func whatIsForbidden() {
    let start = Instant(nanoseconds: 0)
    func report(_ end: FlowReport.End, isOpened: Bool = false) -> FlowReport {
      var report = FlowReport(end: end, started: start, ended: start, deadline: start, lateness: .zero)
      report.isOpened = isOpened
      return report
    }
    #expect(report(.failed(EACCES)).isForbidden && report(.failed(EPERM)).isForbidden)
    #expect(
      !report(.failed(EACCES), isOpened: true).isForbidden
        && !report(.failed(EPERM), isOpened: true).isForbidden)
    #expect(
      !report(.failed(EMFILE)).isForbidden && !report(.timedOut).isForbidden && !report(.done).isForbidden)
    let words =
      "the kernel forbids ping to this process: set net.ipv4.ping_group_range = 0 2147483647 with sysctl"
    let forbidden = Verdict(pinging: report(.failed(EPERM)), code: EPERM, host: "h", source: nil)
    #expect(forbidden == Verdict(.localFault, phase: .prepare, message: words))
    let other = Verdict(pinging: report(.failed(EHOSTUNREACH)), code: EHOSTUNREACH, host: "h", source: nil)
    #expect(other == Verdict(.connectUnreachable, phase: .connect, message: "h: no route to host"))
    #expect(PingWay.unprivileged.words == "ICMP echo is allowed" && PingWay.closed("w").words == "w")
    #expect(
      PingWay.raw.words
        == "ICMP echo goes over raw sockets (CAP_NET_RAW): net.ipv4.ping_group_range excludes this process")
  }

  /// Lateness of more than a fifth counts, of the time that the target had: without what was held.
  @Test(arguments: [(0, 2000, false), (0, 2001, true), (5, 1000, false), (5, 1001, true), (10, 1, true)])
  func ownLateness(held: Int, late: Int, isOwn: Bool) {
    let start = Instant(nanoseconds: 0)
    var report = FlowReport(
      end: .timedOut, started: start, ended: start + .seconds(11), deadline: start + .seconds(10),
      lateness: .milliseconds(late))
    report.held = .seconds(held)
    #expect(report.isOwnLateness == isOwn && report.elapsed == .seconds(11))
    report.end = .closed
    #expect(!report.isOwnLateness)
  }

  /// What an attempt has left: never less than nothing, and no more for a span that ran backwards.
  @Test func timeOfAnAttempt() {
    let now = Instant(nanoseconds: 1_000_000_000)
    var time = AttemptTime(until: now + .seconds(10), now: now)
    time.spend(.seconds(3))
    time.spend(.seconds(-5))
    time.spend(nil)
    #expect(time.left == .seconds(7))
    time.spend(.seconds(8))
    #expect(time.left == .zero && AttemptTime(until: now, now: now + .seconds(1)).left == .zero)
  }

  @Test(
    arguments: [
      (.connect, false, .unreachable), (.connect, true, .unreachable), (.tls, false, .handshake),
      (.tls, true, .broken), (.firstByte, false, .broken), (.firstByte, true, .broken),
      (.transfer, false, .broken),
      (.prepare, false, .broken), (.proxy, false, .broken),
    ] as [(TransferPhase, Bool, OutboundFailure.Kind)])
  func failuresOfAnAnswer(phase: TransferPhase, isLate: Bool, kind: OutboundFailure.Kind) {
    let head = OutboundAnswer(status: 503, headers: [HeaderField("X-A", "1")], body: Array("{\"a\":1}".utf8))
    let failure = OutboundFailure(
      TransferFailure(.closed, phase: phase, message: "m", timedOut: isLate),
      at: Endpoint(host: "::1", port: 7), head)
    #expect(failure.kind == kind && failure.isTimeout == isLate && failure.message == "m")
    #expect(failure.words == "[::1]:7: m" && OutboundFailure(.broken, "m").words == "m")
    let outcome = Result<OutboundAnswer, OutboundFailure>.failure(failure)
    #expect(outcome.head == head && Result<OutboundAnswer, OutboundFailure>.success(head).head == head)
    #expect(head.header("x-a") == "1" && head.header("x") == nil && head.json?["a"]?.integer == 1)
    #expect(OutboundAnswer(status: 200).json == nil)
  }
}
