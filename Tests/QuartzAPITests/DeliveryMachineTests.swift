// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

/// A machine with its time and its store, moved by hand.
struct Driver {
  var machine: DeliveryMachine
  var now = dawn
  var generator = longest
  var live: [QueuedRecord]
  var backlog: [QueuedRecord] = []
  var effects: [DeliveryMachine.Effect] = []
  var sent: [DeliveryMachine.Batch] = []

  init(rows: Int, settings: DeliveryMachine.Settings = .init()) {
    machine = DeliveryMachine(settings: settings)
    live = rows == 0 ? [] : queued(rows)
  }

  /// Feeds the machine from the store until it has something to send or wants to wait.
  mutating func action() -> DeliveryMachine.Action {
    while true {
      let action = machine.next(at: now)
      guard case .fetch(let lane, let limit) = action else { return action }
      apply(machine.fetched(lane, Array((lane == .live ? live : backlog).prefix(limit)), at: now))
    }
  }

  mutating func batch() -> DeliveryMachine.Batch? {
    guard case .send(let batch) = action() else { return nil }
    sent.append(batch)
    return batch
  }

  mutating func answer(_ outcome: DeliveryOutcome) {
    apply(machine.answered(outcome, at: now, using: &generator))
  }

  /// Sends and answers until the machine waits; at most so often.
  mutating func settle(atMost limit: Int = 100, _ receiver: (DeliveryMachine.Batch) -> DeliveryOutcome) {
    for _ in 0..<limit { if let batch = batch() { answer(receiver(batch)) } else { return } }
  }

  mutating func apply(_ new: [DeliveryMachine.Effect]) {
    effects += new
    for effect in new {
      switch effect {
      case .acknowledge(.live, let sequences): live.removeAll { sequences.contains($0.sequence) }
      case .acknowledge(.backlog, let sequences): backlog.removeAll { sequences.contains($0.sequence) }
      case .startLiveLane:
        backlog += live
        live = []
      case .quarantine, .renewCredentials, .remember: break
      }
    }
  }

  var quarantined: [String: Set<UInt64>] {
    var found: [String: Set<UInt64>] = [:]
    for case .quarantine(let rows, let code) in effects {
      found[code, default: []].formUnion(rows.map(\.sequence))
    }
    return found
  }

  var isEmpty: Bool { live.isEmpty && backlog.isEmpty }
}

let stored = DeliveryOutcome.acknowledged(Acknowledgement())
let offline = DeliveryOutcome.transient(Notice.warning(.delivery, "no route"), wait: nil, blamesBatch: false)
let bare500 = DeliveryOutcome.transient(Notice.warning(.delivery, "500"), wait: nil, blamesBatch: true)

@Suite struct DeliveryMachineTests {
  @Test func sendsOneBatchAndAcknowledgesItsEnd() {
    var driver = Driver(rows: 3)
    #expect(driver.batch()?.rows == queued(3))
    driver.answer(stored)
    #expect(driver.effects == [.acknowledge(.live, [1, 2, 3]), .startLiveLane])
    #expect(driver.machine.tally.delivered == 3)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(15))))
  }

  @Test func moreThanABatchGoesOnAtOnceOldestFirst() {
    var settings = DeliveryMachine.Settings()
    settings.batch = 4
    var driver = Driver(rows: 10, settings: settings)
    driver.settle { _ in stored }
    #expect(driver.sent.map(\.rows.count) == [4, 4, 2])
    #expect(driver.sent.flatMap(\.rows) == queued(10))
    // The first success parts what had piled up from what comes now.
    #expect(driver.sent.map(\.use) == [.live, .backlog, .backlog])
  }

  @Test func liveGoesBeforeTheBacklog() {
    var driver = Driver(rows: 0)
    driver.backlog = Array(queued(2))
    driver.live = [QueuedRecord(sequence: 9, record: record(9))]
    driver.settle { _ in stored }
    #expect(driver.sent.map(\.lane) == [.live, .backlog])
  }

