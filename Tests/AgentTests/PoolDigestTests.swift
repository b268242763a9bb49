// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import Testing

@testable import Agent

/// Members divide the checks of their files where these say the same, and only there.
@Suite struct PoolDigestTests {
  private func check(_ change: (inout CheckDefinition) -> Void = { _ in }) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Shop", "http")
    definition.url = "https://shop.example/cart?key=1"
    change(&definition)
    return try MonitoringCheck(definition, patterns: .unchecked)
  }

  @Test func theSameFileIsTheSame() throws {
    let other = try check { $0.name = "Other" }
    #expect(PoolDigest.of([]).isEmpty)
    #expect(try PoolDigest.of([check()]) == PoolDigest.of([check()]))
    #expect(try PoolDigest.of([check(), other]) == PoolDigest.of([other, check()]))
  }

  @Test func whatDiffersIsSeen() throws {
    let changes: [(inout CheckDefinition) -> Void] = [
      { $0.name = "Show" }, { $0.interval = .seconds(61) }, { $0.timeout = .seconds(9) },
      { $0.url = "https://shop.example/till" }, { $0.retries = 2 }, { $0.plan.tags = ["a"] },
      { $0.method = "HEAD" },
    ]
    let digests = try [PoolDigest.of([check()])] + changes.map { try PoolDigest.of([check($0)]) }
    #expect(Set(digests).count == changes.count + 1)
    #expect(try PoolDigest.of([check(), check { $0.name = "Two" }]) != digests[0])
  }

  /// A card has room for so many; with more, members divide only with those that are without the same.
  @Test func whatAMemberIsWithoutIsNamedOrTold() {
    func ids(_ range: Range<UInt64>) -> Set<UniqueID> { Set(range.map { UniqueID(high: 1, low: $0) }) }
    let few = PoolDigest.pools(api: "rules", file: "file", without: ids(0..<32))
    #expect(few == MemberCard.Pools(api: "rules", file: "file", without: ids(0..<32).sorted()))
    let many = PoolDigest.pools(api: "rules", file: "file", without: ids(0..<33))
    #expect(many.without.isEmpty && many.api != "rules" && many.file == "file")
    #expect(PoolDigest.pools(api: "rules", file: "file", without: ids(0..<33)) == many)
    #expect(PoolDigest.pools(api: "rules", file: "file", without: ids(1..<34)) != many)
  }
}
