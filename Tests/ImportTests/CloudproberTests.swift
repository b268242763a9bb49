// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Probes of cloudprober: maps, endpoints, validators and templates.
@Suite struct CloudproberTests {
  private func read(_ probe: String, type: String = "HTTP", targets: String = "host_names: \"a.example\"")
    throws -> ReadSource
  {
    try ReadSource(
      .cloudprober, "probe {\n name: \"p\"\n type: \(type)\n targets { \(targets) }\n \(probe)\n}\n")
  }

  @Test(arguments: [
    "header { key: \"X-A\" value: \"b\" } header { key: \"Authorization\", value: \"Bearer s3cr3t\" }",
    "header: [{key: \"X-A\", value: \"b\"}, {key: \"Authorization\", value: \"Bearer s3cr3t\"}]",
    "headers { name: \"X-A\" value: \"b\" } headers { name: \"Authorization\" value: \"Bearer s3cr3t\" }",
  ])
  func anEntryOfAMapIsOneHeader(headers: String) throws {
    let made = try read("http_probe { \(headers) }")
    #expect(
      try made.keys() == """
        type: http
        url: http://a.example/
        headers:
          X-A: b
          Authorization: "${env:QUARTZ_C_AUTHORIZATION}"
        expect:
          status: any
        """)
    #expect(!made.text.contains("s3cr3t") && made.problems == [] && made.reasons == [])
  }

  /// A field that is given again has the same reason each time.
  @Test func repeatedFields() throws {
    let made = try read(
      """
      schedule { type: DISABLE start_time: "1" } schedule { type: ENABLE start_time: "2" }
      latency_unit: "ms" http_probe { keep_alive: true }
      """)
    #expect(
      made.reasonCounts == [
        "checks run all day; write maintenance for the rest": 4,
        "metrics and results are built in: see status in docs/configuration.md": 1,
        "each run opens a connection of its own": 1,
      ])
    #expect(made.imported.checks[0].notes.compactMap(\.change) == Array(repeating: .changed, count: 4))
    let other = try read(
      "http_probe { oauth_config { file: \"f\" } }",
      targets: """
        host_names: "a.example" dns_options { server: "udp://192.0.2.53" }
        """)
    #expect(
      Dictionary(uniqueKeysWithValues: other.imported.checks[0].notes.map { ($0.why, $0.change) }) == [
        "the check has no token, so the target may refuse it": .stricter,
        "write resolver, see docs/checks.md": .changed,
      ])
  }

  @Test(arguments: [
    (
      "HTTP", "endpoint { name: \"a.example\" ip: \"192.0.2.1\" port: 8443 }",
      "http_probe { scheme: HTTPS relative_url: \"/x\" }",
      """
      type: http
      url: https://192.0.2.1:8443/x
      headers:
        Host: "a.example:8443"
      tls:
        server_name: a.example
      expect:
        status: any
      """
    ),
    (
      "HTTP", "endpoint { name: \"n\" url: \"https://b.example:1/y\" }", "",
      "type: http\nurl: https://b.example:1/y\nexpect:\n  status: any"
    ),
    (
      "HTTP", "endpoint { name: \"a.example\" ip: \"192.0.2.1\" }", "http_probe { resolve_first: false }",
      "type: http\nurl: http://a.example/\nexpect:\n  status: any"
    ),
    (
      "TCP", "endpoint { name: \"a\" ip: \"192.0.2.1\" port: 5432 }", "",
      "type: tcp\nhost: \"192.0.2.1\"\nport: 5432"
    ),
    (
      "PING", "endpoint { name: \"a\" ip: \"2001:db8::1\" }", "",
      "type: ping\nhost: \"2001:db8::1\"\ncount: 2\npacket_interval: 25ms"
    ),
    (
      "DNS", "endpoint { name: \"ns\" ip: \"192.0.2.53\" }",
      "dns_probe { resolved_domain: \"a.example\" query_type: A }",
      """
      type: dns
      server: "192.0.2.53"
      query:
        name: a.example
        type: A
      """
    ),
    // What cloudprober asks for where nothing is named.
    (
      "DNS", "endpoint { name: \"ns\" ip: \"192.0.2.53\" }", "",
      "type: dns\nserver: \"192.0.2.53\"\nquery:\n  name: www.google.com\n  type: MX"
    ),
  ])
  func endpoints(type: String, targets: String, probe: String, keys: String) throws {
    let made = try read(probe, type: type, targets: targets)
    #expect(try made.keys() == keys)
    #expect(made.problems == [])
  }

  @Test(arguments: [
    ("regex: \"^ok$\"", "  body:\n    matches: [\"(?-m)^ok\\\\z\"]\n  status: any"),
    ("regex: \"[$^]a\"", "  body:\n    matches: [\"(?-m)[$^]a\"]\n  status: any"),
    ("regex: \"(?m)^ok$\"", "  body:\n    matches: [\"(?-m)(?m)^ok$\"]\n  status: any"),
    (
      "http_validator { success_status_codes: \"200-299,304\" failure_status_codes: \"204\" }",
      "  status: [200-203, 205-299, 304]"
    ),
    ("http_validator { success_header { name: \"X\" } }", "  header:\n    X: \"~ ^\"\n  status: any"),
  ])
  func validators(validator: String, keys: String) throws {
    let made = try read("validator { name: \"v\" \(validator) }")
    #expect(try made.keys() == "type: http\nurl: http://a.example/\nexpect:\n\(keys)")
    #expect(made.problems == [] && made.reasons == [])
  }

  @Test func templatesAreVariablesOrListed() throws {
    let made = try read(
      "http_probe { header { key: \"X-A\" value: \"{{env `PLACE`}}\" } header { key: \"Cookie\" value: \"**$C**\" } }"
    )
    #expect(try made.keys().contains("X-A: \"${env:PLACE}\"\n  Cookie: \"${env:C}\""))
    #expect(made.reasons == ["set these variables before the start: C, PLACE"] && made.problems == [])
    let other = try read("http_probe { relative_url: \"/{{.region}}\" }")
    #expect(other.names == [] && other.imported.carried == 0)
    #expect(
      other.reasons.contains(
        "no check was made of \"a.example\": a placeholder in it is no name of a variable"))
    #expect(throws: ImportProblem.self) { try read("{{range $x := .list}} {{end}}") }
  }

  @Test func whatIsNotJudgedIsListed() throws {
    let made = try read(
      "validator { name: \"v\" json_validator { jq_filter: \".a\" } } http_probe { oauth_config { x: 1 } }")
    #expect(
      made.reasons == [
        "the check has no token, so the target may refuse it",
        "a validator of this kind has no counterpart",
      ])
  }

  /// A target without the port that its check needs is named, and the others have their checks.
  @Test func targetsWithoutAPort() throws {
    let made = try read("", type: "TCP", targets: "host_names: \"a.example:80,b.example\"")
    #expect(made.names == ["p a.example"])
    #expect(made.reasons == ["no check was made of \"b.example\": it has no port"])
    #expect(made.imported.listed == 1 && made.problems == [])
  }

  /// A negative test fails at any answer, before a validator looks at it.
  @Test(arguments: [("true", "any", 2), ("false", "200-299", 0)]) func negativeTests(
    flag: String, status: String, listed: Int
  ) throws {
    let made = try ReadSource(
      .cloudprober,
      """
      probe {
        name: "fw"
        type: HTTP
        negative_test: \(flag)
        targets { host_names: "a.example" }
        http_probe { scheme: HTTP }
        validator {
          name: "v"
          http_validator { success_status_codes: "200-299" }
        }
      }
      """)
    let check = try #require(made.imported.checks.first)
    var statuses = check["expect.status"]?.word
    if case .list(let items)? = check["expect.status"] { statuses = items.first?.word }
    #expect(check["negate"]?.word == (flag == "true" ? "true" : nil) && statuses == status)
    let why = "a negative test fails at every answer, whatever it is"
    #expect(made.reasonCounts[why] ?? 0 == listed && made.problems == [])
    #expect(made.imported.carried + made.imported.listed == made.imported.total)
  }

  /// All values of a probe without a check have that reason.
  @Test func aProbeWithoutACheck() throws {
    let made = try ReadSource(
      .cloudprober,
      """
      probe {
        name: "p"
        type: PING
        interval_msec: 5000
        targets { host_names: "a/b" }
        alert { name: "x" }
      }
      """)
    #expect(made.names == [] && made.imported.carried == 0)
    #expect(made.reasonCounts["no check was made of it"] == 4)
    #expect(made.reasonCounts["the key is unknown here, so it has no effect"] == nil)
  }
}
