// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Curl
import Monitoring

/// OpenSSL's side of one connection, between two memory buffers: what came from the socket goes in, what is to be
/// sent comes out. Nothing in here waits or touches a descriptor.
///
/// Belongs to one thread at a time; `TLSSession` sees to that.
final class TLSMachine {
  enum State: Hashable {
    case idle, handshaking, established
    /// The other side said its farewell.
    case closed
    case failed
  }

  let judge: HandshakeJudge
  private(set) var state = State.idle
  private let context: OpaquePointer
  private let connection: OpaquePointer
  /// Both belong to `connection`.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer

  /// - Parameter host: the name or address literal that the certificate must be for, sent as SNI if it is a name,
  ///   unless `options` names another.
  init(
    host: String, options: TLSOptions, store: CertificateStore, for origin: WorkOrigin
  ) throws(TLSUnavailable) {
    judge = HandshakeJudge(host: host, options: options, store: store, for: origin)
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw TLSUnavailable("openssl gives no context")
    }
    let isConfigured = judge.configure(context)
    // What is written while another handshake runs would have to be kept.
    quartz_ssl_refuse_renegotiation(context)
    guard isConfigured, let connection = SSL_new(context) else {
      SSL_CTX_free(context)
      throw TLSUnavailable(judge.fault ?? "openssl refused its settings")
    }
    guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
      SSL_free(connection)
      SSL_CTX_free(context)
      throw TLSUnavailable("openssl gives no buffer")
    }
    SSL_set_bio(connection, incoming, outgoing)
    SSL_set_connect_state(connection)
    // Another name than the host's is set by the judge. An address is no server name (RFC 6066 section 3).
    if options.serverName == nil, IPAddress(host) == nil {
      _ = quartz_ssl_set_server_name(connection, host.hasSuffix(".") ? String(host.dropLast()) : host)
    }
    (self.context, self.connection, self.incoming, self.outgoing) = (context, connection, incoming, outgoing)
  }

  deinit {
    SSL_free(connection)
    SSL_CTX_free(context)
  }

  /// Makes the first message of the handshake.
  func start() {
    guard state == .idle else { return }
    state = .handshaking
    handshake()
  }

  /// Takes what came from the socket.
  func feed(_ bytes: ArraySlice<UInt8>) {
    let taken = bytes.withUnsafeBufferPointer { BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
    guard taken == bytes.count else { return state = .failed }
    if state == .handshaking { handshake() }
  }

  /// The next plain bytes, at most a record's worth (16 KiB); empty: none yet, or the state has changed.
  func readPlain() -> [UInt8] {
    guard state == .established else { return [] }
    var plain = [UInt8](repeating: 0, count: 16_384)
    ERR_clear_error()
    let count = SSL_read(connection, &plain, Int32(plain.count))
    if count > 0 {
      plain.removeLast(plain.count - Int(count))
      return plain
    }
    note(count, ending: .closed)
    return []
  }

  func write(_ plain: [UInt8]) {
    guard state == .established, !plain.isEmpty else { return }
    ERR_clear_error()
    let count = SSL_write(connection, plain, Int32(plain.count))
    if count <= 0 { note(count, ending: .failed) }
  }

  /// Says farewell; the other side's is not waited for.
  func close() {
    guard state == .established else { return }
    ERR_clear_error()
    _ = SSL_shutdown(connection)
    ERR_clear_error()
  }

  /// Takes the bytes to be sent.
  func takeOutgoing() -> [UInt8] {
    let count = quartz_bio_pending(outgoing)
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let taken = quartz_bio_read(outgoing, &bytes, Int32(bytes.count))
    bytes.removeLast(bytes.count - max(0, Int(taken)))
    return bytes
  }

  private func handshake() {
    ERR_clear_error()
    let result = SSL_do_handshake(connection)
    if result == 1 { return state = .established }
    note(result, ending: .failed)
  }

  /// - Parameter ending: what the end of the stream means.
  private func note(_ result: Int32, ending: State) {
    switch SSL_get_error(connection, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
    case SSL_ERROR_ZERO_RETURN: state = ending
    default: state = .failed
    }
    ERR_clear_error()
  }
}

/// No handshake can be made, for a reason of this machine's: the trusted certificates, the client certificate, memory.
package struct TLSUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
