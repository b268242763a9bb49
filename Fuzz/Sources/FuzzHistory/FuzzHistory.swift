// SPDX-License-Identifier: MIT

@testable import Basics
@testable import History
@testable import Monitoring
@testable import Status

/// A snapshot file with a sum put right: what is believed is lived with for a day, shown, and written so that the next
/// start can read it. The first byte chooses: what stands behind the head of a file, or a file as it is written with
/// some of its bytes changed, three bytes for each: place, place, value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var writer = ByteWriter()
  writer.bytes = bytes[0] & 1 == 0 ? Array(written[..<5] + bytes[1...]) : changed(bytes.dropFirst())
  writer.fixed32(CRC32C.checksum(writer.bytes))
  let store = HistoryStore(decoding: [StoredShard(number: 0, bytes: writer.bytes)])
  guard store.damage == nil else { return 0 }
  live(store)
  store.clockStepped(from: noon, to: noon.advanced(by: .seconds(-4000)))
  let end = noon.advanced(by: .seconds(90_000))
  var json = JSONWriter()
  StatusSnapshot(agent: agent, history: store, now: end).writeSummary(full: true, to: &json)
  precondition((try? JSONValue.parse(json.bytes)) != nil)
  for months in store.periods(through: .month(CalendarMonth(end)), count: 6, now: end).values {
    for month in months.periods { precondition(month.uptime.map { (0...100).contains($0) } ?? true) }
  }
  let files = (0..<store.shardCount).compactMap { store.shard($0) }
    .map { StoredShard(number: $0.number, bytes: $0.bytes) }
  precondition(HistoryStore(decoding: files).damage == nil, "what it wrote cannot be read")
  return 0
}

private func live(_ store: HistoryStore) {
  guard let check else { return }
  store.apply([check], now: noon)
  for step in 0..<4 {
    let now = noon.advanced(by: .seconds(step * 20_000))
    var result = CheckResult(
      id: UniqueID(high: 1, low: UInt64(step)), check: check, trigger: .schedule, scheduledAt: now,
      startedAt: now, late: .zero, verdict: .ok)
    result.responseTime = .milliseconds(step)
    store.record(result, interval: .seconds(60), sequence: UInt64(step) + 1)
    store.missed(check.id, count: 1)
  }
}

/// The file of a store that has lived, without its sum.
private let written: [UInt8] = {
  let store = HistoryStore()
  live(store)
  let files = (0..<store.shardCount).compactMap { store.shard($0)?.bytes }
  return Array((files.max { $0.count < $1.count } ?? []).dropLast(4))
}()

private func changed(_ edits: ArraySlice<UInt8>) -> [UInt8] {
  var bytes = written
  var rest = edits
  while rest.count >= 3 {
    let (high, low, value) = (rest[rest.startIndex], rest[rest.startIndex + 1], rest[rest.startIndex + 2])
    bytes[(Int(high) << 8 | Int(low)) % bytes.count] = value
    rest = rest.dropFirst(3)
  }
  return bytes
}

private let noon = Timestamp(seconds: 1_772_000_000)
private let agent = AgentIdentity(name: "a", region: nil, version: "0", started: noon)

private let check: MonitoringCheck? = {
  var definition = CheckDefinition()
  definition.id = "00000000-0000-4000-8000-000000000001"
  definition.name = "c"
  definition.type = "tcp"
  definition.host = "127.0.0.1"
  definition.port = 80
  return try? MonitoringCheck(definition)
}()
