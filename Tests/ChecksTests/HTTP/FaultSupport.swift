// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Glibc
import Monitoring
import TestSupport

/// One http probe of a server on loopback that runs the script.
func faultOutcome(
  limit: Duration = .seconds(10), scheme: String = "http",
  change: (inout CheckDefinition) -> Void = { _ in },
  script: @escaping @Sendable (LoopbackConnection) -> Void
) async throws -> ProbeOutcome {
  try await withLoopbackServer(script: script) { server in
    var bench = ProbeBench()
    bench.limit = limit
    return try await bench.http(try httpCheck("\(scheme)://good.test:\(server.port)/", change))
  }
}

/// Waits for the request and gives one answer.
func answering(_ text: String) -> @Sendable (LoopbackConnection) -> Void {
  { link in
    link.read(until: "\r\n\r\n")
    link.write(text)
    link.waitForEnd()
  }
}

/// A condition that needs the body, and a small limit for it.
func wantsBody(_ limit: Int = 65_536) -> (inout CheckDefinition) -> Void {
  { definition in
    definition.http.expect.bodyContains = ["needle"]
    definition.maxBody = limit
  }
}

/// Kilobytes of this process that are in memory now, without what files back.
func residentKilobytes() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
  return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}

/// Descriptors this process has open.
func openDescriptors() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
