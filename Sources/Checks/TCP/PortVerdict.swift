// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// What a connection's talk came to. Pure.
struct PortVerdict {
  let talk: PortTalk
  let report: FlowReport
  let tls: TLSSummary?
  /// As the check writes it: messages leave this machine.
  let endpoint: Endpoint
  /// Where a person at this machine sees the address too.
  let place: String

  /// Nil: all went as it should.
  var failure: Verdict? {
    if talk.isInjected {
      return Verdict(
        .starttlsRefused, phase: .starttls,
        message: "\(endpoint) sent plain text after its go-ahead and before the tls handshake")
    }
    switch talk.stage {
    case .startTLS: return talk.startTLS.flatMap { failure(of: $0, in: .starttls) }
    case .handshake: return tlsFailure ?? ending(in: .tls)
    case .dialog:
      if let failure = talk.dialog.failure { return self.failure(failure, of: talk.dialog, in: .dialog) }
      guard talk.dialog.finishedAt != nil else { return tlsFailure ?? failure(of: talk.dialog, in: .dialog) }
      // After the last step only one thing still counts: a client certificate may be refused as late as this (TLS 1.3).
      return tls?.failure?.kind == .tls(.clientCertificate) ? tlsFailure : nil
    }
  }

  private var tlsFailure: Verdict? {
    tls?.failure.map { failure in
      Verdict(Reason(failure), phase: Phase(failure.phase), message: "\(place): \(failure.message)")
    }
  }

  private func failure(of talk: Conversation, in phase: Phase) -> Verdict? {
    if let failure = talk.failure { return self.failure(failure, of: talk, in: phase) }
    return talk.finishedAt == nil ? unfinished(talk, in: phase) : nil
  }

  private func failure(
    _ failure: ConversationFailure, of talk: Conversation, in phase: Phase
  ) -> Verdict {
    if failure.kind == .impossible {
      return Verdict(.unsupported, phase: phase, message: "\(step(of: talk)): \(failure.message)")
    }
    return Verdict(
      phase == .starttls ? .starttlsRefused : .dialog, phase: phase,
      message: "\(step(of: talk)): \(failure.message)")
  }

  /// The connection ended, or the time did, before the step was done.
  private func unfinished(_ talk: Conversation, in phase: Phase) -> Verdict {
    guard report.end == .timedOut, !report.isOwnLateness else { return ending(in: phase, talk) }
    let waited = report.elapsed.roundedText
    if talk.window.isEmpty {
      return Verdict(
        .firstByteTimeout, phase: phase, message: "\(step(of: talk)): nothing came within \(waited)")
    }
    let count = talk.window.count
    let words = "\(step(of: talk)): not found in the \(count) bytes that came within \(waited)"
    return Verdict(.transferTimeout, phase: phase, message: words)
  }

  private func ending(in phase: Phase, _ talk: Conversation? = nil) -> Verdict {
    let step = talk.map { "\(self.step(of: $0)): " } ?? "\(endpoint): "
    switch report.end {
    case .failed(let code):
      let verdict = Verdict(errno: code, phase: phase, peer: endpoint)
      return Verdict(verdict.reason, phase: phase, message: verdict.message)
    case .timedOut where report.isOwnLateness: return .ownLateness(report, phase: phase)
    case .timedOut:
      return Verdict(
        .tlsTimeout, phase: phase,
        message: "\(step)the tls handshake did not end within \(report.elapsed.roundedText)")
    case .closed, .done:
      return Verdict(.connectionClosed, phase: phase, message: "\(step)the server closed the connection")
    }
  }

  private func step(of talk: Conversation) -> String {
    "\(endpoint): step \(talk.stepNumber) (\(talk.current?.what ?? "end"))"
  }
}
