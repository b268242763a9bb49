// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Synchronization
import TestSupport
import Testing

/// The whole delivery against the fake backend, both ways in; rows A of the fault list.
@Suite struct UploaderTests {
  static let targets = [DeliverSettings.Target.quartz, .supabase]

  private func ids(_ records: [DeliveryRecord]) -> Set<String> { Set(records.map(\.id.description)) }

  @Test(arguments: targets)
  func everythingArrivesOnce(target: DeliverSettings.Target) async throws {
    let bench = DeliveryBench(target: target)
    bench.queue.append(records(1234))
    let done = await bench.run(try bench.uploader()) { bench.queue.open == 0 }
    #expect(done)
    #expect(bench.fake.ids == ids(records(1234)))
    #expect(bench.fake.resent == 0)
    #expect(bench.queue.snapshot.strays.isEmpty)
  }

  @Test(
    "A2: the answer is lost after the rows were stored; the same ids go again and nothing is doubled",
    arguments: targets)
  func lostAnswers(target: DeliverSettings.Target) async throws {
    let bench = DeliveryBench(target: target)
    bench.fake.meet(.loseAnswer, .hangUp, .loseAnswer)
    bench.queue.append(records(600))
    #expect(await bench.run(try bench.uploader()) { bench.queue.open == 0 })
    #expect(bench.fake.ids == ids(records(600)))
    #expect(bench.fake.rows.count == 600)
    #expect(bench.fake.resent >= 500)
  }

  @Test(
    "A1: an hour of outage with 20 kills in it",
    arguments: targets)
  func outageWithKills(target: DeliverSettings.Target) async throws {
    let bench = DeliveryBench(target: target)
    bench.fake.setDown(true)
    for kill in 0..<20 {
      bench.queue.append(records(30, from: kill * 30 + 1))
      let uploader = try bench.uploader()
      #expect(await bench.run(uploader, for: .seconds(180)) { false } == false)
    }
    #expect(bench.fake.rows.isEmpty)
    bench.fake.setDown(false)
    #expect(await bench.run(try bench.uploader()) { bench.queue.open == 0 })
    #expect(bench.fake.ids == ids(records(600)))
    #expect(bench.fake.resent == 0)
    #expect(bench.fake.limited == 0)
    #expect(bench.fake.worst(seconds: 60) <= 90)
  }

