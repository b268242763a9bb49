// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// kill -9 at random moments, the start included, until as many kills and results as asked for.
struct KillLoop {
  let kills: Int
  let results: Int
  let seed: Int

  func run() async throws {
    var random = ProofGenerator(seed: seed)
    let directory = FileManager.default.temporaryDirectory.appending(path: "spool-kills-\(getpid())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let oracle = Oracle()
    let started = ContinuousClock.now
    var done = 0
    while done < kills || oracle.snapshot.recorded.count < results {
      let writer = try WriterProcess(["write", directory + "/spool", "\(done * 1_000_000)"], oracle: oracle)
      // One in eight dies while it starts; the others once some results are recorded, however busy the machine is.
      if Int.random(in: 0..<8, using: &random) > 0 {
        waitForResults(oracle, oracle.snapshot.recorded.count + Int.random(in: 20...220, using: &random))
      }
      usleep(UInt32(Int.random(in: 0...40, using: &random) * 1000))
      guard writer.isRunning else { throw ProofFailure("the writer ended by itself: \(writer.finish())") }
      writer.signal(SIGKILL)
      _ = writer.finish()
      done += 1
      if done % 100 == 0 { report(done, oracle, started) }
    }
    let last = try WriterProcess(["drain", directory + "/spool"], oracle: oracle)
    let status = last.finish()
    guard status == 0 else { throw ProofFailure("the last start ended with \(status)") }
    try judge(oracle.snapshot, "\(done) kills", seed: seed, started)
  }

  private func waitForResults(_ oracle: Oracle, _ goal: Int) {
    let deadline = ContinuousClock.now + .seconds(30)
    while oracle.snapshot.recorded.count < goal, ContinuousClock.now < deadline { usleep(2000) }
  }

  private func report(_ done: Int, _ oracle: Oracle, _ started: ContinuousClock.Instant) {
    tell("\(done) kills, \(oracle.snapshot.recorded.count) results, \(ContinuousClock.now - started)\n")
  }
}

/// Recorded results are among the delivered ones, and none was altered.
func judge(_ book: Oracle.Book, _ what: String, seed: Int, _ started: ContinuousClock.Instant) throws {
  let lost = book.recorded.subtracting(book.delivered)
  let seconds = (ContinuousClock.now - started).components.seconds
  print(
    "\(what): \(book.recorded.count) results recorded, \(lost.count) of them lost, \(book.altered.count) altered;"
      + " \(book.delivered.count) delivered, \(book.resent) sent again with the same id; seed \(seed), \(seconds) s"
  )
  guard lost.isEmpty, book.altered.isEmpty else {
    throw ProofFailure("lost \(lost.sorted().prefix(20)), altered \(book.altered.prefix(20))")
  }
}
