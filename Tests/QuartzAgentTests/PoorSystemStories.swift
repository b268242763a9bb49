// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// Systems that withhold what the agent needs: it runs, or says in a line why it does not.
@Suite(
  .enabled(if: geteuid() == 0, "takes things away from processes, which needs root"), .timeLimit(.minutes(3)))
struct PoorSystemStories {
  private func write(_ checks: String, in folder: URL) throws {
    let yaml = "agent: {name: test, state_dir: \(folder.path)/state}\nchecks:\n" + checks
    try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
  }

  private func shell(_ line: String, in folder: URL) throws -> AgentProcess {
    try AgentProcess(
      ["-n", "-m", "/bin/sh", "-ec", line, AgentProcess.binary.path], in: folder,
      environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"], program: URL(filePath: "/usr/bin/unshare"))
  }

  /// The runtime finds no arguments there, and would take every command for a call for help.
  @Test(arguments: ["run", "once", "validate", "status", "doctor"])
  func withoutProcItSaysWhy(command: String) async throws {
    try await withTemporaryDirectory { folder in
      try write("  - {name: A, type: tcp, host: 127.0.0.1, port: 9}\n", in: folder)
      let outcome = try await shell("mount -t tmpfs none /proc; exec \"$0\" \(command)", in: folder)
        .finish(within: .seconds(30))
      #expect(outcome.status == 70)
      #expect(outcome.stdout.isEmpty)
      #expect(
        outcome.stderr.hasPrefix(
          "quartz-agent: error: /proc is not mounted, and the arguments of this command are read from it\n"),
        "\(outcome.stderr)")
    }
  }

  /// With little memory of its own it serves or ends with a reason; it never just hangs.
  @Test(arguments: [8, 16, 24, 32, 48, 64, 96, 128, 256], ["data", "as"])
  func withLittleMemoryItRunsOrSaysWhy(mebibytes: Int, limit: String) async throws {
    try await withTemporaryDirectory { folder in
      try write("  - {name: A, type: tcp, host: 127.0.0.1, port: 9}\n", in: folder)
      // The address space holds the binary and its libraries as well.
      let bytes = (limit == "as" ? mebibytes + 160 : mebibytes) << 20
      let process = try shell("exec prlimit --\(limit)=\(bytes) \"$0\" run", in: folder)
      try await eventually("a word, or an end", process) {
        !process.isRunning || process.stderr.contains("probing 1 check")
      }
      if process.isRunning {
        process.send(SIGTERM)
        #expect(try await process.finish(within: .seconds(20)).status == 0)
      } else {
        let outcome = try await process.finish()
        #expect(outcome.status == 70 || outcome.status == 127, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("error") && outcome.stderr.count < 600, "\(outcome.stderr)")
      }
    }
  }

