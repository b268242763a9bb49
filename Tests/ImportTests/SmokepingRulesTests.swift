// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Files of Smokeping line by line, and what of a target has no check.
@Suite struct SmokepingRulesTests {
  private static let database = "*** Database ***\nstep = 300\npings = 1\n"

  private func read(_ targets: String) throws -> ReadSource {
    try ReadSource(.smokeping, Self.database + "*** Targets ***\nprobe = FPing\n\(targets)")
  }

  /// Each value of a target that no check reads has its reason.
  @Test(arguments: [
    ("menu", "it is shown on Smokeping's pages only"), ("remark", "it is shown on Smokeping's pages only"),
    ("hide", "it is shown on Smokeping's pages only"), ("menuextra", "it is shown on Smokeping's pages only"),
    ("parents", "it is shown on Smokeping's pages only"), ("email", "it is shown on Smokeping's pages only"),
    ("nomenu", "it is shown on Smokeping's pages only"), ("ulimit", "it is shown on Smokeping's pages only"),
    ("alerts", "write alerts.rules, see docs/alerts.md"),
    ("alertee", "write alerts.rules, see docs/alerts.md"),
    ("odd", "no check made of it or below it reads the key"),
    ("nomasterpoll", "an agent probes from where it stands"),
  ])
  func reasons(name: String, why: String) throws {
    let made = try read("+ A\nhost = 192.0.2.1\n\(name) = x\n")
    #expect(made.names == ["A"] && made.reasons == [why])
  }

  @Test func whatNoCheckIsMadeOf() throws {
    let made = try read("+ A\ntitle = T\nprobe = Radius\nhost = a.example\nslaves = b\n")
    #expect(made.imported.leftOut.map(\.name) == ["\"T\""])
    #expect(
      made.reasonCounts == [
        "no check here does what the probe Radius does": 1, "no check was made of it": 2,
        "it is shown on Smokeping's pages only": 1, "an agent probes from where it stands": 1,
        "it is about Smokeping itself and its graphs": 2,
      ])
  }

  /// Values of the programs that probe, and those that no target uses.
  @Test func valuesOfProbes() throws {
    let programs = ["binary", "forks", "offset", "blazemode", "mininterval", "usestdout"]
    let made = try ReadSource(
      .smokeping,
      Self.database + "*** Probes ***\n+ FPing\n" + programs.map { "\($0) = 1\n" }.joined()
        + "packetsize = 99\n++ Other\nhostinterval = 2\n*** Targets ***\nprobe = FPing\n+ A\nhost = a.example\n"
    )
    #expect(
      made.reasonCounts == [
        "it is about the program that probes": 6, "no target uses it with a check here": 1,
      ])
    #expect(made.imported.checks.first?["size"]?.word == "99")
  }

  /// A section that is opened again goes on, a part ends where one as high begins, and a line goes on behind a backslash.
  @Test func lines() throws {
    let made = try read(
      """
      + A
      ++ B
      +++ C
      host = c.example
      ++ D
      host = d.example
      + E
      title = one \\
      two # three
      host = e.example
      *** Alerts ***
      to = a
      *** Targets ***
      + F
      host = f.\\
      example
      + G
      host=g.example\\
      """)
    #expect(made.names == ["A B C", "A D", "one two # three", "F", "G"])
    #expect(made.imported.checks.map(\.tags) == [["A", "B"], ["A"], [], [], []])
    #expect(
      made.imported.checks.map { $0["host"]?.word } == [
        "c.example", "d.example", "e.example", "f. example", "g.example",
      ])
    #expect(made.reasonCounts == ["write alerts.rules, see docs/alerts.md": 1])
  }

  /// `@define` puts in whole words, the last one that was given, and 32 at most.
  @Test func definitions() throws {
    let made = try read(
      "@define NET a\n@define NET b.example\n@define X y z\n+ A\nhost = NET\ntitle = X NETX X-NET\n")
    #expect(made.names == ["y z NETX y z-b.example"] && made.imported.checks[0]["host"]?.word == "b.example")
    func many(_ count: Int) -> String {
      (0..<count).map { "@define D\($0) x\n" }.joined() + "+ A\nhost = a.example\n"
    }
    #expect(try read(many(32)).names == ["A"])
    #expect(throws: ImportProblem("f: line 38: @define takes a name and a value")) { try read(many(33)) }
    #expect(throws: ImportProblem("f: line 6: @define takes a name and a value")) { try read("@define A\n") }
  }

  @Test(arguments: [
    ("FPing", "pings = 1000", "count", "100"), ("FPing", "pings = 1001", "count", "20"),
    ("FPing", "pings = 0", "count", "20"),
    ("FPing", "step = 1", "interval", "1s"), ("FPing", "step = 10000000", "interval", "10000000s"),
    ("FPing", "step = 0", "interval", "5m"), ("TCPPing", "timeout = 0.01", "timeout", "10ms"),
    ("TCPPing", "timeout = 60", "timeout", "1m"), ("TCPPing", "timeout = 61", "timeout", "5s"),
    ("TCPPing", "timeout = 0.001", "timeout", "5s"), ("Curl", "timeout = 600", "timeout", "1m"),
    ("FPing", "pings = 2\nhostinterval = 0", "packet_interval", "10ms"),
    ("FPing", "pings = 2\nhostinterval = 60", "packet_interval", "10s"),
    ("FPing", "pings = 2\nhostinterval = 61", "packet_interval", "1s"),
  ])
  func edges(probe: String, lines: String, key: String, value: String) throws {
    let made = try read("+ A\nprobe = \(probe)\nhost = a.example\n\(lines)\n")
    #expect(made.imported.checks.first?[key]?.word == value)
  }
}
