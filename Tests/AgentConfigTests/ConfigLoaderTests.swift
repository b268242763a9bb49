// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Monitoring
import Testing

/// From a path to settings.
struct ConfigLoaderTests {
  static let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "agent.yaml.example").path

  private func errors(_ path: String) -> ConfigErrors? {
    do throws(ConfigErrors) {
      _ = try ConfigLoader.load(path: path, environment: [:], patterns: .unchecked)
      return nil
    } catch {
      return error
    }
  }

  @Test func missingFileSaysWhatNext() {
    #expect(
      errors("/nonexistent/agent.yaml")?.description == """
        /nonexistent/agent.yaml: the file does not exist
          hint: copy agent.yaml.example to /nonexistent/agent.yaml, or name another file with --config
        """)
    #expect(errors("/tmp")?.problems.first?.message == "this is a directory")
  }

  @Test func endlessFilesEndAtTheCap() throws {
    #expect(errors("/dev/zero")?.problems.first?.message == "this is no regular file")
    try withFolder { folder in
      let path = try folder.file("agent.yaml", String(repeating: "#\n", count: 9_000_000))
      #expect(errors(path)?.problems.first?.message == "the file is larger than 16 MiB")
    }
  }

  /// A file that is wrong in each of its lines is told so once, not a million times.
  @Test(arguments: [("a: 1\n", "and 9900 more"), ("b%: 1\n", "and 4901 more")])
  func problemsAreBounded(line: String, rest: String) {
    let text = (0..<5000).map { line.replacing("%", with: "\($0)") }.joined()
    do throws(ConfigErrors) {
      _ = try settings(text)
      Issue.record("accepted")
    } catch {
      #expect(error.problems.count == 101)
      // Of a key that is given again there are two problems: it is unknown, too.
      let last = line.hasPrefix("a") ? [50, 51] : [100, 101]
      #expect(last.contains(error.problems[99].line))
      #expect(error.problems.last?.message == rest)
      #expect(rest == "and \(error.count - 100) more" && error.count >= 4999)
    }
  }

  /// Nor are the warnings of a file that is worth two in each of its lines.
  @Test func warningsAreBounded() throws {
    let checks = (0..<5000).map {
      "  - {name: c\($0), type: http, url: \"http://a.example/\", auth: {bearer: x}}\n"
    }
    let loaded = try ConfigLoader.parse(
      text: "checks:\n" + checks.joined(), file: "agent.yaml", sources: .test)
    #expect(loaded.warnings.count == 101)
    #expect(loaded.warnings.first?.line == 2)
    #expect(loaded.warnings.last?.message == "and 9900 more")
  }

  @Test func secretsAreReadFromDisk() throws {
    try withFolder { folder in
      _ = try folder.file("key", "qtz_1\n", mode: 0o644)
      let path = try folder.file(
        "agent.yaml", "quartz: {url: \"https://q.example/v1\", api_key: \"${file:key}\"}\n" + oneCheck)
      let loaded = try ConfigLoader.load(path: path, environment: [:], patterns: .unchecked)
      #expect(loaded.settings.quartz?.apiKey == Redacted("qtz_1"))
      #expect(loaded.settings.quartz?.apiKeyFile == folder.path + "/key")
      #expect(
        loaded.warnings.map(\.message) == [
          "quartz.api_key: the file \"\(folder.path)/key\" can be read by all users of this machine (mode 0644)"
        ])
      #expect(!loaded.settings.agent.name.isEmpty)
    }
  }

  /// What a new user runs first.
  @Test func exampleIsRight() throws {
    let loaded = try ConfigLoader.load(path: Self.example, environment: [:], patterns: .unchecked)
    #expect(loaded.warnings.isEmpty)
    #expect(
      loaded.settings.checks.map(\.target) == [
        "http://127.0.0.1:9797/livez", "http://localhost:9797/", "127.0.0.1:9797",
      ])
    #expect(loaded.settings.status.listen == .tcp(host: "127.0.0.1", port: 9797))
    #expect(loaded.settings.agent.stateDir.hasSuffix("/state") && loaded.settings.quartz == nil)
  }

  /// Everything the example only shows is right as well once it is switched on.
  @Test func exampleIsRightWithEverythingOn() throws {
    let text = try String(contentsOfFile: Self.example, encoding: .utf8)
    let loaded = try ConfigLoader.parse(text: switchedOn(text), file: "agent.yaml", sources: exampleSources)
    #expect(loaded.settings.checks.count == 11)
    #expect(Set(loaded.settings.checks.map(\.type)) == Set(CheckType.allCases))
    #expect(loaded.settings.quartz?.supabase != nil)
    #expect(loaded.warnings.map(\.message) == ["discover: no file matches \"targets/*.json\""])
  }
}

/// The settings behind a single `#`; explanations have two.
func switchedOn(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    guard let mark = line.firstIndex(of: "#"), line[mark...].hasPrefix("# "),
      line[..<mark].allSatisfy({ $0 == " " })
    else { return String(line) }
    return String(line[..<mark] + line[mark...].dropFirst(2))
  }.joined(separator: "\n")
}

/// Every secret file exists.
let exampleSources = ConfigSources(
  environment: [:],
  secrets: SecretFiles(
    read: { _ throws(SecretFiles.Note) in SecretFiles.Contents(text: "s3cret-s3cret-s3cret") },
    readBody: { _ throws(SecretFiles.Note) in "body" }),
  hostName: "test-host")
