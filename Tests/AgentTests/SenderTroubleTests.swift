// SPDX-License-Identifier: MIT

import Agent
import Basics
import Curl
import Monitoring
import Network
import TestSupport
import Testing

/// All that the agent sends, in the same ten troubles: what each sender does, and says.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SenderTroubleTests {
  private static let silence = "connected, but no answer came within the time limit"
  private static let cut = "the answer did not end within the time limit"
  private static let broken = "tls handshake failed: wrong version number"
  private static let limit = "response body exceeds its limit"

  /// A region says nothing: a member that gives no share is absent from the sum. What differs otherwise has its reason: a
  /// notification is taken with the head of its answer, lest it be sent twice; a token belongs to a check, whose timeout is
  /// the limit and whose result names the address; mail has replies in place of statuses.
  private static let table: [Trouble: [OutboundSender: [String]]] = [
    .firstAddressDead: [:],
    .nameGone: [
      .delivery: ["retried: cannot reach the quartz api: HOST cannot be resolved: dns_nxdomain"],
      .webhook: ["retried soon: HOST cannot be resolved: dns_nxdomain"],
      .deadMansSwitch: ["retried soon: HOST cannot be resolved: dns_nxdomain"],
      .mail: ["retried soon: HOST cannot be resolved: dns_nxdomain"],
      .discovery: ["HOST cannot be resolved: dns_nxdomain"], .region: ["absent"],
      .etcd: ["etcd at PLACE: HOST cannot be resolved: dns_nxdomain"],
      .token: ["token endpoint PLACE: dns_nxdomain"],
    ],
    .redirectInward: [
      .delivery: [
        "misconfigured: the quartz api answered with a redirect (302), which is never followed with a key"
      ],
      .webhook: ["retried: PLACE answered 302: a redirect is not followed, write where it leads"],
      .deadMansSwitch: ["retried: PLACE answered 302: a redirect is not followed, write where it leads"],
      .mail: ["refused: PLACE refused b@x.test: 551 not here"],
      .discovery: ["PLACE answered 302, not 200"], .region: ["absent"],
      .etcd: ["etcd at PLACE answers with status 302, and not as etcd does"],
      .token: ["token endpoint PLACE: status 302"],
    ],
    .silent: [
      .delivery: ["retried: cannot reach the quartz api: PLACE: \(silence)"],
      .webhook: ["retried: PLACE: \(silence)"], .deadMansSwitch: ["retried: PLACE: \(silence)"],
      .mail: ["retried: PLACE: \(silence)"], .discovery: ["PLACE: \(silence)"], .region: ["absent"],
      .etcd: ["etcd at PLACE: \(silence)"],
      .token: [
        "token endpoint PLACE: ADDRESS: connected, but no answer came within the timeout of 1s"
      ],
    ],
    .slow: [
      .delivery: ["retried: cannot reach the quartz api: PLACE: \(cut)"],
      .mail: ["retried: PLACE: \(silence)"],
      .discovery: ["PLACE: \(cut)"], .region: ["absent"], .etcd: ["etcd at PLACE: \(cut)"],
      .token: ["token endpoint PLACE: ADDRESS: the answer did not end within the timeout of 1s"],
    ],
    .endless: [
      .delivery: ["retried: cannot reach the quartz api: PLACE: \(limit)"],
      // libcurl's own limit, its time, or the time that it is given beyond.
      .mail: [
        "retried: PLACE: Failure when receiving data from the peer", "retried: PLACE: \(silence)",
        "retried: PLACE: no reply within 1s",
      ],
      .discovery: ["PLACE: \(limit)"], .region: ["absent"], .etcd: ["etcd at PLACE: \(limit)"],
      .token: ["token endpoint PLACE: the answer is too large"],
    ],
    .brokenTLS: [
      .delivery: ["retried: cannot reach the quartz api: PLACE: \(broken)"],
      .webhook: ["retried: PLACE: \(broken)"], .deadMansSwitch: ["retried: PLACE: \(broken)"],
      // libcurl judges the handshake of a mail, in its words.
      .mail: ["retried: PLACE: SSL connect error"], .discovery: ["PLACE: \(broken)"], .region: ["absent"],
      .etcd: ["etcd at PLACE: \(broken)"], .token: ["token endpoint PLACE: ADDRESS: \(broken)"],
    ],
    .proxy: [
      .delivery: ["misconfigured: the quartz api refuses the request: 407"],
      .webhook: ["retried: PLACE answered 407"], .deadMansSwitch: ["retried: PLACE answered 407"],
      .mail: ["refused: PLACE refused b@x.test: 530 log in first"],
      .discovery: ["PLACE answered 407, not 200"], .region: ["absent"],
      .etcd: ["etcd at PLACE answers with status 407, and not as etcd does"],
      .token: ["token endpoint PLACE: status 407"],
    ],
    .tooMany: [
      .delivery: ["throttled after 7s"], .webhook: ["retried after 7s: PLACE answered 429"],
      .deadMansSwitch: ["retried after 7s: PLACE answered 429"],
      .mail: ["retried: PLACE deferred b@x.test: 451 later"], .discovery: ["PLACE answered 429, not 200"],
      .region: ["absent"], .etcd: ["etcd at PLACE answers with status 429, and not as etcd does"],
      .token: ["token endpoint PLACE: status 429"],
    ],
    .unavailable: [
      .delivery: ["retried after 7s: the quartz api has trouble: 503"],
      .webhook: ["retried after 7s: PLACE answered 503"],
      .deadMansSwitch: ["retried after 7s: PLACE answered 503"],
      .mail: ["retried: PLACE deferred b@x.test: 421 busy"], .discovery: ["PLACE answered 503, not 200"],
      .region: ["absent"], .etcd: ["etcd at PLACE: status 503"],
      .token: ["token endpoint PLACE: status 503"],
    ],
  ]

  private func said(_ trouble: Trouble, _ sender: OutboundSender, _ format: WebhookChannel.Format = .json)
    async throws
    -> String
  {
    try await withLoopbackServer(script: { trouble.serve($0, to: sender) }) { server in
      try await withCurlEngine { engine in
        var desk = SenderDesk(engine: engine, addresses: trouble.addresses, port: server.port)
        (desk.isEncrypted, desk.budget) = (trouble == .brokenTLS, trouble.budget(sender))
        desk.format = format
        return try await desk.send(by: sender)
      }
    }
  }

  @Test(arguments: Trouble.allCases, OutboundSender.allCases)
  func eachSenderInEachTrouble(trouble: Trouble, sender: OutboundSender) async throws {
    let expected = try #require(Self.table[trouble])[sender] ?? ["taken"]
    var found = try await said(trouble, sender)
    // Beside other tests the machine may be too late to tell, which it says.
    for _ in 0..<4 where found.contains("this machine was busy") { found = try await said(trouble, sender) }
    #expect(expected.contains(found), "\(found)")
  }

  /// Every kind of webhook is sent the same way.
  @Test(arguments: WebhookChannel.Format.allCases, [Trouble.firstAddressDead, .redirectInward, .unavailable])
  func eachFormatInTrouble(format: WebhookChannel.Format, trouble: Trouble) async throws {
    let expected = try #require(Self.table[trouble])[.webhook] ?? ["taken"]
    #expect(try await said(trouble, .webhook, format) == expected[0])
  }

  /// Nothing listens at the addresses.
  @Test(arguments: OutboundSender.allCases) func everyAddressIsDead(sender: OutboundSender) async throws {
    let port = try freePort()
    let addresses = ["127.0.0.2", "127.0.0.3"].compactMap { IPAddress($0) }
    let found = try await withCurlEngine { engine in
      try await SenderDesk(engine: engine, addresses: addresses, port: port).send(by: sender)
    }
    #expect(sender == .region ? found == "absent" : found.hasSuffix(": connection refused"), "\(found)")
  }

  /// Beyond the connection a receiver may have acted: a second one is not told as well.
  @Test(arguments: OutboundSender.allCases.filter(\.speaksHTTP))
  func whatTookTheConnectionIsTheOne(sender: OutboundSender) async throws {
    try await withLoopbackServer(script: { link in link.read(until: "\r\n\r\n") }) { first in
      let second = try LoopbackServer(address: 0x7f00_0002, port: first.port) { _ in }
      defer { second.stop() }
      let addresses = ["127.0.0.1", "127.0.0.2"].compactMap { IPAddress($0) }
      try await withCurlEngine { engine in
        let desk = SenderDesk(engine: engine, addresses: addresses, port: first.port)
        let found = try await desk.send(by: sender)
        #expect(found != "taken")
        #expect(first.accepted == 1 && second.accepted == 0)
      }
    }
  }
}
