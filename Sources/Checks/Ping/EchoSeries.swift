// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// A run of echo requests over one socket: sends on time, whatever came back so far, and is done when every packet
/// has been answered or refused.
struct EchoSeries: Conversation {
  let target: IPAddress
  let settings: PingSettings
  let nonce: UInt64
  /// Over a raw socket, which hears the replies to every ping of this machine to this target; nil: over one that hears
  /// its own only.
  var identifier: UInt16?
  /// When the run ends if nothing has answered by then, so that another address of the host gets its turn. `nil` waits
  /// until the deadline.
  var patience: Instant?

  /// It ended because its patience did.
  private(set) var isGivenUp = false
  private(set) var tally = PingTally()
  /// When each left, by the kernel's stamp where there is one.
  private var sentAt: [Instant] = []
  /// Of the grid.
  private var start: Instant?

  init(target: IPAddress, settings: PingSettings, nonce: UInt64, identifier: UInt16? = nil) {
    self.identifier = identifier
    self.target = target
    self.settings = settings
    self.nonce = nonce
  }

  mutating func opened(at now: Instant) -> ConversationStep { sendNext(now) }

  mutating func woke(at now: Instant) -> ConversationStep {
    if let patience, patience <= now, tally.roundTrips.isEmpty {
      isGivenUp = true
      return .done
    }
    guard let turn = nextTurn else { return .wait }
    // It was woken for its patience, and has a reply.
    return patience != nil && now < turn ? ConversationStep(wake: turn) : sendNext(now)
  }

  /// Of the next packet, on the grid of the first: one late wake-up does not move the others. `nil` when all were sent.
  private var nextTurn: Instant? {
    guard let start, sentAt.count < settings.count else { return nil }
    // bounded: at most 100 packets
    return start + settings.packetInterval * sentAt.count
  }

  private mutating func sendNext(_ now: Instant) -> ConversationStep {
    // bounded: at most 100 packets
    var echo = ICMPEcho(sequence: UInt16(sentAt.count + 1), nonce: nonce, size: settings.size)
    echo.identifier = identifier
    start = start ?? now
    sentAt.append(now)
    tally.sent = sentAt.count
    let waits = tally.roundTrips.isEmpty ? patience : nil
    let next = nextTurn.map { min($0, waits ?? $0) } ?? waits
    return ConversationStep(send: echo.request(version: target.version), wake: next)
  }

  /// Only a reply from the very address we ask, with our payload, to a packet we sent, and only the first: a
  /// duplicate is no second answer.
  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep {
    guard let message = ours(bytes) else { return .wait }
    let sequence = ICMPEcho.repliedSequence(
      message, version: target.version, nonce: nonce, size: settings.size)
    guard sender == target, let number = open(sequence) else { return .wait }
    // bounded: at most 100 packets, numbered from 1
    tally.roundTrips[number] = max(.zero, sentAt[number - 1].duration(to: now))
    tally.errors[number] = nil
    return isSettled ? .done : .wait
  }

  mutating func left(_ number: Int, at instant: Instant) {
    // bounded: at most 100 packets
    guard number < sentAt.count, tally.roundTrips[number + 1] == nil else { return }
    sentAt[number] = instant
  }

  mutating func refused(_ error: ICMPError, about quoted: ArraySlice<UInt8>) -> ConversationStep {
    // A redirect or a source quench (icmp(7)): the packet went on, and its reply may come (RFC 1122 3.2.2.2, RFC 6633).
    if error.code == EREMOTEIO { return .wait }
    if let identifier, RawEcho.identifier(of: quoted) != identifier { return .wait }
    guard let number = open(ICMPEcho.sequence(of: quoted)) else { return .wait }
    tally.errors[number] = error
    return isSettled ? .done : .wait
  }

  /// The ICMP message of what came; nil for another run's.
  private func ours(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let identifier else { return bytes }
    let message = target.version == 4 ? RawEcho.message(inIPv4: bytes) : bytes
    guard let message, RawEcho.identifier(of: message) == identifier else { return nil }
    return message
  }

  /// A packet that was sent and not answered yet.
  private func open(_ sequence: UInt16?) -> Int? {
    // bounded: sixteen bits
    guard let number = sequence.map(Int.init), number >= 1, number <= sentAt.count,
      tally.roundTrips[number] == nil
    else { return nil }
    return number
  }

  private var isSettled: Bool { tally.isSettled(settings.count) }
}
