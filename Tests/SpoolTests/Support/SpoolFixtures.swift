// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import TestSupport

@testable import Spool

/// A result that can be told from every other by its id.
func sampleRecord(_ number: Int, post: Bool = true, message: String? = nil) -> DeliveryRecord {
  DeliveryRecord(
    id: UniqueID(high: 0x0190_0000_0000_7000, low: 1 << 63 | UInt64(number)),
    checkID: UniqueID(high: 1, low: UInt64(number % 7)), agent: "london-1",
    scheduledAt: Timestamp(seconds: 1_700_000_000 + Int64(number)),
    startedAt: Timestamp(seconds: 1_700_000_000 + Int64(number)).advanced(by: .milliseconds(3)),
    trigger: .schedule, status: .failure, state: .down, reason: .connectRefused, phase: .connect,
    statusCode: nil,
    responseTime: .microseconds(1234),
    timings: Timings(connect: .microseconds(1200), total: .microseconds(1234)),
    certificateNotAfter: nil, message: message, flags: post ? [.post] : [])
}

/// The same in many sizes, so that segments end in many ways.
func variedRecord(_ number: Int, post: Bool = true) -> DeliveryRecord {
  let length = number % 3 == 0 ? number * 37 % 250 : 0
  return sampleRecord(number, post: post, message: length > 0 ? String(repeating: "m", count: length) : nil)
}

/// Which one it is.
func number(_ record: DeliveryRecord) -> Int { Int(record.id.low & ~(1 << 63)) }

/// What of a batch was delivered: the first few, or some here and there while the others wait.
func taken(from batch: [QueuedRecord], using random: inout SeededGenerator) -> [QueuedRecord] {
  let first = Array(batch.prefix(Int.random(in: 0...batch.count, using: &random)))
  guard Int.random(in: 0..<3, using: &random) == 0 else { return first }
  return first.filter { _ in Bool.random(using: &random) }
}

/// A number from the environment, to make a run longer or to repeat one.
func environment(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

func entry(_ sequence: UInt64, _ record: DeliveryRecord) -> SpoolEntry {
  SpoolEntry(
    sequence: sequence, kind: .result, deliverable: record.isDeliverable,
    payload: RecordPayload.encode(record))
}

func time(_ seconds: Int64) -> SpoolTime {
  SpoolTime(wall: Timestamp(seconds: 1_700_000_000 + seconds), monotonic: seconds * 1_000_000)
}

/// Small enough to fill in a test: `count` segments of 16 KiB.
func smallSettings(segments: Int = 4, durability: SpoolSettings.Durability = .always) -> SpoolSettings {
  var settings = SpoolSettings(
    path: "/nowhere", size: segments * (16 << 10), segmentSize: 16 << 10, durability: durability)
  settings.quarantineSize = 64 << 10
  return settings
}

/// A core on a disk in memory, driven by hand.
final class TestStore {
  var core: SpoolCore

  init(_ disk: MemoryFileSystem, _ settings: SpoolSettings = smallSettings(), at seconds: Int64 = 0) {
    core = SpoolCore(settings: settings, nonce: 7, at: time(seconds)) { () throws(FileFault) in
      _ = try disk.list()
      return disk
    }
    core.attach(at: time(seconds))
  }

  var status: SpoolStatus { core.status(at: time(1)) }

  /// Records results with the next free numbers.
  @discardableResult
  func add(_ numbers: some Sequence<Int>, post: Bool = true, at seconds: Int64 = 1) -> Bool {
    let first = core.nextSequence
    let entries = numbers.enumerated().map {
      entry(first + UInt64($0.offset), sampleRecord($0.element, post: post))
    }
    return core.record(entries, overflow: nil, at: time(seconds))
  }

  func pending(_ lane: DeliveryLane = .live, limit: Int = .max) -> [QueuedRecord] {
    core.pending(lane, limit: limit)
  }

  /// The numbers of the results that wait in a lane, in order.
  func waiting(_ lane: DeliveryLane = .live, limit: Int = .max) -> [Int] {
    pending(lane, limit: limit).map { Int($0.record.id.low & ~(1 << 63)) }
  }

  /// All that waits in the lane, up to a sequence.
  func acknowledge(_ lane: DeliveryLane = .live, through sequence: UInt64 = .max) {
    core.acknowledge(lane, pending(lane).map(\.sequence).filter { $0 <= sequence })
  }

  /// Every stored result, delivered or not.
  var everything: [Int] {
    var numbers: [Int] = []
    core.reader().visit(after: 0) { numbers.append(Int($0.record.id.low & ~(1 << 63))) }
    return numbers
  }
}
