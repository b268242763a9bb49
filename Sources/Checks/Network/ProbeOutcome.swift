// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Everything one attempt found out. `CheckRunner` makes the result of it.
package struct ProbeOutcome: Sendable {
  /// What is in it. It is some 750 bytes and is handed up through every layer of a probe, each of which would hold
  /// several copies of it for as long as the probe waits.
  private struct Parts: Sendable {
    var verdict: Verdict
    var responseTime: Duration?
    var timings = Timings()
    var hops: [Hop] = []
    var peer: SocketAddress?
    var statusCode: Int?
    var httpVersion: String?
    var truncated = false
    var tls: TLSFacts?
    var dns: DNSFacts?
    var ping: PingFacts?
    var dialog: [DialogStepFacts] = []
    var assertions: [Assertion] = []
    var excerpt: String?
    var dialled: [DialledAddress] = []
    var addresses: [AddressVerdict] = []
    var negated: Verdict?
    var held = Duration.zero
    var postponed: Duration?
  }

  /// Always one element: an array is a box that is copied on write.
  private var box: [Parts]

  package init(
    _ verdict: Verdict, responseTime: Duration? = nil, timings: Timings = Timings(), hops: [Hop] = [],
    peer: SocketAddress? = nil, statusCode: Int? = nil, httpVersion: String? = nil,
    tls: TLSFacts? = nil, dns: DNSFacts? = nil, ping: PingFacts? = nil, assertions: [Assertion] = [],
    excerpt: String? = nil
  ) {
    box = [
      Parts(
        verdict: verdict, responseTime: responseTime, timings: timings, hops: hops, peer: peer,
        statusCode: statusCode, httpVersion: httpVersion, tls: tls, dns: dns,
        ping: ping, assertions: assertions, excerpt: excerpt)
    ]
  }
}

extension ProbeOutcome {
  package var verdict: Verdict {
    get { box[0].verdict }
    _modify { yield &box[0].verdict }
  }
  /// From the start of resolution to the last byte needed; nil when the probe never left this machine.
  package var responseTime: Duration? {
    get { box[0].responseTime }
    _modify { yield &box[0].responseTime }
  }
  package var timings: Timings {
    get { box[0].timings }
    _modify { yield &box[0].timings }
  }
  package var hops: [Hop] {
    get { box[0].hops }
    _modify { yield &box[0].hops }
  }
  /// What was dialled; the port of an ICMP ping is 0.
  package var peer: SocketAddress? {
    get { box[0].peer }
    _modify { yield &box[0].peer }
  }
  /// The address that was dialled, as text, with the port if there is one.
  package var address: String? { peer.map { $0.port == 0 ? $0.address.description : $0.description } }
  /// 4 or 6.
  package var ipVersion: Int? { peer?.address.version }
  package var statusCode: Int? {
    get { box[0].statusCode }
    _modify { yield &box[0].statusCode }
  }
  package var httpVersion: String? {
    get { box[0].httpVersion }
    _modify { yield &box[0].httpVersion }
  }
  /// The body was longer than what was read of it.
  package var truncated: Bool {
    get { box[0].truncated }
    _modify { yield &box[0].truncated }
  }
  package var tls: TLSFacts? {
    get { box[0].tls }
    _modify { yield &box[0].tls }
  }
  package var dns: DNSFacts? {
    get { box[0].dns }
    _modify { yield &box[0].dns }
  }
  package var ping: PingFacts? {
    get { box[0].ping }
    _modify { yield &box[0].ping }
  }
  /// What was said, in order, up to the step that failed.
  package var dialog: [DialogStepFacts] {
    get { box[0].dialog }
    _modify { yield &box[0].dialog }
  }
  /// Every condition that could be judged, also those that hold.
  package var assertions: [Assertion] {
    get { box[0].assertions }
    _modify { yield &box[0].assertions }
  }
  /// On failure only: at most 1 KiB of what the target said, redacted.
  package var excerpt: String? {
    get { box[0].excerpt }
    _modify { yield &box[0].excerpt }
  }
  /// The addresses that were raced, of all hops; empty where there was no choice.
  package var dialled: [DialledAddress] {
    get { box[0].dialled }
    _modify { yield &box[0].dialled }
  }
  /// With `addresses: each`: what every address came to.
  package var addresses: [AddressVerdict] {
    get { box[0].addresses }
    _modify { yield &box[0].addresses }
  }
  /// With `negate`: the verdict before it changed sides; nil where it did not.
  package var negated: Verdict? {
    get { box[0].negated }
    _modify { yield &box[0].negated }
  }
  /// How long the attempt was held back before it began: lateness, no part of any time in here.
  package var held: Duration {
    get { box[0].held }
    _modify { yield &box[0].held }
  }
  /// Nothing was tried yet: the attempt is to be made again after this long.
  package var postponed: Duration? {
    get { box[0].postponed }
    _modify { yield &box[0].postponed }
  }
}
