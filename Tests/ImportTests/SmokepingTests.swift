// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Smokeping's targets, which inherit what stands above them.
@Suite struct SmokepingTests {
  private static let probes = """
    *** Database ***
    step     = 60
    pings    = 10
    # consfn mrhb steps total
    AVERAGE  0.5   1  1008
    *** Probes ***
    + FPing
    binary = /usr/bin/fping
    hostinterval = 0.5
    + DNS
    binary = /usr/bin/dig
    lookup = a.example
    ++ DNSother
    server = 192.0.2.53
    + Curl
    urlformat = https://%host%/health
    agent = "probe"
    + Radius
    secret = hunter2

    """

  private func read(_ targets: String) throws -> ReadSource {
    try ReadSource(nil, Self.probes + "*** Targets ***\n" + targets)
  }

  @Test func pingsHaveTheStepAndCountOfTheDatabase() throws {
    let made = try read(
      """
      probe = FPing
      menu = Top
      + Local
      title = Local network
      pings = 5
      ++ Router
      title = The router \\
              at home
      host = 192.0.2.1
      alerts = someloss
      ++ Other
      host = b.example
      packetsize = 200
      """)
    #expect(made.imported.format == .smokeping)
    #expect(made.names == ["The router at home", "Local Other"])
    #expect(try made.keys() == "type: ping\nhost: \"192.0.2.1\"\ncount: 5\npacket_interval: 500ms")
    #expect(
      try made.keys(of: 1) == "type: ping\nhost: b.example\ncount: 5\npacket_interval: 500ms\nsize: 200")
    let check = made.imported.checks[0]
    #expect(
      check["interval"]?.word == "1m" && check["timeout"]?.word == "4s" && check["retries"]?.word == "0")
    #expect(made.problems == [])
    #expect(
      made.reasonCounts == [
        "write alerts.rules, see docs/alerts.md": 1,
        "it is shown on Smokeping's pages only": 2,
        "it is about the program that probes": 2,
        "no target uses it with a check here": 5,
        "it is about Smokeping itself and its graphs": 2,
      ])
  }

  /// A `#` ends a line wherever it stands; continued lines have none.
  @Test func comments() throws {
    let made = try read(
      """
      probe = FPing # for all
      + A # the first
      host = 192.0.2.1 # its address
      title = one \\
        # two
      """)
    #expect(made.names == ["one # two"])
    #expect(try made.keys() == "type: ping\nhost: \"192.0.2.1\"\ncount: 10\npacket_interval: 500ms")
    #expect(made.problems == [])
  }

  @Test func otherProbes() throws {
    let made = try read(
      """
      + A
      probe = DNS
      host = 192.0.2.1
      ++ B
      probe = DNSother
      host = c.example
      recordtype = MX
      + C
      probe = Curl
      host = d.example
      + D
      probe = TCPPing
      host = e.example
      port = 443
      pings = 1
      + E
      probe = SSH
      host = f.example
      + F
      probe = Radius
      host = g.example
      + G
      probe = FPing
      host = /A/B /C
      """)
    #expect(made.names == ["A", "A B", "C", "D", "E"])
    let codes = "expect:\n  rcode: [NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED]"
    #expect(try made.keys() == "type: dns\nserver: \"192.0.2.1\"\nquery:\n  name: a.example\n\(codes)")
    #expect(
      try made.keys(of: 1)
        == "type: dns\nserver: \"192.0.2.53\"\nquery:\n  name: a.example\n  type: MX\n\(codes)")
    #expect(
      try made.keys(of: 2) == """
        type: http
        url: https://d.example/health
        follow: false
        expect:
          status: any
        headers:
          User-Agent: "\\"probe\\""
        """)
    #expect(try made.keys(of: 3) == "type: tcp\nhost: e.example\nport: 443")
    #expect(made.imported.checks[3].notes == [])
    #expect(try made.keys(of: 4) == "type: tcp\nhost: f.example\nport: 22\ndialog: ssh")
    #expect(
      made.imported.checks[4].notes.map(\.why) == ["it is asked once in a run, and not 10 times"])
    #expect(
      made.imported.leftOut.map(\.why) == [
        "no check here does what the probe Radius does", "a graph of other targets",
      ])
    #expect(made.problems == [] && !made.text.contains("hunter2"))
  }

  /// An IPv6 address stands in brackets before a port and in an address; curl follows what `follow_redirects` says.
  @Test func addressesAndRedirects() throws {
    let made = try read(
      """
      + A
      probe = DNS
      host = 2001:db8::1
      port = 5353
      + B
      probe = Curl
      host = 2001:db8::2
      follow_redirects = yes
      include_redirects = no
      + C
      probe = Curl
      host = c.example
      include_redirects = yes
      """)
    #expect(made.imported.checks[0]["server"]?.word == "[2001:db8::1]:5353")
    #expect(made.imported.checks[1]["url"]?.word == "https://[2001:db8::2]/health")
    #expect(made.imported.checks.map { $0["follow"]?.word } == [nil, "true", "false"])
    #expect(
      made.imported.checks[1].notes.contains {
        $0.why == "the time of a run has all redirects that were followed"
      })
    #expect(made.problems == [])
  }

  @Test func filesAreIncludedInTheirPlaces() throws {
    let made = try ReadSource(
      nil,
      [
        (
          "etc/config",
          "@include /first\n@include /etc/smokeping/config.d/Probes\n"
            + "@include /etc/smokeping/config.d/Targets\n@include /gone\n"
        ),
        ("etc/config.d/Targets", "*** Targets ***\n@define NET example\nprobe = FPing\n+ A\n@include more\n"),
        ("etc/config.d/Probes", "*** Probes ***\n+ FPing\nstep = 30\n"),
        ("etc/config.d/more", "++ B\nhost = b.NET\n"),
      ])
    #expect(made.names == ["A B"])
    #expect(made.imported.checks[0]["host"]?.word == "b.example")
    #expect(made.imported.checks[0]["interval"]?.word == "30s")
    #expect(
      made.imported.notes.map(\.place) == [
        "etc/config:1: .@include", "etc/config:4: Targets[A][B].@include",
      ])
    #expect(
      made.imported.notes.map(\.why)
        == ["/first", "/gone"].map {
          "\($0) is not in the files given: what stands in it is missing"
        })
  }

  /// A line of a few bytes stands for as many as its name does.
  @Test func whatIsPutInIsBounded() {
    let long = String(repeating: "x", count: 100_000)
    let lines = (0..<100).map { "k\($0) = A A\n" }.joined()
    #expect(throws: ImportProblem("f: line 86: @define and @include put in more than 16 MiB")) {
      try ReadSource(.smokeping, "*** Targets ***\n@define A \(long)\n\(lines)+ a\nhost = b\n")
    }
    let includes = String(repeating: "@include more\n", count: 200)
    #expect(throws: ImportProblem("more: line 1: @define and @include put in more than 16 MiB")) {
      try ReadSource(
        .smokeping, [("config", "*** Targets ***\n\(includes)"), ("more", "remark = \(long)\n")])
    }
  }

  @Test func aPartWithoutOneAboveIsRefused() {
    #expect(
      throws: ImportProblem(
        "f: line 2: a part that has nothing above it",
        hint: "another file includes it: give Smokeping's config, or the Targets that includes it, as well")
    ) { try ReadSource(.smokeping, "*** Targets ***\n++ A\n") }
    #expect(throws: ImportProblem.self) { try ReadSource(.smokeping, "*** General ***\na = b\n") }
  }

  /// A packet has 1472 bytes at most, and the least that fping takes is 12.
  @Test(
    arguments: [
      ("1472", 1472, []), ("1473", nil, ["a packet has 1472 bytes at most"]), ("12", 12, []),
      ("64000", nil, ["a packet has 1472 bytes at most"]),
    ] as [(String, Int?, [String])])
  func sizesOfPackets(given: String, size: Int?, reasons: [String]) throws {
    let made = try read("probe = FPing\n+ A\nhost = 192.0.2.1\npacketsize = \(given)\n")
    let keys = "type: ping\nhost: \"192.0.2.1\"\ncount: 10\npacket_interval: 500ms"
    #expect(try made.keys() == keys + (size.map { "\nsize: \($0)" } ?? ""))
    #expect(made.reasons.filter { $0.hasPrefix("a packet has") } == reasons)
  }

  /// A size that is not carried is listed once, and named beside each check that it changes.
  @Test func aSizeOfTwoChecks() throws {
    func read(_ size: Int) throws -> ReadSource {
      try self.read("probe = FPing\npacketsize = \(size)\n+ A\nhost = 192.0.2.1\n+ B\nhost = 192.0.2.2\n")
    }
    let (made, least) = (try read(1473), try read(1472))
    let notes = made.imported.checks.flatMap(\.notes).filter { $0.why == "a packet has 1472 bytes at most" }
    #expect(notes.map(\.isValue) == [true, false] && notes.allSatisfy { $0.change == .changed })
    #expect(made.imported.total == least.imported.total)
    #expect(made.imported.carried == least.imported.carried - 1)
  }

  /// A time that one probe takes and another does not is listed, whichever of their targets comes first.
  @Test(arguments: [["Curl", "FPing"], ["FPing", "Curl"]]) func aTimeOfTwoProbes(probes: [String]) throws {
    let targets = probes.map { "+ \($0)s\nprobe = \($0)\nhost = a.example\n" }.joined()
    let made = try read("timeout = 100\n\(targets)")
    #expect(made.reasonCounts[Ledger.misread] == 1)
    let ping = try #require(made.imported.checks.first { $0["type"]?.word == "ping" })
    let notes = ping.notes.filter { $0.why == Ledger.misread }
    #expect(notes.map(\.change) == [.changed] && notes.map(\.isValue) == [true])
  }

  /// Each value of a section about Smokeping itself is listed with that reason, however deep its part is.
  @Test func sectionsAboutSmokepingItself() throws {
    let words = "it is about Smokeping itself and its graphs"
    let targets = "probe = FPing\n+ A\nhost = 192.0.2.1\n"
    let plain = try read(targets).reasonCounts[words] ?? 0
    let more = try read(
      targets + "*** Presentation ***\ntemplate = t\n+ charts\nmenu = Charts\n++ stddev\nsorter = s\n")
    #expect(more.reasonCounts[words] == plain + 3)
  }
}
