// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// One attempt of a tcp or tls check on one connection, from dialling to the verdict.
struct PortVisit: Sendable {
  let reactor: Reactor
  let client: TLSClient
  let now: @Sendable () -> Timestamp

  /// - Parameter dns: how long the name took.
  func perform(
    _ settings: TCPSettings, _ check: MonitoringCheck, for origin: WorkOrigin, at addresses: [SocketAddress],
    dns: Duration?,
    until deadline: Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    var time = AttemptTime(until: deadline)
    let conversation: PortConversation
    switch await makeConversation(settings, for: origin) {
    case .success(let made): conversation = made
    case .failure(let fault):
      return ProbeOutcome(Verdict(.localFault, phase: .prepare, message: fault.description))
    }
    let endpoint = Endpoint(host: settings.host, port: settings.port)
    let dialled = try await reactor.connect(
      to: addresses, named: endpoint, until: time.deadline, timeout: check.timeout)
    guard let socket = dialled.socket else {
      return outcome(dialled.verdict, dialled, settings, dns: dns, took: dialled.elapsed)
    }
    time.spend(dialled.elapsed)
    let ended = try await reactor.converse(conversation, on: socket, with: dialled.peer, until: time.deadline)
    var said = ended.conversation
    let tls = said.tls
    if ended.report.end == .closed || tls?.isClosed == true { said.ended(at: ended.report.ended) }
    let verdict = PortVerdict(
      conversation: said, report: ended.report, tls: tls, timeout: check.timeout,
      place: check.origin == .api ? endpoint.description : dialled.peer.description)
    let end = said.end ?? ended.report.ended
    var outcome = outcome(
      verdict.failure ?? .ok, dialled, settings, dns: dns,
      took: dialled.elapsed + ended.report.started.duration(to: end), tls)
    outcome.tcp = ended.report.tcp ?? outcome.tcp
    outcome.paused = max(dialled.paused, ProcessPauses.shared.longest(since: ended.report.started))
    outcome.note(said, from: ended.report.started, until: end)
    return outcome
  }

  /// The dialog before TLS; `nil` without STARTTLS.
  static func front(of settings: TCPSettings) -> SpokenDialog? {
    let name = settings.tls?.serverName ?? settings.host
    return settings.startTLS.map { SpokenDialog.startTLS($0, host: name) }
  }

  private func makeConversation(
    _ settings: TCPSettings, for origin: WorkOrigin
  ) async -> Result<PortConversation, TLSUnavailable> {
    let front = Self.front(of: settings)
    let dialog = SpokenDialog(settings.dialog, afterStartTLS: settings.startTLS)
    guard let options = settings.tls else {
      return .success(PortConversation(startTLS: nil, session: nil, dialog: dialog))
    }
    do throws(TLSUnavailable) {
      let session = try await client.session(host: settings.host, options: options, for: origin)
      return .success(PortConversation(startTLS: front, session: session, dialog: dialog))
    } catch { return .failure(error) }
  }

  private func outcome(
    _ verdict: Verdict, _ dialled: Dialled, _ settings: TCPSettings, dns: Duration?, took: Duration,
    _ tls: TLSSummary? = nil
  ) -> ProbeOutcome {
    let now = now()
    let rule = CertificateRule(
      settings.certificate, tls?.report, strict: settings.tls?.isStrict ?? false, now: now)
    let total = (dns ?? .zero) + took
    var outcome = ProbeOutcome(
      verdict == .ok ? rule.verdict ?? .ok : verdict, responseTime: total,
      timings: Timings(dns: dns, connect: dialled.dialling, tls: tls?.elapsed, total: total),
      peer: dialled.peer,
      tls: tls?.report.map { TLSFacts($0, now: now) }, assertions: rule.assertions)
    if outcome.verdict.isSuccess, let note = rule.note { outcome.verdict = outcome.verdict.noting([note]) }
    outcome.dialled = dialled.tries
    outcome.tcp = dialled.tcp
    return outcome
  }
}

extension PortConversation {
  /// When the last thing that was needed had come; nil: it never did.
  fileprivate var end: Instant? { stage == .dialog ? dialog.finishedAt : nil }
}

extension ProbeOutcome {
  /// Notes the dialog, and the bytes seen where it ended.
  fileprivate mutating func note(
    _ conversation: PortConversation, from start: Instant, until end: Instant
  ) {
    if let startTLS = conversation.startTLS {
      self.dialog = startTLS.allSteps(until: end).map { step in
        var step = step
        step.what = "starttls: \(step.what)"
        return step
      }
    }
    if let opened = conversation.startTLS?.openedAt {
      let finished = verdict.phase == .starttls ? nil : conversation.startTLS?.finishedAt
      self.timings.startTLS = max(.zero, opened.duration(to: finished ?? end))
    }
    self.dialog += conversation.dialog.allSteps(until: end)
    if verdict.phase == .tls, self.timings.tls == nil {
      self.timings.tls = max(.zero, (conversation.startTLS?.finishedAt ?? start).duration(to: end))
    }
    if let opened = conversation.dialog.openedAt,
      conversation.dialog.firstHeardAt != nil || conversation.dialog.waitsInVain
    {
      let first = conversation.dialog.firstHeardAt ?? end
      self.timings.firstByte = max(.zero, opened.duration(to: first))
      if conversation.dialog.firstHeardAt != nil {
        self.timings.transfer = max(.zero, first.duration(to: conversation.dialog.finishedAt ?? end))
      }
    }
    let conversations = [conversation.startTLS, conversation.dialog].compactMap { $0 }
    guard !verdict.isSuccess,
      let ended = conversations.first(where: { $0.finishedAt == nil }) ?? conversations.first
    else { return }
    if !ended.window.isEmpty { self.excerpt = ended.seen }
  }
}
