// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// Parts of an explanation: where the time went, what was sent again, who was asked, and the figures of a plugin.
@Suite struct ExplanationPartsTests {
  private func web(_ verdict: Verdict = .ok, _ fill: (inout CheckResult) -> Void) throws -> CheckResult {
    try Explained.http(verdict, fill)
  }

  private func drawn(_ result: CheckResult, width: Int = 46, color: Bool = false) -> [String] {
    TimeDrawing(result, paint: Paint(isOn: color), width: width).lines
  }

  /// Name of each row, with its mark.
  private func names(_ result: CheckResult) -> [String] {
    drawn(result).dropFirst().map { line in
      let words = line.prefix(18).split(separator: " ").joined(separator: " ")
      return String(words)
    }
  }

  /// A drawing of 12 to 72 columns behind 34; where there is room for less the numbers stand alone.
  @Test(arguments: [(45, 0), (46, 12), (47, 13), (106, 72), (200, 72)]) func room(width: Int, columns: Int)
    throws
  {
    let result = try web { $0.timings = Timings(dns: Explained.ms(12), total: Explained.ms(12)) }
    let lines = drawn(result, width: width)
    let bar = columns == 0 ? "" : "  " + String(repeating: "█", count: columns)
    func row(_ name: String) -> String {
      "      \(name)" + String(repeating: " ", count: 17 - name.count) + "12.000 ms"
    }
    #expect(lines == ["  time", row("dns") + bar, row("total")])
    #expect(drawn(try web { $0.timings = Timings(dns: Explained.ms(1)) }) == [], "no total, no drawing")
    #expect(drawn(try web { $0.timings = Timings(total: .zero) }) == [])
  }

