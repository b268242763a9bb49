// SPDX-License-Identifier: MIT

import Basics
import Curl

/// Answer to a request of the agent's own.
package struct OutboundAnswer: Hashable, Sendable {
  package var status: Int
  package var headers: [HeaderField]
  package var body: [UInt8]

  package init(status: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// `nil` when no head arrived.
  init?(_ report: TransferReport) {
    guard let status = report.statusCode else { return nil }
    self.init(status: status, headers: report.headers, body: report.body)
  }

  /// Without the credentials of its request where it refuses them: words of a refusal are shown to people.
  func hiding(credentialsOf request: TransferRequest) -> OutboundAnswer {
    guard status >= 400, !body.isEmpty else { return self }
    let parts = request.headers.filter(\.isCredential).flatMap(\.secretParts)
    // A shorter text is found in any text.
    let words = SecretWords(parts.filter { $0.utf8.count >= 6 })
    guard !words.isEmpty, let hidden = words.hide(body) else { return self }
    return OutboundAnswer(status: status, headers: headers, body: hidden)
  }

  /// The first such header's value; the name in any case.
  package func header(_ name: String) -> String? { headers.first(name)?.reveal() }

  /// The body, if it is one JSON text of at most 64 levels.
  package var json: JSONValue? { try? JSONValue.parse(body, maxDepth: 64) }
}

/// Reason for a request without a whole answer, in words without secrets.
package struct OutboundFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A rule forbids it, and will forbid it later.
    case forbidden
    /// The name has no address.
    case unresolved
    /// No address accepted a connection.
    case unreachable
    /// The TLS handshake failed before the time was over.
    case handshake
    /// The connection stood, and brought no whole answer.
    case broken
  }

  package var kind: Kind
  package var message: String
  /// Endpoint that was dialled. `nil` when none was: the message then names the host.
  private var endpoint: Endpoint?
  package var isTimeout = false
  /// Head of an answer that broke off, with what came of its body. `nil` when there is none.
  package var head: OutboundAnswer?

  package init(_ kind: Kind, _ message: String, at endpoint: Endpoint? = nil) {
    (self.kind, self.message, self.endpoint) = (kind, message, endpoint)
  }

  init(_ failure: TransferFailure, at endpoint: Endpoint, _ head: OutboundAnswer?) {
    self.init(Kind(failure), failure.message, at: endpoint)
    (isTimeout, self.head) = (failure.timedOut, head)
  }

  /// The message with the place that it is about.
  package var words: String { endpoint.map { "\($0): \(message)" } ?? message }
}

extension OutboundFailure.Kind {
  fileprivate init(_ failure: TransferFailure) {
    switch failure.phase {
    case .connect: self = .unreachable
    case .tls where !failure.timedOut: self = .handshake
    default: self = .broken
    }
  }
}

extension Result where Success == OutboundAnswer, Failure == OutboundFailure {
  /// The answer, or the head of one that broke off.
  package var head: OutboundAnswer? {
    switch self {
    case .success(let answer): answer
    case .failure(let failure): failure.head
    }
  }
}
