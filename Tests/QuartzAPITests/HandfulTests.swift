// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport
import Testing

/// The few results of `once --post`: which arrived, which were refused, and which are left.
@Suite struct HandfulTests {
  private func report(_ bench: DeliveryBench, _ records: [DeliveryRecord]) async throws -> Handful.Report {
    let handful = Handful(records)
    return try await handful.post(by: try bench.uploader(on: handful))
  }

  /// Three results, two of a maintenance, and one that is no verdict.
  private var sample: [DeliveryRecord] {
    records(3) + [4, 5].map { number in record(number) { $0.flags = [.post, .maintenance] } }
      + [record(6) { ($0.status, $0.state) = (.failure, .unknown) }]
  }

  /// A receiver that takes no results of a maintenance does not get them, and they are not left.
  @Test(arguments: [(DeliverSettings.Target.supabase, 3), (.quartz, 5)])
  func whatIsWithheldIsNotLeft(target: DeliverSettings.Target, delivered: Int) async throws {
    let bench = DeliveryBench(target: target)
    let report = try await report(bench, sample)
    #expect(report.delivered == delivered && report.left == 0)
    #expect(report.refused.isEmpty && report.trouble == nil)
    #expect(bench.fake.ids == Set(sample.prefix(delivered).map(\.id.description)))
    #expect(bench.clock.elapsed == .zero)
  }

  @Test func nothingButWithheldResults() async throws {
    let bench = DeliveryBench(target: .supabase)
    let report = try await report(bench, [record(1) { $0.flags = [.post, .maintenance] }])
    #expect(report.delivered == 0 && report.left == 0 && report.trouble == nil && bench.fake.rows.isEmpty)
  }

  /// What the receiver refuses has not arrived, and is not left either; the others arrive.
  @Test func whatIsRefusedIsNamed() async throws {
    let bench = DeliveryBench()
    bench.fake.setKnownChecks { $0 != checkID(2).description }
    let report = try await report(bench, records(2) + [record(3, check: 2)])
    #expect(report.delivered == 2 && report.left == 0 && report.trouble == nil)
    #expect(report.refused.map(\.checkID) == [checkID(2)] && report.refused.map(\.code) == ["23503"])
  }

  /// A receiver that is not to be asked again for long is asked once, and all is left with the reason.
  @Test func whatDoesNotGoIsLeft() async throws {
    let bench = DeliveryBench()
    bench.fake.meet(.answer(.respond(302, ["Location": "https://other.test/"], [])))
    let report = try await report(bench, sample)
    #expect(report.delivered == 0 && report.left == 5 && report.refused.isEmpty)
    #expect(report.trouble?.what.contains("answered with a redirect (302)") == true)
    #expect(bench.fake.rows.isEmpty && bench.clock.elapsed == .zero)
  }

  /// Results wait in the live lane alone, in order, until each is settled.
  @Test func aQueueOfAFew() async throws {
    let handful = Handful(sample)
    let all = await handful.pending(.live, limit: 10)
    #expect(all.map(\.sequence) == [1, 2, 3, 4, 5] && all.map(\.record) == Array(sample.prefix(5)))
    #expect(await handful.pending(.backlog, limit: 10).isEmpty)
    #expect(await handful.pending(.live, limit: 2).map(\.sequence) == [1, 2])
    await handful.acknowledge(.live, [2, 4])
    #expect(await handful.pending(.live, limit: 2).map(\.sequence) == [1, 3])
    #expect(await handful.pending(.live, limit: 10).map(\.sequence) == [1, 3, 5])
  }
}
