// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Curl
import Glibc
import Synchronization
import TestSupport
import Testing

/// Servers up to TLS 1.2 that learn from the path that they want a client certificate, and ask for it in another
/// handshake on the same connection, as Apache and IIS do.
@Suite struct RenegotiationTests {
  /// Each renegotiation that the server asked for (true: it got a certificate), and what became of the request.
  private func ask(times: Int, certificate: Bool) async throws -> (asked: [Bool], report: TransferReport) {
    try await withTemporaryDirectory { folder in
      let identity = try TestAuthority(in: folder).selfSigned("renegotiation")
      let ends = Renegotiations()
      let report = try await withLoopbackServer(script: { serve($0, identity, times, ends) }) { server in
        var asked = request(server.port, scheme: "https")
        asked.httpVersion = .http11
        asked.tls.verify = false
        if certificate {
          asked.tls.clientCertificate = identity.certificate
          asked.tls.clientKey = identity.key
        }
        return try await transfer(asked)
      }
      return (ends.list.withLock { $0 }, report)
    }
  }

  @Test func theFirstOneBringsTheCertificate() async throws {
    let (asked, report) = try await ask(times: 1, certificate: true)
    #expect(asked == [true])
    #expect(report.outcome == .complete)
    #expect(report.text == "ok")
  }

  @Test func aMissingCertificateIsNamed() async throws {
    let (asked, report) = try await ask(times: 1, certificate: false)
    #expect(asked == [false])
    #expect(
      report.failure
        == TransferFailure(
          .tls(.clientCertificate), phase: .tls,
          message: "the server ended tls with alert 40: handshake failure"))
  }

  @Test func aSecondOneIsRefused() async throws {
    let (asked, report) = try await ask(times: 2, certificate: true)
    #expect(asked == [true, false])
    #expect(report.failure?.phase == .tls)
    #expect(report.failure?.message == "the server ended tls with alert 40: handshake failure")
  }
}

private final class Renegotiations: Sendable {
  let list = Mutex<[Bool]>([])
}

private func serve(
  _ link: LoopbackConnection, _ identity: TestAuthority.Identity, _ times: Int, _ ends: Renegotiations
) {
  // What the client still sends is read: a reset would take our alert from it.
  defer {
    shutdown(link.descriptor, Int32(SHUT_WR))
    link.waitForEnd()
  }
  guard let server = TLSPeer(link, identity, newest: TLS1_2_VERSION), server.readRequest() else { return }
  for _ in 0..<times {
    let hasCertificate = server.renegotiate(link.descriptor)
    ends.list.withLock { $0.append(hasCertificate) }
    guard hasCertificate else { return }
  }
  _ = server.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
}

extension TLSPeer {
  /// False: the client is gone.
  fileprivate func readRequest() -> Bool {
    var seen: [UInt8] = []
    while !String(decoding: seen, as: UTF8.self).hasSuffix("\r\n\r\n") {
      var block = [UInt8](repeating: 0, count: 4096)
      let count = SSL_read(ssl, &block, Int32(block.count))
      guard count > 0 else { return false }
      seen += block.prefix(Int(count))
    }
    return true
  }

  /// Insists on a client certificate in another handshake. False: none came.
  fileprivate func renegotiate(_ descriptor: Int32) -> Bool {
    SSL_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT) { _, _ in 1 }
    // In a context of its own, or the first session would be resumed without a certificate.
    guard SSL_set_session_id_context(ssl, [1], 1) == 1, SSL_renegotiate(ssl) == 1, SSL_do_handshake(ssl) == 1
    else { return false }
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    defer { _ = fcntl(descriptor, F_SETFL, flags) }
    while SSL_renegotiate_pending(ssl) == 1 {
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&wanted, 1, -1)
      ERR_clear_error()
      // A look at no byte at all makes OpenSSL read the handshake.
      var none: UInt8 = 0
      let count = SSL_peek(ssl, &none, 0)
      guard SSL_renegotiate_pending(ssl) == 0 || SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ else {
        return false
      }
    }
    return SSL_get0_peer_certificate(ssl) != nil
  }
}
