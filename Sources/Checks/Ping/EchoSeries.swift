// SPDX-License-Identifier: MIT

import Monitoring

/// A run of echo requests over one socket: sends on time, whatever came back so far, and is done when every packet
/// has been answered or refused.
struct EchoSeries: Dialogue {
  let target: IPAddress
  let settings: PingSettings
  let nonce: UInt64

  private(set) var sent: [ContinuousClock.Instant] = []
  private(set) var roundTrips: [UInt16: Duration] = [:]
  /// ICMP errors about our packets, by sequence number.
  private(set) var errors: [UInt16: ICMPError] = [:]

  init(target: IPAddress, settings: PingSettings, nonce: UInt64) {
    self.target = target
    self.settings = settings
    self.nonce = nonce
  }

  mutating func opened(at now: ContinuousClock.Instant) -> DialogueStep { sendNext(now) }

  mutating func woke(at now: ContinuousClock.Instant) -> DialogueStep {
    sent.count < settings.count ? sendNext(now) : .wait
  }

  private mutating func sendNext(_ now: ContinuousClock.Instant) -> DialogueStep {
    let echo = ICMPEcho(sequence: UInt16(sent.count + 1), nonce: nonce, size: settings.size)
    sent.append(now)
    // On the grid of the first packet: one late wake-up does not move the others.
    let next = sent.count < settings.count ? sent[0] + settings.packetInterval * sent.count : nil
    return DialogueStep(send: echo.request(version: target.version), wake: next)
  }

  /// Only a reply from the very address we ask, with our payload, to a packet we sent, and only the first: a
  /// duplicate is no second answer.
  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: ContinuousClock.Instant
  ) -> DialogueStep {
    let sequence = ICMPEcho.repliedSequence(bytes, version: target.version, nonce: nonce, size: settings.size)
    guard sender == target, let sequence, sequence >= 1, Int(sequence) <= sent.count,
      roundTrips[sequence] == nil
    else { return .wait }
    roundTrips[sequence] = sent[Int(sequence) - 1].duration(to: now)
    errors[sequence] = nil
    return isSettled ? .done : .wait
  }

  mutating func refused(_ error: ICMPError, about quoted: ArraySlice<UInt8>) -> DialogueStep {
    guard let sequence = ICMPEcho.sequence(of: quoted), sequence >= 1, Int(sequence) <= sent.count,
      roundTrips[sequence] == nil
    else { return .wait }
    errors[sequence] = error
    return isSettled ? .done : .wait
  }

  private var isSettled: Bool { roundTrips.count + errors.count == settings.count }

  var facts: PingFacts {
    let trips = roundTrips.values
    guard let minimum = trips.min(), let maximum = trips.max() else {
      return PingFacts(sent: sent.count, received: 0)
    }
    let average = trips.reduce(.zero, +) / trips.count
    let variance =
      trips.reduce(0.0) { $0 + ($1 - average).seconds * ($1 - average).seconds } / Double(trips.count)
    return PingFacts(
      sent: sent.count, received: trips.count, minimum: minimum, average: average, maximum: maximum,
      standardDeviation: .seconds(variance.squareRoot()))
  }
}
