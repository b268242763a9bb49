// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Spool

/// The store on a real disk, `durability: always`: a thousand tasks that wait until their result is recorded, then a
/// ring filled to the brim and opened again.
struct SpoolLoad {
  private let results: Int
  private let directory: String
  private let mebibytes: Int

  init(_ arguments: Arguments) throws {
    results = try arguments.number("results")
    mebibytes = try arguments.number("mebibytes")
    guard let directory = arguments.text("directory") else {
      throw Misuse("--directory must name an empty folder")
    }
    self.directory = directory
  }

  func run() async throws -> String {
    let settings = SpoolSettings(path: directory + "/spool", size: mebibytes << 20)
    let spool = try await ResultSpool.open(settings)
    let start = Usage.now()
    let recorded = await append(to: spool)
    let cost = Cost(probes: results, ok: recorded, since: start)
    let bytes = spool.status().bytesPerResult ?? 0
    await fill(spool)
    let stored = spool.status().stored
    await spool.close()
    let beforeOpen = Usage.now()
    let again = try await ResultSpool.open(settings)
    let opened = Cost(probes: 1, ok: 1, since: beforeOpen)
    let found = again.status().stored
    await again.close()
    return """
      {"results": \(results), "recorded": \(cost.ok), "seconds": \(cost.seconds), "cpu": \(cost.user + cost.system), \
      "bytes_per_result": \(bytes), "stored": \(stored), "found": \(found), "recovery_seconds": \(opened.seconds), \
      "recovery_cpu": \(opened.user + opened.system)}
      """
  }

  private func append(to spool: ResultSpool) async -> Int {
    let tasks = 1000
    let share = results / tasks
    return await withTaskGroup(of: Int.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var count = 0
          for number in 0..<share where await spool.append(record(task * share + number)) { count += 1 }
          return count
        }
      }
      return await group.reduce(0, +)
    }
  }

  /// Until the oldest segment has made room once: the ring is then as full as it gets.
  private func fill(_ spool: ResultSpool) async {
    var number = results
    while spool.status().dropped == 0 {
      for _ in 0..<2000 {
        spool.enqueue(record(number))
        number += 1
      }
      await spool.flush()
    }
  }

  /// A failed probe with three timings.
  private func record(_ number: Int) -> DeliveryRecord {
    let at = Timestamp(seconds: 1_700_000_000 + Int64(number))
    return DeliveryRecord(
      id: UniqueID(high: 0x0190_0000_0000_7000, low: 1 << 63 | UInt64(number)),
      checkID: UniqueID(high: 1, low: UInt64(number % 1000)), agent: "london-1", scheduledAt: at,
      startedAt: at.advanced(by: .milliseconds(3)), trigger: .schedule, status: .failure, state: .down,
      reason: .connectRefused, phase: .connect, statusCode: nil, responseTime: .microseconds(1234),
      timings: Timings(connect: .microseconds(1200), total: .microseconds(1234)), certificateNotAfter: nil,
      message: nil, flags: [.post])
  }
}
