// SPDX-License-Identifier: MIT

import Monitoring
import Synchronization

/// Which servers answer: decides whom to ask first and whether silence says anything about a name.
struct ServerHealth: Hashable, Sendable {
  private var lastAnswer: ContinuousClock.Instant?
  private var silentAt: [SocketAddress: ContinuousClock.Instant] = [:]

  /// For this long a server that was silent is asked last, and silence of all of them is ours, not the name's.
  static let memory = Duration.seconds(30)

  mutating func answered(_ server: SocketAddress, at now: ContinuousClock.Instant) {
    lastAnswer = now
    silentAt[server] = nil
  }

  mutating func wasSilent(_ server: SocketAddress, at now: ContinuousClock.Instant) {
    // The file names 3 at most; the bound is for files that change all the time.
    if silentAt.count >= 64 { silentAt.removeAll() }
    silentAt[server] = now
  }

  /// As the file orders them, those that were silent a moment ago last.
  func ordered(_ servers: [SocketAddress], at now: ContinuousClock.Instant) -> [SocketAddress] {
    let isSilent = { (server: SocketAddress) in
      silentAt[server].map { $0.duration(to: now) < Self.memory } ?? false
    }
    return servers.filter { !isSilent($0) } + servers.filter(isSilent)
  }

  /// True while nothing at all has been heard for 30 s.
  func isDeaf(at now: ContinuousClock.Instant) -> Bool {
    lastAnswer.map { $0.duration(to: now) > Self.memory } ?? true
  }
}

/// The machine's name servers, asked in turn.
final class NameServers: Sendable {
  private let reactor: Reactor
  private let health = Mutex(ServerHealth())

  init(reactor: Reactor) { self.reactor = reactor }

  /// Asks one server after the other until one has an answer that is not "I cannot": NOERROR or NXDOMAIN. Each
  /// wait is at most the file's `timeout` and at most its share of what is left, so a silent server never takes
  /// the time of the next one.
  func ask(
    _ question: DNSQuestion, recursion: Bool = true, by configuration: ResolverConfiguration,
    over transport: DNSTransport = .udp, phase: Phase, until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> DNSReply {
    let exchange = DNSExchange(reactor: reactor, phase: phase, transport: transport)
    var waiting = health.withLock { $0.ordered(configuration.servers, at: .now) }
    var elapsed = Duration.zero
    var best: DNSReply?
    for round in 0..<configuration.attempts {
      var silent: [SocketAddress] = []
      for (index, server) in waiting.enumerated() {
        let now = ContinuousClock.now
        let tries = (configuration.attempts - round) * waiting.count - index
        let share = now + min(configuration.timeout, now.duration(to: deadline) / tries)
        var reply = try await exchange.ask(
          question, recursion: recursion, server: server, until: share)
        elapsed += reply.elapsed
        reply.elapsed = elapsed
        if note(reply, from: server) { return reply }
        if reply.failure != nil { silent.append(server) }
        // "I cannot" is worth more than silence, and the first such answer more than the next.
        if best?.failure != nil || best == nil { best = reply }
      }
      waiting = silent
    }
    var last =
      best
      ?? .init(
        content: .failure(.noNameServer), transport: transport, elapsed: .zero)
    last.elapsed = elapsed
    return last
  }

  var isDeaf: Bool { health.withLock { $0.isDeaf(at: .now) } }

  /// True when the reply settles the question.
  private func note(_ reply: DNSReply, from server: SocketAddress) -> Bool {
    switch reply.content {
    case .failure(let verdict):
      let isSilence = verdict.reason != .dnsMalformed
      health.withLock { isSilence ? $0.wasSilent(server, at: .now) : $0.answered(server, at: .now) }
      return false
    case .message(let message):
      health.withLock { $0.answered(server, at: .now) }
      return message.rcode == .noError || message.rcode == .nxDomain
    }
  }
}

extension Verdict {
  static let noNameServer = Verdict(
    .localFault, phase: .dns,
    message: "no name server is configured: add a nameserver line to /etc/resolv.conf")
}
