// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Curl
import Foundation
import Glibc
import TestSupport
import Testing

/// Servers that send at full speed what holds nothing of an answer.
struct Flood: Sendable, CustomTestStringConvertible {
  let name: String
  var scheme = "http"
  var version = HTTPVersionPreference.auto
  var isProxy = false
  /// The server's certificate and key, where it makes a handshake.
  let script: @Sendable (LoopbackConnection, TestAuthority.Identity) -> Void

  var testDescription: String { name }

  func request(_ port: UInt16, timeout: Duration) -> TransferRequest {
    var asked = CurlTests.request(port, scheme: scheme, timeout: timeout)
    asked.tls.verify = false
    asked.httpVersion = version
    if isProxy {
      asked.proxy = ProxySettings(scheme: .http, endpoint: Endpoint(host: "proxy.test", port: 3128))
    }
    return asked
  }

  /// Serves it until the body returns.
  func serve<Value>(
    _ identity: TestAuthority.Identity, _ body: (LoopbackServer) async throws -> Value
  ) async throws -> Value {
    try await withLoopbackServer(script: { script($0, identity) }, body)
  }
}

extension Flood {
  /// Of every kind that libcurl or OpenSSL reads on for inside one call, and of their neighbours.
  static let all: [Flood] = clearTLS + overTLS + http1 + http2

  /// One for each place that reads them.
  static let few: [Flood] = all.filter { few in
    [
      "hello requests", "empty records", "key updates", "priorities over tls", "interim answers",
      "a chunk's extension", "trailers", "the chunks of a proxy's refusal", "priorities",
      "data that is padding",
      "settings", "headers without end", "interim answers over http/2",
    ].contains(few.name)
  }
}

// MARK: TLS without a certificate

extension Flood {
  /// Once the hello came, the same bytes for ever.
  private static func records(_ name: String, _ record: [UInt8]) -> Flood {
    Flood(name: name, scheme: "https") { link, _ in
      _ = link.read()
      link.repeatForEver(record)
    }
  }

  static let clearTLS: [Flood] = [
    records("hello requests", [22, 3, 3, 0, 4, 0, 0, 0, 0]),
    records("hello requests in large records", [22, 3, 3, 0x40, 0] + [UInt8](repeating: 0, count: 0x4000)),
    records("empty records", [22, 3, 3, 0, 0]),
    records("warnings", [21, 3, 3, 0, 2, 1, 100]),
    records("a change of ciphers without end", [20, 3, 3, 0, 1, 1]),
  ]
}

// MARK: TLS

extension Flood {
  /// After the handshake, and before anything of HTTP.
  private static func session(
    _ name: String, newest: Int32 = TLS1_3_VERSION, _ talk: @escaping @Sendable (OpaquePointer) -> Bool
  ) -> Flood {
    Flood(name: name, scheme: "https", version: .http11) { link, identity in
      guard let server = TLSPeer(link, identity, newest: newest) else { return }
      while talk(server.ssl) {}
    }
  }

