// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Parts that a question over TLS or HTTPS needs besides the reactor. A class: a check is too much to copy for each
/// question.
final class DNSSecured: Sendable {
  let engine: CurlEngine
  let options: TLSOptions
  /// As the check names it: what the certificate must be for, and whom HTTP requests are addressed to.
  let endpoint: Endpoint
  let time: TimeSource
  let origin: WorkOrigin

  var check: MonitoringCheck { attempt.check }
  private let attempt: Attempt

  init(engine: CurlEngine, attempt: Attempt, options: TLSOptions, endpoint: Endpoint, time: TimeSource) {
    self.engine = engine
    self.attempt = attempt
    origin = attempt.origin(of: endpoint.host)
    self.options = options
    self.endpoint = endpoint
    self.time = time
  }
}

extension DNSClient {
  /// By the client's transport, which is one of the two.
  func ask(
    _ query: DNSQuery, _ server: SocketAddress, _ secured: DNSSecured, until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    transport == .dot
      ? try await askOverTLS(query, server, secured, until: deadline)
      : try await askOverHTTPS(query, server, secured, until: deadline)
  }

  /// RFC 7858: the stream of DNS over TCP inside TLS, with the certificate judged as for any other check.
  private func askOverTLS(
    _ query: DNSQuery, _ server: SocketAddress, _ secured: DNSSecured, until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    let client = TLSClient(trust: secured.engine.trust)
    let session: TLSSession
    do {
      session = try await client.session(
        host: secured.endpoint.host, options: secured.options, for: secured.origin)
    } catch {
      let verdict = Verdict(.localFault, phase: .prepare, message: "\(error)")
      return DNSReply(content: .failure(verdict), transport: .dot, elapsed: .zero)
    }
    let conversation = TLSConversation(DNSStreamConversation(query: query), over: session)
    let outcome = try await reactor.converse(conversation, over: .tcp, with: server, until: deadline)
    let (report, summary) = (outcome.report, session.summary)
    var reply = DNSReply(
      content: content(of: outcome.conversation.inner, report, server), transport: .dot,
      ignored: outcome.conversation.inner.ignored,
      connect: report.connected.map { report.started.duration(to: $0) }, tcp: report.tcp,
      secure: DNSSecureFacts(
        handshake: summary.elapsed, tls: summary.report.map { TLSFacts($0, now: secured.time.wall()) }),
      elapsed: report.elapsed, held: report.held)
    if outcome.conversation.inner.answer == nil, !outcome.conversation.inner.isMalformed {
      if let failure = handshakeFailure(summary, report, server, secured) {
        reply.content = .failure(failure)
      } else if summary.isClosed {
        let words = "\(label(server)): \(ConnectionWords.closed())"
        reply.content = .failure(Verdict(.connectionClosed, phase: phase, message: words))
      }
    }
    return reply
  }

  /// The handshake's failure, for an answer that never came. `nil` where it was not to blame.
  private func handshakeFailure(
    _ summary: TLSSummary, _ report: FlowReport, _ server: SocketAddress, _ secured: DNSSecured
  ) -> Verdict? {
    let label = label(server)
    if let failure = summary.failure {
      let phase = summary.done == nil ? Phase.tls : phase
      return Verdict(Reason(failure), phase: phase, message: "\(label): \(failure.message)")
    }
    guard report.connected != nil, summary.done == nil else { return nil }
    switch report.end {
    case .timedOut where report.isOwnLateness: return .ownLateness(report, phase: .tls)
    case .timedOut:
      let limit = "within \(secured.check.timeout.limitText)"
      return Verdict(
        .tlsTimeout, phase: .tls, message: "\(label): \(ConnectionWords.overdue(.handshake, limit))")
    case .closed, .done:
      return Verdict(
        .connectionClosed, phase: .tls, message: "\(label): \(ConnectionWords.closed(inHandshake: true))")
    case .failed(let code): return Verdict(errno: code, phase: .tls, peer: label)
    }
  }

  /// RFC 8484: POST to `/dns-query`, with the id 0 that lets caches share answers (4.1).
  private func askOverHTTPS(
    _ query: DNSQuery, _ server: SocketAddress, _ secured: DNSSecured, until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    var query = query
    query.id = 0
    let type = Self.mediaType
    var request = TransferRequest(
      url: "https://\(secured.endpoint)/dns-query", goal: .body(limit: Int(UInt16.max)), method: "POST",
      headers: [HeaderField("Content-Type", type), HeaderField("Accept", type)])
    request.body = query.bytes
    request.tls = secured.options
    request.origin = secured.origin
    let transfer = PinnedTransfer(engine: secured.engine, reactor: reactor)
    let dialled = try await transfer.performAsNegotiated(request, to: [server], until: deadline)
    let timings = dialled.timings
    return DNSReply(
      content: content(of: dialled, query, secured), transport: .doh, connect: timings.connect,
      tcp: dialled.report.tcp,
      secure: DNSSecureFacts(
        handshake: timings.tls, tls: dialled.report.tls.map { TLSFacts($0, now: secured.time.wall()) },
        statusCode: dialled.report.statusCode, httpVersion: dialled.report.httpVersion),
      elapsed: dialled.elapsed, held: max(.zero, dialled.elapsed - dialled.spent))
  }

  private static let mediaType = "application/dns-message"

  private func content(
    of dialled: DialledTransfer, _ query: DNSQuery, _ secured: DNSSecured
  ) -> DNSReply.Content {
    if let failure = dialled.report.failure {
      return .failure(Verdict(failure, of: dialled, at: secured.endpoint, for: secured.check))
    }
    return content(of: dialled.report, dialled.peer, query)
  }

  /// Of a whole answer over HTTPS.
  func content(of report: TransferReport, _ peer: SocketAddress, _ query: DNSQuery) -> DNSReply.Content {
    let label = label(peer)
    guard let status = report.statusCode, (200...299).contains(status) else {
      let code = report.statusCode.map(String.init) ?? "no status"
      return .failure(
        Verdict(.httpStatus, phase: phase, message: "\(label) answered HTTP \(code), not with a DNS message"))
    }
    let type = report.header("content-type") ?? ""
    guard type.prefix(while: { $0 != ";" && $0 != " " }).lowercased() == Self.mediaType else {
      let words = type.isEmpty ? "without a content type" : "with another content type"
      return .failure(
        Verdict(
          .httpProtocol, phase: phase, message: "\(label) answered \(words), not with \(Self.mediaType)"))
    }
    guard query.accepts(report.body[...]) else {
      return .failure(
        Verdict(.dnsMalformed, phase: phase, message: "\(label) sent no answer to the question by HTTPS"))
    }
    guard report.body[2] & 0x02 == 0 else {
      let words = "\(label) sent an answer by HTTPS that says it is cut"
      return .failure(Verdict(.dnsMalformed, phase: phase, message: words))
    }
    return read(report.body, peer)
  }
}
