// SPDX-License-Identifier: MIT

import Basics

/// Outcome of one transfer. A failing target is a value in here, never a thrown error.
package struct TransferReport: Sendable {
  package var outcome: TransferOutcome
  /// How long each part took.
  package var spans: TransferSpans { TransferSpans(times, failedIn: failure?.phase) }

  /// Of the final answer; nil when none arrived.
  package var statusCode: Int?
  /// `1.0`, `1.1` or `2`.
  package var httpVersion: String?
  /// Of the final answer.
  package var headerBlock = HeaderBlock()
  /// The part of the body that arrived, also when the transfer failed later; at most the request's limit.
  package var body: [UInt8] = []
  /// Bytes of a body that was read and not kept.
  package var drained = 0
  /// The protocol that the handshake agreed on: `h2` or `http/1.1`. `nil` for none.
  package var applicationProtocol: String?
  /// Failed in a way that a server has which does not speak the version it was offered.
  package var mayWantAnotherVersion = false
  /// The server refused the request over HTTP/2 and requires HTTP/1.1 for it (RFC 9113 section 7).
  package var requiresHTTP1 = false
  /// The body went on beyond the limit.
  package var truncated = false
  /// How the body is coded, until it is decoded.
  var codings: ContentCodings?
  /// Keeps the memory of the answer counted for as long as the report lives.
  var lease: MemoryLease?
  package var times = TransferTimes()
  /// The kernel's figures of the connection. `nil` where none was tried, or it is no TCP.
  package var tcp: TransportFacts?
  /// Facts of the handshake. `nil` where no certificate arrived.
  package var tls: TLSReport?

  package init(outcome: TransferOutcome) { self.outcome = outcome }

  package var failure: TransferFailure? {
    if case .failed(let failure) = outcome { failure } else { nil }
  }

  /// Whether a budget of this process kept it from an end of its own: it says nothing about the target.
  package var isHeldBack: Bool {
    switch failure?.kind {
    case .local(.memory), .local(.queue): true
    default: false
    }
  }

  /// Of the final answer, in order, as text: bytes that are no UTF-8 are replaced, nothing else is changed.
  package var headers: [HeaderField] {
    get { headerBlock.fields }
    set { headerBlock = HeaderBlock(newValue) }
  }

  /// The first header of that name, compared without regard to letter case.
  package func header(_ name: String) -> String? { headerBlock.first(name) }
}

package enum TransferOutcome: Hashable, Sendable {
  /// The request's goal was reached, whatever the status code.
  case complete
  case failed(TransferFailure)
}

/// Why a transfer did not reach its goal.
package struct TransferFailure: Hashable, Sendable {
  package var kind: TransferFailureKind
  /// How far it got.
  package var phase: TransferPhase
  /// The time ran out, whatever the kind is called.
  package var timedOut: Bool
  /// One line made from fixed words and numbers: no URL, no header, nothing the other side sent.
  package var message: String

  package init(
    _ kind: TransferFailureKind, phase: TransferPhase, message: String, timedOut: Bool = false
  ) {
    self.timedOut = timedOut || kind == .timeout
    self.kind = kind
    self.phase = phase
    self.message = message
  }
}

package enum TransferFailureKind: Hashable, Sendable {
  case connectRefused
  /// The network says that the host cannot be reached.
  case unreachable
  /// The other side reset the connection.
  case reset
  /// The other side ended the connection in order, but before the answer was complete.
  case closed
  /// The limit fell in the failure's phase.
  case timeout
  case tls(TLSFailureKind)
  /// Not an HTTP answer, or one that breaks its rules.
  case httpProtocol
  case headersTooLarge
  case bodyTooLarge
  /// The proxy cannot be reached, or it did not reach the target.
  case proxyConnect
  /// The proxy wants other credentials, or some, or a kind of login that is not supported.
  case proxyAuthentication
  /// This machine's fault: says nothing about the target.
  case local(LocalFault)
}

package enum TLSFailureKind: Hashable, Sendable {
  case certificate(CertificateProblem)
  /// No protocol version both sides accept.
  case protocolVersion
  /// The server insists on a client certificate.
  case clientCertificate
  case handshake
}

package enum LocalFault: Hashable, Sendable {
  /// The file of trusted certificates is missing or unreadable.
  case trustStore
  /// The request cannot be sent as it is: its URL, a header or an option was refused.
  case request
  /// A system call failed: no descriptor, no route, no free port, no memory, a local firewall.
  case system(errno: Int32)
  /// The address about to be dialled was not the pinned one.
  case addressMismatch
  /// The budget of memory for what is under way is spent.
  case memory
  /// Something of our own took too long.
  case busy
  /// It waited for a budget of its origin for as long as it may, and never began.
  case queue
  /// The library failed in a way that only this machine explains.
  case library(code: Int32)
}

/// The parts of a transfer, in order.
package enum TransferPhase: String, CaseIterable, Hashable, Sendable {
  case prepare, connect
  /// On the way to the target through a proxy, from the connection to it on.
  case proxy
  case tls, firstByte, transfer

  /// The step that was outstanding when the time was over; `nil`: the proxy's part.
  package var awaited: ConnectionWords.Part? {
    switch self {
    case .prepare, .connect: .connection
    case .proxy: nil
    case .tls: .handshake
    case .firstByte: .answer
    case .transfer: .rest
    }
  }
}
