// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Curl
import Foundation
import Groups
import Monitoring
import QuartzAPI
import TestSupport
import Testing

@testable import Agent

/// Whatever the agent sends, and to whom: an address that takes no connection is left for the next one.
@Suite(.timeLimit(.minutes(2))) struct SenderAddressTests {
  enum Sender: String, CaseIterable {
    case delivery, webhook, deadMansSwitch, mail, discovery, region, etcd
  }

  private static let noon = Timestamp(seconds: 1_767_528_000)
  private static let message = AlertMessage(
    id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 1, low: 1), kind: .test, severity: .low,
    title: "test", at: noon, begin: noon, agent: "a")

  /// What serves them all: HTTP, and SMTP where the other side waits for a greeting.
  private static func serve(_ link: LoopbackConnection, speaksMail: Bool) {
    guard speaksMail else {
      link.read(until: "\r\n\r\n")
      // What a region without results answers; the others read it as an answer.
      link.write("HTTP/1.1 404 Not Found\r\nServer: quartz-agent\r\nContent-Length: 0\r\n\r\n")
      return
    }
    link.write("220 a\r\n")
    link.read(until: "\r\n")
    link.write("250 a\r\n")
    for answer in ["250 ok", "250 ok", "354 go on"] {
      link.read(until: "\r\n")
      link.write("\(answer)\r\n")
    }
    link.read(until: "\r\n.\r\n")
    link.write("250 taken\r\n")
    link.read(until: "\r\n")
    link.write("221 bye\r\n")
  }

  /// Whether the receiver was reached.
  private func send(_ sender: Sender, to port: UInt16, at addresses: [IPAddress], _ engine: CurlEngine)
    async throws -> Bool
  {
    // Plain http carries secrets to this machine alone.
    let base = try HTTPURL("http://localhost:\(port)/")
    let find: ChannelSender.Find = { _, _ in .success(addresses) }
    let alerts = ChannelSender(engine: engine, userAgent: "test", time: .system, find: find)
    switch sender {
    case .delivery:
      let exchange = CurlExchange(to: base, userAgent: "test", engine: engine, time: .system) { _, _ in
        .success(addresses)
      }
      let reply = try await exchange.exchange(APIRequest(.get, base, headers: [], timeout: .seconds(20)))
      if case .response(let response) = reply { return response.status == 404 }
      return false
    case .webhook:
      let webhook = WebhookChannel(
        url: base, format: .json, method: "POST", headers: [], routingKey: nil, caFile: nil)
      return isNotFound(await alerts.send(Self.message, by: AlertChannel(name: "c", kind: .webhook(webhook))))
    case .deadMansSwitch: return isNotFound(await alerts.call(base, timeout: .seconds(20)))
    case .mail:
      let mail = MailChannel(
        server: Endpoint(host: "receiver.test", port: port), security: .none, sender: "a@receiver.test",
        recipients: ["b@receiver.test"])
      return await alerts.send(Self.message, by: AlertChannel(name: "c", kind: .mail(mail))) == .delivered
    case .discovery:
      var definition = DiscoveryDefinition()
      (definition.http, definition.templates) = (Redacted(base.text), ["t"])
      let source = try DiscoverySource(definition) { $0 }
      let found = try await DiscoveryKeeper.ask(base, [], source, engine, find)
      if case .failed(let words) = found { return words.hasSuffix("answered 404, not 200") }
      return false
    case .region:
      let client = ShareClient(engine: engine, find: find, token: nil)
      return await client.share(base.text, UniqueID(high: 1, low: 2), Self.noon) != nil
    case .etcd:
      let client = EtcdClient(EtcdSettings(endpoints: [base]), userAgent: "test", engine: engine) { _, _ in
        .success(addresses)
      }
      guard case .failure(let failure) = try await client.call("v3/kv/range", []) else { return true }
      return failure.trouble.kind != .unreachable
    }
  }

  /// A 404 is of where it was sent to, and not of what it says: it is retried.
  private func isNotFound(_ outcome: SendOutcome) -> Bool {
    if case .failed(let words, _, _) = outcome { words.hasSuffix("answered 404") } else { false }
  }

  /// Nothing listens at the first two, and all at the third.
  @Test(arguments: Sender.allCases) func theNextAddressIsTried(sender: Sender) async throws {
    let addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.1"].compactMap { IPAddress($0) }
    try await withLoopbackServer(script: { Self.serve($0, speaksMail: sender == .mail) }) { server in
      try await withCurlEngine { engine in
        let isTaken = try await send(sender, to: server.port, at: addresses, engine)
        #expect(isTaken)
        #expect(server.accepted == 1)
        // Where nobody listens it is not reached, whatever was said before.
        let isTakenByTwo = try await send(sender, to: server.port, at: Array(addresses.prefix(2)), engine)
        #expect(!isTakenByTwo)
      }
    }
  }

  /// Beyond the connection a receiver may have acted: a second one is not told as well.
  @Test(arguments: Sender.allCases.filter { $0 != .mail })
  func whoTookTheConnectionIsTheOne(sender: Sender) async throws {
    try await withLoopbackServer(script: { link in link.read(until: "\r\n\r\n") }) { first in
      let second = try LoopbackServer(address: 0x7f00_0002, port: first.port) { _ in }
      defer { second.stop() }
      let addresses = ["127.0.0.1", "127.0.0.2"].compactMap { IPAddress($0) }
      try await withCurlEngine { engine in
        let isTaken = try await send(sender, to: first.port, at: addresses, engine)
        #expect(!isTaken)
        #expect(first.accepted == 1 && second.accepted == 0)
      }
    }
  }
}
