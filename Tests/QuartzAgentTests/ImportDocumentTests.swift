// SPDX-License-Identifier: MIT

import Agent
import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import Import
@testable import QuartzAgent

/// The agent.yaml that an import makes: its files, and what is said of it.
@Suite struct ImportDocumentTests {
  private func check(_ name: String, _ notes: ImportNote..., secrets: [String] = []) -> ImportedCheck {
    var check = ImportedCheck(name: name, type: "http")
    check["url"] = .text("https://shop.example/")
    if !secrets.isEmpty {
      check["headers"] = .map(
        secrets.enumerated().map {
          ("X-Key-\($0.offset)", .secret(Redacted($0.element), as: "key \($0.offset)"))
        })
    }
    (check.notes, check.carried) = (notes, 2)
    return check
  }

  private func imported(
    _ checks: [ImportedCheck], notes: [ImportNote] = [], leftOut: [LeftOut] = [], total: Int = 10,
    carried: Int = 10
  ) -> Imported {
    Imported(
      format: .gatus, checks: checks, notes: notes, leftOut: leftOut, total: total, carried: carried)
  }

  private func mode(_ path: String) -> mode_t {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
  }

  private func names(_ folder: String) -> [String] {
    fileNames(in: folder).filter { !$0.hasPrefix(".") }.sorted()
  }

