// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Foundation
import Glibc
import Groups
import History
import Logging
import Monitoring
import Spool
import Status
import Synchronization
import TestSupport
import Testing

@testable import Agent
@testable import AgentConfig

/// Rules of the daemon's parts that time, signals and the machine decide.
@Suite struct DaemonRulesTests {
  private let clock = FakeClock()
  private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// A configuration that is written in several steps is read when it has stayed the same for a second, and a change that is
  /// taken back is none.
  @Test func aConfigurationThatIsBeingWritten() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/agent.yaml"
      func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
      try write("one")
      let watch = ConfigWatch(ConfigOrigin(files: [path], patterns: []), time: clock.time)
      let changes = Changes()
      let task = Task { await watch.run { changes.count.add(1, ordering: .relaxed) } }
      func count(after wait: Duration) async -> Int {
        await clock.someoneSleeps()
        clock.advance(by: wait)
        await clock.someoneSleeps()
        return changes.count.load(ordering: .relaxed)
      }
      #expect(await count(after: .seconds(5)) == 0, "nothing has changed")
      try write("two")
      #expect(await count(after: .seconds(5)) == 0, "it is not known whether that is all")
      try write("three")
      #expect(await count(after: .seconds(1)) == 0, "it was not all")
      #expect(await count(after: .seconds(1)) == 1)
      await watch.beginReading()
      try write("four")
      #expect(await count(after: .seconds(5)) == 1)
      try write("three")
      #expect(await count(after: .seconds(1)) == 1)
      #expect(await count(after: .seconds(1)) == 1, "it is what was read last")
      task.cancel()
      await task.value
    }
  }

  /// Probes in flight and connections of a page, by the descriptors that there are and what is configured.
  @Test(
    arguments: [
      (64, 5, 4), (1024, 120, 128), (12_303, 1999, 128), (12_304, 2000, 128), (1 << 20, 2000, 128),
      (3, 1, 4),
    ])
  func descriptors(limit: Int, most: Int, connections: Int) {
    let shares = DescriptorShares(of: limit)
    #expect(shares.inFlight(nil) == most && shares.connections == connections)
    #expect(shares.inFlight(1) == 1 && shares.inFlight(most) == most)
    #expect(shares.inFlight(5000) == (limit == 1 << 20 ? 5000 : most))
  }

  /// A store in memory is told of once an hour; one that became durable meanwhile is told of again.
  @Test func aStoreThatComesAndGoes() async throws {
    try await withTemporaryDirectory { folder in
      let spool = try await emptySpool(in: folder.path)
      let lines = FullLines(hasLevels: true)
      let watch = StoreWatch(spool, log: Logger(label: "test") { _ in lines }, time: clock.time)
      let durable = SpoolStatus(mode: .durable, durability: .interval)
      let memory = SpoolStatus(
        mode: .memory(.critical(.store, "no room", hint: "make some")), durability: .interval)
      let trouble =
        "error results are kept in memory only and lost with the process hint=make some problem=no room"
      let again = "notice the store is durable again"
      for status in [durable, memory, memory, durable, memory] { await watch.look(status) }
      #expect(lines.all == [trouble, again, trouble])
      clock.advance(by: .milliseconds(3_599_999))
      await watch.look(memory)
      #expect(lines.all.count == 3)
      clock.advance(by: .milliseconds(1))
      await watch.look(memory)
      #expect(lines.all == [trouble, again, trouble, trouble])
      await spool.close()
    }
  }

  /// An agent's inputs are sound after a minute, and its memory is tidied after ten seconds.
  @Test func theFirstMinute() async throws {
    try await withTemporaryDirectory { folder in
      let disk = StateDisk(folder: folder.path, time: clock.time)
      let starts = StartWatch(disk: disk, log: Self.silent, time: clock.time, version: "1", boot: "one")
      starts.uses(StartInput("poison"))
      let file = folder.path + "/" + StartWatch.fileName
      let before = try String(contentsOfFile: file, encoding: .utf8)
      let services = StartsPart(starts: starts, time: clock.passing).services {
        fatalError("no picture is asked for")
      }
      for service in services { await service() }
      #expect(clock.sleeps == [.seconds(60), .seconds(10)])
      let after = try String(contentsOfFile: file, encoding: .utf8)
      #expect(before.contains("poison") && after != before)
    }
  }

  /// Signals that are not taken yet are one, and a stop goes before them: also before a SIGHUP that came later.
  @Test(
    arguments: [
      ([SIGHUP], .reload), ([SIGHUP, SIGHUP], .reload), ([SIGTERM], .stop), ([SIGINT], .stop),
      ([SIGHUP, SIGTERM], .stop), ([SIGTERM, SIGHUP], .stop), ([SIGHUP, SIGINT, SIGHUP, SIGHUP], .stop),
    ] as [([Int32], ProcessSignal)])
  func signals(numbers: [Int32], heard: ProcessSignal) async {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let bytes = numbers.map { UInt8($0) }
    #expect(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    let (stream, continuation) = AsyncStream<ProcessSignal>.makeStream(bufferingPolicy: .bufferingNewest(1))
    readSignals(ends[0], continuation)
    close(ends[0])
    continuation.finish()
    var all: [ProcessSignal] = []
    for await signal in stream { all.append(signal) }
    #expect(all == [heard])
  }

  /// A process that does not stop has its results taken to the disk a second before it is ended.
  @Test func theLastResortSaves() async throws {
    let resort = LastResort()
    let saved = Changes()
    let began = Instant.now
    resort.prepare(
      LastResort.Plan(
        limit: .milliseconds(1050),
        save: { done in
          // All ends as it should, so that this process goes on.
          resort.disarm()
          saved.isSaved.store(true, ordering: .releasing)
          done()
        }, words: { "" }))
    resort.arm()
    try await until("results are saved", within: .seconds(10)) { saved.isSaved.load(ordering: .acquiring) }
    #expect(began.duration(to: .now) >= .milliseconds(50))
  }

  /// A file of the store is renamed as it was asked for.
  @Test func aWatchedFileSystem() async throws {
    try await withTemporaryDirectory { folder in
      let disk = StateDisk(folder: folder.path, time: clock.time)
      let watch = StartWatch(disk: disk, log: Self.silent, time: clock.time, version: "1", boot: "one")
      let path = folder.path + "/spool"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data("content".utf8).write(to: folder.appending(path: "spool/before"))
      let files = WatchedFileSystem(base: try PosixFileSystem(path: path), watch: watch)
      try files.rename("before", to: "after")
      #expect(try files.list()["after"] == 7 && files.list()["before"] == nil)
      files.release()
    }
  }

  /// No sign of life is sent while a thread is stuck: the other address is asked, and again the first when the thread runs on.
  @Test func signsOfLife() async throws {
    try await withTemporaryDirectory { folder in
      let spool = try await emptySpool(in: folder.path)
      let (ages, calls) = (Ages(), Calls())
      let threads = ThreadWatch(log: Self.silent)
      threads.start([WatchedThread("curl", limit: .seconds(10)) { ages.value.withLock(\.self) }])
      threads.stop()
      var outside = NoWorld(clock: clock).outside(
        spool, disk: StateDisk(folder: folder.path, time: clock.time))
      outside.history = NoHistory()
      outside.call = { url, _ in
        calls.urls.withLock { $0.append(url.description) }
        cancelThisTask()
        return .delivered
      }
      var settings = Settings()
      settings.agent.name = "here"
      settings.lifeSigns = [
        LifeSign(
          url: try HTTPURL("https://life.example/x"), failURL: try HTTPURL("https://life.example/fail"))
      ]
      let parts = try await AgentParts(
        settings, outside, threads: threads, started: clock.wall, log: Self.silent, pulse: { _ in nil })
      let signs = try #require(parts.all.compactMap { $0 as? LifeSigns }.first)
      for seconds in [10, 11, 0] as [Int64] {
        ages.value.withLock { $0 = .seconds(seconds) }
        threads.look()
        await Task { await signs.run() }.value
      }
      #expect(calls.urls.withLock(\.self) == ["x", "fail", "x"].map { "https://life.example/\($0)" })
      parts.letGo()
      await spool.close()
    }
  }

  /// In a maintenance window a place has no say, whatever it found.
  @Test func aPlaceInAWindow() throws {
    let verdict = Verdict(.connectRefused, phase: .connect, message: "refused")
    var result = CheckResult(
      id: UniqueID(high: 7, low: 1), check: try tcpCheck("Shop"), trigger: .schedule, scheduledAt: clock.wall,
      startedAt: clock.wall, late: .zero, verdict: verdict)
    #expect(PlacesPart.verdict(of: result) == verdict)
    result.maintenance = true
    #expect(PlacesPart.verdict(of: result) == Verdict(.connectRefused, isUnknown: true))
  }

  /// Where a member goes on alone, the log says why the store does not answer; elsewhere that is not asked.
  @Test func whyAMemberIsAlone() {
    let trouble = StoreTrouble(.denied, "not yours")
    let all: [GroupJournal.What] = [
      .alone, .unreached, .joined("b"), .leaving("b"), .gone("b"), .left("b"), .back, .newWorld, .nameTaken,
      .moved(gained: 1, given: 0, because: nil),
    ]
    for (place, what) in all.enumerated() {
      let facts = GroupDesk.facts(of: what, 7, trouble).mapValues { "\($0)" }
      let more = place < 2 ? ["problem": "not yours", "hint": "\(trouble.hint)"] : [:]
      #expect(facts == ["view": "7"].merging(more) { $1 }, "\(what)")
      #expect(GroupDesk.facts(of: what, 7, nil).mapValues { "\($0)" } == ["view": "7"])
    }
  }

  private final class Changes: Sendable {
    let count = Atomic(0)
    let isSaved = Atomic(false)
  }

  private final class Ages: Sendable {
    let value = Mutex(Duration.zero)
  }

  private final class Calls: Sendable {
    let urls = Mutex<[String]>([])
  }
}

/// Files of a history in which there is nothing yet.
private struct NoHistory: HistoryFiles {
  var path: String { "" }
  func read() async -> (reading: HistoryReading, problems: [String]) { (HistoryReading(), []) }
  func write(_ number: Int, _ bytes: [UInt8]) async throws(StateFile.Failure) {}
  func remove(_ number: Int) async throws(StateFile.Failure) {}
  func name(_ number: Int) -> String { "\(number)" }
}

/// Outside of any asynchronous function, where the call that suspends nothing is taken.
private func cancelThisTask() { withUnsafeCurrentTask { $0?.cancel() } }
