// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

/// What `once --explain` shows besides the result: headers, where redirects lead, what came, who resolved the name.
@Suite struct ExplainStories {
  /// `/` leads to `/end`, which fails with a body and many headers.
  private static let site: @Sendable (LoopbackConnection) -> Void = { connection in
    let request = connection.read(until: "\r\n\r\n")
    guard request.hasPrefix("GET /end") else {
      connection.write(
        "HTTP/1.1 302 Found\r\nLocation: /end?code=hunter2&state=x#frag\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      )
      return
    }
    let more = (0..<100).map { "X-Filler-\($0): \(String(repeating: "a", count: 40))\r\n" }.joined()
    let body = "database is read-only, ask the operator"
    connection.write(
      "HTTP/1.1 503 Busy\r\nServer: shop/1\r\nSet-Cookie: sid=hunter2; HttpOnly\r\nX-Auth-Token: hunter2\r\n"
        + "WWW-Authenticate: Basic realm=\"shop\"\r\n\(more)Content-Length: \(body.utf8.count)\r\n"
        + "Connection: close\r\n\r\n\(body)")
  }

  /// Nothing that logs somebody in is among it, and there is an end to it.
  @Test func anAnswerIsShown() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.site) { server in
        let target = "http://localhost:\(server.port)/"
        let shown = try await agent("once", "--explain", target, in: folder).stdout
        for part in [
          "Location: /end?code=<redacted>&state=<redacted>#<redacted>", "Server: shop/1",
          "Set-Cookie: sid=<redacted>; HttpOnly", "X-Auth-Token: <redacted>",
          "WWW-Authenticate: Basic realm=\"shop\"", "X-Filler-0: aaaa", "more\n",
          "database is read-only, ask the operator", "localhost  ", "from /etc/hosts",
        ] {
          #expect(shown.contains(part), "\(part) in \(shown)")
        }
        #expect(!shown.contains("hunter2") && !shown.contains("X-Filler-70:"), "\(shown)")
        #expect(shown.utf8.count < 16 * 1024)
        let plain = try await agent("once", "--format", "json", target, in: folder).stdout
        #expect(
          !plain.contains("X-Filler") && !plain.contains("read-only"), "only where it is asked for: \(plain)")
      }
    }
  }

  /// Who was asked for the name, also where the answer is that there is none.
  @Test func theNameServerIsNamed() async throws {
    try await withTemporaryDirectory { folder in
      let server = try TinyNameServer([[127, 0, 0, 1]])
      defer { server.stop() }
      let shown = try await agent(
        "once", "--explain", "--with", "resolver: '127.0.0.1:\(server.port)'", "tcp://shop.example:1",
        in: folder
      ).stdout
      #expect(
        shown.contains("shop.example  127.0.0.1  from the check's resolver 127.0.0.1:\(server.port)"),
        "\(shown)")
    }
  }
}
