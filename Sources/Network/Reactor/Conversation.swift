// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The kinds of socket the reactor opens.
package enum Transport: Hashable, Sendable {
  case tcp
  /// Connected: the kernel drops what comes from anybody else.
  case udp
  /// Unprivileged ICMP echo (`net.ipv4.ping_group_range`).
  case icmp
  /// ICMP over a raw socket, with CAP_NET_RAW. Connected: the kernel drops packets from other addresses, and all but
  /// echo replies.
  case rawICMP

  var isICMP: Bool { self == .icmp || self == .rawICMP }
}

/// Conversation over one socket: a pure state machine that the reactor drives from its thread. It must not block and
/// must bound what it keeps.
package protocol Conversation: Sendable {
  /// The connection stands (TCP), or the socket is ready to send.
  mutating func opened(at now: Instant) -> ConversationStep
  /// Bytes of a stream as they come, or one whole datagram. `sender` is known for ICMP only.
  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep
  /// The instant asked for by `ConversationStep.wake` has come.
  mutating func woke(at now: Instant) -> ConversationStep
  /// A router or the target sent an ICMP error about one of our ICMP packets, which is quoted from its header on.
  mutating func refused(_ error: ICMPError, about quoted: ArraySlice<UInt8>) -> ConversationStep
  /// When a datagram left this machine, by the kernel's own stamp: it may have waited for a core since it was handed over.
  /// Counted from 0; not each one's is known.
  mutating func left(_ number: Int, at instant: Instant)
}

extension Conversation {
  package mutating func woke(at now: Instant) -> ConversationStep { .wait }
  package mutating func refused(_ error: ICMPError, about quoted: ArraySlice<UInt8>) -> ConversationStep {
    .wait
  }
  package mutating func left(_ number: Int, at instant: Instant) {}
}

/// An error message of the network about a packet of ours.
package struct ICMPError: Hashable, Sendable {
  /// The errno the kernel made of it.
  package var code: Int32
  /// Sender of the packet, where the kernel reports it.
  package var offender: IPAddress?

  package init(code: Int32, offender: IPAddress? = nil) {
    self.code = code
    self.offender = offender
  }
}

/// The reactor's next step.
package struct ConversationStep: Hashable, Sendable {
  /// Data to be sent: the next bytes of a stream, or one datagram. `nil` for none.
  package var send: [UInt8]?
  /// When to call `woke`, replacing any earlier wish. `nil` leaves the earlier one.
  package var wake: Instant?
  /// The conversation has what it wants; the socket is closed.
  package var isDone: Bool

  package init(send: [UInt8]? = nil, wake: Instant? = nil, isDone: Bool = false) {
    self.send = send
    self.wake = wake
    self.isDone = isDone
  }

  package static let wait = ConversationStep()
  package static let done = ConversationStep(isDone: true)
}

/// Nothing is said: the connection itself is the question.
package struct Silence: Conversation {
  package init() {}
  package mutating func opened(at now: Instant) -> ConversationStep { .done }
  package mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep { .done }
}

/// How a socket's life went, with stamps taken on the reactor's thread.
package struct FlowReport: Hashable, Sendable {
  package enum End: Hashable, Sendable {
    /// The conversation was done.
    case done
    /// The other side ended the stream first.
    case closed
    case timedOut
    /// A system call failed with this errno.
    case failed(Int32)
  }

  package var end: End
  /// Right before `connect`, or when opening failed.
  package var started: Instant
  package var connected: Instant?
  package var firstByte: Instant?
  package var ended: Instant
  package var deadline: Instant
  /// How long what the other side sent waited for the reactor's thread, in all; the deadline moved by as much.
  package var held = Duration.zero
  /// The longest time the reactor's own thread was late or busy elsewhere while this flow was open, or what it
  /// held back beyond what is added to a deadline.
  package var lateness: Duration
  /// TTL or hop limit of the last ICMP datagram, as it arrived.
  package var hopsLeft: Int?
  /// The kernel's figures of the TCP connection. `nil` where there is none.
  package var tcp: TransportFacts?
  /// There was a socket: what failed is the way to the peer.
  var isOpened = false

  package var elapsed: Duration { started.duration(to: ended) }

  /// True when the time ran out and our own thread was late by more than a fifth of it: the target might have answered
  /// in time.
  package var isOwnLateness: Bool {
    end == .timedOut && lateness * 5 > started.duration(to: deadline) - held
  }
}
