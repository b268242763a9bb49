// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// A file that the user may not read is never called missing, whichever command reads it and whether the file itself or its
/// folder is closed.
@Suite(.enabled(if: geteuid() == 0, "changes its user, which needs root"), .timeLimit(.minutes(2)))
struct RightsStories {
  struct Case: Sendable, CustomTestStringConvertible {
    var what: String
    /// `FILE` is the path of the closed file.
    var command: String
    /// Lines of agent.yaml beside the state directory.
    var yaml = ""
    var testDescription: String { what }
  }

  private static let tcp = "{name: A, type: tcp, host: 127.0.0.1, port: 1}"

  static let cases: [Case] = [
    Case(what: "the configuration", command: "validate -c FILE"),
    Case(what: "the configuration of once", command: "once -c FILE"),
    Case(what: "the configuration of a plugin", command: "once --format nagios -c FILE"),
    Case(what: "the configuration of doctor", command: "doctor -c FILE"),
    Case(what: "an included file", command: "validate", yaml: "include: FILE"),
    Case(
      what: "a list of targets", command: "validate",
      yaml: "templates: {t: {type: ping, host: \"${host}\"}}\ndiscover: [{file: FILE, extends: t}]"),
    Case(
      what: "a secret", command: "validate",
      yaml: "checks: [{name: A, type: http, url: \"http://a/\", auth: {bearer: \"${file:FILE}\"}}]"),
    Case(
      what: "a body", command: "validate",
      yaml: "checks: [{name: A, type: http, url: \"http://a/\", method: POST, body_file: FILE}]"),
    Case(
      what: "authorities", command: "once",
      yaml: "checks: [{name: A, type: tls, host: 127.0.0.1, port: 1, tls: {ca_file: FILE}}]"),
    Case(
      what: "a client certificate", command: "once",
      yaml: "checks: [{name: A, type: tls, host: 127.0.0.1, port: 1, tls: {client_certificate: FILE}}]"),
    Case(
      what: "modules of /probe", command: "validate",
      yaml:
        "checks: [\(tcp)]\nstatus: {listen: \"127.0.0.1:1\"}\nprobe: {modules: FILE, allow: [127.0.0.1/32]}"),
    Case(what: "networks of a trace", command: "trace --networks FILE 127.0.0.1"),
    Case(what: "results to compare", command: "compare FILE FILE"),
    Case(what: "a file to import", command: "import nagios FILE"),
    Case(what: "a body of the command line", command: "once -d @FILE http://127.0.0.1:1/"),
    Case(what: "tests", command: "test FILE", yaml: "checks: [\(tcp)]"),
    Case(what: "the store", command: "spool ls --state-dir FILE"),
  ]

  /// Closed by its own mode, or by its folder's.
  @Test(arguments: cases, ["file", "folder"]) func rightsAreNotAbsence(example: Case, closed: String)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let inner = folder.appending(path: "inner")
      let file = inner.appending(path: "file.json")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      if example.what == "the store" {
        try FileManager.default.createDirectory(
          at: file.appending(path: "spool"), withIntermediateDirectories: true)
      } else {
        try "x".write(to: file, atomically: true, encoding: .utf8)
      }
      let yaml =
        "agent: {state_dir: \(folder.path)/state}\n" + example.yaml.replacing("FILE", with: file.path)
      try (yaml + "\n").write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      #expect(chmod(folder.path, 0o777) == 0 && chmod(folder.appending(path: "agent.yaml").path, 0o644) == 0)
      #expect(chmod(inner.path, closed == "folder" ? 0o700 : 0o755) == 0 && chmod(file.path, 0o600) == 0)
      let script =
        "exec setpriv --reuid 10077 --regid 10077 --clear-groups \"$0\" "
        + example.command.replacing("FILE", with: file.path)
      let outcome = try await AgentProcess(
        ["-c", script, AgentProcess.binary.path], in: folder, program: URL(filePath: "/bin/sh")
      ).finish()
      let said = (outcome.stdout + outcome.stderr).lowercased()
      #expect(outcome.status != 0)
      #expect(
        said.contains("may not be read") || said.contains("may not read")
          || said.contains("permission denied"),
        "\(said)")
      for word in ["does not exist", "no such file", "missing", "there is no ", "not found"] {
        #expect(!said.contains(word), "\(said)")
      }
    }
  }

  /// A file of root's alone is a problem of the agent's, whoever validates; a draft that only root can read is none.
  @Test func rootJudgesForTheAgent() async throws {
    try await withTemporaryDirectory { folder in
      let (yaml, secret) = (folder.appending(path: "agent.yaml"), folder.appending(path: "secret"))
      try "hunter22".write(to: secret, atomically: true, encoding: .utf8)
      try """
      agent: {state_dir: \(folder.path)/state}
      checks: [{name: A, type: http, url: "https://a.test/", auth: {bearer: "${file:\(secret.path)}"}}]
      """.write(to: yaml, atomically: true, encoding: .utf8)
      let state = folder.appending(path: "state").path
      #expect(mkdir(state, 0o700) == 0 && chown(state, 10_077, 10_077) == 0)
      #expect(
        chmod(folder.path, 0o755) == 0 && chmod(yaml.path, 0o644) == 0 && chmod(secret.path, 0o600) == 0)
      func finding() async throws -> JSONValue? {
        let outcome = try await agent("doctor", "--format", "json", in: folder)
        return try JSONValue.parse(Array(outcome.stdout.utf8)).array?.first {
          $0["area"]?.string == "configuration"
        }
      }
      let closed = try await agent("validate", in: folder)
      #expect(
        closed.status == 78 && closed.stderr.contains("may not be read")
          && closed.stderr.contains("as the agent's user (uid 10077) reads it"), "\(closed.stderr)")
      let critical = try await finding()
      #expect(critical?["verdict"]?.string == "trouble", "\(String(describing: critical))")
      #expect(critical?["text"]?.string?.contains("1 problem for the agent's user (uid 10077): ") == true)
      // Its own is right, also where root would have a word about it.
      #expect(chown(secret.path, 10_077, 10_077) == 0)
      let own = try await agent("validate", in: folder)
      #expect(own.status == 0 && own.stderr == "", "\(own.stderr)")
      #expect(try await finding()?["verdict"]?.string == "ok")
      #expect(chmod(yaml.path, 0o600) == 0)
      let draft = try await agent("validate", in: folder)
      #expect(
        draft.status == 0
          && draft.stderr.contains("agent.yaml may not be read by the agent's user (uid 10077)\n  hint: "),
        "\(draft.stderr)")
      #expect(try await finding()?["verdict"]?.string == "warning")
    }
  }
}