  @Test func fullBatchDoesNotWaitForTheFlush() {
    var settings = DeliveryMachine.Settings()
    settings.batch = 2
    var driver = Driver(rows: 0, settings: settings)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(15))))
    driver.machine.recorded(1)
    #expect(!driver.machine.isLiveDue)
    driver.machine.recorded(1)
    #expect(driver.machine.isLiveDue)
    driver.live = queued(2)
    #expect(driver.batch()?.rows.count == 2)
  }

  @Test func networkTroubleRetriesTheSameRowsWithBackoff() {
    var driver = Driver(rows: 2)
    var waits: [Duration] = []
    for _ in 0..<10 {
      #expect(driver.batch()?.rows == queued(2))
      driver.answer(offline)
      guard case .wait(let until) = driver.action() else { break }
      waits.append(driver.now.duration(to: until))
      driver.now = until
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map { .seconds($0) })
    #expect(driver.effects.isEmpty)
    #expect(driver.machine.tally.trouble == Notice.warning(.delivery, "no route"))
    #expect(driver.machine.tally.troubleSince == dawn)
  }

  @Test func serversWaitIsHonoured() {
    var driver = Driver(rows: 1)
    _ = driver.batch()
    driver.answer(.transient(Notice.warning(.delivery, "503"), wait: .seconds(90), blamesBatch: false))
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(90))))
  }

  @Test(arguments: [
    (DeliveryOutcome.throttled(nil), 60), (.throttled(.seconds(5)), 5),
    (.misconfigured(Notice.warning(.delivery, "redirect"), retry: .seconds(300)), 300),
    (.misconfigured(Notice.warning(.delivery, "no route there"), retry: .seconds(900)), 900),
  ])
  func holdsBackAsLongAsTheRuleSays(outcome: DeliveryOutcome, seconds: Int) {
    var driver = Driver(rows: 1)
    _ = driver.batch()
    driver.answer(outcome)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(seconds))))
    #expect(driver.effects.isEmpty)
    #expect(driver.machine.tally.trouble != nil)
  }

  /// An outage of a minute or more: what piled up becomes the backlog, so that dashboards are current at once.
  @Test(arguments: [(59, 1), (60, 2)])
  func outageStartsTheLiveLaneAgain(seconds: Int, starts: Int) {
    var driver = Driver(rows: 1)
    _ = driver.batch()
    driver.answer(stored)
    driver.now = driver.now.advanced(by: .seconds(15))
    driver.live = [QueuedRecord(sequence: 2, record: record(2))]
    _ = driver.batch()
    driver.answer(offline)
    driver.now = driver.now.advanced(by: .seconds(seconds))
    _ = driver.batch()
    driver.answer(stored)
    #expect(driver.effects.count { $0 == .startLiveLane } == starts)
    #expect(driver.machine.tally.trouble == nil)
  }

  @Test func refusedKeyIsReadAgainAfterOneFiveAndFifteenMinutes() {
    var driver = Driver(rows: 1)
    var waits: [Duration] = []
    for _ in 0..<4 {
      _ = driver.batch()
      driver.answer(.unauthorized(Notice.warning(.delivery, "401")))
      driver.machine.credentialsRenewed(changed: false)
      guard case .wait(let until) = driver.action() else { break }
      waits.append(driver.now.duration(to: until))
      driver.now = until
    }
    #expect(waits == [60, 300, 900, 900].map { .seconds($0) })
    #expect(driver.effects == Array(repeating: .renewCredentials, count: 4))
  }

  @Test func newKeyIsTriedAtOnceButOnlyOnce() {
    var driver = Driver(rows: 1)
    _ = driver.batch()
    driver.answer(.unauthorized(Notice.warning(.delivery, "401")))
    driver.machine.credentialsRenewed(changed: true)
    #expect(driver.batch()?.rows == queued(1))
    driver.answer(.unauthorized(Notice.warning(.delivery, "401")))
    driver.machine.credentialsRenewed(changed: true)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(60))))
  }

  @Test func tooLargeHalvesAndRemembers() {
    var settings = DeliveryMachine.Settings()
    settings.batch = 400
    var driver = Driver(rows: 400, settings: settings)
    driver.settle { $0.rows.count > 50 ? .tooLarge : stored }
    #expect(driver.isEmpty)
    #expect(driver.machine.batchLimit == 50)
    #expect(driver.quarantined.isEmpty)
    driver.now = driver.now.advanced(by: .seconds(15))
    driver.live = (401...600).map { QueuedRecord(sequence: UInt64($0), record: record($0)) }
    let before = driver.sent.count
    driver.settle { $0.rows.count > 50 ? .tooLarge : stored }
    #expect(driver.sent.count - before == 4)
  }

  @Test func aLargerBatchIsTriedEverMoreRarely() {
    var settings = DeliveryMachine.Settings()
    settings.batch = 400
    var driver = Driver(rows: 100, settings: settings)
    driver.settle { $0.rows.count > 50 ? .tooLarge : stored }
    var tries: [Int] = []
    for minute in 1...200 {
      driver.now = driver.now.advanced(by: .seconds(60))
      let rows = 1000 + minute * 100
      driver.live = (rows..<rows + 100).map { QueuedRecord(sequence: UInt64($0), record: record($0)) }
      let refused = driver.sent.count(where: { $0.rows.count > 50 })
      driver.settle { $0.rows.count > 50 ? .tooLarge : stored }
      if driver.sent.count(where: { $0.rows.count > 50 }) > refused { tries.append(minute) }
    }
    #expect(driver.machine.batchLimit == 50)
    #expect(zip(tries, tries.dropFirst()).map { $1 - $0 } == [20, 40, 80])
    #expect(tries.first == 10)
  }

  /// A receiver that was mended gets large batches again within minutes, not sizes ten minutes apart.
  @Test func onceALargerBatchIsTakenTheNextSizeNeedNotWait() {
    var settings = DeliveryMachine.Settings()
    settings.batch = 400
    var driver = Driver(rows: 100, settings: settings)
    driver.settle { $0.rows.count > 5 ? .tooLarge : stored }
    #expect(driver.machine.batchLimit < 10)
    driver.now = driver.now.advanced(by: .seconds(600))
    driver.live = (1000..<3000).map { QueuedRecord(sequence: UInt64($0), record: record($0)) }
    let before = driver.sent.count
    driver.settle { _ in stored }
    #expect(driver.isEmpty && driver.machine.batchLimit == 400)
    #expect(driver.sent.count - before < 15)
  }

  @Test func refusedForItsSizeAloneIsNoPoison() {
    var driver = Driver(rows: 1)
    _ = driver.batch()
    driver.answer(.tooLarge)
    #expect(driver.quarantined.isEmpty)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(900))))
  }

  @Test func budgetHoldsOneUseAndTheOtherGoesOn() {
    var driver = Driver(rows: 0)
    driver.backlog = queued(2)
    #expect(driver.batch()?.lane == .backlog)
    let until = dawn.advanced(by: .seconds(40))
    driver.machine.refused(.backlog, until: until)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(15))))
    driver.now = dawn.advanced(by: .seconds(15))
    driver.live = [QueuedRecord(sequence: 7, record: record(7))]
    #expect(driver.batch()?.lane == .live)
    driver.answer(stored)
    driver.now = until
    #expect(driver.batch()?.rows.map(\.sequence) == [1, 2])
  }

  @Test func unknownAndMaintenanceAreSettledWithoutBeingSent() {
    var driver = Driver(rows: 0)
    driver.live = [
      QueuedRecord(sequence: 1, record: record(1) { $0.state = .unknown }),
      QueuedRecord(sequence: 2, record: record(2) { $0.flags.insert(.maintenance) }),
      QueuedRecord(sequence: 3, record: record(3)),
    ]
    #expect(driver.batch()?.rows.map(\.sequence) == [3])
    #expect(driver.effects == [.acknowledge(.live, [1, 2])])
    #expect(driver.machine.tally.withheld == 2)
  }

  @Test func heartbeatGoesOutWhenNothingElseDid() {
    var settings = DeliveryMachine.Settings()
    settings.heartbeat = .seconds(60)
    var driver = Driver(rows: 0, settings: settings)
    var waits = 0
    while case .wait(let until) = driver.action() {
      driver.now = until
      waits += 1
    }
    #expect(driver.action() == .heartbeat)
    #expect(dawn.duration(to: driver.now) == .seconds(60))
    driver.apply(driver.machine.heartbeatAnswered(stored, at: driver.now, using: &driver.generator))
    #expect(driver.machine.tally.lastSuccess == driver.now)
    guard case .wait = driver.action() else {
      Issue.record("the next heartbeat is a minute away")
      return
    }
  }
}
