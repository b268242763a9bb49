// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport
import Testing

/// Rows of a group go out under the ids of its slots, and the receiver's answer speaks of those.
@Suite struct SentIDTests {
  private let slot = UniqueID(high: 9, low: 9)

  private func delivered(_ rows: [DeliveryRecord], answer: String) async throws -> DeliveryOutcome {
    let fake = FakeQuartz(now: { 0 })
    fake.meet(.status(200, answer, [:]))
    let wire = Wire(exchange: InProcess(fake: fake), now: { dawn }) { _ throws(CancellationError) in }
    let keys = KeyRing(Redacted(FakeQuartz.key))
    let transport = QuartzTransport(
      QuartzSettings(url: try HTTPURL("https://api.test/v1"), apiKey: keys.key), keys: keys,
      agent: Sender(name: "bench", region: nil, version: "1.0"), over: wire)
    return try await transport.deliver(rows).outcome
  }

  private func answer(accepted: Int, refused id: UniqueID) -> String {
    #"{"success":true,"data":{"accepted":\#(accepted),"duplicates":0,"rejected":[{"id":"\#(id)","code":"23503"}]}}"#
  }

  /// The answer about a row that was sent is an answer, and one about a row that was not is none.
  @Test func aRefusalNamesTheIDThatWasSent() async throws {
    var rows = records(3)
    rows[1].wireID = slot
    let refused = Acknowledgement(accepted: 2, duplicates: 0, rejected: [.init(id: slot, code: "23503")])
    #expect(
      try await delivered(rows, answer: answer(accepted: 2, refused: slot)) == .acknowledged(refused))
    let own = try await delivered(rows, answer: answer(accepted: 2, refused: rows[1].id))
    guard case .transient = own else {
      Issue.record("\(own)")
      return
    }
  }

  /// Two rows of one slot are one id: the receiver refuses it once, and neither is delivered.
  @Test func aRefusedIDOfTwoRowsCountsTwice() {
    var driver = Driver(rows: 0)
    var rows = queued(3)
    (rows[0].record.wireID, rows[1].record.wireID) = (slot, slot)
    driver.live = rows
    driver.now = dawn.advanced(by: .seconds(15))
    #expect(driver.batch()?.rows.count == 3)
    driver.answer(
      .acknowledged(Acknowledgement(accepted: 1, duplicates: 0, rejected: [.init(id: slot, code: "23503")])))
    #expect(driver.machine.tally.delivered == 1)
  }

  /// A contact that came to nothing is repeated when the backoff is over, not a contact later.
  @Test func aFailedContactIsRepeated() {
    var settings = DeliveryMachine.Settings()
    (settings.heartbeat, settings.greets) = (.seconds(60), true)
    var driver = Driver(rows: 0, settings: settings)
    #expect(driver.action() == .heartbeat)
    let failed = DeliveryOutcome.transient(
      Notice.warning(.delivery, "no answer"), wait: .seconds(2), blamesBatch: false)
    driver.apply(driver.machine.heartbeatAnswered(failed, at: driver.now, using: &driver.generator))
    guard case .wait(let until) = driver.action() else {
      Issue.record("no wait")
      return
    }
    #expect(until >= dawn.advanced(by: .seconds(2)) && until < dawn.advanced(by: .seconds(60)))
    driver.now = until
    #expect(driver.action() == .heartbeat)
  }
}
