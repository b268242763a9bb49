// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// What `once --explain` shows of checks that are not http, and of one that was never run, word for word.
@Suite struct ExplanationKindsTests {
  @Test func aPolicyRefusal() throws {
    let verdict = Verdict(
      .policyDenied, phase: .prepare, message: "169.254.169.254 is a cloud metadata address")
    expectText(

      try Explained.http(verdict, url: "http://metadata.example/") {
        $0.assertions = [Assertion(what: "status", expected: "200-299", actual: "", ok: false)]
      },
      """
      ? UNKNOWN  Shop front  http http://metadata.example/
        policy_denied: 169.254.169.254 is a cloud metadata address
        where  prepare
        next   see egress in docs/configuration.md
        assertions
          ✕ status  nothing  expected 200-299

      """)
  }

  @Test func aDialogThatFailsInItsSecondStep() throws {
    let verdict = Verdict(
      .dialog, phase: .dialog, message: "192.0.2.9:25: step 2 did not get what it expects")
    expectText(

      try Explained.result("tcp", verdict, { ($0.host, $0.port) = ("mail.example", 25) }) {
        $0.responseTime = Explained.ms(64)
        $0.timings = Timings(dns: Explained.ms(2), connect: Explained.ms(20), total: Explained.ms(64))
        $0.peer = SocketAddress(.v4(0xc000_0209), port: 25)
        $0.dialog = [
          DialogStepFacts(what: "expect \"220\"", elapsed: Explained.ms(21), ok: true),
          DialogStepFacts(
            what: "expect \"250 \"", elapsed: Explained.ms(21), ok: false,
            seen: "554 5.7.1 You are not welcome here, and neither are your friends"),
        ]
      },
      """
      ✕ DOWN  Shop front  tcp mail.example:25
        64.000 ms  192.0.2.9:25
        dialog: 192.0.2.9:25: step 2 did not get what it expects
        where  dialog
        time
            dns               2.000 ms  █
            connect          20.000 ms   ██████████████
          ✕ dialog           42.000 ms                 █████████████████████████████
            total            64.000 ms
        dialog
          ✓ expect "220"      21.000 ms
          ✕ expect "250 "     21.000 ms
              came  554 5.7.1 You are not welcome here, and neither are your friends

      """)
  }

  @Test func aNameServerThatFails() throws {
    let verdict = Verdict(.dnsServfail, phase: .answer, message: "192.0.2.53:53 answered SERVFAIL")
    expectText(

      try Explained.result("dns", verdict, { ($0.server, $0.queryName) = ("192.0.2.53", "shop.example") }) {
        $0.responseTime = Explained.ms(12)
        $0.timings = Timings(total: Explained.ms(12))
        $0.peer = SocketAddress(.v4(0xc000_0235), port: 53)
        $0.dns = DNSFacts(
          rcode: "SERVFAIL", answers: [], authoritative: false, truncated: false, transport: "udp")
        $0.assertions = [Assertion(what: "rcode", expected: "NOERROR", actual: "SERVFAIL", ok: false)]
      },
      """
      ✕ DOWN  Shop front  dns 192.0.2.53:53/shop.example A
        12.000 ms  192.0.2.53:53
        dns_servfail: 192.0.2.53:53 answered SERVFAIL
        where  answer
        next   ask another resolver; a broken delegation or DNSSEC signature looks
            like this
        time
          ✕ answer           12.000 ms  ████████████████████████████████████████████
            total            12.000 ms
        dns
          SERVFAIL, over udp
        assertions
          ✕ rcode  SERVFAIL  expected NOERROR

      """)
  }

  @Test func anAnswerThatWasCut() throws {
    expectText(

      try Explained.result("dns", .ok, { ($0.server, $0.queryName) = ("192.0.2.53", "shop.example") }) {
        $0.responseTime = Explained.ms(40)
        $0.timings = Timings(connect: Explained.ms(10), total: Explained.ms(40))
        $0.peer = SocketAddress(.v4(0xc000_0235), port: 53)
        $0.dns = DNSFacts(
          rcode: "NOERROR",
          answers: [DNSAnswer(name: "shop.example.", type: "A", ttl: 300, data: "192.0.2.7")],
          authoritative: true, truncated: true, transport: "tcp")
        $0.assertions = [Assertion(what: "rcode", expected: "NOERROR", actual: "NOERROR", ok: true)]
      },
      """
      ● UP  Shop front  dns 192.0.2.53:53/shop.example A
        40.000 ms  192.0.2.53:53
        time
            connect          10.000 ms  ███████████
            answer           30.000 ms             █████████████████████████████████
            total            40.000 ms
        dns
          NOERROR, over tcp, authoritative, cut over udp, then asked again
          shop.example.  300  A  192.0.2.7
        assertions
          ✓ rcode  NOERROR  expected NOERROR

      """)
  }

  @Test func aPingThatLosesPackets() throws {
    let verdict = Verdict(.pingLoss, phase: .answer, message: "25 % lost, more than 10 %", degraded: true)
    expectText(

      try Explained.result("ping", verdict, { $0.host = "router.example" }) {
        $0.responseTime = Explained.ms(620)
        $0.timings = Timings(dns: Explained.ms(1), total: Explained.ms(620))
        $0.peer = SocketAddress(.v4(0xc000_0201), port: 0)
        $0.ping = PingFacts(
          sent: 4, received: 3, minimum: Explained.ms(1.2), average: Explained.ms(2),
          maximum: Explained.ms(3.1),
          standardDeviation: Explained.ms(0.8))
        $0.assertions = [
          Assertion(what: "loss.warn", expected: "<= 10 %", actual: "25 %", ok: false),
          Assertion(what: "loss.fail", expected: "<= 50 %", actual: "25 %", ok: true),
        ]
      },
      """
      ▲ DEGRADED  Shop front  ping router.example
        620.000 ms  192.0.2.1
        ping_loss: 25 % lost, more than 10 %
        where  answer
        next   see whether the host is up and answers ping, and where packets are
            lost: quartz-agent trace
        time
            dns               1.000 ms  ▏
            answer          619.000 ms  ████████████████████████████████████████████
            total           620.000 ms
        ping
          ███·  3 of 4 replies, 25.0 % lost
          min 1.200 ms  avg 2.000 ms  max 3.100 ms
          standard deviation 0.800 ms
        assertions
          ✕ loss.warn  25 %  expected <= 10 %
          ✓ loss.fail  25 %  expected <= 50 %

      """)
  }
}
