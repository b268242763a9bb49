// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

@testable import Import

/// Every value of a file is carried over or listed, and nothing a stranger wrote becomes YAML of ours.
@Suite struct LedgerTests {
  private static let fixtures: [(ImportFormat, [String], checks: Int, least: Double)] = [
    (.blackbox, ["blackbox.yml", "prometheus.yml"], 9, 0.5),
    (.gatus, ["gatus.yaml"], 8, 0.5),
    (.uptimeKuma, ["kuma.json"], 7, 0.5),
    (.nagios, ["nagios.cfg"], 7, 0.5),
    (.cloudprober, ["cloudprober.cfg"], 5, 0.5),
    (.checkly, ["checkly.json"], 1, 0.5), (.icinga2, ["icinga2.conf"], 4, 0.5),
    (.upptime, ["upptime.yml"], 3, 0.5), (.telegraf, ["telegraf.conf"], 6, 0.5),
    (.smokeping, ["smokeping.conf"], 2, 0.3),
  ]

  private func file(_ name: String) throws -> ImportFile {
    var folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    folder = "/\(folder)/Fixtures/\(name)"
    return ImportFile(name: name, bytes: try readAll(folder))
  }

  @Test(arguments: LedgerTests.fixtures.indices) func everyValueIsCarriedOrListed(_ index: Int) throws {
    let (format, names, checks, least) = Self.fixtures[index]
    let files = try names.map(file)
    let imported = try Importer.read(nil, files)
    #expect(imported.format == format)
    #expect(imported.checks.count == checks)
    #expect(imported.total > 10)
    let notes = imported.notes + imported.checks.flatMap(\.notes)
    #expect(notes.count(where: \.isValue) == imported.listed)
    #expect(imported.carried + imported.listed == imported.total)
    #expect(Double(imported.carried) >= least * Double(imported.total))
  }

  @Test(arguments: LedgerTests.fixtures.indices) func whatIsWrittenIsValid(_ index: Int) throws {
    let imported = try Importer.read(nil, try Self.fixtures[index].1.map(file))
    var yaml = AgentYAML(secrets: .environment)
    let text = yaml.render(
      imported.checks, sections: imported.sections, head: imported.notes.map(\.line))
    var environment: [String: String] = [:]
    for secret in yaml.values { environment[secret.name] = secret.value.reveal() }
    let sources = ConfigSources(
      environment: environment,
      secrets: SecretFiles(
        read: { _ throws(SecretFiles.Note) in SecretFiles.Contents(text: "a") },
        readBody: { _ throws(SecretFiles.Note) in "a" }), hostName: "a")
    do {
      let loaded = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources)
      #expect(loaded.settings.checks.count == imported.checks.count)
    } catch {
      Issue.record("\(error.problems.map { "\($0.line): \($0.message)" })\n\(text)")
    }
    #expect(!text.contains("\0"))
  }

  @Test func secretsAreReferences() throws {
    for (_, names, _, _) in Self.fixtures {
      let imported = try Importer.read(nil, try names.map(file))
      var yaml = AgentYAML(secrets: .environment)
      let text = yaml.render(
        imported.checks, sections: imported.sections, head: imported.notes.map(\.line))
      for secret in [
        "s3cr3t-token", "hunter2", "pass-word-1", "k-123456789", "kuma-secret", "nagios-secret\"",
        "cloud-secret",
        "checkly-secret", "0123456789abcdefghij", "secret-part", "pw-of-shell",
        "up-secret", "tele-secret", "icinga-secret", "out-secret",
      ] { #expect(!text.contains(secret), "\(secret) of \(names)") }
    }
  }

  @Test func aBombOfAliasesEnds() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...12 {
      let last = "*a\(level - 1)"
      text += "a\(level): &a\(level) [\(Array(repeating: last, count: 10).joined(separator: ", "))]\n"
    }
    #expect(throws: ImportProblem.self) { try ForeignYAML.read(Array(text.utf8)) }
    let deep = String(repeating: "[", count: 5000)
    #expect(throws: ImportProblem.self) { try ForeignYAML.read(Array(deep.utf8)) }
    #expect(throws: ImportProblem.self) { try ForeignYAML.read([0xff, 0xfe]) }
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
