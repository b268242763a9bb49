// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Whose turn it is to be asked: each of resolv.conf's servers, once. A turn stays open while the next ones begin, and the
/// question is repeated in it, so that no more sockets are open than there are servers. Pure.
struct ServerTurns {
  /// One query to one server.
  struct Turn: Hashable, Sendable {
    var number: Int
    var server: SocketAddress
    var started: Instant
    /// How long it has before the next one is asked too.
    var share: Duration
    /// The rest of the time of all when it begins.
    var limit: Duration
    var isLast: Bool
  }

  /// The first answer of the kind "I cannot"; without any, the last failure.
  private(set) var best: DNSReply?

  private var upcoming: ArraySlice<SocketAddress>
  private let timeout: Duration
  /// Time of all servers together, and the rest of it: only their own time counts.
  private let whole: Duration
  private var left: Duration
  /// Of the newest turn; zero: none began.
  private var newest = 0
  /// The newest turn's server had its time, or failed: the next one may begin.
  private var isDue = true
  /// Turns that have not ended.
  private var running = 0

  /// Nothing is under way, and no server is left to ask.
  var areOver: Bool { running == 0 && upcoming.isEmpty }

  init(
    _ servers: [SocketAddress], _ configuration: ResolverConfiguration, until deadline: Instant,
    from start: Instant
  ) {
    upcoming = servers[...]
    timeout = configuration.timeout
    // No later than a resolver that waits for one after the other gives up.
    whole = min(
      max(.zero, start.duration(to: deadline)), timeout * (configuration.attempts * servers.count))
    left = whole
  }

  /// The turn that begins now; nil: none does.
  mutating func next(at now: Instant) -> Turn? {
    guard isDue, let server = upcoming.popFirst() else { return nil }
    isDue = false
    (newest, running) = (newest + 1, running + 1)
    let share = min(timeout, left / (upcoming.count + 1))
    return Turn(
      number: newest, server: server, started: now, share: share, limit: left, isLast: upcoming.isEmpty)
  }

  /// The turn's share of the time is over. True if nothing came meanwhile.
  ///
  /// - Parameter held: for how long what comes has been waiting for our own thread.
  mutating func isOverdue(_ turn: Turn, held: Duration = .zero) -> Bool {
    guard turn.number == newest, !isDue else { return false }
    isDue = true
    left -= min(left, max(.zero, turn.share - held))
    return true
  }

  /// Time that the turn's server and those before it took: all that was left when it began is taken off.
  func counted(_ reply: DNSReply, of turn: Turn, since start: Instant) -> DNSReply {
    var reply = reply
    let spent = whole - turn.limit + reply.spent
    reply.elapsed += start.duration(to: turn.started)
    reply.held = max(.zero, reply.elapsed - spent)
    return reply
  }

  /// The turn's server cannot answer, or there is no way to ask it.
  ///
  /// - Parameter reply: as `counted`.
  mutating func ended(_ turn: Turn, with reply: DNSReply) {
    running -= 1
    if turn.number == newest, !isDue {
      isDue = true
      left = min(left, max(.zero, whole - reply.spent))
    }
    let elapsed = max(best?.elapsed ?? .zero, reply.elapsed)
    let spent = max(best?.spent ?? .zero, reply.spent)
    if best?.failure != nil || best == nil { best = reply }
    best?.elapsed = elapsed
    best?.held = elapsed - spent
  }
}
