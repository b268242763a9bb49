// SPDX-License-Identifier: MIT

import Basics
import COpenSSL

/// Counts the TLS records and messages of one connection that carry no data: hello requests, session tickets, key
/// updates, alerts. OpenSSL goes on reading for as long as they come, inside one call, so a server that sends them
/// without end would hold the thread for good. Pure.
struct RecordBudget {
  /// A handshake has a dozen, in small records a few hundred (RFC 8449: at least 64 bytes of plain text each).
  static let limit = 1500

  private var count = 0

  /// False: there were too many.
  ///
  /// - Parameters:
  ///   - content: the kind as OpenSSL's message callback has it (SSL_CTX_set_msg_callback(3ssl)).
  ///   - first: the first byte of what it shows: the record's type in a header, TLS 1.3's type inside.
  mutating func take(content: Int32, first: UInt8?) -> Bool {
    switch content {
    case SSL3_RT_HEADER, SSL3_RT_INNER_CONTENT_TYPE:
      if first == UInt8(SSL3_RT_APPLICATION_DATA) { return count <= Self.limit }
    case SSL3_RT_HANDSHAKE, SSL3_RT_ALERT, SSL3_RT_CHANGE_CIPHER_SPEC: break
    default: return count <= Self.limit
    }
    count += 1
    return count <= Self.limit
  }
}

/// OpenSSL's callback for everything that is read and written.
func noteRecord(
  _ isWritten: Int32, _ version: Int32, _ content: Int32, _ bytes: UnsafeRawPointer?, _ count: Int,
  _ ssl: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
) {
  guard isWritten == 0, let ssl, let judge = judge(of: ssl) else { return }
  let first = count > 0 ? bytes?.load(as: UInt8.self) : nil
  guard !judge.takeRecord(content: content, first: first) else { return }
  // From here on OpenSSL throws away what it reads, and the call that reads ends.
  SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN)
}
