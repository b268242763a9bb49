// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Judges a made-up answer by the judges of the probes, and by the rules that the runner applies to every outcome.
/// Pure: nothing is dialled and nothing waits.
package struct Rehearsal: Sendable {
  /// The instant that certificates are counted from.
  let now: Timestamp

  package init(now: Timestamp) { self.now = now }

  /// - Returns: what the daemon would say of one attempt; nil for a heartbeat, which is told and never asks.
  package func outcome(of check: MonitoringCheck, _ answer: RehearsedAnswer) -> ProbeOutcome? {
    guard var outcome = judged(check, answer) else { return nil }
    CheckRunner.judge(&outcome, of: check)
    return outcome
  }

  private func judged(_ check: MonitoringCheck, _ answer: RehearsedAnswer) -> ProbeOutcome? {
    switch check.kind {
    case .http(let settings): http(settings, answer)
    case .tcp(let settings): port(settings.tls, settings.certificate, answer)
    case .tls(let settings): port(settings.options, settings.certificate, answer)
    case .dns(let settings): dns(settings, answer)
    case .ping(let settings): ping(settings, answer)
    case .heartbeat: nil
    }
  }

  private func http(_ settings: HTTPSettings, _ answer: RehearsedAnswer) -> ProbeOutcome {
    let isSecure = settings.url.scheme == .https
    var report = TransferReport(outcome: .complete)
    var failure = failure(answer, isVerified: settings.tls.verify && isSecure)
    if failure == nil {
      report.statusCode = answer.status
      report.httpVersion = answer.httpVersion
      report.headers = answer.headers
      report.body = answer.body
      report.times.lastByte = answer.time
      if answer.body.count > settings.maxBody, !settings.expect.isAboutStatusAlone {
        failure = Verdict(.bodyTooLarge, phase: .transfer, message: "the body is longer than max_body")
      }
    }
    // The certificate comes last, and here from nobody's handshake.
    var bare = settings
    bare.expect.certificateDays = Thresholds()
    let judge = HTTPJudge(
      settings: bare, failure: failure, report: report, lastURL: settings.url, tls: nil, now: now)
    let rule = rule(isSecure ? settings.expect.certificateDays : Thresholds(), answer)
    let verdict = judge.verdict == .ok ? rule.verdict ?? .ok : judge.verdict
    return ProbeOutcome(
      verdict, responseTime: answer.time, statusCode: report.statusCode, httpVersion: report.httpVersion,
      assertions: judge.assertions + rule.assertions)
  }

  private func port(
    _ tls: TLSOptions?, _ thresholds: Thresholds<Duration>, _ answer: RehearsedAnswer
  ) -> ProbeOutcome {
    if let failure = failure(answer, isVerified: tls?.verify ?? false) {
      return ProbeOutcome(failure, responseTime: answer.time)
    }
    let rule = rule(tls == nil ? Thresholds() : thresholds, answer)
    return ProbeOutcome(rule.verdict ?? .ok, responseTime: answer.time, assertions: rule.assertions)
  }

  private func rule(_ thresholds: Thresholds<Duration>, _ answer: RehearsedAnswer) -> CertificateRule {
    CertificateRule(
      thresholds: thresholds, notAfter: now.advanced(by: answer.certificate ?? .seconds(365 * 86_400)),
      now: now)
  }

  private func dns(_ settings: DNSSettings, _ answer: RehearsedAnswer) -> ProbeOutcome {
    guard let question = DNSQuestion(settings), let message = message(question, answer) else {
      return ProbeOutcome(Verdict(.unsupported, phase: .prepare, message: "the answer cannot be made"))
    }
    let judge = DNSJudge(settings: settings, question: question)
    if let failure = failure(answer, isVerified: false) {
      return ProbeOutcome(failure, responseTime: answer.time, assertions: judge.unanswered())
    }
    let (verdict, assertions) = judge.judge(message)
    return ProbeOutcome(verdict, responseTime: answer.time, assertions: assertions)
  }

  private func ping(_ settings: PingSettings, _ answer: RehearsedAnswer) -> ProbeOutcome {
    var tally = PingTally()
    tally.sent = settings.count
    let received = answer.error == nil ? min(answer.received ?? settings.count, settings.count) : 0
    for number in 0..<max(0, received) { tally.roundTrips[number + 1] = answer.roundTrip }
    let (verdict, assertions) = PingJudge(settings: settings, namesOffender: true).judge(tally)
    return ProbeOutcome(
      failure(answer, isVerified: false) ?? verdict, responseTime: received > 0 ? answer.roundTrip : nil,
      ping: tally.facts, assertions: assertions)
  }

  /// A handshake that judges certificates ends at one that has expired.
  private func failure(_ answer: RehearsedAnswer, isVerified: Bool) -> Verdict? {
    let isExpired = isVerified && (answer.certificate.map { $0 < .zero } ?? false)
    guard let reason = answer.error ?? (isExpired ? .tlsExpired : nil) else { return nil }
    return Verdict(reason, phase: reason.rehearsedPhase)
  }

  private func message(_ question: DNSQuestion, _ answer: RehearsedAnswer) -> DNSMessage? {
    // A header that says: an answer, with nothing in it.
    guard var message = try? DNSMessage([0, 0, 0x80, 0] + [UInt8](repeating: 0, count: 8)),
      let rcode = DNSResponseCode(mnemonic: answer.rcode)
    else { return nil }
    message.question = question
    message.rcode = rcode
    message.authoritative = answer.authoritative
    message.recursionAvailable = true
    message.answers = answer.answers.map { data in
      DNSRecord(
        name: question.name, type: question.type, recordClass: question.recordClass, ttl: answer.ttl,
        value: value(data, question.type))
    }
    return message
  }

  private func value(_ data: String, _ type: DNSRecordType) -> DNSRecord.Value {
    switch type {
    case .a, .aaaa: IPAddress(data).map { .address($0) } ?? .text(data)
    case .cname, .ns, .ptr: DNSName(data).map { .name($0) } ?? .text(data)
    default: .text(data)
    }
  }
}
