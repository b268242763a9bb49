// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Monitoring
import Testing

@testable import Import

/// Every value of a file is carried over or listed, and nothing a stranger wrote becomes YAML of ours.
@Suite struct LedgerTests {
  private struct Fixture {
    var format: ImportFormat
    var names: [String]
    var checks: Int
    var carried: Int
    var listed: Int
  }

  private static let fixtures = [
    Fixture(
      format: .blackbox, names: ["blackbox.yml", "prometheus.yml"], checks: 9, carried: 102, listed: 20),
    Fixture(format: .gatus, names: ["gatus.yaml"], checks: 8, carried: 47, listed: 12),
    Fixture(format: .uptimeKuma, names: ["kuma.json"], checks: 7, carried: 61, listed: 8),
    Fixture(format: .nagios, names: ["nagios.cfg"], checks: 7, carried: 43, listed: 6),
    Fixture(format: .cloudprober, names: ["cloudprober.cfg"], checks: 5, carried: 32, listed: 6),
    Fixture(format: .checkly, names: ["checkly.json"], checks: 1, carried: 26, listed: 5),
    Fixture(format: .icinga2, names: ["icinga2.conf"], checks: 4, carried: 42, listed: 3),
    Fixture(format: .upptime, names: ["upptime.yml"], checks: 3, carried: 14, listed: 9),
    Fixture(format: .telegraf, names: ["telegraf.conf"], checks: 6, carried: 18, listed: 4),
    Fixture(format: .smokeping, names: ["smokeping.conf"], checks: 2, carried: 10, listed: 13),
  ]

  private static func path(_ name: String) -> String {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(folder)/Fixtures/\(name)"
  }

  private func file(_ name: String) throws -> ImportFile {
    ImportFile(name: name, bytes: try readAll(Self.path(name)))
  }

  @Test(arguments: LedgerTests.fixtures.indices) func everyValueIsCarriedOrListed(_ index: Int) throws {
    let fixture = Self.fixtures[index]
    let imported = try Importer.read(nil, try fixture.names.map(file))
    #expect(imported.format == fixture.format)
    #expect(imported.checks.count == fixture.checks)
    #expect(imported.carried == fixture.carried)
    #expect(imported.listed == fixture.listed)
    #expect(imported.total == fixture.carried + fixture.listed)
    let notes = imported.notes + imported.checks.flatMap(\.notes)
    #expect(notes.count(where: \.isValue) == fixture.listed)
  }

  /// The whole agent.yaml of each source, its notes among it, and what the loader makes of it. With `QUARTZ_WRITE_DOCS=1` the
  /// files are written again.
  @Test(arguments: LedgerTests.fixtures.indices) func whatIsWrittenIsAsKept(_ index: Int) throws {
    let fixture = Self.fixtures[index]
    let imported = try Importer.read(nil, try fixture.names.map(file))
    var yaml = AgentYAML(secrets: .environment)
    let text = yaml.render(
      imported.checks, sections: imported.sections, head: imported.notes.map(\.line))
    let path = Self.path("Made/\(fixture.names[0]).agent.yaml")
    if ProcessInfo.processInfo.environment["QUARTZ_WRITE_DOCS"] == "1" {
      try Data(text.utf8).write(to: URL(filePath: path))
    }
    let kept = try String(decoding: readAll(path), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false) == kept)
    var environment: [String: String] = [:]
    for secret in yaml.values { environment[secret.name] = secret.value.reveal() }
    let sources = ConfigSources(
      environment: environment,
      secrets: SecretFiles(
        read: { _ throws(SecretFiles.Note) in SecretFiles.Contents(text: "a") },
        readBody: { _ throws(SecretFiles.Note) in "a" }), hostName: "a")
    do {
      let loaded = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources)
      #expect(loaded.settings.checks.map(\.name) == imported.checks.map(\.name))
    } catch {
      Issue.record("\(error.problems.map { "\($0.line): \($0.message)" })\n\(text)")
    }
  }

  @Test func secretsAreReferences() throws {
    for fixture in Self.fixtures {
      let imported = try Importer.read(nil, try fixture.names.map(file))
      var yaml = AgentYAML(secrets: .environment)
      let text = yaml.render(
        imported.checks, sections: imported.sections, head: imported.notes.map(\.line))
      for secret in [
        "s3cr3t-token", "hunter2", "pass-word-1", "k-123456789", "kuma-secret", "nagios-secret\"",
        "cloud-secret",
        "checkly-secret", "0123456789abcdefghij", "secret-part", "pw-of-shell",
        "up-secret", "tele-secret", "icinga-secret", "out-secret",
      ] { #expect(!text.contains(secret), "\(secret) of \(fixture.names)") }
    }
  }

  @Test func aBombOfAliasesEnds() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...12 {
      let last = "*a\(level - 1)"
      text += "a\(level): &a\(level) [\(Array(repeating: last, count: 10).joined(separator: ", "))]\n"
    }
    #expect(throws: ImportProblem.self) { try ForeignNode.yaml(Array(text.utf8)) }
    let deep = String(repeating: "[", count: 5000)
    #expect(throws: ImportProblem.self) { try ForeignNode.yaml(Array(deep.utf8)) }
    #expect(throws: ImportProblem.self) { try ForeignNode.yaml([0xff, 0xfe]) }
  }

  @Test(arguments: [
    "a\n  - name: b", "a: b #c", "\u{2028}x", "${env:HOME}", "\"", "\\", "- x", "true", "\u{feff}",
  ])
  func aHostileNameStaysAName(_ name: String) throws {
    var check = ImportedCheck(name: "c", type: "http")
    check["url"] = .text("http://a.example/")
    check["headers"] = .map([("X", .text(name))])
    check.notes = [ImportNote(place: name, why: name)]
    var yaml = AgentYAML(secrets: .environment)
    let text = yaml.render([check], head: [name])
    let nothing = SecretFiles(
      read: { _ throws(SecretFiles.Note) in throw SecretFiles.Note("none") },
      readBody: { _ throws(SecretFiles.Note) in throw SecretFiles.Note("none") })
    let loaded = try? ConfigLoader.parse(
      text: text, file: "agent.yaml",
      sources: ConfigSources(environment: [:], secrets: nothing, hostName: "a"))
    // A header's value must be printable; the judge says so, and takes it for nothing else.
    if let loaded { #expect(loaded.settings.checks.count == 1) } else { #expect(name.hasControlCharacter) }
  }

  @Test func durations() {
    #expect(ForeignDuration.milliseconds("1m30s") == 90_000)
    #expect(ForeignDuration.milliseconds("1.5h") == 5_400_000)
    #expect(ForeignDuration.milliseconds("500us") == 1)
    #expect(ForeignDuration.milliseconds("9999999999y") == nil)
    #expect(ForeignDuration.milliseconds("s") == nil)
    #expect(ForeignDuration.text(90_000) == "90s")
  }
}
