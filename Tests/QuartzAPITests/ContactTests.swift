// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import QuartzAPI

/// What the receiver says beside its verdicts: how often it wants to hear, what people asked for, that the list is another.
@Suite struct ContactTests {
  private let first = UniqueID(high: 1, low: 1)
  private let second = UniqueID(high: 1, low: 2)
  private let check = UniqueID(high: 2, low: 9)

  private func words(_ json: String) throws -> ContactWords {
    ContactWords(try JSONValue.parse(Array(json.utf8)))
  }

  @Test func whatIsUnderstood() throws {
    let all = try words(
      #"{"contact_s":10,"list":{"version":42},"asks":[{"id":"\#(first)","check_id":"\#(check)","expires_s":55},"#
        + #"{"id":"\#(second)","check_id":"\#(check)"},{"id":"x","check_id":"\#(check)"},{"id":"\#(first)"},7]}"#
    )
    #expect(all.contact == .seconds(10) && all.listVersion == 42)
    #expect(
      all.asks == [
        .init(id: first, check: check, expires: .seconds(55)),
        .init(id: second, check: check, expires: .seconds(60)),
      ])
    #expect(try words("{}") == ContactWords())
    #expect(try words(#"{"contact_s":"10","list":{"version":"x"},"asks":{"id":1}}"#) == ContactWords())
  }

  @Test(arguments: [
    ("-9223372036854775808", 5), ("0", 5), ("4", 5), ("60", 60), ("61", 60), ("9223372036854775807", 60),
  ])
  func theContactIsBounded(given: String, seconds: Int64) throws {
    #expect(try words(#"{"contact_s":\#(given)}"#).contact == .seconds(seconds))
  }

  @Test func asksAreBounded() throws {
    let asks = (0..<51).map {
      #"{"id":"\#(UniqueID(high: 3, low: UInt64($0)))","check_id":"\#(check)","expires_s":999999}"#
    }
    let found = try words(#"{"asks":[\#(asks.joined(separator: ","))]}"#).asks
    #expect(found.count == 50 && found.allSatisfy { $0.expires == .seconds(600) })
  }

  /// An empty batch goes out as often as the receiver says, never less often than without a word, and none where none is wanted.
  @Test(arguments: [(nil, 60), (10, 10), (60, 60)] as [(Int64?, Int64)])
  func signsOfLifeComeAsOftenAsTheReceiverSays(contact: Int64?, seconds: Int64) {
    var settings = DeliveryMachine.Settings()
    settings.heartbeat = .seconds(60)
    var driver = Driver(rows: 0, settings: settings)
    _ = driver.action()
    driver.machine.contact = contact.map { .seconds($0) }
    driver.now = dawn.advanced(by: .seconds(seconds) - .milliseconds(1))
    guard case .wait = driver.action() else {
      Issue.record("too early")
      return
    }
    driver.now = dawn.advanced(by: .seconds(seconds))
    #expect(driver.action() == .heartbeat)
    // Who wants to hear the receiver greets it at the start.
    settings.greets = true
    var greeting = Driver(rows: 0, settings: settings)
    #expect(greeting.action() == .heartbeat)
    greeting.apply(greeting.machine.heartbeatAnswered(stored, at: greeting.now, using: &greeting.generator))
    guard case .wait = greeting.action() else {
      Issue.record("one greeting")
      return
    }
    settings.heartbeat = nil
    var silent = Driver(rows: 0, settings: settings)
    silent.machine.contact = .seconds(5)
    silent.now = dawn.advanced(by: .seconds(600))
    guard case .wait = silent.action() else {
      Issue.record("no heartbeat is wanted")
      return
    }
  }

  /// Somebody waits for a result that is not in the store yet: it goes with the look that finds it, and what comes after it waits
  /// for company again.
  @Test func whatIsWaitedForGoesAtOnce() {
    var driver = Driver(rows: 0)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(15))))
    driver.machine.hurry(at: driver.now)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .milliseconds(200))))
    driver.now = dawn.advanced(by: .milliseconds(200))
    driver.live = [QueuedRecord(sequence: 1, record: record(1) { $0.trigger = .manual })]
    #expect(driver.batch()?.rows.count == 1)
    driver.answer(stored)
    let next = driver.now.advanced(by: .seconds(15))
    driver.live = queued(2)
    #expect(driver.action() == .wait(until: next))
    // It never comes: after five seconds all is as before.
    driver.live = []
    driver.machine.hurry(at: driver.now)
    let end = driver.now.advanced(by: .seconds(5))
    while driver.now < end {
      #expect(driver.action() == .wait(until: driver.now.advanced(by: .milliseconds(200))))
      driver.now = driver.now.advanced(by: .milliseconds(200))
    }
    #expect(driver.action() == .wait(until: next))
  }

  /// Other results are in the store already: the look that finds them is not the last one.
  @Test func othersDoNotDelayWhatIsWaitedFor() {
    var driver = Driver(rows: 1)
    #expect(driver.batch()?.rows.count == 1)
    driver.answer(stored)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(15))))
    driver.now = dawn.advanced(by: .seconds(1))
    driver.live = [QueuedRecord(sequence: 2, record: record(2))]
    driver.machine.hurry(at: driver.now)
    #expect(driver.batch()?.rows.map(\.sequence) == [2])
    driver.answer(stored)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(2))))
    driver.now = dawn.advanced(by: .seconds(2))
    driver.live = [QueuedRecord(sequence: 3, record: record(3) { $0.trigger = .manual })]
    #expect(driver.batch()?.rows.map(\.sequence) == [3])
    driver.answer(stored)
    driver.live = [QueuedRecord(sequence: 4, record: record(4))]
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(15))))
    // Nor does the first success of this start.
    var first = Driver(rows: 1)
    first.machine.hurry(at: first.now)
    #expect(first.batch()?.rows.count == 1)
    first.answer(stored)
    #expect(first.action() == .wait(until: dawn.advanced(by: .milliseconds(200))))
  }

  /// A contact is no empty batch while results wait.
  @Test func aContactTakesAlongWhatWaits() {
    var settings = DeliveryMachine.Settings()
    settings.heartbeat = .seconds(60)
    var driver = Driver(rows: 0, settings: settings)
    _ = driver.action()
    driver.machine.contact = .seconds(10)
    driver.now = dawn.advanced(by: .seconds(10))
    driver.live = queued(1)
    #expect(driver.batch()?.rows.count == 1)
    driver.answer(stored)
    #expect(driver.action() == .wait(until: dawn.advanced(by: .seconds(20))))
    driver.now = dawn.advanced(by: .seconds(20))
    #expect(driver.action() == .heartbeat)
    driver.apply(driver.machine.heartbeatAnswered(stored, at: driver.now, using: &driver.generator))
    driver.now = dawn.advanced(by: .seconds(21))
    driver.live = [QueuedRecord(sequence: 2, record: record(2))]
    driver.machine.makeContact()
    #expect(driver.batch()?.rows.map(\.sequence) == [2])
  }

  /// The row of a run by hand bears its ask, and no other row one; the agent says what it can do only where it can.
  @Test(arguments: [false, true])
  func theRowBearsItsAsk(isOn: Bool) async throws {
    let fake = FakeQuartz(now: { 0 })
    let wire = Wire(exchange: InProcess(fake: fake), now: { dawn }) { _ throws(CancellationError) in }
    let keys = KeyRing(Redacted(FakeQuartz.key))
    let rows = records(2)
    let desk = ContactDesk(can: ["list", "asks"], heard: { _ in }) { [first] in
      $0.id == rows[1].id ? first : nil
    }
    let transport = QuartzTransport(
      QuartzSettings(url: try HTTPURL("https://api.test/v1"), apiKey: keys.key), keys: keys,
      agent: Sender(name: "bench", region: nil, version: "1.0"), over: wire, contact: isOn ? desk : nil)
    guard case .acknowledged = try await transport.deliver(rows).outcome else {
      Issue.record("not acknowledged")
      return
    }
    let agent = try #require(fake.lastAgent)
    #expect(agent["can"]?.array?.map(\.string) == (isOn ? ["list", "asks"] : nil))
    #expect(agent["sent_at"]?.string == dawn.rfc3339)
    let asks = rows.map { row in
      var json = JSONWriter()
      WireRow(row, withMessage: false, ask: desk.ask(row)).write(into: &json, agentFields: true)
      return (try? JSONValue.parse(json.bytes))?["ask_id"]?.string
    }
    #expect(asks == [nil, first.description])
  }
}
