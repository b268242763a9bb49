// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Outcome of a connection's conversation. Pure.
struct PortVerdict {
  let conversation: PortConversation
  let report: FlowReport
  let tls: TLSSummary?
  /// Of an attempt, as configured.
  let timeout: Duration
  /// Address that was dialled, for messages; the endpoint as the check writes it where the check is untrusted.
  let place: String

  /// `nil` where all went well.
  var failure: Verdict? {
    if conversation.isInjected {
      return Verdict(
        .starttlsRefused, phase: .starttls,
        message: "\(place) sent plain text after its go-ahead and before the tls handshake")
    }
    switch conversation.stage {
    case .startTLS: return conversation.startTLS.flatMap { failure(of: $0, in: .starttls) }
    case .handshake: return tlsFailure ?? ending(in: .tls)
    case .dialog:
      if let failure = conversation.dialog.failure {
        return self.failure(failure, of: conversation.dialog, in: .dialog)
      }
      guard conversation.dialog.finishedAt != nil else {
        return tlsFailure ?? failure(of: conversation.dialog, in: .dialog)
      }
      // After the last step only one thing still counts: a client certificate may be refused as late as this (TLS 1.3).
      return tls?.failure?.kind == .tls(.clientCertificate) ? tlsFailure : nil
    }
  }

  private var tlsFailure: Verdict? {
    tls?.failure.map { failure in
      Verdict(Reason(failure), phase: Phase(failure.phase), message: "\(place): \(failure.message)")
    }
  }

  private func failure(of conversation: DialogConversation, in phase: Phase) -> Verdict? {
    if let failure = conversation.failure { return self.failure(failure, of: conversation, in: phase) }
    return conversation.finishedAt == nil ? unfinished(conversation, in: phase) : nil
  }

  private func failure(
    _ failure: DialogFailure, of conversation: DialogConversation, in phase: Phase
  ) -> Verdict {
    if failure.kind == .impossible {
      return Verdict(.unsupported, phase: phase, message: "\(step(of: conversation)): \(failure.message)")
    }
    return Verdict(
      phase == .starttls ? .starttlsRefused : .dialog, phase: phase,
      message: "\(step(of: conversation)): \(failure.message)")
  }

  /// The connection ended, or the time did, before the step was done.
  private func unfinished(_ conversation: DialogConversation, in phase: Phase) -> Verdict {
    guard report.end == .timedOut, !report.isOwnLateness else { return ending(in: phase, conversation) }
    let limit = timeout.limitText
    if conversation.window.isEmpty {
      return Verdict(
        .firstByteTimeout, phase: phase, message: "\(step(of: conversation)): nothing came within \(limit)")
    }
    let count = conversation.window.count
    let words = "\(step(of: conversation)): not found in the \(count) bytes that came within \(limit)"
    return Verdict(.transferTimeout, phase: phase, message: words)
  }

  private func ending(in phase: Phase, _ conversation: DialogConversation? = nil) -> Verdict {
    let step = conversation.map { self.step(of: $0) } ?? place
    switch report.end {
    case .failed(let code):
      let verdict = Verdict(errno: code, phase: phase, peer: place)
      return verdict.reason == .connectionReset ? Verdict(errno: code, phase: phase, peer: step) : verdict
    case .timedOut where report.isOwnLateness: return .ownLateness(report, phase: phase)
    case .timedOut:
      return Verdict(
        .tlsTimeout, phase: phase,
        message: "\(step): \(ConnectionWords.overdue(.handshake, "within \(timeout.limitText)"))")
    case .closed, .done:
      let words = ConnectionWords.closed(inHandshake: phase == .tls)
      return Verdict(.connectionClosed, phase: phase, message: "\(step): \(words)")
    }
  }

  private func step(of conversation: DialogConversation) -> String {
    "\(place): step \(conversation.stepNumber) (\(conversation.current?.what ?? "end"))"
  }
}
