// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// Datagrams or echo requests of one flow: one socket, whose ports (or identifier and checksum) never change. Used on the
/// trace's thread only.
final class PacketFlow {
  /// Kind of packet that is sent.
  enum Kind: Hashable {
    case udp
    case icmp
    /// Over a raw socket, with this identifier.
    case rawICMP(UInt16)

    var isICMP: Bool { self != .udp }
  }

  /// Answer to one packet, by its number.
  struct Answer {
    var sequence: UInt16
    var reply: TraceReply
  }

  /// How sending went.
  enum Sending: Hashable {
    case sent(UInt16)
    /// Larger than this machine's own link takes: bytes, headers included.
    case tooLarge(Int)
    /// An error number.
    case failed(Int32)
  }

  private let socket: Descriptor
  private let target: SocketAddress
  private let kind: Kind
  private let body: TraceBody
  private var sentAt: [UInt16: Instant] = [:]
  private var last: UInt16 = 0
  /// Bytes of the largest packet that was sent, headers included: a reply to it is as large.
  private var largest = 2048
  /// Errors that quoted too little to tell of which packet they were.
  private(set) var unmatched = 0

  var number: Int32 { socket.number }
  private var version: Int { target.address.version }
  /// Headers below the payload: IP, and UDP or ICMP.
  private var overhead: Int { (version == 4 ? 20 : 40) + 8 }

  /// `nil` where it could not be opened; `errno` says why.
  ///
  /// - Parameter unbroken: packets that are too big are not sent in fragments, and the kernel's own memory of what is too
  ///   big does not count (IP_PMTUDISC_PROBE).
  init?(_ kind: Kind, to target: SocketAddress, unbroken: Bool) {
    let transport: Transport =
      switch kind {
      case .udp: .udp
      case .icmp: .icmp
      case .rawICMP: .rawICMP
      }
    guard let opened = Descriptor(openSocket(transport, family: target.family)) else { return nil }
    let (number, version) = (opened.number, target.address.version)
    socket = consume opened
    (self.target, self.kind) = (target, kind)
    var identifier: UInt16?
    if case .rawICMP(let own) = kind { identifier = own }
    body = TraceBody(
      version: version, nonce: .random(in: 0...UInt64.max), isICMP: kind.isICMP, identifier: identifier)
    askForErrors(number, version: version)
    if version == 4 {
      setOption(number, Int32(IPPROTO_IP), IP_MTU_DISCOVER, unbroken ? 3 : 0)
    } else if unbroken {
      setOption(number, Int32(IPPROTO_IPV6), IPV6_MTU_DISCOVER, 3)
    }
    if target.source != nil, target.near(0).withPointer({ bind(number, $0, $1) }) != 0 { return nil }
    let peer = kind.isICMP ? SocketAddress(target.address, port: 0, scope: target.scope) : target
    guard peer.withPointer({ connect(number, $0, $1) }) == 0 else { return nil }
  }

  /// - Parameter size: of the whole packet, headers included; nil: as small as usual.
  func send(ttl: Int, size: Int? = nil) -> Sending {
    setHops(number, version: version, ttl)
    last &+= 1
    let packet = body.packet(last, payload: max(TraceBody.least, (size ?? 60) - overhead))
    largest = max(largest, packet.count + overhead)
    sentAt[last] = .now
    var result = Glibc.send(number, packet, packet.count, Int32(MSG_NOSIGNAL))
    // A failure may be about an earlier packet, which is in the error queue as well: each answer that comes meanwhile makes
    // one. What this machine itself says comes every time.
    for _ in 0..<8 where result < 0 {
      _ = pendingError(number)
      sentAt[last] = .now
      result = Glibc.send(number, packet, packet.count, Int32(MSG_NOSIGNAL))
    }
    if result >= 0 { return .sent(last) }
    switch errno {
    // A full queue loses it, as any router may.
    case EAGAIN, ENOBUFS, EINTR: return .sent(last)
    case EMSGSIZE:
      sentAt[last] = nil
      return .tooLarge(ownLimit)
    default:
      sentAt[last] = nil
      return .failed(errno)
    }
  }

  /// The kernel's limit of this machine's own link; 0 for none.
  private var ownLimit: Int {
    for _ in 0..<16 {
      guard let message = receiveMessage(number, isError: true) else { return 0 }
      if let failure = message.notes.failure, !failure.isFromNetwork, failure.code == EMSGSIZE {
        return Int(clamping: failure.info)
      }
    }
    return 0
  }

  func forget(_ sequence: UInt16) { sentAt[sequence] = nil }

  /// All that came since the last call.
  func hear() -> [Answer] {
    var answers: [Answer] = []
    for _ in 0..<256 {
      guard let message = receiveMessage(number, isError: true) else { break }
      if let answer = answer(to: message) { answers.append(answer) }
    }
    for _ in 0..<256 {
      guard let message = receiveMessage(number, isError: false, room: largest) else {
        if errno == EAGAIN { break }
        continue
      }
      if let answer = reply(in: message) { answers.append(answer) }
    }
    return answers
  }

  private func answer(to message: TraceMessage) -> Answer? {
    guard let failure = message.notes.failure, let from = failure.offender, from.version == version,
      let meaning = AnswerMeaning(failure, version: version, isTarget: from == target.address)
    else { return nil }
    guard let sequence = body.sequence(quoted: message.data[...]) ?? onlyOne(quoted: message.data.count),
      let sent = sentAt[sequence]
    else {
      return nil
    }
    sentAt[sequence] = nil
    var reply = TraceReply(
      from: from, meaning: meaning, roundTrip: message.notes.roundTrip(from: sent),
      hopsLeft: message.notes.hopsLeft)
    let headers = (version == 4 ? 20 : 40) + (kind.isICMP ? 0 : 8)
    reply.labels = LabelQuote.labels(in: message.data[...], at: failure.extensions, orAt: 128 - headers)
    return Answer(sequence: sequence, reply: reply)
  }

  /// A router that quotes no more than eight bytes behind the IP header (RFC 792) shows nothing of a datagram's
  /// payload: it is about the only packet that waits, or not known.
  private func onlyOne(quoted count: Int) -> UInt16? {
    guard count < TraceBody.least else { return nil }
    if sentAt.count == 1 { return sentAt.first?.key }
    unmatched += 1
    return nil
  }

  private func reply(in message: TraceMessage) -> Answer? {
    guard message.sender == target.address else { return nil }
    var data = message.data[...]
    if case .rawICMP = kind, version == 4 {
      guard let inner = RawEcho.message(inIPv4: data) else { return nil }
      data = inner
    }
    // Whatever a service says to a datagram is its answer, of the first that waits.
    let sequence = kind.isICMP ? body.sequence(replied: data) : sentAt.keys.min()
    guard let sequence, let sent = sentAt.removeValue(forKey: sequence) else { return nil }
    let reply = TraceReply(
      from: target.address, meaning: .target(kind.isICMP ? "echo reply" : "answered"),
      roundTrip: message.notes.roundTrip(from: sent), hopsLeft: message.notes.hopsLeft)
    return Answer(sequence: sequence, reply: reply)
  }
}
