// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// Networks that lead nowhere, each in a namespace of its own: what the shipped binary says of them, and what to do.
@Suite(.enabled(if: geteuid() == 0, "makes network namespaces, which needs root"), .timeLimit(.minutes(2)))
struct RouteStories {
  struct Case: Sendable, CustomStringConvertible {
    var what: String
    /// Lines of the shell before it.
    var network: String
    var target: String
    var state: String
    var reason: String
    var message: String
    var next: String
    var description: String { what }
  }

  private static let cable =
    "ip link add v0 type veth peer name v1; ip addr add 10.5.0.2/24 dev v0; ip link set v0 up; ip link set v1 up"
  private static let routes = "see the routes of this machine: ip route get"

  static let cases: [Case] =
    ["http://10.5.0.7/", "tcp://10.5.0.7:80", "tls://10.5.0.7:80"].map { target in
      Case(
        what: "a dead neighbour, \(target)", network: cable, target: target, state: "down",
        reason: "connect_unreachable",
        message:
          "10.5.0.7:80: no route to host (10.5.0.7 is on this machine's own network, and no host there answers for it)",
        next: "see whether the host is on, and whether its address and netmask are right")
    }
    + ["http://192.0.2.9/", "tcp://192.0.2.9:80"].map { target in
      Case(
        what: "no route, \(target)", network: "true", target: target, state: "unknown", reason: "local_fault",
        message: "no route from this machine to 192.0.2.9:80", next: routes)
    }
    + [
      ("unreachable", "calls 192.0.2.9 unreachable"), ("prohibit", "prohibits 192.0.2.9"),
      ("blackhole", "drops what goes to 192.0.2.9 (blackhole)"),
    ].flatMap { kind, words in
      ["http://192.0.2.9/", "tcp://192.0.2.9:80", "ping://192.0.2.9"].map { target in
        Case(
          what: "a route of type \(kind), \(target)", network: "ip route add \(kind) 192.0.2.0/24",
          target: target,
          state: "unknown", reason: "local_fault", message: "the routing table of this machine \(words)",
          next: routes)
      }
    }
    + ["http://[2001:db8::9]/", "tcp://[2001:db8::9]:80"].map { target in
      Case(
        what: "a firewall, \(target)",
        network: """
          ip addr add 2001:db8::9/128 dev lo; nft add table inet t; \
          nft 'add chain inet t in { type filter hook input priority 0; }'; \
          nft 'add rule inet t in ip6 daddr 2001:db8::9 meta l4proto tcp reject with icmpv6 type admin-prohibited'
          """, target: target, state: "down", reason: "connect_unreachable",
        message: "[2001:db8::9]:80: administratively prohibited by a firewall on the way",
        next: "open the rule of the firewall that says so: quartz-agent trace names it")
    }

  /// Each has a network of its own; neighbours that do not answer are given up after three seconds.
  @Test func eachHasItsOwnWordsAndAdvice() async throws {
    try await sideBySide(Self.cases, atOnce: 4) { try await Self.judge($0) }
  }

  private static func judge(_ example: Case) async throws {
    try await withTemporaryDirectory { folder in
      let script =
        "ip link set lo up; \(example.network); \"$0\" once --format json '\(example.target)' > json || true; "
        + "exec \"$0\" once --explain '\(example.target)'"
      let outcome = try await AgentProcess(
        ["-n", "/bin/sh", "-ec", script, AgentProcess.binary.path], in: folder,
        environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], program: URL(filePath: "/usr/bin/unshare")
      ).finish()
      let json = try Data(contentsOf: folder.appending(path: "json"))
      let result = try #require(try JSONValue.parse([UInt8](json)).array?.first)
      #expect(result["state"]?.string == example.state, "\(example)")
      #expect(result["reason"]?.string == example.reason, "\(example)")
      // The kernel may need a second SYN to hear of the firewall.
      let message = result["message"]?.string?.split(separator: "; connecting took ").first.map(String.init)
      #expect(message == example.message, "\(example)")
      #expect(
        outcome.stdout.contains("  next   \(example.next)\n"),
        "\(example): \(outcome.stdout)\(outcome.stderr)")
    }
  }
}
