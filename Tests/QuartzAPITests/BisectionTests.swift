// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

@Suite struct BisectionTests {
  private func refuse(_ poison: Set<UInt64>, code: String = "22P02") -> (DeliveryMachine.Batch) ->
    DeliveryOutcome
  {
    { batch in batch.rows.contains { poison.contains($0.sequence) } ? .rowsRefused(code: code) : stored }
  }

  /// One bad row in 500, wherever it stands: 499 delivered, one set aside, at most 20 requests.
  @Test(arguments: [1, 2, 63, 125, 250, 251, 333, 499, 500] as [UInt64])
  func oneInFiveHundred(position: UInt64) {
    var driver = Driver(rows: 500)
    driver.settle(refuse([position]))
    #expect(driver.isEmpty)
    #expect(driver.quarantined == ["22P02": [position]])
    #expect(driver.machine.tally.delivered >= 499)
    #expect(driver.sent.count <= 20)
  }

  @Test func severalBadRowsEachStandAloneInTheEnd() {
    var driver = Driver(rows: 64)
    driver.settle(refuse([3, 4, 40]))
    #expect(driver.isEmpty)
    #expect(driver.quarantined == ["22P02": [3, 4, 40]])
  }

  /// 23503 that names the check: its rows go in one step, the rest as one.
  @Test func deletedCheckCostsOneRequest() {
    var driver = Driver(rows: 0)
    driver.live = (1...500).map {
      QueuedRecord(sequence: UInt64($0), record: record($0, check: $0 % 10 == 0 ? 2 : 1))
    }
    driver.settle { batch in
      batch.rows.contains { $0.record.checkID == checkID(2) } ? .checkGone(checkID(2), code: "23503") : stored
    }
    #expect(driver.sent.map(\.rows.count) == [500, 450])
    #expect(driver.quarantined["23503"]?.count == 50)
    #expect(driver.isEmpty)
  }

  @Test func namedCheckThatIsNotInTheBatchIsBisected() {
    var driver = Driver(rows: 2)
    driver.settle { batch in
      batch.rows.contains { $0.sequence == 2 } ? .checkGone(checkID(99), code: "23503") : stored
    }
    #expect(driver.quarantined == ["23503": [2]])
  }

  /// Every row is refused: 40 requests an hour are spent, the rest is parked, and nothing unjudged is given up.
  @Test func allowanceSpentParksTheRest() {
    var driver = Driver(rows: 500)
    driver.settle { _ in .rowsRefused(code: "22P02") }
    #expect(driver.sent.count == 41)
    let alone = driver.sent.filter { $0.rows.count == 1 }.count
    #expect(driver.quarantined["22P02"]?.count == alone)
    #expect(driver.machine.parkedRows == 500 - alone)
    // The lane goes on behind the parked rows.
    driver.now = driver.now.advanced(by: .seconds(15))
    driver.live.append(QueuedRecord(sequence: 501, record: record(501)))
    #expect(driver.batch()?.rows.map(\.sequence) == [501])
    driver.answer(.rowsRefused(code: "22P02"))
    driver.now = dawn.advanced(by: .seconds(3600))
    #expect(driver.machine.parkedRows == 500 - alone)
    driver.settle { _ in .rowsRefused(code: "22P02") }
    #expect(driver.sent.count == 42 + 40)
  }

  /// What is delivered behind parked rows is settled at once, and a row that is still open never is.
  @Test func rowsBehindParkedOnesAreSettledAndThoseAreNot() {
    var settings = DeliveryMachine.Settings()
    settings.bisectionsPerHour = 0
    settings.batch = 4
    var driver = Driver(rows: 1, settings: settings)
    driver.settle { _ in stored }
    driver.now = driver.now.advanced(by: .seconds(15))
    driver.live = Array(queued(5).dropFirst())
    driver.settle(refuse([3]))
    #expect(driver.machine.parkedRows == 4)
    driver.now = driver.now.advanced(by: .seconds(15))
    driver.live += queued(6).suffix(1)
    driver.settle(refuse([3, 8]))
    #expect(driver.sent.last?.rows.map(\.sequence) == [6])
    #expect(driver.live.map(\.sequence) == [2, 3, 4, 5])
    driver.now = driver.now.advanced(by: .seconds(15))
    driver.live += queued(8).suffix(2)
    driver.settle(refuse([3, 8]))
    #expect(driver.sent.last?.rows.map(\.sequence) == [7, 8])
    driver.now = driver.now.advanced(by: .seconds(15))
    driver.live += queued(9).suffix(1)
    driver.settle(refuse([3, 8]))
    #expect(driver.sent.last?.rows.map(\.sequence) == [9])
    // Settled rows between open ones, too.
    #expect(driver.live.map(\.sequence) == [2, 3, 4, 5, 7, 8])
    #expect(driver.machine.parkedRows == 6)
    // Another run knows of the queue only what is not settled.
    driver.machine = DeliveryMachine(settings: settings)
    driver.settle { _ in stored }
    #expect(driver.sent.suffix(2).flatMap(\.rows).map(\.sequence) == [2, 3, 4, 5, 7, 8])
  }

