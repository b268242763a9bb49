// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import StatusServer
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// What the log is told of the connection to the API and of sources of targets: each change once.
@Suite struct ConnectionWatchTests {
  private let clock = FakeClock()

  private func inWorld(
    _ body: (ConnectionWatch, FullLines) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let spool = try await emptySpool(in: folder.path)
      let quartz = QuartzSettings(url: try HTTPURL("https://api.example/v1"), apiKey: Redacted("k"))
      let world = NoWorld(clock: clock)
      let link = try QuartzLink(
        quartz, agent: Sender(name: "a", region: nil, version: "1"), rules: MappingRules(quartz.checks),
        outside: .init(
          exchange: { _ in world }, time: clock.time, queue: spool, readKey: { nil }, apply: { _ in }))
      let lines = FullLines(hasLevels: true)
      try await body(
        ConnectionWatch(link, log: Logger(label: "test") { _ in lines }, time: clock.time), lines)
      await spool.close()
    }
  }

  /// A trouble is told when it comes, when its words change, and when it is over; each place for itself.
  @Test func troubles() async throws {
    try await inWorld { watch, lines in
      var (delivery, list) = (Notice?.none, Notice?.none)
      let (one, two) = (
        Notice.warning(.delivery, "no route", hint: "look"), Notice.warning(.delivery, "refused")
      )
      for trouble in [nil, one, one, two, nil, nil] {
        await watch.tell(.delivery, trouble, before: &delivery)
        #expect(delivery == trouble)
      }
      await watch.tell(.checkList, .warning(.checkList, "held"), before: &list)
      #expect(
        lines.all == [
          "error delivery is failing hint=look problem=no route",
          "error delivery is failing problem=refused", "notice delivery works again",
          "error \(Notice.Place.checkList.text) is failing problem=held",
        ])
    }
  }

  /// Checks that are not run, and those that are run in another way, once each for as long as it is so.
  @Test func skippedChecks() async throws {
    try await inWorld { watch, lines in
      func tell(_ skipped: [String], _ changed: [String] = []) async {
        var status = PullStatus()
        status.skipped = skipped.map { .warning(.check($0), "no such type") }
        status.warnings = changed.map { .warning(.check($0), "raised to 10s") }
        await watch.tellSkipped(status)
      }
      await tell(["b", "a", "a"], ["c"])
      await tell(["a", "b"], ["c"])
      await tell(["b"], ["c", "d"])
      await tell(["a", "b"])
      #expect(
        lines.all == [
          "warning check skipped check=a reason=no such type",
          "warning check skipped check=b reason=no such type",
          "warning check changed check=c reason=raised to 10s",
          "warning check changed check=d reason=raised to 10s",
          "warning check skipped check=a reason=no such type",
        ])
    }
  }

  /// What a source of targets came to: other targets with those that are left out, a failure once for its words, and that it
  /// works again.
  @Test(.timeLimit(.minutes(1))) func aSourceOfTargets() async throws {
    try await withTemporaryDirectory { folder in
      var definition = DiscoveryDefinition()
      (definition.dns, definition.templates) = ("_a._tcp.test", ["web"])
      let source = try DiscoverySource(definition) { $0 }
      func list(_ names: String...) -> DiscoveryFinding {
        .list(TargetList(targets: names.map { .init(address: $0, host: $0) }))
      }
      let answers: [DiscoveryFinding] = [
        list("a.test", "b.test"), list("a.test", "b.test"), .failed("no answer"), .failed("no answer"),
        .failed("refused"), list("a.test", "b.test"), list("a.test", "b.test", "c.test"),
      ]
      let asked = Mutex(0)
      let lines = FullLines(hasLevels: true)
      let ended = Mutex(false)
      let keeper = DiscoveryKeeper(
        [source], disk: StateDisk(folder: folder.path, time: clock.time),
        log: Logger(label: "test") { _ in lines }, time: clock.passing
      ) { _ throws(CancellationError) in
        let number = asked.withLock { count in
          defer { count += 1 }
          return count
        }
        guard number < answers.count else {
          ended.withLock { $0 = true }
          throw CancellationError()
        }
        return answers[number]
      }
      let task = Task { await keeper.run() }
      while !ended.withLock(\.self) { await Task.yield() }
      task.cancel()
      await task.value
      let failure = "warning targets cannot be discovered; those known before stay"
      #expect(
        lines.all == [
          "notice other targets were discovered source=discover[0] \(source.label) targets=2",
          "\(failure) problem=no answer source=discover[0] \(source.label)",
          "\(failure) problem=refused source=discover[0] \(source.label)",
          "notice targets are discovered again source=discover[0] \(source.label)",
          "notice other targets were discovered source=discover[0] \(source.label) targets=3",
        ])
      #expect(keeper.notices.isEmpty)
      #expect(clock.sleeps == Array(repeating: source.refresh, count: answers.count))
    }
  }

  /// The history's files, by names of four digits or more; what is put aside or cannot be read is as good as damaged.
  @Test func filesOfTheHistory() async throws {
    try await withTemporaryDirectory { folder in
      let disk = StateDisk(folder: folder.path, time: clock.time)
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let files = HistoryFolder(on: disk, StartWatch(disk: disk, log: log, time: clock.time))
      #expect(await files.read().problems.isEmpty)
      let names = ["0000", "0002", "12345", "99999", "100000", "001", "00a0", "+001", "0003.new"]
      for name in names { try Data("x".utf8).write(to: folder.appending(path: "windows/\(name)")) }
      let read = await files.read()
      #expect(read.problems.isEmpty, "they are read, whatever is in them")
      try await files.write(7, Array("y".utf8))
      #expect(try await StateFile(path: folder.path + "/windows/0007").read() == Array("y".utf8))
      try await files.remove(7)
      #expect(try await StateFile(path: folder.path + "/windows/0007").read() == nil)
      // A link in the folder's place leads elsewhere: nothing is read or written through it.
      try FileManager.default.moveItem(
        at: folder.appending(path: "windows"), to: folder.appending(path: "elsewhere"))
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "windows"), withDestinationURL: folder.appending(path: "elsewhere"))
      let why = "\(folder.path)/windows is a symbolic link: move it away"
      #expect(await files.read().problems == [why])
      let written = await #expect(throws: StateFile.Failure.self) { try await files.write(1, [1]) }
      let removed = await #expect(throws: StateFile.Failure.self) { try await files.remove(0) }
      #expect(written?.description == why && removed?.description == why)
      #expect(fileNames(in: folder.path + "/elsewhere").contains("0000"))
    }
  }
}
