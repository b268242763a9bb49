// SPDX-License-Identifier: MIT

import Basics
import Glibc
import History
import Monitoring

/// A past for many checks, as files that the agent starts with, and how long all windows of all checks take.
///
/// A few checks live through every single probe of those days. The others get a copy of such a check's bytes under
/// their own id: what is decoded from it is each check's own, and as full.
struct HistoryLoad {
  private let checks: Int
  private let days: Int
  /// Seconds from one probe to the next.
  private let every: Int
  /// Nil: nothing is written.
  private let directory: String?

  /// Checks that live through it all.
  private static let lived = 16
  /// Checks in one file, as the agent fills them.
  private static let perFile = 256
  private static let rounds = 21

  init(_ arguments: Arguments) throws {
    checks = try arguments.number("checks")
    days = try arguments.number("days")
    every = try arguments.number("every")
    directory = arguments.text("directory")
  }

  func run() throws -> String {
    let now = Timestamp.now()
    let list = try (0..<checks).map(Self.check)
    let members = list.prefix(Self.lived).map { member(of: $0, until: now) }
    let files = stride(from: 0, to: checks, by: Self.perFile).map { first in
      file(list[first..<min(checks, first + Self.perFile)], first: first, members)
    }
    if let directory { for (number, bytes) in files.enumerated() { try write(bytes, number, to: directory) } }
    let before = residentBytes()
    let stored = files.enumerated().map { StoredShard(number: $0.offset, bytes: $0.element) }
    let history = HistoryStore(decoding: stored)
    guard history.damage == nil, history.knows(list) else { throw Misuse("the made files do not decode") }
    let memory = residentBytes() - before
    history.apply(list, now: now)
    let times = try (0..<Self.rounds).map { _ in try Self.query(history, checks: checks, now: now) }
    return """
      {"checks": \(checks), "days": \(days), "bytes": \(files.reduce(0) { $0 + $1.count }), \
      "memory": \(memory), "windows_ms": \(times.sorted()[Self.rounds / 2])}
      """
  }

  /// Benchmarks/daemon.py gives the agent's checks the same ids.
  private static func check(_ number: Int) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    let id = UniqueID(high: 0x4000, low: 1 << 63 | UInt64(number))
    definition.id = id.description
    definition.name = "check \(number)"
    definition.type = "tcp"
    definition.host = "h\(number).example"
    definition.port = 443
    definition.interval = .seconds(10)
    return try MonitoringCheck(definition)
  }

  /// What a file holds of a check that was probed all those days, without its id.
  private func member(of check: MonitoringCheck, until now: Timestamp) -> ArraySlice<UInt8> {
    let store = HistoryStore()
    let count = days * 86_400 / every
    let start = now.advanced(by: .seconds(-count * every))
    store.apply([check], now: start)
    var dice = Dice(state: check.id.low)
    let up = Verdict(.ok, phase: nil, message: nil, degraded: false)
    let down = Verdict(.connectTimeout, phase: .connect, message: "no answer", degraded: false)
    var isDown = false
    for number in 0..<count {
      let slot = start.advanced(by: .seconds(number * every))
      // About two outages of ten minutes a day, at any pace.
      let chance = dice.share() * 600 / Double(every)
      if isDown ? chance < 1 : chance < 0.0139 { isDown.toggle() }
      var result = CheckResult(
        id: UniqueID(high: 7 << 12, low: UInt64(number)), check: check, trigger: .schedule,
        scheduledAt: slot, startedAt: slot, late: .zero, verdict: isDown ? down : up)
      // Round 80 ms with a long tail, as web services have it.
      let spread = (0..<6).reduce(0.0) { sum, _ in sum + (dice.share() - 0.5) / 2 }
      let slow = dice.share() < 0.02 ? 4.0 : 1
      if !isDown {
        result.responseTime = .microseconds(
          Int64(80_000 * slow * max(0.1, 1 + spread + 0.4 * spread * spread)))
      }
      store.record(result, interval: .seconds(every), sequence: UInt64(number + 1))
    }
    // The place in the store of results is the agent's own to count, from 0.
    store.recount(after: 0)
    guard let bytes = store.shard(0)?.bytes, let id = place(of: [check.id], in: bytes) else { return [] }
    return bytes[(id + 16)..<(bytes.count - 4)]
  }

  /// A file of these checks, each with the past of one that lived.
  private func file(
    _ list: ArraySlice<MonitoringCheck>, first: Int, _ members: [ArraySlice<UInt8>]
  ) -> [UInt8] {
    let empty = HistoryStore()
    empty.apply(Array(list), now: .now())
    let head = empty.shard(0)?.bytes ?? []
    let start = place(of: Set(list.map(\.id)), in: head) ?? 0
    var bytes = Array(head[..<start])
    for (index, check) in list.enumerated() {
      bytes += check.id.bytes
      bytes += members[(first + index) % members.count]
    }
    let sum = CRC32C.checksum(bytes)
    for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: sum >> shift)) }
    return bytes
  }

  /// Where the first of these ids stands: right behind the file's head, which is short.
  private func place(of ids: Set<UniqueID>, in bytes: [UInt8]) -> Int? {
    (0..<64).first { start in
      start + 16 <= bytes.count && UniqueID(bytes: bytes[start..<(start + 16)]).map(ids.contains) ?? false
    }
  }

  private func write(_ bytes: [UInt8], _ number: Int, to directory: String) throws {
    let digits = String(number)
    let path = directory + "/" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    guard let file = fopen(path, "w") else { throw Misuse("cannot write \(path)") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Misuse("cannot write \(path)") }
  }

  /// Milliseconds of CPU for all four windows of all checks.
  private static func query(_ history: HistoryStore, checks: Int, now: Timestamp) throws -> Double {
    let start = Usage.now()
    let figures = history.checks(now: now)
    let end = Usage.now()
    let took = 1000 * (end.user + end.system - start.user - start.system)
    let windows = figures.reduce(0) { $0 + $1.windows.count { $0.uptime != nil } }
    guard windows == 4 * checks else { throw Misuse("\(windows) of \(4 * checks) windows hold data") }
    return took
  }
}

/// Numbers that look random and are the same every time (SplitMix64).
private struct Dice {
  var state: UInt64

  /// From 0 up to 1.
  mutating func share() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return Double((mixed ^ mixed >> 31) >> 11) / Double(1 << 53)
  }
}
