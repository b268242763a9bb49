// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

/// What `once` makes of names, tags, places and curl's options.
@Suite struct TargetStories {
  /// Answers with the request that it got, as a failure, so that an excerpt of it is kept; says `X-Right: yes` when it is
  /// the one that was asked for.
  private static let echo: @Sendable (LoopbackConnection) -> Void = { connection in
    let request = connection.read(until: "four-two-nine\"}")
    let isRight =
      request.hasPrefix("PUT /a HTTP/1.1\r\n") && request.contains("\r\nX-Token: hunter2hunter2\r\n")
      && request.contains("\r\nX-Other: from-the-environment\r\n")
      && request.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n")
    connection.write(
      "HTTP/1.1 500 Echo\r\nX-Right: \(isRight ? "yes" : "no")\r\nSet-Cookie: sid=chocolate-chip; Path=/\r\n"
        + "X-Seen: \(request.split(separator: "\r\n").joined(separator: "|"))\r\n"
        + "Content-Length: \(request.utf8.count)\r\nConnection: close\r\n\r\n\(request)")
  }

  private func config(_ port: UInt16, in folder: URL) throws {
    let yaml = """
      checks:
        - {name: Shop, type: tcp, host: 127.0.0.1, port: \(port), tags: [team:shop, eu]}
        - {name: Cart, type: tcp, host: 127.0.0.1, port: \(port), tags: [team:shop]}
        - {name: Mail, type: tcp, host: 127.0.0.1, port: \(port), tags: [team:mail]}
        - {name: Old, type: tcp, host: 127.0.0.1, port: \(port), tags: [team:old], enabled: false}
        - {name: "db:5432", type: tcp, host: 127.0.0.1, port: \(port)}
      """
    try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
  }

  private func names(_ outcome: Outcome) throws -> [String] {
    try outcome.stdout.split(separator: "\n").map { try JSONValue.parse($0.utf8)["check"]?.string ?? "" }
      .sorted()
  }

