// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Logging
import Monitoring
import Spool
import TestSupport
import Testing

@testable import Agent

/// The journal of starts on the disk, what is put aside by it, and the files whose readers it watches.
@Suite struct StartWatchTests {
  private let clock = FakeClock()

  /// A start over a folder; the one before it ends as a process does that dies.
  private struct Start {
    let folder: String
    let clock: FakeClock
    let lines = FullLines(hasLevels: true)

    func begin(version: String = "1") -> StartWatch {
      StartWatch(
        disk: StateDisk(folder: folder, time: clock.time), log: Logger(label: "test") { [lines] _ in lines },
        time: clock.time, version: version, boot: "one")
    }

    /// One life of an agent, which begins when the last of the one before is gone.
    func life<Value>(
      version: String = "1", _ body: (StartWatch) async throws -> Value
    ) async rethrows -> Value {
      let lock = open("\(folder)/\(StartWatch.fileName)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      flock(lock, LOCK_EX)
      close(lock)
      return try await body(begin(version: version))
    }

    func names(_ shelf: String = "aside") -> [String] {
      fileNames(in: "\(folder)/\(shelf)").filter { !$0.hasPrefix(".") }.sorted()
    }
  }

  private func inFolder(_ body: (Start) async throws -> Void) async throws {
    try await withTemporaryDirectory { try await body(Start(folder: $0.path, clock: clock)) }
  }

