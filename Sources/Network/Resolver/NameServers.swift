// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Which servers answer: decides whom to ask first and whether silence says anything about a name.
struct ServerHealth: Hashable, Sendable {
  private var lastAnswer: Instant?
  /// The file names 3 at most; the bound is for files that change all the time.
  private var silentAt = RecentMap<SocketAddress, Instant>(limit: 64)

  /// For this long a server that was silent is asked last, and silence of all of them is ours, not the name's.
  static let memory = Duration.seconds(30)

  mutating func answered(_ server: SocketAddress, at now: Instant) {
    lastAnswer = now
    silentAt.remove(server)
  }

  mutating func wasSilent(_ server: SocketAddress, at now: Instant) {
    silentAt.insert(now, for: server)
  }

  /// As the file orders them, those that were silent a moment ago last.
  func ordered(_ servers: [SocketAddress], at now: Instant) -> [SocketAddress] {
    let isSilent = { (server: SocketAddress) in
      silentAt[server].map { $0.duration(to: now) < Self.memory } ?? false
    }
    return servers.filter { !isSilent($0) } + servers.filter(isSilent)
  }

  /// True while nothing at all has been heard for 30 s.
  func isDeaf(at now: Instant) -> Bool {
    lastAnswer.map { $0.duration(to: now) > Self.memory } ?? true
  }
}

/// The machine's name servers, asked in turn.
final class NameServers: Sendable {
  private let reactor: Reactor
  private let time: TimeSource
  private let ownCause: LocalPath.Cause
  private let health = Mutex(ServerHealth())
  /// Questions so far, for `rotate`.
  private let turn = Mutex(0)

  init(reactor: Reactor, time: TimeSource, ownCause: @escaping LocalPath.Cause = LocalPath.cause) {
    (self.reactor, self.time, self.ownCause) = (reactor, time, ownCause)
  }

  /// Asks one server after the other until one has an answer that is not "I cannot": NOERROR or NXDOMAIN. The next one
  /// is asked when the one before has failed, or was silent for the file's `timeout` or its share of what is left; so a
  /// silent server never takes the time of the next one. No question is cancelled: an answer that comes late still
  /// counts.
  func ask(
    _ question: DNSQuestion, recursion: Bool = true, by configuration: ResolverConfiguration,
    over transport: DNSTransport = .udp, phase: Phase, until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    let began = time.instant()
    var turns = ServerTurns(
      health.withLock { $0.ordered(order(configuration), at: began) }, configuration, until: deadline,
      from: began)
    let query = Query(
      question: question, recursion: recursion, transport: transport, phase: phase,
      repetitions: configuration.attempts)
    let reply = await withTaskGroup(of: Event.self) { group in
      while true {
        while let turn = turns.next(at: time.instant()) { start(turn, query, in: &group) }
        guard !turns.areOver, let event = await group.next() else {
          group.cancelAll()
          return turns.best
        }
        switch event {
        case .cancelled: return DNSReply?.none
        case .overdue(let turn):
          // What came may be waiting for the reactor's thread, which is with others.
          if turns.isOverdue(turn, held: reactor.turnAge()) {
            health.withLock { $0.wasSilent(turn.server, at: time.instant()) }
          }
        case .reply(let turn, let heard):
          var reply = turns.counted(heard, of: turn, since: began)
          reply.server = turn.server
          if note(reply, from: turn.server) {
            group.cancelAll()
            return reply
          }
          turns.ended(turn, with: reply)
        }
      }
    }
    if Task.isCancelled { throw CancellationError() }
    return reply?.onOwnPath(to: configuration.servers, ownCause)
      ?? DNSReply(content: .failure(.noNameServer), transport: transport, elapsed: .zero)
  }

  /// As the file orders them; with `rotate` beginning with the next one each time.
  func order(_ configuration: ResolverConfiguration) -> [SocketAddress] {
    let servers = configuration.servers
    guard configuration.rotates, servers.count > 1 else { return servers }
    let first = turn.withLock { turn in
      defer { turn = (turn + 1) % servers.count }
      return turn % servers.count
    }
    return Array(servers[first...] + servers[..<first])
  }

  /// The question, and how it is asked.
  private struct Query {
    var question: DNSQuestion
    var recursion: Bool
    var transport: DNSTransport
    var phase: Phase
    var repetitions: Int
  }

  private enum Event: Sendable {
    case reply(ServerTurns.Turn, DNSReply)
    /// It had its share of the time.
    case overdue(ServerTurns.Turn)
    case cancelled
  }

  private func start(_ turn: ServerTurns.Turn, _ query: Query, in group: inout TaskGroup<Event>) {
    let client = DNSClient(
      reactor: reactor, phase: query.phase, transport: query.transport, patience: turn.share / 2,
      repetitions: query.repetitions)
    group.addTask { [time, question = query.question, recursion = query.recursion] in
      let reply = try? await client.ask(
        question, recursion: recursion, server: turn.server, until: time.instant() + turn.limit)
      return reply.map { .reply(turn, $0) } ?? .cancelled
    }
    guard !turn.isLast else { return }
    group.addTask { [time] in
      do {
        try await time.sleep(until: turn.started + turn.share)
        return .overdue(turn)
      } catch { return .cancelled }
    }
  }

  var isDeaf: Bool { health.withLock { $0.isDeaf(at: time.instant()) } }

  /// True when the reply settles the question.
  private func note(_ reply: DNSReply, from server: SocketAddress) -> Bool {
    switch reply.content {
    case .failure(let verdict):
      let isSilence = verdict.reason != .dnsMalformed
      let now = time.instant()
      health.withLock { isSilence ? $0.wasSilent(server, at: now) : $0.answered(server, at: now) }
      return false
    case .message(let message):
      health.withLock { $0.answered(server, at: time.instant()) }
      return (message.rcode == .noError || message.rcode == .nxDomain) && !message.isReferral
    }
  }
}

extension DNSReply {
  /// While this machine's own link or gateway is gone, silence says nothing about the name or its servers. All servers that
  /// it has a route for must lie behind it.
  package func onOwnPath(to servers: [SocketAddress], _ cause: LocalPath.Cause) -> DNSReply {
    guard let failure, LocalPath.silence.contains(failure.reason) else { return self }
    let causes = servers.filter(\.hasRoute).map { cause(failure.reason, $0.address) }
    guard let first = causes.first, let words = first, !causes.contains(nil) else { return self }
    var reply = self
    reply.content = .failure(Verdict(.localFault, phase: failure.phase, message: words))
    return reply
  }
}

extension Verdict {
  /// A name server on this machine did not answer, which was asked because the file names none.
  var withoutServerLine: Verdict {
    guard reason == .localFault || reason == .dnsTimeout else { return self }
    let words = "/etc/resolv.conf has no nameserver line, so 127.0.0.1 and ::1 were asked"
    return with(message: message.map { "\($0); \(words)" } ?? words)
  }

  static let noNameServer = Verdict(
    .localFault, phase: .dns,
    message: "no name server is configured: add a nameserver line to /etc/resolv.conf")
}
