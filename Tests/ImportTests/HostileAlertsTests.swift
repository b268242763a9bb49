// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Files of Gatus and Uptime Kuma that are small to write and large to work out.
@Suite struct HostileAlertsTests {
  private func read(_ text: String) throws -> Imported {
    try Importer.read(.gatus, [ImportFile(name: "f", bytes: Array(text.utf8))])
  }

  @Test func channelsAreCounted() throws {
    let endpoints = (0..<3000).map {
      "  - {name: a, group: g\($0), url: \"https://a.example/\", conditions: [\"[STATUS] == 200\"], "
        + "alerts: [{type: slack, provider-override: {webhook-url: \"https://a.example/\($0)\"}}]}\n"
    }
    let overrides = (0..<3000).map { "{group: g\($0), webhook-url: \"https://b.example/\($0)\"}" }
    let made = try read(
      "alerting: {slack: {webhook-url: \"https://a.example/\", overrides: [\(overrides.joined(separator: ", "))]}}\n"
        + "endpoints:\n\(endpoints.joined())")
    #expect(made.checks.count == 3000 && made.sections.channels.count == 32)
    #expect(
      made.checks[2999].notes.map(\.why) == [
        "agent.yaml takes 32 channels",
        "agent.yaml takes 32 channels",
      ])
  }

  /// Each alert looks at its provider, which is as long as all of them.
  @Test func providersAreReadOnce() throws {
    let keys = (0..<20_000).map { "k\($0): x" }.joined(separator: ", ")
    let alerts = Array(repeating: "{type: slack}, {type: ntfy}", count: 5_000).joined(separator: ", ")
    let made = try read(
      "alerting: {slack: {webhook-url: \"https://a.example/\", \(keys), default-alert: {\(keys)}}, ntfy: {\(keys)}}\n"
        + "endpoints: [{name: a, url: \"https://a.example/\", conditions: [\"[STATUS] == 200\"], alerts: [\(alerts)]}]\n"
    )
    #expect(made.sections.channels.count == 1)
  }

  @Test func variablesAreReadInOneWalk() throws {
    let text = String(repeating: "$X", count: 200_000)
    let made = try read(
      "endpoints: [{name: a, url: \"https://a.example/\", method: POST, body: \"\(text)\", conditions: [\"[STATUS] == 200\"]}]\n"
    )
    guard case .joined(let parts)? = made.checks.first?["body"] else {
      Issue.record("no body")
      return
    }
    #expect(parts.count == 200_000)
  }

  @Test func numbersAreBounded() throws {
    let most = String(Int.max)
    let conditions = [
      "[STATUS] <= \(most)", "[RESPONSE_TIME] <= \(most)", "[BODY].a > \(most)", "[BODY].a >= -\(most)",
      "len([BODY].a) > \(most)", "[CERTIFICATE_EXPIRATION] > \(most)", "[BODY].a[\(most)] == 1",
      "[BODY] == pat(\(String(repeating: "*a", count: 2000)))",
    ].map { "\"\($0)\"" }.joined(separator: ", ")
    let made = try read("endpoints: [{name: a, url: \"https://a.example/\", conditions: [\(conditions)]}]\n")
    #expect(made.checks.count == 1 && made.carried + made.listed == made.total)
    let row =
      "{\"id\":1,\"name\":\"a\",\"type\":\"port\",\"hostname\":\"a\",\"port\":1,\"interval\":\(most),"
      + "\"maxretries\":\(most),\"retryInterval\":\(most),\"resendInterval\":\(most),\"notificationIDList\":{\"1\":true}}"
    let config = "\"{\\\"type\\\":\\\"slack\\\",\\\"slackwebhookURL\\\":\\\"https://a.example/\\\"}\""
    let kuma =
      "{\"monitorList\":[\(row)],\"notificationList\":[{\"id\":1,\"name\":\"n\",\"config\":\(config)}]}"
    let other = try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(kuma.utf8))])
    #expect(other.checks.count == 1 && other.sections.remind == 604_800_000)
  }
}
