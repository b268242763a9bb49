// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import TestSupport
import Testing

/// `validate`, `schema`, `--help` and wrong usage.
@Suite struct ConfigStories {
  @Test func validateListsEveryProblemAndExitsSeventyEight() async throws {
    try await withTemporaryDirectory { folder in
      let yaml = """
        agent: {state_dir: .}
        checks:
          - name: Front
            type: http
            url: http://127.0.0.1/
            intervall: 30s
          - {name: Back, type: tcp, host: 127.0.0.1, port: 70000}
        """
      try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      let outcome = try await agent("validate", in: folder)
      #expect(outcome.status == 78)
      #expect(outcome.stdout == "")
      #expect(outcome.stderr.contains("agent.yaml:6:5: "))
      #expect(outcome.stderr.contains("interval"))
      #expect(outcome.stderr.contains("agent.yaml:7:"))
      let run = try await agent("run", in: folder)
      #expect(run.status == 78)
      #expect(run.stderr.contains("agent.yaml:6:5: "))
    }
  }

  @Test func validateAcceptsTheExampleAndPrintsItRedacted() async throws {
    try await withTemporaryDirectory { folder in
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let example = root.appending(path: "agent.yaml.example").path
      let outcome = try await agent("validate", "-c", example, in: folder)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      #expect(outcome.stdout.contains("ok"))

      let yaml = """
        checks:
          - {name: Api, type: http, url: "http://127.0.0.1/", auth: {bearer: SECRET-CANARY}}
        """
      try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      let printed = try await agent("validate", "--print", in: folder)
      #expect(printed.status == 0, "\(printed.stderr)")
      #expect(printed.stdout.contains("<redacted>"))
      #expect(!printed.stdout.contains("SECRET-CANARY"))
      #expect(!printed.stderr.contains("SECRET-CANARY"))
    }
  }

  /// Tags add up as far as a place that takes them away; what is behind that place is no part of them.
  @Test func explainsTagsThatWereTakenAway() async throws {
    try await withTemporaryDirectory { folder in
      let yaml = """
        agent: {state_dir: .}
        templates:
          far: {type: tcp, host: a, port: 1, tags: [x]}
          near: {extends: far, tags: null}
        checks:
          - {name: A, extends: near, tags: [own]}
          - {name: B, extends: far, tags: null}
        """
      try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      let some = try await agent("validate", "--explain", "A.tags", in: folder)
      #expect(
        some.stdout == """
          check "A"
          tags: [own]
            from the check itself at agent.yaml:6:36
            and null from template "near" at agent.yaml:4:30
            instead of [x] from template "far" at agent.yaml:3:44

          """)
      let none = try await agent("validate", "--explain", "B.tags", in: folder)
      #expect(none.stdout.contains("instead of [x] from template \"far\""))
    }
  }

  @Test func validateReadsTheFilesOfTrustedCertificates() async throws {
    try await withTemporaryDirectory { folder in
      let yaml = "checks: [{name: Web, type: http, url: \"https://a.test/\", tls: {ca_file: nothing.pem}}]"
      try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      let missing = try await agent("validate", in: folder)
      #expect(missing.status == 78)
      #expect(missing.stderr.contains("check \"Web\": tls.ca_file: trusted certificates cannot be read"))
      #expect(missing.stderr.contains("the configuration names files that cannot be used: 1 problem"))
      try "no certificate".write(to: folder.appending(path: "nothing.pem"), atomically: true, encoding: .utf8)
      let empty = try await agent("validate", in: folder)
      #expect(empty.status == 78)
      #expect(empty.stderr.contains("no usable certificates in it"))
    }
  }

  /// Files of notification channels and of the group's store, beside a mistake in the text; a logo is a warning.
  @Test func validateReadsEveryNamedFile() async throws {
    try await withTemporaryDirectory { folder in
      let yaml = """
        checks: [{name: Web, type: http, url: "https://a.test/", tags: [web], TIMEOUT}]
        status: {listen: "127.0.0.1:1", public: {listen: "127.0.0.1:2", logo: missing.svg, groups: [web]}}
        alerts:
          channels:
            - {name: hook, webhook: "https://a.test/x", ca_file: nosuch.pem}
            - {name: page, exec: [/nosuch/program]}
        """
      for (timeout, more) in [("timeout: 5s", ""), ("timeout: 0s", "timeout must be")] {
        try yaml.replacing("TIMEOUT", with: timeout).write(
          to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        let outcome = try await agent("validate", in: folder)
        #expect(outcome.status == 78)
        for words in [
          "channel \"hook\": ca_file: trusted certificates cannot be read from nosuch.pem",
          "channel \"page\": exec: /nosuch/program cannot be run: No such file or directory", more,
        ] where !words.isEmpty {
          #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
        }
        if more.isEmpty { #expect(outcome.stderr.contains("warning: status.public.logo: ")) }
      }
    }
  }

  @Test func schemaIsJSON() async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await agent("schema", in: folder)
      #expect(outcome.status == 0)
      #expect(outcome.stderr == "")
      let schema = try JSONValue.parse(outcome.stdout.utf8)
      #expect(schema["properties"]?["checks"] != nil)
    }
  }

  @Test(arguments: [["frobnicate"], ["once", "--format", "xml", "tcp://h:1"], ["run", "--bogus"]])
  func wrongUsageExitsSixtyFour(arguments: [String]) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await AgentProcess(arguments, in: folder).finish()
      #expect(outcome.status == 64)
      #expect(outcome.stdout == "")
      #expect(outcome.stderr.contains("Usage:") || outcome.stderr.contains("hint: commands:"))
    }
  }

  @Test(arguments: [["schema"], ["help"], ["help", "once"], ["--version"], ["once", "--help"], []])
  func outputThatCannotBeWrittenIsNoSuccess(arguments: [String]) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await AgentProcess(arguments, in: folder, stdout: "/dev/full").finish()
      #expect(outcome.status == 73)
      #expect(outcome.stderr.contains("cannot write the output: No space left on device"))
    }
  }

  @Test func whateverElseAnswersIsNotTakenForAnAgent() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        let yaml = """
          agent: {state_dir: .}
          status: {listen: "127.0.0.1:\(web.port)"}
          checks: [{name: One, type: tcp, host: 127.0.0.1, port: 9}]
          """
        try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        let outcome = try await agent("status", in: folder)
        #expect(outcome.status == 3)
        #expect(outcome.stdout == "")
        #expect(outcome.stderr.contains("something else than an agent answers"))
      }
    }
  }

  @Test func helpAndVersionGoToStandardOutput() async throws {
    try await withTemporaryDirectory { folder in
      let version = try await agent("--version", in: folder)
      #expect(version.status == 0)
      #expect(version.stdout == "0.1.0\n")
      let help = try await agent("--help", in: folder)
      #expect(help.status == 0)
      for command in ["run", "once", "validate", "status", "spool", "schema"] {
        #expect(help.stdout.contains("  \(command) "), "\(command) in the help")
      }
    }
  }
}
