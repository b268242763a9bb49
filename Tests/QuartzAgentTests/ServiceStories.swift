// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// The program as a service has it: its log in the journal, its credentials, its files of another user's.
@Suite struct ServiceStories {
  private func shell(_ script: String, in folder: URL) throws -> AgentProcess {
    try AgentProcess(
      ["-ec", script, AgentProcess.binary.path], in: folder,
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], program: URL(filePath: "/bin/sh"))
  }

  /// `$JOURNAL_STREAM` names the file that standard error is: each line has its priority and no time. Another file is no
  /// journal.
  @Test(.timeLimit(.minutes(1))) func theJournalGetsPriorities() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try RunStories.config(
          "  - {name: Web, type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1s, timeout: 1s}",
          in: folder)
        let stream = "JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2)"
        let process = try shell("\(stream) exec \"$0\" run", in: folder)
        try await process.wait(for: "a probe") {
          server.accepted >= 1 && process.stderr.contains("status page")
        }
        process.send(SIGTERM)
        let lines = try await process.finish().stderr.split(separator: "\n").map(String.init)
        #expect(
          lines.allSatisfy {
            $0.hasPrefix("<5>NOTICE agent: ") || $0.hasPrefix("<6>INFO agent: ")
              || $0.hasPrefix("<4>WARNING ")
          }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("<5>NOTICE agent: probing 1 check") }, "\(lines)")
        try "checks: [{name: A}]\n".write(
          to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        let refused = try await shell("\(stream) exec \"$0\" run", in: folder).finish()
        let words = refused.stderr.split(separator: "\n")
        #expect(refused.status == 78 && words.allSatisfy { $0.hasPrefix("<3>") }, "\(refused.stderr)")
        let elsewhere = try await shell("JOURNAL_STREAM=1:2 exec \"$0\" run", in: folder).finish()
        #expect(elsewhere.stderr.split(separator: "\n").allSatisfy { !$0.hasPrefix("<") })
      }
    }
  }

  /// The file of a service is right in a shell, too, which has none of its credentials. The service itself needs them.
  @Test func aCredentialIsANoteOutsideTheUnit() async throws {
    try await withTemporaryDirectory { folder in
      try """
      agent: {state_dir: ./state}
      quartz: {url: "https://api.example/v1", api_key: "${cred:quartz_api_key}"}
      status: {listen: "127.0.0.1:9", read_token: "${cred:read}"}
      alerts: {channels: [{name: ops, webhook: "https://hooks.example/${cred:hook}"}]}
      checks:
        - {name: A, type: tcp, host: 127.0.0.1, port: 1}
        - {name: B, type: http, url: "https://b.example/", auth: {bearer: "${cred:bearer}"}}
      """.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      let outcome = try await agent("validate", in: folder)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      let notes = outcome.stderr.split(separator: "\n")
      #expect(
        notes.first
          == "note: agent.yaml:2:41: quartz.api_key is the credential \"quartz_api_key\", which the service alone has: it was not looked at"
      )
      #expect(notes.count == 4 && notes.allSatisfy { $0.hasPrefix("note: ") }, "\(outcome.stderr)")
      let run = try await agent("run", in: folder)
      #expect(run.status == 78 && run.stderr.contains("CREDENTIALS_DIRECTORY is not set"), "\(run.stderr)")
      // Another mistake is one.
      let yaml = try String(contentsOf: folder.appending(path: "agent.yaml"), encoding: .utf8)
      try yaml.replacing("port: 1}", with: "port: 0}").write(
        to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      #expect(try await agent("validate", in: folder).status == 78)
      // A credential that is there is looked at.
      let found = try await agent(
        "validate", in: folder, environment: ["CREDENTIALS_DIRECTORY": "/nonexistent"])
      #expect(found.status == 78 && found.stderr.contains("does not exist"), "\(found.stderr)")
    }
  }

  /// Without its secret a request would be another question: none is sent, and what lacks it is named.
  @Test(.timeLimit(.minutes(1))) func nothingIsSentWithoutItsCredential() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let url = "http://127.0.0.1:\(server.port)/"
        try """
        agent: {state_dir: ./state}
        alerts:
          channels:
            - {name: w, webhook: "${cred:hook}"}
            - {name: h, webhook: "\(url)", headers: {X-Key: "Bearer ${cred:pw}"}}
            - {name: m, mail: {server: "127.0.0.1:\(server.port)", tls: none, username: u, password: "${cred:pw}", from: a@b.example, to: [c@d.example]}}
        checks:
          - {name: a, type: http, url: "\(url)"}
          - {name: c, type: http, url: "\(url)", auth: {bearer: "${cred:api}"}}
          - {name: d, type: http, url: "\(url)?k=${cred:api}"}
          - {name: e, type: http, url: "\(url)", headers: {X-Key: "${cred:api}"}}
          - {name: "db:5432", type: http, url: "\(url)"}
        """.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        let all = try await agent("once", "--format", "ndjson", in: folder)
        let lines = all.stdout.split(separator: "\n")
        #expect(all.status == 3 && lines.count == 5, "\(all.stdout)\(all.stderr)")
        for name in ["c", "d", "e"] {
          let line = lines.first { $0.contains("\"check\":\"\(name)\",") } ?? ""
          #expect(
            line.contains("\"state\":\"unknown\"") && line.contains("\"reason\":\"local_fault\"")
              && line.contains(#"needs the credential \"api\", which only the service can read"#), "\(line)")
        }
        #expect(server.accepted == 2)
        let one = try await agent("once", "d", in: folder)
        #expect(one.status == 3 && one.stdout.contains("needs the credential"), "\(one.stdout)\(one.stderr)")
        let named = try await agent("once", "db:5432", in: folder)
        #expect(named.status == 0, "\(named.stdout)\(named.stderr)")
        let test = try await agent("alert", "test", in: folder)
        #expect(
          test.stdout
            == ["w", "h", "m"].map {
              "\($0): not sent: needs the credential \"\($0 == "w" ? "hook" : "pw")\", which only the service can read\n"
            }.joined())
        #expect(test.status == 3 && server.accepted == 3)
        #expect(try await agent("alert", "test", "m", in: folder).status == 3)
        let trace = try await agent("trace", "d", in: folder)
        #expect(
          trace.status == 3 && trace.stderr.contains("the target of \"d\" needs the credential \"api\""),
          "\(trace.stderr)")
      }
    }
  }

  /// Root looks at a store as its owner does, and leaves nothing there that the owner could not use.
  @Test(.enabled(if: geteuid() == 0, "changes its user, which needs root"), .timeLimit(.minutes(1)))
  func rootLooksAsTheOwner() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try RunStories.config(
          "  - {name: Web, type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1s, timeout: 1s}",
          in: folder)
        #expect(chmod(folder.path, 0o755) == 0)
        let state = folder.appending(path: "state").path
        #expect(mkdir(state, 0o700) == 0 && chown(state, 10_077, 10_077) == 0)
        let user = "setpriv --reuid 10077 --regid 10077 --clear-groups"
        let process = try shell("exec \(user) \"$0\" run", in: folder)
        try await process.wait(for: "probes") { server.accepted >= 2 }
        #expect(try await agent("status", in: folder).status == 0)
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
        let check = try await agent("spool", "check", in: folder)
        #expect(check.status == 0, "\(check.stdout)\(check.stderr)")
        #expect(try await agent("spool", "quarantine", "resubmit", in: folder).status == 0)
        let doctor = try JSONValue.parse(
          Array(try await agent("doctor", "--format", "json", in: folder).stdout.utf8))
        let findings = (doctor.array ?? []).filter { $0["area"]?.string == "state_dir" }
        #expect(findings.map { $0["verdict"]?.string } == ["ok"], "\(findings)")
        let strangers = try await shell("find state ! -uid 10077", in: folder).finish()
        #expect(strangers.stdout == "", "\(strangers.stdout)")
        let again = try shell("exec \(user) \"$0\" run", in: folder)
        let seen = server.accepted
        try await again.wait(for: "probes") { server.accepted > seen }
        again.send(SIGTERM)
        #expect(try await again.finish().status == 0)
        #expect(!again.stderr.contains("in memory"), "\(again.stderr)")
      }
    }
  }
}
