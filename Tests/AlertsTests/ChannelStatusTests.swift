// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Alerts

/// Every status that a receiver may answer with.
@Suite struct ChannelStatusTests {
  /// Answers with the status that the path names, and asks to be left alone for 17 s.
  private static let server: @Sendable (LoopbackConnection) -> Void = { connection in
    let path = connection.read(until: "\r\n\r\n").split(separator: " ").dropFirst().first ?? "/500"
    _ = connection.write(
      "HTTP/1.1 \(path.dropFirst()) Answer\r\nRetry-After: 17\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
    connection.waitForEnd()
  }

  private static let retried = [408, 425, 429] + Array(500...599)
  /// What is said of the content: the same will be refused again.
  private static let refused = [400, 411, 413, 414, 415, 422, 431]

  private func expected(_ status: Int, _ place: String) -> SendOutcome {
    switch status {
    case 200...299: .delivered
    case 300...399:
      .failed("\(place) answered \(status): a redirect is not followed, write where it leads")
    case _ where Self.retried.contains(status):
      .failed("\(place) answered \(status)", retryAfter: .seconds(17))
    case _ where Self.refused.contains(status): .refused("\(place) answered \(status)")
    default: .failed("\(place) answered \(status)")
    }
  }

  @Test func eachStatusHasItsOutcome() async throws {
    let server = try LoopbackServer(script: Self.server)
    defer { server.stop() }
    let place = "127.0.0.1:\(server.port)"
    let message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 1, low: 1), kind: .opened, severity: .low,
      title: "Shop is down", at: after(0), begin: after(0), agent: "a")
    let outcomes = try await withCurlEngine { engine in
      let sender = ChannelSender(.test(engine), .egress(EgressSettings()))
      var outcomes: [Int: SendOutcome] = [:]
      for status in 200...599 {
        let url = try HTTPURL("http://\(place)/\(status)")
        let channel = AlertChannel(
          name: "c", kind: .webhook(WebhookChannel(url: url, format: .json)))
        outcomes[status] = await sender.send(message, by: channel)
      }
      return outcomes
    }
    for status in 200...599 { #expect(outcomes[status] == expected(status, place), "\(status)") }
  }
}
