// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring

/// Durations, instants, local times and decimals as files, APIs and servers write them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  if let duration = Duration(text: text) {
    precondition(duration >= .zero && Duration(text: duration.text) == duration)
  }
  if let instant = Timestamp(rfc3339: text) {
    precondition(abs(instant.duration(to: .epoch)) < .seconds(1 << 40))
    if let again = Timestamp(rfc3339: instant.rfc3339) {
      precondition(abs(again.duration(to: instant)) < .milliseconds(1))
    }
    spread(instant)
  }
  if let local = LocalTime(text: text) { precondition(LocalTime(text: local.text) == local) }
  _ = LocalTime.timeOfDay(text)
  if let number = JSONValue.number(text).double { precondition(number.isFinite) }
  _ = DecimalNumber(text)
  _ = Condition(parsing: text).number
  if count >= 8 { spread(Timestamp(microseconds: word(start))) }
  return 0
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }

/// Any instant there is can be told, moved and held against another.
private func spread(_ instant: Timestamp) {
  _ = instant.rfc3339
  let (far, near) = (Duration.microseconds(Int64.max), Duration.microseconds(Int64.min))
  for step in [far, near, .seconds(Int64.max), .seconds(Int64.min), .zero] {
    let moved = instant.advanced(by: step)
    _ = (moved.rfc3339, moved.duration(to: instant).microseconds, moved.duration(to: instant).text)
    _ = LocalTime(moved).text
  }
}

private func word(_ start: UnsafePointer<UInt8>?) -> Int64 {
  UnsafeRawBufferPointer(start: start, count: 8).loadUnaligned(as: Int64.self)
}
