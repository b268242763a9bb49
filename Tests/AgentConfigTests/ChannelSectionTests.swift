// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// What is worth a word of a channel, and what is wrong with it.
struct ChannelSectionTests {
  private func file(_ channel: String) -> String {
    """
    alerts:
      channels:
        - {name: ops, \(channel)}
    checks:
      - {name: Shop, type: ping, host: 192.0.2.1}

    """
  }

  /// Warnings but that of a secret that stands in the file, which is another matter.
  private func told(_ channel: String) throws -> [String] {
    try warnings(file(channel)).filter { !$0.contains("is written out in the file") }
  }

  /// What crosses networks of others in plain text; this machine and private networks are one's own.
  @Test(arguments: [
    ("webhook: \"http://hooks.example/T0KEN\"", "sends over plain http"),
    ("webhook: \"http://198.51.100.7/T0KEN\"", "sends over plain http"),
    (
      "mail: {server: \"mx.example:25\", tls: none, from: a@b.example, to: [c@d.example]}",
      "mail in plain text"
    ),
  ])
  func listenersAreWarnedOf(channel: String, words: String) throws {
    let found = try told(channel)
    #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
    #expect(!"\(found)".contains("T0KEN"))
  }

  @Test(arguments: [
    "webhook: \"https://hooks.example/T0KEN\"", "webhook: \"http://127.0.0.1:9093/api/v2/alerts\"",
    "webhook: \"http://10.1.2.3/x\"", "webhook: \"http://[fd00::7]/x\"",
    "webhook: \"http://localhost:8080/x\"",
    "mail: {server: \"192.168.7.1:25\", tls: none, from: a@b.example, to: [c@d.example]}",
    "mail: {server: \"mx.example\", from: a@b.example, to: [c@d.example]}",
  ])
  func whatIsNearOrEncryptedIsNot(channel: String) throws { #expect(try told(channel) == []) }

  /// Templates of what is sent as JSON do nothing; every other format has words.
  @Test(
    arguments: [
      ("exec: [/bin/true]", "for exec"), ("webhook: \"https://hooks.example/T0KEN\"", "with format: json"),
      ("webhook: \"https://hooks.example/T0KEN\", format: json", "with format: json"),
      ("webhook: \"https://hooks.example/T0KEN\", format: slack", nil),
      ("webhook: \"https://hooks.example/T0KEN\", format: alertmanager", nil),
      ("mail: {server: \"mx.example\", from: a@b.example, to: [c@d.example]}", nil),
    ] as [(String, String?)])
  func templatesWithoutAnEffect(channel: String, kind: String?) throws {
    let found = try told("\(channel), title: \"{{check}}\", text: \"{{reason}}\"")
    let column = "    - {name: ops, \(channel), ".utf8.count + 1
    let words = kind.map { kind in
      [("title", column), ("text", column + "title: \"{{check}}\", ".utf8.count)].map { key, column in
        "agent.yaml:3:\(column): \(key) has no effect \(kind): the channel \"ops\" is sent the fields of the notification "
          + "as JSON\n  hint: leave it out"
      }
    }
    #expect(found == words ?? [])
  }

  /// A login never goes in plain text to another machine, not even to one nearby.
  @Test func aLoginIsNeverPlain() {
    let mail =
      "mail: {server: \"192.168.7.1:25\", tls: none, username: u, password: pppppp, from: a@b.example, to: [c@d.example]}"
    #expect(
      problems(file(mail)).first?.contains("mail.tls: none would send the password in plain text") == true)
  }

  /// For each kind of channel; without the key targets are shown.
  @Test(arguments: [
    "webhook: \"https://hooks.example/T0KEN\"", "exec: [/bin/true]",
    "mail: {server: \"mx.example\", from: a@b.example, to: [c@d.example]}",
  ])
  func targetsAreHidden(channel: String) throws {
    for (keys, expected) in [("", false), (", hide_targets: false", false), (", hide_targets: true", true)] {
      let channels = try settings(file(channel + keys)).alerts?.channels
      #expect(channels?.map(\.hidesTargets) == [expected], "\(channel)\(keys)")
    }
    #expect(problems(file(channel + ", hide_targets: maybe")).count == 1)
    #expect(problems(file(channel + ", hide_target: true")).count == 1)
  }

  @Test(arguments: ["https://ntfy.example", "https://ntfy.example/", "https://ntfy.example//"])
  func ntfyNeedsATopic(url: String) {
    let found = problems(file("webhook: \"\(url)\", format: ntfy"))
    #expect(found.count == 1 && found.first?.contains("webhook has no topic") == true, "\(found)")
  }

  /// `alerts.app: fallback` waits for apps that get the results; elsewhere it changes nothing, and says so.
  @Test(arguments: [
    ("quartz: {url: \"https://q.example/v1\", api_key: qtz_secret}\n", 0),
    ("quartz: {url: \"https://q.example/v1\", api_key: qtz_secret, deliver: {to: off}}\n", 1), ("", 1),
  ])
  func aFallbackWithoutApps(quartz: String, count: Int) throws {
    for (word, expected) in [("always", 0), ("fallback", count)] {
      let text = file("exec: [/bin/true]").replacing("alerts:\n", with: "alerts:\n  app: \(word)\n")
      let found = try warnings(text + quartz).filter { $0.contains("alerts.app") }
      #expect(found.count == expected, "\(found)")
    }
    #expect(
      problems(file("exec: [/bin/true]").replacing("alerts:\n", with: "alerts:\n  app: maybe\n")).count == 1)
  }
}
