// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Spool
import Synchronization

/// The process that is killed: records results, says which are recorded, delivers, waits for each answer.
///
/// It talks on descriptor 0, a socket: `R number sequence` recorded, `D number hash` delivered, `S` the gap records
/// change, `G cause lost first last` each of them, `E` end of a batch. The answer to a batch is one byte.
struct Writer {
  let directory: String
  /// The number of the first result.
  let first: Int
  /// False: nobody receives anything; the ring fills and the oldest make room.
  var delivers = true

  private static let tasks = 96
  /// How long each task rests after a result: the rate is then about a thousand a second.
  private static let rest = Duration.milliseconds(25)

  func run() async throws {
    let spool = try await ResultSpool.open(proofSettings(directory))
    guard spool.status().isDurable else { throw ProofFailure("not durable: \(spool.status().mode)") }
    let next = Numbers(first)
    await withDiscardingTaskGroup { group in
      for _ in 0..<Self.tasks {
        group.addTask {
          while true {
            let number = next.take()
            if let sequence = await spool.record(proofRecord(number)) { say("R \(number) \(sequence)\n") }
            try? await Task.sleep(for: Self.rest)
          }
        }
      }
      group.addTask { await deliver(spool, untilEmpty: false) }
    }
  }

  /// Delivers all there is and ends.
  func drain() async throws {
    let spool = try await ResultSpool.open(proofSettings(directory))
    guard spool.status().isDurable else { throw ProofFailure("not durable: \(spool.status().mode)") }
    await deliver(spool, untilEmpty: true)
    let status = spool.status()
    await spool.close()
    guard status.damaged == 0, status.depth == 0 else { throw ProofFailure("after the drain: \(status)") }
  }

  private func deliver(_ spool: ResultSpool, untilEmpty: Bool) async {
    var round = 0
    var told: [GapRecord] = []
    while true {
      round += 1
      let gaps = spool.status().gaps
      if gaps != told {
        told = gaps
        let lines = gaps.map { "G \($0.cause.rawValue) \($0.lost) \($0.firstSequence) \($0.lastSequence)\n" }
        say("S\n" + lines.joined())
      }
      guard delivers else {
        try? await Task.sleep(for: .milliseconds(5))
        continue
      }
      if round % 5 == 0 { await spool.startLiveLane() }
      var count = 0
      for lane in [DeliveryLane.live, .backlog] {
        let batch = await spool.pending(lane, limit: 40)
        guard let last = batch.last else { continue }
        count += batch.count
        let lines = batch.map { "D \(proofNumber($0.record)) \(proofHash($0.record))\n" }
        say(lines.joined() + "E\n")
        guard waitForAnswer() else { return }
        await spool.acknowledge(lane, batch.map(\.sequence))
        await spool.markSnapshotted(through: last.sequence)
      }
      if count == 0 {
        if untilEmpty { return }
        try? await Task.sleep(for: .milliseconds(5))
      }
    }
  }
}

/// Hands out numbers.
private final class Numbers: Sendable {
  private let next: Mutex<Int>

  init(_ first: Int) { next = Mutex(first) }

  func take() -> Int {
    next.withLock { next in
      defer { next += 1 }
      return next
    }
  }
}

private let output = Mutex(())

/// One whole message; the process ends when nobody listens.
private func say(_ text: String) {
  output.withLock { _ in
    var text = text
    text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let part = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[done...])
        let sent = send(0, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
        if sent <= 0 { exit(2) }
        done += sent
      }
    }
  }
}

private func waitForAnswer() -> Bool {
  var byte: UInt8 = 0
  return read(0, &byte, 1) == 1
}