  /// A file over which two starts died while they read it is put aside, and its reader is told so; the next start has it
  /// not any more, and says where it is for as long as it lies there.
  @Test func twoDeathsOverAFile() async throws {
    try await inFolder { start in
      let content = Array("content".utf8)
      try await StateFile(path: "\(start.folder)/small").write(content)
      func read(_ watch: StartWatch) async -> Result<[UInt8]?, StateFile.Failure> {
        let file = WatchedFile(
          file: StateFile(path: "\(start.folder)/small"), name: "small", watch: watch)
        do throws(StateFile.Failure) { return .success(try await file.read()) } catch {
          return .failure(error)
        }
      }
      for _ in 0..<2 {
        #expect(try await start.life { try await read($0).get() } == content)
      }
      let notice = try await start.life { third in
        #expect(third.isPoison(StartInput("small", sum: fingerprint(of: content))))
        guard case .failure(let problem) = await read(third) else {
          throw StateFile.Failure(description: "it was read")
        }
        #expect(problem.description == "small was put aside: two starts of the agent died over it")
        #expect(start.names() == ["small-20260104T020000.000Z"])
        let died = "warning the start before this one died within a minute"
        #expect(
          start.lines.all == [
            "\(died) deaths=1 of=a kill from outside over=small",
            "\(died) deaths=2 of=a kill from outside over=small",
            "error quarantined the input that crashed two starts; the agent continues without it "
              + "hint=keep it for a report; delete it when it is no longer of use (docs/durability.md) input=small "
              + "now=\(start.folder)/aside/small-20260104T020000.000Z",
          ])
        let notice = try #require(third.notices.first)
        #expect(third.notices.count == 1 && !notice.isCritical && notice.place == "state_dir")
        #expect(
          notice.what
            == "small was put aside at 2026-01-04T02:00:00.000Z: two starts of the agent died over it; it is in state_dir "
            + "as aside/small-20260104T020000.000Z")
        third.settle()
        return notice
      }
      #expect(await start.life(\.notices) == [notice])
      #expect(unlink("\(start.folder)/aside/small-20260104T020000.000Z") == 0)
      #expect(await start.life(\.notices).isEmpty)
    }
  }

  /// Six kills after everything was read put the history aside, and say what they were and how it comes back; one that came while
  /// it was being read is a death over it.
  @Test(arguments: [false, true]) func killsOfAHistory(isReading: Bool) async throws {
    try await inFolder { start in
      let input = StartInput("windows/0000", sum: "a")
      #expect(mkdir("\(start.folder)/windows", 0o700) == 0)
      try await StateFile(path: "\(start.folder)/windows/0000").write([1])
      for life in 0..<(isReading ? 2 : 6) {
        await start.life { watch in
          #expect(watch.mayRead(input), "life \(life)")
          if !isReading { watch.ended(input.name) }
        }
      }
      try await start.life { watch in
        #expect(!watch.mayRead(input) && watch.putAside(input))
        let why =
          isReading
          ? "two starts of the agent died over it"
          : "six starts of the agent were killed from outside within a minute each (SIGKILL, or too little memory)"
        #expect(watch.why(input) == why)
        let notice = try #require(watch.notices.first)
        #expect(
          notice.what
            == "windows/0000 was put aside at 2026-01-04T02:00:00.000Z: \(why); it is in state_dir as "
            + "aside/windows-0000-20260104T020000.000Z")
        #expect(
          notice.hint
            == (isReading
              ? "keep it for a report; delete it when it is no longer of use (docs/durability.md)"
              : "where they were killed for another reason, stop the agent and move it back to windows/0000 (docs/durability.md)")
        )
        let line = try #require(start.lines.all.last)
        #expect(
          line.hasPrefix(
            isReading
              ? "error quarantined the input that crashed two starts"
              : "error put the history aside, after which six starts were killed from outside"))
        watch.settle()
      }
    }
  }

  /// Who reads to the end, or lives for a minute, is blamed for nothing; after that minute nothing is written down.
  @Test func whatClearsAFile() async throws {
    try await inFolder { start in
      let input = StartInput("small", sum: "a")
      for isSettled in [true, false] {
        for _ in 0..<3 {
          await start.life { watch in
            #expect(watch.mayRead(input))
            if isSettled { watch.settle() } else { watch.ended("small") }
          }
        }
        await start.life { $0.settle() }
      }
      await start.life { watch in
        watch.settle()
        #expect(watch.mayRead(input) && !watch.isPoison(input))
      }
      #expect(await start.life { $0.mayRead(input) }, "it was not being read in the journal")
      #expect(start.lines.all.isEmpty)
    }
  }

  /// The list is blamed where it was in use: it is written by its own watch, and refused when it comes again.
  @Test func aListThatComesAgain() async throws {
    try await inFolder { start in
      let (list, other) = (Array("[1]".utf8), Array("[2]".utf8))
      func file(_ name: String, _ watch: StartWatch) -> WatchedFile {
        WatchedFile(file: StateFile(path: "\(start.folder)/\(name)"), name: name, watch: watch)
      }
      for _ in 0..<6 {
        try await start.life { watch in
          try await file("counts", watch).write(other)
          try await file("checks.json", watch).write(list)
        }
      }
      try await start.life { watch in
        let checks = file("checks.json", watch)
        await #expect(throws: StateFile.Failure.self) { try await checks.read() }
        let counts = try await file("counts", watch).read()
        #expect(counts == other)
        #expect(
          await checks.refusal(of: list)
            == "it is the list over which two starts of the agent died; a changed one is taken, and this one after 10 "
            + "minutes: they were killed from outside")
        #expect(await checks.refusal(of: other) == nil)
        watch.settle()
        #expect(await checks.refusal(of: list) != nil, "also after the first minute")
      }
      for (version, isRefused) in [("2", false), ("1", true)] {
        let why = await start.life(version: version) { await file("checks.json", $0).refusal(of: list) }
        #expect((why != nil) == isRefused)
      }
    }
  }

  /// Sixteen of each are kept, and the oldest goes; names that only begin alike are others.
  @Test func theShelfIsBounded() async throws {
    try await inFolder { start in
      let watch = start.begin()
      for second in 0..<18 {
        for name in ["small", "small-er", "windows"] where name == "small" || second == 0 {
          try await StateFile(path: "\(start.folder)/\(name)").write([1])
          #expect(watch.putAside(StartInput(name)))
        }
        clock.advance(by: .seconds(1))
      }
      #expect(!watch.putAside(StartInput("small")), "it is not there any more")
      #expect(start.names().count == 18)
      #expect(start.names().first == "small-20260104T020002.000Z")
      #expect(start.names().contains("small-er-20260104T020000.000Z"))
    }
  }

  /// The journal of another agent that runs over the same folder is not touched, and neither is what is no plain file.
  @Test func aJournalThatIsNotOurs() async throws {
    try await inFolder { start in
      let first = start.begin()
      let second = start.begin()
      let input = StartInput("small", sum: "a")
      #expect(second.mayRead(input) && second.notices.isEmpty)
      _ = first
      let path = "\(start.folder)/\(StartWatch.fileName)"
      let bytes = try #require(try await StateFile(path: path).read())
      #expect(StartJournal.read(bytes).journal.reading.isEmpty && StartJournal.read(bytes).journal.isOpen)
    }
    try await inFolder { start in
      let path = "\(start.folder)/\(StartWatch.fileName)"
      #expect(mkfifo(path, 0o600) == 0)
      #expect(start.begin().mayRead(StartInput("small")) && start.lines.all.isEmpty)
    }
  }
}

