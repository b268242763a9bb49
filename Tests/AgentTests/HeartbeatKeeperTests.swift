// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Logging
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// How often the reports of jobs are looked at, and saved.
@Suite struct HeartbeatKeeperTests {
  /// Runs a keeper for so many sleeps, and gives them with the time that its file says.
  private func run(_ sleeps: Int, hasJob: Bool) async throws -> (sleeps: [Duration], saved: Duration?) {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let passing = clock.passing
      let time = TimeSource(
        wall: { clock.wall }, instant: { clock.instant }, reading: { clock.reading },
        wait: { deadline in
          guard clock.sleeps.count < sleeps else { throw CancellationError() }
          try await passing.sleep(until: deadline)
        })
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let desk = HeartbeatDesk(time: time)
      let disk = StateDisk(folder: folder.path, time: time)
      let keeper = HeartbeatKeeper(desk: desk, disk: disk, log: log, time: time)
      if hasJob {
        var job = CheckDefinition()
        (job.name, job.type, job.period) = ("Backup", "heartbeat", .seconds(10))
        job.token = Redacted("0123456789abcdef0123456789abcdef")
        desk.follow([try MonitoringCheck(job)])
      }
      await keeper.run()
      let bytes = try await disk.file(HeartbeatKeeper.fileName).read()
      let book = bytes.flatMap { HeartbeatBook($0, now: clock.reading) }
      return (clock.sleeps, book?.savedAt.map { clock.instant(.zero).duration(to: $0) })
    }
  }

  /// Each 5 s while a job is waited for; the file is written once a minute.
  @Test func whileJobsAreWaitedFor() async throws {
    let found = try await run(13, hasJob: true)
    #expect(found.sleeps == Array(repeating: .seconds(5), count: 13))
    #expect(found.saved == .seconds(60))
    #expect(try await run(11, hasJob: true).saved == .zero)
  }

  /// A report that was due after 10 s and is missed 5 min later is so after a crash too: the file is written then, and a
  /// minute later again.
  @Test func whenAReportIsMissed() async throws {
    for (sleeps, saved) in [(62, 300), (63, 315), (74, 315), (75, 375)] {
      #expect(try await run(sleeps, hasJob: true).saved == .seconds(saved), "\(sleeps)")
    }
  }

  @Test func withoutJobs() async throws {
    let found = try await run(3, hasJob: false)
    #expect(found.sleeps == Array(repeating: .seconds(60), count: 3) && found.saved == nil)
  }
}
