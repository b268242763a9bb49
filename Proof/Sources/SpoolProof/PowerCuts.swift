// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Spool

/// Power cuts without the hardware: the store is on an ext4 image; the writer is stopped, the image is copied while it
/// is mounted, the copy is mounted (its journal is replayed) and opened by a new store. Needs root and loop devices.
///
/// What a copy cannot show is a disk that loses what it had confirmed.
struct PowerCuts {
  let cuts: Int
  let results: Int
  let seed: Int

  func run() async throws {
    var random = ProofGenerator(seed: seed)
    let folder = FileManager.default.temporaryDirectory.appending(path: "spool-cuts-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder + "/live", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder + "/copy", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try command("truncate", "-s", "32M", folder + "/live.img")
    try command("mkfs.ext4", "-q", "-m", "0", folder + "/live.img")
    try command("mount", "-o", "loop", folder + "/live.img", folder + "/live")
    defer { try? unmount(folder + "/live") }
    let oracle = Oracle()
    let started = ContinuousClock.now
    var done = 0
    var missing: [Int] = []
    while done < cuts || oracle.snapshot.recorded.count < results {
      // A writer lives for ten cuts; then the store goes on from the image of the last one.
      let writer = try WriterProcess(
        [done / 10 % 4 == 1 ? "hoard" : "write", folder + "/live/spool", "\(done * 1_000_000)"],
        oracle: oracle)
      var book = Oracle.Book()
      for _ in 0..<10 where done < cuts || oracle.snapshot.recorded.count < results {
        usleep(UInt32(Int.random(in: 30...250, using: &random) * 1000))
        guard writer.isRunning else { throw ProofFailure("the writer ended by itself: \(writer.finish())") }
        writer.signal(SIGSTOP)
        // What it had said by now is in the socket at the latest.
        usleep(20_000)
        book = oracle.snapshot
        try copy(folder + "/live.img", to: folder + "/copy.img")
        writer.signal(SIGCONT)
        missing += try await open(folder, book)
        done += 1
      }
      writer.signal(SIGKILL)
      _ = writer.finish()
      try unmount(folder + "/live")
      try command("mv", folder + "/copy.img", folder + "/live.img")
      try command("mount", "-o", "loop", folder + "/live.img", folder + "/live")
      // What was recorded after the cut never happened on this disk.
      oracle.forget(to: book)
      tell("\(done) cuts, \(book.recorded.count) results, \(ContinuousClock.now - started)\n")
    }
    let last = try WriterProcess(["drain", folder + "/live/spool"], oracle: oracle)
    let status = last.finish()
    guard status == 0 else { throw ProofFailure("the last start ended with \(status)") }
    guard missing.isEmpty else { throw ProofFailure("lost by a power cut: \(missing.prefix(20))") }
    try judge(oracle.snapshot, "\(done) power cuts", seed: seed, started)
  }

  /// Mounts the copy, starts a store on it, and returns what was recorded before the cut and is not there.
  private func open(_ folder: String, _ book: Oracle.Book) async throws -> [Int] {
    try command("mount", "-o", "loop", folder + "/copy.img", folder + "/copy")
    defer { try? unmount(folder + "/copy") }
    let spool = try await ResultSpool.open(proofSettings(folder + "/copy/spool"))
    let status = spool.status()
    var found = Set<Int>()
    for lane in [DeliveryLane.live, .backlog] {
      for item in await spool.pending(lane, limit: .max) {
        let number = proofNumber(item.record)
        guard item.record == proofRecord(number) else { throw ProofFailure("altered: \(number)") }
        found.insert(number)
      }
    }
    await spool.close()
    guard status.isDurable else { throw ProofFailure("not durable after a cut: \(status.mode)") }
    // Of gap records the store itself must know, not the receiver alone.
    let drops = status.gaps.filter { $0.cause == .ringFull || $0.cause == .memoryOverflow }
    let gone = book.recorded.filter { number, sequence in
      !book.delivered.contains(number) && !found.contains(number)
        && !drops.contains { ($0.firstSequence...$0.lastSequence).contains(sequence) }
    }
    return gone.keys.sorted()
  }

  /// The image as it is at one instant. The file system writes back on its own, and a copy taken meanwhile has its
  /// journal from one moment and its directories from another, which no disk ever had. One that is the same as the
  /// image when it is read again was the image's state when that began.
  private func copy(_ image: String, to target: String) throws {
    for _ in 0..<50 {
      try command("cp", "--sparse=always", image, target)
      if (try? command("cmp", "-s", image, target)) != nil { return }
    }
    throw ProofFailure("\(image) changes all the time")
  }

  /// Who just closed the store may hold its directory for a moment longer. Where nobody lets go, out of the way at least.
  private func unmount(_ path: String) throws {
    for _ in 0..<50 {
      if (try? command("umount", "-q", path)) != nil { return }
      usleep(100_000)
    }
    try command("umount", "-l", path)
    throw ProofFailure("\(path) stayed busy")
  }

  private func command(_ words: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    var environment = ProcessInfo.processInfo.environment
    environment["PATH", default: ""] += ":/usr/sbin:/sbin"
    process.environment = environment
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ProofFailure("\(words.joined(separator: " ")) failed with \(process.terminationStatus)")
    }
  }
}
