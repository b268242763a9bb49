// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Checks
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import QuartzAgent

/// Which checks a command means, and which agent it asks.
@Suite struct SelectionTests {
  /// A host and a port, and nothing of a URL.
  @Test(
    arguments: [
      ("db:5432", true), ("192.0.2.1:80", true), ("[2001:db8::1]:80", true), ("db", false), ("db:0", false),
      ("db:65536", false), ("a b:80", false), ("a/b:80", false), ("a?b:80", false), ("a#b:80", false),
      ("u@a:80", false), ("", false),
    ])
  func endpoints(word: String, isOne: Bool) { #expect(isEndpoint(word) == isOne) }

  private func selected(
    _ targets: [String], tags: [String] = [], options: [String] = [], config: String? = nil
  ) throws -> OnceSelection {
    try OnceSelection(
      targets: targets, tags: tags, options: TargetOptions.parse(options),
      config: ConfigOptions.parse(config.map { ["-c", $0] } ?? []))
  }

  /// Targets need no configuration; equal names get a number, the same target twice is one check and said, and each is tried once.
  @Test func targets() throws {
    let found = try selected([
      "https://a.example/x?q=1", "https://a.example/x?q=2", "https://a.example/x?q=1", "tcp://db:1",
      "https://a.example/x?q=3",
    ])
    #expect(
      found.checks.map(\.name) == [
        "https://a.example/x", "https://a.example/x (2)", "tcp://db:1", "https://a.example/x (3)",
      ])
    #expect(found.repeatedWords == "named more than once, runs once a round: https://a.example/x")
    #expect(found.settings == nil)
    #expect(found.checks.allSatisfy { $0.plan.retries == 0 })
    #expect(try selected(["tcp://db:1"], options: ["--retries", "3"]).checks.map(\.plan.retries) == [3])
  }

  private static let file = """
    canaries: [Probe]
    checks:
      - {name: Shop, type: tcp, host: shop.example, port: 80, tags: [web]}
      - {name: "db:5432", type: tcp, host: db.example, port: 5432, tags: [db]}
      - {name: Probe, type: tcp, host: probe.example, port: 80}
      - {name: Off, type: tcp, host: off.example, port: 80, tags: [db, old], enabled: false}
    """

