// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// What goes wrong before or below the target, and how it is told from a target's failure.
@Suite struct LocalFaultTests {
  @Test func aClosedPortRefuses() async throws {
    let report = try await transfer(request(try freePort(), timeout: .seconds(5)))
    #expect(report.failure?.kind == .connectRefused)
    #expect(report.failure?.phase == .connect)
    #expect(report.times.connectStart != nil)
    #expect(report.times.connected == nil)
    #expect(report.failure?.message == "connection refused")
  }

  @Test func aFailureBelowIsNotRememberedForTheNext() async throws {
    let dead = request(try freePort(), timeout: .seconds(5))
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort")
    }) { server in
      let cut = request(server.port)
      try await withCurlEngine { engine in
        for _ in 0..<3 {
          let refused = try await engine.perform(dead)
          #expect(refused.failure?.kind == .connectRefused)
          let short = try await engine.perform(cut)
          #expect(short.failure?.kind == .closed)
        }
      }
    }
  }

  /// A plain transfer leaves its handle for the next one; what it pinned is freed by then.
  @Test func nothingOfAPlainTransferReachesTheOneThroughAProxy() async throws {
    let asked = Mutex<[String]>([])
    try await withLoopbackServer(script: { link in
      asked.withLock { $0.append(String(link.read(until: "\r\n\r\n").prefix { $0 != "\r\n" })) }
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }) { server in
      let plain = request(server.port)
      var proxied = plain
      proxied.proxy = ProxySettings(scheme: .http, endpoint: Endpoint(host: "proxy.test", port: 3128))
      try await withCurlEngine { engine in
        for _ in 0..<20 {
          let first = try await engine.perform(plain)
          #expect(first.outcome == .complete)
          let second = try await engine.perform(proxied)
          #expect(second.outcome == .complete)
        }
      }
      let lines = asked.withLock(\.self)
      #expect(Set(lines).count == 2 && lines.count == 40)
      #expect(lines.enumerated().allSatisfy { $0.element.contains("http://") == ($0.offset % 2 == 1) })
    }
  }

  @Test(arguments: [
    ("a url with a user", "http://user@good.test/"), ("a url with a space", "http://good.test/a b"),
    ("a url with a line break", "http://good.test/\r\nX: y"), ("no host", "http:///"),
  ])
  func aRequestThatCannotBeSentIsOurFault(name: String, url: String) async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      var asked = request(server.port)
      asked.url = url
      let report = try await transfer(asked)
      guard case .local = report.failure?.kind else {
        Issue.record("\(name): \(String(describing: report.failure))")
        return
      }
      #expect(server.accepted == 0)
    }
  }

  @Test(arguments: [
    HeaderField("X", "a\r\nInjected: yes"), HeaderField("X\r\nY", "a"), HeaderField("", "a"),
    HeaderField("X Y", "a"),
    HeaderField("X", "a\0b"), HeaderField("X", "a\nb"), HeaderField("X", "a\rb"),
  ])
  func headersThatWouldInjectAreRefused(field: HeaderField) async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      var asked = request(server.port)
      asked.headers = [field]
      let report = try await transfer(asked)
      #expect(report.failure?.kind == .local(.request))
      #expect(server.accepted == 0)
    }
  }

  /// A request for which nobody chose an address is refused: its URL's name is never looked up.
  @Test func aNameIsNeverDialled() async throws {
    var asked = request(80)
    asked.url = "http://localhost/"
    asked.plan = nil
    let report = try await transfer(asked)
    #expect(report.failure?.kind == .local(.request))
  }

  @Test(.enabled(if: Machine.hasIPv6, "\(Machine.noIPv6)")) func ipv6LiteralsAreDialled() async throws {
    try await withLoopbackServer(
      ipv6: true,
      script: { link in
        link.read(until: "\r\n\r\n")
        link.write("HTTP/1.1 204 No Content\r\n\r\n")
      }
    ) { server in
      var asked = request(server.port)
      asked.plan = .address(try SocketAddress("::1", server.port))
      let report = try await transfer(asked)
      #expect(report.statusCode == 204)
    }
  }

  @Test func theConnectionHasItsOwnLimit() async throws {
    // A listener whose queue is full: the kernel drops further connection attempts without a word.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    let port = try bindLoopback(listener)
    #expect(listen(listener, 0) == 0)
    try await withCurlEngine { engine in
      var fill = request(port, goal: .headers, timeout: .seconds(2))
      fill.connectTimeout = .milliseconds(300)
      let asked = fill
      let reports = try await withThrowingTaskGroup(of: TransferReport.self) { group in
        for _ in 0..<4 { group.addTask { try await engine.perform(asked) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let stuck = reports.filter { $0.failure?.phase == .connect }
      #expect(!stuck.isEmpty)
      #expect(stuck.allSatisfy { $0.failure?.kind == .timeout })
      // The ones that got into the queue take their whole time.
      #expect(
        reports.filter { $0.failure?.phase == .firstByte }.allSatisfy { $0.times.ended > .seconds(1.5) })
    }
  }
}
