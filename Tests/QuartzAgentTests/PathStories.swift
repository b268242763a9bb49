// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// A running agent in the network of scripts/trace/lab.sh: a router on the way begins to drop, and the agent says which.
@Suite(.enabled(if: geteuid() == 0), .timeLimit(.minutes(2)))
struct PathStories {
  private static let lab = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "scripts/trace/lab.sh").path

  private static let check = "00000000-0000-4000-8000-000000000001"

  private static func configuration(_ folder: URL) -> String {
    """
    agent: {name: lab, state_dir: state}
    spool: {size: 16MiB}
    trace: {names: false}
    alerts:
      group_wait: 0s
      rules: [{type: consecutive_failures, threshold: 1}]
      channels: [{name: file, exec: [/bin/sh, -c, "cat > '\(folder.path)/message'; mv '\(folder.path)/message' '\(folder.path)/told'"]}]
    checks:
      - {id: \(check), name: Shop, type: tcp, host: 10.77.9.2, port: 80, interval: 2s, timeout: 1s, retries: 0}
    """
  }

  /// Waits until the trace document of the check has these words.
  private static func wait(_ words: String) -> String {
    """
    for i in $(seq 300); do curl -s --unix-socket state/agent.sock \
    http://localhost/api/v1/checks/\(check)/trace > path; grep -q '\(words)' path && break; sleep 0.1; done
    """
  }

  private func run(_ orders: [String], in folder: URL) async throws -> (stdout: String, stderr: String) {
    try (orders.joined(separator: "\n") + "\n").write(
      to: folder.appending(path: "orders"), atomically: true, encoding: .utf8)
    let run = try AgentProcess(
      ["-m", "-n", "sh", "-c", "sh '\(Self.lab)' < orders"], in: folder,
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], program: URL(filePath: "/usr/bin/unshare"))
    let outcome = try await run.finish()
    return (outcome.stdout, outcome.stderr)
  }

  @Test func theRouterThatDropsIsNamedBesideTheWayThatWorked() async throws {
    try await withTemporaryDirectory { folder in
      try Self.configuration(folder).write(
        to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      let agent = "'\(AgentProcess.binary.path)'"
      let said = try await run(
        [
          "ip netns exec s python3 -m http.server 80 >/dev/null 2>&1 & echo $! > server",
          // An agent that is first finds no server there, and that is an incident.
          "for i in $(seq 300); do ip netns exec s grep -q ':0050 00000000:0000 0A' /proc/net/tcp && break; sleep 0.1; done",
          "\(agent) run --config agent.yaml > log 2>&1 & echo $! > agent", Self.wait(#""good":{"#),
          "break_drop", Self.wait(#""latest":{"#),
          "for i in $(seq 150); do test -e told && break; sleep 0.1; done",
          "set +e; \(agent) once --config agent.yaml --trace --format json Shop > once; true",
          "kill $(cat agent); for i in $(seq 100); do kill -0 $(cat agent) || break; sleep 0.1; done; true",
          "kill $(cat server)",
        ], in: folder)
      let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
      #expect(!said.stdout.contains("failed"), "\(said.stdout)\(said.stderr)\(log)")
      let path = try JSONValue.parse(Data(contentsOf: folder.appending(path: "path")))
      let latest = try #require(path["data"]?["latest"], "\(log)")
      #expect(latest["cause"]?.string == "failure" && latest["reason"]?.string == "connect_timeout")
      let summary = latest["summary"]?.string ?? ""
      #expect(
        summary.hasPrefix("the route ends behind 10.77.4.2 (hop 4 of 9); hop 5, 10.77.5.2, answered"),
        "\(summary)")
      #expect(latest["broken_after"]?.integer == 4 && latest["before"]?["hops"]?.array?.count == 9)
      #expect(log.contains("found=\"the route ends behind 10.77.4.2") && log.contains("target=10.77.9.2:80"))
      // The first message waited for the trace.
      let told = try JSONValue.parse(Data(contentsOf: folder.appending(path: "told")))
      #expect(told["kind"]?.string == "opened" && told["members"]?[0]?["path"]?.string == summary)
      let once = try JSONValue.parse(Data(contentsOf: folder.appending(path: "once")))
      let result = once["results"]?[0] ?? once[0]
      #expect(
        result?["reason"]?.string == "connect_timeout"
          && result?["trace"]?["end"]?["kind"]?.string == "silent")
      // What is known survives, and is bounded: a file of two traces.
      let kept = try Data(contentsOf: folder.appending(path: "state/traces"))
      #expect(kept.count > 300 && kept.count < 5000)
    }
  }
}
