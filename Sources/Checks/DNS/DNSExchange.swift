// SPDX-License-Identifier: MIT

import Monitoring

/// What one name server had to say to one question.
struct DNSReply: Sendable {
  enum Content: Sendable {
    case message(DNSMessage)
    /// No usable answer, and why; the server's fault or ours.
    case failure(Verdict)
  }

  var content: Content
  /// `udp` or `tcp`: what the content came by.
  var transport: String
  /// The answer over UDP was cut, so the question went over TCP.
  var truncated: Bool
  /// Of the TCP connection, where one was made.
  var connect: Duration?
  /// On the wire: connecting, asking, waiting. Our own waiting for a turn is not in it.
  var elapsed: Duration

  var failure: Verdict? {
    if case .failure(let verdict) = content { verdict } else { nil }
  }
}

/// Asks one server one question: UDP from a fresh port, TCP when the answer is cut.
struct DNSExchange: Sendable {
  let reactor: Reactor
  /// What a failure is put down to: `.dns` while a probe resolves a name, `.answer` when the answer is the probe.
  let phase: Phase
  /// What messages call the server; nil: by its address.
  var name: Endpoint?

  func ask(
    _ question: DNSQuestion, recursion: Bool, server: SocketAddress, until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> DNSReply {
    let patience = min(.seconds(2), ContinuousClock.now.duration(to: deadline) / 2)
    let dialogue = DNSDatagramDialogue(
      first: query(question, recursion), secondID: .random(in: 0...UInt16.max), patience: patience)
    let outcome = try await reactor.converse(dialogue, over: .udp, with: server, until: deadline)
    let report = outcome.report
    let ignored = outcome.dialogue.ignored
    guard let answer = outcome.dialogue.answer else {
      return DNSReply(
        content: .failure(failure(report, label(server), ignored)), transport: "udp", truncated: false,
        connect: nil,
        elapsed: report.elapsed)
    }
    // Only the header counts when it says that the rest is cut, wherever the cut went.
    if answer[2] & 0x02 != 0 {
      var reply = try await askOverTCP(query(question, recursion), server: server, until: deadline)
      reply.truncated = true
      reply.elapsed += report.elapsed
      return reply
    }
    return DNSReply(
      content: read(answer, label(server)), transport: "udp", truncated: false, connect: nil,
      elapsed: report.elapsed
    )
  }

  private func askOverTCP(
    _ query: DNSQuery, server: SocketAddress, until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> DNSReply {
    let outcome = try await reactor.converse(
      DNSStreamDialogue(query: query), over: .tcp, with: server, until: deadline)
    let report = outcome.report
    let content: DNSReply.Content =
      if let answer = outcome.dialogue.answer {
        read(answer, label(server))
      } else if outcome.dialogue.isMalformed {
        .failure(
          Verdict(.dnsMalformed, phase: phase, message: "\(label(server)) sent an impossible length over TCP")
        )
      } else {
        .failure(failure(report, label(server), outcome.dialogue.ignored))
      }
    return DNSReply(
      content: content, transport: "tcp", truncated: false,
      connect: report.connected.map { report.started.duration(to: $0) }, elapsed: report.elapsed)
  }

  /// A fresh id from the system's generator for each query.
  private func query(_ question: DNSQuestion, _ recursion: Bool) -> DNSQuery {
    DNSQuery(id: .random(in: 0...UInt16.max), question: question, recursion: recursion, edns: true)
  }

  private func label(_ server: SocketAddress) -> String { name?.description ?? server.description }

  private func read(_ answer: [UInt8], _ server: String) -> DNSReply.Content {
    do throws(DNSMalformed) {
      return .message(try DNSMessage(answer))
    } catch {
      return .failure(
        Verdict(.dnsMalformed, phase: phase, message: "\(server) sent a malformed answer: \(error)"))
    }
  }

  private func failure(_ report: FlowReport, _ server: String, _ ignored: Int) -> Verdict {
    switch report.end {
    case .timedOut, .done:
      if report.isOwnLateness { return .ownLateness(report, phase: phase) }
      let rest = ignored == 0 ? "" : "; \(ignored) packets that answered no question of ours were ignored"
      return Verdict(.dnsTimeout, phase: phase, message: "\(server) did not answer\(rest)")
    case .closed:
      return Verdict(
        .connectionClosed, phase: phase, message: "\(server) closed the connection before it had answered")
    case .failed(let code):
      return Verdict(errno: code, phase: report.connected == nil ? .connect : phase, peer: server)
    }
  }
}
