// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A few results that no store keeps, on their way to the receiver: `once --post` where no agent runs.
package actor Handful: DeliveryQueue {
  /// Outcome of the delivery.
  package struct Report: Hashable, Sendable {
    /// Results the receiver has.
    package var delivered = 0
    /// Results it will not take, with its codes.
    package var refused: [Refusal] = []
    /// Results that were neither accepted nor refused.
    package var left = 0
    /// Why some are left.
    package var trouble: Notice?
  }

  package struct Refusal: Hashable, Sendable {
    package var checkID: UniqueID
    package var code: String
  }

  /// Requests are made in rounds: a round ends where the machine would wait.
  package static let tries = 3
  /// How long one round may take, and how long it may wait for the next.
  static let patience: Duration = .seconds(30)

  private let records: [QueuedRecord]
  private var settled: Set<UInt64> = []
  private var refused: [Refusal] = []

  /// Unknown results are left out.
  package init(_ records: [DeliveryRecord]) {
    self.records = records.filter(\.isDeliverable).enumerated()
      .map { QueuedRecord(sequence: UInt64($0.offset) + 1, record: $0.element) }
  }

  package func pending(_ lane: DeliveryLane, limit: Int) -> [QueuedRecord] {
    guard lane == .live else { return [] }
    return Array(records.filter { !settled.contains($0.sequence) }.prefix(limit))
  }

  package func acknowledge(_ lane: DeliveryLane, _ sequences: [UInt64]) { settled.formUnion(sequences) }

  package func quarantine(_ records: [QueuedRecord], code: String) {
    refused += records.map { Refusal(checkID: $0.record.checkID, code: code) }
  }

  package func startLiveLane() {}

  /// Posts by the rules of delivery, with three tries.
  package func post(by uploader: Uploader) async throws(CancellationError) -> Report {
    for number in 1...Self.tries {
      await uploader.flush(within: Self.patience)
      if isDone || number == Self.tries { break }
      let wait = uploader.pause.flatMap { $0 > .zero ? $0 : nil } ?? .seconds(1)
      // A receiver that wants us back in an hour will not hear from this command again.
      guard wait <= Self.patience else { break }
      try await uploader.time.sleep(for: max(wait, .milliseconds(10)))
    }
    return await report(of: uploader)
  }

  private var isDone: Bool { settled.count >= records.count }

  private func report(of uploader: Uploader) async -> Report {
    let tally = await uploader.status().tally
    var report = Report(delivered: tally.delivered, refused: refused)
    report.left = max(0, records.count - tally.delivered - tally.withheld - refused.count)
    report.trouble = report.left > 0 ? tally.trouble : nil
    return report
  }
}

/// Bytes kept in memory only, for a process that leaves nothing on disk.
actor ForgottenBytes: DurableBytes {
  private var bytes: [UInt8]?

  func read() -> [UInt8]? { bytes }

  func write(_ bytes: [UInt8]) { self.bytes = bytes }
}
