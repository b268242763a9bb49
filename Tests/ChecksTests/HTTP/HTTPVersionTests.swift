// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import TestSupport
import Testing

/// The HTTP versions a check may insist on, and HTTP/2 servers that mean harm.
@Suite(.timeLimit(.minutes(2))) struct HTTPVersionTests {
  private func probe(
    _ url: String, _ version: String, ca: String? = nil, expecting condition: String? = nil
  ) async throws -> ProbeOutcome {
    try await ProbeBench().http(
      try httpCheck(url) {
        $0.httpVersion = version
        $0.tls.caFile = ca
        $0.http.expect.bodyContains = ["HTTP/"]
        $0.expect.httpVersion = condition
      })
  }

  @Test(
    arguments: [
      ("auto", true, "2"), ("auto", false, "1.1"), ("1.0", true, "1.1"), ("1.1", true, "1.1"),
      ("2", true, "2"),
    ])
  func theVersionOverTLS(version: String, http2: Bool, answered: String) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(
        ["location / { return 200 '$server_protocol'; }"], identity: try authority.issue("good"), http2: http2
      )
      try await withNginx(in: folder, [site]) { ports in
        let outcome = try await probe(
          "https://good.test:\(ports[0])/", version, ca: authority.rootFile, expecting: answered)
        #expect(outcome.verdict == .ok && outcome.httpVersion == answered, "\(outcome.verdict)")
      }
    }
  }

  /// libcurl cannot tell a whole body from a cut one over HTTP/2, and nginx answers an upload before it has read it,
  /// which it takes for a failure every other time.
  @Test(
    arguments: [
      (nil, ["HTTP/1.1"], nil, "1.1"), ("x", ["HTTP/1.1"], nil, "1.1"), ("x", [], nil, "1.1"),
      (nil, [], nil, "2"), (nil, ["HTTP/2.0"], "2", "2"),
    ] as [(String?, [String], String?, String)])
  func whatNeedsFramingGoesOverHTTP1(
    body: String?, contains: [String], condition: String?, spoken: String
  ) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(
        ["location / { return 200 '$server_protocol'; }"], identity: try authority.issue("good"), http2: true)
      try await withNginx(in: folder, [site]) { ports in
        let check = try httpCheck("https://good.test:\(ports[0])/") {
          $0.tls.caFile = authority.rootFile
          $0.method = body == nil ? "GET" : "POST"
          $0.http.body = body.map(Redacted.init)
          $0.http.expect.bodyContains = contains
          $0.expect.httpVersion = condition
        }
        for _ in 0..<5 {
          let outcome = try await ProbeBench().http(check)
          #expect(outcome.verdict == .ok && outcome.httpVersion == spoken, "\(outcome.verdict)")
        }
      }
    }
  }

  /// A server that does not know ALPN, and one that refuses the protocol.
  @Test func http2IsInsistedOn() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("good")
      let server = try await OpenSSLServer(identity, ["-www"], in: folder)
      defer { server.stop() }
      let outcome = try await probe("https://good.test:\(server.port)/", "2", ca: authority.rootFile)
      #expect(outcome.verdict.reason == .httpProtocol, "\(outcome.verdict)")
      #expect(outcome.verdict.phase == .tls)
      #expect(outcome.tls?.verified == true)
    }
  }

  @Test func aServerMayRefuseTheProtocol() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(
        ["access_log \(folder.path)/access.log;", "return 200;"], identity: try authority.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        let outcome = try await probe("https://good.test:\(ports[0])/", "2", ca: authority.rootFile)
        #expect(outcome.verdict.reason == .tlsHandshake, "\(outcome.verdict)")
        #expect(outcome.verdict.message?.contains("alert 120") == true)
        let log = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
        #expect(log.isEmpty)
      }
    }
  }

  @Test func version10SaysSo() async throws {
    let outcome = try await faultOutcome(
      change: {
        $0.httpVersion = "1.0"
        $0.http.expect.bodyContains = ["HTTP/1.0"]
      },
      script: { link in
        let line = link.read(until: "\r\n\r\n").prefix { $0 != "\r\n" }
        link.write("HTTP/1.0 200 OK\r\n\r\n\(line)")
      })
    #expect(outcome.verdict == .ok)
    #expect(outcome.httpVersion == "1.0")
  }

  @Test func anAnswerInClearTextCannotCallItselfHTTP2() async throws {
    let outcome = try await faultOutcome(script: answering("HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n"))
    #expect(outcome.verdict.reason == .httpProtocol, "\(outcome.verdict)")
  }

  @Test func http2WithoutTLSNeedsPriorKnowledge() async throws {
    try await withTemporaryDirectory { folder in
      let port = try freePort()
      try "spoken over HTTP/2".write(
        to: folder.appending(path: "index.html"), atomically: true, encoding: .utf8)
      let server = try RealServer(
        "/usr/sbin/nghttpd", ["--no-tls", "--address=127.0.0.1", "-d", folder.path, String(port)],
        debianPackage: "nghttp2-server", log: folder.appending(path: "nghttpd.log"))
      defer { server.stop() }
      try await server.waitUntilListening(port: port)
      let spoken = try await probe("http://good.test:\(port)/", "2")
      #expect(spoken.verdict == .ok, "\(spoken.verdict)")
      #expect(spoken.httpVersion == "2")
      let plain = try await probe("http://good.test:\(port)/", "auto")
      #expect(!plain.verdict.isSuccess)
    }
  }

  @Test func aServerOfHTTP1IsNotCalledBroken() async throws {
    try await withTemporaryDirectory { folder in
      try await withNginx(in: folder, [NginxSite(["return 200;"])]) { ports in
        let outcome = try await probe("http://good.test:\(ports[0])/", "2")
        #expect(outcome.verdict.reason == .connectionClosed)
        #expect(
          outcome.verdict.message?.hasSuffix("it may not speak HTTP/2 without TLS") == true,
          "\(outcome.verdict)")
      }
    }
  }

  /// Over TLS a server that agreed on HTTP/2 has to speak it. This one says every line backwards.
  @Test(arguments: ["auto", "2"])
  func whatIsNoFrameIsNoHTTP2(version: String) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let server = try await OpenSSLServer(authority.issue("good"), ["-rev", "-alpn", "h2"], in: folder)
      defer { server.stop() }
      let check = try httpCheck("https://good.test:\(server.port)/") {
        $0.tls.caFile = authority.rootFile
        $0.httpVersion = version
      }
      let outcome = try await ProbeBench().http(check)
      #expect(outcome.verdict.reason == .httpProtocol, "\(outcome.verdict)")
      #expect(outcome.verdict.message?.hasSuffix("what the server sends is not HTTP/2") == true)
    }
  }

  /// The frames of an HTTP/2 server that does not care for the rules: RFC 9113.
  private enum Frame {
    static let settings = frame(4, 0, 0, [])
    /// `:status: 200` from the static table.
    static let headers = frame(1, 4, 1, [0x88])

    static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
      let count = UInt32(payload.count)
      return [UInt8(count >> 16), UInt8(count >> 8 & 0xff), UInt8(count & 0xff), type, flags]
        + (0..<4).map { UInt8(stream >> (24 - 8 * UInt32($0)) & 0xff) } + payload
    }
  }

  enum Harm: String, CaseIterable {
    case continuation, push, headerTable, resets, pings, headerList, data, goAway
  }

  @Test(
    "N26: an HTTP/2 server that means harm ends in a failure, in bounded memory and time",
    arguments: Harm.allCases)
  func hostileHTTP2(harm: Harm) async throws {
    let before = try residentKilobytes()
    let outcome = try await faultOutcome(
      limit: .seconds(4),
      change: {
        $0.httpVersion = "2"
        $0.http.expect.bodyContains = ["needle"]
        $0.maxBody = 100_000
      },
      script: { link in
        link.write(Frame.settings)
        // The client's preface, its settings and its request.
        _ = link.read()
        Self.harm(harm, link)
        link.waitForEnd()
      })
    #expect(!outcome.verdict.isSuccess)
    let expected: [Reason] =
      switch harm {
      case .data: [.bodyTooLarge]
      case .headerList: [.headersTooLarge, .httpProtocol]
      // Refused without a word: the peer never acknowledged that push is off.
      case .push, .pings: [.firstByteTimeout, .httpProtocol, .transferTimeout, .connectionClosed]
      default: [.httpProtocol, .connectionClosed, .headersTooLarge, .connectionReset]
      }
    #expect(expected.contains(outcome.verdict.reason), "\(outcome.verdict)")
    #expect(try residentKilobytes() - before < 32 * 1024)
  }

  /// What the check looks for is in the part that came; libcurl calls the transfer complete.
  @Test(arguments: [true, false]) func aBodyShorterThanAnnouncedIsCut(decompress: Bool) async throws {
    let outcome = try await faultOutcome(
      change: {
        $0.httpVersion = "2"
        $0.http.expect.bodyContains = ["needle"]
        $0.http.decompress = decompress
      },
      script: { link in
        link.write(Frame.settings)
        _ = link.read()
        // `content-length: 100`, by its place in the static table.
        let length: [UInt8] = [0x0f, 0x0d, 3] + Array("100".utf8)
        link.write(Frame.frame(1, 4, 1, [0x88] + length))
        link.write(Frame.frame(0, 0, 1, Array("a needle".utf8)))
        usleep(50_000)
        link.write(Array("no frame at all, and then nothing more".utf8))
      })
    #expect(!outcome.verdict.isSuccess, "\(outcome.verdict)")
    #expect(outcome.verdict.phase == .transfer)
  }

  /// REFUSED_STREAM and HTTP_1_1_REQUIRED let a client ask again, and libcurl does, on a connection of its own.
  @Test(arguments: [(7, "(REFUSED_STREAM)"), (13, "(HTTP_1_1_REQUIRED)")] as [(UInt8, String)])
  func aRefusedStreamIsOneAttempt(code: UInt8, name: String) async throws {
    let server = try LoopbackServer { link in
      link.write(Frame.settings)
      _ = link.read()
      usleep(50_000)
      link.write(Frame.frame(3, 0, 1, [0, 0, 0, code]))
      link.waitForEnd()
    }
    defer { server.stop() }
    let outcome = try await probe("http://good.test:\(server.port)/", "2")
    #expect(server.accepted == 1)
    #expect(outcome.verdict.reason == .connectionClosed, "\(outcome.verdict)")
    #expect(outcome.verdict.message?.contains(name) == true)
    #expect((outcome.responseTime ?? .zero) >= .milliseconds(50))
  }

  private static func harm(_ harm: Harm, _ link: LoopbackConnection) {
    let filler = [UInt8](repeating: 0x61, count: 200)
    // A literal header, never indexed: one letter and 120 bytes.
    let field: [UInt8] = [0x10, 1, 0x61, 120] + filler.prefix(120)
    switch harm {
    case .continuation:
      link.write(Frame.frame(1, 0, 1, [0x88] + field))
      while link.write(Frame.frame(9, 0, 1, field)) {}
    case .push:
      // PUSH_PROMISE of stream 2, though push is off.
      link.write(Frame.frame(5, 4, 1, [0, 0, 0, 2, 0x82, 0x86, 0x84, 0x41, 1, 0x61]))
    case .headerTable:
      // A dynamic table of 16 MiB.
      link.write(Frame.frame(1, 4, 1, [0x3f, 0xe1, 0xff, 0xff, 0x07, 0x88]))
    case .resets:
      for stream in stride(from: UInt32(1), to: 20_001, by: 2) {
        if !link.write(Frame.frame(3, 0, stream, [0, 0, 0, 8])) { return }
      }
    case .pings:
      while link.write(Frame.frame(6, 0, 0, [UInt8](repeating: 1, count: 8))) { usleep(50) }
    case .headerList:
      let block = Array(repeating: field, count: 120).flatMap { $0 }
      link.write(Frame.frame(1, 0, 1, [0x88] + block))
      for _ in 0..<10 { link.write(Frame.frame(9, 0, 1, block)) }
      link.write(Frame.frame(9, 4, 1, field))
    case .data:
      link.write(Frame.headers)
      while link.write(Frame.frame(0, 0, 1, [UInt8](repeating: 0x61, count: 8192))) { usleep(100) }
    case .goAway:
      link.write(Frame.frame(7, 0, 0, [0, 0, 0, 0, 0, 0, 0, 2]))
    }
  }
}
