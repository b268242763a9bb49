// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Alerts

struct ChannelSenderTests {
  private func send(_ answer: String, hangs: Bool = false) async throws -> SendOutcome {
    try await attempt(answer, hangs: hangs).outcome
  }

  private func attempt(
    _ answer: String, hangs: Bool = false
  ) async throws -> (outcome: SendOutcome, answer: String?) {
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
      let sender = ChannelSender(.test(engine), .egress(EgressSettings()))
      return await sender.attempt(message, by: sent)
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

  /// What is about the content is refused, everything else is retried; no secret of the channel is shown.
  @Test(arguments: [
    ("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", false),
    ("HTTP/1.1 404 No\r\nContent-Length: 10\r\n\r\nT0KENT0KEN", false),
    ("HTTP/1.1 400 No\r\nContent-Length: 10\r\n\r\nT0KENT0KEN", true),
    ("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n", true),
    ("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nH3ADERVALU", false), ("", false),
    ("HTTP/1.1 429 Slow\r\nRetry-After: 17\r\nContent-Length: 0\r\n\r\n", false),
    (
      "HTTP/1.1 429 Slow\r\nDate: Fri, 04 Jan 2036 02:00:00 GMT\r\nRetry-After: Fri, 04 Jan 2036 02:00:17 GMT\r\n"
        + "Content-Length: 0\r\n\r\n", false
    ),
  ])
  func notTaken(_ answer: String, _ isFinal: Bool) async throws {
    let outcome = try await send(answer)
    switch outcome {
    case .delivered, .deliveredBut, .partly: Issue.record("it was not taken")
    case .refused: #expect(isFinal)
    case .failed(_, let wait, _): #expect(!isFinal && wait == (answer.contains("429") ? .seconds(17) : nil))
    }
    #expect(!"\(outcome)".contains("T0KEN") && !"\(outcome)".contains("H3ADER"))
  }

  /// A status on either side of each bound: taken, refused for good, a redirect, or tried again, and when.
  @Test(
    arguments: [
      (200, "taken"), (299, "taken"), (300, "redirect"), (399, "redirect"), (400, "refused"), (401, "again"),
      (407, "again"), (408, "in 17"), (409, "again"), (410, "again"), (411, "refused"), (412, "again"),
      (413, "refused"), (414, "refused"), (415, "refused"), (416, "again"), (421, "again"), (422, "refused"),
      (423, "again"), (424, "again"), (425, "in 17"), (426, "again"), (428, "again"), (429, "in 17"),
      (430, "again"), (431, "refused"), (432, "again"), (499, "again"), (500, "in 17"), (599, "in 17"),
    ] as [(Int, String)])
  func statuses(_ status: Int, _ meaning: String) async throws {
    let outcome = try await send(
      "HTTP/1.1 \(status) Answer\r\nRetry-After: 17\r\nContent-Length: 0\r\n\r\n")
    let found =
      switch outcome {
      case .delivered: "taken"
      case .refused: "refused"
      case .failed(let words, let wait, false):
        wait.map { "in \(Int($0.seconds))" } ?? (words.contains("redirect") ? "redirect" : "again")
      case .deliveredBut, .partly, .failed: "\(outcome)"
      }
    #expect(found == meaning)
  }

  /// Whoever tries a channel reads what the receiver said: one line, printable, bounded, without what is secret.
  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok\nand more", "200 ok"),
    ("HTTP/1.1 204 No Content\r\n\r\n", "204"),
    ("HTTP/1.1 400 No\r\nContent-Length: 12\r\n\r\nno such \u{1b}[2m", "400 no such"),
    (
      "HTTP/1.1 404 No\r\nContent-Length: 23\r\n\r\n/hooks/T0KENT0KEN is not",
      "404, and a text that repeats a secret of the channel"
    ),
    (
      "HTTP/1.1 500 No\r\nContent-Length: 400\r\n\r\n\(String(repeating: "y", count: 400))",
      "500 \(String(repeating: "y", count: 100))"
    ), ("", nil),
  ])
  func whatWasSaid(_ answer: String, _ line: String?) async throws {
    let said = try await attempt(answer).answer
    #expect((said == nil) == (line == nil) && said?.hasPrefix(line ?? "") ?? true, "\(said ?? "")")
    #expect((said ?? "").utf8.count <= 220 && said?.utf8.allSatisfy { $0 >= 0x20 } ?? true)
  }

  /// What tries PagerDuty is resolved at once, under the key that it was opened by.
  @Test(arguments: [
    (AlertMessage.Kind.test, ["trigger", "resolve"]), (.opened, ["trigger", "resolve"]),
    (.update, ["trigger", "resolve"]), (.digest, ["trigger", "resolve"]),
    (.acknowledged, ["acknowledge", "resolve"]), (.recovered, ["resolve", "resolve"]),
  ])
  func aTestLeavesNothingOpen(_ kind: AlertMessage.Kind, _ actions: [String]) async throws {
    let bodies = try await bodies(kind, answers: 202)
    #expect(bodies.map { $0["event_action"]?.string } == actions)
    #expect(Set(bodies.map { $0["dedup_key"]?.string ?? "" }).count == 1)
    #expect(bodies.first?["dedup_key"]?.string?.utf8.count == 36)
  }

  /// What was not taken has nothing to be resolved.
  @Test func aTestThatIsNotTaken() async throws {
    #expect(try await bodies(.test, answers: 400).map { $0["event_action"]?.string } == ["trigger"])
  }

  /// What a channel to PagerDuty is sent by `quartz-agent alert test`.
  private func bodies(_ kind: AlertMessage.Kind, answers status: Int) async throws -> [JSONValue] {
    let seen = Mutex<[JSONValue]>([])
    let server = try LoopbackServer { connection in
      let head = connection.read(until: "\r\n\r\n")
      let length = head.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
      var body = head.firstRange(of: "\r\n\r\n").map { Array(head[$0.upperBound...].utf8) } ?? []
      while body.count < length {
        let more = connection.read(length - body.count)
        if more.isEmpty { break }
        body += more
      }
      if let json = try? JSONValue.parse(body) { seen.withLock { $0.append(json) } }
      _ = connection.write("HTTP/1.1 \(status) Answer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      connection.waitForEnd()
    }
    defer { server.stop() }
    let url = try HTTPURL("http://127.0.0.1:\(server.port)/v2/enqueue")
    var webhook = WebhookChannel(url: url, format: .pagerduty)
    webhook.routingKey = Redacted("key")
    let channel = AlertChannel(name: "pd", kind: .webhook(webhook))
    let message = MessageWriter(agent: "a", region: nil, pageURL: nil).sample(kind, channel, now: after(0))
    let outcome = try await withCurlEngine { engine in
      await ChannelSender(.test(engine), .egress(EgressSettings())).send(message, by: channel)
    }
    #expect(outcome.isDelivered == (status < 300))
    return seen.withLock { $0 }
  }

  /// What a rule forbids is not tried for a day; a name that is not there may be there soon.
  @Test(arguments: [
    ("192.0.2.1", SendOutcome.refused("egress forbids 192.0.2.1:80")),
    ("gone.test", .failed("gone.test cannot be resolved: dns_nxdomain", isUnreachable: true)),
  ])
  func aRuleIsFinal(host: String, expected: SendOutcome) async throws {
    let channel = AlertChannel(
      name: "c", kind: .webhook(WebhookChannel(url: try HTTPURL("http://\(host)/"), format: .json)))
    let noon = Timestamp(seconds: 1_767_528_000)
    let message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 1, low: 1), kind: .test, severity: .low,
      title: "test", at: noon, begin: noon, agent: "a")
    var egress = EgressSettings()
    egress.deny = [EgressRule(try #require(CIDR("192.0.2.0/24")))]
    let rules = OutboundRules.egress(egress)
    let outcome = try await withCurlEngine { engine in
      await ChannelSender(.test(engine), rules).send(message, by: channel)
    }
    #expect(outcome == expected)
  }

  /// One outcome a recipient: what is not taken is retried for those alone, what is refused is named and keeps no other from
  /// it, a server that cannot be reached is not asked again for each.
  @Test func recipients() {
    func outcome(_ ends: [(String, MailTransfer.End)]) -> SendOutcome {
      var round = MailRound(server: "mx:25")
      for (recipient, end) in ends {
        if round.isUnreachable {
          round.leave(recipient)
          continue
        }
        round.note(end, for: recipient)
      }
      return round.outcome
    }
    #expect(outcome([("a", .taken), ("b", .taken)]) == .delivered)
    let (later, gone) = (MailTransfer.End.answered(MailReply(452, "full")), MailReply(550, "no such user"))
    #expect(
      outcome([("a", .taken), ("b", later), ("c", .taken)])
        == .partly("mx:25 deferred b: 452 full", remaining: ["b"]))
    #expect(
      outcome([("a", .taken), ("b", .answered(gone))]) == .deliveredBut("mx:25 refused b: 550 no such user"))
    #expect(outcome([("a", .answered(gone))]) == .refused("mx:25 refused a: 550 no such user"))
    #expect(
      outcome([("a", .answered(gone)), ("b", later), ("c", .answered(MailReply(451)))])
        == .partly(
          "mx:25 deferred b: 452 full; mx:25 deferred c: 451; mx:25 refused a: 550 no such user",
          remaining: ["b", "c"], refused: "mx:25 refused a: 550 no such user", isTaken: false))
    #expect(
      outcome((1...6).map { ("\($0)", .answered(MailReply(550))) })
        == .refused(
          "mx:25 refused 1: 550; mx:25 refused 2: 550; mx:25 refused 3: 550; mx:25 refused 4: 550; and 2 more"
        ))
    #expect(
      outcome([("a", .failed("no route")), ("b", .taken)]) == .failed("mx:25: no route"))
    #expect(
      outcome([("a", .taken), ("b", .failed("cut")), ("c", .taken)])
        == .partly("mx:25: cut", remaining: ["b", "c"]))
  }
}
