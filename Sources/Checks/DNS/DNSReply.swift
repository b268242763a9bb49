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
  /// What the content came by; `tcp` also where UDP was asked first.
  var transport: DNSTransport
  /// The answer over UDP was cut, so the question went over TCP.
  var truncated = false
  /// What came and answered no question of ours.
  var ignored = 0
  /// Of the TCP connection, where one was made.
  var connect: Duration?
  /// Of the handshake, where one was completed.
  var handshake: Duration?
  var tls: TLSFacts?
  /// Of a DNS answer by HTTPS.
  var statusCode: Int?
  var httpVersion: String?
  /// On the wire: connecting, asking, waiting. Our own waiting for a turn is not in it.
  var elapsed: Duration

  var failure: Verdict? {
    if case .failure(let verdict) = content { verdict } else { nil }
  }
}