  /// Tags choose among all checks that are enabled, and among those that are named.
  @Test func tagsChoose() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
        try config(server.port, in: folder)
        let shop = try await agent("once", "--tag", "team:shop", in: folder)
        #expect(shop.status == 0 && shop.stderr.isEmpty, "\(shop.stderr)")
        #expect(try names(shop) == ["Cart", "Shop"])
        let called = try await agent("once", "--tag", "tag:team:shop", in: folder)
        #expect(try names(called) == names(shop))
        let both = try await agent("once", "--tag", "eu", "--tag", "team:mail", in: folder)
        #expect(try names(both) == ["Mail", "Shop"])
        let named = try await agent("once", "--tag", "team:shop", "Cart", "Mail", in: folder)
        #expect(try names(named) == ["Cart"])
        #expect(try names(await agent("once", "--tag", "team:old", "Old", in: folder)) == ["Old"])
      }
    }
  }

  /// What no check has is a usage error that names what was meant.
  @Test(arguments: [
    (["--tag", "team:shpo"], "did you mean \"team:shop\"?"),
    (["--tag", "zz"], "tags there are: eu, team:mail, team:old, team:shop"),
    (["--tag", "team:old"], "quartz-agent once Old"), (["--tag", "eu", "Mail"], "none of the checks named"),
    (["--tag", "eu", "tcp://127.0.0.1:1"], "chooses checks of the configuration"),
    (["-k", "Shop"], "-k is for targets"), (["-X", "PUT"], "-X is for targets"),
    (["--retries", "2", "Shop", "tcp://127.0.0.1:1"], "--retries is for targets"),
    (["-d", "x", "tcp://127.0.0.1:1"], "-d goes with http targets"),
    (["-d", "@missing", "http://127.0.0.1:1/"], "missing"),
  ])
  func whatCannotBeChosenIsSaid(arguments: [String], words: String) async throws {
    try await withTemporaryDirectory { folder in
      try config(1, in: folder)
      let outcome = try await AgentProcess(["once"] + arguments, in: folder).finish()
      #expect(outcome.status == 64 && outcome.stdout.isEmpty)
      #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
    }
  }

  /// A host and a port is a target of tcp, unless a check is called so; a configuration that cannot be read is no
  /// hindrance.
  @Test func aPlaceIsATarget() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
        let place = "127.0.0.1:\(server.port)"
        #expect(try names(await agent("once", place, in: folder)) == ["tcp://\(place)"])
        try config(server.port, in: folder)
        #expect(try names(await agent("once", "db:5432", place, "Shop", in: folder)).count == 3)
        let named = try await agent("once", "db:5432", in: folder)
        #expect(named.status == 0)
        #expect(try names(named) == ["db:5432"], "the check, and not the host")
        try "checks: [".write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        #expect(try names(await agent("once", place, in: folder)) == ["tcp://\(place)"])
      }
    }
  }

  /// What has neither a scheme nor a port gets commands to paste.
  @Test(arguments: [
    ("example.com", "quartz-agent once https://example.com, or quartz-agent once ping://example.com"),
    ("localhost:8080/health", "quartz-agent once https://localhost:8080/health"),
    ("a b", "targets look like https://host/path"),
  ])
  func aBareHostGetsProposals(target: String, words: String) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await agent("once", target, in: folder)
      #expect(outcome.status == 64)
      #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
    }
  }

  /// A target of the command line stands in one column, and no two of them look alike on a narrow terminal.
  @Test func targetsAreToldApartAtEightyColumns() async throws {
    try await withTemporaryDirectory { folder in
      let port = try freePort()
      let targets = (1...3).map { "http://127.0.0.1:\(port)/api/v1/shop/orders/\($0)/status/of/today" }
      let outcome = try await AgentProcess(
        ["once", "--format", "table"] + targets, in: folder, environment: ["COLUMNS": "80"]
      ).finish()
      let lines = outcome.stdout.split(separator: "\n").map(String.init)
      #expect(lines[0].hasPrefix("STATE       TARGET") && !lines[0].contains("CHECK"), "\(outcome.stdout)")
      let cells = lines[1...3].map { $0.split(separator: " ", omittingEmptySubsequences: true)[2] }
      #expect(Set(cells).count == 3, "\(outcome.stdout)")
    }
  }

  /// Of other kinds the target is shown without its scheme, and of http without its query: one column all the same.
  @Test func targetsOfEachKindStandInOneColumn() async throws {
    try await withTemporaryDirectory { folder in
      let port = try freePort()
      let targets =
        ["tcp", "tls"].map { "\($0)://127.0.0.1:\(port)" }
        + (1...2).map { "http://127.0.0.1:\(port)/?a=\($0)" }
      let outcome = try await AgentProcess(
        ["once", "--format", "table"] + targets, in: folder, environment: ["COLUMNS": "80"]
      ).finish()
      let lines = outcome.stdout.split(separator: "\n").map(String.init)
      #expect(lines[0].hasPrefix("STATE       TARGET") && !lines[0].contains("CHECK"), "\(outcome.stdout)")
      let cells = lines[1...4].map { $0.prefix(40) }
      #expect(Set(cells).count == 4, "\(outcome.stdout)")
    }
  }

  /// Also of several rounds, whose figures stand in a table of their own, and with names that differ far behind.
  @Test(arguments: ["", String(repeating: "of/today/", count: 40)])
  func theFiguresOfRoundsAreToldApart(end: String) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let targets = ["a", "b"].flatMap { one in
          ["1", "2"].map {
            "http://127.0.0.1:\(server.port)/api/v1/shop/\(end)\(one)/orders/\(end)\($0)/status/of/today"
          }
        }
        let outcome = try await AgentProcess(
          ["once", "--format", "table", "--count", "2", "--every", "10ms"] + targets, in: folder,
          environment: ["COLUMNS": "80"]
        ).finish()
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.columns <= 80 }, "\(outcome.stdout)")
        let results = lines.filter { $0.hasPrefix("● UP") }.map { $0.components(separatedBy: "  http  ")[0] }
        #expect(results.count == 8 && Set(results).count == 4, "\(outcome.stdout)")
        let place = try #require(lines.firstIndex { $0.hasPrefix("CHECK (ms)") })
        let figures = lines[(place + 1)...(place + 4)].map { $0.components(separatedBy: "  2  0.0 %")[0] }
        #expect(Set(figures).count == 4, "\(outcome.stdout)")
      }
    }
  }

  /// A query is in no name, for it may hold a secret: what differs there alone is a check of its own all the same.
  @Test func targetsThatDifferInTheirQueryAreSeveral() async throws {
    try await withTemporaryDirectory { folder in
      // Not the one that echoes a body: it would wait for one until the request is given up.
      try await withLoopbackServer(script: RunStories.web) { server in
        let place = "http://127.0.0.1:\(server.port)/a"
        let targets = ["\(place)?id=1", "\(place)?id=2", "\(place)?id=1", place]
        let outcome = try await AgentProcess(
          ["once", "--format", "json", "--count", "2", "--every", "10ms"] + targets, in: folder
        ).finish()
        let document = try JSONValue.parse(outcome.stdout.utf8)
        let results = document["results"]?.array ?? document.array ?? []
        let names = Set(results.compactMap { $0["check"]?.string })
        #expect(names == [place, "\(place) (2)", "\(place) (3)"], "\(outcome.stdout)\(outcome.stderr)")
        #expect(Set(results.compactMap { $0["check_id"]?.string }).count == 3)
        // One is named twice, and asked once a round.
        #expect(results.filter { $0["state"]?.string == "up" }.count == 6 && server.accepted == 6)
        #expect(outcome.stderr == "quartz-agent: named more than once, runs once a round: \(place)\n")
        #expect(!outcome.stdout.contains("id=1"))
      }
    }
  }

  /// The request is what curl would send, and nothing of a header or a body comes back in any output.
  @Test(arguments: ["table", "json", "ndjson", "junit", "nagios", "explain"])
  func theRequestIsSentAndItsSecretsAreNot(format: String) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.echo) { server in
        try "{\"pin\": \"four-two-nine\"}".write(
          to: folder.appending(path: "body.json"), atomically: true, encoding: .utf8)
        let shown = format == "explain" ? ["--explain"] : ["--format", format]
        let outcome = try await AgentProcess(
          ["once"] + shown + [
            "-H", "X-Token: hunter2hunter2", "-H", "X-Other: ${env:OTHER}", "-d", "@body.json", "-X", "PUT",
            "--timeout", "20s", "--retries", "0", "--with",
            "expect: {header: {X-Right: yes}, body: {contains: never}}",
            "http://127.0.0.1:\(server.port)/a",
          ], in: folder, environment: ["OTHER": "from-the-environment"]
        ).finish()
        #expect(outcome.status == 2, "\(outcome.stderr)")
        for secret in ["hunter2", "from-the-environment", "four-two-nine", "chocolate-chip"] {
          #expect(!outcome.stdout.contains(secret), "\(outcome.stdout)")
          #expect(!outcome.stderr.contains(secret), "\(outcome.stderr)")
        }
        if format == "json" {
          let result = try JSONValue.parse(outcome.stdout.utf8).array?.first
          #expect(result?["excerpt"]?.string?.hasPrefix("PUT /a HTTP/1.1") == true, "\(outcome.stdout)")
          let seen = result?["assertions"]?.array?.first { $0["what"]?.string == "header.x-right" }
          #expect(seen?["ok"]?.bool == true, "\(outcome.stdout)")
        }
        if format == "explain" {
          #expect(outcome.stdout.contains("X-Right: yes"), "\(outcome.stdout)")
          #expect(outcome.stdout.contains("Set-Cookie: sid=<redacted>; Path=/"), "\(outcome.stdout)")
        }
      }
    }
  }
}
