// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Groups
import Logging
import Monitoring
import Scheduler
import Spool
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// The last view of a group on the disk, and why one is not used.
@Suite struct GroupMemoryFileTests {
  private struct Bytes: DurableBytes {
    var content: Result<[UInt8]?, StateFile.Failure>
    func read() async throws(StateFile.Failure) -> [UInt8]? { try content.get() }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {}
  }

  private let clock = FakeClock()
  private static let words =
    "the group's last view in state_dir is not used: without the store, this agent will run all of the group's checks"

  private func file(
    _ content: Result<[UInt8]?, StateFile.Failure>, _ lines: FullLines
  ) -> GroupMemoryFile {
    var group = GroupSettings()
    group.name = "london"
    return GroupMemoryFile(
      Bytes(content: content), path: "/state/group-view.json", group, name: "a",
      log: Logger(label: "test") { _ in lines }, time: clock.time)
  }

  private func memory(
    root: String = "/quartz/london/", name: String = "a", age: Duration = .zero
  ) -> GroupMemory {
    var view = GroupView()
    view.placed = 7
    var card = MemberCard()
    card.boot = UniqueID(high: 2, low: 2)
    view.members[ByteText("a")] = GroupView.Member(card: card, revision: 1)
    return GroupMemory(
      root: root, name: name, cluster: 1, view: view, at: clock.wall.advanced(by: .zero - age))
  }

  /// A view of this member in this group that is not too old is used, and no view is no problem.
  @Test func whatIsUsed() async {
    let lines = FullLines(hasLevels: true)
    #expect(await file(.success(nil), lines).read() == nil)
    for age in [Duration.zero, .seconds(86_400)] {
      let kept = memory(age: age)
      #expect(await file(.success(kept.json), lines).read() == kept)
    }
    #expect(lines.all.isEmpty)
  }

  /// Each reason, in the log with the file.
  @Test func whatIsNot() async {
    let rows: [(Result<[UInt8]?, StateFile.Failure>, String)] = [
      (.success(Array("{}".utf8)), "it is damaged"),
      (.success(memory(root: "/quartz/paris/").json), "it is of another group, /quartz/paris/"),
      (.success(memory(name: "b").json), "it is of another member, b"),
      (.success(memory(age: .milliseconds(86_400_001)).json), "it is older than a day"),
      (.failure(StateFile.Failure(description: "input/output error")), "input/output error"),
    ]
    for (content, why) in rows {
      let lines = FullLines(hasLevels: true)
      #expect(await file(content, lines).read() == nil, "\(why)")
      #expect(lines.all == ["warning \(Self.words) file=/state/group-view.json problem=\(why)"])
    }
  }

  /// A desk of the group is made of the disk: the mark of the state directory stays over a restart, and another folder has
  /// another one.
  @Test func theMarkOfAStateDirectory() async throws {
    try await withTemporaryDirectory { folder in
      let disk = StateDisk(folder: folder.path, time: clock.time)
      let file = disk.file("group-home", maxBytes: 64)
      #expect(try await file.read() == nil)
      var (settings, group) = (Settings(), GroupSettings())
      (group.name, settings.agent.name) = ("london", "a")
      settings.group = group
      let spool = try await emptySpool(in: folder.path)
      var outside = NoWorld(clock: clock).outside(spool, disk: disk)
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      #expect(await GroupDesk.make(settings, outside, log) == nil, "there is no store")
      outside.stores = GroupStores(members: NoStore(), incidents: NoIncidents(), states: NoIncidents())
      #expect(await GroupDesk.make(Settings(), outside, log) == nil, "there is no group")
      let first = try #require(await GroupDesk.make(settings, outside, log))
      let mark = try #require(try await file.read())
      #expect(UniqueID(String(decoding: mark, as: UTF8.self)) != nil && mark.count == 36)
      #expect(await GroupDesk.make(settings, outside, log) != nil)
      #expect(try await file.read() == mark)
      #expect(first.grid.name == "london" && first.section == group)
      await spool.close()
    }
  }

  /// Notes when it is written to; the first time fails.
  private final class Notes: DurableBytes {
    let clock: FakeClock
    let times = Mutex<[Duration]>([])
    init(_ clock: FakeClock) { self.clock = clock }

    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
      let count = times.withLock { times in
        times.append(clock.elapsed)
        return times.count
      }
      if count == 1 { throw StateFile.Failure(description: "no room") }
    }
  }

  /// A view is written at once and again each hour. After a failure it is tried again in a minute, also where it is another one
  /// by then; what is new after that is written at once.
  @Test func whenAViewIsWritten() async {
    let (clock, notes) = (self.clock, Notes(self.clock))
    var group = GroupSettings()
    group.name = "london"
    let file = GroupMemoryFile(
      notes, path: "/state/group-view.json", group, name: "a",
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.passing)
    let first = memory()
    await Task {
      await file.keep {
        var memory = first
        switch clock.elapsed {
        case ..<Duration.seconds(2): break
        case ..<Duration.seconds(62): memory.view.placed = 8
        case ..<Duration.seconds(3663): memory.view.placed = 9
        default:
          cancelThisTask()
          return nil
        }
        return memory
      }
    }.value
    #expect(notes.times.withLock(\.self) == [1, 61, 62, 3662].map { Duration.seconds($0) })
  }
}

/// Outside of any asynchronous function, where the call that suspends nothing is taken.
private func cancelThisTask() { withUnsafeCurrentTask { $0?.cancel() } }
