// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How the store is laid out and how hard it tries.
package struct SpoolSettings: Hashable, Sendable {
  package enum Durability: String, Hashable, Sendable, CaseIterable {
    /// Each group of results (64, or 50 ms) is synced before it counts as recorded.
    case always
    /// Written at once, synced every 500 ms: a power cut can take that much back.
    case interval
  }

  /// The store's own directory; its parent must exist.
  package var path: String
  /// Bytes on disk.
  package var size: Int
  /// All of them are set aside at the start. Else the files are as large, and take space as they are written.
  package var isReserved = true
  /// Bytes of one segment: the unit in which the oldest results make room.
  package var segmentSize: Int
  package var durability: Durability
  /// Results that may wait in memory, for the disk or instead of it.
  package var queueLimit = 4096
  package var queueBytes = 4 << 20
  /// The quarantine's bytes on disk, on top of `size`.
  package var quarantineSize = 1 << 20
  /// Fail to open instead of keeping results in memory only.
  package var requireDurable = false

  package init(
    path: String, size: Int = 256 << 20, segmentSize: Int = 4 << 20, durability: Durability = .always
  ) {
    self.path = path
    self.size = size
    self.segmentSize = segmentSize
    self.durability = durability
  }

  /// One being written, one holding results, one in reserve for the change.
  static let leastSegments = 3

  /// Bytes; a longer file is no segment of any store.
  static let largestSegment = 64 << 20

  var segmentCount: Int { size / segmentSize }

  func problem() -> String? {
    if segmentSize < 16 << 10 || segmentSize > Self.largestSegment {
      return "segment size must be 16 KiB to 64 MiB"
    }
    if segmentCount < SpoolSettings.leastSegments { return "spool size must be at least 3 segments" }
    if queueLimit < 1 || queueBytes < RecordFrame.sizeLimit {
      return "the queue must hold at least one result"
    }
    return nil
  }
}
