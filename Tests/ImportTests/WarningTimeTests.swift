// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Warnings of Nagios, which it notifies after as many attempts as failures: how long a check is degraded before its channels
/// are notified.
@Suite struct WarningTimeTests {
  private static let certificate = """
    define command {
      command_name days
      command_line check_http -H $HOSTADDRESS$ -C 21,5
    }

    """

  private func service(_ name: String, _ lines: String, command: String = "tcp!80") -> String {
    "define service {\nhost_name web\nservice_description \(name)\ncheck_command \(command)\n\(lines)\n}\n"
  }

  private func read(_ services: String...) throws -> Imported {
    try ReadSource(.nagios, NagiosContactsTests.base + Self.certificate + services.joined()).imported
  }

  /// Name, time and checks of the rules about warnings.
  private func warnings(_ made: Imported) -> [String] {
    made.sections.rules.filter { $0["state"]?.word == "degraded" }.map {
      "\($0.name): \($0["for"]?.word ?? "") \($0.selected ?? [])"
    }
  }

  private func notes(_ check: ImportedCheck) -> [String] {
    check.notes.filter { ["max_check_attempts", "retry_interval"].contains($0.place) }.map(\.line)
  }

  private static func lasts(_ span: String) -> String {
    "changed: max_check_attempts: a warning is notified after \(span): a check that is degraded is probed at its interval, "
      + "not at retry_interval"
  }

  /// The time of the attempts, and at least until the next result; of five minutes, where a service says nothing.
  @Test(
    arguments: [
      ("", "ann warnings: 0s [3]", []), ("max_check_attempts 1", "ann warnings: 0s [3]", []),
      ("max_check_attempts 4", "ann warnings after 5m: 5m [3]", [lasts("5m")]),
      ("max_check_attempts 4\ncheck_interval 1", "ann warnings after 3m: 3m [3]", []),
      (
        "max_check_attempts 4\ncheck_interval 1\nretry_interval 0.5", "ann warnings after 90s: 90s [3]",
        [lasts("90s")]
      ),
      (
        "max_check_attempts 2\ncheck_interval 2\nretry_interval 0.01", "ann warnings after 2m: 2m [3]",
        ["changed: retry_interval: 600ms is made 1s, the shortest there is", lasts("2m")]
      ),
      (
        "max_check_attempts 3\nretry_interval 10", "ann warnings after 10m: 10m [3]",
        [
          "stricter: retry_interval: a check that is down is probed at its interval, 5m, not after 10m"
        ]
      ),
      (
        "max_check_attempts 100\ncheck_interval 1440\nretry_interval 1440", "ann warnings after 7d: 7d [3]",
        [lasts("7d")]
      ),
    ] as [(String, String, [String])])
  func times(lines: String, rule: String, notes: [String]) throws {
    let made = try read(service("port", lines))
    #expect(warnings(made) == [rule])
    #expect(made.checks.map(self.notes) == [[], [], notes])
  }

  /// The days of a certificate do not go up and down: it is as the attempts say.
  @Test func certificates() throws {
    let made = try read(service("days", "max_check_attempts 3", command: "days"))
    #expect(warnings(made) == ["ann warnings after 2m: 2m [3]"])
    #expect(made.checks.map(notes) == [[], [], []])
  }

  /// A rule for each time, the shortest first.
  @Test func severalTimes() throws {
    let made = try read(
      service("a", "max_check_attempts 4"), service("b", ""),
      service("c", "max_check_attempts 2\ncheck_interval 1"),
      service("d", "max_check_attempts 2\nretry_interval 2"))
    #expect(
      warnings(made) == [
        "ann warnings: 0s [4]", "ann warnings after 1m: 1m [5]", "ann warnings after 5m: 5m [3, 6]",
      ])
  }
}
