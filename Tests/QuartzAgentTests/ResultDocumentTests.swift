// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import QuartzAgent

/// `once --export`: the forms, and the file.
@Suite struct ResultDocumentTests {
  private func result(_ name: String, _ verdict: Verdict, code: Int?) throws -> CheckResult {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.url) = (name, "http", "https://shop.test/a,b")
    let at = Timestamp(seconds: 1_767_571_200)
    var result = CheckResult(
      id: UniqueID(high: 1, low: 1), check: try MonitoringCheck(definition), trigger: .manual,
      scheduledAt: at,
      startedAt: at, late: .zero, verdict: verdict)
    (result.statusCode, result.responseTime) = (code, code.map { _ in .microseconds(43_217) })
    if code != nil {
      result.timings = Timings(
        dns: .microseconds(1001), connect: .milliseconds(7), tls: .milliseconds(11),
        firstByte: .milliseconds(20),
        transfer: .microseconds(4216))
    }
    return result
  }

  private func document() throws -> ResultDocument {
    let down = Verdict(.connectRefused, phase: .connect, message: "=cmd(), it said \"no\"")
    return ResultDocument(
      results: [try result("Shop", .ok, code: 200), try result("+Mail", down, code: nil)],
      unfinished: ["Late"],
      summaries: [])
  }

  /// A server's text is no formula, and no field leaves its column.
  @Test func csv() throws {
    let lines = try document().csv.components(separatedBy: "\r\n")
    #expect(
      lines == [
        "check,type,target,started_at,state,reason,status_code,response_time_ms,dns_ms,connect_ms,starttls_ms,tls_ms,first_byte_ms,transfer_ms,message",
        "Shop,http,\"https://shop.test/a,b\",2026-01-05T00:00:00.000Z,up,ok,200,43.217,1.001,7.000,,11.000,20.000,4.216,",
        "'+Mail,http,\"https://shop.test/a,b\",2026-01-05T00:00:00.000Z,down,connect_refused,,,,,,,,,\"'=cmd(), it said \"\"no\"\"\"",
        "",
      ])
  }

  /// Each end is its form; others are refused.
  @Test(arguments: ["json", "ndjson", "csv", "md", "xml", "JSON"]) func forms(end: String) async throws {
    try await withTemporaryDirectory { url in
      let folder = url.path
      let path = "\(folder)/results.\(end)"
      let document = try document()
      try #require(ResultExport(path)).write(document)
      let wanted = [
        "json": document.json, "ndjson": document.ndjson, "csv": document.csv, "md": document.markdown,
        "xml": document.junit,
      ]
      #expect(try String(contentsOfFile: path, encoding: .utf8) == wanted[end.lowercased()])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["results.\(end)"])
    }
  }

  @Test(arguments: ["results", "json", "results.txt", "results.", "a.json/b"]) func noForm(path: String) {
    #expect(ResultExport(path) == nil)
  }

  /// A pipe stays what it is, and gets the results.
  @Test func aPipeIsWrittenTo() async throws {
    try await withTemporaryDirectory { url in
      let folder = url.path
      let path = "\(folder)/pipe.json"
      #expect(mkfifo(path, 0o600) == 0)
      let reader = open(path, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      let document = try document()
      try #require(ResultExport(path)).write(document)
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(reader, &bytes, bytes.count)
      #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self) == document.json)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }
  }

  @Test func whatCannotBeWrittenIsSaid() throws {
    let export = try #require(ResultExport("/nowhere/at/all.csv"))
    let failure = #expect(throws: CommandFailure.self) { try export.write(try document()) }
    #expect(failure?.status == ExitStatus.cannotCreate)
    #expect(failure?.message.hasPrefix("cannot write the results: /nowhere/at/all.csv") == true)
    #expect(failure?.message.hasSuffix(": No such file or directory") == true)
  }

  /// The figures of several rounds stand behind the results, in JSON as in NDJSON.
  @Test func summariesStandBehindTheResults() throws {
    let results = [try result("Shop", .ok, code: 200), try result("Mail", .ok, code: nil)]
    let summaries = results.map { LatencySummary(check: $0.check, results: [$0]) }
    let all = ResultDocument(results: results, unfinished: [], summaries: summaries)
    let lines = results.map(\.json) + summaries.map(\.json)
    #expect(lines.count == 4 && lines[2].contains("Shop") && lines[3].contains("Mail"))
    #expect(all.json == "[\n" + lines.map { "  " + $0 }.joined(separator: ",\n") + "\n]\n")
    #expect(all.ndjson == lines.map { $0 + "\n" }.joined())
    #expect(ResultDocument(results: [], unfinished: [], summaries: []).json == "[]\n")
    #expect(try JSONValue.parse(all.json.utf8).array?.count == 4)
  }
}
