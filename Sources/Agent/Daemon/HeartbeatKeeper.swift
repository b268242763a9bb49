// SPDX-License-Identifier: MIT

import Basics
import Checks
import Logging
import Monitoring
import StatusServer

/// Keeps what jobs report on the disk: a report is answered with 200 once it is written, so that a restart makes no job
/// late.
final class HeartbeatKeeper: HeartbeatTaking {
  private let desk: HeartbeatDesk
  private let file: KeptFile
  private let log: Logger
  private let time: TimeSource

  static let fileName = "heartbeats.json"
  private static let saveEvery: Duration = .seconds(60)
  /// Bytes; a check takes 2 KiB at most.
  private static let longestFile = 32 << 20

  init(desk: HeartbeatDesk, disk: StateDisk, log: Logger, time: TimeSource) {
    (self.desk, self.log, self.time) = (desk, log, time)
    file = disk.file(Self.fileName, maxBytes: Self.longestFile)
  }

  /// Restores the reports from before the process began. A file that cannot be read makes no job late: all are waited
  /// for again.
  func restore() async {
    do throws(StateFile.Failure) {
      guard let bytes = try await file.read() else { return }
      guard let book = HeartbeatBook(bytes, now: time.reading()) else {
        return log.warning(
          "the reports of jobs in state_dir are damaged: they are waited for again",
          metadata: ["file": "\(file.name)"])
      }
      desk.restore(book)
    } catch {
      log.warning(
        "the reports of jobs cannot be read: they are waited for again", metadata: ["problem": "\(error)"])
    }
  }

  func take(_ report: HeartbeatReport, token: String) async -> HeartbeatAnswer {
    let answer = desk.take(report, token: token)
    guard answer == .taken else { return answer }
    do throws(StateFile.Failure) {
      try await write()
      return .taken
    } catch {
      // It counts all the same; its sender is told that it may not outlive this process, and may send it once more.
      desk.mayRepeat(token: token)
      return .notKept
    }
  }

  /// A failure is told by the disk, and made good as soon as there is room.
  func save() async { try? await write() }

  private func write() async throws(StateFile.Failure) {
    try await file.save { [desk, time] in
      desk.book.pages.isEmpty ? nil : desk.book.encoded(now: time.reading())
    }
  }

  /// Saves also without a report: the time of the file says until when reports were taken. A report that is missed is so
  /// after a crash as well, therefore the file is written at once.
  func run() async {
    var saved: Instant?
    var missed: Set<UniqueID> = []
    var pause: Duration
    repeat {
      pause = desk.watch() ? HeartbeatDesk.watchEvery : Self.saveEvery
      let now = time.instant()
      let before = missed
      missed = desk.missed
      let isNews = !missed.isSubset(of: before)
      if !isNews, saved.map({ $0.duration(to: now) < Self.saveEvery }) ?? false { continue }
      saved = now
      await save()
    } while (try? await time.sleep(for: pause)) != nil
  }
}

extension HeartbeatKeeper: AgentPart {
  func services(_ picture: @escaping AgentPicture) -> [AgentService] { [{ await self.run() }] }
  func follow(_ list: FollowedList) { desk.follow(list.all) }
  func finish() async { await save() }
}

extension LocalStatusServer {
  /// The same, to which jobs report as well, with its share of the descriptors.
  func taking(_ heartbeats: HeartbeatKeeper) -> LocalStatusServer {
    var server = self
    server.heartbeats = heartbeats
    server.connections = DescriptorShares().connections
    return server
  }
}
