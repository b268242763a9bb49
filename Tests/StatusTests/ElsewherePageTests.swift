// SPDX-License-Identifier: MIT

import Basics
import Groups
import HistorySupport
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// Checks of the group that this agent does not run, on the page.
@Suite struct ElsewherePageTests {
  private static let shop = UniqueID(high: 1, low: 2)
  private static let door = UniqueID(high: 1, low: 3)

  private var group: GroupStatus {
    var group = GroupStatus.group("eu", members: 3)
    group.others = [.init(member: "b", checks: 5), .init(member: nil, checks: 6)]
    group.elsewhere = [
      .init(id: Self.shop, name: "Shop", member: "b"), .init(id: Self.door, name: "Door", member: nil),
    ]
    return group
  }

  @Test func eachHasItsMember() {
    let text = ElsewhereSection(group: group).render().html
    #expect(text.contains(#"<li>Shop <span class="dim">run by b</span></li>"#))
    #expect(text.contains(#"<li>Door <span class="dim">run by no known member</span></li>"#))
    #expect(text.contains("5 by b, 6 by no known member. They are counted and shown where they run."))
    #expect(text.contains("and 9 more: quartz-agent group --checks"))
  }

  @Test func asOfTheLastViewWhereTheStoreIsAway() {
    var group = group
    group.alone = .init(since: midnight)
    let text = ElsewhereSection(group: group).render().html
    #expect(text.contains("5 by b, 6 by no known member, as of the last view. They are counted"))
  }

  @Test func withoutOthersThereIsNoSection() {
    #expect(ElsewhereSection(group: nil).render().html.isEmpty)
    #expect(ElsewhereSection(group: .group("eu", members: 1)).render().html.isEmpty)
  }
}
