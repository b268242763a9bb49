// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

/// Presets and STARTTLS against the servers Debian has, each also with everything it says cut into single bytes.
@Suite(.enabled(if: geteuid() == 0), .timeLimit(.minutes(5))) struct RealServerTests {
  /// One check of a server.
  enum Use: Hashable, Sendable {
    /// A preset on the plain connection.
    case plain(DialogPreset)
    /// STARTTLS, then the preset; nil: a tls check.
    case upgraded(StartTLSProtocol, DialogPreset?)

    var words: String {
      switch self {
      case .plain(let preset): "dialog: \(preset.rawValue)"
      case .upgraded(let kind, let preset?): "starttls: \(kind.rawValue), dialog: \(preset.rawValue)"
      case .upgraded(let kind, nil): "type: tls, starttls: \(kind.rawValue)"
      }
    }

    func check(_ port: UInt16) throws -> MonitoringCheck {
      let isTLSCheck = if case .upgraded(_, nil) = self { true } else { false }
      return try makeCheck(isTLSCheck ? "tls" : "tcp") {
        ($0.host, $0.port, $0.timeout) = ("good.test", Int(port), .seconds(30))
        switch self {
        case .plain(let preset): $0.dialogPreset = preset.rawValue
        case .upgraded(let kind, let preset):
          ($0.startTLS, $0.dialogPreset) = (kind.rawValue, preset?.rawValue)
        }
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let daemon: Daemon
    let uses: [Use]
    var testDescription: String { daemon.name }

    init(_ daemon: Daemon, _ uses: Use...) { (self.daemon, self.uses) = (daemon, uses) }
  }

  static let cases = [
    Case(.ssh, .plain(.ssh)),
    Case(.smtp, .plain(.smtp), .upgraded(.smtp, .smtp), .upgraded(.smtp, nil)),
    Case(.imap, .plain(.imap), .upgraded(.imap, .imap), .upgraded(.imap, nil)),
    Case(.pop3, .plain(.pop3), .upgraded(.pop3, .pop3), .upgraded(.pop3, nil)),
    Case(.ftp, .plain(.ftp), .upgraded(.ftp, .ftp), .upgraded(.ftp, nil)),
    Case(.redis, .plain(.redis)),
    Case(.lockedRedis, .plain(.redis)),
    Case(.memcached, .plain(.memcached)),
    Case(.postgres, .plain(.postgres), .upgraded(.postgres, .postgres), .upgraded(.postgres, nil)),
    Case(.mysql, .plain(.mysql), .upgraded(.mysql, .mysql), .upgraded(.mysql, nil)),
    Case(.ldap, .plain(.ldap), .upgraded(.ldap, .ldap), .upgraded(.ldap, nil)),
    Case(.mqtt, .plain(.mqtt)),
    Case(.xmpp, .upgraded(.xmpp, nil)),
  ]

  @Test("B2.3 real servers, whole and in single bytes", arguments: cases)
  func speaksWith(example: Case) async throws {
    try await example.daemon.run { port, authority in
      let bench = ProbeBench(trust: TrustStore(bundle: authority.rootFile), limit: .seconds(30))
      try await settle(example.uses[0], port, bench)
      for use in example.uses {
        let whole = try await probe(use, port, bench)
        let split = try await withByteSplitter(before: port) { try await probe(use, $0, bench) }
        for outcome in [whole, split] {
          #expect(outcome.verdict == .ok, "\(use.words): \(outcome.verdict) \(outcome.dialog)")
          #expect(!outcome.dialog.isEmpty && outcome.dialog.allSatisfy(\.ok), "\(use.words)")
          if case .upgraded = use {
            #expect(outcome.tls?.verified == true, "\(use.words)")
            #expect(outcome.timings.tls ?? .zero > .zero, "\(use.words)")
            #expect(outcome.dialog.contains { $0.what.hasPrefix("starttls: ") }, "\(use.words)")
            let timings = outcome.timings
            let parts = [timings.connect, timings.startTLS, timings.tls].compactMap(\.self)
            #expect(
              parts.count == 3 && parts.reduce(.zero, +) <= timings.total ?? .zero, "\(use.words): \(timings)"
            )
          }
        }
        #expect(whole.dialog.map(\.what) == split.dialog.map(\.what))
        try record(example.daemon, use, [whole, split])
      }
      // Many checks leave a service that still serves: nothing of ours counts against this host.
      for use in Set([example.uses.first, example.uses.last].compactMap(\.self)) {
        for _ in 0..<5 { #expect(try await probe(use, port, bench).verdict == .ok) }
      }
    }
  }

  /// One that listens may still be starting, and says so.
  private func settle(_ use: Use, _ port: UInt16, _ bench: ProbeBench) async throws {
    try await until("a server that serves") { try await probe(use, port, bench).verdict == .ok }
  }

  private func probe(_ use: Use, _ port: UInt16, _ bench: ProbeBench) async throws -> ProbeOutcome {
    let check = try use.check(port)
    return try await check.type == .tls ? bench.tls(check) : bench.tcp(check)
  }

  /// A line of docs/evidence/servers.md, where the environment asks for them.
  private func record(_ daemon: Daemon, _ use: Use, _ outcomes: [ProbeOutcome]) throws {
    guard let path = ProcessInfo.processInfo.environment["QUARTZ_EVIDENCE"] else { return }
    let steps = outcomes[0].dialog.map(\.what).joined(separator: ", ")
    let verdicts = outcomes.map(\.verdict.reason.rawValue).joined(separator: " | ")
    let protocolVersion = outcomes[0].tls?.version ?? ""
    let line =
      "| \(daemon.name) | \(daemon.package) | `\(use.words)` | \(steps) | \(protocolVersion) | \(verdicts) |\n"
    guard let file = fopen(path, "a") else { throw POSIXFailure("fopen", errno) }
    fputs(line, file)
    fclose(file)
  }
}
