// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// The sections, and what they are when they say nothing.
struct SettingsTests {
  @Test func defaults() throws {
    let settings = try settings(oneCheck, file: "/etc/quartz/agent.yaml")
    #expect(settings.agent.name == "test-host" && settings.agent.region == nil)
    #expect(settings.agent.stateDir == "/var/lib/quartz-agent")
    #expect(settings.status.listen == .unix(path: "/var/lib/quartz-agent/agent.sock"))
    #expect(settings.limits.inFlight == nil && settings.limits.inFlightPerHost == 8)
    #expect(settings.limits.remoteChecks == 2000 && settings.limits.remoteIntervalMin == .seconds(10))
    #expect(settings.defaults.interval == .seconds(60) && settings.defaults.timeout == .seconds(10))
    #expect(settings.defaults.retries == 1 && settings.defaults.retryDelay == .seconds(2))
    #expect(settings.spool.size == 268_435_456 && settings.spool.durability == .always)
    #expect(settings.egress == EgressSettings() && settings.quartz == nil)
    #expect(settings.checks.count == 1 && settings.secretPaths.isEmpty)
  }

  /// Where the file lies decides, not where the agent was started.
  @Test(arguments: [
    ("agent.yaml", "state", "state"), ("agent.yaml", "./state", "state"),
    ("/etc/q/agent.yaml", "./state", "/etc/q/state"),
    ("conf/agent.yaml", "state", "conf/state"), ("/agent.yaml", "state", "/state"),
    ("a.yaml", "/srv/x", "/srv/x"),
    ("./agent.yaml", "./state", "state"), ("agent.yaml", ".", "."),
  ])
  func pathsAreRelativeToTheFile(file: String, directory: String, expected: String) throws {
    #expect(
      try settings("agent: {state_dir: \(directory)}\n" + oneCheck, file: file).agent.stateDir == expected)
  }

  @Test(arguments: [
    ("off", ListenAddress?.none), ("127.0.0.1:9797", .tcp(host: "127.0.0.1", port: 9797)),
    ("localhost:0", .tcp(host: "localhost", port: 0)), ("\"[::1]:9797\"", .tcp(host: "::1", port: 9797)),
    ("unix:/run/agent.sock", .unix(path: "/run/agent.sock")), ("unix:agent.sock", .unix(path: "agent.sock")),
    ("127.8.8.8:1", .tcp(host: "127.8.8.8", port: 1)),
    ("0.0.0.0:9797, allow_unauthenticated: true", .tcp(host: "0.0.0.0", port: 9797)),
    ("\"[2001:db8::1]:80\", read_token: 0123456789abcdef", .tcp(host: "2001:db8::1", port: 80)),
  ])
  func listen(text: String, expected: ListenAddress?) throws {
    #expect(try settings("status: {listen: \(text)}\n" + oneCheck).status.listen == expected)
  }

  /// A token has at least ten characters.
  @Test(arguments: [("012345678", false), ("0123456789", true), ("0123456789a", true)])
  func aTokenHasTenCharacters(token: String, isLongEnough: Bool) {
    let text = "status: {listen: \"127.0.0.1:9797\", read_token: \"\(token)\"}\n"
    #expect(problems(text + oneCheck).isEmpty == isLongEnough)
  }

  @Test(arguments: [
    "0.0.0.0:9797", "192.0.2.1:80", "example.com:80", "\":9797\"", "127.0.0.1", "127.0.0.1:", "\"unix:\"",
  ])
  func listenRefuses(text: String) {
    #expect(problems("status: {listen: \(text)}\n" + oneCheck).count == 1)
  }

  @Test func limitsAndSpool() throws {
    let settings = try settings(
      """
      limits: {in_flight: 50, in_flight_per_host: 2, remote_checks: 7, remote_interval_min: 1m}
      spool: {size: 64MiB, durability: interval}

      """ + oneCheck)
    #expect(settings.limits.inFlight == 50 && settings.limits.inFlightPerHost == 2)
    #expect(settings.limits.remoteChecks == 7 && settings.limits.remoteIntervalMin == .seconds(60))
    #expect(settings.spool.size == 67_108_864 && settings.spool.durability == .interval)
  }

  @Test func egress() throws {
    let settings = try settings(
      """
      egress:
        mode: allowlist_only
        allow: [10.0.0.0/8, "10.0.0.0/8:443", 192.0.2.1, "[2001:db8::/32]:8080", 2001:db8::/48]
        deny: [10.9.0.0/16]
        ports: [80]

      """ + oneCheck)
    #expect(settings.egress.mode == .allowlistOnly && settings.egress.ports == [80])
    #expect(
      settings.egress.allow.map(\.range.description) == [
        "10.0.0.0/8", "10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32", "2001:db8::/48",
      ])
    #expect(settings.egress.allow.map(\.ports) == [[], [443], [], [8080], []])
    #expect(settings.egress.deny.map(\.range.description) == ["10.9.0.0/16"])
  }

  /// A check that says nothing has the file's defaults; one that says something has its own.
  @Test func defaultsReachTheChecks() throws {
    let settings = try settings(
      """
      defaults: {interval: 20s, timeout: 15s, retries: 3, retry_delay: 1s}
      checks:
        - {name: A, type: tcp, host: a, port: 1}
        - {name: B, type: tcp, host: a, port: 1, interval: 5s, retries: 0, retry_delay: 0s}
      """)
    let (first, second) = (settings.checks[0], settings.checks[1])
    #expect(first.interval == .seconds(20) && first.timeout == .seconds(15) && first.retries == 3)
    #expect(first.retryDelay == .seconds(1))
    // A shorter interval pulls the default timeout with it; it is nobody's mistake.
    #expect(second.interval == .seconds(5) && second.timeout == .seconds(5))
    #expect(second.retries == 0 && second.retryDelay == .zero)
  }

  @Test func checksMayComeFromTheAPIAlone() throws {
    let settings = try settings(
      """
      quartz:
        url: https://quartz.example/v1
        api_key: "${file:/secrets/key}"
        checks: {pull: true, only: {types: [http]}}
      """)
    #expect(settings.checks.isEmpty && settings.quartz?.checks.pull == true)
  }

  @Test func everyTypeOfCheck() throws {
    let settings = try settings(
      """
      checks:
        - {name: H, type: http, url: "https://a.example/", expect: {status: any}}
        - {name: T, type: tcp, host: "::1", port: 22, tags: [a, b], enabled: false, post: true}
        - {name: S, type: tls, host: a.example, expect: {certificate: {fail: 30d}}, tls: {ca_file: ca.pem}}
        - {name: D, type: dns, query: {name: a.example, type: txt, recursion: false}, expect: {rcode: [noerror, NXDOMAIN]}}
        - {name: P, type: ping, host: a.example, expect: {loss: {warn: 12.5%}}}
      """, file: "/etc/agent.yaml")
    #expect(settings.checks.map(\.type) == [.http, .tcp, .tls, .dns, .ping])
    #expect(settings.checks[1].tags == ["a", "b"] && !settings.checks[1].enabled && settings.checks[1].post)
    guard case .tls(let tls) = settings.checks[2].kind, case .dns(let dns) = settings.checks[3].kind,
      case .ping(let ping) = settings.checks[4].kind
    else {
      Issue.record("wrong kinds")
      return
    }
    #expect(tls.options.caFile == "/etc/ca.pem" && tls.certificate.warn == nil)
    #expect(dns.recordType == "TXT" && dns.expect.rcodes == ["NOERROR", "NXDOMAIN"] && !dns.recursion)
    #expect(ping.loss == Thresholds(warn: 12.5))
  }
}
