// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `quartz-agent test` with the shipped binary.
@Suite struct CaseStories {
  private static let config = """
    agent: {state_dir: ./state}
    checks:
      - name: Shop front
        type: http
        url: https://shop.example/health
        expect: {status: [200], json: {"$.database": up}, response_time: {warn: 800ms, fail: 3s}}
    """

  private static let right = """
    cases:
      - {name: fast, check: Shop front, answer: {body: '{"database": "up"}'}, expect: {state: up, reason: ok}}
      - name: slow
        check: Shop front
        answer: {time: 900ms, body: '{"database": "up"}'}
        expect: {state: degraded}
    """

  private static let wrong = """
    cases:

      - {name: "a <503>", check: Shop front, answer: {status: 503, body: '{"database": "up"}'}, expect: {state: degraded}}
    """

  private func write(_ files: [String: String], in folder: URL) throws {
    for (name, text) in files {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
  }

  /// Each case has its file and line, whichever of several files it stands in.
  @Test func casesHaveTheirPlaces() async throws {
    try await withTemporaryDirectory { folder in
      try write(["agent.yaml": Self.config, "a.yaml": Self.right, "b.yaml": Self.wrong], in: folder)
      let good = try await agent("test", "a.yaml", in: folder)
      #expect(
        good.stdout
          == "ok   a.yaml:2: fast (Shop front)\nok   a.yaml:3: slow (Shop front)\n2 of 2 cases as expected\n")
      #expect(good.status == 0 && good.stderr == "")
      let bad = try await agent("test", "a.yaml", "b.yaml", in: folder)
      let lines = bad.stdout.split(separator: "\n").map(String.init)
      #expect(
        lines.prefix(3) == [
          "ok   a.yaml:2: fast (Shop front)", "ok   a.yaml:3: slow (Shop front)",
          "FAIL b.yaml:3: a <503> (Shop front)",
        ])
      #expect(lines.dropFirst(3).prefix(2) == ["    - state: degraded", "    + state: down"])
      #expect(lines.last == "2 of 3 cases as expected" && bad.status == 1)
    }
  }

  @Test func junitNamesFileAndLine() async throws {
    try await withTemporaryDirectory { folder in
      try write(["agent.yaml": Self.config, "a.yaml": Self.right, "b.yaml": Self.wrong], in: folder)
      let outcome = try await agent("test", "a.yaml", "b.yaml", "--format", "junit", in: folder)
      #expect(outcome.status == 1)
      let lines = outcome.stdout.split(separator: "\n").map(String.init)
      #expect(
        lines[1] == #"<testsuite name="quartz-agent" tests="3" failures="1" errors="0" time="0.000000">"#)
      #expect(lines[2] == #"  <testcase classname="Shop front" name="fast" file="a.yaml" line="2"/>"#)
      #expect(
        lines[4].hasPrefix(
          ##"  <testcase classname="Shop front" name="a &lt;503&gt;" file="b.yaml" line="3"><failure type="unexpected" message="- state: degraded; + state: down; "##
        ), "\(lines[4])")
      #expect(lines[5] == "</testsuite>" && lines.count == 6)
    }
  }

  @Test(arguments: [
    ("cases: [{name: a, check: Shop frond}]", "a.yaml:1:9: no check is called \"Shop frond\""),
    (
      "cases: [{name: a, check: Shop front, answer: {error: http_status}}]",
      "answer.error must be one of dns_nxdomain, "
    ),
    ("cases: []", "there are 0 cases"), ("cases: [{name: a}]", "check is missing"),
  ])
  func aWrongFileIsSaid(text: String, words: String) async throws {
    try await withTemporaryDirectory { folder in
      try write(["agent.yaml": Self.config, "a.yaml": text], in: folder)
      let outcome = try await agent("test", "a.yaml", in: folder)
      #expect(outcome.status == 78 && outcome.stdout == "")
      #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
    }
  }

  @Test func aMissingFileIsNoConfiguration() async throws {
    try await withTemporaryDirectory { folder in
      try write(["agent.yaml": Self.config], in: folder)
      let outcome = try await agent("test", "absent.yaml", in: folder)
      #expect(outcome.status == 78 && outcome.stdout == "")
      #expect(
        outcome.stderr == """
          absent.yaml: the file does not exist
            hint: name a file of cases; docs/configuration.md shows one
          quartz-agent: error: the file of cases has 1 problem

          """)
    }
  }
}