  @Test func perRowVerdictsQuarantineWithTheirCodes() {
    var driver = Driver(rows: 3)
    driver.settle { batch in
      .acknowledged(
        Acknowledgement(
          accepted: 1, duplicates: 0,
          rejected: [
            .init(id: batch.rows[0].record.id, code: "23503"),
            .init(id: batch.rows[2].record.id, code: "22003"),
          ]))
    }
    #expect(driver.quarantined == ["23503": [1], "22003": [3]])
    #expect(driver.isEmpty)
    #expect(driver.machine.tally.delivered == 1)
  }

  /// A receiver that makes up a code for each row fills no memory, and no row is left out of the count.
  @Test func codesHaveACap() {
    var driver = Driver(rows: 100)
    driver.settle { batch in
      .acknowledged(
        Acknowledgement(
          accepted: 0, duplicates: 0,
          rejected: batch.rows.map { .init(id: $0.record.id, code: "X\($0.sequence)") }))
    }
    let codes = driver.machine.tally.codes
    #expect(codes.count == 65 && codes["other codes"] == 36)
    #expect(codes.values.reduce(0, +) == 100 && driver.machine.tally.quarantined == 100)
  }

  /// In a verdict it says that another result has the id: that one is there, ours is not.
  @Test func anIDOfAnotherResultIsNoDelivery() {
    var driver = Driver(rows: 2)
    driver.settle { batch in
      .acknowledged(
        Acknowledgement(
          accepted: 1, duplicates: 0, rejected: [.init(id: batch.rows[1].record.id, code: "23505")]))
    }
    #expect(driver.quarantined == ["23505": [2]])
    #expect(driver.machine.tally.delivered == 1 && driver.machine.tally.duplicates == 0)
    #expect(
      DeliveryStatus.hint(driver.machine.tally.codes)
        == "look at them: quartz-agent spool quarantine ls; 23505: another key, or a copy of this state directory, "
        + "posted other results with their ids")
    #expect(DeliveryStatus.hint(["22003": 1]) == "look at them: quartz-agent spool quarantine ls")
  }

  /// A unique violation for a row alone: the receiver has it.
  @Test func duplicateKeyOfARowAloneIsDelivery() {
    var driver = Driver(rows: 2)
    driver.settle(refuse([1], code: "23505"))
    #expect(driver.quarantined.isEmpty)
    #expect(driver.isEmpty)
    #expect(driver.machine.tally.duplicates == 1)
  }

  /// A bare 500 for the same rows while others are accepted: after 8 tries and half an hour it is the rows.
  @Test func batchThatAlwaysGets500IsBisectedInTheEnd() {
    var settings = DeliveryMachine.Settings()
    settings.batch = 8
    var driver = Driver(rows: 0, settings: settings)
    driver.live = [QueuedRecord(sequence: 100, record: record(100))]
    driver.settle { _ in stored }
    driver.live = queued(8)
    driver.now = driver.now.advanced(by: .seconds(15))
    var next = 200
    let end = driver.now.advanced(by: .seconds(3 * 3600))
    while driver.now < end, driver.quarantined.isEmpty {
      driver.settle { $0.rows.contains { $0.sequence == 5 } ? bare500 : stored }
      guard case .wait(let until) = driver.action() else { break }
      driver.now = until
      driver.live.append(QueuedRecord(sequence: UInt64(next), record: record(next)))
      next += 1
    }
    #expect(driver.quarantined == ["http_500": [5]])
    #expect(dawn.duration(to: driver.now) > .seconds(1800))
  }

  /// The same while nothing else is accepted: the server is down, and no row is to blame.
  @Test func serverThatAnswers500ToEverythingBlamesNobody() {
    var driver = Driver(rows: 3)
    let end = driver.now.advanced(by: .seconds(12 * 3600))
    while driver.now < end {
      driver.settle { _ in bare500 }
      guard case .wait(let until) = driver.action() else { break }
      driver.now = until
    }
    #expect(driver.effects.isEmpty)
    #expect(driver.sent.allSatisfy { $0.rows.count == 3 })
  }
}
