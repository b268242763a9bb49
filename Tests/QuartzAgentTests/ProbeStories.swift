// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// `/probe` of the shipped binary; what it says beside blackbox_exporter is what scripts/prove-probe compares.
@Suite struct ProbeStories {
  private static let modules = """
    modules:
      page: {prober: http, timeout: 5s, http: {preferred_ip_protocol: ip4}}
      banner: {prober: tcp, timeout: 30s, tcp: {query_response: [{expect: "^hello"}]}}
      cel: {prober: http, http: {fail_if_body_json_matches_cel: "body.a == 1"}}
      insecure: {prober: http, http: {basic_auth: {username: a, password: b}, tls_config: {insecure_skip_verify: true}}}
      typo: {prober: http, http: {fail_if_sll: true}}
      secret: {prober: http, http: {basic_auth: {username: ann, password: canary-password}}}
    """

  /// Runs the agent and asks it.
  private func run(
    _ probe: String, modules: String? = Self.modules, more: String = "",
    _ body: (AgentProcess, UInt16, URL) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let port = try freePort()
      try """
      agent: {name: probes, state_dir: state}
      status: {listen: "127.0.0.1:\(port)"}
      spool: {size: 16MiB}
      probe: {modules: blackbox.yml, allow: [127.0.0.1/32]\(probe)}
      \(more)
      checks: [{name: a, type: tcp, host: 127.0.0.1, port: 1, interval: 1h}]
      """.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      try modules?.write(to: folder.appending(path: "blackbox.yml"), atomically: true, encoding: .utf8)
      let process = try AgentProcess(["run", "-c", "agent.yaml"], in: folder)
      try await eventually("an answer", process) {
        await !statusAnswer("/livez", port: port).isEmpty
      }
      try await body(process, port, folder)
      process.send(SIGTERM)
      _ = try await process.finish()
    }
  }

  private static let page: @Sendable (LoopbackConnection) -> Void = { connection in
    _ = connection.read(until: "\r\n\r\n")
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    connection.waitForEnd()
  }

  @Test func aTargetIsProbed() async throws {
    try await withLoopbackServer(script: Self.page) { server in
      try await run(", trust: local") { process, port, _ in
        let target = "127.0.0.1:\(server.port)"
        let answer = await statusAnswer("/probe?module=page&target=\(target)", port: port)
        for line in [
          "probe_success 1", "probe_http_status_code 200", "probe_http_uncompressed_body_length 2",
          "probe_ip_protocol 4",
        ] {
          #expect(answer.contains("\n\(line)\n"), "\(line): \(answer)")
        }
        #expect(!answer.contains("probe_failure_info"))
        let log = await statusAnswer("/probe?module=page&target=\(target)&debug=true", port: port)
        #expect(log.contains("Probe succeeded") && log.contains("Metrics that would have been returned:"))
        #expect(await statusAnswer("/probe/last", port: port).contains(" page \(target) succeeded "))
        let metrics = await statusAnswer("/metrics", port: port)
        for line in [
          "quartz_probe_requests_total{outcome=\"success\"} 2", "quartz_probe_in_flight 0",
          "blackbox_module_unknown_total 0", "blackbox_exporter_config_last_reload_successful 1",
        ] {
          #expect(metrics.contains(line), "\(line)")
        }
      }
    }
  }

  /// What the exporter answers with 400 is answered with 400; what it calls a failed probe is one.
  @Test func badQuestions() async throws {
    try await run(", trust: local") { process, port, _ in
      for (query, words) in [
        ("module=page", "Target parameter is missing"), ("target=a.example", "Unknown module \"http_2xx\""),
        ("module=none&target=a", "Unknown module \"none\""), ("module=none", "Unknown module \"none\""),
        ("module=cel&target=a", "CEL is not spoken here"),
        ("module=typo&target=a", "http.fail_if_sll: blackbox_exporter has no such key"),
        ("module=insecure&target=a", "tls.verify false would send the credentials"),
      ] {
        let answer = await statusAnswer("/probe?\(query)", port: port)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(words), "\(query): \(answer)")
      }
      for target in [
        "http://", "http://a..b/", "http://%20/", "ftp://a/", "a:99999", "[::1", "-",
        "a%0d%0aX-Injected:%201", String(repeating: "a", count: 3000),
      ] {
        let answer = await statusAnswer("/probe?module=page&target=\(target)", port: port)
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("\nprobe_success 0\n"), "\(target)")
        #expect(answer.contains("probe_failure_info{reason="), "\(target)")
      }
      #expect(process.stderr.contains("a module asks for what is not done here"))
      #expect(await statusAnswer("/metrics", port: port).contains("blackbox_module_unknown_total 3"))
    }
  }

  /// What becomes the Host header and the name in TLS is ASCII, or the question is refused in words.
  @Test func aHostnameIsASCII() async throws {
    try await withLoopbackServer(script: Self.page) { server in
      try await run(", trust: local") { process, port, _ in
        let query = "/probe?module=page&target=127.0.0.1:\(server.port)&hostname="
        for hostname in [
          "b%C3%BCcher.example", "%C2%A0", "a%00b", "a%0d%0aX-Injected:%201", "a%20b", "a%09b", "a/b",
          "user@host", "a%25b", "%F0%9F%90%A2.example", "a,b", String(repeating: "a", count: 256),
        ] {
          let answer = await statusAnswer(query + hostname, port: port)
          #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(hostname): \(answer)")
          #expect(answer.contains("is no host name: up to 255 of a-z, 0-9, - _ . and a port"), "\(answer)")
        }
        #expect(server.accepted == 0)
        let fine = await statusAnswer(query + "xn--bcher-kva.example:8080", port: port)
        #expect(fine.contains("\nprobe_success 1\n") && server.accepted == 1, "\(fine)")
      }
    }
  }

  /// Nothing else of a question reaches a request but in ASCII: a path is escaped, a name has its form in DNS.
  @Test func aTargetIsSentAsASCII() async throws {
    let heads = Mutex<[String]>([])
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      let head = connection.read(until: "\r\n\r\n")
      heads.withLock { $0.append(head) }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    try await withLoopbackServer(script: script) { server in
      try await run(", trust: local") { process, port, _ in
        for path in ["b%C3%BCcher", "%3Fq=%C3%BC%23%C3%BC", "%F0%9F%90%A2"] {
          let target = "http://127.0.0.1:\(server.port)/\(path)"
          _ = await statusAnswer("/probe?module=page&target=\(target)", port: port)
        }
        let seen = heads.withLock { $0 }
        #expect(seen.count == 3)
        for head in seen {
          let strange = head.utf8.filter { $0 >= 0x7f }
          #expect(strange == [], "\(head)")
        }
      }
    }
  }

  /// Where a file should be lies a pipe that nobody writes to: the agent starts, and says so.
  @Test func aPipeHoldsUpNothing() async throws {
    try await withTemporaryDirectory { folder in
      for name in ["blackbox.yml", "networks"] { #expect(mkfifo(folder.path + "/" + name, 0o600) == 0) }
      try RunStories.config(
        "  - {name: a, type: tcp, host: 127.0.0.1, port: 1, interval: 1h}",
        more: """
          status: {listen: "127.0.0.1:\(try freePort())"}
          probe: {modules: \(folder.path)/blackbox.yml, allow: [127.0.0.1/32]}
          trace: {networks: \(folder.path)/networks}
          """, in: folder)
      let process = try AgentProcess(["run"], in: folder)
      try await process.wait(for: "a start") { process.stderr.contains("probing 1 check") }
      process.send(SIGTERM)
      let outcome = try await process.finish()
      #expect(outcome.status == 0)
      for name in ["blackbox.yml", "networks"] {
        #expect(
          outcome.stderr.contains("\(folder.path)/\(name): this is no regular file"), "\(outcome.stderr)")
      }
    }
  }

  /// A stranger's target goes where a check from the API may go, and nothing is told of the rest.
  @Test func aStrangersTargetIsDenied() async throws {
    try await withLoopbackServer(script: Self.page) { server in
      try await run("") { process, port, _ in
        for target in ["127.0.0.1:\(server.port)", "10.0.0.1", "169.254.169.254", "[::1]:\(server.port)"] {
          let answer = await statusAnswer("/probe?module=page&target=\(target)", port: port)
          #expect(answer.contains("probe_failure_info{reason=\"policy_denied\""), "\(target): \(answer)")
          #expect(answer.contains("\nprobe_ip_addr_hash 0\n"), "\(target)")
        }
        #expect(server.accepted == 0)
      }
      let open = "egress: {allow: [\"127.0.0.1/32:\(server.port)\"], ports: [\(server.port)]}"
      try await run("", more: open) { process, port, _ in
        let answer = await statusAnswer("/probe?module=page&target=127.0.0.1:\(server.port)", port: port)
        #expect(answer.contains("\nprobe_success 1\n"), "\(answer)")
      }
    }
  }

  /// Half a second before the scrape gives up there is an answer.
  @Test func theScrapesTimeHolds() async throws {
    let silent: @Sendable (LoopbackConnection) -> Void = { $0.waitForEnd() }
    try await withLoopbackServer(script: silent) { server in
      try await run(", trust: local") { process, port, _ in
        // The module's own 30 s are as long as an answer is waited for here.
        let start = ContinuousClock.now
        let answer = await statusAnswer(
          "/probe?module=banner&target=127.0.0.1:\(server.port)", port: port,
          headers: "X-Prometheus-Scrape-Timeout-Seconds: 1\r\n")
        #expect(ContinuousClock.now - start >= .milliseconds(490))
        #expect(answer.contains("probe_failure_info{reason=\"first_byte_timeout\",phase=\"dialog\"} 1"))
        let line = answer.split(separator: "\n").first { $0.hasPrefix("probe_duration_seconds ") }
        let seconds = try #require(line.flatMap { Double($0.dropFirst(23)) }, "\(answer)")
        #expect(seconds >= 0.49 && seconds < 29)
      }
    }
  }

  /// A file that cannot be read is said; once it can, SIGHUP takes it, and what is broken later changes nothing.
  @Test func modulesAreReadAgain() async throws {
    let fine = "modules:\n  page: {prober: http, timeout: 5s, http: {preferred_ip_protocol: ip4}}\n"
    try await run(", trust: local", modules: nil) { process, port, folder in
      let path = "/probe?module=page&target=127.0.0.1:1"
      #expect(await statusAnswer(path, port: port).hasPrefix("HTTP/1.1 503 "))
      let file = folder.appending(path: "blackbox.yml")
      try fine.write(to: file, atomically: true, encoding: .utf8)
      process.send(SIGHUP)
      try await eventually("the modules", process) {
        await statusAnswer(path, port: port).contains("connect_refused")
      }
      for (broken, words) in [
        ("modules: [", "no valid YAML"),
        (
          "modules: {page: {prober: http, http: {fail_if_sll: true}}}",
          "page: http.fail_if_sll: blackbox_exporter has no such key"
        ),
        (
          "modules: {page: {prober: http, http: {fail_if_body_matches_regexp: [\"a(\"]}}}",
          "page: a pattern is none"
        ),
      ] {
        try broken.write(to: file, atomically: true, encoding: .utf8)
        let answer = await statusAnswer("/-/reload", port: port, method: "POST")
        #expect(
          answer.hasPrefix("HTTP/1.1 500 ") && answer.contains("failed to reload config: "), "\(answer)")
        #expect(answer.contains(words), "\(answer)")
        #expect(await statusAnswer(path, port: port).contains("connect_refused"))
        let metrics = await statusAnswer("/metrics", port: port)
        #expect(metrics.contains("blackbox_exporter_config_last_reload_successful 0"))
        #expect(await statusAnswer("/config", port: port).contains("  page:\n    prober: http\n"))
      }
      try "modules: {other: {prober: icmp}}".write(to: file, atomically: true, encoding: .utf8)
      #expect(await statusAnswer("/-/reload", port: port, method: "POST").hasPrefix("HTTP/1.1 200 "))
      #expect(await statusAnswer(path, port: port).contains("Unknown module"))
      #expect(await statusAnswer("/-/healthy", port: port).hasSuffix("Healthy"))
    }
  }

  /// `validate` says of the modules what the agent would.
  @Test func modulesAreValidated() async throws {
    try await withTemporaryDirectory { folder in
      try """
      agent: {name: probes, state_dir: state}
      status: {listen: "127.0.0.1:1"}
      probe: {modules: blackbox.yml, allow: [127.0.0.1/32]}
      checks: [{name: a, type: tcp, host: 127.0.0.1, port: 1}]
      """.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
      for (modules, status, words) in [
        ("modules: {a: {prober: icmp}}", 0, ""),
        (
          "modules: {a: {prober: http, http: {enable_http3: true}}}", 0,
          "warning: probe.modules: not done here: a: "
        ),
        (
          "modules: {a: {prober: http, http: {x: 1}}}", 78,
          "probe.modules: a: http.x: blackbox_exporter has no such key"
        ),
        ("modules: [", 78, "no valid YAML"),
      ] {
        try modules.write(to: folder.appending(path: "blackbox.yml"), atomically: true, encoding: .utf8)
        let made = try await AgentProcess(["validate", "-c", "agent.yaml"], in: folder).finish()
        #expect(
          made.status == Int32(status) && (words.isEmpty || made.stderr.contains(words)), "\(made.stderr)")
      }
    }
  }

  /// A module's password is sent to the target, and is in no answer and no log.
  @Test func secretsStay() async throws {
    let echo: @Sendable (LoopbackConnection) -> Void = { connection in
      let text = connection.read(until: "\r\n\r\n")
      connection.write("HTTP/1.1 401 No\r\nContent-Length: \(text.utf8.count)\r\n\r\n")
      connection.write(text)
      connection.waitForEnd()
    }
    try await withLoopbackServer(script: echo) { server in
      try await run(", trust: local") { process, port, _ in
        let answer = await statusAnswer(
          "/probe?module=secret&target=127.0.0.1:\(server.port)&debug=true", port: port)
        #expect(answer.contains("http_status"), "\(answer)")
        for word in ["canary-password", "YW5uOmNhbmFyeS1wYXNzd29yZA=="] {
          #expect(!answer.contains(word) && !process.stderr.contains(word), "\(word)")
        }
      }
    }
  }
}
