// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// How names become addresses, and where probes may go, with the shipped binary.
@Suite struct NetworkStories {
  private func write(_ checks: String, in folder: URL) throws {
    let yaml = "agent: {name: test, state_dir: \(folder.path)/state}\nchecks:\n" + checks
    try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
  }

  /// A name of the hosts file with addresses of both families, of which this machine has a route for one: ping, too, tries that
  /// one, whichever stands first.
  @Test(
    .enabled(if: geteuid() == 0, "changes /etc/hosts in a namespace of its own, which needs root"),
    arguments: [["2001:db8::7", "127.0.0.9"], ["127.0.0.9", "2001:db8::7"]])
  func pingTriesTheFamilyThatHasARoute(addresses: [String]) async throws {
    try await withTemporaryDirectory { folder in
      let lines = addresses.map { "\($0) twice.test\n" }.joined()
      try lines.write(to: folder.appending(path: "hosts"), atomically: true, encoding: .utf8)
      let script =
        "ip link set lo up; mount --bind hosts /etc/hosts; exec \"$0\" once ping://twice.test --format ndjson"
      let outcome = try await AgentProcess(
        ["-mn", "/bin/sh", "-ec", script, AgentProcess.binary.path], in: folder,
        environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], program: URL(filePath: "/usr/bin/unshare")
      ).finish()
      let result = try JSONValue.parse(outcome.stdout.utf8)
      #expect(
        result["state"]?.string == "up" && result["address"]?.string == "127.0.0.9", "\(outcome.stdout)")
    }
  }

  /// The variables of resolv.conf(5) win over the file (what is asked for, in order, with the type of its records).
  @Test(
    .enabled(if: geteuid() == 0, "changes /etc/resolv.conf in a namespace of its own, which needs root"),
    arguments: [
      ([:], ["web.x 28", "web.x 1", "web.x.file.test 28", "web.x.file.test 1"]),
      (
        ["LOCALDOMAIN": "one.test two.test"],
        [
          "web.x 28", "web.x 1", "web.x.one.test 28", "web.x.one.test 1", "web.x.two.test 28",
          "web.x.two.test 1",
        ]
      ),
      (["RES_OPTIONS": "no-aaaa ndots:2"], ["web.x.file.test 1", "web.x 1"]),
      (["RES_OPTIONS": "no-aaaa", "LOCALDOMAIN": ""], ["web.x 1"]),
    ] as [([String: String], [String])])
  func theVariablesOfTheResolverCount(variables: [String: String], names: [String]) async throws {
    try await withTemporaryDirectory { folder in
      let server = """
        import socket
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 53))
        open("ready", "w").close()
        while True:
            q, a = s.recvfrom(512)
            n, i = [], 12
            while q[i]:
                n.append(q[i + 1:i + 1 + q[i]].decode())
                i += q[i] + 1
            open("names", "a").write(".".join(n) + " " + str(q[i + 2]) + "\\n")
            s.sendto(q[:2] + b"\\x81\\x83\\0\\1\\0\\0\\0\\0\\0\\0" + q[12:i + 5], a)
        """
      for (name, text) in [
        ("server.py", server), ("resolv.conf", "nameserver 127.0.0.1\nsearch file.test\n"),
        ("hosts", "127.0.0.1 localhost\n"),
      ] { try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8) }
      let script =
        "ip link set lo up; mount --bind resolv.conf /etc/resolv.conf; mount --bind hosts /etc/hosts; "
        + "python3 server.py & for i in $(seq 300); do test -e ready && break; sleep 0.1; done; "
        + "\"$0\" once http://web.x/ --format ndjson || true; kill $!"
      let outcome = try await AgentProcess(
        ["-mn", "/bin/sh", "-ec", script, AgentProcess.binary.path], in: folder,
        environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"].merging(variables) { $1 },
        program: URL(filePath: "/usr/bin/unshare")
      ).finish()
      let asked = try String(contentsOf: folder.appending(path: "names"), encoding: .utf8)
        .split(separator: "\n").map(String.init)
      // Both families are asked for at once.
      #expect(
        Set(asked) == Set(names) && asked.count == names.count, "\(asked)\(outcome.stdout)\(outcome.stderr)")
    }
  }

  /// 127.0.0.9 refuses, 127.0.0.1 answers: raced, the host is up; each on its own, it is down.
  @Test func aResolverARaceAndEachAddress() async throws {
    let names = try TinyNameServer([[127, 0, 0, 9], [127, 0, 0, 1]])
    defer { names.stop() }
    let sources = Mutex<Set<String>>([])
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { link in
        _ = link.read(until: "\r\n\r\n")
        sources.withLock { _ = $0.insert(source(of: link.descriptor)) }
        link.write("HTTP/1.1 204 No Content\r\n\r\n")
      }) { server in
        let common = "resolver: 127.0.0.1:\(names.port), ip: 4, retries: 0"
        try write(
          """
            - {name: Raced, type: http, url: "http://both.test:\(server.port)/", \(common), source_address: 127.0.0.77}
            - {name: Each, type: http, url: "http://both.test:\(server.port)/", \(common), addresses: each}
          """, in: folder)
        let outcome = try await agent("once", in: folder)
        #expect(outcome.status == 2, "\(outcome.stderr)")
        let results = try outcome.stdout.split(separator: "\n").map { try JSONValue.parse($0.utf8) }
        let raced = try #require(results.first { $0["check"]?.string == "Raced" })
        #expect(raced["state"]?.string == "up", "\(outcome.stdout)")
        let dialled = raced["attempts"]?.array?.first?["dialled"]?.array ?? []
        #expect(
          dialled.map { $0["address"]?.string } == ["127.0.0.9:\(server.port)", "127.0.0.1:\(server.port)"])
        #expect(dialled.map { $0["outcome"]?.string } == ["failed", "connected"])
        #expect(dialled.first?["reason"]?.string == "connect_refused")
        #expect(sources.withLock { $0.contains("127.0.0.77") })

        let each = try #require(results.first { $0["check"]?.string == "Each" })
        #expect(each["state"]?.string == "down")
        #expect(each["reason"]?.string == "connect_refused")
        #expect(each["message"]?.string?.hasPrefix("127.0.0.9:\(server.port)") == true)
        let addresses = each["addresses"]?.array ?? []
        #expect(addresses.map { $0["state"]?.string } == ["down", "up"])
        #expect(addresses.map { $0["status_code"]?.integer } == [nil, 204])
        #expect(names.asked >= 2)

        let explained = try await agent("once", "Each", "--explain", "--format", "table", in: folder)
        #expect(explained.stdout.contains("127.0.0.9:\(server.port)"), "\(explained.stdout)")
      }
    }
  }

  @Test func namesInPeoplesLettersAreShownInBothForms() async throws {
    let names = try TinyNameServer([[127, 0, 0, 1]])
    defer { names.stop() }
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { link in
        let request = link.read(until: "\r\n\r\n")
        let isRight = request.contains("Host: xn--bcher-kva.test:")
        link.write("HTTP/1.1 \(isRight ? 204 : 404) Answer\r\nContent-Length: 0\r\n\r\n")
      }) { server in
        try write(
          """
            - {name: Books, type: http, url: "http://Bücher.test:\(server.port)/", resolver: "127.0.0.1:\(names.port)"}
          """, in: folder)
        let printed = try await agent("validate", "--print", in: folder)
        let line = "url: \"http://xn--bcher-kva.test:\(server.port)/\"  # bücher.test"
        #expect(printed.stdout.contains(line), "\(printed.stdout)\(printed.stderr)")
        let outcome = try await agent("once", in: folder)
        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        let result = try JSONValue.parse(outcome.stdout.dropLast().utf8)
        #expect(result["target"]?.string == "http://xn--bcher-kva.test:\(server.port)/ (bücher.test)")
      }
    }
  }

  /// Checks of the API: one aimed at the API itself, one with a method of its own, and one address more than the
  /// budget has. `allow` lists all of them.
  @Test func theAPICannotAimUsAtItselfOrScan() async throws {
    let backend = FakeQuartz()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          func check(_ number: Int, _ url: String, _ more: String = "") -> FakeCheck {
            FakeCheck(
              id: "\(number)1111111-1111-4111-8111-111111111111",
              members: """
                "check_type":"http","url":"\(url)","check_interval_seconds":10,"timeout_seconds":5\(more)
                """)
          }
          backend.checks = [
            check(1, "http://127.0.0.1:\(web.port)/"), check(2, "http://127.0.0.1:\(port)/v1/itself"),
            check(3, "http://127.0.0.2:\(web.port)/"),
          ]
          let yaml = """
            agent: {name: test, state_dir: \(folder.path)/state}
            spool: {size: 16MiB}
            limits: {destinations: 1, remote_interval_min: 10s}
            egress: {allow: ["127.0.0.0/8:\(web.port)", "127.0.0.0/8:\(port)"]}
            quartz:
              url: http://127.0.0.1:\(port)/v1
              api_key: \(FakeQuartz.key)
              checks: {pull: true}
            """
          try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
          let run = try AgentProcess(["run"], in: folder)
          var seen = ""
          try await eventually("the limit", run) {
            seen = try await agent("status", in: folder).stdout
            return seen.contains("limits.destinations")
          }
          #expect(seen.contains("is not run: it is aimed at the API itself"), "\(seen)")
          #expect(
            seen.contains("is not run: over the limit of 1 destinations (limits.destinations)"), "\(seen)")
          run.send(SIGTERM)
          let outcome = try await run.finish()
          #expect(outcome.status == 0, "\(outcome.stderr)")
          // What was refused says nothing about its target, so it is nobody's outage; which of the two addresses came
          // first is the schedule's choice.
          let posted = Set(backend.rows.compactMap(\.check.first))
          #expect(posted.isSubset(of: ["1", "3"]) && posted.count <= 1, "\(posted)")
        }
      }
    }
  }
}

/// The other end's address.
private func source(of descriptor: Int32) -> String {
  var raw = sockaddr_in()
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = withUnsafeMutablePointer(to: &raw) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
  }
  guard result == 0 else { return "" }
  let bits = UInt32(bigEndian: raw.sin_addr.s_addr)
  return [24, 16, 8, 0].map { String(bits >> $0 & 255) }.joined(separator: ".")
}
