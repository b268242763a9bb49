// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Spool
import TestSupport
import Testing

/// One agent at a time on a state directory, whatever becomes of its store.
@Suite struct StateLockTests {
  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let parent = NSTemporaryDirectory() + "state-lock-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: parent) }
    try FileManager.default.createDirectory(atPath: parent + "/state", withIntermediateDirectories: true)
    try await body(parent + "/state")
  }

  @Test func theSecondIsRefused() async throws {
    try await inFolder { path in
      var first: StateLock? = try StateLock(path)
      #expect(throws: SpoolError.locked(path: path)) { try StateLock(path) }
      #expect(first?.isAnothers == false)
      first = nil
      #expect(try !StateLock(path).isAnothers)
    }
  }

  @Test func aDirectoryThatIsNotThereIsNoReason() throws {
    #expect(try !StateLock("/nonexistent/state").isAnothers)
  }

  /// The directory is moved away while its agent runs, and another agent makes a new one.
  @Test func aDirectoryThatWasReplaced() async throws {
    try await inFolder { path in
      let first = try StateLock(path)
      let file = first.guarding(StateFile(path: path + "/alerts.json"))
      try await file.write([1])
      try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
      #expect(!first.isAnothers)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      var second: StateLock? = try StateLock(path)
      #expect(first.isAnothers)
      let why = "\(path) is in use by another agent: stop it, or give this one its own state_dir"
      await #expect(throws: StateFile.Failure(description: why)) { try await file.write([2]) }
      #expect(FileManager.default.contents(atPath: path + "/alerts.json") == nil)
      // Free again, it is taken, and held against the next.
      #expect(second != nil)
      second = nil
      try await file.write([3])
      #expect(try await file.read() == [3])
      #expect(throws: SpoolError.locked(path: path)) { try StateLock(path) }
    }
  }
}
