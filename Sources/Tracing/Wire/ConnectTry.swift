// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// One attempt to connect, whose packets have a TTL. Used on the trace's thread only.
///
/// It leaves nothing behind: a socket that is closed while it connects sends nothing, and one that stands is closed
/// with a reset (SO_LINGER of zero seconds), so that neither side keeps it and the port is free for the next.
final class ConnectTry {
  private let socket: Descriptor
  private let target: SocketAddress
  let began: Instant

  /// Outcome of the attempt.
  enum Outcome {
    case reply(TraceReply)
    /// An error of the network, and the kernel does not say whose.
    case unnamed
    /// This machine's own.
    case fault(Int32)
  }

  /// The connection was over at once, one way or the other.
  private var early: Int32?

  var number: Int32 { socket.number }

  /// `nil` where it could not be begun; `errno` says why.
  ///
  /// - Parameters:
  ///   - port: of this end; 0: any.
  ///   - ttl: `nil` for the machine's own.
  init?(to target: SocketAddress, from port: UInt16, ttl: Int?) {
    guard let opened = Descriptor(openSocket(.tcp, family: target.family)) else { return nil }
    let (number, version) = (opened.number, target.address.version)
    socket = consume opened
    self.target = target
    setOption(number, SOL_SOCKET, SO_REUSEADDR, 1)
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    askForErrors(number, version: version)
    if let ttl { setHops(number, version: version, ttl) }
    began = .now
    guard target.near(port).withPointer({ bind(number, $0, $1) }) == 0 else { return nil }
    guard target.withPointer({ connect(number, $0, $1) }) != 0 else {
      early = 0
      return
    }
    let code = errno
    if code == EINPROGRESS { return }
    guard code == ECONNREFUSED || code == ECONNRESET else { return nil }
    early = code
  }

  /// `nil` where there is nothing yet.
  func look(at now: Instant) -> Outcome? {
    let version = target.address.version
    for _ in 0..<16 {
      guard let message = receiveMessage(number, isError: true) else { break }
      guard let failure = message.notes.failure, let from = failure.offender, from.version == version,
        let meaning = AnswerMeaning(failure, version: version, isTarget: from == target.address)
      else { continue }
      var reply = TraceReply(
        from: from, meaning: meaning, roundTrip: message.notes.roundTrip(from: began),
        hopsLeft: message.notes.hopsLeft)
      // 128 bytes of the packet, of which its IP header is not given.
      reply.labels = LabelQuote.labels(
        in: message.data[...], at: failure.extensions, orAt: version == 4 ? 108 : 88)
      return .reply(reply)
    }
    guard early != nil || isConnectOver(number) else { return nil }
    let code = early ?? pendingError(number)
    switch code {
    case 0:
      if isSelfConnected(number, target) { return answer("refused", now) }
      return answer("accepted", now, took: kernelRoundTrip(number))
    case ECONNREFUSED: return answer("refused", now)
    case ECONNRESET: return answer("accepted, then reset", now)
    case EACCES, EPERM, EADDRNOTAVAIL, ENETDOWN: return .fault(code)
    default: return .unnamed
    }
  }

  /// - Parameter took: `nil` where only this thread measured it, which may have come late to it.
  private func answer(_ words: String, _ now: Instant, took: Duration? = nil) -> Outcome {
    let whole = began.duration(to: now)
    let roundTrip = took.map { min($0, whole) } ?? whole
    return .reply(TraceReply(from: target.address, meaning: .target(words), roundTrip: roundTrip))
  }
}

/// From the SYN to its answer as the kernel measured it: `tcpi_rtt` of TCP_INFO (tcp(7)), microseconds at byte 68.
/// `nil` where it does not say.
private func kernelRoundTrip(_ number: Int32) -> Duration? {
  var info = [UInt8](repeating: 0, count: 104)
  var length = socklen_t(info.count)
  guard getsockopt(number, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length >= 72 else {
    return nil
  }
  let microseconds = info[68..<72].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  return microseconds > 0 ? .microseconds(Int64(microseconds)) : nil
}

/// Keeps a port for one flow while its sockets come and go: bound and never connected. Others may use it too only where
/// they say that they share it (SO_REUSEADDR), as its own sockets do.
final class PortAnchor {
  private let socket: Descriptor
  let port: UInt16

  /// `nil` where no port is free, or this machine does not have that address; `errno` says why.
  init?(for target: SocketAddress, _ transport: Transport) {
    guard let opened = Descriptor(openSocket(transport, family: target.family)) else { return nil }
    let number = opened.number
    socket = consume opened
    setOption(number, SOL_SOCKET, SO_REUSEADDR, 1)
    guard target.near(0).withPointer({ bind(number, $0, $1) }) == 0 else { return nil }
    guard let port = nearPort(number), port > 0 else { return nil }
    self.port = port
  }
}

extension SocketAddress {
  /// This machine's end of a connection to it.
  func near(_ port: UInt16) -> SocketAddress {
    let any: IPAddress = address.version == 4 ? .v4(0) : .v6(high: 0, low: 0)
    return SocketAddress(source ?? any, port: port, scope: source == nil ? 0 : scope)
  }
}
