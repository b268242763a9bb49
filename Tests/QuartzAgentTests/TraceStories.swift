// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

/// `quartz-agent trace` in the networks of scripts/trace/lab.sh, which is the client itself while it runs what it reads.
@Suite(.enabled(if: canMakeNetworks), .timeLimit(.minutes(1)))
struct TraceStories {
  private static let lab = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "scripts/trace/lab.sh").path

  /// Nobody's rights; the program is where everybody may read it.
  private static let plain =
    "setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all /mnt/agent trace"

  /// Runs the lines in the lab. Each `FILE := ARGUMENTS` is one trace, whose output goes to FILE, and its code and errors
  /// beside it.
  private func run(_ lines: [String], in folder: URL) async throws {
    let orders = lines.map { line in
      let parts = line.components(separatedBy: " := ")
      guard parts.count == 2 else { return line }
      return "set +e; \(parts[1]) >\(parts[0]) 2>\(parts[0]).err; echo $? >\(parts[0]).code"
    }
    let input =
      [
        "mount -t tmpfs tmpfs /mnt && touch /mnt/agent && mount --bind '\(AgentProcess.binary.path)' /mnt/agent"
      ]
      + orders
    try (input.joined(separator: "\n") + "\n").write(
      to: folder.appending(path: "orders"), atomically: true, encoding: .utf8)
    let run = try AgentProcess(
      ["-m", "-n", "sh", "-c", "sh '\(Self.lab)' < orders"], in: folder,
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], program: URL(filePath: "/usr/bin/unshare"))
    let outcome = try await run.finish()
    let answers = outcome.stdout.split(separator: "\n")
    #expect(answers.first == "ready" && !answers.contains("failed"), "\(outcome.stdout)\(outcome.stderr)")
  }

  private func text(_ name: String, in folder: URL) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  private func code(_ name: String, in folder: URL) throws -> Int32? {
    Int32(try text(name + ".code", in: folder).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private func path(_ document: JSONValue) -> [String] {
    document["hops"]?.array?.map { $0["answers"]?[0]?["address"]?.string ?? "*" } ?? []
  }

  /// Without any right, and where even ping is forbidden, over both families.
  @Test func withoutPrivileges() async throws {
    try await withTemporaryDirectory { folder in
      try await run(
        [
          "break_noping", "four := \(Self.plain) -n --count 1 --format json tcp://10.77.9.2:81",
          "six := \(Self.plain) -n --count 1 --format json 'tcp://[fd77:9::2]:81'",
          "bare := \(Self.plain) -n --count 1 --format json 10.77.9.2",
          "echo := \(Self.plain) -n --count 1 --format json --method icmp 10.77.9.2",
        ], in: folder)
      for (name, family) in [("four", "10.77.%.2"), ("six", "fd77:%::2")] {
        let document = try JSONValue.parse(text(name, in: folder).utf8)
        #expect(path(document) == (1...9).map { family.replacing("%", with: "\($0)") })
        #expect(
          document["end"]?["kind"]?.string == "reached" && document["end"]?["says"]?.string == "refused")
        #expect(document["method"]?.string == "tcp" && document["mtu"]?.integer == 1500)
        #expect(try code(name, in: folder) == 0)
      }
      let bare = try JSONValue.parse(text("bare", in: folder).utf8)
      #expect(bare["method"]?.string == "udp")
      #expect(bare["why"]?.string?.contains("the kernel forbids ping to this process") ?? false)
      #expect(try code("bare", in: folder) == 0)
      let echo = try JSONValue.parse(text("echo", in: folder).utf8)
      #expect(
        echo["end"]?["kind"]?.string == "fault"
          && (echo["end"]?["says"]?.string?.contains("ping_group_range") ?? false))
      #expect(try code("echo", in: folder) == 3)
    }
  }

  /// The table of a broken network, and the exit code.
  @Test func aFirewallIsNamed() async throws {
    try await withTemporaryDirectory { folder in
      try "10.77.0.0/16,64500,Lab\n10.77.3.0/24,64503,Third\n".write(
        to: folder.appending(path: "networks"), atomically: true, encoding: .utf8)
      try await run(
        [
          "break_prohibited",
          "table := \(AgentProcess.binary.path) trace -n --count 1 --networks networks 10.77.9.2:443",
        ],
        in: folder)
      let table = try text("table", in: folder)
      #expect(
        table.hasPrefix("10.77.9.2 port 443: TCP to port 443, the service's own; 3 flows\n"), "\(table)")
      #expect(table.contains("10.77.3.2  AS64503 Third"), "\(table)")
      #expect(
        table.contains("10.77.9.2 was not reached. Hop 4 (10.77.4.2) says: administratively prohibited."),
        "\(table)")
      #expect(try code("table", in: folder) == 2)
    }
  }

  /// What is refused before a packet is sent.
  @Test(arguments: [
    (["trace"], 64, "Missing expected argument"),
    (["trace", "--flows", "9", "127.0.0.1"], 64, "--flows must be 1 to 8"),
    (["trace", "-4", "-6", "127.0.0.1"], 64, "exclude each other"),
    (["trace", "127.0.0.1/x"], 64, "is no target"),
    (["trace", "--networks", "/nowhere", "127.0.0.1"], 66, "No such file"),
    (["trace", "169.254.169.254:80"], 3, "cloud metadata address"),
    (["trace", "-6", "127.0.0.1:80"], 3, "is not an IPv6 address"),
  ])
  func whatCannotBeTraced(arguments: [String], status: Int32, words: String) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await AgentProcess(arguments, in: folder).finish()
      #expect(outcome.status == status, "\(outcome.stderr)")
      #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
      #expect(outcome.stdout.isEmpty)
    }
  }

  /// A check of the configuration by its name, and this machine, which is one hop away.
  @Test func aCheckByItsName() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
        try "checks: [{name: Shop, type: http, url: \"http://127.0.0.1:\(server.port)/x\"}]\n".write(
          to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        let outcome = try await agent("trace", "--count", "1", "-n", "--format", "json", "Shop", in: folder)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let document = try JSONValue.parse(outcome.stdout.utf8)
        #expect(document["host"]?.string == "127.0.0.1" && document["port"]?.integer == Int64(server.port))
        #expect(path(document) == ["127.0.0.1"])
        #expect(document["end"]?["says"]?.string == "accepted")
      }
    }
  }
}

private let canMakeNetworks: Bool = {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/unshare")
  process.arguments = ["-m", "-n", "/sbin/ip", "link", "set", "lo", "up"]
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return false }
  process.waitUntilExit()
  return process.terminationStatus == 0
}()
