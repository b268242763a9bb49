// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAPI

/// A list is taken as a whole or not at all.
@Suite struct ListWalkTests {
  private func page(_ numbers: [Int], total: Int, pages: Int) throws -> JSONValue {
    let rows = numbers.map {
      "{\"id\":\"\(checkID($0))\",\"resource_id\":\"\(checkID(500))\",\"check_type\":\"http\",\"is_enabled\":true}"
    }
    let text =
      "{\"success\":true,\"data\":[\(rows.joined(separator: ","))],"
      + "\"meta\":{\"total\":\(total),\"total_pages\":\(pages)}}"
    return try JSONValue.parse(Array(text.utf8))
  }

  private func walk(_ pages: [[Int]], total: Int) throws -> ListWalk<WireCheck>.Step {
    var walk = ListWalk<WireCheck>(limit: 100)
    var step = walk.first
    for numbers in pages { step = try walk.add(try page(numbers, total: total, pages: pages.count)) }
    return step
  }

  /// As many rows as the list says it has, each once: no fewer and no more.
  @Test(
    arguments: [
      ([[1, 2, 3]], 3, true), ([[1, 2], [3]], 3, true), ([[1, 2]], 3, false), ([[1, 2, 3, 4]], 3, false),
      ([[1, 2], [2]], 3, false), ([[1, 2, 2]], 3, false), ([[]], 0, true),
      ([[1, 2], []], 2, true), ([[1, 2], [1]], 2, true), ([[1], []], 2, false),
    ] as [([[Int]], Int, Bool)])
  func aListIsWholeOrNothing(pages: [[Int]], total: Int, isWhole: Bool) throws {
    #expect((try walk(pages, total: total) == .done) == isWhole)
  }

  /// A list is believed up to 100,000 rows, or 20 times the limit, in at most two pages for each 100 and one more.
  @Test(
    arguments: [
      (100, 100_000, 1000, true), (100, 100_001, 1001, false), (10_000, 200_000, 2000, true),
      (10_000, 200_001, 2001, false), (100, 100, 3, true), (100, 100, 4, false), (100, 101, 5, true),
      (100, 101, 6, false), (100, 0, 1, true), (100, 0, 2, false), (100, -1, 1, false), (100, 1, -1, false),
    ] as [(Int, Int, Int, Bool)])
  func listsThatAreBelieved(limit: Int, total: Int, pages: Int, isBelieved: Bool) throws {
    var walk = ListWalk<WireCheck>(limit: limit)
    let body = try page(total > 0 ? [1] : [], total: total, pages: pages)
    let step = try? walk.add(body)
    #expect((step != nil) == isBelieved, "\(String(describing: step))")
  }

  /// A total that changes from page to page is of two lists.
  @Test func aTotalThatChangesIsInconsistent() throws {
    var walk = ListWalk<WireCheck>(limit: 100)
    #expect(try walk.add(try page([1, 2], total: 4, pages: 2)) == .fetch(page: 2))
    let step = try walk.add(try page([3, 4, 5], total: 5, pages: 2))
    if case .inconsistent = step { return }
    Issue.record("\(step)")
  }
}
