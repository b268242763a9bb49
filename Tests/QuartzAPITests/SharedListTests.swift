// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Synchronization
import TestSupport
import Testing

/// The list as one agent of a group hands it to the others.
@Suite struct SharedListTests {
  private func snapshot(_ count: Int, _ more: String = "") throws -> CheckSnapshot {
    let checks = try (1...count).map { number in
      try CheckMappingTests.wire(
        number, "\"check_type\":\"http\",\"url\":\"https://shop.example/\(number)?key=secret\"\(more)")
    }
    return CheckSnapshot(checks: checks, isCut: true)
  }

  @Test func aListComesBackAsItWas() throws {
    let list = try snapshot(
      1000, ",\"http_auth_type\":\"basic\",\"http_auth_credentials\":{\"username\":\"a\"}")
    let (parts, leftOut) = list.parts()
    #expect(leftOut.isEmpty)
    #expect(parts.count > 4)
    #expect(parts.allSatisfy { $0.count <= CheckSnapshot.partBytes })
    #expect(CheckSnapshot(parts: parts) == list)
    #expect(CheckSnapshot(parts: CheckSnapshot(checks: []).parts().parts) == CheckSnapshot(checks: []))
  }

  @Test func whatIsTooLongIsLeftOutAndCounted() throws {
    var list = try snapshot(3)
    list.checks[1].url = "https://shop.example/" + String(repeating: "x", count: 60_000)
    let (parts, leftOut) = list.parts()
    #expect(leftOut == [list.checks[1].id])
    #expect(CheckSnapshot(parts: parts)?.checks.map(\.id) == [list.checks[0].id, list.checks[2].id])
  }

  @Test func partsOfAnythingAreNoList() throws {
    let good = try snapshot(2).parts().parts
    for bad in ["", "{", "[]", "{\"version\":2,\"cut\":true}", "{\"version\":1}"] {
      #expect(CheckSnapshot(parts: [Array(bad.utf8)]) == nil)
    }
    for bad in ["{", "{\"checks\":[7]}", "{\"windows\":[{}]}", "{\"checks\":[{\"id\":\"x\"}]}"] {
      #expect(CheckSnapshot(parts: good + [Array(bad.utf8)]) == nil)
    }
    #expect(CheckSnapshot(parts: []) == nil)
  }

  /// What the store says is a stranger's, as what the API says: by the same judge.
  @Test func hostileChecksOfTheStoreAreRefusedAsThoseOfTheAPI() async throws {
    let base = try HTTPURL("https://api.test/v1")
    let wire = Wire(exchange: InProcess(fake: FakeQuartz(now: { 0 })), now: { dawn }) {
      _ throws(CancellationError) in
    }
    let client = APIClient(base: base, keys: KeyRing(Redacted(FakeQuartz.key)), over: wire)
    let applied = Mutex<[PulledChecks]>([])
    let mapping = CheckMapping(MappingRules())
    var parts = CheckListPuller.Parts(
      client: client, cache: CheckListCache(file: MemoryBytes(), base: base, keepsSecrets: false),
      mapping: mapping
    ) { list in applied.withLock { $0.append(list) } }
    parts.sharing = CheckListPuller.Sharing {
      false
    } publish: { _ in
    }
    let puller = CheckListPuller(
      parts, every: .seconds(600), time: SteadyTime(FakeClock().time), generator: longest)
    var list = try snapshot(4)
    list.checks[0].url = "file:///etc/passwd"
    list.checks[1].url = "https://user:word@shop.example/"
    list.checks[2].type = "shell"
    #expect(await puller.take(shared: list) == nil)
    let pulled = applied.withLock { $0.first }
    #expect(pulled?.checks.map(\.id) == [list.checks[3].id])
    #expect(pulled?.checks.allSatisfy { $0.origin == .api } == true)
    #expect(pulled?.skipped == mapping.map(list).skipped)
    // The same once more changes nothing.
    #expect(await puller.take(shared: list) == nil)
    #expect(applied.withLock(\.count) == 1)
  }

  /// A store in which the list shrinks at once takes no check away before it has stayed so.
  @Test func aListThatShrinksInTheStoreIsHeld() async throws {
    let base = try HTTPURL("https://api.test/v1")
    let clock = FakeClock()
    let wire = Wire(exchange: InProcess(fake: FakeQuartz(now: { 0 })), now: { dawn }) {
      _ throws(CancellationError) in
    }
    let counts = Mutex<[Int]>([])
    var parts = CheckListPuller.Parts(
      client: APIClient(base: base, keys: KeyRing(Redacted(FakeQuartz.key)), over: wire),
      cache: CheckListCache(file: MemoryBytes(), base: base, keepsSecrets: false),
      mapping: CheckMapping(MappingRules())
    ) { list in counts.withLock { $0.append(list.checks.count) } }
    parts.sharing = CheckListPuller.Sharing {
      false
    } publish: { _ in
    }
    let puller = CheckListPuller(
      parts, every: .seconds(600), time: SteadyTime(clock.time), generator: longest)
    let (whole, rest) = (try snapshot(10), try snapshot(2))
    #expect(await puller.take(shared: whole) == nil)
    let why =
      "8 of 10 checks disappeared at once; the previous list is kept until they have been missing for 10m"
    #expect(await puller.take(shared: rest) == why)
    #expect(puller.status.held == why)
    clock.advance(by: .seconds(300))
    #expect(await puller.take(shared: rest) == why)
    #expect(counts.withLock(\.self) == [10])
    clock.advance(by: .seconds(300))
    #expect(await puller.take(shared: rest) == nil)
    #expect(puller.status.held == nil && counts.withLock(\.self) == [10, 2])
  }

  /// Nobody else runs what this member refuses of its own share: it must not stay refused for as long as the list stays.
  @Test func aDestinationThatHadToWaitJoinsThoughTheListStays() async throws {
    let base = try HTTPURL("https://api.test/v1")
    let clock = FakeClock()
    let wire = Wire(exchange: InProcess(fake: FakeQuartz(now: { 0 })), now: { dawn }) {
      _ throws(CancellationError) in
    }
    let counts = Mutex<[Int]>([])
    var parts = CheckListPuller.Parts(
      client: APIClient(base: base, keys: KeyRing(Redacted(FakeQuartz.key)), over: wire),
      cache: CheckListCache(file: MemoryBytes(), base: base, keepsSecrets: false),
      mapping: CheckMapping(MappingRules())
    ) { list in counts.withLock { $0.append(list.checks.count) } }
    parts.sharing = CheckListPuller.Sharing {
      false
    } publish: { _ in
    }
    let puller = CheckListPuller(
      parts, every: .seconds(600), time: SteadyTime(clock.time), generator: longest)
    for count in [10, 110] {
      let checks = try (1...count).map {
        try CheckMappingTests.wire($0, "\"check_type\":\"http\",\"url\":\"https://host\($0).example/\"")
      }
      #expect(await puller.take(shared: CheckSnapshot(checks: checks, isCut: false)) == nil)
    }
    let refusing = counts.withLock { $0 }
    #expect(refusing.count == 2 && (refusing.last ?? 0) < 110)
    await puller.judgeAgain()
    #expect(counts.withLock(\.count) == 2, "it has just been judged")
    for _ in 0..<3 {
      clock.advance(by: .seconds(7200))
      await puller.judgeAgain()
    }
    #expect(counts.withLock { $0.last } == 110)
  }
}
