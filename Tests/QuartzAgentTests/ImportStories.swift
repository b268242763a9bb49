// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

/// `import` of the shipped binary: the file, its secrets, the report, the summary and the exit code.
@Suite struct ImportStories {
  private static let gatus = """
    alerting:
      slack: {webhook-url: "https://hooks.slack.example/T/B/s3cr3t", default-alert: {send-on-resolved: true}}
      custom: {url: "https://x.example/?token=hunter2", method: POST, body: "[ALERT_DESCRIPTION]"}
    maintenance: {start: "23:00", duration: 1h, every: [Monday]}
    endpoints:
      - name: front
        url: "https://a.example/?apikey=hunter3"
        headers: {Authorization: "Bearer $TOKEN"}
        conditions: ["[STATUS] == 200", "[BODY].n > 1", "[BODY].n < 9", "len([BODY].list) > 0"]
        alerts: [{type: slack}]
      - {name: port, url: "tcp://${HOST}:5432", conditions: ["[CONNECTED] == true"]}
      - {name: rpc, url: "grpc://a.example:1", conditions: ["[CONNECTED] == true"]}

    """

  private func run(_ arguments: [String], in folder: URL, environment: [String: String] = [:]) async throws
    -> Outcome
  {
    let process = try AgentProcess(arguments, in: folder, environment: environment)
    return try await process.finish()
  }

