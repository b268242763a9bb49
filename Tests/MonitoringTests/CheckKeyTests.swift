// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Keys of a check: the bounds of their columns, whether they are secret, and how they are shown.
@Suite struct CheckKeyTests {
  /// A column's bounds are the whole numbers of its unit within its key's, and its own most.
  @Test(
    arguments: [
      (0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (1500, 2), (1999, 2), (2000, 2), (2001, 3),
    ])
  func boundsOfAColumn(milliseconds: Int, least: Int) {
    let kind = ValueKind.duration(.milliseconds(milliseconds) ... .milliseconds(60_999))
    #expect(APIColumn("a", unit: .seconds(1)).bounds(of: kind) == least...60)
    #expect(APIColumn("a", unit: .seconds(1), most: 2).bounds(of: kind) == min(least, 2)...2)
    #expect(APIColumn("a", unit: .milliseconds(1)).bounds(of: kind) == milliseconds...60_999)
    #expect(APIColumn("a", unit: .seconds(61)).bounds(of: kind) == nil)
  }

  /// A path is secret where its value is, where a value below it is, and where it lies in one that is.
  @Test(
    arguments: [
      ([], true), (["auth"], true), (["auth", "bearer"], true), (["auth", "bearer", "0"], true),
      (["auth", "other"], false), (["list"], true), (["list", "0"], false), (["list", "1"], true),
      (["list", "1", "x"], true), (["list", "10"], false), (["body"], true), (["body", "0", "x"], true),
      (["bodyguard"], false), (["name"], false), (["name", "x"], false), (["missing"], false),
    ] as [([String], Bool)])
  func secretPaths(path: [String], isSecret: Bool) {
    let auth = GivenMap([("bearer", Given(.text("t"), isSecret: true)), ("other", Given(.text("o")))])
    let map = GivenMap([
      ("auth", Given(.map(auth))),
      ("list", Given(.list([Given(.text("a")), Given(.text("b"), isSecret: true)]))),
      ("body", Given(.text("s"), isSecret: true)), ("name", Given(.text("n"))),
    ])
    #expect(map.isSecret(path) == isSecret)
  }

  /// The most of a body is shown wherever a body may be read, as given or by default.
  @Test(
    arguments: [
      (nil, nil, 1_048_576), (nil, 4097, 4097), (true, nil, 1_048_576), (true, 4097, 4097), (false, nil, nil),
    ] as [(Bool?, Int?, Int?)])
  func shownMaxBody(reads: Bool?, given: Int?, shown: Int?) throws {
    var definition = CheckDefinition.http()
    (definition.http.readBody, definition.maxBody) = (reads, given)
    let check = try MonitoringCheck(definition)
    #expect(CheckDefinition(check).maxBody == shown)
  }
}