  static let overTLS: [Flood] = [
    session("hello requests behind the handshake", newest: TLS1_2_VERSION) {
      SSL_renegotiate($0) == 1 && SSL_do_handshake($0) == 1
    },
    session("key updates") {
      SSL_key_update($0, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake($0) == 1
    },
    session("session tickets") { SSL_new_session_ticket($0) == 1 && SSL_do_handshake($0) == 1 },
    Flood(name: "priorities over tls", scheme: "https") { link, identity in
      guard let server = TLSPeer(link, identity, newest: TLS1_3_VERSION) else { return }
      let block = repeated(frame(2, 0, 3, [0, 0, 0, 0, 16]), upTo: 16_384)
      guard server.write(frame(4, 0, 0, [])) else { return }
      while server.write(block) {}
    },
  ]
}

// MARK: HTTP/1

extension Flood {
  private static func answer(_ name: String, _ head: String, _ rest: String, isProxy: Bool = false) -> Flood {
    Flood(name: name, scheme: isProxy ? "https" : "http", version: .http11, isProxy: isProxy) { link, _ in
      link.read(until: "\r\n\r\n")
      link.write(head)
      link.repeatForEver(Array(rest.utf8))
    }
  }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let http1: [Flood] = [
    answer("interim answers", "", "HTTP/1.1 103 Early Hints\r\n\r\n"),
    answer("a chunk's extension", chunked + "1;a=", "aaaaaaaaaaaaaaaa"),
    answer("blanks behind a chunk's length", chunked + "1", "                "),
    answer("zeros of a chunk's length", chunked, "0000000000000000"),
    answer("trailers", chunked + "0\r\n", "A: b\r\n"),
    answer("line ends before the answer", "", "\r\n"),
    answer("blanks before the answer", "", "                "),
    answer("a status line without end", "HTTP/1.1 200 ", "aaaaaaaaaaaaaaaa"),
    answer("a proxy's interim answers", "", "HTTP/1.1 100 Continue\r\n\r\n", isProxy: true),
    answer(
      "the body of a proxy's refusal", "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 99999999999\r\n\r\n",
      "aaaaaaaaaaaaaaaa", isProxy: true),
    answer(
      "the chunks of a proxy's refusal",
      "HTTP/1.1 502 Bad Gateway\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n", isProxy: true),
  ]
}

// MARK: HTTP/2 in clear text

extension Flood {
  /// RFC 9113 section 4.1.
  static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff), type, flags, 0, 0, 0, stream] + payload
  }

  static func repeated(_ bytes: [UInt8], upTo count: Int) -> [UInt8] {
    Array(Array(repeating: bytes, count: max(1, count / bytes.count)).joined())
  }

  private static func frames(_ name: String, after first: [UInt8] = [], _ again: [UInt8]) -> Flood {
    Flood(name: name, version: .http2) { link, _ in
      _ = link.read()
      link.write(frame(4, 0, 0, []) + first)
      link.repeatForEver(again)
    }
  }

  /// `:status: 200` (RFC 7541 appendix A, entry 8), which ends the headers.
  private static let ok = frame(1, 4, 1, [0x88])

  static let http2: [Flood] = [
    frames("priorities", frame(2, 0, 3, [0, 0, 0, 0, 16])),
    frames("data without a byte", after: ok, frame(0, 0, 1, [])),
    frames("data that is padding", after: ok, frame(0, 8, 1, [9] + [UInt8](repeating: 0, count: 9))),
    frames("farewells", frame(7, 0, 0, [0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])),
    frames("settings", frame(4, 0, 0, [])),
    frames("pings", frame(6, 0, 0, [UInt8](repeating: 1, count: 8))),
    frames("answers to pings", frame(6, 1, 0, [UInt8](repeating: 1, count: 8))),
    frames("windows", frame(8, 0, 0, [0, 0, 0, 1])),
    frames("unknown frames", frame(0x55, 0, 0, [1, 2, 3])),
    frames("resets of other streams", frame(3, 0, 3, [0, 0, 0, 8])),
    frames("headers without end", after: frame(1, 0, 1, [0x88]), frame(9, 0, 1, [])),
    frames("interim answers over http/2", frame(1, 4, 1, [0x08, 3, 0x31, 0x30, 0x33])),
  ]
}

extension LoopbackConnection {
  /// Until the other side is gone.
  func repeatForEver(_ bytes: [UInt8]) {
    let block = Flood.repeated(bytes, upTo: 262_144)
    while write(block) {}
  }
}

/// The server's end of a TLS connection, on the script's thread.
final class TLSPeer {
  let ssl: OpaquePointer
  private let context: OpaquePointer

  /// `nil` when the handshake failed.
  init?(_ link: LoopbackConnection, _ identity: TestAuthority.Identity, newest: Int32) {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
    self.context = context
    guard quartz_ssl_set_max_version(context, newest) == 1,
      SSL_CTX_use_certificate_chain_file(context, identity.certificate) == 1,
      SSL_CTX_use_PrivateKey_file(context, identity.key, SSL_FILETYPE_PEM) == 1,
      let ssl = SSL_new(context)
    else {
      SSL_CTX_free(context)
      return nil
    }
    self.ssl = ssl
    SSL_CTX_set_alpn_select_cb(context, chooseFirst, nil)
    SSL_set_fd(ssl, link.descriptor)
    guard SSL_accept(ssl) == 1 else { return nil }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  func write(_ bytes: [UInt8]) -> Bool { SSL_write(ssl, bytes, Int32(bytes.count)) > 0 }
}

/// What the client likes best, which is HTTP/2 where it offers it.
private func chooseFirst(
  _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let offered, count > 1 else { return SSL_TLSEXT_ERR_NOACK }
  chosen?.pointee = offered + 1
  length?.pointee = offered[0]
  return SSL_TLSEXT_ERR_OK
}
