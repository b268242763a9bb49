// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Testing

@Suite struct ProcessFamilyTests {
  private func start(_ script: String) throws -> ProcessFamily {
    var code: Int32 = 0
    let family = ProcessFamily(code: &code) { child in
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setpgroup(&attributes, 0)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      var arguments: [UnsafeMutablePointer<CChar>?] = []
      for text in ["sh", "-c", script] { arguments.append(strdup(text)) }
      arguments.append(nil)
      defer { for argument in arguments { free(argument) } }
      return posix_spawn(&child, "/bin/sh", nil, &attributes, &arguments, environ)
    }
    return try #require(family)
  }

  @Test func aLeader() throws {
    let family = try start("exec sleep 300")
    #expect(!family.hasEnded)
    #expect(family.end(within: .seconds(30), .system) == 0)
    #expect(family.hasEnded)
    #expect(family.bury() == SIGKILL)
    #expect(access("/proc/\(family.leader)", F_OK) != 0)
  }

  @Test func whatIsNoProgram() {
    var code: Int32 = 0
    let leader = ProcessFamily(code: &code) { _ in ENOENT }?.leader
    #expect(leader == nil && code == ENOENT)
  }
}

/// Work that never returns is waited for as long as was said.
@Suite struct WorkWithinTests {
  @Test func itReturns() async {
    #expect(await onThread(within: .seconds(60), whenCancelled: .zero, .system) { 7 } == 7)
  }

  @Test func itIsLate() async {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (end, other) = (ends[0], ends[1])
    let late = await onThread(within: .milliseconds(50), whenCancelled: .zero, .system) {
      var byte: UInt8 = 0
      return read(end, &byte, 1)
    }
    #expect(late == nil)
    close(other)
  }

  @Test func itIsCancelled() async {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (end, other) = (ends[0], ends[1])
    let task = Task {
      await onThread(within: .seconds(600), whenCancelled: .milliseconds(20), .system) {
        var byte: UInt8 = 0
        return read(end, &byte, 1)
      }
    }
    task.cancel()
    #expect(await task.value == nil)
    close(other)
  }
}
