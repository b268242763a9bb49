// SPDX-License-Identifier: MIT

import Glibc

/// What this process has used so far.
struct Usage {
  var wall: ContinuousClock.Instant
  /// Seconds of CPU.
  var user: Double
  var system: Double

  static func now() -> Usage {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return Usage(wall: .now, user: usage.ru_utime.seconds, system: usage.ru_stime.seconds)
  }
}

/// What a load cost, as the C loops print it.
struct Cost {
  var probes: Int
  var ok: Int
  var seconds: Double
  var user: Double
  var system: Double

  init(probes: Int, ok: Int, since start: Usage) {
    let end = Usage.now()
    self.probes = probes
    self.ok = ok
    seconds = (end.wall - start.wall) / .seconds(1)
    user = end.user - start.user
    system = end.system - start.system
  }

  var json: String {
    #"{"probes": \#(probes), "ok": \#(ok), "seconds": \#(seconds), "user": \#(user), "system": \#(system)}"#
  }
}

/// Bytes of this process that are in memory: the second number of /proc/self/statm (proc(5)).
func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
  let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
    separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
