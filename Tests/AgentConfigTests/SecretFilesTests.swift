// SPDX-License-Identifier: MIT

import AgentConfig
import Foundation
import Testing

/// Real files: what `${file:}` reads, and what it refuses to touch.
struct SecretFilesTests {
  @Test(arguments: [
    ("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"),
    (" two\nlines \n", " two\nlines "),
  ])
  func trailingNewlineIsTrimmed(content: String, expected: String) throws {
    try withFolder { folder in
      let path = try folder.file("key", content)
      #expect(try SecretFiles.disk.read(path) == SecretFiles.Contents(text: expected))
    }
  }

  /// Kubernetes mounts `key -> ..data/key` with `..data` a link as well.
  @Test func linksAreFollowed() throws {
    try withFolder { folder in
      let path = try folder.file("key", "s3cret")
      let first = folder.path + "/link", second = folder.path + "/link-to-link"
      #expect(symlink(path, first) == 0 && symlink(first, second) == 0)
      #expect(try SecretFiles.disk.read(second).text == "s3cret")
    }
  }

  @Test func nothingButRegularFiles() throws {
    try withFolder { folder in
      let fifo = folder.path + "/fifo", dangling = folder.path + "/dangling", loop = folder.path + "/loop"
      #expect(mkfifo(fifo, 0o600) == 0 && symlink("nowhere", dangling) == 0 && symlink("loop", loop) == 0)
      #expect(message(fifo) == "is no regular file")
      #expect(message(folder.path) == "is no regular file")
      #expect(message("/dev/zero") == "is no regular file")
      #expect(message(dangling) == "does not exist")
      #expect(message(loop) == "is a loop of symbolic links")
      #expect(message(folder.path + "/missing") == "does not exist")
    }
  }

  @Test(arguments: [0o620, 0o602, 0o666])
  func writableByOthersIsRefused(mode: mode_t) throws {
    try withFolder { folder in
      let path = try folder.file("key", "s3cret", mode: mode)
      #expect(message(path) == "can be written by others (mode 0\(String(mode, radix: 8)))")
    }
  }

  @Test(arguments: [(0o600, 0), (0o640, 0), (0o400, 0), (0o644, 1), (0o604, 1)])
  func readableByAllIsAWarning(mode: mode_t, warnings: Int) throws {
    try withFolder { folder in
      let path = try folder.file("key", "s3cret", mode: mode)
      let contents = try SecretFiles.disk.read(path)
      #expect(contents.warnings.count == warnings)
      #expect(contents.warnings.allSatisfy { $0.message.contains("can be read by all users") })
    }
  }

  /// /etc/quartz-agent keeps others out of the files that `openssl rand -hex 16 >` makes in it; a link leads to its target's folder.
  @Test func aClosedFolderKeepsOthersOut() throws {
    try withFolder { folder in
      let path = try folder.file("key", "s3cret", mode: 0o644)
      #expect(chmod(folder.path, 0o750) == 0)
      #expect(try SecretFiles.disk.read(path).warnings.isEmpty)
      try withFolder { open in
        let link = open.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try SecretFiles.disk.read(link).warnings.isEmpty)
      }
      #expect(chmod(folder.path, 0o755) == 0)
      #expect(
        try SecretFiles.disk.read(path).warnings.map(\.message) == [
          "can be read by all users of this machine (mode 0644)"
        ])
    }
  }

  /// Root's files and one's own are as they should be.
  @Test(arguments: [
    (owner: uid_t(0), user: uid_t(0), isForeign: false), (0, 990, false), (990, 990, false), (990, 0, true),
    (1000, 990, true),
  ])
  func ownersOfSecrets(owner: uid_t, user: uid_t, isForeign: Bool) {
    #expect(SecretFiles.isForeign(owner: owner, to: user) == isForeign)
  }

  @Test func sizeIsCapped() throws {
    try withFolder { folder in
      #expect(
        try SecretFiles.disk.read(folder.file("most", String(repeating: "x", count: 4096))).text.count == 4096
      )
      #expect(message(try folder.file("more", String(repeating: "x", count: 4097))) == "is larger than 4 KiB")
      // A gigabyte that takes no space: the size is looked at before anything is read.
      let huge = try folder.file("huge", "")
      #expect(truncate(huge, 1 << 30) == 0)
      #expect(message(huge) == "is larger than 4 KiB")
    }
  }

  @Test func contentIsText() throws {
    try withFolder { folder in
      #expect(message(try folder.file("empty", "")) == "is empty")
      #expect(message(try folder.file("newline", "\n")) == "is empty")
      #expect(message(try folder.file("nul", "a\0b")) == "is no text")
      let path = folder.path + "/latin1"
      try Data([0x63, 0xe9]).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      #expect(message(path) == "is no text")
    }
  }

  private func message(_ path: String) -> String? {
    do throws(SecretFiles.Note) {
      _ = try SecretFiles.disk.read(path)
      return nil
    } catch {
      return error.message
    }
  }
}

/// A folder that is gone after the test.
struct TestFolder {
  let path: String

  func file(_ name: String, _ content: String, mode: mode_t = 0o600) throws -> String {
    let path = path + "/" + name
    try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
    return path
  }
}

func withFolder(_ body: (TestFolder) throws -> Void) throws {
  let path = FileManager.default.temporaryDirectory.appending(path: "agent-config-\(UUID())").path
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: path) }
  try body(TestFolder(path: path))
}
