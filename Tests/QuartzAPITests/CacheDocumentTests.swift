// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import TestSupport
import Testing

@testable import QuartzAPI

/// The list on disk, its rows, and its parts for the other agents of a group: each byte, and what is none of it.
@Suite struct CacheDocumentTests {
  private func cache(_ file: any DurableBytes = MemoryBytes(), keeps: Bool = true) throws -> CheckListCache {
    CheckListCache(file: file, base: try HTTPURL("https://api.test/v1?x=1"), keepsSecrets: keeps)
  }

  private func window(_ recurrence: String) throws -> WireWindow {
    let text =
      #"{"id":"\#(checkID(7))","resource_id":"\#(checkID(8))","title":"Patch","starts_at":"s","ends_at":"e","#
      + "\(recurrence)}"
    return try WireWindow(JSONValue.parse(text.utf8))
  }

  private let row = #"{"id":"\#(checkID(1))","resource_id":"\#(checkID(501))","resources":{"name":"Shop"},"#

  @Test func theWholeFile() async throws {
    let file = MemoryBytes()
    let check = try CheckMappingTests.wire(
      1,
      #""check_type":"http","url":"https://u:pw@a.test/x?k=1","port":null,"http_method":"HEAD","retry_count":2,"#
        + #""http_auth_credentials":{"token":"t","n":[1.50,true,null]},"custom_headers":{"X":"1"}"#)
    let snapshot = CheckSnapshot(
      checks: [check], isCut: true,
      windows: [try window(#""is_recurring":true,"recurrence_pattern":"daily""#)])
    let end =
      #""windows":[{"id":"\#(checkID(7))","resource_id":"\#(checkID(8))","title":"Patch","starts_at":"s","#
      + #""ends_at":"e","is_recurring":true,"recurrence_pattern":"daily"}]}"#
    let start =
      #"{"version":1,"from":"https://api.test/v1","pulled_at":"2026-01-04T02:00:00.000Z","cut":true,"#
      + #""checks":[\#(row)"check_type":"http","is_enabled":true,"#
    try await cache(file).save(snapshot, pulledAt: dawn)
    let rest = #""http_method":"HEAD","retry_count":2"#
    let secrets =
      #""http_auth_credentials":{"token":"t","n":[1.50,true,null]},"custom_headers":{"X":"1"}}],"#
    #expect(
      String(decoding: file.bytes ?? [], as: UTF8.self)
        == start + #""url":"https://u:pw@a.test/x?k=1",\#(rest),"# + secrets + end)
    #expect(try await cache(file).load() == .list(snapshot, pulledAt: dawn))
    try await cache(file, keeps: false).save(snapshot, pulledAt: dawn)
    #expect(
      String(decoding: file.bytes ?? [], as: UTF8.self)
        == start + #""url":"https://<redacted>@a.test/x",\#(rest),"agent_secrets_missing":true}],"# + end)
  }

  /// A window without repetition has none, whatever its pattern; one without a pattern has an empty one.
  @Test func repetitionsOfWindows() throws {
    let rows: [(String, String?)] = [
      (#""is_recurring":false,"recurrence_pattern":"daily""#, nil), (#""is_recurring":null"#, nil),
      (#""recurrence_pattern":"daily""#, nil), (#""is_recurring":true"#, ""),
      (#""is_recurring":true,"recurrence_pattern":7"#, ""),
      (#""is_recurring":true,"recurrence_pattern":"weekly""#, "weekly"),
    ]
    for (members, recurrence) in rows { #expect(try window(members).recurrence == recurrence, "\(members)") }
    #expect(WireWindow.filter == "" && WireCheck.filter == "is_enabled=true&")
  }

  /// Each column of a window that is of the wrong type is named, with the window's id where it has one.
  @Test func columnsOfWindows() throws {
    let good = [
      ("id", "\"\(checkID(7))\""), ("resource_id", "\"\(checkID(8))\""), ("title", "\"t\""),
      ("starts_at", "\"s\""), ("ends_at", "\"e\""),
    ]
    for (place, column) in good.enumerated() {
      for bad in ["7", "null", place < 2 ? "\"x\"" : "[]"] {
        var members = good
        members[place].1 = bad
        let text = "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        let id = place == 0 ? "" : " \(checkID(7))"
        let error = #expect(throws: WireCheckError.self) { try WireWindow(JSONValue.parse(text.utf8)) }
        #expect(error?.description == "maintenance window\(id) has a \(column.0) of the wrong type")
      }
    }
  }

  /// What is no list of ours, and why.
  @Test func whatIsNoList() async throws {
    func loaded(_ text: String) async throws -> CheckListCache.Loaded {
      try await cache(MemoryBytes(Array(text.utf8))).load()
    }
    func file(
      version: String = "1", from: String = "https://api.test/v1", at: String = #""2026-01-04T02:00:00Z""#,
      cut: String = "false", checks: String = "[]", more: String = ""
    ) -> String {
      #"{"version":\#(version),"from":"\#(from)","pulled_at":\#(at),"cut":\#(cut),"checks":\#(checks)\#(more)}"#
    }
    #expect(try await loaded(file()) == .list(CheckSnapshot(checks: []), pulledAt: dawn))
    let unknown = CheckListCache.Loaded.none("the check list on disk is of an unknown kind")
    for bad in [
      file(version: "2"), file(version: "\"1\""), file(at: "7"), file(at: #""noon""#), file(cut: "null"),
      file(checks: "{}"), "{}",
    ] {
      #expect(try await loaded(bad) == unknown, "\(bad)")
    }
    #expect(try await loaded(file(from: "b")) == .none("the check list on disk is another api's"))
    let damaged = "the check list on disk is damaged: "
    #expect(try await loaded(file(checks: "[7]")) == .none(damaged + "a check is no object"))
    #expect(
      try await loaded(file(more: #","windows":[{}]"#))
        == .none(damaged + "maintenance window has a id of the wrong type"))
  }

  /// Rows of a page that cannot be read are named by their id, where it is one.
  @Test func rowsThatCannotBeRead() throws {
    for (text, words) in [
      ("7", "a check is no object"), ("{}", "a check has a id of the wrong type"),
      (#"{"id":"x"}"#, "a check has a id of the wrong type"),
      (#"{"id":"\#(checkID(1))"}"#, "check \(checkID(1)) has a resource_id of the wrong type"),
      (row + #""check_type":"a"}"#, "check \(checkID(1)) has a is_enabled of the wrong type"),
      (row + #""is_enabled":true}"#, "check \(checkID(1)) has a check_type of the wrong type"),
      (
        row.replacing("\"Shop\"", with: "7") + #""check_type":"a","is_enabled":true}"#,
        "a check has a name of the wrong type"
      ),
      (
        row + #""check_type":"a","is_enabled":true,"port":2147483648}"#,
        "check \(checkID(1)) has a port of the wrong type"
      ),
    ] {
      let error = #expect(throws: WireCheckError.self) { try WireCheck(JSONValue.parse(text.utf8)) }
      #expect(error?.description == words, "\(text)")
    }
    let most = try CheckMappingTests.wire(1, #""check_type":"a","port":2147483647,"retry_count":-2147483648"#)
    #expect(most["port"]?.number == 2_147_483_647 && most["retry_count"]?.number == -2_147_483_648)
    #expect(most["port"]?.text == nil && most["url"] == nil && most["none"] == nil)
  }

  private func bytes(_ check: WireCheck) -> Int {
    var json = JSONWriter()
    check.write(into: &json, withSecrets: true)
    return json.bytes.count
  }

  /// A check whose row has as many bytes.
  private func check(_ number: Int, bytes count: Int) throws -> WireCheck {
    var check = try CheckMappingTests.wire(number, #""check_type":"http","url":"""#)
    check.url = String(repeating: "x", count: count - bytes(check))
    return check
  }

  /// A row fits a part with 64 bytes to spare, or it is left out; a part has 256 rows.
  @Test func partsOfAList() throws {
    let most = CheckSnapshot.partBytes - 64
    for (count, isLeftOut) in [(most, false), (most + 1, true)] {
      let check = try check(1, bytes: count)
      #expect(bytes(check) == count)
      let (parts, leftOut) = CheckSnapshot(checks: [check]).parts()
      #expect(leftOut == (isLeftOut ? [check.id] : []) && parts.count == (isLeftOut ? 1 : 2))
    }
    for (second, count) in [(most - 20_001, 2), (most - 20_000, 3)] {
      let pair = [try check(1, bytes: 20_000), try check(2, bytes: second)]
      #expect(CheckSnapshot(checks: pair).parts().parts.count == count, "\(second)")
    }
    for (rows, count) in [(0, 1), (1, 2), (256, 2), (257, 3)] {
      let checks = try (0..<rows).map { try CheckMappingTests.wire($0, #""check_type":"a""#, resource: "") }
      let parts = CheckSnapshot(checks: checks).parts().parts
      #expect(parts.count == count, "\(rows)")
      #expect(parts.first == Array(#"{"version":1,"cut":false}"#.utf8))
    }
    let one = try CheckMappingTests.wire(1, #""check_type":"a""#)
    let windows = [try window(#""is_recurring":true"#), try window(#""is_recurring":false"#)]
    let both = CheckSnapshot(checks: [one, one], windows: windows)
    let texts = both.parts().parts.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    #expect(texts.map { $0.prefix(11) } == [#"{"checks":["#, #"{"windows":"#])
    // A row that is there twice is one check; windows are taken as they are.
    let read = try #require(CheckSnapshot(parts: both.parts().parts))
    #expect(read.checks == [one] && read.windows == windows && !read.isCut)
  }

  @Test func namesOfChecks() throws {
    var check = try CheckMappingTests.wire(1, #""check_type":"http""#)
    #expect(check.plainName == "Shop http")
    check.resourceName = nil
    #expect(check.plainName == "resource \(checkID(501)) http")
    check.resourceName = ""
    #expect(check.plainName == "resource \(checkID(501)) http")
    (check.resourceName, check.type) = (String(repeating: "n", count: 121), String(repeating: "t", count: 25))
    #expect(
      check.plainName
        == String(repeating: "n", count: 117) + "… " + String(repeating: "t", count: 21) + "…")
  }
}
