// SPDX-License-Identifier: MIT

import Glibc

/// The system's words for an errno.
package func errorText(_ code: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
  return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Why a connection failed: the same words for the same cause, whatever was asked over it. They follow the name of the
/// other side and a colon.
package enum ConnectionWords {
  /// Of an errno, such as `connection refused`.
  package static func failed(_ code: Int32) -> String {
    switch code {
    // A write after the reset, and one that came between two calls.
    case ECONNRESET, EPIPE, ECONNABORTED: errorText(ECONNRESET).lowercased()
    case ENOANO: prohibited
    default: errorText(code).lowercased()
    }
  }

  /// ICMPv6's code of that name, and ICMP with the codes 9, 10 and 13.
  package static let prohibited = "administratively prohibited by a firewall on the way"

  /// Part of an attempt that had no end when the time was over.
  package enum Part: Sendable {
    case connection, handshake, answer
    /// The answer to a request that a proxy passes on.
    case relayedAnswer
    case rest
  }

  /// - Parameter limit: `within the timeout of 5s`, where it is known.
  package static func overdue(_ part: Part, _ limit: String = "within the time limit") -> String {
    switch part {
    case .connection: "no connection \(limit)"
    case .handshake: "connected, but the tls handshake did not end \(limit)"
    case .answer: "connected, but no answer came \(limit)"
    case .relayedAnswer: "no answer came \(limit)"
    case .rest: "the answer did not end \(limit)"
    }
  }

  /// The other side ended the connection in order, and was not done.
  package static func closed(inHandshake: Bool = false) -> String {
    "the server closed the connection "
      + (inHandshake ? "in the tls handshake" : "before its answer was complete")
  }
}
