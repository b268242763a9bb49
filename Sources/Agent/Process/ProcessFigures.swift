// SPDX-License-Identifier: MIT

import Basics
import Glibc
import History
import Network
import Status

extension ProcessFigures {
  /// By clock_gettime(2) and proc(5); what cannot be read is left out.
  static func now() -> ProcessFigures {
    let status = ProcStatus(readFile("/proc/self/status", limit: 64 << 10) ?? [])
    // Less the one that lists them.
    let open = fileNames(in: "/proc/self/fd").count { $0 != "." && $0 != ".." } - 1
    return ProcessFigures(
      processorSeconds: Double(SystemClock.processWork.nanoseconds) / 1e9,
      residentBytes: status.bytes("VmRSS"), virtualBytes: status.bytes("VmSize"),
      openDescriptors: open > 0 ? open : nil, maxDescriptors: descriptorLimit(),
      threads: status["Threads"].flatMap { Int($0) })
  }
}

/// `/proc/self/status`: a name, a colon, blanks and a value in each line.
struct ProcStatus {
  private var values: [Substring: Substring] = [:]  // own text: the kernel's names

  init(_ bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      values[parts[0]] = parts[1].drop { $0 == " " || $0 == "\t" }
    }
  }

  subscript(name: String) -> Substring? { values[name[...]] }

  /// Of a line such as `VmRSS:     25600 kB`.
  func bytes(_ name: String) -> Int64? {
    guard let words = self[name]?.split(separator: " "), words.count == 2, words[1] == "kB",
      let number = Int64(words[0])
    else { return nil }
    return number.multipliedReportingOverflow(by: 1024).overflow ? nil : number * 1024
  }
}
