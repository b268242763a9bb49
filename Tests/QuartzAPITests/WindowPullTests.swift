// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Synchronization
import TestSupport
import Testing

/// Maintenance windows from the API: read with the list, kept with it, and no reason to lose it.
@Suite struct WindowPullTests {
  private final class Bench: Sendable {
    let clock = FakeClock()
    let fake = FakeQuartz(now: { 0 })
    let file: MemoryBytes
    let applied = Mutex<[PulledChecks]>([])

    init(_ file: MemoryBytes = MemoryBytes()) {
      self.file = file
      fake.setLimits(enforced: false)
      fake.checks = PullTests.rows(1...3)
    }

    func puller() throws -> CheckListPuller {
      let base = try HTTPURL("https://api.test/v1")
      let wire = Wire(exchange: InProcess(fake: fake), now: { dawn }) { _ throws(CancellationError) in }
      let client = APIClient(base: base, keys: KeyRing(Redacted(FakeQuartz.key)), over: wire)
      let cache = CheckListCache(file: file, base: base, keepsSecrets: false)
      return CheckListPuller(
        .init(client: client, cache: cache, mapping: CheckMapping(MappingRules())) { [self] list in
          applied.withLock { $0.append(list) }
        }, every: .seconds(600), time: SteadyTime(clock.time), generator: longest)
    }

    func pulls(_ puller: CheckListPuller, _ count: Int, _ before: (Int) -> Void = { _ in }) async {
      before(0)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await puller.restore()
          await puller.run()
        }
        for pull in 1...count {
          await clock.someoneSleeps()
          if pull == count { break }
          before(pull)
          await clock.advanceToNext()
        }
        group.cancelAll()
      }
    }

    var lists: [PulledChecks] { applied.withLock { $0 } }
  }

  private static let shop = "00000000-0000-4000-8000-00000000aaaa"

  private func window(
    _ number: Int, resource: String = shop, from: String = "2026-01-04T01:00:00+00:00",
    to: String = "2026-01-04T03:00:00+00:00", recurring: String = "false,\"recurrence_pattern\":null"
  ) -> FakeWindow {
    FakeWindow(
      id: checkID(number).description,
      members:
        #""resource_id":"\#(resource)","title":"Patch night","description":null,"starts_at":"\#(from)","#
        + #""ends_at":"\#(to)","is_recurring":\#(recurring)"#)
  }

  @Test func windowsHoldForTheResourcesChecks() async throws {
    let bench = Bench()
    bench.fake.windows = [
      window(2, recurring: "true,\"recurrence_pattern\":\"weekly\""), window(1),
      window(3, from: "2025-12-01T01:00:00+00:00", to: "2025-12-01T03:00:00+00:00"),
    ]
    await bench.pulls(try bench.puller(), 1)
    let list = try #require(bench.lists.first)
    #expect(
      list.windows.map(\.id) == [1, 2].map { Optional(checkID($0)) }, "the one that is over is left out")
    #expect(list.windows.map(\.repetition) == [.none, .weekly])
    let plan = MaintenancePlan(list.windows, checks: list.checks)
    #expect(!plan.active(list.checks[0].id, at: dawn).isEmpty)
    #expect(plan.active(list.checks[0].id, at: dawn.advanced(by: .seconds(7200))).isEmpty)
    #expect(!plan.active(list.checks[0].id, at: dawn.advanced(by: .seconds(7 * 86_400))).isEmpty, "weekly")
    let windows = bench.fake.requests.filter { $0.request.path.hasSuffix("maintenance-windows") }
    #expect(
      windows.map(\.request.query) == [
        ["page": "1", "per_page": "100", "sort_by": "id", "sort_order": "asc"]
      ])
  }

  /// A window that cannot be is named; the others hold.
  @Test func windowsThatMakeNoSenseAreNamed() async throws {
    let bench = Bench()
    bench.fake.windows = [
      window(1, from: "2026-01-04T03:00:00Z", to: "2026-01-04T01:00:00Z"),
      window(2, recurring: "true,\"recurrence_pattern\":null"), window(3, recurring: "null"),
      window(4, resource: "00000000-0000-4000-8000-00000000bbbb", from: "2026-01-04T03:00:00Z"),
      // Points in time to PostgreSQL, and to nobody else.
      window(5, to: "infinity"), window(6, from: "-infinity"),
      window(7, resource: "00000000-0000-4000-8000-00000000bbbb", from: "infinity"),
    ]
    let puller = try bench.puller()
    await bench.pulls(puller, 1)
    #expect(bench.lists.first?.windows.map(\.id) == [checkID(3)])
    let notices = puller.status.notices().map(\.what)
    #expect(notices.count == 4)
    #expect(
      notices.dropFirst(2).map { $0.suffix(46) } == [
        #"Patch night: ends_at is no point in time: "infinity""#.suffix(46),
        #"Patch night: starts_at is no point in time: "-infinity""#.suffix(46),
      ])
    #expect(notices.allSatisfy { $0.hasPrefix("a maintenance window of the API is not kept: Patch night: ") })
  }

  /// The API gives no windows: the checks are taken all the same, and the windows of before hold.
  @Test func refusedWindowsKeepThoseOfBefore() async throws {
    let bench = Bench()
    bench.fake.windows = [window(1)]
    let puller = try bench.puller()
    await bench.pulls(puller, 3) { pull in
      guard pull == 1 else { return }
      bench.fake.checks = PullTests.rows(1...5)
      bench.fake.windows = [FakeWindow(id: "not-a-uuid", members: "")]
    }
    #expect(bench.lists.map(\.checks.count) == [3, 5])
    #expect(bench.lists.last?.windows.map(\.id) == [checkID(1)])
    let notices = puller.status.notices().map(\.what)
    #expect(
      notices == [
        "the maintenance windows are not the API's latest: the list of maintenance windows is refused: "
          + "maintenance window has a id of the wrong type"
      ])
  }

  /// With the API down at the next start, the windows are those of the list on disk.
  @Test func windowsAreKeptOnDisk() async throws {
    let first = Bench()
    first.fake.windows = [window(1), window(2, recurring: "true,\"recurrence_pattern\":\"monthly\"")]
    await first.pulls(try first.puller(), 1)
    let second = Bench(first.file)
    second.fake.setDown(true)
    await second.pulls(try second.puller(), 1)
    #expect(second.lists.first?.windows == first.lists.first?.windows)
    #expect(second.lists.first?.windows.count == 2)
  }
}