  /// Half a column is a sign, less than it a line; each begins where the one before ends.
  @Test func barsOfParts() throws {
    let result = try web {
      $0.timings = Timings(
        dns: Explained.ms(0.4), connect: Explained.ms(5.6), tls: Explained.ms(6), total: Explained.ms(12))
    }
    #expect(
      drawn(result).dropFirst().dropLast().map { String($0.dropFirst(34)) } == [
        "▏", "██████", "      ██████",
      ])
    let colors = drawn(result, color: true).dropFirst().dropLast()
    for (line, code) in zip(colors, ["36", "34", "35"]) {
      #expect(line.contains("\u{1b}[\(code)m"), "\(line)")
    }
  }

  /// Time of no part is of the one it failed in, or of the talk, or of an answer; a hundredth is nothing.
  @Test func timeOfNoPart() throws {
    func named(
      _ verdict: Verdict, rest: Double, _ fill: (inout CheckResult) -> Void = { _ in }
    ) throws -> [String] {
      names(
        try web(verdict) {
          $0.timings = Timings(
            dns: Explained.ms(10), connect: Explained.ms(90 - rest), total: Explained.ms(100))
          fill(&$0)
        })
    }
    #expect(try named(.ok, rest: 1) == ["dns", "connect", "total"], "a hundredth")
    #expect(try named(.ok, rest: 1.1) == ["dns", "connect", "in between", "total"])
    let late = Verdict(.firstByteTimeout, phase: .firstByte)
    #expect(try named(late, rest: 50) == ["dns", "connect", "✕ first byte", "total"])
    let wrong = Verdict(.body, phase: .assertion)
    #expect(try named(wrong, rest: 50) == ["dns", "connect", "in between", "total"])
    let refused = Verdict(.connectRefused, phase: .connect)
    #expect(try named(refused, rest: 50) == ["dns", "✕ connect", "in between", "total"])
    let proxy = Verdict(.proxyConnect, phase: .proxy)
    #expect(
      try named(proxy, rest: 0) == ["dns", "✕ connect", "total"], "it is dialled in the target's place")
    let slow = Verdict(.responseTime, phase: .connect, degraded: true)
    #expect(try named(slow, rest: 0) == ["dns", "connect", "total"], "it did not fail")
    #expect(
      try named(.ok, rest: 50) { $0.dialog = [DialogStepFacts(what: "a", elapsed: .zero, ok: true)] }
        == ["dns", "connect", "dialog", "total"])
    #expect(
      try named(.ok, rest: 50) { $0.ping = PingFacts(sent: 1, received: 1) }
        == ["dns", "connect", "answer", "total"])
  }

  /// What was sent again on each hop; of those that are over only where something was.
  @Test func segmentsOfHops() throws {
    let calm = TransportFacts(roundTrip: 1000, segmentSize: 1448)
    let result = try web {
      $0.tcp = calm
      $0.hops = [
        Hop(url: "a", tcp: TransportFacts(synRetransmits: 2, retransmits: 3)), Hop(url: "b", tcp: calm),
        Hop(url: "c", tcp: TransportFacts(retransmits: 2)), Hop(url: "d", tcp: calm),
      ]
    }
    #expect(
      KernelText.lines(result) == [
        "retransmits  2 SYNs and 1 segment, at hop 1", "retransmits  2 segments, at hop 3",
        "retransmits  0, at hop 4", "RTT          1.000 ms", "segments     of 1448 bytes",
      ])
    #expect(KernelText.lines(try web { $0.hops = [Hop(url: "a")] }) == [])
  }

  private func section(_ name: String, _ result: CheckResult) -> [String] {
    let lines = ResultExplanation(color: false, width: 400).render(result).split(separator: "\n")
    return lines.drop { $0 != "  \(name)" }.dropFirst().prefix { $0.hasPrefix("    ") }.map {
      String($0.dropFirst(4))
    }
  }

  /// Names with those who said what they stand for, each once; headers, and how many there are besides.
  @Test func namesAndHeaders() throws {
    let (address, server) = (IPAddress.v4(0xc000_0207), SocketAddress(.v4(0xc000_0235), port: 53))
    func name(_ source: NameSource, _ addresses: [IPAddress]) -> ResolvedName {
      ResolvedName(name: "a.example", addresses: addresses, source: source)
    }
    var account = ProbeAccount()
    account.names = [
      name(.hostsFile, [address]), name(.localhostRule, [address]),
      name(.nameServer(server), [address, address]),
      name(.hostsFile, [address]), name(.ownResolver(Endpoint(host: "192.0.2.53", port: 53), server), []),
      name(.ownResolver(Endpoint(host: "ns.example", port: 53), server), [address]),
    ]
    account.headers = [AnswerHeader(name: "A", value: "b")]
    account.headersLeftOut = 2
    let result = try web { $0.account = account }
    #expect(
      section("names", result) == [
        "a.example  192.0.2.7  from /etc/hosts",
        "a.example  192.0.2.7  from this machine, as localhost always is",
        "a.example  192.0.2.7, 192.0.2.7  from name server 192.0.2.53:53 of /etc/resolv.conf",
        "a.example  no address  from the check's resolver 192.0.2.53:53",
        "a.example  192.0.2.7  from the check's resolver ns.example:53, which is 192.0.2.53:53",
      ])
    #expect(section("headers", result) == ["A: b", "and 2 more"])
  }

  /// Hops are counted from 1, with where each led.
  @Test func hops() throws {
    var account = ProbeAccount()
    account.locations = ["/next", nil]
    let result = try web {
      $0.account = account
      $0.hops = [
        Hop(
          url: "http://a/", statusCode: 301, address: "192.0.2.7:80", timings: Timings(total: Explained.ms(2))
        ),
        Hop(url: "http://b/"),
      ]
    }
    #expect(
      section("hops", result) == [
        "1  301  http://a/  192.0.2.7:80", "        = 2.000 ms", "        Location: /next",
        "2  ---  http://b/",
      ])
    #expect(section("hops", try web { $0.hops = [Hop(url: "http://a/")] }) == [])
  }

  /// Each address with its verdict; in a race each with its end; attempts where there is more than one of something.
  @Test func addressesAndAttempts() throws {
    func raced(_ address: String, _ outcome: DialledAddress.Outcome, _ reason: Reason? = nil, after: Double)
      -> DialledAddress
    {
      DialledAddress(
        address: address, outcome: outcome, reason: reason, after: Explained.ms(after),
        elapsed: Explained.ms(3))
    }
    func cells(_ name: String, _ result: CheckResult) -> [[String]] {
      section(name, result).map { line in line.split(separator: /\s{2,}/).map { String($0) } }
    }
    let result = try web {
      $0.addresses = [
        AddressVerdict(address: "192.0.2.7", verdict: .ok, responseTime: Explained.ms(5)),
        AddressVerdict(address: "192.0.2.80", verdict: Verdict(.connectRefused, message: "no")),
      ]
      $0.attempts = [
        AttemptFacts(
          startedAt: Explained.now, status: .success, reason: .ok, responseTime: nil,
          dialled: [
            raced("a", .connected, after: 0), raced("bb", .abandoned, after: 0.5),
            raced("c", .failed, .connectRefused, after: 1),
          ])
      ]
    }
    #expect(
      cells("addresses", result) == [
        ["● 192.0.2.7", "5.000 ms", "ok"], ["✕ 192.0.2.80", "-", "connect_refused: no"],
      ])
    #expect(
      cells("attempts", result) == [
        ["✓ 1", "08:00:00.000", "-", "ok"], ["a", "3.000 ms", "connected"],
        ["bb", "3.000 ms", "given up: another was first", "(started after 0.500 ms)"],
        ["c", "3.000 ms", "connect_refused", "(started after 1.000 ms)"],
      ])
    let one = try web { _ in }
    #expect(section("attempts", one) == [])
  }

  /// A sign a packet for forty, the percentage for more; jitter and errors beside.
  @Test(arguments: [(40, 39, true), (41, 41, false)]) func packets(sent: Int, received: Int, hasSigns: Bool)
    throws
  {
    let result = try Explained.result("ping", .ok, { $0.host = "a.example" }) {
      $0.ping = PingFacts(sent: sent, received: received, jitter: Explained.ms(2))
      $0.ping?.refused = 1
    }
    let signs = hasSigns ? String(repeating: "█", count: 39) + "·  " : ""
    #expect(
      section("ping", result) == [
        "\(signs)\(received) of \(sent) replies, \(sent == received ? "0.0" : "2.5") % lost",
        "1 answered by an ICMP error", "jitter 2.000 ms",
      ])
  }

  /// What a name server says besides its records.
  @Test func flagsOfAnAnswer() throws {
    let result = try Explained.result("dns", .ok, { $0.queryName = "a.example" }) {
      var dns = DNSFacts(
        rcode: "NOERROR", answers: [DNSAnswer(name: "a.", type: "A", ttl: 5, data: "192.0.2.7")],
        authoritative: false, truncated: false, transport: "dot")
      (dns.authentic, dns.ignored, dns.errors, dns.answerCount) = (true, 2, ["stale"], 4)
      $0.dns = dns
    }
    #expect(
      section("dns", result) == [
        "NOERROR, over dot, authentic, 2 foreign answers ignored", "the server says: stale",
        "a.  5  A  192.0.2.7", "and 3 more",
      ])
  }

  /// Every figure of a plugin with its unit and what leaves first where there is no room.
  @Test func figuresOfAPlugin() throws {
    let result = try web {
      $0.responseTime = Explained.ms(1500)
      $0.timings = Timings(
        dns: .microseconds(1), connect: Explained.ms(2), startTLS: Explained.ms(3), tls: Explained.ms(4),
        firstByte: Explained.ms(5), transfer: Explained.ms(6), total: .seconds(7))
      $0.tls = TLSFacts(verified: true, daysRemaining: -3)
      $0.ping = PingFacts(
        sent: 3, received: 2, minimum: Explained.ms(1), average: Explained.ms(2), maximum: Explained.ms(3),
        jitter: Explained.ms(4))
    }
    let figures = NagiosFigure.all(of: result, nil)
    #expect(
      figures.map { "\($0.label) \($0.value)\($0.unit) \($0.rank)" } == [
        "response_time 1.5s 0", "certificate_days -3 1", "loss 33.333333% 1", "rtt_avg 0.002s 2",
        "rtt_min 0.001s 3", "rtt_max 0.003s 3", "jitter 0.004s 3", "dns 0.000001s 3", "connect 0.002s 3",
        "starttls 0.003s 3", "tls 0.004s 3", "first_byte 0.005s 3", "transfer 0.006s 3", "total 7s 3",
      ])
    #expect(figures[0].text() == "'response_time'=1.5s;;;0" && figures[1].text() == "'certificate_days'=-3")
    #expect(figures[2].text(of: "it's") == "'it''s::loss'=33.333333%;;;0;100")
  }

  /// The days of a certificate have the fraction that their limits have: those of the path of trust, else the leaf's.
  @Test func daysOfACertificate() throws {
    func value(_ change: (inout TLSFacts, Timestamp) -> Void) throws -> String? {
      let result = try web {
        var tls = TLSFacts(verified: true)
        change(&tls, $0.attempts.last?.startedAt ?? $0.startedAt)
        $0.tls = tls
      }
      return NagiosFigure.all(of: result, nil).first { $0.label == "certificate_days" }?.value
    }
    let hours: [(Int, String)] = [(36, "1.5"), (18, "0.75"), (0, "0"), (-6, "-0.25"), (72, "3")]
    for (left, days) in hours {
      let found = try value { tls, now in
        (tls.notAfter, tls.daysRemaining) = (now.advanced(by: .seconds(left * 3600)), left / 24)
      }
      #expect(found == days)
    }
    let path = try value { tls, now in
      (tls.notAfter, tls.daysRemaining) = (now.advanced(by: .seconds(90 * 86_400)), 90)
      (tls.pathNotAfter, tls.pathDaysRemaining) = (now.advanced(by: .seconds(6 * 3600)), 0)
    }
    #expect(path == "0.25")
    #expect(try value { tls, _ in tls.daysRemaining = 9 } == "9" && value { _, _ in } == nil)
  }

  /// The limits of a certificate are those of its kind of check.
  @Test(arguments: ["http", "tcp", "tls"]) func limitsOfACertificate(type: String) throws {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Shop front", type)
    if type == "http" {
      definition.url = "https://shop.example/health"
    } else {
      (definition.host, definition.port) = ("shop.example", 443)
    }
    if type == "tcp" { definition.tls.isWanted = true }
    definition.expect.certificate = Thresholds(warn: .seconds(14 * 86_400), fail: .seconds(86_400))
    let check = try MonitoringCheck(definition)
    let result = try web { $0.tls = TLSFacts(verified: true, daysRemaining: 9) }
    let figure = try #require(NagiosFigure.all(of: result, check).first)
    #expect(figure.text() == "'certificate_days'=9;14:;1:")
  }
}
