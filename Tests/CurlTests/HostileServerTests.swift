// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import TestSupport
import Testing

/// Servers no standard allows: each ends in its own failure, in bounded memory and time.
@Suite struct HostileServerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: TransferFailureKind
    let phase: TransferPhase
    var limit: Duration = .seconds(10)
    var scheme = "http"
    let script: @Sendable (LoopbackConnection) -> Void

    var testDescription: String { name }
  }

  private static let head = "HTTP/1.1 200 OK\r\n"

  /// Says this and nothing more behind the status line, and leaves the connection open.
  private static func answer(
    _ name: String, _ kind: TransferFailureKind, _ phase: TransferPhase, _ rest: String
  ) -> Case {
    Case(name: name, kind: kind, phase: phase) { link in
      link.read(until: "\r\n\r\n")
      link.write(head + rest)
      link.waitForEnd()
    }
  }

  static let cases: [Case] = [
    Case(name: "endless headers", kind: .headersTooLarge, phase: .transfer) { link in
      link.read(until: "\r\n\r\n")
      link.write(head)
      while link.write("X-Filler: \(String(repeating: "a", count: 900))\r\n") {}
    },
    answer(
      "many tiny headers", .headersTooLarge, .transfer, String(repeating: "a: b\r\n", count: 250) + "\r\n"),
    Case(name: "endless interim answers", kind: .headersTooLarge, phase: .transfer) { link in
      link.read(until: "\r\n\r\n")
      while link.write("HTTP/1.1 103 Early Hints\r\n\r\n") {}
    },
    Case(name: "one endless header line", kind: .headersTooLarge, phase: .transfer) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nX-Long: ")
      while link.write(String(repeating: "a", count: 4096)) {}
    },
    Case(name: "endless chunked body", kind: .bodyTooLarge, phase: .transfer) { link in
      link.read(until: "\r\n\r\n")
      link.write(head + "Transfer-Encoding: chunked\r\n\r\n")
      while link.write("1000\r\n\(String(repeating: "a", count: 4096))\r\n") {}
    },
    Case(name: "silence", kind: .timeout, phase: .firstByte, limit: .milliseconds(800)) { $0.waitForEnd() },
    Case(name: "nothing behind a hint", kind: .timeout, phase: .firstByte, limit: .milliseconds(800)) {
      link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n")
      link.waitForEnd()
    },
    Case(name: "trickled headers", kind: .timeout, phase: .transfer, limit: .milliseconds(800)) { link in
      link.read(until: "\r\n\r\n")
      for byte in (head + String(repeating: "X: y\r\n", count: 100)).utf8 {
        guard link.write([byte]) else { return }
        usleep(20_000)
      }
    },
    Case(name: "trickled body", kind: .timeout, phase: .transfer, limit: .milliseconds(800)) { link in
      link.read(until: "\r\n\r\n")
      link.write(head + "\r\n")
      while link.write("a") { usleep(20_000) }
    },
    Case(name: "ten gigabytes announced", kind: .timeout, phase: .transfer, limit: .milliseconds(800)) {
      link in
      link.read(until: "\r\n\r\n")
      link.write(head + "Content-Length: 10000000000\r\n\r\n")
      link.waitForEnd()
    },
    Case(name: "closes at once", kind: .closed, phase: .firstByte) { link in link.read(until: "\r\n\r\n") },
    Case(name: "closes inside the headers", kind: .closed, phase: .transfer) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nA: b\r\n")
    },
    Case(name: "closes inside the body", kind: .closed, phase: .transfer) { link in
      link.read(until: "\r\n\r\n")
      link.write(head + "Content-Length: 100\r\n\r\nshort")
    },
    Case(name: "resets before the answer", kind: .reset, phase: .firstByte) { link in
      link.read(until: "\r\n\r\n")
      link.resetOnClose()
    },
    Case(name: "resets inside the body", kind: .reset, phase: .transfer) { link in
      link.read(until: "\r\n\r\n")
      link.write(head + "Content-Length: 100\r\n\r\nshort")
      link.resetOnClose()
      usleep(50_000)
    },
    Case(name: "a banner instead of http", kind: .httpProtocol, phase: .transfer) { link in
      link.write("220 mail.test ESMTP ready\r\n")
      link.waitForEnd()
    },
    answer("no colon in a header", .httpProtocol, .transfer, "nonsense\r\n\r\n"),
    answer("a nul in a header", .httpProtocol, .transfer, "A: b\0c\r\n\r\n"),
    answer("a folded line behind no field", .httpProtocol, .transfer, " c\r\nA: b\r\n\r\n"),
    answer("a folded length", .httpProtocol, .transfer, "Content-Length: 2\r\n 3\r\n\r\n"),
    answer(
      "a trailer that is none", .httpProtocol, .transfer,
      "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nno colon\r\n\r\n"),
    answer(
      "a transfer coding nobody asked for", .httpProtocol, .transfer,
      "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
    answer("broken chunks", .httpProtocol, .transfer, "Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
    Case(name: "plain http where tls is expected", kind: .tls(.handshake), phase: .tls, scheme: "https") {
      link in
      link.write("HTTP/1.1 400 Bad Request\r\n\r\n")
      link.waitForEnd()
    },
    Case(
      name: "silence in the handshake", kind: .timeout, phase: .tls, limit: .milliseconds(800),
      scheme: "https"
    ) {
      $0.waitForEnd()
    },
    Case(name: "closes in the handshake", kind: .closed, phase: .tls, scheme: "https") { _ = $0.read() },
    Case(name: "resets in the handshake", kind: .reset, phase: .tls, scheme: "https") { link in
      _ = link.read()
      link.resetOnClose()
    },
  ]

  @Test(arguments: cases)
  func endsInItsOwnFailure(of hostile: Case) async throws {
    try await withLoopbackServer(script: hostile.script) { server in
      let report = try await transfer(request(server.port, scheme: hostile.scheme, timeout: hostile.limit))
      #expect(report.failure?.kind == hostile.kind)
      #expect(report.failure?.phase == hostile.phase)
      // By the engine's clock: the tests' own threads are busy.
      #expect(report.times.ended < hostile.limit + .seconds(3))
      #expect(report.body.count <= 65_536)
      #expect(report.headers.count <= 200)
      #expect(server.accepted == 1)
    }
  }

  @Test func aBombIsStoppedAtItsDecodedSize() async throws {
    try await withTemporaryDirectory { folder in
      let bomb = folder.appending(path: "zeros")
      try Data(count: 16 * 1024 * 1024).write(to: bomb)
      try runTool("/usr/bin/gzip", [bomb.path], in: folder)
      let packed = [UInt8](try Data(contentsOf: folder.appending(path: "zeros.gz")))
      try await withLoopbackServer(script: { link in
        link.read(until: "\r\n\r\n")
        link.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n")
        link.write(packed)
        link.waitForEnd()
      }) { server in
        var asked = request(server.port, goal: .body(limit: 100_000))
        asked.decompress = true
        let report = try await transfer(asked)
        #expect(report.failure?.kind == .bodyTooLarge)
        #expect(report.body.count == 100_000)
        asked.decompress = false
        let raw = try await transfer(asked)
        #expect(raw.outcome == .complete)
        #expect(raw.body.count == packed.count)
      }
    }
  }

  @Test func twoWarmUpAnswersAreSkipped() async throws {
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
      link.write("HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX: \u{e9}\r\n\r\nok")
      link.waitForEnd()
    }) { server in
      let report = try await transfer(request(server.port))
      #expect(report.statusCode == 201)
      #expect(report.headers == [HeaderField("Content-Length", "2"), HeaderField("X", "é")])
      #expect(report.text == "ok")
    }
  }

  @Test func otherSchemesNeverLeaveThisMachine() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      for scheme in ["ftp", "file", "dict", "gopher", "telnet", "smtp", "ldap", "rtsp", "scp", "mqtt", "ws"] {
        let report = try await transfer(request(server.port, scheme: scheme))
        #expect(report.failure != nil, "\(scheme)")
        #expect(report.body.isEmpty)
      }
      #expect(server.accepted == 0)
    }
  }
}
