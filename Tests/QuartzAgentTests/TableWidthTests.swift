// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// Which columns of a table leave on a narrow terminal, and in which order: what one looks for stays the longest.
@Suite struct TableWidthTests {
  /// Titles that are there at each width, from wide to narrow, each set once.
  private func heads(_ titles: [String], from width: Int = 160, to least: Int = 20, _ line: (Int) -> String)
    -> [[String]]
  {
    var found: [[String]] = []
    for width in (least...width).reversed() {
      let words = Set(line(width).split(separator: " ").map(String.init))
      let head = titles.filter { words.contains($0) }
      if head != found.last { found.append(head) }
    }
    return found
  }

  /// All titles, and without the first, the first two and so on of those that leave.
  private func leaving(_ order: [String], of titles: [String]) -> [[String]] {
    (0...order.count).map { count in titles.filter { !order.prefix(count).contains($0) } }
  }

  private func first(_ text: String) -> String { text.split(separator: "\n").first.map(String.init) ?? "" }

  @Test func incidents() throws {
    let incident = try JSONValue.parse(
      Array(
        """
        {"id":"01a2-abcdef","severity":"critical","status":"resolved","triggered_at":"2026-01-05T00:00:00.000Z",
        "title":"Shop front and three more are down: status 503 of the server","duration_s":3661}
        """.utf8))
    let titles = ["ID", "SEVERITY", "STATUS", "SINCE", "FOR", "WHAT"]
    let found = heads(titles) { first(IncidentText(width: $0).render([incident])) }
    let order = leaving(["SINCE", "STATUS", "SEVERITY", "FOR", "ID"], of: titles)
    #expect(found == Array(order.prefix(found.count)) && found.count >= 5, "\(found)")
  }

  @Test func results() throws {
    let one = try Explained.http(Verdict(.httpStatus, message: "status 503 of a server that is not well")) {
      $0.responseTime = Explained.ms(42.1)
    }
    let titles = ["STATE", "CHECK", "TYPE", "LATENCY", "TARGET", "DETAIL"]
    let found = heads(titles) { first(ResultTable(width: $0, color: false).render([one])) }
    let order = leaving(["TYPE", "TARGET", "LATENCY", "DETAIL"], of: titles)
    #expect(found == Array(order.prefix(found.count)) && found.count >= 4, "\(found)")
  }

  @Test func members() throws {
    let group = try JSONValue.parse(
      Array(
        """
        {"name":"g","member":"a","members":[{"name":"london-1","version":"1.0","weight":1,"owns":7,"applied":12,
        "self":true,"apart":true}]}
        """.utf8))
    let titles = ["MEMBER", "VERSION", "WEIGHT", "OWNS", "APPLIED"]
    let found = heads(titles) { width in
      GroupText(width: width).render(group).split(separator: "\n").first { $0.hasPrefix("MEMBER") }
        .map(String.init) ?? ""
    }
    let order = leaving(["VERSION", "APPLIED", "WEIGHT", "OWNS"], of: titles)
    #expect(found == Array(order.prefix(found.count)) && found.count >= 4, "\(found)")
  }

  /// A name has 32 columns beside a target, and 60 where it is one.
  @Test func widthsOfNames() throws {
    let long = String(repeating: "n", count: 70)
    let url = "https://shop.example/" + String(repeating: "a", count: 70)
    let named = try Explained.http(.ok) { $0.check = long }
    let target = try Explained.http(.ok, url: url) { $0.check = url }
    func widest(_ result: CheckResult, _ sign: Character) -> Int {
      let line = ResultTable(width: 400, color: false).render([result]).split(separator: "\n")[1]
      let cells = line.split(separator: " ").filter { $0.contains(sign) }
      return cells.first?.columns ?? 0
    }
    #expect(widest(named, "n") == 32)
    #expect(widest(target, "a") == 60)
  }

  /// The detail of a result has 300 bytes at most.
  @Test func aLongDetail() throws {
    for (count, isCut) in [(300, false), (301, true)] {
      let result = try Explained.http(.ok) { result in
        result.dns = DNSFacts(
          rcode: String(repeating: "r", count: count - 1), answers: [], authoritative: false,
          truncated: false,
          transport: "udp")
      }
      // A blank stands behind the code, where the records would be.
      #expect(result.detail.utf8.count <= 300)
      #expect((result.detail == String(repeating: "r", count: count - 1) + " ") == !isCut)
    }
  }
}
