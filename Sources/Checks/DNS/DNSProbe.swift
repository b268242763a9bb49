// SPDX-License-Identifier: MIT

import Monitoring

/// Asks a name server one question and judges the answer.
///
/// The server is the check's own, resolved and judged by the egress policy like any target, or the machine's,
/// asked in turn as the resolver would. The response time runs from the start of resolving the server's name to
/// the last byte of the answer; `first_byte` is the question's own share of it.
package struct DNSProbe: Probe {
  private let reactor: Reactor
  private let finder: TargetFinder
  private let system: SystemResolver

  /// `system` knows the machine's name servers; the finder's resolver finds those a check names.
  package init(reactor: Reactor, finder: TargetFinder, system: SystemResolver) {
    self.reactor = reactor
    self.finder = finder
    self.system = system
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard case .dns(let settings) = check.kind else { return .unsupported(check, by: "dns") }
    guard let name = DNSName(settings.name), let type = DNSRecordType(settings.recordType) else {
      let question = "\(settings.name) \(settings.recordType)"
      return ProbeOutcome(Verdict(.unsupported, phase: .prepare, message: "cannot ask for \(question)"))
    }
    let question = DNSQuestion(name: name, type: type)
    guard let server = settings.server else {
      let reply = try await system.ask(
        question, recursion: settings.recursion, phase: .answer, until: deadline)
      return outcome(of: reply, settings, dns: nil)
    }
    switch try await finder.find(.init(server, for: .dns), for: check, until: deadline) {
    case .ended(let outcome): return outcome
    case .found(let addresses, let dns):
      let exchange = DNSExchange(reactor: reactor, phase: .answer, name: server)
      let (reply, peer) = try await exchange.ask(
        question, recursion: settings.recursion, ofFirst: addresses, until: deadline)
      var outcome = outcome(of: reply, settings, dns: dns)
      outcome.address = peer.description
      outcome.ipVersion = peer.address.version
      return outcome
    }
  }

  private func outcome(of reply: DNSReply, _ settings: DNSSettings, dns: Duration?) -> ProbeOutcome {
    let total = (dns ?? .zero) + reply.elapsed
    var timings = Timings(dns: dns, connect: reply.connect, total: total)
    switch reply.content {
    case .failure(let verdict):
      return ProbeOutcome(verdict, responseTime: total, timings: timings)
    case .message(let message):
      timings.firstByte = reply.elapsed - (reply.connect ?? .zero)
      let (verdict, assertions) = DNSJudge(settings: settings).judge(message)
      return ProbeOutcome(
        verdict, responseTime: total, timings: timings, dns: DNSFacts(message, reply), assertions: assertions)
    }
  }
}

extension DNSExchange {
  /// The first address that answers anything counts, each with its share of the time that is left.
  fileprivate func ask(
    _ question: DNSQuestion, recursion: Bool, ofFirst addresses: [SocketAddress],
    until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> (reply: DNSReply, peer: SocketAddress) {
    var elapsed = Duration.zero
    var worst: (reply: DNSReply, peer: SocketAddress)?
    for (index, peer) in addresses.enumerated() {
      let now = ContinuousClock.now
      let share = now + now.duration(to: deadline) / (addresses.count - index)
      var reply = try await ask(question, recursion: recursion, server: peer, until: share)
      elapsed += reply.elapsed
      reply.elapsed = elapsed
      guard let failure = reply.failure else { return (reply, peer) }
      if worst == nil || !failure.reason.isLocal { worst = (reply, peer) }
    }
    guard var worst else { preconditionFailure("asked no server at all") }
    worst.reply.elapsed = elapsed
    return worst
  }
}

extension DNSFacts {
  /// Records kept of one answer; the rest is only counted against the conditions.
  private static let answerLimit = 64

  init(_ message: DNSMessage, _ reply: DNSReply) {
    let answers = message.answers.prefix(Self.answerLimit).map { record in
      DNSAnswer(
        name: record.name.description, type: record.type.description, ttl: record.ttl,
        data: record.data.printable(maxBytes: 1024))
    }
    self.init(
      rcode: message.rcode.description, answers: answers, authoritative: message.authoritative,
      truncated: reply.truncated, transport: reply.transport)
  }
}
