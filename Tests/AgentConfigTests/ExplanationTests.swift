// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import AgentConfig

/// What `validate --explain` hides, and what it shows.
struct ExplanationTests {
  private static let text = """
    templates:
      web: {type: http, headers: {x-key: secret}, proxy: "http://10.0.0.1:3128"}
    checks:
      - {name: A, extends: web, url: "http://a/", headers: null, proxy: null, maintenance: [{start: 2026-01-04T02:00, duration: 2h}]}
      - {name: B, type: tcp, host: a, port: 25, dialog: smtp}
      - {name: C, type: tcp, host: a, port: 25, dialog: [{send: "PASS x"}]}
      - {name: D, extends: web, url: "http://a/"}
    """

  /// Values that depend on others are those that count: a timeout of defaults is cut to the interval, and what a null takes away
  /// leaves the default.
  @Test(arguments: [
    ("A.timeout", ["2s from the interval, which is shorter", "5s from defaults at agent.yaml:1:21"]),
    ("B.timeout", ["5s from defaults at agent.yaml:1:21"]),
    ("C.timeout", ["1s from the check itself at agent.yaml:6:35", "5s from defaults at agent.yaml:1:21"]),
    (
      "D.interval",
      [
        "1m from built in", "null from the check itself at agent.yaml:7:40",
        "20s from template \"slow\" at agent.yaml:2:30",
      ]
    ),
    ("A.retry_delay", ["2s from built in"]), ("A.retries", ["1 from built in"]),
  ])
  func whatCounts(question: String, sources: [String]) throws {
    let text = """
      defaults: {timeout: 5s}
      templates: {slow: {interval: 20s}}
      checks:
        - {name: A, type: tcp, host: a, port: 1, interval: 2s}
        - {name: B, type: tcp, host: a, port: 1, interval: 6s}
        - {name: C, type: tcp, timeout: 1s, host: a, port: 1, interval: 2s}
        - {name: D, extends: slow, interval: null, type: tcp, host: a, port: 1}
      """
    let reading = try ConfigLoader.reading(text: text, file: "agent.yaml", sources: .test)
    let values = try #require(ValueExplanation(question, reading)?.values)
    let shown = values.flatMap(\.sources).map { source in
      "\(source.value) from \(source.label)\(source.place.map { " at \($0)" } ?? "")"
    }
    #expect(shown == sources, "\(question)")
  }

  @Test(arguments: [
    ("A.headers", "null"), ("A.proxy", "null"),
    ("A.maintenance", "[{start: 2026-01-04T02:00, duration: 2h}]"),
    ("B.dialog", "smtp"), ("C.dialog", "[{send: <redacted>}]"), ("D.headers", "<redacted>"),
    ("D.proxy", "<redacted>"),
  ])
  func secretsAloneAreHidden(question: String, shown: String) throws {
    let reading = try ConfigLoader.reading(text: Self.text, file: "agent.yaml", sources: .test)
    let values = try #require(ValueExplanation(question, reading)?.values)
    #expect(values.map { $0.sources.first?.value } == [shown], "\(question)")
  }
}
