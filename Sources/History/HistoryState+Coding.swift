// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension HistoryState {
  private static let magic = Array("QHIS".utf8)
  /// Versions that are read; the last one is written. Version 2 has neither outages nor counts of results: a check that
  /// is down then has its outage from the last result on, and its counts begin. Before version 4 there were no finished days
  /// beyond the windows: they begin with those of the last 90 days. Before version 5 outages that are not kept any more left
  /// no sums.
  private static let versions: ClosedRange<UInt64> = 2...5

  func members(of shard: Int) -> [(UniqueID, CheckHistory)] {
    shards.members(shard).compactMap { id in histories[id].map { (id, $0) } }
  }

  /// A snapshot file.
  ///
  /// - Parameter applied: every record of these checks up to here is in their figures.
  static func encode(_ members: [(UniqueID, CheckHistory)], applied: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes += magic
    writer.unsigned(versions.upperBound)
    writer.unsigned(applied)
    writer.count(members.count)
    for (id, history) in members {
      writer.id(id)
      history.encode(into: &writer)
    }
    writer.fixed32(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  /// Takes in a snapshot file, whole or not at all. Returns its `applied`.
  mutating func read(_ file: StoredShard) throws(CodingDamage) -> UInt64 {
    let bytes = file.bytes
    let body = bytes.count - 4  // bounded: a count of bytes; below 0 is refused next
    guard body > Self.magic.count, Array(bytes[..<Self.magic.count]) == Self.magic else {
      throw CodingDamage()
    }
    var trailer = ByteReader(bytes, from: body)
    guard try trailer.fixed32() == CRC32C.checksum(Array(bytes[..<body])) else { throw CodingDamage() }
    var reader = ByteReader(bytes, from: Self.magic.count, to: body)
    let version = try reader.unsigned()
    guard Self.versions.contains(version) else { throw CodingDamage() }
    let applied = try reader.unsigned(through: 1 << 62)
    var members: [(UniqueID, CheckHistory)] = []
    for _ in 0..<(try reader.count()) {
      let id = try reader.id()
      members.append((id, try CheckHistory(from: &reader, version: version)))
    }
    guard reader.atEnd else { throw CodingDamage() }
    for (id, var history) in members where histories.place(of: id) == nil {
      history.shard = file.number
      shards.restore(id, in: file.number)
      let place = histories.insert(id)
      histories[place: place] = history
    }
    return applied
  }
}
