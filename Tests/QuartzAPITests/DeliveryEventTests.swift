// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

@Suite("Delivery: rows that were dropped, and the server's wait") struct DeliveryEventTests {
  @Test("rows that the store has dropped are not sent, nor what is left of a half counted as refused")
  func dropped() throws {
    var driver = Driver(rows: 4)
    let first = driver.batch()
    let whole = try #require(first)
    driver.answer(.rowsRefused(code: "23514"))
    let half = driver.batch()
    let left = try #require(half)
    #expect(left.rows == Array(queued(4).prefix(2)) && left.use == .bisection)
    driver.machine.dropped([1], of: left)
    driver.live.removeFirst()
    #expect(driver.batch()?.rows == Array(queued(2).suffix(1)))
    driver.answer(stored)
    #expect(driver.batch()?.rows == Array(queued(4).suffix(2)), "its half may be sound")
    driver.answer(stored)
    #expect(driver.machine.tally.delivered == 3 && driver.machine.tally.quarantined == 0)
    driver.machine.dropped(Set(whole.rows.map(\.sequence)), of: whole)
    #expect(driver.machine.parkedRows == 0 && driver.batch() == nil)
  }

  @Test("the server's wait counts in place of the backoff, however long the outage is")
  func retryAfter() {
    var driver = Driver(rows: 1)
    var waits: [Duration] = []
    for wait in [20, 20, 20, nil, 20, nil, 0] as [Int?] {
      _ = driver.batch()
      driver.answer(
        .transient(Notice.warning(.delivery, "503"), wait: wait.map { .seconds($0) }, blamesBatch: false))
      guard case .wait(let until) = driver.action() else { break }
      waits.append(driver.now.duration(to: until))
      driver.now = until
    }
    // The backoff grows meanwhile; no wait at all would be a loop.
    #expect(waits == [20, 20, 20, 8, 20, 32, 1].map { .seconds($0) })
  }
}