  /// With a stack that nothing fits into, each command says so in two lines; a soft limit is raised as far as it may be.
  @Test(arguments: [48, 64, 128, 256, 512], ["run", "once", "validate", "status", "doctor", "--version"])
  func withLittleStackItSaysWhy(kibibytes: Int, command: String) async throws {
    try await withTemporaryDirectory { folder in
      try write("  - {name: A, type: tcp, host: 127.0.0.1, port: 9}\n", in: folder)
      let bytes = kibibytes << 10
      let outcome = try await shell("exec prlimit --stack=\(bytes):\(bytes) \"$0\" \(command)", in: folder)
        .finish(within: .seconds(30))
      #expect(outcome.status == 70 && outcome.stdout.isEmpty)
      #expect(
        outcome.stderr == """
          quartz-agent: error: the stack limit of this process is below the 1 MiB that it needs
          quartz-agent: hint: raise the hard limit with ulimit -s 8192 (KiB) or LimitSTACK=8M in the unit

          """)
    }
  }

  @Test(arguments: ["65536:1048576", "65536:67108864", "1048576:1048576", "unlimited:unlimited"])
  func withEnoughStackItRuns(limits: String) async throws {
    try await withTemporaryDirectory { folder in
      try write("  - {name: A, type: tcp, host: 127.0.0.1, port: 9}\n", in: folder)
      let valid = try await shell("exec prlimit --stack=\(limits) \"$0\" validate", in: folder).finish()
      #expect(valid.status == 0, "\(valid.stderr)")
      let doctor = try await shell("exec prlimit --stack=\(limits) \"$0\" doctor || :", in: folder).finish()
      let soft =
        limits.hasPrefix("unlimited")
        ? "no limit" : limits.hasSuffix("67108864") ? "limit 8192 KiB" : "limit 1024 KiB"
      #expect(doctor.stdout.contains("\(soft), and 8192 KiB for each further thread"), "\(doctor.stdout)")
      let process = try shell("exec prlimit --stack=\(limits) \"$0\" run", in: folder)
      try await process.wait(for: "a start") { process.stderr.contains("probing 1 check") }
      process.send(SIGTERM)
      #expect(try await process.finish().status == 0)
    }
  }

  /// The agent's own files and connections take what is left for probes.
  @Test(
    arguments: [("64", "limit 64, so 5 probes at once"), ("255", nil), ("4096", nil)] as [(String, String?)])
  func fewDescriptorsAreAWarningOfDoctor(limit: String, text: String?) async throws {
    try await withTemporaryDirectory { folder in
      try write("  - {name: A, type: tcp, host: 127.0.0.1, port: 9}\n", in: folder)
      let outcome = try await shell(
        "exec prlimit --nofile=\(limit):\(limit) \"$0\" doctor --format json || :", in: folder
      ).finish()
      let findings = try JSONValue.parse(outcome.stdout.utf8).array ?? []
      let finding = try #require(findings.first { $0["area"]?.string == "descriptors" })
      #expect(finding["verdict"]?.string == (limit == "4096" ? "ok" : "warning"))
      if let text { #expect(finding["text"]?.string == text) }
    }
  }

  @Test func aNameOfAFewHundredThousandMarksIsAProblemInALine() async throws {
    try await withTemporaryDirectory { folder in
      let name = "a" + String(repeating: "\u{301}", count: 400_000)
      try write("  - {name: \"\(name)\", type: tcp, host: 127.0.0.1, port: 9}\n", in: folder)
      for command in ["validate", "run", "once"] {
        let process = try AgentProcess([command], in: folder)
        let outcome = try await process.finish(within: .seconds(20))
        #expect(outcome.status == 78)
        #expect(
          outcome.stderr.contains("name must be at most 200 bytes, found 800001"), "\(outcome.stderr)")
        #expect(outcome.stderr.utf8.count < 600)
      }
    }
  }

  /// No core, nobody but root reads its memory; and what it reads of itself in /proc it can still read.
  @Test func itIsNotDumpable() async throws {
    try await withTemporaryDirectory { folder in
      let open = URL(filePath: "/tmp/quartz-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: open, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: open) }
      try write("  - {name: A, type: tcp, host: 127.0.0.1, port: 9}\n", in: open)
      #expect(chown(open.path, 65_534, 65_534) == 0)
      let process = try AgentProcess(
        ["--reuid=65534", "--regid=65534", "--clear-groups", Self.copied(to: open), "run"], in: open,
        program: URL(filePath: "/usr/bin/setpriv"))
      try await process.wait(for: "a start") { process.stderr.contains("probing 1 check") }
      var facts = stat()
      #expect(stat("/proc/\(process.identifier)/environ", &facts) == 0)
      #expect(facts.st_uid == 0, "dumpable: its files in /proc belong to its user")
      #expect(stat("/proc/\(process.identifier)", &facts) == 0)
      let limits = try String(
        contentsOf: URL(filePath: "/proc/\(process.identifier)/limits"), encoding: .utf8)
      let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
      #expect(core?.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
      #expect(!process.stderr.contains("in memory only"), "\(process.stderr)")
      process.send(SIGTERM)
      #expect(try await process.finish().status == 0)
    }
  }

  /// A user without a name cannot run what lies in root's folders.
  private static func copied(to folder: URL) throws -> String {
    let place = folder.appending(path: "quartz-agent")
    try FileManager.default.copyItem(at: AgentProcess.binary, to: place)
    return place.path
  }

  private static let closed = "echo '1 0' > /proc/sys/net/ipv4/ping_group_range; ip link set lo up; "

  /// Where the kernel keeps everybody out, root pings over raw sockets, and doctor, validate and run say so; without
  /// the capability they say what would help.
  @Test func pingWhereOnlyRootMay() async throws {
    try await withTemporaryDirectory { folder in
      try write("  - {name: A, type: ping, host: 127.0.0.1}\n", in: folder)
      let up = try await shell(Self.closed + "exec \"$0\" once", in: folder).finish()
      #expect(up.status == 0, "\(up.stdout)\(up.stderr)")
      let valid = try await shell(Self.closed + "exec \"$0\" validate", in: folder).finish()
      #expect(
        valid.status == 0 && valid.stderr.contains("note: ICMP echo goes over raw sockets"), "\(valid.stderr)"
      )
      let doctor = try await shell(Self.closed + "exec \"$0\" doctor || :", in: folder).finish()
      #expect(doctor.stdout.contains("ICMP echo goes over raw sockets (CAP_NET_RAW)"), "\(doctor.stdout)")
      let dropped = Self.closed + "exec setpriv --bounding-set=-net_raw --inh-caps=-net_raw \"$0\" "
      let refused = try await shell(dropped + "once", in: folder).finish()
      #expect(refused.status == 3)
      #expect(refused.stdout.contains("set net.ipv4.ping_group_range = 0 2147483647 with sysctl"))
      let warned = try await shell(dropped + "validate", in: folder).finish()
      #expect(warned.stderr.contains("warning: ping checks cannot run on this machine"), "\(warned.stderr)")
      // The state directory is another user's: root answers for that one.
      let owned = "mkdir state; chown 10077 state; " + Self.closed
      let judged = try await shell(owned + "exec \"$0\" validate", in: folder).finish()
      #expect(judged.stderr.contains("warning: ping checks cannot run on this machine"), "\(judged.stderr)")
    }
  }
}
