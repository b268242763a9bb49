// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How large a batch the receiver takes, learned from a 413. Kept on disk, so that a restart does not learn it again;
/// ten minutes later one larger batch is tried, since proxies get repaired, and ever more rarely while they do not.
package struct BatchMemory: Hashable, Sendable {
  /// Rows in a request.
  package var limit: Int
  package var since: Timestamp

  /// Before the first larger batch is tried, and the most between two of them.
  package static let patience: ClosedRange<Duration> = .seconds(600) ... .seconds(86_400)

  package init(limit: Int, since: Timestamp) {
    self.limit = limit
    self.since = since
  }

  /// - Parameters:
  ///   - receiver: whom it was learned of.
  ///   - configured: what the settings asked for then; other settings begin again.
  func encoded(receiver: String, configured: Int) -> [UInt8] {
    var json = JSONWriter(reserving: 128)
    json.object { json in
      json.field("version", 1)
      json.field("receiver", receiver)
      json.field("configured", configured)
      json.field("batch", limit)
      json.field("since", since)
    }
    return json.bytes
  }

  /// `nil` for another receiver's, other settings' or damaged bytes: then it is learned again.
  init?(_ bytes: [UInt8], receiver: String, configured: Int) {
    guard let json = try? JSONValue.parse(bytes), json["version"]?.integer == 1,
      // bounded: below what is configured
      json["receiver"]?.string == receiver, json["configured"]?.integer == Int64(configured),
      let limit = json["batch"]?.integer, (1..<Int64(max(2, configured))).contains(limit),
      let since = json["since"]?.timestamp
    else { return nil }
    self.init(limit: Int(limit), since: since)  // bounded: below what is configured
  }
}

extension DeliveryMachine {
  /// Restores the memory of an earlier run.
  package mutating func recall(_ memory: BatchMemory) {
    batchLimit = min(settings.batch, memory.limit)
    shrunkAt = memory.since
  }

  mutating func remember(at now: Timestamp) -> [Effect] {
    // bounded: below what is configured
    // A larger batch was tried, and refused: the next one can wait longer.
    if hasGrown { growPatience = min(BatchMemory.patience.upperBound, growPatience * 2) }
    hasGrown = false
    shrunkAt = now
    return [.remember(BatchMemory(limit: batchLimit, since: now))]
  }

  /// Twice as many once the last 413 is long enough ago, up to what the settings ask for. Another 413 halves it again.
  mutating func growBatch(at now: Timestamp) {
    // bounded: below what is configured
    guard let shrunkAt, shrunkAt.advanced(by: growPatience) <= now else { return }
    batchLimit = min(settings.batch, batchLimit * 2)
    hasGrown = true
    self.shrunkAt = batchLimit < settings.batch ? now : nil
  }

  /// A larger batch was taken: the receiver was mended, and the next size need not wait.
  mutating func grewWell() {
    guard hasGrown, shrunkAt != nil else { return }
    hasGrown = false
    growPatience = BatchMemory.patience.lowerBound
    shrunkAt = .some(Timestamp(microseconds: 0))
  }
}