  @Test func whatIsWrittenIsLoaded() async throws {
    try await withTemporaryDirectory { folder in
      try Self.gatus.write(to: folder.appending(path: "gatus.yaml"), atomically: true, encoding: .utf8)
      let made = try await run(["import", "auto", "gatus.yaml", "-o", "agent.yaml"], in: folder)
      #expect(made.status == 1, "\(made.stderr)")
      #expect(
        made.stderr.hasPrefix(
          """
          quartz-agent: gatus: 2 checks; 22 values: 16 carried, 6 listed with the reason
          quartz-agent: also 1 channel, 1 rule, 1 maintenance window
          quartz-agent: 1 left out, because nothing here means the same
          quartz-agent: not the same as in the source: 1 stricter, 1 changed; see the comments
          quartz-agent: secrets: 2, in agent.yaml.secrets/, for the agent's user alone
            left out: "rpc" (gatus.yaml:12: endpoints[2].name, 3 values): no check here speaks grpc
          """), "\(made.stderr)")
      #expect(made.stderr.hasSuffix("quartz-agent: each of them, with its place: agent.yaml.report.txt\n"))
      let text = try String(contentsOf: folder.appending(path: "agent.yaml"), encoding: .utf8)
      let report = try String(contentsOf: folder.appending(path: "agent.yaml.report.txt"), encoding: .utf8)
      for secret in ["s3cr3t", "hunter2", "hunter3"] {
        #expect(!(text + report + made.stderr).contains(secret))
      }
      #expect(report.contains("gatus.yaml:12: endpoints[2].url: no check here speaks grpc\n"), "\(report)")
      let valid = try await run(
        ["validate", "-c", "agent.yaml"], in: folder, environment: ["TOKEN": "t", "HOST": "db.example"])
      #expect(valid.status == 0, "\(valid.stdout)\(valid.stderr)")
      let again = try await run(["import", "auto", "gatus.yaml", "-o", "agent.yaml"], in: folder)
      #expect(again.status == 73, "\(again.stderr)")
    }
  }

  /// A proxy whose address is a variable, or one that Go calls socks5.
  @Test(arguments: [("$P", "${env:P}"), ("socks5://p.example:1080", "socks5h://p.example:1080")])
  func proxies(given: String, made: String) async throws {
    try await withTemporaryDirectory { folder in
      try """
      endpoints:
        - {name: a, url: "https://a.example/", client: {proxy-url: "\(given)"}, conditions: ["[STATUS] == 200"]}

      """.write(to: folder.appending(path: "gatus.yaml"), atomically: true, encoding: .utf8)
      let outcome = try await run(["import", "gatus", "gatus.yaml"], in: folder)
      #expect(outcome.stderr.contains("1 check; 4 values: 4 carried, 0 listed"), "\(outcome.stderr)")
      #expect(outcome.stdout.contains("proxy: ") && outcome.stdout.contains(made), "\(outcome.stdout)")
    }
  }

  /// Exit code 0 means that the file means the same.
  @Test func nothingIsLost() async throws {
    try await withTemporaryDirectory { folder in
      try """
      endpoints:
        - {name: a, url: "https://a.example/", conditions: ["[STATUS] == any(200, 204)"]}

      """.write(to: folder.appending(path: "gatus.yaml"), atomically: true, encoding: .utf8)
      let made = try await run(["import", "gatus", "gatus.yaml", "-o", "agent.yaml"], in: folder)
      #expect(made.status == 0, "\(made.stderr)")
      #expect(made.stderr == "quartz-agent: gatus: 1 check; 3 values: 3 carried, 0 listed with the reason\n")
      #expect(access(folder.appending(path: "agent.yaml.report.txt").path, F_OK) != 0)
    }
  }

  /// A report and secrets of a former import do not stay for those of the new file.
  @Test func overAFormerImport() async throws {
    try await withTemporaryDirectory { folder in
      let good = "endpoints:\n  - {name: a, url: \"https://a.example/\", conditions: [\"[STATUS] == 200\"]"
      let bad = "\(good), headers: {X-Api-Key: k-1}, odd: 1}\n"
      try bad.write(to: folder.appending(path: "bad.yaml"), atomically: true, encoding: .utf8)
      try "\(good)}\n".write(to: folder.appending(path: "good.yaml"), atomically: true, encoding: .utf8)
      let report = folder.appending(path: "agent.yaml.report.txt").path
      let first = try await run(["import", "gatus", "bad.yaml", "-o", "agent.yaml"], in: folder)
      #expect(first.status == 1 && access(report, F_OK) == 0, "\(first.stderr)")
      let second = try await run(["import", "gatus", "good.yaml", "-o", "agent.yaml", "--force"], in: folder)
      #expect(second.status == 0 && access(report, F_OK) != 0)
      #expect(
        second.stderr.hasPrefix(
          "quartz-agent: of a former import, not used any more: agent.yaml.secrets/quartz_a_x_api_key\n"),
        "\(second.stderr)")
      let third = try await run(
        ["import", "gatus", "good.yaml", "-o", "agent.yaml", "--force", "--report", "r.txt"], in: folder)
      #expect(third.status == 0, "\(third.stderr)")
      #expect(try String(contentsOf: folder.appending(path: "r.txt"), encoding: .utf8).isEmpty)
    }
  }

  /// `-` is standard output. A link that leads nowhere is there, and the report is a file of its own.
  @Test func whereItIsWritten() async throws {
    try await withTemporaryDirectory { folder in
      try "endpoints:\n  - {name: a, url: \"tcp://a.example:1\", conditions: [\"[CONNECTED] == true\"]}\n"
        .write(
          to: folder.appending(path: "gatus.yaml"), atomically: true, encoding: .utf8)
      let printed = try await run(["import", "gatus", "gatus.yaml", "-o", "-"], in: folder)
      #expect(printed.status == 0 && printed.stdout.hasPrefix("# Made by quartz-agent import gatus."))
      let link = folder.appending(path: "link.yaml").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "gone.yaml")
      let linked = try await run(["import", "gatus", "gatus.yaml", "-o", "link.yaml"], in: folder)
      #expect(linked.status == 73 && linked.stderr.contains("link.yaml exists"), "\(linked.stderr)")
      for report in ["-", "b.yaml"] {
        let made = try await run(
          ["import", "gatus", "gatus.yaml", "-o", "b.yaml", "--report", report], in: folder)
        #expect(made.status == 64 && made.stderr.contains("--report must name"), "\(made.stderr)")
      }
      for name in ["-", "-.report.txt", "gone.yaml", "b.yaml"] {
        #expect(access(folder.appending(path: name).path, F_OK) != 0)
      }
    }
  }

  /// Printed, the secrets are variables: the head names each, of checks and of channels, and none that the file does not need.
  @Test func theHeadNamesWhatTheFileNeeds() async throws {
    try await withTemporaryDirectory { folder in
      try """
      alerting: {slack: {webhook-url: "https://hooks.example/services/secret"}}
      endpoints:
        - {name: a, url: "https://a.example/", headers: {X-API-Key: s3cr3t}, conditions: ["[STATUS] == 200"],
           alerts: [{type: slack}]}
        - {name: b, url: "grpc://b.example:1", headers: {X-API-Key: s3cr3t}, conditions: ["[CONNECTED] == true"]}

      """.write(to: folder.appending(path: "gatus.yaml"), atomically: true, encoding: .utf8)
      let made = try await run(["import", "gatus", "gatus.yaml"], in: folder)
      let lines = made.stdout.split(separator: "\n").map(String.init)
      #expect(lines[1] == "# Set before the start: QUARTZ_SLACK_WEBHOOK QUARTZ_A_X_API_KEY", "\(made.stdout)")
      let needed = made.stdout.matches(of: /\$\{env:([A-Z0-9_]+)\}/).map { String($0.output.1) }
      #expect(Set(needed) == ["QUARTZ_A_X_API_KEY", "QUARTZ_SLACK_WEBHOOK"])
      #expect(!made.stdout.contains("s3cr3t") && !made.stdout.contains("hooks.example"))
    }
  }

  @Test func theTerminalHasFortyLines() async throws {
    try await withTemporaryDirectory { folder in
      let endpoints = (0..<200).map {
        "  - {name: a\($0), url: \"udp://a.example:1\", ui: {hide-url: true}, conditions: [\"[CONNECTED] == true\"]}\n"
      }
      let text =
        "endpoints:\n" + endpoints.joined()
        + "  - {name: b, url: \"https://a.example/\", conditions: [\"[STATUS] == 200\"]}\n"
      try text.write(to: folder.appending(path: "gatus.yaml"), atomically: true, encoding: .utf8)
      let made = try await run(["import", "gatus", "gatus.yaml", "-o", "agent.yaml"], in: folder)
      #expect(made.stderr.split(separator: "\n").count == 40, "\(made.stderr)")
    }
  }

  private static let kuma = #"""
    {"version": "1.23.0", "notificationList": [{"id": 1, "name": "Ops", "config":
      "{\"type\":\"smtp\",\"smtpHost\":\"smtp.example\",\"smtpPort\":465,\"smtpSecure\":true,\"smtpUsername\":\"u\",\"smtpPassword\":\"hunter2\",\"smtpFrom\":\"Kuma <k@example.com>\",\"smtpTo\":\"a@example.com, b@example.com\"}"}],
     "monitorList": [
      {"id": 1, "name": "Pages", "type": "group", "notificationIDList": {"1": true}},
      {"id": 2, "name": "Front", "type": "http", "url": "https://a.example/?token=hunter3", "parent": 1, "interval": 60,
       "authMethod": "basic", "basic_auth_user": "ann", "basic_auth_pass": "hunter4", "resendInterval": 10},
      {"id": 3, "name": "Job", "type": "push", "pushToken": "abcdefghij", "interval": 3600, "parent": 1}]}
    """#

  @Test func aBackupOfKumaIsLoaded() async throws {
    try await withTemporaryDirectory { folder in
      try Self.kuma.write(to: folder.appending(path: "kuma.json"), atomically: true, encoding: .utf8)
      let made = try await run(["import", "auto", "kuma.json", "-o", "agent.yaml"], in: folder)
      #expect(made.status == 1, "\(made.stderr)")
      let text = try String(contentsOf: folder.appending(path: "agent.yaml"), encoding: .utf8)
      for secret in ["hunter2", "hunter3", "hunter4", "abcdefghij"] {
        #expect(!text.contains(secret), "\(text)")
      }
      for line in [
        "  remind: 10m\n", "      checks: [Front]\n", "      checks: [Job]\n", "        tls: implicit\n",
        "    tags: [Pages]\n",
        "# changed: parent: each monitor of the group notifies, not the group\n",
      ] { #expect(text.contains(line), "\(line)\(text)") }
      let valid = try await run(["validate", "-c", "agent.yaml"], in: folder)
      #expect(valid.status == 0, "\(valid.stdout)\(valid.stderr)")
    }
  }

  /// A database in the middle of a change is no whole one; what SQLite has left in its log is read.
  @Test func whatLiesBesideADatabase() async throws {
    try await withTemporaryDirectory { folder in
      try Data("SQLite format 3\0".utf8).write(to: folder.appending(path: "kuma.db"))
      for (end, words) in [
        ("-journal", "kuma.db-journal has changes that are not in the database yet"),
        ("-wal", "kuma.db: the write-ahead log beside it is damaged"),
      ] {
        let file = folder.appending(path: "kuma.db\(end)")
        try Data(String(repeating: "x", count: 40).utf8).write(to: file)
        let made = try await run(["import", "auto", "kuma.db"], in: folder)
        #expect(made.status == 65 && made.stderr.contains(words), "\(made.stderr)")
        try FileManager.default.removeItem(at: file)
      }
    }
  }
}
