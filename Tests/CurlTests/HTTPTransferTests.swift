// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import TestSupport
import Testing

/// Plain and encrypted requests to a real nginx.
@Suite struct HTTPTransferTests {
  private static let lines = [
    "server_name good.test;",
    "location /hello { return 200 'hello'; }",
    "location /header { return 200 '<$http_x_test>'; }", "location /missing { return 404 'nothing'; }",
    "location /moved { return 302 http://elsewhere.test/; }",
    "location /empty { return 204; }",
    "location /echo { return 200 '$request_method|$host|$http_user_agent|$http_expect|$http_x_test|$content_type|$http_accept_encoding|$content_length'; }",
    "location /name { return 200 '$ssl_server_name'; }",
    "location /file { alias files/; gzip on; gzip_types *; gzip_min_length 1; }",
  ]

  private func withServer(
    http2: Bool = false, _ body: (_ plain: UInt16, _ tls: UInt16, _ trust: TrustStore) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let files = folder.appending(path: "files")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      try Data(repeating: 0x61, count: 100_000).write(to: files.appending(path: "big.txt"))
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("good")
      let sites = [NginxSite(Self.lines), NginxSite(Self.lines, identity: identity, http2: http2)]
      try await withNginx(in: folder, sites) { ports in
        try await body(ports[0], ports[1], TrustStore(bundle: authority.rootFile))
      }
    }
  }

  @Test(arguments: [("/hello", 200, "hello"), ("/missing", 404, "nothing"), ("/empty", 204, "")])
  func readsStatusAndBody(path: String, code: Int, body: String) async throws {
    try await withServer { plain, _, _ in
      let report = try await transfer(request(plain, path))
      #expect(report.outcome == .complete)
      #expect(report.statusCode == code)
      #expect(report.text == body)
      #expect(report.httpVersion == "1.1")
    }
  }

  @Test func keepsTheHostNameAndSendsExactlyTheCallersHeaders() async throws {
    try await withServer { plain, _, _ in
      var post = request(plain, "/echo")
      post.method = "POST"
      post.headers = [HeaderField("User-Agent", "probe/1"), HeaderField("X-Test", "a: b")]
      post.body = Array("payload".utf8)
      let report = try await transfer(post)
      #expect(report.text == "POST|good.test|probe/1||a: b|||7")
    }
  }

  @Test(arguments: [("GET", ""), ("PUT", "0"), ("POST", "0"), ("DELETE", ""), ("OPTIONS", "")])
  func sendsEachMethod(method: String, length: String) async throws {
    try await withServer { plain, _, _ in
      var asked = request(plain, "/echo")
      asked.method = method
      let report = try await transfer(asked)
      #expect(
        report.text.split(separator: "|", omittingEmptySubsequences: false).first.map(String.init) == method)
      #expect(
        report.text.split(separator: "|", omittingEmptySubsequences: false).last.map(String.init) == length)
    }
  }

  @Test func nothingOfOneTransferIsLeftForTheNext() async throws {
    try await withServer { plain, tls, trust in
      try await withCurlEngine(trust: trust) { engine in
        let get = request(plain, "/echo")
        let expected = "GET|good.test||||||"
        var others = [
          request(tls, "/echo", scheme: "https", goal: .headers), request(tls, "/", goal: .handshake),
        ]
        others[1].url = "https://good.test:\(tls)/"
        var post = get
        post.method = "POST"
        post.body = Array("payload".utf8)
        post.headers = [HeaderField("X-Test", "mine"), HeaderField("Content-Type", "a/b")]
        var head = get
        head.method = "HEAD"
        var packed = request(plain, "/file/big.txt", goal: .body(limit: 10))
        packed.decompress = true
        var unsafe = request(tls, "/echo", scheme: "https")
        unsafe.tls.verify = false
        for other in others + [post, head, packed, unsafe] {
          _ = try await engine.perform(other)
          let report = try await engine.perform(get)
          #expect(report.text == expected)
          #expect(report.tls == nil)
        }
        // Verification is back after a transfer without it.
        var wrong = request(tls, "/echo", scheme: "https")
        wrong.url = "https://wrong.test:\(tls)/"
        _ = try await engine.perform(unsafe)
        let refused = try await engine.perform(wrong)
        #expect(refused.failure?.kind == .tls(.certificate(.hostname)))
      }
    }
  }

  /// Plain transfers keep their handle's list of headers: only where it is the same to the byte.
  @Test func theHeadersAreThoseOfTheRequest() async throws {
    try await withServer { plain, _, _ in
      try await withCurlEngine { engine in
        for value in ["a", "a", "b", "\u{e9}", "e\u{301}", "a", "", "a, b"] {
          var asked = request(plain, "/header", goal: .body(limit: 100))
          asked.headers = [HeaderField("X-Test", value)]
          let report = try await engine.perform(asked)
          #expect(report.body == Array("<\(value)>".utf8))
        }
        var none = request(plain, "/header", goal: .body(limit: 100))
        none.headers = []
        #expect(try await engine.perform(none).text == "<>")
      }
    }
  }

  @Test func headHasNoBodyAndDoesNotWaitForOne() async throws {
    try await withServer { plain, _, _ in
      var head = request(plain, "/file/big.txt", timeout: .seconds(5))
      head.method = "HEAD"
      let report = try await transfer(head)
      #expect(report.outcome == .complete)
      #expect(report.header("content-length") == "100000")
      #expect(report.body.isEmpty)
    }
  }

  @Test func redirectsAreTheCallersAffair() async throws {
    try await withServer { plain, _, _ in
      let report = try await transfer(request(plain, "/moved", goal: .headers))
      #expect(report.statusCode == 302)
      #expect(report.header("LOCATION") == "http://elsewhere.test/")
    }
  }

  @Test func aBodyNobodyNeedsIsNotRead() async throws {
    try await withServer { plain, _, _ in
      let report = try await transfer(request(plain, "/file/big.txt", goal: .headers))
      #expect(report.outcome == .complete)
      #expect(report.statusCode == 200)
      #expect(report.body.isEmpty)
      #expect(report.times.lastByte == nil)
      #expect(report.times.headersEnd == report.times.ended)
    }
  }

  @Test func compressedBodiesAreDecodedOnlyWhenAsked() async throws {
    try await withServer { plain, _, _ in
      var asked = request(plain, "/file/big.txt", goal: .body(limit: 100_000))
      let identity = try await transfer(asked)
      #expect(identity.header("content-encoding") == nil)
      asked.decompress = true
      let decoded = try await transfer(asked)
      #expect(decoded.header("content-encoding") == "gzip")
      #expect(decoded.body.count == 100_000)
      #expect(decoded.outcome == .complete)
    }
  }

  @Test func theLimitCountsDecodedBytes() async throws {
    try await withServer { plain, _, _ in
      var asked = request(plain, "/file/big.txt", goal: .body(limit: 99_999))
      asked.decompress = true
      let report = try await transfer(asked)
      #expect(report.failure?.kind == .bodyTooLarge)
      #expect(report.truncated)
      #expect(report.body.count == 99_999)
      #expect(report.statusCode == 200)
    }
  }

  @Test(arguments: [(true, "2"), (false, "1.1")])
  func negotiatesTheVersion(http2: Bool, version: String) async throws {
    try await withServer(http2: http2) { _, tls, trust in
      for goal in [TransferRequest.Goal.headers, .body(limit: 100)] {
        let report = try await transfer(request(tls, "/hello", scheme: "https", goal: goal), trust: trust)
        #expect(report.outcome == .complete)
        #expect(report.httpVersion == version)
        #expect(report.statusCode == 200)
        #expect(report.text == (goal == .headers ? "" : "hello"))
      }
    }
  }

  @Test func http11CanBeInsistedOn() async throws {
    try await withServer(http2: true) { _, tls, trust in
      var asked = request(tls, "/hello", scheme: "https")
      asked.httpVersion = .http11
      let report = try await transfer(asked, trust: trust)
      #expect(report.httpVersion == "1.1")
    }
  }

  @Test func theStampsAreInOrder() async throws {
    try await withServer { _, tls, trust in
      let times = try await transfer(request(tls, "/hello", scheme: "https"), trust: trust).times
      let stamps = [
        times.connectStart, times.connected, times.tlsDone, times.requestStart, times.firstByte,
        times.headersEnd,
        times.lastByte,
      ]
      let present = stamps.compactMap { $0 }
      #expect(present.count == stamps.count)
      #expect(zip(present, present.dropFirst()).allSatisfy { $0 <= $1 + .milliseconds(1) })
      #expect(times.ended >= present[5])
    }
  }

  @Test func theServerNameCanDifferFromTheHost() async throws {
    try await withServer { _, tls, trust in
      var asked = request(tls, "/name", scheme: "https")
      let plain = try await transfer(asked, trust: trust)
      #expect(plain.text == "good.test")
      asked.url = "https://front.test:\(tls)/name"
      let refused = try await transfer(asked, trust: trust)
      #expect(refused.failure?.kind == .tls(.certificate(.hostname)))
      asked.tls.serverName = "good.test"
      let named = try await transfer(asked, trust: trust)
      #expect(named.text == "good.test")
    }
  }

  @Test func aUnixSocketServes() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "s").path
      try await withNginx(in: folder, [NginxSite(["listen unix:\(path);", "return 200 'by path';"])]) { _ in
        var asked = request(80, "/")
        asked.plan = .unixSocket(path)
        let report = try await transfer(asked)
        #expect(report.text == "by path")
      }
    }
  }
}
