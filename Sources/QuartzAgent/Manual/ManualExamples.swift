// SPDX-License-Identifier: MIT

import Basics

/// Examples of the manual to be pasted. A test runs all of them.
enum ManualExamples {
  struct Example {
    var words: String
    var command: String

    init(_ words: String, _ command: String) { (self.words, self.command) = (words, command) }
  }

  /// By command.
  static let all: [ByteText: [Example]] = [
    "quartz-agent": [
      Example("Is it up?", "quartz-agent once https://shop.example"),
      Example("Status of the running agent:", "quartz-agent status"),
    ],
    "run": [Example("The daemon, in the foreground:", "quartz-agent run -c agent.yaml")],
    "once": [
      Example("A page, and a port:", "quartz-agent once https://shop.example db.example:5432"),
      Example(
        "Time of each phase, and the answer:", "quartz-agent once --explain https://shop.example/health"
      ),
      Example(
        "A request as curl(1) makes it, with a token of the environment:",
        "quartz-agent once -X PUT -H 'Content-Type: application/json' -H 'Authorization: Bearer ${env:TOKEN}' -d '{\"a\": 1}' https://shop.example/items"
      ),
      Example(
        "Distribution of response times:",
        "quartz-agent once --count 10 --every 200ms --timeout 2s https://shop.example"),
      Example("As a plugin of Nagios:", "quartz-agent once --format nagios --tag team:shop"),
    ],
    "validate": [
      Example("Problems of the file:", "quartz-agent validate -c agent.yaml"),
      Example(
        "Source of a value:", "quartz-agent validate -c agent.yaml --explain 'Shop front.timeout'"),
    ],
    "test": [
      Example(
        "A slow answer, as a case:",
        """
        cat > cases.yaml <<END
        cases:
          - {name: slow, check: Shop front, answer: {time: 900ms}, expect: {state: degraded}}
        END
        quartz-agent test cases.yaml
        """)
    ],
    "init": [
      Example(
        "A configuration to begin with:",
        "quartz-agent init https://shop.example db.example:5432 -o first.yaml")
    ],
    "status": [
      Example("Checks that are down, the slowest first:", "quartz-agent status --state down --sort latency")
    ],
    "report": [
      Example("The running month, as a page to print:", "quartz-agent report --format html > report.html")
    ],
    "spool": [
      Example("Results that wait for delivery:", "quartz-agent spool ls"),
      Example("All stored results:", "quartz-agent spool export > results.ndjson"),
    ],
    "trace": [
      Example(
        "Route to a service:", "quartz-agent trace --report --count 1 https://shop.example")
    ],
    "doctor": [Example("Problems of this machine:", "quartz-agent doctor")],
    "import": [
      Example(
        "From Gatus; usually with the name of a file in place of -:",
        """
        echo '{"endpoints": [{"name": "front", "url": "https://shop.example", "conditions": ["[STATUS] == 200"]}]}' |
          quartz-agent import gatus -
        """)
    ],
    "schema": [Example("For an editor:", "quartz-agent schema > agent.schema.json")],
    "compare": [
      Example(
        "Before and after a change:",
        """
        quartz-agent once --count 10 --format ndjson https://shop.example > a.ndjson
        quartz-agent once --count 10 --format ndjson https://shop.example > b.ndjson
        quartz-agent compare a.ndjson b.ndjson
        """)
    ],
    "completions": [
      Example("For this session of bash:", "eval \"$(quartz-agent completions bash)\"")
    ],
    "man": [Example("The page of once:", "quartz-agent man once > quartz-agent-once.1")],
  ]

  static let file = """
    agent:
      name: shop
    checks:
      - name: Shop front
        type: http
        url: https://shop.example/health
        interval: 30s
        tags: [team:shop]
        expect: {status: 200, response_time: {warn: 800ms, fail: 3s}}
      - name: Database
        type: tcp
        host: db.example
        port: 5432
    """
}
