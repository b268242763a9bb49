// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Asks one server one question, from a fresh port each time: UDP, and TCP when the answer is cut; TCP; TLS; HTTPS.
package struct DNSClient: Sendable {
  package let reactor: Reactor
  /// The phase of a failure: `.dns` while a probe resolves a name, `.answer` when the answer is the probe.
  package let phase: Phase
  /// Name of the server in messages. `nil` for its address.
  var name: Endpoint?
  package var transport = DNSTransport.udp
  /// How long after the first query over UDP the second goes out; nil: half of the time, at most 2 s.
  var patience: Duration?
  /// How often the second query is sent again, each time after twice as long.
  var repetitions = 0
  /// Asks over dot and doh, which do not work without it.
  package var secured: Secured?

  /// One question over TLS or HTTPS, until a deadline.
  package typealias Secured =
    @Sendable (DNSClient, DNSQuery, SocketAddress, Instant) async throws(CancellationError) -> DNSReply

  package init(
    reactor: Reactor, phase: Phase, name: Endpoint? = nil, transport: DNSTransport = .udp,
    patience: Duration? = nil, repetitions: Int = 0
  ) {
    (self.reactor, self.phase, self.name) = (reactor, phase, name)
    (self.transport, self.patience, self.repetitions) = (transport, patience, repetitions)
  }

  package func ask(
    _ question: DNSQuestion, recursion: Bool, server: SocketAddress, until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    let query = Self.query(question, recursion: recursion)
    switch transport {
    case .udp: return try await askOverUDP(query, server, until: deadline)
    case .tcp: return try await askOverTCP(query, server, until: deadline)
    case .dot, .doh:
      guard let secured else { return .impossible(transport) }
      return try await secured(self, query, server, deadline)
    }
  }

  /// Cannot be guessed without seeing the query (RFC 5452 4).
  @Sendable private static func freshID() -> UInt16 {
    var generator = RandomPool()
    return UInt16(truncatingIfNeeded: generator.next())
  }

  package static func query(_ question: DNSQuestion, recursion: Bool) -> DNSQuery {
    DNSQuery(id: freshID(), question: question, recursion: recursion, edns: true)
  }

  package func askOverUDP(
    _ query: DNSQuery, _ server: SocketAddress, until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    // In microseconds: to divide a duration is much slower.
    var time = AttemptTime(until: deadline)
    let half = time.left.microseconds / 2
    let patience = min(.seconds(2), patience ?? .microseconds(half))
    let conversation = DNSDatagramConversation(
      first: query, patience: patience, repetitions: repetitions, freshID: Self.freshID)
    let outcome = try await reactor.converse(conversation, over: .udp, with: server, until: deadline)
    let report = outcome.report
    let ignored = outcome.conversation.ignored
    guard let answer = outcome.conversation.answer else {
      return DNSReply(
        content: .failure(failure(report, label(server), server.source, ignored)), transport: .udp,
        ignored: ignored,
        elapsed: report.elapsed, held: report.held)
    }
    // Only the header counts when it says that the rest is cut, wherever the cut went.
    if answer[2] & 0x02 != 0 {
      var again = query
      again.id = Self.freshID()
      time.spend(report.elapsed - report.held)
      var reply = try await askOverTCP(again, server, until: time.deadline)
      reply.truncated = true
      if case .failure(var verdict) = reply.content {
        let words = verdict.message ?? verdict.reason.rawValue
        verdict.message = "the answer over UDP was cut, and over TCP \(words)".printable(maxBytes: 256)
        reply.content = .failure(verdict)
      }
      reply.ignored += ignored
      reply.cutAfter = report.elapsed
      reply.elapsed += report.elapsed
      reply.held += report.held
      return reply
    }
    return DNSReply(
      content: read(answer, server), transport: .udp, ignored: ignored, elapsed: report.elapsed,
      held: report.held)
  }

  /// A server that does not understand EDNS is asked once more without, over another connection: it may end the first
  /// behind its answer. Without an answer to that, what it said counts.
  private func askOverTCP(
    _ query: DNSQuery, _ server: SocketAddress, until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    var time = AttemptTime(until: deadline)
    let first = try await askOnceOverTCP(query, server, until: deadline)
    time.spend(first.spent)
    guard query.edns, first.message?.refusesEDNS == true, time.left > .zero else { return first }
    var again = query
    (again.id, again.edns) = (Self.freshID(), false)
    let second = try await askOnceOverTCP(again, server, until: time.deadline)
    var reply = second.failure == nil ? second : first
    reply.ignored = first.ignored + second.ignored  // bounded: packets of two connections
    reply.elapsed = first.elapsed + second.elapsed
    reply.held = first.held + second.held
    return reply
  }

  private func askOnceOverTCP(
    _ query: DNSQuery, _ server: SocketAddress, until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    let outcome = try await reactor.converse(
      DNSStreamConversation(query: query), over: .tcp, with: server, until: deadline)
    let report = outcome.report
    return DNSReply(
      content: content(of: outcome.conversation, report, server), transport: .tcp,
      ignored: outcome.conversation.ignored,
      connect: report.connected.map { report.started.duration(to: $0) }, tcp: report.tcp,
      elapsed: report.elapsed,
      held: report.held)
  }

  package func content(
    of conversation: DNSStreamConversation, _ report: FlowReport, _ server: SocketAddress
  ) -> DNSReply.Content {
    let label = label(server)
    if let answer = conversation.answer {
      // A stream has room for all of it: what is missing cannot be asked for anywhere else.
      guard answer[2] & 0x02 == 0 else {
        let words = "\(label) sent an answer over TCP that says it is cut"
        return .failure(Verdict(.dnsMalformed, phase: phase, message: words))
      }
      return read(answer, server)
    }
    if conversation.isFlood {
      let words =
        "\(label) sent \(DNSStreamConversation.sizeLimit >> 10) KiB over TCP that answer no question of ours"
      return .failure(Verdict(.dnsMalformed, phase: phase, message: words))
    }
    if conversation.isMalformed {
      return .failure(
        Verdict(.dnsMalformed, phase: phase, message: "\(label) sent an impossible length over TCP"))
    }
    return .failure(failure(report, label, server.source, conversation.ignored))
  }

  package func label(_ server: SocketAddress) -> String { name?.description ?? server.description }

  package func read(_ answer: [UInt8], _ server: SocketAddress) -> DNSReply.Content {
    do throws(DNSMalformed) {
      return .message(try DNSMessage(answer))
    } catch {
      return .failure(
        Verdict(.dnsMalformed, phase: phase, message: "\(label(server)) sent a malformed answer: \(error)"))
    }
  }

  private func failure(
    _ report: FlowReport, _ server: String, _ source: IPAddress?, _ ignored: Int
  ) -> Verdict {
    let rest = ignored == 0 ? "" : "; \(ignored) packets that answered no question of ours were ignored"
    switch report.end {
    case .timedOut where report.connected == nil && transport != .udp:
      if report.isOwnLateness { return .ownLateness(report, phase: .connect) }
      return Verdict(
        .connectTimeout, phase: .connect,
        message: "\(server): \(ConnectionWords.overdue(.connection, "in time"))")
    case .timedOut, .done:
      if report.isOwnLateness { return .ownLateness(report, phase: phase) }
      return Verdict(.dnsTimeout, phase: phase, message: "\(server) did not answer\(rest)")
    case .closed:
      return Verdict(
        .connectionClosed, phase: phase, message: "\(server): \(ConnectionWords.closed())\(rest)")
    case .failed(let code):
      return Verdict(
        errno: code, phase: report.connected == nil ? .connect : phase, peer: server, source: source)
    }
  }
}

extension DNSReply {
  fileprivate static func impossible(_ transport: DNSTransport) -> DNSReply {
    let verdict = Verdict(
      .unsupported, phase: .prepare,
      message: "transport \(transport.rawValue) needs a server of the check's own")
    return DNSReply(content: .failure(verdict), transport: transport, elapsed: .zero)
  }
}
