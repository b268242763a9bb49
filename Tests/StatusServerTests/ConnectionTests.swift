// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Status
import StatusServer
import StatusSupport
import TestSupport
import Testing

/// What connections may do to the server and to one another.
@Suite struct ConnectionTests {
  private func send(_ descriptor: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    #expect(Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// Reads until `count` answers have ended, by their lengths; nil when the connection ends before.
  private func answers(_ descriptor: Int32, _ count: Int) -> [RawResponse]? {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var found: [RawResponse] = []
      var rest = Substring(text)
      while let end = rest.firstRange(of: "\r\n\r\n") {
        let head = RawResponse(String(rest[..<end.upperBound]))
        let length = Int(head.header("Content-Length") ?? "") ?? 0
        let whole = rest[end.upperBound...].utf8.prefix(length)
        guard whole.count == length else { break }
        found.append(RawResponse(String(rest[..<end.upperBound]) + String(Substring(whole))))
        rest = rest[end.upperBound...].dropFirst(String(Substring(whole)).count)
      }
      if found.count >= count { return found }
      let got = recv(descriptor, &buffer, buffer.count, 0)
      guard got > 0 else { return nil }
      text += String(decoding: buffer[..<got], as: UTF8.self)
    }
  }

  /// The absolute form counts whatever Host says (RFC 9112, section 3.2.2); a coding of the request that does not end with
  /// `chunked` has no known end (section 6.3).
  @Test(
    arguments: [
      ("GET http://localhost/livez HTTP/1.1\r\nHost: evil.example\r\n\r\n", 200, nil),
      ("GET HTTPS://LOCALHOST:1/livez?a HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, "alive"),
      ("GET http://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, "<!doctype html>"),
      (
        "GET http://localhost?page=0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "This address selects nothing"
      ),
      (
        "GET http://evil.example/livez HTTP/1.1\r\nHost: localhost\r\n\r\n", 421,
        "this host name is not served"
      ),
      ("GET http://localhost@evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 421, nil),
      ("GET http://localhost/livez HTTP/1.1\r\n\r\n", 421, nil),
      ("GET /livez HTTP/1.1\r\nHost: 127.9.9.9\r\n\r\n", 200, nil),
      (
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n\r\n", 400,
        "the last Transfer-Encoding of a request must be chunked"
      ),
      (
        "POST /api/v1/mutes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\nabc", 400,
        "the last Transfer-Encoding of a request must be chunked"
      ),
      (
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n", 400,
        "the last Transfer-Encoding of a request must be chunked"
      ),
      (
        "POST /api/v1/mutes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", 400,
        "the request is malformed"
      ),
      (
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 413,
        "a request here has no body"
      ),
      ("FOO /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "the request is malformed"),
    ] as [(String, Int, String?)])
  func formsOfRequests(request: String, status: Int, words: String?) async throws {
    try await withServer(try sampleSource()) { address in
      let descriptor = try connected(address)
      defer { close(descriptor) }
      send(descriptor, request)
      let reply = try #require(answers(descriptor, 1)?.first)
      #expect(reply.status == status, "\(reply.body)")
      if let words { #expect(reply.body.contains(words), "\(reply.body)") }
    }
  }

  /// Thousands who send a byte now and then, or ask and take no answer, keep nobody out.
  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: loc", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTT", "",
    "POST /api/v1/spool/submit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx",
  ])
  func drippingConnectionsLockNobodyOut(_ beginning: String) async throws {
    try await withServer(try sampleSource()) { address in
      var dripping: [Int32] = []
      defer { for descriptor in dripping { close(descriptor) } }
      for number in 0..<2000 {
        let descriptor = try connected(address)
        dripping.append(descriptor)
        let bytes = Array(beginning.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if number % 250 == 249 {
          let answer = try await get(address, "/livez")
          #expect(answer.status == 200)
        }
      }
      for descriptor in dripping { _ = Glibc.send(descriptor, "x", 1, Int32(MSG_NOSIGNAL)) }
      let clock = ContinuousClock()
      let start = clock.now
      let answer = try await get(address, "/")
      #expect(answer.status == 200 && answer.body.contains("</html>"))
      #expect(clock.now - start < .seconds(2))
    }
  }

  @Test func requestsOnOneConnectionAreAnsweredInOrder() async throws {
    try await withServer(try sampleSource()) { address in
      let descriptor = try connected(address)
      defer { close(descriptor) }
      let head = "HTTP/1.1\r\nHost: localhost\r\n\r\n"
      send(descriptor, "GET /livez \(head)GET /readyz \(head)HEAD /livez \(head)GET /nothing \(head)")
      // A HEAD's answer has a length and no body, so only the two before it are read here by theirs.
      let first = try #require(answers(descriptor, 2))
      #expect(first.prefix(2).map(\.body) == ["alive\n", "ready\n"])
      #expect(first[0].header("Connection") == "keep-alive")
    }
  }

  /// A client that says that it will send no more still gets its answer.
  @Test func halfAClosedConnectionIsAnswered() async throws {
    try await withServer(try sampleSource()) { address in
      let descriptor = try connected(address)
      defer { close(descriptor) }
      send(descriptor, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
      shutdown(descriptor, Int32(SHUT_WR))
      #expect(answers(descriptor, 1)?.first?.body == "alive\n")
    }
  }

  /// A refused body is not read, and its sender hears the answer before the connection ends.
  @Test func aRefusedBodyDoesNotSwallowTheAnswer() async throws {
    try await withServer(try sampleSource()) { address in
      let length = 8 << 20
      let response = try await exchange(
        address,
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\r\n"
          + String(repeating: "x", count: 100_000))
      #expect(response.status == 413)
      #expect(response.header("Connection") == "close")
    }
  }

  @Test(arguments: [
    ("GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n", 421),
    ("GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 421), ("GET /livez HTTP/1.1\r\n", 421),
    ("GET /livez HTTP/1.1\r\nHost: localhost:80@evil.example\r\n", 421),
    ("GET /livez HTTP/1.1\r\nHost: [::1\r\n", 421), ("GET /livez HTTP/1.1\r\nHost: [::1]x\r\n", 421),
    ("GET /livez HTTP/1.1\r\nHost:\r\n", 421), ("GET /livez HTTP/1.1\r\nHost: user@localhost\r\n", 421),
    ("GET /livez HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade\r\n", 200),
    ("GET /livez HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n", 400),
    ("GET /livez HTTP/9.9\r\nHost: localhost\r\n", 400),
    ("GET /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n", 400),
    ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n", 405), ("CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n", 405),
    ("GET /livez HTTP/1.0\r\nHost: localhost\r\n", 200),
  ])
  func oddHeadsAreAnswered(_ head: String, _ status: Int) async throws {
    try await withServer(try sampleSource()) { address in
      let close = head.contains("Connection") ? "" : "Connection: close\r\n"
      let descriptor = try connected(address)
      defer { Glibc.close(descriptor) }
      send(descriptor, head + close + "\r\n")
      #expect(answers(descriptor, 1)?.first?.status == status)
    }
  }
}
