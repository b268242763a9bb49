// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import QuartzAPI

@Suite struct PullerTests {
  /// A puller against the fake backend, with the lists it applied.
  private final class Bench: Sendable {
    let clock = FakeClock()
    let fake = FakeQuartz(now: { 0 })
    let file: MemoryBytes
    let applied = Mutex<[PulledChecks]>([])
    /// When.
    let instants = Mutex<[Duration]>([])

    init(_ file: MemoryBytes = MemoryBytes()) {
      self.file = file
      fake.setLimits(enforced: false)
    }

    func puller() throws -> CheckListPuller {
      let base = try HTTPURL("https://api.test/v1")
      let wire = Wire(exchange: InProcess(fake: fake), now: { dawn }) { _ throws(CancellationError) in }
      let client = APIClient(base: base, keys: KeyRing(Redacted(FakeQuartz.key)), over: wire)
      let cache = CheckListCache(file: file, base: base, keepsSecrets: false)
      let parts = CheckListPuller.Parts(
        client: client, cache: cache, mapping: CheckMapping(MappingRules())
      ) { [self] list in
        instants.withLock { $0.append(clock.elapsed) }
        applied.withLock { $0.append(list) }
      }
      return CheckListPuller(
        parts, every: .seconds(600), time: SteadyTime(clock.time), generator: longest)
    }

    /// Lets it pull so often, changing the backend before each.
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

    var counts: [Int] { applied.withLock { $0.map(\.checks.count) } }
  }

  @Test func appliesAListOnlyWhenItDiffers() async throws {
    let bench = Bench()
    await bench.pulls(try bench.puller(), 4) { pull in
      bench.fake.checks = PullTests.rows(1...(pull < 2 ? 3 : 4))
    }
    #expect(bench.counts == [3, 4])
    #expect(bench.clock.elapsed == .seconds(1800))
  }

  /// The API is down at the start: the list on disk is probed, and the next good pull confirms it.
  @Test func startsFromTheDiskWithTheAPIDown() async throws {
    let first = Bench()
    first.fake.checks = PullTests.rows(1...5)
    await first.pulls(try first.puller(), 1)
    let second = Bench(first.file)
    second.fake.setDown(true)
    let puller = try second.puller()
    await second.pulls(puller, 2)
    #expect(second.counts == [5])
    #expect(puller.status.isFromDisk)
    #expect(
      puller.status.trouble?.what == "cannot reach the quartz api: the connection ended before the answer")
    second.fake.setDown(false)
    second.fake.checks = PullTests.rows(1...5)
    await second.pulls(puller, 1)
    #expect(!puller.status.isFromDisk)
    #expect(puller.status.trouble == nil)
  }

  /// Checks whose secrets the list on disk does not keep: they are not removed, their destinations stay in use, and nothing
  /// of them has changed when the API answers.
  @Test func aRestartIsNoChangeOfTheList() async throws {
    let rows = (1...80).map { number in
      FakeCheck(
        id: checkID(number).description,
        members: #""check_type":"http","url":"https://h\#(number).test/?k=1","http_auth_type":"bearer","#
          + #""http_auth_credentials":{"token":"t"}"#)
    }
    let first = Bench()
    first.fake.checks = rows
    await first.pulls(try first.puller(), 1)
    let second = Bench(first.file)
    second.fake.checks = rows
    let puller = try second.puller()
    await second.pulls(puller, 1)
    #expect(second.counts == [0, 80])
    let lists = second.applied.withLock { $0 }
    #expect(lists.map { $0.awaited.count } == [80, 0])
    #expect(lists.map(\.changes) == [[], []])
    #expect(puller.status.refusedDestinations == 0)
  }

  @Test("A13: an empty list is applied by the second pull ten minutes later, not by the first")
  func emptyListIsHeldBack() async throws {
    let bench = Bench()
    let puller = try bench.puller()
    await bench.pulls(puller, 2) { pull in bench.fake.checks = pull == 0 ? PullTests.rows(1...5) : [] }
    #expect(bench.counts == [5])
    #expect(puller.status.held?.hasPrefix("5 of 5 checks disappeared at once") == true)
    #expect(puller.status.running == 5)
    await bench.pulls(puller, 2)
    #expect(bench.counts.last == 0)
    #expect(puller.status.held == nil)
  }

  /// Failures come back soon at first, then at the pull's own pace; a 401 is not the end.
  @Test func failuresBackOffToThePullsOwnPace() async throws {
    let bench = Bench()
    bench.fake.setKeys([])
    await bench.pulls(try bench.puller(), 9)
    let waits = [10, 20, 40, 80, 160, 320, 600, 600]
    #expect(bench.clock.elapsed == .seconds(waits.reduce(0, +)))
    #expect(bench.counts.isEmpty)
  }

  @Test func statusSaysWhatIsSkippedAndWhy() async throws {
    let bench = Bench()
    bench.fake.checks = [
      FakeCheck(id: checkID(1).description, members: #""check_type":"heartbeat""#),
      FakeCheck(id: checkID(2).description, members: #""check_type":"port","ip_address":"a.test","port":1"#),
    ]
    let puller = try bench.puller()
    await bench.pulls(puller, 1)
    #expect(
      puller.status.notices().map(\.what) == [
        "Shop heartbeat (heartbeat) of the API is not run: "
          + "a heartbeat is watched by the backend, which alone hears it"
      ])
    #expect(puller.status.running == 1)
    #expect(puller.status.lastSuccess == dawn)
  }

  /// Another version of the list is pulled after a rest of five seconds since the last pull; the same one changes nothing.
  @Test(.timeLimit(.minutes(1)), arguments: [(2, 10), (1, 605)] as [(Int64, Int64)])
  func anotherVersionIsPulledSoon(version: Int64, seconds: Int64) async throws {
    let bench = Bench()
    bench.fake.checks = PullTests.rows(1...3)
    let puller = try bench.puller()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await puller.run() }
      await bench.clock.someoneSleeps(until: .seconds(600))
      bench.clock.advance(by: .seconds(3))
      puller.heard(1)
      await bench.clock.someoneSleeps(until: .seconds(5))
      bench.clock.advance(by: .seconds(2))
      await bench.clock.someoneSleeps(until: .seconds(605))
      bench.fake.checks = PullTests.rows(1...4)
      bench.clock.advance(by: .seconds(3))
      puller.heard(version)
      await bench.clock.someoneSleeps(until: .seconds(seconds))
      await bench.clock.advanceToNext()
      await bench.clock.someoneSleeps(until: .seconds(seconds + 600))
      group.cancelAll()
    }
    #expect(bench.counts == [3, 4])
    #expect(bench.instants.withLock { $0 } == [.zero, .seconds(seconds)])
  }
  /// The list that was refused was mended, and the receiver names the new version.
  @Test(.timeLimit(.minutes(1))) func aMendedListIsPulledSoon() async throws {
    let bench = Bench()
    let bad = FakeCheck(
      id: checkID(1).description,
      members: #""check_type":"http","url":"https://a.test/","check_interval_seconds":"abc""#)
    bench.fake.checks = [bad]
    let puller = try bench.puller()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await puller.run() }
      await bench.clock.someoneSleeps(until: .seconds(10))
      bench.fake.checks = PullTests.rows(1...4)
      puller.heard(5)
      await bench.clock.someoneSleeps(until: .seconds(5))
      bench.clock.advance(by: .seconds(5))
      await bench.clock.someoneSleeps(until: .seconds(605))
      group.cancelAll()
    }
    #expect(bench.counts == [4] && puller.status.trouble == nil)
    #expect(bench.instants.withLock { $0 } == [.seconds(5)])
  }
}
