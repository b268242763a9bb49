// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One probe after the other, and for each a line of JSON with the phases it reports, in milliseconds.
struct WireLoad {
  private let load: ProbeLoad

  init(_ arguments: Arguments) throws {
    load = try ProbeLoad(arguments.replacingFirst(with: "http"))
  }

  func run() async throws -> String {
    try await load.withRunner { runner in
      var lines: [String] = []
      for number in 0..<load.count {
        let result = try await load.probe(number, with: runner)
        guard result.state == .up else { throw Misuse("a probe failed: \(result.reason)") }
        let timings = result.timings
        let parts = [
          ("connect", timings.connect), ("tls", timings.tls), ("first_byte", timings.firstByte),
          ("transfer", timings.transfer),
        ]
        let fields = parts.compactMap { name, time in time.map { "\"\(name)\": \($0.milliseconds)" } }
        lines.append("{" + fields.joined(separator: ", ") + "}")
      }
      return lines.joined(separator: "\n")
    }
  }
}
