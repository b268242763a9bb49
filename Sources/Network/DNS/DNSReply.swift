// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One name server's answer to one question.
package struct DNSReply: Sendable {
  package enum Content: Sendable {
    case message(DNSMessage)
    /// No usable answer, and why; the server's fault or ours.
    case failure(Verdict)
  }

  package var content: Content
  /// Transport of the content; `tcp` also where UDP was asked first.
  package var transport: DNSTransport
  /// The answer over UDP was cut, so the question went over TCP.
  package var truncated = false
  /// How long the question over UDP took whose answer was cut; part of `elapsed`.
  package var cutAfter = Duration.zero
  /// Datagrams that answered no question of ours.
  package var ignored = 0
  /// Of the TCP connection, where one was made.
  package var connect: Duration?
  /// The kernel's figures of the connection.
  package var tcp: TransportFacts?
  /// Of a server asked over TLS or HTTPS.
  package var secure: DNSSecureFacts?
  /// On the wire: connecting, asking, waiting. Our own waiting for a turn is not in it.
  package var elapsed: Duration
  /// The part of it for which this machine held the servers back, which counts against no server.
  package var held = Duration.zero
  /// The server that answered, where there was a choice.
  var server: SocketAddress?

  package init(
    content: Content, transport: DNSTransport, ignored: Int = 0, connect: Duration? = nil,
    tcp: TransportFacts? = nil, secure: DNSSecureFacts? = nil, elapsed: Duration, held: Duration = .zero
  ) {
    (self.content, self.transport, self.ignored) = (content, transport, ignored)
    (self.connect, self.tcp, self.secure) = (connect, tcp, secure)
    (self.elapsed, self.held) = (elapsed, held)
  }

  /// Its part of the attempt's time.
  package var spent: Duration { max(.zero, elapsed - held) }

  var message: DNSMessage? {
    if case .message(let message) = content { message } else { nil }
  }

  package var failure: Verdict? {
    if case .failure(let verdict) = content { verdict } else { nil }
  }
}

/// Facts of TLS and HTTP around an answer. A class, as most replies have none and all are passed from task to task.
package final class DNSSecureFacts: Sendable {
  /// `nil` where the handshake was not completed.
  package let handshake: Duration?
  package let tls: TLSFacts?
  package let statusCode: Int?
  package let httpVersion: String?

  package init(handshake: Duration?, tls: TLSFacts?, statusCode: Int? = nil, httpVersion: String? = nil) {
    self.handshake = handshake
    self.tls = tls
    self.statusCode = statusCode
    self.httpVersion = httpVersion
  }
}
