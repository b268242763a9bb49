// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Outcome of a probe.
package enum Probed: Sendable {
  case done(ProbeOutcome)
  /// The budget has no room at the moment; nothing was dialled. The attempt is to be made again after this long.
  case postponed(by: Duration)
}

/// A verdict and the facts it was made of. `CheckRunner` makes the result of it.
@dynamicMemberLookup
package struct ProbeOutcome: Sendable {
  /// Its content. It is some 750 bytes and is handed up through every layer of a probe, each of which would hold several
  /// copies of it for as long as the probe waits.
  private struct Parts: Sendable {
    var verdict: Verdict
    var facts: ProbeFacts
    var dialled: [DialledAddress] = []
    var negated: Verdict?
    var held = Duration.zero
    var paused = Duration.zero
    var isTimeJudged = false
    var isHeldBack = false
  }

  /// Always one element: an array is a box that is copied on write.
  private var box: [Parts]

  package init(
    _ verdict: Verdict, responseTime: Duration? = nil, timings: Timings = Timings(), hops: [Hop] = [],
    peer: SocketAddress? = nil, statusCode: Int? = nil, httpVersion: String? = nil,
    tls: TLSFacts? = nil, dns: DNSFacts? = nil, ping: PingFacts? = nil, assertions: [Assertion] = [],
    excerpt: String? = nil
  ) {
    var facts = ProbeFacts()
    (facts.responseTime, facts.timings, facts.hops) = (responseTime, timings, hops)
    (facts.peer, facts.statusCode, facts.httpVersion) = (peer, statusCode, httpVersion)
    (facts.tls, facts.dns, facts.ping) = (tls, dns, ping)
    (facts.assertions, facts.excerpt) = (assertions, excerpt)
    box = [Parts(verdict: verdict, facts: facts)]
  }

  package subscript<Value>(dynamicMember fact: WritableKeyPath<ProbeFacts, Value>) -> Value {
    get { box[0].facts[keyPath: fact] }
    _modify { yield &box[0].facts[keyPath: fact] }
  }
  package subscript<Value>(dynamicMember fact: KeyPath<ProbeFacts, Value>) -> Value {
    box[0].facts[keyPath: fact]
  }
}

extension ProbeOutcome {
  package var verdict: Verdict {
    get { box[0].verdict }
    _modify { yield &box[0].verdict }
  }
  /// Facts for the result.
  package var facts: ProbeFacts { box[0].facts }
  /// The addresses that were raced, of all hops; empty where there was no choice.
  package var dialled: [DialledAddress] {
    get { box[0].dialled }
    _modify { yield &box[0].dialled }
  }
  /// With `negate`: the verdict before it changed sides; nil where it did not.
  package var negated: Verdict? {
    get { box[0].negated }
    _modify { yield &box[0].negated }
  }
  /// Its response time was held against the check's thresholds.
  var isTimeJudged: Bool {
    get { box[0].isTimeJudged }
    _modify { yield &box[0].isTimeJudged }
  }
  /// How long the attempt was held back before it began: lateness, no part of any time in here.
  package var held: Duration {
    get { box[0].held }
    _modify { yield &box[0].held }
  }
  /// How long this process was paused during the attempt: its response time may be too long by as much.
  package var paused: Duration {
    get { box[0].paused }
    _modify { yield &box[0].paused }
  }
  /// A budget of this process kept the attempt from its end: there is nothing to say about the target.
  package var isHeldBack: Bool {
    get { box[0].isHeldBack }
    _modify { yield &box[0].isHeldBack }
  }
}
