// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Testing

@testable import Import

/// A source of the tests, read and written.
struct ReadSource {
  let imported: Imported
  /// The agent.yaml, secrets as variables.
  let text: String
  let secrets: [(name: String, value: Redacted)]

  init(_ format: ImportFormat?, _ files: [(name: String, text: String)]) throws {
    imported = try Importer.read(
      format, files.map { ImportFile(name: $0.name, bytes: Array($0.text.utf8)) })
    var yaml = AgentYAML(secrets: .environment)
    text = yaml.render(imported.checks, head: [])
    secrets = yaml.values
  }

  init(_ format: ImportFormat?, _ text: String) throws { try self.init(format, [("f", text)]) }

  /// A service of Nagios whose command is this line of a plugin.
  init(plugin line: String) throws {
    try self.init(
      .nagios,
      """
      define command {
        command_name c
        command_line /p/\(line)
      }
      define host {
        host_name h
        address 192.0.2.1
      }
      define service {
        host_name h
        service_description s
        check_command c
      }
      """)
  }

  var names: [String] { imported.checks.map(\.name) }

  /// The reasons, of the checks and of the rest.
  var reasons: [String] { (imported.notes + imported.checks.flatMap(\.notes)).map(\.why) }

  /// How often each reason is given.
  var reasonCounts: [String: Int] { reasons.reduce(into: [:]) { $0[$1, default: 0] += 1 } }

  /// The keys of a check as agent.yaml has them, those of its pace left out.
  func keys(of index: Int = 0) throws -> String {
    var check = try #require(imported.checks.indices.contains(index) ? imported.checks[index] : nil)
    let left = ["interval", "timeout", "retries", "tags", "allow_downgrade"]
    check.keys.removeAll { left.contains($0.name) }
    var yaml = AgentYAML(secrets: .environment)
    check.notes = []
    check.name = "c"
    return yaml.render([check], head: []).split(separator: "\n").dropFirst(2)
      .map { $0.dropFirst(4) }.joined(separator: "\n")
  }

  /// Keys of channels, rules and windows as agent.yaml has them; rules name the keys of their checks.
  func sections() throws -> String {
    var made = imported.sections
    for index in made.rules.indices {
      let keys = made.rules[index].selected ?? []
      made.rules[index]["checks"] = .list(keys.map { .number($0) })
    }
    var yaml = AgentYAML(secrets: .environment)
    return yaml.render([], sections: made, head: []).split(separator: "\n")
      .filter { !$0.contains("#") && $0 != "checks: []" }.joined(separator: "\n")
  }

  /// What the loader of agent.yaml says of it.
  var problems: [String] {
    var environment = [String: String]()
    for part in text.split(separator: "${env:").dropFirst() {
      environment[String(part.prefix { $0 != "}" })] = "stand-in-of-a-secret-value"
    }
    let sources = ConfigSources(
      environment: environment,
      secrets: SecretFiles(
        read: { _ throws(SecretFiles.Note) in SecretFiles.Contents(text: "a") },
        readBody: { _ throws(SecretFiles.Note) in "a" }), hostName: "a")
    do throws(ConfigErrors) {
      _ = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources)
      return []
    } catch { return error.problems.map { "\($0.line): \($0.message)" } }
  }
}
