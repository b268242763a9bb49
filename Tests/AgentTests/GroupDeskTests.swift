// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Groups
import Logging
import Monitoring
import QuartzAPI
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// The group's list of checks, which one member publishes for all.
@Suite struct GroupDeskTests {
  /// A store that takes a list or has another member's, and does nothing else.
  private final class ListStore: AbsentStore {
    let isFirst = Mutex(false)

    func publishList(_ head: ListHead, _ parts: [[UInt8]], replacing revision: Int64)
      async throws(CancellationError) -> Result<Bool, StoreTrouble>
    { .success(isFirst.withLock(\.self)) }
  }

  /// Two members may pull at once while the task changes hands: of the third race in a row that is lost there is a notice, until
  /// a list is published.
  @Test func lostRaces() async throws {
    let (store, clock) = (ListStore(), FakeClock())
    var group = GroupSettings()
    group.name = "london"
    let desk = GroupDesk(
      group, Settings(), home: .init(id: UniqueID(high: 1, low: 1), isOld: false), store: store,
      log: Logger(label: "test"), time: clock.time)
    func isNoticed() -> Bool { desk.notices.contains { $0.what.hasPrefix("the list was not published") } }
    func publish(isFirst: Bool) async -> Bool {
      store.isFirst.withLock { $0 = isFirst }
      _ = await desk.publish(CheckSnapshot(checks: []))
      return isNoticed()
    }
    var noticed: [Bool] = []
    for isFirst in [false, false, true, false, false, false, false, true, false] {
      noticed.append(await publish(isFirst: isFirst))
    }
    #expect(noticed == [false, false, false, false, false, true, true, false, false])
  }
}
