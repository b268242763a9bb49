// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Digest against lighttpd, and cookies and stale nonces against servers of our own.
@Suite(.timeLimit(.minutes(2))) struct HTTPAuthTests {
  private func withLighttpd(
    algorithm: String, _ body: (UInt16) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let port = try freePort()
      try "hello".write(to: folder.appending(path: "page"), atomically: true, encoding: .utf8)
      try "me:the realm:\(Self.hash(algorithm, "me:the realm:se cret"))\n".write(
        to: folder.appending(path: "users"), atomically: true, encoding: .utf8)
      let configuration = folder.appending(path: "lighttpd.conf")
      try """
      server.modules = ("mod_auth", "mod_authn_file")
      server.document-root = "\(folder.path)"
      server.port = \(port)
      server.bind = "127.0.0.1"
      auth.backend = "htdigest"
      auth.backend.htdigest.userfile = "\(folder.path)/users"
      auth.require = ("/" => ("method" => "digest", "realm" => "the realm", "require" => "valid-user", "algorithm" => "\(algorithm)"))
      """.write(to: configuration, atomically: true, encoding: .utf8)
      let server = try RealServer(
        "/usr/sbin/lighttpd", ["-D", "-f", configuration.path], debianPackage: "lighttpd",
        log: folder.appending(path: "lighttpd.log"))
      defer { server.stop() }
      try await server.waitUntilListening(port: port)
      try await body(port)
    }
  }

  private static func hash(_ algorithm: String, _ text: String) -> String {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = ["dgst", algorithm == "MD5" ? "-md5" : "-sha256", "-r"]
    (process.standardInput, process.standardOutput) = (input, output)
    guard (try? process.run()) != nil else { return "" }
    input.fileHandleForWriting.write(Data(text.utf8))
    try? input.fileHandleForWriting.close()
    let line = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return String(line.prefix { $0 != " " })
  }

  @Test(arguments: ["MD5", "SHA-256"])
  func digestOpensARealServer(algorithm: String) async throws {
    try await withLighttpd(algorithm: algorithm) { port in
      let check = try httpCheck("http://good.test:\(port)/page?a=b") {
        $0.auth.digest.username = "me"
        $0.auth.digest.password = Redacted("se cret")
        $0.http.expect.bodyContains = ["hello"]
      }
      let outcome = try await ProbeBench().http(check)
      #expect(outcome.verdict == .ok, "\(outcome.verdict)")
      #expect(outcome.hops.map(\.statusCode) == [401, 200])
      let wrong = try httpCheck("http://good.test:\(port)/page") {
        $0.auth.digest.username = "me"
        $0.auth.digest.password = Redacted("wrong")
      }
      let refused = try await ProbeBench().http(wrong)
      #expect(refused.verdict.reason == .httpStatus)
      #expect(refused.statusCode == 401)
      #expect(refused.hops.count == 2)
    }
  }

  @Test(arguments: [(1, 3, 200), (9, 3, 401)])
  func anOldNonceIsRenewedOnce(staleAnswers: Int, requests: Int, status: Int) async throws {
    let count = Mutex(0)
    try await withLoopbackServer(script: { link in
      let request = link.read(until: "\r\n\r\n")
      let number = count.withLock { count in
        count += 1
        return count
      }
      let isKnown = request.contains("Authorization: Digest") && number > staleAnswers + 1
      let stale = request.contains("Authorization: Digest") ? ", stale=true" : ""
      link.write(
        isKnown
          ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
          : "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\(number)\", qop=\"auth\"\(stale)\r\nContent-Length: 0\r\n\r\n"
      )
      link.waitForEnd()
    }) { server in
      let check = try httpCheck("http://good.test:\(server.port)/") {
        $0.auth.digest.username = "me"
        $0.auth.digest.password = Redacted("secret")
      }
      let outcome = try await ProbeBench().http(check)
      #expect(outcome.statusCode == status)
      #expect(count.withLock { $0 } == requests)
    }
  }

  /// Answers with what `pages` says for the path asked for, and keeps all requests.
  private func visit(
    _ pages: @escaping @Sendable (_ path: String, _ request: String) -> String,
    _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> (ProbeOutcome, [String]) {
    let seen = Mutex<[String]>([])
    return try await withLoopbackServer(script: { link in
      let request = link.read(until: "\r\n\r\n")
      seen.withLock { $0.append(request) }
      let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      link.write("HTTP/1.1 \(pages(path, request))Content-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      let outcome = try await ProbeBench().http(try httpCheck("http://good.test:\(server.port)/", change))
      return (outcome, seen.withLock { $0 })
    }
  }

  @Test func aCookieSetOnTheWayIsSentBack() async throws {
    let (outcome, seen) = try await visit({ path, request in
      if request.contains("Cookie: own=1; session=abc\r\n") { return "200 OK\r\n" }
      return "302 Found\r\nLocation: \(path == "/" ? "/login" : "/")\r\nSet-Cookie: session=abc; Path=/\r\n"
    }) { $0.headers = [("Cookie", Redacted("own=1"))] }
    #expect(outcome.verdict == .ok)
    #expect(outcome.hops.map(\.statusCode) == [302, 200])
    #expect(seen.first?.contains("Cookie: own=1\r\n") == true)
  }

  @Test func theSamePageWithAnotherCookieIsNoCircle() async throws {
    let (outcome, seen) = try await visit { _, request in
      request.contains("Cookie: a=1\r\n")
        ? "200 OK\r\n" : "302 Found\r\nLocation: /\r\nSet-Cookie: a=1; Path=/\r\n"
    }
    #expect(outcome.verdict == .ok)
    #expect(seen.count == 2)
  }

  @Test func cookiesEndWithTheAttempt() async throws {
    let seen = Mutex<[String]>([])
    try await withLoopbackServer(script: { link in
      seen.withLock { $0.append(link.read(until: "\r\n\r\n")) }
      link.write("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      let check = try httpCheck("http://good.test:\(server.port)/")
      for _ in 0..<2 { #expect(try await ProbeBench().http(check).verdict == .ok) }
      #expect(seen.withLock { $0 }.allSatisfy { !$0.contains("Cookie") })
    }
  }
}
