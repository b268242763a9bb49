// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// Holds what came back against a check's conditions. Without any, one reply is enough.
struct PingJudge {
  let settings: PingSettings
  /// Whether a message may name the router that sent an error; a stranger's may not, it leaves this machine.
  let namesOffender: Bool
  /// How long this process was paused during the run: a round trip may be too long by as much.
  var paused = Duration.zero

  func judge(_ tally: PingTally) -> (verdict: Verdict, assertions: [Assertion]) {
    let facts = tally.facts
    let assertions = conditions(facts)
    if facts.received == 0 { return (silence(tally), assertions) }
    let lost = "\(facts.sent - facts.received) of \(facts.sent) \(things) lost"
    if let fail = settings.loss.fail, facts.loss > fail {
      return (Verdict(.pingLoss, phase: .assertion, message: lost), assertions)
    }
    let average = facts.average ?? .zero
    let slow = "the average round trip took \(average.roundedText)"
    if let fail = settings.rtt.fail, average > fail {
      let verdict = Verdict(.responseTime, phase: .assertion, message: slow)
      return (average - paused > fail ? verdict : .paused(for: paused), assertions)
    }
    if let warn = settings.loss.warn, facts.loss > warn {
      return (Verdict(.pingLoss, phase: .assertion, message: lost, degraded: true), assertions)
    }
    if let warn = settings.rtt.warn, average > warn {
      let verdict = Verdict(.responseTime, phase: .assertion, message: slow, degraded: true)
      return (average - paused > warn ? verdict : .paused(for: paused), assertions)
    }
    return (.ok, assertions)
  }

  private var things: String { settings.method == .icmp ? "packets" : "connections" }

  private func conditions(_ facts: PingFacts) -> [Assertion] {
    let loss = [("loss.warn", settings.loss.warn), ("loss.fail", settings.loss.fail)].compactMap {
      what, limit in
      limit.map {
        // Of nothing sent nobody knows what would have been lost.
        // A limit of 100% leaves the loss of all packets, which is down by itself.
        Assertion(
          what: what, expected: $0 >= 100 ? "< 100%" : "<= \($0)%",
          actual: facts.sent == 0 ? "" : "\(facts.loss)%",
          ok: facts.sent > 0 && facts.received > 0 && facts.loss <= $0)
      }
    }
    let rtt = [("rtt.warn", settings.rtt.warn), ("rtt.fail", settings.rtt.fail)].compactMap { what, limit in
      limit.map { limit in
        Assertion(
          what: what, expected: "<= \(limit.text)", actual: facts.average?.roundedText ?? "",
          ok: facts.average.map { $0 <= limit } ?? false)
      }
    }
    return loss + rtt
  }

  /// Nothing came back. An ICMP error says why; otherwise it is a timeout.
  private func silence(_ tally: PingTally) -> Verdict {
    guard let error = tally.errors.min(by: { $0.key < $1.key })?.value else {
      return Verdict(
        .pingTimeout, phase: .answer,
        message: "\(settings.host) answered none of \(tally.sent) \(things)")
    }
    let by = namesOffender ? error.offender.map { ", says \($0)" } ?? "" : ""
    let words = ConnectionWords.failed(error.code)
    // Here it was the network that answered with an error, so no errno of it is our own fault.
    return Verdict(
      .connectUnreachable, phase: .answer, message: "\(settings.host): \(words)\(by)")
  }
}
