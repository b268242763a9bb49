// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Alerts

/// The request of a webhook, what each status means, and what each end of a program is called; nothing is
/// sent.
@Suite struct ChannelRequestTests {
  private let message = AlertMessage(
    id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: .opened, severity: .high,
    title: "T", at: after(100), begin: after(0), agent: "a")

  private func webhook(_ format: WebhookChannel.Format = .json) throws -> WebhookChannel {
    WebhookChannel(
      url: try HTTPURL("https://hooks.example:8443/t/T0KENT0KEN"), format: format, method: "PUT",
      headers: [HeaderField("Authorization", "Bearer S3CRET99")], routingKey: nil, caFile: "/ca.pem")
  }

  private func withSender<Value: Sendable>(
    _ body: @escaping @Sendable (ChannelSender) throws -> Value
  ) async throws -> Value {
    try await withCurlEngine { engine in try body(ChannelSender(.test(engine), .egress(EgressSettings()))) }
  }

  /// Each field of a request: only ntfy is sent to the server's root.
  @Test(
    arguments: [
      (.json, "https://hooks.example:8443/t/T0KENT0KEN"), (.ntfy, "https://hooks.example:8443/"),
    ] as [(WebhookChannel.Format, String)])
  func requests(format: WebhookChannel.Format, url: String) async throws {
    let webhook = try webhook(format)
    var channel = AlertChannel(name: "c", kind: .webhook(webhook))
    channel.timeout = .seconds(7)
    let (sent, message) = (channel, message)
    let request = try await withSender { $0.request(message, [1, 2], webhook, sent) }
    #expect(request.url == url && request.method == "PUT" && request.body == [1, 2])
    #expect(request.timeout == .seconds(7) && request.tls.caFile == "/ca.pem")
    #expect(request.origin == WorkOrigin(.notifications, named: "c"))
    #expect(
      request.headers.map { "\($0.name): \($0.value.reveal())" } == [
        "Content-Type: application/json", "X-Quartz-Message: \(message.id)", "Authorization: Bearer S3CRET99",
      ])
  }

  /// What is tried again, what is not, and what says who may send or where to.
  @Test func statuses() async throws {
    let webhook = try webhook()
    let again: Set<Int> = [408, 425, 429]
    let refused: Set<Int> = [400, 411, 413, 414, 415, 422, 431]
    let found = try await withSender { sender in
      (100...620).map { status in
        sender.judge(
          OutboundAnswer(status: status, headers: [HeaderField("Retry-After", "17")]), webhook)
      }
    }
    let place = "hooks.example:8443"
    for (status, outcome) in zip(100...620, found) {
      let expected: SendOutcome =
        switch status {
        case 200...299: .delivered
        case 300...399:
          .failed("\(place) answered \(status): a redirect is not followed, write where it leads")
        case _ where refused.contains(status): .refused("\(place) answered \(status)")
        case _ where again.contains(status) || (500...599).contains(status):
          .failed("\(place) answered \(status)", retryAfter: .seconds(17))
        default: .failed("\(place) answered \(status)")
        }
      #expect(outcome == expected, "\(status)")
    }
  }

  /// Status and first line of an answer, without a secret of the channel.
  @Test(
    arguments: [
      ("", "422"), ("a\r\nb", "422 a"), ("a\nb", "422 a"), ("\r\n\na", "422 a"),
      ("no T0KENT0KEN", "422, and a text that repeats a secret of the channel"),
      ("no S3CRET99", "422, and a text that repeats a secret of the channel"),
      ("hooks.example", "422 hooks.example"),
    ])
  func answers(body: String, line: String) throws {
    let answer = WebhookAnswer(try webhook()).line(of: OutboundAnswer(status: 422, body: Array(body.utf8)))
    #expect(answer == line)
    let long = OutboundAnswer(status: 200, body: [UInt8](repeating: 0x78, count: 201))
    let words = WebhookAnswer(try webhook()).line(of: long)
    #expect(words == "200 \(String(repeating: "x", count: 197))…")
    let whole = OutboundAnswer(status: 200, body: [UInt8](repeating: 0x78, count: 200))
    #expect(WebhookAnswer(try webhook()).line(of: whole) == "200 \(String(repeating: "x", count: 200))")
  }

  @Test func programs() async throws {
    let exec = ExecChannel(command: ["/bin/tell", "x"])
    var channel = AlertChannel(name: "c", kind: .exec(exec))
    channel.timeout = .seconds(30)
    let sent = channel
    let ends: [(ProgramRun.End, SendOutcome)] = [
      (.ended(code: 0, "x"), .delivered), (.ended(code: 1, ""), .failed("/bin/tell exited with status 1")),
      (.ended(code: 2, "no"), .failed("/bin/tell exited with status 2: no")),
      (.killed(9), .failed("/bin/tell was ended by signal 9")),
      (.timedOut, .failed("/bin/tell took longer than 30s and was ended")),
      (.stopped, .failed("/bin/tell was ended: stopped meanwhile")),
      (.notStarted("none", isFinal: true), .refused("/bin/tell cannot be started: none")),
      (.notStarted("full", isFinal: false), .failed("/bin/tell cannot be started: full")),
    ]
    let ended = ends.map(\.0)
    let found = try await withSender { sender in ended.map { sender.outcome(of: $0, exec, sent) } }
    for (outcome, end) in zip(found, ends) { #expect(outcome == end.1) }
  }
}
