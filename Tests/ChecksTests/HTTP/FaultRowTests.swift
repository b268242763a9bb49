// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Glibc
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

/// Faults of targets and networks, one named test each: connections, time and sizes.
@Suite(.timeLimit(.minutes(2))) struct FaultRowTests {
  @Test("N1: a target that drops SYN is a timeout in phase connect, at the limit")
  func droppedConnections() async throws {
    // A listener whose queue is full drops what comes without a word.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    let port = try bindLoopback(listener)
    try #require(listen(listener, 0) == 0)
    let fillers = (0..<3).map { _ in startConnecting(port) }
    defer { for filler in fillers { close(filler) } }
    var bench = ProbeBench()
    bench.limit = .milliseconds(500)
    let outcome = try await bench.http(try httpCheck("http://good.test:\(port)/"))
    #expect(outcome.verdict.reason == .connectTimeout)
    #expect(outcome.verdict.phase == .connect)
    let spent = try #require(outcome.timings.connect)
    #expect(spent > .milliseconds(400))
  }

  @Test("N2: a refusing target fails at once")
  func refusedConnections() async throws {
    let outcome = try await ProbeBench().http(try httpCheck("http://good.test:\(try freePort())/"))
    #expect(outcome.verdict.reason == .connectRefused && outcome.verdict.status == .failure)
    #expect(outcome.timings.connect != nil && outcome.timings.firstByte == nil)
  }

  @Test("N3: a target that accepts and says nothing is a timeout before the first byte")
  func silence() async throws {
    let outcome = try await faultOutcome(limit: .milliseconds(600)) { $0.waitForEnd() }
    #expect(outcome.verdict.reason == .firstByteTimeout)
    #expect(outcome.verdict.phase == .firstByte)
    // The time is shown where it went.
    #expect(try #require(outcome.timings.firstByte) > .milliseconds(400))
    #expect(outcome.timings.transfer == nil)
  }

  @Test("N4: headers byte by byte do not move the deadline")
  func slowHeaders() async throws {
    let outcome = try await faultOutcome(limit: .milliseconds(900)) { link in
      link.read(until: "\r\n\r\n")
      for byte in ("HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 100)).utf8 {
        guard link.write([byte]) else { return }
        usleep(30_000)
      }
    }
    // All of it would take 18 seconds.
    #expect(outcome.verdict.reason == .transferTimeout)
  }

  @Test("N5: an endless slow body ends at the deadline, with its time recorded")
  func slowBody() async throws {
    let outcome = try await faultOutcome(limit: .milliseconds(900), change: wantsBody()) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\n\r\n")
      while link.write("a") { usleep(20_000) }
    }
    #expect(outcome.verdict.reason == .transferTimeout)
    #expect(outcome.statusCode == 200)
    #expect(try #require(outcome.timings.transfer) > .milliseconds(300))
    #expect(outcome.assertions.first { $0.what.hasPrefix("body") }?.ok == false)
  }

  @Test(
    "N6: an endless chunked body stops at the cap in bounded memory; without body conditions only the status counts"
  )
  func endlessChunks() async throws {
    let script: @Sendable (LoopbackConnection) -> Void = { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while link.write("1000\r\n\(String(repeating: "a", count: 4096))\r\n") {}
    }
    let before = try residentKilobytes()
    let judged = try await faultOutcome(change: wantsBody(100_000), script: script)
    #expect(judged.verdict.reason == .bodyTooLarge)
    #expect(judged.verdict.phase == .transfer)
    // The test's own server and loopback's buffers are in here too.
    #expect(try residentKilobytes() - before < 16 * 1024)
    let status = try await faultOutcome(script: script)
    #expect(status.verdict == .ok)
    #expect(status.truncated)
  }

  @Test("N7: ten announced gigabytes are no allocation")
  func announcedGigabytes() async throws {
    let before = try residentKilobytes()
    let outcome = try await faultOutcome(
      limit: .milliseconds(600), change: wantsBody(),
      script: answering("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n"))
    #expect(outcome.verdict.reason == .transferTimeout)
    #expect(try residentKilobytes() - before < 16 * 1024)
  }

  @Test("N9: four megabytes of headers stop at 64 KiB")
  func headerBomb() async throws {
    let sent = Mutex(0)
    let outcome = try await faultOutcome { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\n")
      for _ in 0..<4000 {
        guard link.write("X: \(String(repeating: "a", count: 900))\r\n") else { return }
        sent.withLock { $0 += 1 }
      }
    }
    #expect(outcome.verdict.reason == .headersTooLarge)
    // What fills the socket's buffers beyond the cap was never taken from them.
    #expect(sent.withLock { $0 } < 4000)
  }

  @Test(
    "N10: 20,000 tiny header lines, or 3,000 interim answers, stop at their counts", arguments: [true, false])
  func headerFloods(interim: Bool) async throws {
    let outcome = try await faultOutcome { link in
      link.read(until: "\r\n\r\n")
      if interim {
        for _ in 0..<3000 { if !link.write("HTTP/1.1 103 Early Hints\r\n\r\n") { return } }
      } else {
        link.write("HTTP/1.1 200 OK\r\n")
        for _ in 0..<20_000 { if !link.write("a: b\r\n") { return } }
      }
      link.waitForEnd()
    }
    #expect(outcome.verdict.reason == .headersTooLarge)
  }

  @Test(
    "N11: header lines that break the rules are a protocol failure, and their text stays outside",
    arguments: [
      ("X: \(String(repeating: "a", count: 200_000))\r\n", Reason.headersTooLarge),
      ("A: b\0c\r\n", .httpProtocol),
      ("A: b\rc\r\n", .httpProtocol), ("A: b\r\n folded\r\n", .ok), (" folded\r\n", .httpProtocol),
      ("no colon\r\n", .httpProtocol),
      ("caf\u{e9}: b\r\n", .httpProtocol), ("cafe: b\u{e9}\u{1b}[31m\r\n", .ok),
    ])
  func brokenHeaders(line: String, reason: Reason) async throws {
    let outcome = try await faultOutcome(
      script: answering("HTTP/1.1 200 \u{1b}[31mOK\r\n\(line)Content-Length: 0\r\n\r\n"))
    #expect(outcome.verdict.reason == reason)
    #expect(outcome.verdict.message?.contains("\u{1b}") != true)
  }

  @Test(
    "N18: what is no HTTP is a protocol failure, and a banner is not kept",
    arguments: [
      "220 mail.test ESMTP canary\r\n", "hello, canary\n", "\0\0\u{1}\u{5}canary", "\u{16}\u{3}\u{1}canary",
      "HTTP/1.1\r\n\r\n", "HTTP/1.1 20 canary\r\n\r\n",
    ])
  func otherProtocols(banner: String) async throws {
    let outcome = try await faultOutcome(change: wantsBody()) { link in
      link.read(until: "\r\n\r\n")
      link.write(banner)
    }
    #expect([Reason.httpProtocol, .connectionClosed].contains(outcome.verdict.reason), "\(outcome.verdict)")
    #expect(!"\(outcome)".contains("canary"))
  }

  @Test("N18: a plain server behind https, and TLS behind http")
  func crossedProtocols() async throws {
    let plain = try await faultOutcome(scheme: "https") { link in
      _ = link.read()
      link.write("HTTP/1.1 400 Bad Request\r\n\r\n")
      link.waitForEnd()
    }
    #expect(plain.verdict.reason == .tlsHandshake)
    try await withTemporaryDirectory { folder in
      let identity = try TestAuthority(in: folder).issue("good")
      try await withNginx(in: folder, [NginxSite(["return 200;"], identity: identity)]) { ports in
        let outcome = try await ProbeBench().http(try httpCheck("http://good.test:\(ports[0])/"))
        // nginx explains itself in plain text.
        #expect(outcome.verdict.reason == .httpStatus)
        #expect(outcome.statusCode == 400)
      }
    }
  }

  @Test(
    "N19: bodies where none may be, and a second answer, disturb nobody",
    arguments: [
      ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", 204),
      ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello", 304),
      ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200),
      (
        "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 Second\r\nContent-Length: 0\r\n\r\n",
        200
      ),
    ])
  func bodiesWhereNoneMayBe(method: String, answer: String, status: Int) async throws {
    let seen = Mutex(0)
    try await withLoopbackServer(script: { link in
      seen.withLock { $0 += 1 }
      answering(answer)(link)
    }) { server in
      let check = try httpCheck("http://good.test:\(server.port)/") {
        $0.method = method
        $0.expect.status = [String(status)]
      }
      for count in 1...2 {
        #expect(try await ProbeBench().http(check).verdict == .ok)
        // Every probe has a connection of its own.
        #expect(seen.withLock { $0 } == count)
      }
    }
  }

  @Test("N20: a reset at each byte of an answer is a reset, an end or a success, never anything else")
  func resetsAtEachByte() async throws {
    let body = "needle" + String(repeating: "x", count: 394)
    let answer = Array(
      "HTTP/1.1 200 OK\r\nServer: test\r\nX-A: b\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    let cut = Mutex(0)
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      let count = cut.withLock { $0 }
      link.write(Array(answer.prefix(count)))
      link.resetOnClose()
      if count > 0 { usleep(300) }
    }) { server in
      let check = try httpCheck("http://good.test:\(server.port)/", wantsBody())
      for count in 0...answer.count {
        cut.withLock { $0 = count }
        let outcome = try await ProbeBench().http(check)
        let allowed: [Reason] =
          count == answer.count ? [.ok, .connectionReset] : [.connectionReset, .connectionClosed]
        #expect(allowed.contains(outcome.verdict.reason), "cut at \(count): \(outcome.verdict)")
      }
    }
  }

  @Test("N24: 500 hanging targets keep nobody else waiting")
  func hangingTargets() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { silent in
      try await withAnswer("HTTP/1.1 204 No Content\r\n\r\n") { live in
        try await withProbe { probe in
          let hang = try httpCheck("http://good.test:\(silent.port)/")
          let fine = try httpCheck("http://good.test:\(live.port)/")
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
              group.addTask { _ = try await probe.attempt(hang, deadline: .now + .seconds(3600)) }
            }
            try await until("all that hang") { silent.accepted >= 500 }
            for _ in 0..<50 {
              let outcome = try await probe.attempt(fine, deadline: .now + .seconds(10))
              #expect(outcome.verdict == .ok)
            }
            group.cancelAll()
            while let result = await group.nextResult() { _ = result }
          }
        }
      }
    }
  }

  @Test("N27: Alt-Svc and HSTS are not obeyed")
  func hintsToGoElsewhere() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { elsewhere in
      let head =
        "HTTP/1.1 204 No Content\r\nAlt-Svc: h2=\":\(elsewhere.port)\"; ma=9999\r\nStrict-Transport-Security: max-age=9999\r\n"
        + "Refresh: 0; url=http://good.test:\(elsewhere.port)/\r\nLink: </>; rel=preload\r\n\r\n"
      try await withAnswer(head) { server in
        let check = try httpCheck("http://good.test:\(server.port)/")
        for _ in 0..<2 { #expect(try await ProbeBench().http(check).verdict == .ok) }
      }
      #expect(elsewhere.accepted == 0)
    }
  }

  private func startConnecting(_ port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return descriptor
  }
}
