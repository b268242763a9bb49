// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Checks
import Curl
import Groups
import Monitoring
import Network
import NetworkTestSupport
import QuartzAPI

@testable import Agent

/// Parts of the agent that send something over the network on its own behalf.
enum OutboundSender: String, CaseIterable {
  case delivery, webhook, deadMansSwitch, mail, discovery, region, etcd, token

  var speaksHTTP: Bool { self != .mail }

  /// A name that is resolved; plain http carries secrets to this machine alone.
  var host: String { self == .mail ? "receiver.test" : "localhost" }

  /// An answer that it takes, to a request whose head this is.
  func answer(to request: String) -> String {
    switch self {
    case .delivery, .webhook, .deadMansSwitch, .mail: return http("200 OK", "")
    case .discovery: return http("200 OK", "[]")
    // A member that has never run the check.
    case .region: return http("404 Not Found", "", "Server: quartz-agent\r\n")
    case .etcd: return http("200 OK", "{}")
    case .token:
      let token = #"{"access_token":"t","token_type":"bearer"}"#
      return http("200 OK", request.contains(" /token ") ? token : "")
    }
  }

  private func http(_ status: String, _ body: String, _ headers: String = "") -> String {
    "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}

/// Sends by each sender, and tells what it makes of the receiver.
struct SenderDesk {
  static let noon = Timestamp(seconds: 1_767_528_000)
  static let message = AlertMessage(
    id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 1, low: 1), kind: .test, severity: .low,
    title: "test", at: noon, begin: noon, agent: "a")
  static let rules = OutboundRules.egress(EgressSettings())

  let engine: CurlEngine
  /// Of every name.
  let addresses: [IPAddress]
  let port: UInt16
  /// Without it plain connections are made.
  var isEncrypted = false
  var budget: Duration = .seconds(20)
  var format = WebhookChannel.Format.json

  private var outbound: Outbound { .test(engine, at: addresses) }
  private var alerts: ChannelSender { ChannelSender(outbound, Self.rules) }

  /// "taken", or what is done and said, with PLACE for the receiver's name and port, HOST for its name, and ADDRESS for
  /// the address that was dialled.
  func send(by sender: OutboundSender) async throws -> String {
    let base = try HTTPURL("\(isEncrypted ? "https" : "http")://\(sender.host):\(port)/")
    return try await said(by: sender, base).replacing("\(sender.host):\(port)", with: "PLACE")
      .replacing("127.0.0.1:\(port)", with: "ADDRESS").replacing(sender.host, with: "HOST")
  }

  private func said(by sender: OutboundSender, _ base: HTTPURL) async throws -> String {
    switch sender {
    case .delivery:
      let exchange = OriginExchange(to: base, over: outbound)
      return words(try await exchange.exchange(APIRequest(.get, base, headers: [], timeout: budget)))
    case .webhook:
      let webhook = WebhookChannel(url: base, format: format, routingKey: Redacted("a routing key"))
      return words(await notify(.webhook(webhook)))
    case .deadMansSwitch: return words(await alerts.call(base, timeout: budget))
    case .mail:
      let mail = MailChannel(
        server: Endpoint(host: sender.host, port: port), security: isEncrypted ? .implicit : .none,
        sender: "a@x.test", recipients: ["b@x.test"])
      return words(await notify(.mail(mail)))
    case .discovery: return try await discover(base)
    case .region:
      let client = ShareClient(outbound: outbound, rules: Self.rules, token: nil, patience: budget)
      return await client.share(base.text, UniqueID(high: 1, low: 2), Self.noon) == nil ? "absent" : "taken"
    case .etcd:
      let client = EtcdClient(EtcdSettings(endpoints: [base]), over: outbound)
      switch try await client.call("v3/kv/range", [], patience: budget) {
      case .success: return "taken"
      case .failure(let failure): return failure.trouble.words
      }
    case .token: return try await token(base)
    }
  }

  private func notify(_ kind: AlertChannel.Kind) async -> SendOutcome {
    var channel = AlertChannel(name: "c", kind: kind)
    channel.timeout = budget
    return await alerts.send(Self.message, by: channel)
  }

  private func discover(_ base: HTTPURL) async throws -> String {
    var definition = DiscoveryDefinition()
    (definition.http, definition.templates) = (Redacted(base.text), ["t"])
    let source = try DiscoverySource(definition) { $0 }
    switch try await DiscoveryKeeper.ask(base, [], source, outbound, Self.rules, within: budget) {
    case .list: return "taken"
    case .failed(let words): return words
    }
  }

  /// A check that needs the token: its own target is named by its address.
  private func token(_ base: HTTPURL) async throws -> String {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.retries) = ("c", "http", 0)
    (definition.url, definition.timeout) = ("http://127.0.0.1:\(port)/", budget)
    var oauth2 = OAuth2Definition()
    (oauth2.tokenURL, oauth2.clientID, oauth2.clientSecret) = ("\(base.text)token", "c", Redacted("secret"))
    definition.auth.oauth2 = oauth2
    let reactor = try Reactor()
    let runner = CheckRunner(
      engine: engine, reactor: reactor, system: SystemResolver(reactor: reactor),
      finder: TargetFinder(resolver: ScriptedNames(addresses), policy: EgressPolicy()), userAgent: "test")
    let slot = ProbeSlot(scheduledAt: Self.noon, trigger: .manual)
    let result = try await runner.run(MonitoringCheck(definition), slot: slot)
    return result.reason == .ok ? "taken" : result.message ?? result.reason.rawValue
  }

  private func words(_ reply: APIReply) -> String {
    if case .response(let answer) = reply, answer.status == 200 { return "taken" }
    switch DeliveryRules.judge(reply, by: .quartz, sent: [], now: Self.noon) {
    case .transient(let notice, let wait, _): return "retried\(after(wait)): \(notice.what)"
    case .throttled(let wait): return "throttled\(after(wait))"
    case .misconfigured(let notice, _): return "misconfigured: \(notice.what)"
    case let other: return "\(other)"
    }
  }

  private func words(_ outcome: SendOutcome) -> String {
    switch outcome {
    case .delivered: return "taken"
    case .failed(let words, let wait, let isUnreachable):
      return "retried\(isUnreachable ? " soon" : "")\(after(wait)): \(words)"
    case .refused(let words): return "refused: \(words)"
    case .deliveredBut, .partly: return "\(outcome)"
    }
  }

  private func after(_ wait: Duration?) -> String { wait.map { " after \($0.text)" } ?? "" }
}
