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
}
