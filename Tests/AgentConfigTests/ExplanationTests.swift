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
