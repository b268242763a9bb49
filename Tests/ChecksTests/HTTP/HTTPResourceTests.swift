// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import TestSupport
import Testing

/// What probes hold while they run and leave when they end.
@Suite(.timeLimit(.minutes(3)), .serialized) struct HTTPResourceTests {
  @Test func tenThousandFailuresLeaveNoDescriptor() async throws {
    let dead = try freePort()
    try await withLoopbackServer(script: { link in
      _ = link.read()
      link.resetOnClose()
    }) { broken in
      try await withProbe { probe in
        let refused = try httpCheck("http://good.test:\(dead)/")
        let reset = try httpCheck("https://good.test:\(broken.port)/")
        func run(_ count: Int, _ check: MonitoringCheck) async throws -> Int {
          try await withThrowingTaskGroup(of: Bool.self) { group in
            var failures = 0
            for index in 0..<count {
              if index >= 50 { failures += try await group.next() == true ? 1 : 0 }
              group.addTask {
                try await !probe.attempt(check, deadline: .now + .seconds(30)).verdict.isSuccess
              }
            }
            return try await group.reduce(into: failures) { $0 += $1 ? 1 : 0 }
          }
        }
        // The first ones open what stays open.
        _ = try await run(60, refused) + run(60, reset)
        let before = try openDescriptors()
        #expect(try await run(8500, refused) == 8500)
        #expect(try await run(1500, reset) == 1500)
        // The server's side may take a moment; other tests' descriptors come and go.
        try await until("as few descriptors as before") { try openDescriptors() <= before + 5 }
      }
    }
  }

  @Test func aProbeHoldsLessThanTwoMegabytes() async throws {
    // Each has a body of its whole limit and waits for the rest.
    let megabyte = 1024 * 1024
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: \(megabyte)\r\n\r\n")
      link.write([UInt8](repeating: 0x61, count: megabyte - 1))
      link.waitForEnd()
    }) { server in
      try await withProbe { probe in
        let check = try httpCheck("http://good.test:\(server.port)/", wantsBody(megabyte))
        let before = try residentKilobytes()
        try await withThrowingTaskGroup(of: Void.self) { group in
          let count = 24
          for _ in 0..<count {
            group.addTask { _ = try await probe.attempt(check, deadline: .now + .seconds(60)) }
          }
          try await until("all connections") { server.accepted >= count }
          var (last, now) = (0, try residentKilobytes())
          // Until nothing more comes.
          repeat {
            try await Task.sleep(for: .milliseconds(300))
            (last, now) = (now, try residentKilobytes())
          } while now > last + 64
          // The server's copies are in here too: one megabyte each, freed once written.
          #expect((now - before) / count < 2 * 1024, "\((now - before) / count) KiB")
          group.cancelAll()
          while let result = await group.nextResult() { _ = result }
        }
      }
    }
  }
}
