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
      // For 50 of 150 kills the receiver is away: the ring runs full, and gap records say what went.
      let role = done / 50 % 3 == 1 ? "hoard" : "write"
      let writer = try WriterProcess([role, directory + "/spool", "\(done * 1_000_000)"], oracle: oracle)
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

/// Recorded results are delivered or in a gap record that counts them, and none was altered.
func judge(_ book: Oracle.Book, _ what: String, seed: Int, _ started: ContinuousClock.Instant) throws {
  let gone = book.recorded.filter { !book.delivered.contains($0.key) }
  let drops = book.gaps.filter(\.isDrop)
  // Recorded, not delivered: these a gap record must cover, and it must count at least as many. It may count more:
  // what was on the disk and not yet told as recorded, what was delivered and not yet acknowledged.
  let uncovered = gone.filter { _, sequence in !drops.contains { $0.sequences.contains(sequence) } }
  let counted = drops.reduce(0) { $0 + $1.lost }
  let isMiscounted =
    counted < gone.count - uncovered.count || counted > width(drops.map(\.sequences))
    || drops.contains { $0.lost > $0.sequences.count }
  let damage = book.gaps.subtracting(drops).filter { $0.lost > 0 }
  let seconds = (ContinuousClock.now - started).components.seconds
  print(
    "\(what): \(book.recorded.count) results recorded = \(book.recorded.count - gone.count) delivered"
      + " + \(gone.count - uncovered.count) dropped by a full ring + 0 still stored + \(uncovered.count) lost;"
      + " \(drops.count) gap records count \(counted), \(damage.count) tell of damage; \(book.altered.count) altered,"
      + " \(book.resent) sent again with the same id; seed \(seed), \(seconds) s"
  )
  guard uncovered.isEmpty, !isMiscounted, book.altered.isEmpty else {
    throw ProofFailure(
      "lost \(uncovered.keys.sorted().prefix(20)), \(isMiscounted ? "miscounted \(drops)," : "")"
        + " altered \(book.altered.prefix(20))")
  }
}

/// The numbers that any of the ranges holds. Those of a ring that goes round lie across each other.
private func width(_ ranges: [ClosedRange<UInt64>]) -> Int {
  var next: UInt64 = 0
  var sum = 0
  for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound >= next {
    sum += Int(range.upperBound - max(next, range.lowerBound)) + 1
    next = range.upperBound + 1
  }
  return sum
}