  private func inFolder(_ body: (String) throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "agent.yaml").path
      try Data(Self.file.utf8).write(to: URL(filePath: path))
      try body(path)
    }
  }

  /// All that are enabled, or those that are named, also a disabled one; a word of a target is one, unless a check is called so.
  @Test func checksOfAConfiguration() async throws {
    try await inFolder { path in
      let rows: [([String], [String], [String])] = [
        ([], [], ["Shop", "db:5432", "Probe"]), (["Off", "Shop"], [], ["Off", "Shop"]),
        (["db:5432"], [], ["db:5432"]), (["db:1", "Shop"], [], ["Shop", "tcp://db:1"]),
        (["Shop", "ping://a.example"], [], ["Shop", "ping://a.example"]), ([], ["web"], ["Shop"]),
        ([], ["db"], ["db:5432"]), ([], ["tag:db", "web"], ["Shop", "db:5432"]),
        (["Off", "Shop"], ["old"], ["Off"]),
      ]
      for (targets, tags, names) in rows {
        let found = try selected(targets, tags: tags, config: path)
        #expect(found.checks.map(\.name) == names, "\(targets) \(tags)")
        #expect(found.canaries.map(\.name) == ["Probe"])
      }
    }
  }

  private func problem(_ body: () throws -> OnceSelection) -> CommandFailure? {
    do { _ = try body() } catch { return error as? CommandFailure }
    return nil
  }

  @Test func whatIsMeantIsSaid() async throws {
    let bare = problem { try selected(["shop.example"]) }
    #expect(
      bare?.message
        == "\"shop.example\" is no target, and there is no configuration whose check it could name")
    #expect(
      bare?.hint
        == "did you mean quartz-agent once https://shop.example, or quartz-agent once ping://shop.example")
    #expect(
      problem { try selected(["shop.example/x"]) }?.hint
        == "did you mean quartz-agent once https://shop.example/x")
    #expect(problem { try selected(["a b"]) }?.hint?.hasPrefix("targets look like https://host/path") == true)
    let tagged = problem { try selected(["https://a.example/?q"], tags: ["web"]) }
    #expect(
      tagged?.message == "--tag \"web\" chooses checks of the configuration, and https://a.example/ is none")
    try await inFolder { path in
      #expect(problem { try selected(["Shp"], config: path) }?.hint == "did you mean \"Shop\"?")
      #expect(
        problem { try selected(["Shop"], options: ["-k"], config: path) }?.message
          == "-k is for targets, and \"Shop\" is a check of the configuration, which has its own keys")
      #expect(
        problem { try selected(["Shop"], options: ["-k"], config: path) }?.hint
          == "change the check, or name its target instead: tcp://shop.example:80")
      #expect(
        problem { try selected(["Shop"], options: ["--with", "retries: 1"], config: path) }?.message
          == "--with \"retries: 1\" has no target it could be about")
      let old = problem { try selected([], tags: ["old"], config: path) }
      #expect(old?.message == "every check with the tag \"old\" is disabled")
      #expect(
        problem { try selected(["Shop"], tags: ["db"], config: path) }?.message
          == "none of the checks named has the tag \"db\"")
      let near = problem { try selected([], tags: ["wep"], config: path) }
      #expect(near?.message == "no check of the configuration has the tag \"wep\"")
      #expect(near?.hint == "did you mean \"web\"?")
      #expect(
        problem { try selected([], tags: ["nothing-like"], config: path) }?.hint
          == "tags there are: db, old, web")
      for failure in [bare, tagged, old, near] { #expect(failure?.status == 64) }
    }
  }

  /// Checks of the API are the running agent's; an id is no host.
  @Test func checksOfTheAPI() async throws {
    let id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
    let hint = "checks of the API are run by the agent, see quartz-agent status"
    try await inFolder { path in
      let unknown = problem { try selected([id], config: path) }
      #expect(unknown?.message == "no configured check has the id \(id)")
      #expect(unknown?.hint == "quartz-agent once without a name runs all of them")
      let word = problem { try selected(["nothing like it"], config: path) }
      #expect(word?.message == "\"nothing like it\" is neither a target nor the name of a configured check")
      #expect(word?.hint?.hasPrefix("targets look like https://host/path") == true)
    }
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "pull.yaml").path
      try Data(Self.pull.utf8).write(to: URL(filePath: path))
      let all = try selected([], config: path)
      #expect(
        all.nothingRun == "nothing was run: the configuration has no check\n  hint: \(hint)")
      let unknown = problem { try selected([id], config: path) }
      #expect(unknown?.message == "no configured check has the id \(id)" && unknown?.hint == hint)
      #expect(
        problem { try selected(["shop.example/x"], config: path) }?.hint
          == "\(hint); did you mean quartz-agent once https://shop.example/x")
    }
  }

  private static let pull = """
    quartz:
      url: https://quartz.example/v1
      api_key: abcdefghijklmnop
      checks: {pull: true, only: {resources: [5a2f3c1e-0b7d-4c36-9a58-2f1e6d7c8b90]}}
    """

  /// `tag:` in front of a tag may be part of it.
  @Test func readings() {
    #expect(tagReadings("web") == ["web"] && tagReadings("tag:web") == ["tag:web", "web"])
  }

  /// What `trace` takes for a host, it would ping; a check of that name comes first.
  @Test func targetsOfATrace() async throws {
    let none = try ConfigOptions.parse([])
    let host = try TraceTarget("shop.example", none)
    #expect(host.check.type == .ping && host.host == "shop.example")
    #expect(try TraceTarget("192.0.2.1", none).check.type == .ping)
    #expect(try TraceTarget("db:5432", none).check.type == .tcp && TraceTarget("db:5432", none).host == "db")
    #expect(try TraceTarget("https://a.example/x", none).host == "a.example")
    try await inFolder { path in
      let target = try TraceTarget("Shop", try ConfigOptions.parse(["-c", path]))
      #expect(target.check.name == "Shop" && target.host == "shop.example")
    }
  }

  /// The running agent's last word on a job, whose state need not follow from the reason.
  @Test func findingsOnAJob() throws {
    func outcome(_ text: String) throws -> ProbeOutcome? {
      OnceHeartbeats.outcome(try JSONValue.parse(text.utf8))
    }
    let missed = try #require(
      try outcome(
        #"{"state":"unknown","reason":"heartbeat_missed","phase":"answer","message":"late","#
          + #""response_time_ms":1500,"excerpt":"x"}"#))
    #expect(missed.verdict.state == .unknown && missed.verdict.reason == .heartbeatMissed)
    #expect(missed.verdict.phase == .answer && missed.verdict.message == "late")
    #expect(missed.responseTime == .milliseconds(1500) && missed.excerpt == "x")
    for state in [CheckState.up, .degraded, .down] {
      let reason = state == .up ? "ok" : "heartbeat_failed"
      let found = try outcome(#"{"state":"\#(state.rawValue)","reason":"\#(reason)"}"#)
      #expect(found?.verdict.state == state && found?.responseTime == nil)
    }
    #expect(try outcome(#"{"state":"up"}"#) == nil && outcome(#"{"reason":"ok"}"#) == nil)
  }

  /// An agent that runs and has no result yet is told from none.
  @Test func jobsThatWereNotJudgedYet() throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.token) = (
      "Backup", "heartbeat", Redacted("0123456789abcdef")
    )
    (definition.period, definition.interval) = (.seconds(86_400), .seconds(60))
    let check = try MonitoringCheck(definition)
    let none = try #require(OnceHeartbeats.latest(#"{"data":[],"total":0}"#, of: check))
    #expect(none.verdict.state == .unknown && none.verdict.reason == .localFault)
    #expect(none.verdict.message == "the running agent has not evaluated this check yet; it does so every 1m")
    let found = OnceHeartbeats.latest(#"{"data":[{"state":"up","reason":"ok"}]}"#, of: check)
    #expect(found?.verdict == .ok)
    for text in ["", "{}", "[]", #"{"data":{}}"#] {
      #expect(OnceHeartbeats.latest(text, of: check) == nil, "\(text)")
    }
  }

  /// The socket where this user may open it, else the listener as it is reached from here, with the token that may most.
  @Test func theAgentOfAConfiguration() async throws {
    var settings = StatusSettings()
    #expect(AgentClient(settings) == nil)
    settings.listen = .tcp(host: "0.0.0.0", port: 9797)
    #expect(AgentClient(settings)?.address == .tcp(host: "127.0.0.1", port: 9797))
    #expect(AgentClient(settings)?.token == nil && AgentClient(settings)?.patience == .seconds(60))
    settings.readToken = Redacted("read")
    #expect(AgentClient(settings)?.token == Redacted("read"))
    settings.runNowToken = Redacted("run")
    #expect(AgentClient(settings)?.token == Redacted("run"))
    settings.socket = .unix(path: "/nowhere/agent.sock")
    #expect(AgentClient(settings)?.address == .tcp(host: "127.0.0.1", port: 9797))
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "agent.sock").path
      try Data().write(to: URL(filePath: path))
      settings.socket = .unix(path: path)
      let client = try #require(AgentClient(settings))
      #expect(client.address == .unix(path: path) && client.token == nil)
    }
    settings.listen = .unix(path: "/run/a.sock")
    settings.socket = nil
    #expect(AgentClient(settings)?.token == nil)
    #expect(try AgentClient(place: "run/a.sock").address == .unix(path: "run/a.sock"))
    #expect(try AgentClient(place: "[::]:80").address == .tcp(host: "::1", port: 80))
  }

  /// A canary says whether this machine can reach anything: one that lacks what only the service can read would say that
  /// it cannot.
  @Test func canariesThatCannotBeAsked() async throws {
    let credential = "${cred:token}"
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "agent.yaml").path
      let file = """
        canaries: [Probe, Hidden, Shop]
        checks:
          - {name: Shop, type: tcp, host: shop.example, port: 80}
          - {name: Hidden, type: http, url: "https://a.example/", headers: {Authorization: "\(credential)"}}
          - {name: Probe, type: tcp, host: probe.example, port: 80}
        """
      try Data(file.utf8).write(to: URL(filePath: path))
      let all = try selected([], config: path)
      #expect(all.checks.map(\.name) == ["Shop", "Hidden", "Probe"])
      #expect(all.checks.map { $0.unread == nil } == [true, false, true])
      #expect(all.canaries.map(\.name) == ["Shop", "Probe"])
      #expect(try selected(["Hidden"], config: path).canaries.map(\.name) == ["Shop", "Probe"])
    }
  }

  /// A running agent takes results over its socket, and over TCP from those that may do something.
  @Test func whoTakesResults() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "agent.yaml").path
      func taker(_ status: String) throws -> AgentClient? {
        let file = """
          agent: {name: test, state_dir: \(folder.path)/state}
          status: {\(status)}
          quartz: {url: "https://api.test/v1", api_key: \(FakeQuartz.key), deliver: {every: 1s}}
          checks:
            - {name: Shop, type: tcp, host: shop.example, port: 80}
          """
        try Data(file.utf8).write(to: URL(filePath: path))
        return try OncePost(try selected([], config: path)).runningAgent()
      }
      let listen = "listen: \"127.0.0.1:9797\""
      #expect(try taker(listen) == nil)
      #expect(try taker("\(listen), read_token: reads-what-there-is") == nil)
      let both = "\(listen), read_token: reads-what-there-is, run_now_token: does-what-it-may"
      for status in ["\(listen), run_now_token: does-what-it-may", both] {
        let client = try #require(try taker(status))
        #expect(client.address == .tcp(host: "127.0.0.1", port: 9797))
        #expect(client.token == Redacted("does-what-it-may"))
      }
      let state = folder.appending(path: "state")
      try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
      try Data().write(to: state.appending(path: "agent.sock"))
      #expect(try taker(listen)?.address.isSocket == true)
    }
  }
}