/// The store's folder, with a watch over what is read in it.
@Suite struct WatchedFileSystemTests {
  private struct NoFiles: WrappingFileSystem {
    var base: any SpoolFileSystem { fatalError("there is none") }
    func rename(_ name: String, to target: String) throws(FileFault) {}
    func reattached() throws(FileFault) -> any SpoolFileSystem { self }
  }

  /// A segment is known by its first number, whatever its generation; spares and other files are not watched.
  @Test(
    arguments: [
      ("cursor", "spool/cursor"), ("results-0001-0.seg", "spool/results-0001"),
      ("results-0001-7.seg", "spool/results-0001"), ("gaps-12-1.seg", "spool/gaps-12"),
      ("results-spare-3.seg", nil), ("results-0001-0.tmp", nil), ("results-0001.seg", nil),
      ("results-0001-0-1.seg", nil), ("lock", nil), ("", nil),
    ] as [(String, String?)])
  func namesOfInputs(name: String, input: String?) async throws {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let disk = StateDisk(folder: folder.path, time: clock.time)
      let lines = FullLines()
      func reading() async throws -> [String] {
        let bytes = try await StateFile(path: "\(folder.path)/\(StartWatch.fileName)").read() ?? []
        return StartJournal.read(bytes).journal.reading.map(\.name)
      }
      func life(_ body: (StartWatch, WatchedFileSystem) async throws -> Void) async throws {
        let watch = StartWatch(
          disk: disk, log: Logger(label: "test") { _ in lines }, time: clock.time, boot: "one")
        try await body(watch, WatchedFileSystem(base: NoFiles(), watch: watch))
      }
      for _ in 0..<2 {
        try await life { _, files in
          #expect(!files.isPoison(name))
          files.begins(name)
          let names = try await reading()
          #expect(names == [input].compactMap(\.self))
        }
      }
      try await life { watch, files in
        #expect(files.isPoison(name) == (input != nil))
        try files.rename(name, to: "old-1")
        #expect(watch.notices.isEmpty)
        try files.rename(name, to: "aside-1")
        let what = input.map {
          "\($0) was put aside at 2026-01-04T02:00:00.000Z: two starts of the agent died"
        }
        #expect(watch.notices.count == (input == nil ? 0 : 1))
        #expect(what.map { watch.notices.first?.what.hasPrefix($0) == true } ?? true)
        #expect(input == nil || watch.notices.first?.what.hasSuffix("as spool/aside-1") == true)
      }
      try await life { _, files in
        files.begins("cursor")
        var names = try await reading()
        #expect(names == ["spool/cursor"])
        files.ended("cursor")
        names = try await reading()
        #expect(names.isEmpty)
      }
    }
  }
}
