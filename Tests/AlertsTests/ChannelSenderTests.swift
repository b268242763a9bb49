// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import TestSupport
import Testing

@testable import Alerts

struct ChannelSenderTests {
  private func send(_ answer: String, hangs: Bool = false) async throws -> SendOutcome {
    let server = try LoopbackServer { connection in
      _ = connection.read()
      _ = connection.write(answer)
      if hangs { while !connection.read().isEmpty {} }
    }
    defer { server.stop() }
    let url = try HTTPURL("http://127.0.0.1:\(server.port)/hooks/T0KENT0KEN")
    let webhook = WebhookChannel(
      url: url, format: .json, method: "POST", headers: [HeaderField("Authorization", "Bearer H3ADERVALU")],
      routingKey: nil, caFile: nil)
    var channel = AlertChannel(name: "c", kind: .webhook(webhook))
    channel.timeout = .seconds(1)
    let noon = Timestamp(seconds: 1_767_528_000)
    let message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 1, low: 1), kind: .test, severity: .low,
      title: "test",
      at: noon, begin: noon, agent: "a")
    let sent = channel
    return try await withCurlEngine { engine in
      let sender = ChannelSender(engine: engine, userAgent: "test", time: .system) { host, _ in
        .success([IPAddress(host)].compactMap { $0 })
      }
      return await sender.send(message, by: sent)
    }
  }

  /// The head of an answer is the answer, whatever becomes of its body: what was taken is not told twice.
  @Test(arguments: [
    "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut",
    "HTTP/1.1 200 OK\r\nContent-Length: 4294967296\r\n\r\n\(String(repeating: "x", count: 20_000))",
  ])
  func taken(_ answer: String) async throws {
    #expect(try await send(answer) == .delivered)
  }

  /// Nor is it told twice where the body never ends.
  @Test func hangsAfterItsHead() async throws {
    #expect(try await send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", hangs: true) == .delivered)
  }

  /// What may work later is tried again, what will not is not; no secret of the channel is told.
  @Test(arguments: [
    ("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", true),
    ("HTTP/1.1 404 No\r\nContent-Length: 10\r\n\r\nT0KENT0KEN", true),
    ("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nH3ADERVALU", false), ("", false),
    ("HTTP/1.1 429 Slow\r\nRetry-After: 17\r\nContent-Length: 0\r\n\r\n", false),
  ])
  func notTaken(_ answer: String, _ isFinal: Bool) async throws {
    let outcome = try await send(answer)
    switch outcome {
    case .delivered: Issue.record("it was not taken")
    case .refused: #expect(isFinal)
    case .failed(_, let wait): #expect(!isFinal && wait == (answer.contains("429") ? .seconds(17) : nil))
    }
    #expect(!"\(outcome)".contains("T0KEN") && !"\(outcome)".contains("H3ADER"))
  }
}
