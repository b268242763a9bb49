// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring
@testable import Spool

/// The store's files at a size, and what is read of them again.
enum SpoolWorst {
  private static let moment = SpoolTime(wall: Timestamp(seconds: 1_700_000_000), monotonic: 1_000_000)
  private static let settings = SpoolSettings(path: "/", size: 8 << 20, segmentSize: 256 << 10)

  private static func record(_ number: Int) -> DeliveryRecord {
    DeliveryRecord(
      id: UniqueID(high: 1, low: UInt64(number)), checkID: UniqueID(high: 3, low: 4), agent: "a",
      scheduledAt: moment.wall, startedAt: moment.wall, trigger: .schedule, status: .success, state: .up,
      reason: .ok, phase: nil, statusCode: nil, responseTime: nil, timings: Timings(),
      certificateNotAfter: nil, message: nil, flags: [.post])
  }

  private static func start(_ files: FuzzFiles) -> SpoolCore {
    var core = SpoolCore(settings: settings, nonce: 1, at: moment) { () throws(FileFault) in files }
    core.attach(at: moment)
    return core
  }

  /// The files of a store that recorded so many results.
  static func files(records count: Int) -> FuzzFiles {
    let files = FuzzFiles([:])
    var core = start(files)
    for number in 0..<count {
      let entry = SpoolEntry(
        sequence: core.nextSequence, kind: .result, deliverable: true,
        payload: RecordPayload.encode(record(number)))
      precondition(core.record([entry], overflow: nil, at: moment), "does not record")
    }
    return files
  }

  /// A start on them: how many results wait.
  static func waiting(_ files: FuzzFiles) -> Int {
    var core = start(files)
    return core.pending(.live, limit: .max).count + core.pending(.backlog, limit: .max).count
  }

  static func bundle(records count: Int) -> [UInt8] { RecordBundle.encode((0..<count).map(record)) }

  static func unbundled(_ bytes: [UInt8]) -> Int? { RecordBundle.decode(bytes)?.count }

  static func cursor(ranges count: Int) -> [UInt8] {
    var cursor = Cursor(
      generation: 1, progress: start(FuzzFiles([:])).progress, identity: UniqueID(high: 1, low: 2))
    let first = cursor.highest + 10
    cursor.ranges = (0..<UInt64(count)).map { first + 10 * $0...first + 10 * $0 + 5 }
    return cursor.bytes
  }

  static func ranges(_ bytes: [UInt8]) -> Int? {
    Cursor.newest(in: bytes).cursor.map { cursor in
      precondition(DeliveryProgress(cursor).settledThrough < RecordFrame.sequenceLimit)
      return cursor.ranges.count
    }
  }
}
