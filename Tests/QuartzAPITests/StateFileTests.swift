// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

@Suite struct StateFileTests {
  @Test func replacesAsAWholeAndOnlyForTheOwner() async throws {
    try await withTemporaryDirectory { folder in
      let file = StateFile(path: folder.path + "/state")
      #expect(try await file.read() == nil)
      try await file.write(Array("one".utf8))
      try await file.write(Array("two".utf8))
      #expect(try await file.read() == Array("two".utf8))
      var status = stat()
      #expect(stat(file.path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      #expect(access(file.path + ".new", F_OK) != 0)
    }
  }

  /// The bytes are on the medium before the name leads to them, and the name before the write returns: otherwise a power
  /// cut leaves an empty file, or the old one that somebody was told is gone.
  @Test func theBytesAreSyncedBeforeTheNameAndTheNameBeforeItReturns() async throws {
    try await withTemporaryDirectory { folder in
      let file = StateFile(path: folder.path + "/state")
      try await file.write(Array("old".utf8))
      let seen = Mutex<[String]>([])
      try await file.write(Array("new one".utf8)) { descriptor in
        var status = stat()
        #expect(fstat(descriptor, &status) == 0)
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        var named = stat()
        #expect(stat(file.path, &named) == 0)
        seen.withLock {
          $0.append(
            "\(isFolder ? "folder" : "file of \(status.st_size)"), the name leads to \(named.st_size)")
        }
        return 0
      }
      #expect(
        seen.withLock { $0 } == ["file of 7, the name leads to 3", "folder, the name leads to 7"])
    }
  }

  /// What the disk did not take does not replace what it has.
  @Test func aFailedSyncLeavesTheOldFile() async throws {
    try await withTemporaryDirectory { folder in
      let file = StateFile(path: folder.path + "/state")
      try await file.write(Array("old".utf8))
      await #expect(throws: StateFile.Failure.self) {
        try await file.write(Array("new".utf8)) { _ in
          errno = EIO
          return -1
        }
      }
      #expect(try await file.read() == Array("old".utf8))
      #expect(access(file.path + ".new", F_OK) != 0)
    }
  }

  @Test func leftoverOfACrashIsReplaced() async throws {
    try await withTemporaryDirectory { folder in
      let file = StateFile(path: folder.path + "/state")
      try await StateFile(path: folder.path + "/state.new").write(Array("half".utf8))
      try await file.write(Array("whole".utf8))
      #expect(try await file.read() == Array("whole".utf8))
    }
  }

  @Test func linksAreNotFollowedAndSizesAreBounded() async throws {
    try await withTemporaryDirectory { folder in
      let target = StateFile(path: folder.path + "/target")
      try await target.write([1, 2, 3])
      #expect(symlink(target.path, folder.path + "/link") == 0)
      await #expect(throws: StateFile.Failure.self) {
        try await StateFile(path: folder.path + "/link").read()
      }
      await #expect(throws: StateFile.Failure.self) {
        try await StateFile(path: target.path, maxBytes: 2).read()
      }
    }
  }

  /// A file with a second name is somebody's way to it, or ours to somebody's: it is not read.
  @Test func hardLinksAndOtherKindsAreRefused() async throws {
    try await withTemporaryDirectory { folder in
      let secret = StateFile(path: folder.path + "/secret")
      try await secret.write([1])
      #expect(link(secret.path, folder.path + "/state") == 0)
      func failure(_ name: String) async -> String? {
        do {
          _ = try await StateFile(path: folder.path + "/" + name).read()
          return nil
        } catch { return error.description }
      }
      #expect(await failure("state") == "\(folder.path)/state has 2 names (hard links): move it away")
      #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
      #expect(await failure("pipe") == "\(folder.path)/pipe is not a regular file: move it away")
      #expect(symlink("secret", folder.path + "/link") == 0)
      #expect(await failure("link") == "\(folder.path)/link is a symbolic link: move it away")
      // Written again it is a file of its own, and the other keeps its bytes.
      try await StateFile(path: folder.path + "/state").write([2])
      #expect(try await StateFile(path: folder.path + "/state").read() == [2])
      #expect(try await secret.read() == [1])
    }
  }

  /// Somebody else's file is not read, whatever its mode says.
  @Test(.enabled(if: geteuid() == 0, "needs root to give a file away"))
  func othersFilesAreRefused() async throws {
    try await withTemporaryDirectory { folder in
      let file = StateFile(path: folder.path + "/state")
      try await file.write([1])
      #expect(chown(file.path, 65_534, 65_534) == 0)
      await #expect(
        throws: StateFile.Failure(
          description: "\(file.path) belongs to user 65534, not to the agent's user 0: move it away")
      ) { try await file.read() }
    }
  }

  @Test func unwritableFolderIsAFailureInWords() async throws {
    let file = StateFile(path: "/nonexistent/state")
    await #expect(
      throws: StateFile.Failure(description: "cannot create /nonexistent/state: No such file or directory")
    ) {
      try await file.write([])
    }
  }
}
