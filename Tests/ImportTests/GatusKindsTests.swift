// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// What each kind of endpoint of Gatus reads of its settings, and what its versions do.
@Suite struct GatusKindsTests {
  private func read(_ url: String, _ more: String = "") throws -> ReadSource {
    try ReadSource(
      .gatus, "endpoints:\n- {name: e, url: \"\(url)\", conditions: [\"[CONNECTED] == true\"]\(more)}\n")
  }

  /// What Gatus reads for other kinds only makes nothing, and is said to.
  @Test(
    arguments: [
      (
        "tcp://a.example:1", "dns-resolver: \"udp://192.0.2.53:53\"",
        "Gatus asks it for http and starttls only"
      ),
      (
        "tls://a.example:1", "dns-resolver: \"udp://192.0.2.53:53\"",
        "Gatus asks it for http and starttls only"
      ),
      (
        "icmp://a.example", "dns-resolver: \"udp://192.0.2.53:53\"",
        "Gatus asks it for http and starttls only"
      ),
      ("tls://a.example:1", "tls: {certificate-file: /c}", "Gatus uses it for http only"),
      ("tcp://a.example:1", "oauth2: {client-id: i}", "Gatus uses it for http only"),
      ("ssh://a.example", "store-cookies: true", "Gatus uses it for http only"),
    ])
  func settingsOfOtherKinds(url: String, settings: String, why: String) throws {
    let made = try read(url, ", client: {\(settings)}")
    let check = try #require(made.imported.checks.first)
    #expect(check.notes.map(\.why) == [why] && check.notes.map(\.change) == [nil])
    #expect(check["resolver"] == nil && check["tls"] == nil && check["auth"] == nil)
  }

  @Test(arguments: [("never", nil), ("once", ImportNote.Change.stricter), ("freely", .stricter)])
  func renegotiation(word: String, change: ImportNote.Change?) throws {
    let made = try read(
      "https://a.example/",
      ", client: {tls: {certificate-file: /c, private-key-file: /k, renegotiation: \(word)}}")
    let notes = made.imported.checks.first?.notes ?? []
    #expect(notes.map(\.why) == ["a handshake is never repeated within a connection"])
    #expect(notes.map(\.change) == [change])
  }

  /// A name server has two seconds, whatever the client says.
  @Test(
    arguments: [
      ("", "2s", []),
      (", interval: 1s", "1s", ["2s is made 1s: a timeout is at most the interval, and at most 60s"]),
      (", client: {timeout: 30s}", "2s", ["Gatus waits two seconds for a name server, whatever it says"]),
    ] as [(String, String, [String])])
  func timeOfANameServer(more: String, timeout: String, lines: [String]) throws {
    let made = try read("192.0.2.53", ", dns: {query-name: a.example}\(more)")
    let check = try #require(made.imported.checks.first)
    #expect(check["timeout"]?.word == timeout && check.notes.map(\.why) == lines)
  }

  /// Keys of the first versions, which later ones do not read.
  @Test func theFirstVersions() throws {
    let made = try ReadSource(
      .gatus,
      """
      services:
      - {name: s, url: "https://a.example", insecure: true, conditions: ["[STATUS] == 200"]}
      - {name: t, url: "https://a.example", insecure: false, conditions: ["[STATUS] == 200"]}
      kubernetes: {auto-discover: true}
      """)
    #expect(
      made.imported.checks.map { $0.notes.map(\.line) } == [
        ["stricter: f:2: services[0].insecure: Gatus before 3.0 reads it here: write tls.verify"],
        ["not carried: f:3: services[1].insecure: the key is unknown here, so it has no effect"],
      ])
    #expect(
      made.imported.notes.map(\.line) == [
        "laxer: f:4: kubernetes.auto-discover: services are not looked for in Kubernetes"
      ])
  }

  /// After a handshake Gatus sends the body and waits for an answer; of starttls it has none.
  @Test func aBodyAfterTheHandshake() throws {
    let made = try read("tls://a.example:1", ", body: x")
    #expect(
      made.imported.checks.first?.notes.map(\.line) == [
        "laxer: f:2: endpoints[0].body: nothing is sent after the handshake, and no answer awaited"
      ])
    let other = try read("starttls://a.example:1", ", body: x")
    #expect(other.imported.checks.first?.notes.map(\.why) == [Ledger.unknownKey])
  }
}
