// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring

/// Time zone files and rules, and windows of either origin in them, asked at instants near and far. The first byte
/// chooses: a compiled zone (RFC 8536), a POSIX rule, or a window in words, a line for each key.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let rest = Array(bytes.dropFirst())
  switch bytes[0] % 3 {
  case 0: if let rules = TimeZoneRules(name: "Fuzz/Zone", file: rest) { ask(rules) }
  case 1: if let rule = PosixZone(text: rest) { ask(TimeZoneRules(rule)) }
  default: words(String(decoding: rest, as: UTF8.self))
  }
  return 0
}

extension TimeZoneRules {
  fileprivate init(_ rule: PosixZone) {
    self.init(name: "Fuzz/Rule", transitions: [], offsets: [], first: 0, rule: rule)
  }
}

private let instants = [
  Int64.min, -62_135_596_800_000_000, -1, 0, 1_772_000_000_000_000, 253_402_300_799_999_999, .max,
].map(Timestamp.init(microseconds:))

private func ask(_ zone: TimeZoneRules) {
  for instant in instants {
    let local = zone.local(instant)
    _ = (local.text, local.weekday, zone.instant(local).rfc3339)
  }
  for repetition in MaintenanceRepetition.allCases {
    let window = MaintenanceWindow(
      origin: .local, id: nil, name: "w", selection: MaintenanceSelection(), start: LocalTime(instants[4]),
      zone: zone, length: .clock(seconds: 7200), repetition: repetition, skip: false)
    ask(window)
  }
}

private func ask(_ window: MaintenanceWindow) {
  for instant in instants {
    if let hours = window.occurrence(at: instant) { precondition(hours.contains(instant)) }
    if let hours = window.next(after: instant) { precondition(hours.lowerBound > instant) }
    _ = window.overlaps(instant, through: instant.advanced(by: .seconds(3600)))
  }
}

private func words(_ text: String) {
  let lines = text.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
  func line(_ index: Int) -> String? { index < lines.count && !lines[index].isEmpty ? lines[index] : nil }
  if let starts = line(0).flatMap({ Timestamp(rfc3339: $0) }),
    let ends = line(1).flatMap({ Timestamp(rfc3339: $0) }),
    let window = try? MaintenanceWindow(
      id: UniqueID(high: 1, low: 2), title: line(3) ?? "", resource: UniqueID(high: 3, low: 4),
      starts: starts,
      ends: ends, repetition: line(2))
  {
    ask(window)
  }
  var definition = MaintenanceDefinition()
  definition.name = line(3) ?? "w"
  definition.start = line(0)
  definition.end = line(1)
  definition.repetition = line(2)
  definition.duration = line(4).flatMap { Duration(text: $0) }
  if let window = try? MaintenanceWindow(definition) { ask(window) }
}
