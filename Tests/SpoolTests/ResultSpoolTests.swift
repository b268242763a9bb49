// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization
import Testing

@testable import Spool

/// The whole store: its thread, the real disk.
@Suite("The store on a real disk")
struct ResultSpoolTests {
  private func settings(_ directory: ScratchDirectory, size: Int = 4 << 20) -> SpoolSettings {
    SpoolSettings(path: directory.path + "/spool", size: size, segmentSize: 256 << 10)
  }

  private func numbers(_ records: [QueuedRecord]) -> [Int] {
    records.map { Int($0.record.id.low & ~(1 << 63)) }
  }

  @Test("appended results are recorded, delivered in order, acknowledged, and there after a restart")
  func roundTrip() async throws {
    let directory = try ScratchDirectory()
    let spool = try await ResultSpool.open(settings(directory))
    for number in 0..<5 { #expect(await spool.append(sampleRecord(number))) }
    for number in 5..<300 { spool.enqueue(sampleRecord(number)) }
    #expect(await spool.flush())
    let batch = await spool.pending(.live, limit: 100)
    #expect(numbers(batch) == Array(0..<100))
    await spool.acknowledge(.live, batch.prefix(50).map(\.sequence))
    #expect(spool.status().depth == 250 || spool.status().stored == 300)
    await spool.close()
    #expect(spool.enqueue(sampleRecord(1)) == 0)
    #expect(await !spool.append(sampleRecord(1)))

    let again = try await ResultSpool.open(settings(directory))
    #expect(again.status().depth == 250)
    #expect(numbers(await again.pending(.live, limit: 1000)) == Array(50..<300))
    let replayed = Mutex<[Int]>([])
    await again.replay(after: batch[9].sequence) { record in
      replayed.withLock { $0.append(Int(record.record.id.low & ~(1 << 63))) }
    }
    #expect(replayed.withLock { $0 } == Array(10..<300))
    await again.close()
  }

  @Test("an image of the directory taken while results are written holds all that were recorded by then")
  func liveImage() async throws {
    let directory = try ScratchDirectory()
    let spool = try await ResultSpool.open(settings(directory))
    for round in 0..<10 {
      for number in round * 50..<round * 50 + 49 { spool.enqueue(sampleRecord(number)) }
      #expect(await spool.append(sampleRecord(round * 50 + 49)))
      for number in 0..<20 { spool.enqueue(sampleRecord(10_000 + number, post: false)) }
      let image = try directory.copy("spool", to: "image\(round)")
      let copy = try await ResultSpool.open(SpoolSettings(path: image, size: 4 << 20, segmentSize: 256 << 10))
      let found = numbers(await copy.pending(.live, limit: 10_000))
      #expect(found.starts(with: 0..<(round + 1) * 50))
      #expect(copy.status().damaged == 0)
      await copy.close()
    }
    await spool.close()
  }

  @Test("K11: a second store on the directory is refused, and the first is unharmed")
  func locked() async throws {
    let directory = try ScratchDirectory()
    let first = try await ResultSpool.open(settings(directory))
    await #expect(throws: SpoolError.locked(path: directory.path + "/spool")) {
      try await ResultSpool.open(settings(directory))
    }
    #expect(throws: SpoolError.locked(path: directory.path + "/spool")) {
      try SpoolInspector(path: directory.path + "/spool")
    }
    #expect(await first.append(sampleRecord(1)))
    await first.close()
    let second = try await ResultSpool.open(settings(directory))
    #expect(second.status().depth == 1)
    await second.close()
  }

  @Test("directory 0700, files 0600, all of the ring reserved")
  func modes() async throws {
    let directory = try ScratchDirectory()
    let spool = try await ResultSpool.open(settings(directory))
    #expect(directory.mode("spool") == 0o700)
    let files = directory.list("spool")
    #expect(files.allSatisfy { directory.mode("spool/" + $0) == 0o600 })
    #expect(files.filter { $0.hasPrefix("results-") }.count == 16)
    #expect(directory.blocks("spool") >= 4 << 20)
    await spool.close()
  }

  @Test("K10: a planted link, a directory open to others or a missing parent: memory mode with the reason")
  func unsafeDirectories() async throws {
    let directory = try ScratchDirectory()
    try directory.make("real")
    symlink(directory.path + "/real", directory.path + "/link")
    try directory.make("open")
    chmod(directory.path + "/open", 0o770)
    let cases = [
      ("link", "symbolic link"), ("open", "chmod 0700"), ("none/at/all", "No such file"),
    ]
    for (name, reason) in cases {
      let spool = try await ResultSpool.open(SpoolSettings(path: directory.path + "/" + name))
      guard case .memory(let notice) = spool.status().mode else {
        Issue.record("\(name) was used")
        continue
      }
      #expect(notice.what.contains(reason))
      #expect(await !spool.append(sampleRecord(1)))
      #expect(numbers(await spool.pending(.live, limit: 10)) == [1])
      await spool.close()
    }
    #expect(directory.list("real").isEmpty)
    var strict = SpoolSettings(path: directory.path + "/link")
    strict.requireDurable = true
    await #expect(throws: SpoolError.self) { try await ResultSpool.open(strict) }
  }

  @Test("a stopped store can be looked at without changing it")
  func inspector() async throws {
    let directory = try ScratchDirectory()
    let spool = try await ResultSpool.open(settings(directory))
    for number in 0..<10 { #expect(await spool.append(sampleRecord(number))) }
    let batch = await spool.pending(.live, limit: 3)
    await spool.quarantine([batch[2]], code: "22P02")
    await spool.acknowledge(.live, batch.map(\.sequence))
    await spool.close()
    let before = directory.list("spool")
    let inspector = try SpoolInspector(path: directory.path + "/spool")
    var seen: [Bool] = []
    inspector.reader.results { _, isSettled in
      seen.append(isSettled)
      return true
    }
    #expect(seen == [true, true, true] + [Bool](repeating: false, count: 7))
    #expect(inspector.status.depth == 7)
    #expect(inspector.reader.quarantined().map(\.code) == ["22P02"])
    #expect(directory.list("spool") == before)
  }

  @Test("settings that cannot work are refused with the rule")
  func settingsRefused() async {
    await #expect(throws: SpoolError.invalidSettings("spool size must be at least 3 segments")) {
      try await ResultSpool.open(SpoolSettings(path: "/nowhere", size: 8 << 20))
    }
  }
}
