// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Basics

/// Which files are the agent's own, which were given to it, and what stays open.
@Suite struct FileRuleTests {
  /// What descriptors of this process lead into a folder.
  private func opened(in folder: URL) -> [String] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    .filter { $0.hasPrefix(folder.path) }
  }

  private func make(_ path: String, _ bytes: [UInt8] = [1]) {
    #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
  }

  /// When it was changed last, as two structures `timeval`: of the last look, and of the last change.
  private func setTime(of path: String, _ seconds: Int, _ microseconds: Int) -> Bool {
    [1, 0, seconds, microseconds].withUnsafeBytes {
      utimes(path, $0.bindMemory(to: timeval.self).baseAddress) == 0
    }
  }

  @Test func anOwnFile() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/own"
      make(path)
      func objection(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        defer { close(descriptor) }
        return OwnFile.objection(to: descriptor)
      }
      #expect(objection(path) == nil)
      #expect(OwnFile.objection(to: -1) == "cannot be examined: Bad file descriptor")
      #expect(objection(folder.path) == "is not a regular file: move it away")
      #expect(link(path, path + "2") == 0)
      #expect(objection(path) == "has 2 names (hard links): move it away")
      #expect(link(path, path + "3") == 0)
      #expect(objection(path) == "has 3 names (hard links): move it away")
      // A file of another user: of root's, or one that root gave away.
      let isRoot = geteuid() == 0
      make(path + "4")
      if isRoot { #expect(chown(path + "4", 4711, 4711) == 0) }
      let words = "belongs to user \(isRoot ? 4711 : 0), not to the agent's user \(geteuid()): move it away"
      #expect(objection(isRoot ? path + "4" : "/etc/passwd") == words)
    }
  }

  @Test func anOwnFolder() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/own"
      #expect(OwnFile.objection(toFolder: path) == nil, "it is not there yet")
      for (mode, isFit) in [(0o700, true), (0o755, true), (0o720, false), (0o702, false)] {
        #expect(mkdir(path, 0o700) == 0 && chmod(path, mode_t(mode)) == 0)
        let words = isFit ? nil : "may be written by others: chmod go-w \(path)"
        #expect(OwnFile.objection(toFolder: path) == words, "\(mode)")
        #expect(rmdir(path) == 0)
      }
      make(path)
      #expect(OwnFile.objection(toFolder: path) == "is no directory: move it away")
      #expect(OwnFile.objection(toFolder: path + "/below") == "cannot be examined: Not a directory")
      #expect(symlink(folder.path, path + "2") == 0)
      #expect(OwnFile.objection(toFolder: path + "2") == "is a symbolic link: move it away")
      #expect(mkdir(path + "3", 0o700) == 0)
      if geteuid() == 0 {
        #expect(chown(path + "3", 4711, 4711) == 0)
        #expect(
          OwnFile.objection(toFolder: path + "3")
            == "belongs to user 4711, not to the agent's user 0: move it away")
      }
    }
  }

  /// Of the name itself: what a link leads to is another file.
  @Test func whenAFileWasChanged() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/own"
      #expect(OwnFile.changed(path) == nil)
      make(path)
      #expect(setTime(of: path, 1_000_000, 999_999))
      #expect(OwnFile.changed(path) == 1_000_000)
      #expect(symlink(path, path + "2") == 0)
      let linked = try #require(OwnFile.changed(path + "2"))
      #expect(linked > 1_000_000)
    }
  }

  /// Two looks at one file are the same until its bytes, its time or the file itself is another.
  @Test func aStampOfAFile() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/own"
      #expect(FileStamp(path) == nil)
      make(path, [1, 2])
      let first = try #require(FileStamp(path))
      #expect(FileStamp(path) == first)
      func at(_ seconds: Int, _ microseconds: Int) -> FileStamp? {
        #expect(setTime(of: path, seconds, microseconds))
        return FileStamp(path)
      }
      let stamp = try #require(at(1000, 1))
      #expect(at(1001, 1) != stamp && at(1000, 2) != stamp && at(1000, 1) == stamp)
      #expect(truncate(path, 1) == 0 && at(1000, 1) != stamp)
      #expect(truncate(path, 2) == 0 && at(1000, 1) == stamp)
      #expect(rename(path, path + "2") == 0)
      make(path, [1, 2])
      #expect(at(1000, 1) != stamp && FileStamp(path + "2") == stamp)
    }
  }

  @Test func aFileThatWasGiven() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/given"
      #expect(throws: GivenFile.Objection.failed(ENOENT)) { try GivenFile.open(path) }
      #expect(throws: GivenFile.Objection.isDirectory) { try GivenFile.open(folder.path) }
      #expect(throws: GivenFile.Objection.isNoFile) { try GivenFile.open("/dev/null") }
      #expect(mkfifo(path, 0o600) == 0)
      #expect(throws: GivenFile.Objection.isNoFile) { try GivenFile.open(path) }
      #expect(opened(in: folder).isEmpty)
      make(path + "2", [7])
      let descriptor = try GivenFile.open(path + "2")
      #expect(opened(in: folder) == [path + "2"])
      #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0 && fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
      var byte: UInt8 = 0
      #expect(read(descriptor, &byte, 1) == 1 && byte == 7)
      close(descriptor)
    }
  }

  /// A shell's `<(…)` is a pipe under one of these names.
  @Test(arguments: ["/dev/fd/", "/proc/self/fd/"]) func aPipeThatWasGiven(prefix: String) throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let descriptor = try GivenFile.open("\(prefix)\(ends[0])")
    defer { close(descriptor) }
    #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0)
    #expect(throws: GivenFile.Objection.isNoFile) { try GivenFile.open("/proc/thread-self/fd/\(ends[0])") }
  }

  @Test func stateFilesStayOpenForNothing() async throws {
    try await withTemporaryDirectory { folder in
      let file = StateFile(path: folder.path + "/state", maxBytes: 3)
      #expect(try await file.read() == nil)
      try await file.remove()
      try await file.write([1, 2, 3])
      #expect(try await file.read() == [1, 2, 3] && opened(in: folder).isEmpty)
      await #expect(throws: StateFile.Failure(description: "cannot write \(file.path): Input/output error")) {
        try await file.write([4]) { _ in
          errno = EIO
          return -1
        }
      }
      let small = StateFile(path: file.path, maxBytes: 2)
      await #expect(throws: StateFile.Failure(description: "cannot read \(file.path): File too large")) {
        try await small.read()
      }
      #expect(symlink(file.path, file.path + "2") == 0 && link(file.path, file.path + "3") == 0)
      for (name, why) in [("2", "is a symbolic link"), ("3", "has 2 names (hard links)")] {
        await #expect(throws: StateFile.Failure(description: "\(file.path)\(name) \(why): move it away")) {
          try await StateFile(path: file.path + name).read()
        }
      }
      let below = StateFile(path: file.path + "/below")
      let cannot = "\(below.path): Not a directory"
      await #expect(throws: StateFile.Failure(description: "cannot open \(cannot)")) {
        try await below.read()
      }
      await #expect(throws: StateFile.Failure(description: "cannot create \(cannot)")) {
        try await below.write([])
      }
      await #expect(throws: StateFile.Failure(description: "cannot remove \(cannot)")) {
        try await below.remove()
      }
      #expect(opened(in: folder).isEmpty)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "state", "state2", "state3",
        ])
      try await StateFile(path: file.path + "3").remove()
      #expect(try await file.read() == [1, 2, 3])
    }
  }

  @Test func aStateFolderIsMade() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/a/b"
      #expect(await StateFolder.prepare(path) == nil)
      var status = stat()
      for made in [path, folder.path + "/a"] {
        #expect(stat(made, &status) == 0 && status.st_mode & 0o777 == 0o700)
      }
      make(path + "/file")
      #expect(await StateFolder.prepare(path + "/file") == "\(path)/file is no directory")
      #expect(
        await StateFolder.prepare(path + "/file/c/d") == "cannot create \(path)/file/c: Not a directory")
      #expect(
        await StateFolder.prepare(path + "//e/") == nil && OwnFile.objection(toFolder: path + "/e") == nil)
    }
  }
}
