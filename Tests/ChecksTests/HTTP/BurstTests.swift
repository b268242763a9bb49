// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// However many checks are due at once, each target gets its whole time, and no more.
@Suite(.serialized, .timeLimit(.minutes(4))) struct BurstTests {
  private static let timeout = Duration.seconds(6)

  /// What as many http and as many https checks come to that begin at the same moment.
  private func burst(_ count: Int, answeredAfter share: Int) async throws -> [ProbeOutcome] {
    let slow = try SlowServer(delay: Self.timeout * share / 100)
    defer { slow.stop() }
    return try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(
        ["location / { proxy_pass http://127.0.0.1:\(slow.port); }"], identity: try authority.issue("good"))
      return try await withNginx(in: folder, [site]) { ports in
        let plain = try httpCheck("http://good.test:\(slow.port)/")
        let secure = try httpCheck("https://good.test:\(ports[0])/")
        return try await withProbe(trust: TrustStore(bundle: authority.rootFile)) { probe in
          try await withThrowingTaskGroup(of: ProbeOutcome.self) { group in
            for _ in 0..<count {
              for check in [plain, secure] {
                group.addTask { try await probe.attempt(check, deadline: .now + Self.timeout) }
              }
            }
            return try await group.reduce(into: []) { $0.append($1) }
          }
        }
      }
    }
  }

  private func tally(_ outcomes: [ProbeOutcome]) -> [String: Int] {
    Dictionary(outcomes.map { ($0.verdict.reason.rawValue, 1) }, uniquingKeysWith: +)
  }

  /// A thousand of each, answered after nine tenths of the timeout: every one is up.
  @Test func aBurstMakesNoFalseVerdict() async throws {
    let outcomes = try await burst(1000, answeredAfter: 90)
    #expect(tally(outcomes) == ["ok": 2000])
  }

  /// With two processes that keep the cores busy nobody is called down: what cannot be told is unknown.
  @Test func aBusyMachineMakesNoFalseDown() async throws {
    let spinners = try (0..<2).map { _ in
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      // Until this process is gone, which may be ended before it ends them.
      process.arguments = ["-c", "while kill -0 \(getpid()); do :; done"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }
    // Not by SIGTERM, which the runner of the tests may have had ignored, and its children with it.
    defer { for process in spinners { kill(process.processIdentifier, SIGKILL) } }
    let outcomes = try await burst(300, answeredAfter: 80)
    #expect(!outcomes.contains { $0.verdict.state == .down }, "\(tally(outcomes))")
  }

  /// An answer after eleven tenths of the timeout is none, also in a burst.
  @Test func whoeverIsTooSlowIsTooSlow() async throws {
    let outcomes = try await burst(100, answeredAfter: 110)
    #expect(tally(outcomes) == ["first_byte_timeout": 200])
  }

  /// A thousand checks whose answers are as large as they may be and do not end, 900 kB each until they are given up: they hold
  /// together what all answers under way may hold, and what a thousand connections come to.
  @Test func theWorstAnswersStayWithinHalfAGibibyte() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      try Data(count: 4 << 20).write(to: folder.appending(path: "page"))
      let lines = ["root \(folder.path);", "limit_rate 300k;"]
      let sites = [NginxSite(lines), NginxSite(lines, identity: try authority.issue("good"))]
      try await withNginx(in: folder, sites) { ports in
        let checks = try zip(["http", "https"], ports).map { scheme, port in
          try httpCheck("\(scheme)://good.test:\(port)/page") { $0.http.expect.bodyContains = ["needle"] }
        }
        let before = try residentKilobytes()
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let outcomes = try await withProbe(trust: TrustStore(bundle: authority.rootFile)) { probe in
          try await withThrowingTaskGroup(of: ProbeOutcome.self) { group in
            for number in 0..<1000 {
              group.addTask { try await probe.attempt(checks[number % 2], deadline: .now + .seconds(3)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
          }
        }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let peak = try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        print("1,000 endless answers: \(tally(outcomes)), \((peak - before) / 1024) MiB at most")
        #expect(peak - before < 512 * 1024)
        #expect(!outcomes.contains { $0.verdict.isSuccess })
      }
    }
  }
}
