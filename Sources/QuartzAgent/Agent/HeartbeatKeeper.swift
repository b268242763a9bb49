// SPDX-License-Identifier: MIT

import Basics
import Checks
import Logging
import Monitoring
import StatusServer

/// Keeps what jobs report on the disk: a report is answered once it is written, so that a restart makes no job late.
final class HeartbeatKeeper: HeartbeatTaking {
  private let desk: HeartbeatDesk
  private let file: StateFile
  private let log: Logger
  private let time: TimeSource
  private let pen: HeartbeatPen

  static let fileName = "heartbeats.json"
  /// Bytes; a check takes 2 KiB at most.
  private static let longestFile = 32 << 20
  /// Between two savings of what changes without a report: which checks there are.
  static let every: Duration = .seconds(600)

  init(desk: HeartbeatDesk, folder: String, log: Logger, time: TimeSource) {
    (self.desk, self.log, self.time) = (desk, log, time)
    file = StateFile(path: "\(folder)/\(Self.fileName)", maxBytes: Self.longestFile)
    pen = HeartbeatPen(file, log: log) {
      desk.book.pages.isEmpty ? nil : desk.book.encoded(now: time.reading())
    }
  }

  /// What was known before the process began. A file that cannot be read makes no job late: all are waited for anew.
  func restore() async {
    do throws(StateFile.Failure) {
      guard let bytes = try await file.read() else { return }
      guard let book = HeartbeatBook(bytes, now: time.reading()) else {
        return log.warning(
          "the reports of jobs in state_dir are damaged: they are waited for anew",
          metadata: ["file": "\(file.path)"])
      }
      desk.restore(book)
    } catch {
      log.warning(
        "the reports of jobs cannot be read: they are waited for anew", metadata: ["problem": "\(error)"])
    }
  }

  func take(_ report: HeartbeatReport, token: String) async -> HeartbeatAnswer {
    let answer = desk.take(report, token: token)
    if answer == .taken { await pen.save() }
    return answer
  }

  func save() async { await pen.save() }

  func run() async {
    repeat { await save() } while (try? await time.sleep(for: Self.every)) != nil
  }
}

extension LocalStatusServer {
  /// The same, to which jobs report as well.
  func taking(_ heartbeats: HeartbeatKeeper) -> LocalStatusServer {
    var server = self
    server.heartbeats = heartbeats
    return server
  }
}

/// Writes one after another; those who wait while one is under way share the next.
actor HeartbeatPen {
  private let file: StateFile
  private let log: Logger
  /// Nil: there is nothing to be kept.
  private let bytes: @Sendable () -> [UInt8]?
  private var underway: Task<Void, Never>?
  private var next: Task<Void, Never>?
  private var isFailing = false

  init(_ file: StateFile, log: Logger, bytes: @escaping @Sendable () -> [UInt8]?) {
    (self.file, self.log, self.bytes) = (file, log, bytes)
  }

  func save() async {
    if let next { return await next.value }
    let before = underway
    let task = Task {
      await before?.value
      await write()
    }
    next = task
    await task.value
  }

  private func write() async {
    // What is told from here on is for the write after this one.
    (underway, next) = (next, nil)
    guard let bytes = bytes() else { return }
    do throws(StateFile.Failure) {
      try await file.write(bytes)
      if isFailing { log.notice("the reports of jobs are written again") }
      isFailing = false
    } catch {
      if !isFailing {
        log.error(
          "the reports of jobs cannot be written: a restart would forget them",
          metadata: ["problem": "\(error)"])
      }
      isFailing = true
    }
  }
}
