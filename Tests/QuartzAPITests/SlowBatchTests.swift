// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

/// A batch that fails while others are accepted: it may take the receiver, or a gateway before it, longer than it has.
@Suite struct SlowBatchTests {
  /// One row was delivered, and eight wait in the backlog.
  private func driver() -> Driver {
    var settings = DeliveryMachine.Settings()
    settings.batch = 8
    var driver = Driver(rows: 1, settings: settings)
    driver.settle { _ in stored }
    driver.backlog = Array(queued(9).dropFirst())
    driver.now = driver.now.advanced(by: .seconds(60))
    return driver
  }

  /// The next batch, however long it takes to be due.
  private func next(_ driver: inout Driver) -> DeliveryMachine.Batch? {
    for _ in 0..<200 {
      switch driver.action() {
      case .send(let batch):
        driver.sent.append(batch)
        return batch
      case .wait(let until): driver.now = until
      case .heartbeat, .fetch: return nil
      }
    }
    return nil
  }

  /// After each failure something else is accepted; batches of more than `most` rows fail.
  private func deliver(_ driver: inout Driver, atMost most: Int, tries: Int) -> [Int] {
    var troubles: [Int] = []
    for number in 0..<tries {
      guard let batch = next(&driver) else { break }
      driver.answer(batch.rows.count > most ? offline : stored)
      driver.apply(
        driver.machine.heartbeatAnswered(stored, at: driver.now, using: &driver.generator))
      if driver.machine.tally.trouble != nil { troubles.append(number) }
    }
    return troubles
  }

  @Test func itIsHalvedUntilItIsTaken() {
    var driver = driver()
    let troubles = deliver(&driver, atMost: 2, tries: 40)
    #expect(driver.sent.dropFirst().map(\.rows.count) == [8, 8, 8, 4, 4, 4, 2, 2, 4, 2, 2])
    #expect(driver.isEmpty && driver.quarantined.isEmpty)
    #expect(driver.machine.tally.delivered == 9)
    let limits = driver.effects.compactMap {
      if case .remember(let memory) = $0 { memory.limit } else { nil }
    }
    #expect(limits.first == 4 && limits.contains(2))
    // It is told until the last of them has gone, whatever else is accepted.
    #expect(troubles == Array(0..<10))
  }

  @Test func aRowThatStandsAloneIsNeverGivenUp() {
    var driver = driver()
    driver.backlog = Array(driver.backlog.prefix(1))
    let begin = driver.now
    _ = deliver(&driver, atMost: 0, tries: 10)
    #expect(driver.sent.dropFirst().map(\.rows.count) == Array(repeating: 1, count: 10))
    #expect(driver.backlog.count == 1 && driver.quarantined.isEmpty)
    // 2, 4, 8 s … between the tries, five minutes at most.
    #expect(begin.duration(to: driver.now) == Duration.seconds(810))
    #expect(driver.machine.batchLimit == 8)
  }

  @Test func whatFailsForAllIsNoBatchsFault() {
    var driver = driver()
    for _ in 0..<12 {
      guard let batch = next(&driver) else { break }
      driver.answer(offline)
      if driver.live.isEmpty { driver.live = [QueuedRecord(sequence: 20, record: record(20))] }
      #expect(batch.rows.count == 8 || batch.rows.count == 1)
    }
    #expect(driver.machine.batchLimit == 8)
    driver.settle { _ in stored }
    while !driver.isEmpty, next(&driver) != nil { driver.answer(stored) }
    #expect(driver.isEmpty && driver.machine.tally.trouble == nil)
    #expect(Set(driver.sent.map(\.rows.count)) == [1, 8])
  }
}
