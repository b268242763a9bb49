// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Basics

/// What keeps a promise on the disk, and what tries again while it cannot.
@Suite struct KeptFileTests {
  /// Holds up each write until the test lets it go.
  private final class SlowBytes: DurableBytes {
    private struct State {
      var written: [[UInt8]] = []
      var isOpen = false
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    var written: [[UInt8]] { state.withLock(\.written) }
    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        return state.waiting
      }
      for one in waiting { one.resume() }
    }

    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }

    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
      await withCheckedContinuation { continuation in
        let goes = state.withLock { state in
          if !state.isOpen { state.waiting.append(continuation) }
          return state.isOpen
        }
        if goes { continuation.resume() }
      }
      state.withLock { $0.written.append(bytes) }
    }
  }

  private final class Count: Sendable {
    let value = Mutex(0)
  }

  /// Fifty that come while a write is under way share the next, which has the last of them.
  @Test func thoseWhoWaitShareAWrite() async throws {
    let bytes = SlowBytes()
    let file = StateDisk(folder: "/nowhere", time: FakeClock().time) { _ in bytes }.file("f")
    let count = Count()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await file.write([1]) }
      while !bytes.hasWaiting { await Task.yield() }
      for _ in 0..<50 {
        group.addTask {
          // Asked when its turn has come: what was counted by then is in it.
          count.value.withLock { $0 += 1 }
          try await file.save { count.value.withLock { [UInt8($0)] } }
        }
      }
      while count.value.withLock(\.self) < 50 { await Task.yield() }
      bytes.open()
      try await group.waitForAll()
    }
    #expect(bytes.written.count <= 3, "\(bytes.written)")
    #expect(bytes.written.first == [1] && bytes.written.last == [50])
  }

  @Test func aFullDiskIsOneTroubleAndNothingIsLost() async throws {
    try await withTemporaryDirectory { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let disk = StateDisk(folder: folder.path, time: clock.time, medium: full.medium)
      let (one, two) = (disk.file("one"), disk.file("two"))
      try await one.write([1])
      #expect(disk.trouble == nil)

      full.isFull = true
      let since = clock.wall
      for file in [one, two] {
        do throws(StateFile.Failure) {
          try await file.write([2])
          Issue.record("a full disk took \(file.name)")
        } catch {
          #expect(error.description == "cannot write \(folder.path)/\(file.name): No space left on device")
        }
        clock.advance(by: .seconds(60))
      }
      #expect(
        disk.trouble
          == StateDisk.Trouble(
            files: ["one", "two"], why: "cannot write \(folder.path)/two: No space left on device",
            since: since))
      // What a restart would know.
      #expect(try await StateFile(path: folder.path + "/one").read() == [1])
      // Nothing new: it is not on the disk all the same.
      await #expect(throws: StateFile.Failure.self) { try await one.save { nil } }

      try? await one.write([3])
      full.isFull = false
      await disk.retry()
      #expect(disk.trouble == nil)
      #expect(try await StateFile(path: folder.path + "/one").read() == [3])
      #expect(try await StateFile(path: folder.path + "/two").read() == [2])
    }
  }

  /// While there is no room one file is tried and not all of them; one with a trouble of its own holds up no other.
  @Test func oneIsTriedAtATimeAndEachHasItsTurn() async throws {
    try await withTemporaryDirectory { folder in
      let full = FullDisk()
      let disk = StateDisk(folder: folder.path, time: FakeClock().time, medium: full.medium)
      full.isFull = true
      for name in ["a", "b", "c"] { try? await disk.file(name).write([1]) }
      let before = full.tried.count
      for _ in 0..<4 { await disk.retry() }
      #expect(full.tried.dropFirst(before) == ["a", "b", "c", "a"])
      full.isFull = false
      full.broken = ["b"]
      for _ in 0..<2 { await disk.retry() }
      #expect(disk.trouble?.files == ["b"])
      full.broken = []
      await disk.retry()
      #expect(disk.trouble == nil)
      // It is as it should be: nothing is written any more.
      let last = full.tried.count
      await disk.retry()
      #expect(full.tried.count == last)
    }
  }

  /// What is not to be any more owes nothing.
  @Test func whatIsSettledIsNotTriedAgain() async throws {
    let full = FullDisk()
    full.isFull = true
    let disk = StateDisk(folder: "/nowhere", time: FakeClock().time, medium: full.medium)
    try? await disk.file("gone").write([1])
    disk.settled("gone")
    await disk.retry()
    #expect(disk.trouble == nil && full.tried == ["gone"])
  }
}
