// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The traces that are kept: of each target the last one made while it worked, and of each check the last one that
/// something was wrong with, beside the one that it is compared with. Bounded, in memory as on the disk.
package struct KeptTraces: Sendable {
  private struct Latest: Hashable, Sendable {
    var cause: TraceCause
    /// When the run began that asked.
    var begin: Timestamp
    var trace: PackedTrace
    var before: PackedTrace?
  }

  private var good: [SocketAddress: PackedTrace] = [:]
  private var latest: [UniqueID: Latest] = [:]
  /// Changed since it was written down.
  package private(set) var isDirty = false

  /// Targets, and checks; the oldest make room.
  package static let targets = 4096
  package static let checks = 1024
  /// A path without a trace for so long is removed.
  private static let keptFor: Duration = .seconds(45 * 86_400)
  /// The longest file that is read.
  package static let fileLimit = 16 << 20

  package init() {}

  /// When this target was last traced while it worked.
  package func lastGood(_ target: SocketAddress) -> Timestamp? { good[target]?.startedAt }

  /// A target that works. A look that did not work is no look.
  package mutating func keep(good trace: RouteTrace) {
    if case .fault = trace.end { return }
    if good[trace.target] == nil, good.count >= Self.targets,
      let oldest = good.min(by: { $0.value.startedAt < $1.value.startedAt })?.key
    {
      good[oldest] = nil
    }
    good[trace.target] = PackedTrace(trace)
    isDirty = true
  }

  package mutating func keep(_ trace: RouteTrace, of check: UniqueID, _ cause: TraceCause, begin: Timestamp) {
    makeRoom(for: check)
    let packed = PackedTrace(trace, limit: PackedTrace.shownLimit)
    latest[check] = Latest(cause: cause, begin: begin, trace: packed, before: good[trace.target])
    isDirty = true
  }

  /// Another check of the same target has it already.
  package mutating func share(_ other: UniqueID, with check: UniqueID, _ cause: TraceCause, begin: Timestamp)
  {
    guard var entry = latest[other] else { return }
    (entry.cause, entry.begin) = (cause, begin)
    makeRoom(for: check)
    latest[check] = entry
    isDirty = true
  }

  private mutating func makeRoom(for check: UniqueID) {
    guard latest[check] == nil, latest.count >= Self.checks,
      let oldest = latest.min(by: { $0.value.begin < $1.value.begin })?.key
    else { return }
    latest[oldest] = nil
  }

  /// Removes checks that are gone, and paths without a trace for long.
  package mutating func keep(_ checks: Set<UniqueID>, now: Timestamp) {
    let (targets, entries) = (good.count, latest.count)
    latest = latest.filter { checks.contains($0.key) }
    good = good.filter { $0.value.startedAt.duration(to: now) < Self.keptFor }
    if targets != good.count || entries != latest.count { isDirty = true }
  }

  /// `nil` when the check has had no failure, or its trace was evicted.
  package func view(of check: UniqueID, target: SocketAddress?) -> TraceView {
    var view = TraceView()
    if let entry = latest[check], let trace = entry.trace.trace {
      let before = entry.before?.trace
      view.latest = TraceView.Latest(
        cause: entry.cause, begin: entry.begin, trace: trace, before: before,
        comparison: TraceComparison(trace, good: before))
    }
    view.good = target.flatMap { good[$0]?.trace } ?? view.latest?.before
    return view
  }

  package var counts: (targets: Int, checks: Int, bytes: Int) {
    let all = good.values.reduce(0) { $0 + $1.bytes.count }
    return (good.count, latest.count, latest.values.reduce(all) { $0 + $1.trace.bytes.count })
  }
}

extension KeptTraces {
  private static let magic = Array("QTRACE1\n".utf8)

  /// Changes to be written, for `encoded` outside of any lock. `nil` where nothing has changed since the last time.
  package mutating func takeChanges() -> KeptTraces? {
    guard isDirty else { return nil }
    isDirty = false
    return self
  }

  /// As it is written down: a mark, the entries, and a checksum of both.
  package mutating func encoded() -> [UInt8] {
    isDirty = false
    var writer = ByteWriter()
    writer.bytes = Self.magic
    writer.count(good.count)
    for (target, trace) in good {
      writer.place(target)
      writer.blob(trace.bytes)
    }
    writer.count(latest.count)
    for (check, entry) in latest {
      writer.id(check)
      writer.cause(entry.cause)
      writer.signed(entry.begin.microseconds)
      writer.blob(entry.trace.bytes)
      writer.blob(entry.before?.bytes ?? [])
    }
    writer.fixed32(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  /// `nil` for a foreign or a damaged file. Nothing in it is believed then.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count > Self.magic.count + 4, bytes.starts(with: Self.magic) else { return nil }
    let body = Array(bytes.dropLast(4))
    var tail = ByteReader(bytes, from: body.count)
    guard (try? tail.fixed32()) == CRC32C.checksum(body) else { return nil }
    var reader = ByteReader(body, from: Self.magic.count)
    guard (try? read(&reader)) != nil else { return nil }
  }

  private mutating func read(_ reader: inout ByteReader) throws(CodingDamage) {
    for _ in 0..<(try reader.count()) {
      let target = try reader.place()
      let trace = try PackedTrace(read: try reader.blob())
      if good.count < Self.targets { good[target] = trace }
    }
    for _ in 0..<(try reader.count()) {
      let (check, cause) = (try reader.id(), try reader.cause())
      let begin = Timestamp(microseconds: try reader.signed())
      let trace = try PackedTrace(read: try reader.blob())
      let before = try reader.blob()
      let old = before.isEmpty ? nil : try PackedTrace(read: before)
      if latest.count < Self.checks {
        latest[check] = Latest(cause: cause, begin: begin, trace: trace, before: old)
      }
    }
    guard reader.atEnd else { throw CodingDamage() }
  }
}

extension ByteWriter {
  fileprivate mutating func cause(_ cause: TraceCause) {
    switch cause {
    case .failure(let reason):
      bytes.append(0)
      text(reason.rawValue)
    case .slow(let took, let usual):
      bytes.append(1)
      signed(took.microseconds)
      signed(usual.p99.microseconds)
      signed(usual.count)
    case .good: bytes.append(2)
    }
  }
}

extension ByteReader {
  fileprivate mutating func cause() throws(CodingDamage) -> TraceCause {
    switch try byte() {
    case 0:
      guard let reason = Reason(word: try text() ?? "") else { throw CodingDamage() }
      return .failure(reason)
    case 1:
      let (took, p99) = (try signed(), try signed())
      return .slow(
        took: .microseconds(took), usual: TraceUsual(count: try signed(), p99: .microseconds(p99)))
    case 2: return .good
    default: throw CodingDamage()
    }
  }
}
