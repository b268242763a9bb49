// SPDX-License-Identifier: MIT

import Foundation
import Monitoring
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

  @Test func unwritableFolderIsAFailureInWords() async throws {
    let file = StateFile(path: "/nonexistent/state")
    await #expect(
      throws: StateFile.Failure(description: "cannot create /nonexistent/state: No such file or directory")
    ) {
      try await file.write([])
    }
  }
}
