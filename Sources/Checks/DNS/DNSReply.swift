// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One name server's answer to one question.
struct DNSReply: Sendable {
  enum Content: Sendable {
    case message(DNSMessage)
    /// No usable answer, and why; the server's fault or ours.
    case failure(Verdict)
  }

  var content: Content
  /// Transport of the content; `tcp` also where UDP was asked first.
  var transport: DNSTransport
  /// The answer over UDP was cut, so the question went over TCP.
  var truncated = false
  /// How long the question over UDP took whose answer was cut; part of `elapsed`.
  var cutAfter = Duration.zero
  /// Datagrams that answered no question of ours.
  var ignored = 0
  /// Of the TCP connection, where one was made.
  var connect: Duration?
  /// The kernel's figures of the connection.
  var tcp: TransportFacts?
  /// Of a server asked over TLS or HTTPS.
  var secure: DNSSecureFacts?
  /// On the wire: connecting, asking, waiting. Our own waiting for a turn is not in it.
  var elapsed: Duration
  /// The part of it for which this machine held the servers back, which counts against no server.
  var held = Duration.zero
  /// The server that answered, where there was a choice.
  var server: SocketAddress?

  /// Its part of the attempt's time.
  var spent: Duration { max(.zero, elapsed - held) }

  var message: DNSMessage? {
    if case .message(let message) = content { message } else { nil }
  }

  var failure: Verdict? {
    if case .failure(let verdict) = content { verdict } else { nil }
  }
}

/// Facts of TLS and HTTP around an answer. A class, as most replies have none and all are passed from task to task.
final class DNSSecureFacts: Sendable {
  /// `nil` where the handshake was not completed.
  let handshake: Duration?
  let tls: TLSFacts?
  let statusCode: Int?
  let httpVersion: String?

  init(handshake: Duration?, tls: TLSFacts?, statusCode: Int? = nil, httpVersion: String? = nil) {
    self.handshake = handshake
    self.tls = tls
    self.statusCode = statusCode
    self.httpVersion = httpVersion
  }
}
