// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Texts that are sent to a port: what a pattern captured is put in by blackbox_exporter only, as Go's Expand does it.
@Suite struct SentTextTests {
  @Test(arguments: [
    ("PONG ${1}", "^PING (.*)", #"PONG \(1)"#), ("PONG $1", "^PING (.*)", #"PONG \(1)"#),
    ("a $1x b", "(.)", "a  b"), ("${1}x", "(.)", #"\(1)x"#), ("$2", "(.)", ""), ("$$1", "(.)", "$1"),
    ("$name", "(?P<name>.)", #"\(name)"#), ("${other}", "(?P<name>.)", ""), ("a$", "(.)", "a$"),
    ("${", "(.)", "${"), ("${}", "(.)", "${}"), ("a\\b\r\n$1\t", "(.)", #"a\\b\r\n\(1)\t"#),
  ])
  func whatGoPutsIn(text: String, pattern: String, made: String) {
    #expect(BlackboxTCP.expanded(text, by: pattern) == made)
  }

  private func blackbox(_ steps: String) throws -> String {
    let made = try ReadSource(
      .blackbox,
      [
        ("b.yml", "modules: {m: {prober: tcp, tcp: {query_response: [\(steps)]}}}"),
        (
          "p.yml",
          """
          scrape_configs:
          - metrics_path: /probe
            params: {module: [m]}
            static_configs: [{targets: ["192.0.2.1:80"]}]
            relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
          """
        ),
      ])
    #expect(made.problems == [])
    return try made.keys()
  }

  /// Without a pattern of its own a step sends its text as it is.
  @Test func aStepOfItsOwnPutsNothingIn() throws {
    let together = try blackbox("{expect: '^(.)$', send: 'a ${1}'}")
    let apart = try blackbox("{expect: '^(.)$'}, {send: 'a ${1}'}")
    #expect(together.contains(#"{send: "a \\(1)\\n"}"#), "\(together)")
    #expect(apart.contains(#"{send: "a $${1}\\n"}"#), "\(apart)")
  }

  /// In other sources it is a variable, or nothing but text.
  @Test(
    arguments: [
      (
        ImportFormat.telegraf,
        "[[inputs.net_response]]\nprotocol = \"tcp\"\naddress = \"a.example:1\"\nsend = \"a ${V} b\"\nexpect = \"c\"\n",
        #"{send: "a ${env:V} b"}"#
      ),
      (
        .gatus,
        "endpoints: [{name: a, url: \"tcp://a.example:1\", body: \"a ${V} b\", conditions: [\"[CONNECTED] == true\"]}]",
        #"{send: "a ${env:V} b"}"#
      ),
      (
        .checkly,
        "[{\"name\": \"a\", \"checkType\": \"TCP\", \"request\": {\"hostname\": \"a.example\", \"port\": 1, \"data\": \"a ${V} b\"}}]",
        #"{send: "a $${V} b"}"#
      ),
    ] as [(ImportFormat, String, String)])
  func variablesAreNoCaptures(format: ImportFormat, text: String, step: String) throws {
    let made = try ReadSource(format, text)
    let keys = try made.keys()
    #expect(keys.contains(step), "\(keys)")
    #expect(made.problems == [])
  }

  /// What logs in is a secret, by whatever source it is written.
  @Test(arguments: [
    (#"PASS abc\r\n"#, true), (#"auth user pw"#, true), (#"a1 LOGIN u p\r\n"#, true),
    (#"USER u\r\nPASS p\r\n"#, true),
    (#"AUTH TLS\r\n"#, false), (#"AUTH PLAIN AGEAcA=="#, true), (#"AUTH PLAIN\r\n"#, false),
    ("PASS ${V}", false),
    (#"PASS \(1)"#, false), ("PASS", false), ("HELO PASS", false), ("PASSAGE 5", false), ("EHLO a", false),
  ])
  func textsThatLogIn(text: String, isOne: Bool) { #expect(LoginText.isOne(text) == isOne) }

  @Test(
    arguments: [
      (
        ImportFormat.telegraf,
        "[[inputs.net_response]]\nprotocol = \"tcp\"\naddress = \"a.example:1\"\nsend = \"PASS s3cr3t\\r\\n\"\n"
      ),
      (
        .checkly,
        "[{\"name\": \"a\", \"checkType\": \"TCP\", \"request\": {\"hostname\": \"a.example\", \"port\": 1, \"data\": \"PASS s3cr3t\"}}]"
      ),
      (
        .gatus,
        "endpoints: [{name: a, url: \"tcp://a.example:1\", body: \"PASS s3cr3t\", conditions: [\"[CONNECTED] == true\"]}]"
      ),
    ] as [(ImportFormat, String)])
  func loginsAreNotWritten(format: ImportFormat, text: String) throws {
    let made = try ReadSource(format, text)
    #expect(!made.text.contains("s3cr3t") && made.secrets.count == 1 && made.problems == [])
    #expect(made.secrets[0].value.reveal().hasPrefix("PASS s3cr3t"))
  }
}
