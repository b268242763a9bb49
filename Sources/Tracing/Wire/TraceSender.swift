// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// Sends the packets of a walk and knows their answers again. Used on the trace's thread only.
protocol TraceSender: AnyObject {
  /// Packets of one flow that may be on their way at once.
  var window: Int { get }
  /// Where answers show.
  var descriptors: [Int32] { get }

  /// Zero, or this machine's error.
  func send(_ packet: TracePacket) -> Int32
  /// Answers since the last call.
  func hear(at now: Instant) -> [TraceHeard]
  /// Its answer is not waited for any more.
  func giveUp(_ packet: TracePacket)
}

/// A sender's news of one packet.
struct TraceHeard {
  enum What {
    case reply(TraceReply)
    case unnamed
    case fault(Int32)
  }

  var packet: TracePacket
  var what: What
}

/// Connections, one at a time for each flow: the kernel keeps no two sockets with the same addresses and ports.
final class ConnectSender: TraceSender {
  private let target: SocketAddress
  private var anchors: [PortAnchor?]
  private var tries: [Int: (packet: TracePacket, attempt: ConnectTry)] = [:]

  let window = 1

  init(_ request: TraceRequest) {
    target = request.target
    anchors = Array(repeating: nil, count: request.flows)
  }

  var descriptors: [Int32] { tries.values.map(\.attempt.number) }

  func send(_ packet: TracePacket) -> Int32 {
    // Its port may be taken by somebody who shares it: then the flow gets another, once.
    for _ in 0..<2 {
      if anchors[packet.flow] == nil { anchors[packet.flow] = PortAnchor(for: target, .tcp) }
      guard let anchor = anchors[packet.flow] else { return errno }
      if let attempt = ConnectTry(to: target, from: anchor.port, ttl: packet.ttl) {
        tries[packet.flow] = (packet, attempt)
        return 0
      }
      guard errno == EADDRINUSE || errno == EADDRNOTAVAIL else { return errno }
      anchors[packet.flow] = nil
    }
    return EADDRINUSE
  }

  func hear(at now: Instant) -> [TraceHeard] {
    var heard: [TraceHeard] = []
    for (flow, entry) in tries {
      guard let outcome = entry.attempt.look(at: now) else { continue }
      tries[flow] = nil
      let what: TraceHeard.What =
        switch outcome {
        case .reply(let reply): .reply(reply)
        case .unnamed: .unnamed
        case .fault(let code): .fault(code)
        }
      heard.append(TraceHeard(packet: entry.packet, what: what))
    }
    return heard
  }

  func giveUp(_ packet: TracePacket) { tries[packet.flow] = nil }
}

/// Datagrams or echo requests: one socket for each flow, and many packets at once.
final class PacketSender: TraceSender {
  private let kind: PacketFlow.Kind
  private let target: SocketAddress
  private var sockets: [PacketFlow?]
  private var packets: [[UInt16: TracePacket]]

  init(_ kind: PacketFlow.Kind, _ request: TraceRequest) {
    (self.kind, target) = (kind, request.target)
    sockets = Array(repeating: nil, count: request.flows)
    packets = Array(repeating: [:], count: request.flows)
  }

  /// One, where routers quote too little to tell of which packet they speak.
  var window: Int { sockets.contains { ($0?.unmatched ?? 0) > 0 } ? 1 : 64 }

  var descriptors: [Int32] { sockets.compactMap { $0?.number } }

  func send(_ packet: TracePacket) -> Int32 {
    if sockets[packet.flow] == nil { sockets[packet.flow] = PacketFlow(kind, to: target, unbroken: false) }
    guard let socket = sockets[packet.flow] else { return errno }
    switch socket.send(ttl: packet.ttl) {
    case .sent(let sequence): packets[packet.flow][sequence] = packet
    case .tooLarge: return EMSGSIZE
    case .failed(let code): return code
    }
    return 0
  }

  func hear(at now: Instant) -> [TraceHeard] {
    var heard: [TraceHeard] = []
    for (flow, socket) in sockets.enumerated() {
      for answer in socket?.hear() ?? [] {
        guard let packet = packets[flow].removeValue(forKey: answer.sequence) else { continue }
        heard.append(TraceHeard(packet: packet, what: .reply(answer.reply)))
      }
    }
    return heard
  }

  func giveUp(_ packet: TracePacket) {
    guard let entry = packets[packet.flow].first(where: { $0.value == packet }) else { return }
    packets[packet.flow][entry.key] = nil
    sockets[packet.flow]?.forget(entry.key)
  }
}
