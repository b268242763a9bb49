// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Logging
import Monitoring
import Spool
import Status
import TestSupport
import Testing
@testable import Agent
@testable import AgentConfig

/// What the agent says of its store, its disk and its file, for people and as figures.
@Suite struct StoreWordsTests {
  private let noon = Timestamp(seconds: 1_767_528_000)

  private func gap(_ cause: GapRecord.Cause, _ lost: UInt64) -> GapRecord {
    GapRecord(cause: cause, lost: lost, records: 9, sequences: 4...8)
  }

  /// One line a fact; what is lost or refused only where there is something.
  @Test func aStore() {
    var status = SpoolStatus(mode: .durable, durability: .interval)
    (status.stored, status.segments, status.bytesUsed, status.depth) = (1, 2, 3, 4)
    let plain = """
      stored       1 result in 2 segments, 3 bytes
      waiting      4 to be delivered

      """
    #expect(renderStore(status) == plain)
    status.unread = 3
    status.gaps = [gap(.storeGone, 3)]
    #expect(
      renderStore(status) == plain + """
                     3 of these cannot be read now
        lost         3 results, the store was removed or replaced while the agent ran, numbers 4 to 8

        """)
    status.unread = 0
    (status.oldest, status.hoursCovered) = (noon, 31.9)
    (status.quarantined, status.quarantineDropped, status.dropped, status.damaged) = (5, 6, 7, 1)
    (status.unreadable, status.setAside, status.lostSegments) = (8, 10, 1)
    var whole = gap(.damage, 2)
    (whole.firstTime, whole.lastTime) = (noon, noon.advanced(by: .seconds(60)))
    var half = gap(.skipped, 0)
    half.firstTime = noon
    status.gaps = [gap(.ringFull, 1), gap(.memoryOverflow, 2), whole, gap(.unreadableTail, 3), half]
    status.notes = [.warning(.store, "8 of 16 MiB")]
    #expect(
      renderStore(status) == plain + """
        oldest       2026-01-04T12:00:00.000Z
        covers       31 hours of outage from now, at the rate of the last hour
        quarantined  5 refused by the receiver; see: quartz-agent spool quarantine ls
                     6 older ones made room in the quarantine
        lost         1 result, the store was full, numbers 4 to 8
        lost         2 results, the buffer in memory was full, numbers 4 to 8
        lost         2 results, damaged, numbers 4 to 8, of 2026-01-04T12:00:00.000Z to 2026-01-04T12:01:00.000Z
        lost         3 results, or more at the end of a segment that was being written, numbers 4 to 8
        lost         0 results, numbers passed over, numbers 4 to 8
        dropped      7 results since the start
        damaged      1 result cannot be read
        unknown      8 records of another version, left in place
        unreadable   1 segment without a readable record, set aside
        set aside    9 files of another store or version
        note         8 of 16 MiB

        """)
    status = SpoolStatus(
      mode: .memory(.critical(.stateDirectory, "no space", since: noon)), durability: .interval)
    #expect(
      renderStore(status).hasPrefix(
        "NOT DURABLE  since 2026-01-04T12:00:00.000Z, results are in memory only: no space\nstored "))
  }

  /// The figures of the store, each in its place; a store in memory is a problem before any note.
  @Test func figuresOfAStore() {
    var status = SpoolStatus(mode: .durable, durability: .always)
    status.gaps = [gap(.damage, 7), gap(.ringFull, 8)]
    status.notes = [.warning(.store, "first"), .warning(.store, "second")]
    #expect(status.lostInGaps == 15 && status.isDurable && status.problem?.what == "first")
    status.mode = .memory(.critical(.store, "a link"))
    #expect(!status.isDurable && status.problem?.what == "results are kept in memory only: a link")
    #expect(status.problem?.isCritical == true && status.trouble?.what == "a link")
  }

  /// Four files are named, and more are counted.
  @Test(
    arguments: [
      (1, "a"), (4, "a, b, c, d"), (5, "a, b, c, d and 1 more"), (6, "a, b, c, d and 2 more"),
    ])
  func filesThatCannotBeWritten(count: Int, words: String) throws {
    let clock = FakeClock()
    let disk = StateDisk(folder: "/var/lib/a", time: clock.time)
    let since = clock.wall
    for name in ["a", "b", "c", "d", "e", "f"].prefix(count) {
      disk.failed(name, StateFile.Failure(description: "no space")) {}
      clock.advance(by: .seconds(60))
    }
    let alone = try #require(disk.notice(store: nil))
    #expect(
      alone.what == "\(words) cannot be written, the latest changes would be lost on restart: no space")
    #expect(alone.since == since && alone.hint?.contains("df -h /var/lib/a;") == true)
    let store = Notice.critical(.stateDirectory, "spool", since: since.advanced(by: .seconds(-5)))
    let both = try #require(disk.notice(store: store))
    #expect(both.what.hasPrefix("\(words) and the store of results cannot be written, results are kept"))
    #expect(both.since == store.since)
  }

  /// The next step fits the error: a directory that is gone needs no disk space.
  @Test(arguments: [
    (ENOENT, "create /var/lib/a, owned by the agent's user, mode 0700"),
    (EACCES, "make /var/lib/a writable for the agent's user: ls -ld /var/lib/a"),
    (EROFS, "mount the file system of /var/lib/a writable: findmnt -T /var/lib/a"),
    (ENOSPC, "free disk space: df -h /var/lib/a, df -i /var/lib/a"),
    (EIO, "repair the disk: dmesg shows its errors"),
    (EBUSY, "free disk space or repair the disk: df -h /var/lib/a"),
  ])
  func theNextStepForADisk(code: Int32, hint: String) throws {
    let disk = StateDisk(folder: "/var/lib/a", time: FakeClock().time)
    disk.failed("a", StateFile.Failure(description: "cannot create a", code: code)) {}
    #expect(disk.notice(store: nil)?.hint == "\(hint); the agent retries by itself")
    disk.settled("a")
    let store = Notice.critical(.stateDirectory, "spool", hint: "free space")
    #expect(disk.notice(store: store)?.hint == "free space")
  }

  /// A file that was refused is told for as long as the agent runs on the one before.
  @Test func aRefusedFile() {
    let file = RefusedFile(started: noon)
    #expect(file.notices == [] && file.figures == ReloadFigures(lastSuccess: noon))
    func problem(_ message: String) -> ConfigProblem {
      ConfigProblem(file: "a.yaml", line: 3, column: 5, message: message)
    }
    file.refuse(ConfigErrors(problems: [problem("bad")]), path: "a.yaml")
    #expect(
      file.notices.map(\.what) == [
        "the configuration on disk was refused, the last valid one stays active: a.yaml:3:5: bad"
      ])
    file.refuse(ConfigErrors(problems: [problem("bad"), problem("worse"), problem("x")]), path: "a.yaml")
    #expect(file.notices.first?.what.hasSuffix(": a.yaml:3:5: bad, and 2 more") == true)
    #expect(
      file.notices.first?.hint?.hasPrefix("quartz-agent validate -c a.yaml lists every problem") == true)
    var figures = ReloadFigures(lastSuccess: noon)
    (figures.refused, figures.wasLastRefused) = (2, true)
    #expect(file.figures == figures)
    file.note(restartFor: ["status", "spool"])
    #expect(
      file.notices.dropFirst().map(\.what) == [
        "changed settings take effect at the next start: status, spool"
      ])
    #expect(file.notices.map(\.place) == [.configuration, .restart])
    file.note(targetsLeftOut: 3)
    #expect(
      file.notices.dropFirst(2) == [
        .warning(
          .discovery, "targets of discover that are left out, and not probed: 3",
          hint: "quartz-agent validate names up to 50 of each list, and why")
      ])
    file.note(targetsLeftOut: 0)
    #expect(file.notices.map(\.place) == [.configuration, .restart])
    file.hold(["a", "b", "c", "d"])
    #expect(file.notices.first?.what == "the configuration on disk is not applied yet: a; b; c")
    #expect(file.figures == figures, "it is neither taken nor refused")
    file.accept(at: noon.advanced(by: .seconds(9)))
    (figures.taken, figures.wasLastRefused, figures.lastSuccess) = (1, false, noon.advanced(by: .seconds(9)))
    #expect(file.figures == figures && file.notices.map(\.place) == [.restart])
    file.note(restartFor: [])
    #expect(file.notices == [])
  }

  /// A notice of its own words is a warning, or an error where it is critical; under a title it is an error.
  @Test func noticesInTheLog() {
    let lines = FullLines(hasLevels: true)
    let log = Logger(label: "test") { _ in lines }
    log.tell(.warning("a", "slow", hint: "wait"))
    log.tell(.critical("a", "gone"), ["n": "1"])
    log.tell(.warning("a", "slow", hint: "wait"), as: "a is failing")
    #expect(
      lines.all == [
        "warning slow hint=wait", "error gone n=1", "error a is failing hint=wait problem=slow",
      ])
  }
}
