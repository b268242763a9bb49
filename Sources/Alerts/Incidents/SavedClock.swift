// SPDX-License-Identifier: MIT

import Basics

/// Deadlines over a restart: an instant means nothing after it, so what is written is how long ago it was, and what is read is
/// that and the time since: by the monotonic clock where the machine has not been started again, by the wall clock otherwise.
struct SavedClock {
  private let now: Instant
  /// From the save to now, by the wall clock; a clock that was set back since says nothing.
  private let since: Duration

  /// - Parameter life: which life of the machine this is: in the one in which it was saved, the monotonic clock says how long ago.
  init(_ saved: JSONValue?, now: ClockReading, life: String? = nil) {
    self.now = now.boot
    let known = saved?["uptime_us"]?.integer.map { Instant(microseconds: $0) }
    if let life, saved?["life"]?.string == life, let known, known <= now.boot {
      since = known.duration(to: now.boot)
    } else {
      since = saved?.time("saved_at").map { max(.zero, $0.duration(to: now.wall)) } ?? .zero
    }
  }

  /// One that was read from a store, of this moment.
  init(now: ClockReading) { (self.now, since) = (now.boot, .zero) }

  func instant(_ json: JSONValue, _ name: String) -> Instant? { json[name].flatMap { instant($0) } }

  /// `nil` where it is no age.
  func instant(_ json: JSONValue) -> Instant? {
    guard let age = json.double, age.isFinite, abs(age) < 1e9 else { return nil }
    return now - (since + .microseconds(Int64(age * 1e6)))
  }

  /// The present, for what says nothing.
  var present: Instant { now }
}

extension JSONWriter {
  /// How long ago an instant is.
  mutating func age(_ name: StaticString, _ instant: Instant?, now: ClockReading) {
    if let instant { field(name, instant.duration(to: now.boot).seconds) }
  }
}