  @Test("results that a full store dropped during an outage are not sent after it", arguments: targets)
  func droppedInAnOutage(target: DeliverSettings.Target) async throws {
    let bench = DeliveryBench(target: target)
    bench.fake.setDown(true)
    bench.queue.append(records(30))
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader, for: .seconds(120)) { false } == false)
    bench.queue.drop(20)
    bench.fake.setDown(false)
    #expect(await bench.run(uploader) { bench.queue.open == 0 })
    #expect(bench.fake.ids == ids(records(10, from: 21)))
    #expect(bench.queue.snapshot.strays.isEmpty && !bench.queue.snapshot.isSending)
    #expect(await uploader.status().tally.delivered == 10)
  }

  @Test(
    "A3, A4, and what else is no acknowledgement",
    arguments: [
      FakeFault.captivePortal, .redirect(to: "https://elsewhere.test/v1/check-results"), .status(204),
      .status(200, "{}"),
      .status(503), .status(500), .status(502, "<html>"), .status(404), .status(408),
    ])
  func strangeAnswersLoseNothing(fault: FakeFault) async throws {
    let bench = DeliveryBench()
    bench.fake.meet(fault)
    bench.queue.append(records(10))
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader, for: .seconds(1000)) { bench.queue.open == 0 })
    #expect(bench.fake.ids == ids(records(10)))
    #expect(bench.fake.requests.allSatisfy { $0.request.path == "/v1/check-results" })
    #expect(bench.queue.snapshot.quarantined.isEmpty)
  }

  @Test("A7: the key is rotated; the file is read again and delivery goes on without a restart")
  func rotatedKey() async throws {
    let file = Mutex(FakeQuartz.key)
    let keys = KeyRing(Redacted(FakeQuartz.key)) { Redacted(file.withLock { $0 }) }
    let bench = DeliveryBench(keys: keys)
    bench.fake.setKeys(["qtz_new"])
    bench.queue.append(records(3))
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader, for: .seconds(50)) { bench.queue.open == 0 } == false)
    #expect(await uploader.status().tally.trouble?.hint?.hasPrefix("check quartz.api_key") == true)
    file.withLock { $0 = "qtz_new" }
    #expect(await bench.run(uploader, for: .seconds(61)) { bench.queue.open == 0 })
    #expect(bench.fake.ids == ids(records(3)))
  }

  /// A file that is being written is empty for a moment: the key that worked stays.
  @Test func anEmptyKeyFileReplacesNoKey() async {
    let file = Mutex("")
    let keys = KeyRing(Redacted("qtz_old")) { Redacted(file.withLock { $0 }) }
    #expect(await keys.renew() == false)
    #expect(keys.key == Redacted("qtz_old"))
    file.withLock { $0 = "qtz_new" }
    #expect(await keys.renew())
    #expect(keys.key == Redacted("qtz_new"))
    #expect(await keys.renew() == false)
  }

  @Test("A8 on the table that refuses whole batches") func deletedCheckInABatch() async throws {
    let bench = DeliveryBench(target: .supabase)
    bench.fake.setKnownChecks { $0 != checkID(2).description }
    bench.queue.append(records(499) + [record(500, check: 2)])
    #expect(await bench.run(try bench.uploader()) { bench.queue.open == 0 })
    #expect(bench.fake.ids == ids(records(499)))
    #expect(bench.queue.snapshot.quarantined == ["23503": [record(500).id]])
    #expect(bench.fake.requests.count { $0.request.path.hasSuffix("check_results") } == 2)
  }

  @Test func perRowVerdictOfTheIngestRoute() async throws {
    let bench = DeliveryBench()
    bench.fake.setKnownChecks { $0 != checkID(2).description }
    bench.queue.append(records(499) + [record(500, check: 2)])
    #expect(await bench.run(try bench.uploader()) { bench.queue.open == 0 })
    #expect(bench.queue.snapshot.quarantined == ["23503": [record(500).id]])
    #expect(bench.fake.requests.count == 1)
  }

  @Test(
    "A10: at 413 the batch size halves, and is remembered over a restart",
    arguments: targets)
  func tooLarge(target: DeliverSettings.Target) async throws {
    let bench = DeliveryBench(target: target)
    bench.fake.setMaxRows(50)
    bench.fake.setLimits(enforced: false)
    bench.queue.append(records(500))
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader) { bench.queue.open == 0 })
    #expect(bench.fake.ids == ids(records(500)))
    let status = await uploader.status()
    #expect(status.batch <= 50)
    #expect(
      status.notices.map(\.what) == ["batches of \(status.batch): the receiver took no larger ones"])

    // Another run of the agent knows it, and a larger batch now and then finds out that the proxy was repaired.
    let second = try bench.uploader()
    bench.queue.append(records(100, from: 501))
    let uploads = { bench.fake.requests.count { !$0.request.path.hasSuffix("token") } }
    let before = uploads()
    #expect(await bench.run(second) { bench.queue.open == 0 })
    #expect(uploads() - before == (100 + status.batch - 1) / status.batch)
    bench.fake.setMaxRows(1000)
    bench.clock.advance(by: .seconds(600))
    _ = await bench.run(second, for: .seconds(60)) { false }
    #expect(await second.status().batch == status.batch * 2)
  }

  @Test("A24: the key may read, not write") func keyThatMayNotWrite() async throws {
    let bench = DeliveryBench()
    bench.fake.setMayWrite(false)
    bench.queue.append(records(5))
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader, for: .seconds(1500)) { false } == false)
    #expect(bench.queue.open == 5)
    #expect(bench.fake.requests.count <= 5)
    let trouble = await uploader.status().tally.trouble
    #expect(trouble?.hint == "give the key the right to post results; everything is kept until then")
    #expect(bench.queue.snapshot.quarantined.isEmpty)
  }

  @Test func backendWithoutTheRouteIsSaidInWords() async throws {
    let bench = DeliveryBench()
    bench.fake.setIngest(false)
    bench.queue.append(records(5))
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader, for: .seconds(60)) { false } == false)
    let trouble = await uploader.status().tally.trouble
    #expect(trouble?.what == "the backend has no ingest route: 404 Unknown endpoint")
    bench.fake.setIngest(true)
    #expect(await bench.run(uploader, for: .seconds(900)) { bench.queue.open == 0 })
  }

  /// A full batch rings the bell; anything less waits for the flush.
  @Test func flushEveryFifteenSecondsOrWhenFull() async throws {
    let bench = DeliveryBench()
    let uploader = try bench.uploader()
    _ = await bench.run(uploader, for: .seconds(5)) { false }
    bench.queue.append(records(20))
    #expect(await bench.run(uploader, for: .seconds(9)) { !bench.fake.rows.isEmpty } == false)
    #expect(await bench.run(uploader, for: .seconds(2)) { !bench.fake.rows.isEmpty })
  }

  @Test func lastWordBeforeTheEnd() async throws {
    let bench = DeliveryBench()
    let uploader = try bench.uploader()
    _ = await bench.run(uploader, for: .seconds(1)) { false }
    bench.queue.append(records(20))
    await uploader.flush(within: .seconds(5))
    #expect(bench.queue.open == 0)
    #expect(bench.fake.rows.count == 20)
  }
}
