// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import Network
import NetworkTestSupport
import QuartzAPI
import TestSupport
import Testing

/// The whole room over real sockets: libcurl, files on disk, the fake backend on a loopback port.
@Suite struct LoopbackTests {
  private func link(
    _ settings: QuartzSettings, _ engine: CurlEngine, _ queue: MemoryQueue, state: String,
    apply: @escaping @Sendable (PulledChecks) async -> Void = { _ in }
  ) throws -> QuartzLink {
    var outside = QuartzLink.Outside(
      exchange: { OriginExchange(to: $0, over: .test(engine, at: [.v4(0x7f00_0001)])) }, time: .system,
      queue: queue, readKey: { nil }, apply: apply)
    outside.kept = { StateFile(path: "\(state)/\($0)") }
    return try QuartzLink(
      settings, agent: Sender(name: "loop", region: nil, version: "1.0"),
      rules: MappingRules(settings.checks), outside: outside)
  }

  private func settings(port: UInt16) throws -> QuartzSettings {
    QuartzSettings(url: try HTTPURL("http://localhost:\(port)/v1"), apiKey: Redacted(FakeQuartz.key))
  }

  @Test(arguments: [DeliverSettings.Target.quartz, .supabase])
  func lostAnswersOverRealSockets(target: DeliverSettings.Target) async throws {
    let fake = FakeQuartz()
    let queue = MemoryQueue(records(1100))
    fake.meet(.hangUp, .loseAnswer)
    try await withFakeQuartz(fake) { port in
      try await withTemporaryDirectory { folder in
        try await withCurlEngine { engine in
          var settings = try settings(port: port)
          settings.deliver.target = target
          settings.supabase = SupabaseSettings(
            url: try HTTPURL("http://127.0.0.1:\(port)"), apiKey: Redacted(FakeQuartz.anonKey),
            login: .password(email: FakeQuartz.email, password: Redacted(FakeQuartz.password)))
          let uploader = try #require(try link(settings, engine, queue, state: folder.path).uploader)
          await withTaskGroup(of: Void.self) { group in
            group.addTask { await uploader.run() }
            await queue.drained()
            group.cancelAll()
          }
          #expect(fake.ids == Set(records(1100).map(\.id.description)))
          #expect(fake.rows.count == 1100)
          #expect(fake.resent == 500)
          let file = target == .quartz ? "requests-quartz" : "requests-supabase"
          #expect(FileManager.default.fileExists(atPath: folder.path + "/" + file))
        }
      }
    }
  }

  /// A refusal is quoted to the operator, and some servers quote the key in it.
  @Test(arguments: [400, 401, 403, 500]) func aRefusalThatQuotesTheKeyDoesNotShowIt(status: Int) async throws
  {
    let body = "{\"error\":{\"message\":\"no such key: qtz_topsecret\"}}"
    let answer = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write(answer)
      link.waitForEnd()
    }) { server in
      let base = try HTTPURL("http://127.0.0.1:\(server.port)/v1")
      let reply = try await withCurlEngine { engine in
        let exchange = OriginExchange(to: base, over: .test(engine, at: [.v4(0x7f00_0001)]))
        let key = HeaderField("X-API-Key", "qtz_topsecret")
        return try await exchange.exchange(APIRequest(.get, base.appending("checks"), headers: [key]))
      }
      guard case .response(let response) = reply else {
        Issue.record("no answer: \(reply)")
        return
      }
      #expect(response.status == status)
      #expect(String(decoding: response.body, as: UTF8.self).contains("no such key: <redacted>"))
    }
  }

  @Test func listOverRealSocketsAndOnDisk() async throws {
    let fake = FakeQuartz()
    fake.checks = PullTests.rows(1...250)
    let (applied, feed) = AsyncStream.makeStream(of: Int.self)
    try await withFakeQuartz(fake) { port in
      try await withTemporaryDirectory { folder in
        try await withCurlEngine { engine in
          var settings = try settings(port: port)
          settings.checks.pull = true
          let made = try link(settings, engine, MemoryQueue(), state: folder.path) {
            feed.yield($0.checks.count)
          }
          let puller = try #require(made.puller)
          let count = await withTaskGroup(of: Void.self) { group in
            group.addTask { await puller.run() }
            defer { group.cancelAll() }
            return await applied.first { _ in true }
          }
          #expect(count == 250)
          #expect(fake.requests.count == 4)
          let list = try #require(try await StateFile(path: folder.path + "/checks.json").read())
          #expect(!String(decoding: list, as: UTF8.self).contains(FakeQuartz.key))
        }
      }
    }
  }

  @Test("A4: the redirect's target never hears of us, and no other origin gets the key")
  func keyGoesToTheConfiguredOriginOnly() async throws {
    let elsewhere = FakeQuartz()
    let fake = FakeQuartz()
    try await withFakeQuartz(elsewhere) { other in
      try await withFakeQuartz(fake) { port in
        try await withCurlEngine { engine in
          fake.meet(.redirect(to: "http://127.0.0.1:\(other)/v1/check-results"))
          let base = try HTTPURL("http://127.0.0.1:\(port)/v1")
          let exchange = OriginExchange(to: base, over: .test(engine))
          let key = [HeaderField("X-API-Key", Redacted(FakeQuartz.key))]
          let redirected = try await exchange.exchange(
            APIRequest(.post, base.appending("check-results"), headers: key, body: Array("{}".utf8)))
          guard case .response(let response) = redirected else {
            Issue.record("a redirect is an answer")
            return
          }
          #expect(response.status == 302)
          let foreign = try await exchange.exchange(
            APIRequest(.get, HTTPURL("http://127.0.0.1:\(other)/v1/x"), headers: key))
          #expect(foreign == .failure("the request is for another origin than configured"))
          #expect(elsewhere.requests.isEmpty)
        }
      }
    }
  }

  @Test(arguments: ["http://api.test/v1", "http://192.0.2.1/v1"])
  func keyNeedsHTTPS(url: String) async throws {
    let settings = QuartzSettings(url: try HTTPURL(url), apiKey: Redacted("k"))
    try await withCurlEngine { engine in
      _ = #expect(throws: QuartzSetupError.self) {
        try link(settings, engine, MemoryQueue(), state: "/nonexistent")
      }
    }
  }

  @Test func nameOfThisMachineThatLeadsElsewhereIsRefused() async throws {
    try await withCurlEngine { engine in
      let base = try HTTPURL("http://localhost:1/v1")
      let exchange = OriginExchange(to: base, over: .test(engine, at: [.v4(0xc000_0201)]))
      #expect(
        try await exchange.exchange(APIRequest(.get, base, headers: []))
          == .failure("localhost is not this machine; use an https url"))
    }
  }

  @Test("A11: 5 MiB of answer are no answer, and the next address is tried only while nothing was sent")
  func endlessAnswerAndDeadAddress() async throws {
    try await withLoopbackServer(script: { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write("HTTP/1.1 200 OK\r\ncontent-length: 5242880\r\n\r\n")
      connection.write([UInt8](repeating: 0x20, count: 5 << 20))
    }) { server in
      try await withCurlEngine { engine in
        let base = try HTTPURL("http://localhost:\(server.port)/v1")
        let exchange = OriginExchange(
          to: base, over: .test(engine, at: [.v4(0x7f00_0002), .v6(high: 0, low: 1), .v4(0x7f00_0001)]))
        guard case .failure = try await exchange.exchange(APIRequest(.get, base, headers: [])) else {
          Issue.record("an answer beyond the cap is a failure")
          return
        }
        #expect(server.accepted == 1)
      }
    }
  }
}