  /// A file for each secret in a folder beside the document, for the agent's user alone; without secrets there is no folder.
  @Test func filesOfSecrets() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/agent.yaml"
      let plain = ImportDocument(imported([check("Shop")]), output: path)
      try plain.write(to: path)
      #expect(names(folder.path) == ["agent.yaml"] && mode(path) == 0o600)
      #expect(try readWhole(path, limit: 1 << 20) == Array(plain.text.utf8))
      let secret = ImportDocument(imported([check("Shop", secrets: ["s3cret", "hunter2"])]), output: path)
      for _ in 0..<2 { try secret.write(to: path) }
      #expect(names(folder.path) == ["agent.yaml", "agent.yaml.secrets"])
      let shelf = path + ".secrets"
      #expect(mode(shelf) == 0o700)
      let files = names(shelf)
      #expect(files.count == 2 && files.allSatisfy { mode("\(shelf)/\($0)") == 0o600 })
      let contents = try files.map {
        String(decoding: try readWhole("\(shelf)/\($0)", limit: 99), as: UTF8.self)
      }
      #expect(Set(contents) == ["s3cret", "hunter2"])
      #expect(files.allSatisfy { secret.text.contains("${file:agent.yaml.secrets/\($0)}") })
      #expect(!secret.text.contains("s3cret") && !secret.text.contains("Set before the start"))
    }
  }

  /// A folder that cannot be made is named, and nothing is written.
  @Test func aFolderThatCannotBeMade() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/none/a.yaml"
      let document = ImportDocument(imported([check("Shop", secrets: ["x"])]), output: "sub/a.yaml")
      do throws(UnreadableFile) {
        try document.write(to: path)
        Issue.record("it was written")
      } catch { #expect(error.words == "\(path).secrets: No such file or directory") }
      #expect(names(folder.path).isEmpty)
    }
  }

  /// On standard output secrets are variables, which the head names.
  @Test func variablesOfSecrets() throws {
    let document = ImportDocument(imported([check("Shop", secrets: ["s3cret", "x"])]), output: nil)
    let head = document.text.split(separator: "\n").prefix { $0.hasPrefix("#") }.map(String.init)
    #expect(head.count == 2)
    #expect(
      head.first
        == "# Made by quartz-agent import gatus. Read the settings in comments.")
    let names = try #require(head.last).split(separator: " ").dropFirst(5)
    #expect(head.last?.hasPrefix("# Set before the start: ") == true && names.count == 2)
    #expect(names.allSatisfy { document.text.contains("${env:\($0)}") })
    let loaded = try document.loaded(as: "agent.yaml")
    #expect(loaded.map(\.name) == ["Shop"])
    guard case .http(let http)? = loaded.first?.kind else {
      Issue.record("it is of another type")
      return
    }
    #expect(http.headers.map { $0.value } == [Redacted("s3cret"), Redacted("x")])
  }

  /// Whether it means what the source means: nothing listed, nothing left out, and no check that changed.
  @Test func wholes() {
    func isWhole(_ imported: Imported) -> Bool { ImportDocument(imported, output: nil).isWhole }
    #expect(isWhole(imported([check("Shop")])))
    #expect(!isWhole(imported([check("Shop")], carried: 9)))
    #expect(!isWhole(imported([check("Shop")], leftOut: [LeftOut(name: "a", why: "b", values: 0)])))
    for change in ImportNote.Change.allCases {
      #expect(!isWhole(imported([check("Shop", ImportNote(place: "p", why: "w", change: change))])))
    }
    #expect(isWhole(imported([check("Shop", ImportNote(place: "p", why: "w"))])), "it is noted, and the same")
  }

  /// A check that the judge refuses is left out with the judge's words, and its values are not carried.
  @Test func whatTheJudgeRefuses() {
    var bad = check("Bad")
    bad["url"] = .text("ftp://shop.example/")
    let document = ImportDocument(imported([check("Shop"), bad, check("Mail")]), output: nil)
    #expect(document.checks.map(\.name) == ["Shop", "Mail"])
    #expect(document.carried == 8 && document.listed == 2 && !document.isWhole)
    #expect(document.leftOut.count == 1 && document.leftOut.first?.name == "\"Bad\"")
    #expect(document.report.count == 1 && document.report[0].hasPrefix("left out: \"Bad\" (2 values): "))
    #expect(document.text.contains("# left out: \"Bad\""), "\(document.text)")
  }

  /// The lines on the terminal: counts, what is left out, changes by reason with three names at most, and where the rest is.
  @Test func summaries() {
    let (lax, strict) = (
      ImportNote(place: "p:1", why: "no ca", change: .laxer),
      ImportNote(place: "p:2", why: "retries", change: .stricter)
    )
    let checks = [
      check("A", lax, lax, strict), check("B", lax), check("C", lax), check("D", lax, strict), check("E"),
    ]
    let document = ImportDocument(
      imported(
        checks, leftOut: [LeftOut(name: "rpc", why: "no grpc", place: "p:9", values: 3)], total: 22,
        carried: 16), output: "a.yaml")
    let lines = [
      "quartz-agent: gatus: 5 checks; 22 values: 16 carried, 6 listed with the reason",
      "quartz-agent: 1 left out, because nothing here means the same",
      "quartz-agent: not the same as in the source: 4 laxer, 2 stricter; see the comments",
      "  left out: \"rpc\" (p:9, 3 values): no grpc", "  laxer: no ca: \"A\", \"B\", \"C\" and 1 more",
      "  stricter: retries: \"A\", \"D\"",
    ]
    #expect(document.summary(report: nil) == lines)
    #expect(
      document.summary(report: "r.txt") == lines + ["quartz-agent: each of them, with its place: r.txt"])
    #expect(
      document.report == [
        "left out: \"rpc\" (p:9, 3 values): no grpc", "\"A\": laxer: p:1: no ca", "\"A\": laxer: p:1: no ca",
        "\"A\": stricter: p:2: retries", "\"B\": laxer: p:1: no ca", "\"C\": laxer: p:1: no ca",
        "\"D\": laxer: p:1: no ca", "\"D\": stricter: p:2: retries",
      ])
    let whole = ImportDocument(imported([check("A")], total: 2, carried: 2), output: "a.yaml")
    #expect(
      whole.summary(report: "r.txt") == [
        "quartz-agent: gatus: 1 check; 2 values: 2 carried, 0 listed with the reason"
      ], "there is no report")
    let secret = check("A", secrets: ["x", "y", "z"])
    for (output, words) in [
      ("etc/a.yaml", "in a.yaml.secrets/, for the agent's user alone"),
      (nil, "expected in the environment; the comment at the top names them"),
    ] as [(String?, String)] {
      let lines = ImportDocument(imported([secret]), output: output).summary(report: nil)
      #expect(lines.last == "quartz-agent: secrets: 3, \(words)")
    }
  }

  /// Forty lines at most, of which the last ones say how many more there are, and where.
  @Test(arguments: [(36, 36, nil), (37, 37, nil), (38, 36, 2), (60, 36, 24)] as [(Int, Int, Int?)])
  func longSummaries(count: Int, shown: Int, rest: Int?) {
    let all = (0..<count).map { LeftOut(name: "n\($0)", why: "w", values: 1) }
    let document = ImportDocument(imported([check("A")], leftOut: all), output: nil)
    let lines = document.summary(report: "r.txt")
    #expect(lines.count <= 40 && lines.count { $0.hasPrefix("  left out: ") } == shown)
    #expect(lines.last == "quartz-agent: each of them, with its place: r.txt")
    #expect(lines.filter { $0.hasPrefix("  and ") } == [rest.map { "  and \($0) more" }].compactMap(\.self))
  }

  /// Five thousand reasons stand in the file, and how many more there are.
  @Test func manyReasons() {
    func reasons(_ leftOut: Int, _ general: Int) -> [String] {
      ImportDocument(
        imported(
          [check("A")], notes: (0..<general).map { ImportNote(place: "p:\($0)", why: "w\($0)") },
          leftOut: (0..<leftOut).map { LeftOut(name: "n\($0)", why: "w", values: 1) }), output: nil
      ).reasons
    }
    #expect(reasons(5000, 0).count == 5000 && reasons(2, 3).count == 5)
    let many = reasons(5003, 0)
    #expect(many.count == 5001 && many.last == "not carried: and 3 more")
  }

  /// A check that the judge refuses leaves no channel, rule or interval of reminders.
  @Test func nothingOfARefusedCheck() throws {
    let config = #""{\"type\":\"slack\",\"slackwebhookURL\":\"https://a.example/\"}""#
    let list = #""notificationIDList":{"1":true}"#
    let text =
      #"{"monitorList":[{"id":1,"name":"quiet","type":"port","hostname":"a.example","port":1,\#(list)},"#
      + #"{"id":2,"name":"loud","type":"keyword","url":"https://a.example/","keyword":"a","method":"HEAD","#
      + #""resendInterval":1,\#(list)}],"notificationList":[{"id":1,"name":"n","config":\#(config)}]}"#
    let imported = try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
    #expect(imported.sections.remind == 60_000 && imported.sections.channels.count == 2)
    let document = ImportDocument(imported, output: nil)
    #expect(document.checks.map(\.name) == ["quiet"])
    #expect(document.sections.channels.map(\.name) == ["n"] && document.sections.remind == nil)
    #expect(document.sections.rules.map(\.name) == ["n"])
    #expect(document.leftOut.map(\.name) == ["\"loud\"", "\"n with reminders\"", "\"n with reminders\""])
    #expect(
      document.leftOut.suffix(2).map(\.why) == ["none of its checks is here", "no rule notifies it"])
    #expect(!document.text.contains("remind:"))
  }
}
