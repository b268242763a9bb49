// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// How much a section of alerts may list, and what is said of the second of two.
struct AlertLimitsTests {
  private let ops = "{name: ops, exec: [/bin/true]}"

  private func text(_ alerts: String) -> String { "alerts:\n\(alerts)" + oneCheck }

  private func channels(_ count: Int, first: String = "ops") -> String {
    let others = (1..<count).map { ", {name: c\($0), exec: [/bin/true]}" }.joined()
    return "  channels: [{name: \(first), exec: [/bin/true]}\(others)]\n"
  }

  @Test func channelsAreBounded() throws {
    #expect(try settings(text(channels(32))).alerts?.channels.count == 32)
    #expect(
      problems(text(channels(33))) == [
        "agent.yaml:2:3: alerts.channels may list at most 32 channels, found 33"
      ])
    let nobody =
      "alerts has no channel, so nothing would be sent\n  hint: add a channel, or leave out alerts"
    #expect(problems(text("  channels: []\n")) == ["agent.yaml:2:3: " + nobody])
    #expect(problems(text("  digest: \"08:00\"\n")) == ["agent.yaml:1:1: " + nobody])
  }

  /// A list whose entries are all refused is not empty as well.
  @Test func refusedStepsAreOneProblem() {
    func rule(_ before: String) -> String {
      text(channels(1) + "  rules: [{type: certificate_expiry, before: [\(before)]}]\n")
    }
    let refused = problems(rule("59m"))
    #expect(
      refused.count == 1
        && refused.first?.hasPrefix(
          "agent.yaml:3:47: alerts.rules[0].before[0] must be at least 1h, found 59m") == true,
      "\(refused)")
    let empty = problems(rule(""))
    #expect(empty.count == 1 && empty.first?.contains("before is empty") == true, "\(empty)")
  }

  /// The name of any other one, not only the first's.
  @Test func channelsHaveNamesOfTheirOwn() {
    let list = """
        channels:
          - {name: a, exec: [/bin/true]}
          - {name: b, exec: [/bin/true]}
          - {exec: [/bin/true], name: b}

      """
    #expect(problems(text(list)) == ["agent.yaml:5:27: two channels are called \"b\""])
  }

  @Test func rulesAreBounded() throws {
    func rules(_ count: Int) -> String {
      let all = (1...max(count, 1)).map { "{name: r\($0), type: consecutive_failures}" }.prefix(count)
      return text(channels(1) + "  rules: [\(all.joined(separator: ", "))]\n")
    }
    #expect(try settings(rules(64)).alerts?.rules.count == 64)
    #expect(problems(rules(65)) == ["agent.yaml:3:3: alerts.rules may list at most 64 rules, found 65"])
    #expect(
      problems(rules(0)) == [
        "agent.yaml:3:3: alerts.rules is empty\n  hint: leave it out for the usual rules, or leave out alerts"
      ])
    #expect(try settings(text(channels(1))).alerts?.rules == AlertRule.defaults)
  }

  @Test func rulesHaveNamesOfTheirOwn() {
    let list =
      channels(1) + """
          rules:
            - {name: a, type: consecutive_failures}
            - {name: b, type: state, state: down}
            - {type: consecutive_failures, name: b}

        """
    #expect(
      problems(text(list)) == [
        "agent.yaml:6:36: two rules are called \"b\"\n  hint: give each rule a name of its own"
      ])
  }

  /// Names of channels that are none, each at its own place.
  @Test func rulesNameChannels() {
    let list = channels(2) + "  rules: [{type: state, state: down, channels: [c1, op, zzzzzz]}]\n"
    #expect(
      problems(text(list)) == [
        "agent.yaml:3:53: channels names \"op\", which is no channel\n  hint: did you mean \"ops\"?",
        "agent.yaml:3:57: channels names \"zzzzzz\", which is no channel",
      ])
  }

  private func escalate(_ steps: [String], channels count: Int = 10) -> String {
    text(channels(count) + "  escalate: [\(steps.joined(separator: ", "))]\n")
  }

  @Test func stepsAreBounded() throws {
    func steps(_ count: Int) -> [String] { (1...count).map { "{after: \($0)h, to: [c\($0)]}" } }
    #expect(try settings(escalate(steps(8))).alerts?.escalate.count == 8)
    #expect(
      problems(escalate(steps(9))) == [
        "agent.yaml:3:3: alerts.escalate may list at most 8 steps, found 9"
      ])
  }

  /// They come in the order of their times; at a time of their own, a channel is named once.
  @Test func stepsAreInOrder() throws {
    let read = try settings(
      escalate(["{after: 2h, to: [c1, c2]}", "{after: 30m, to: [c3]}", "{after: 1h, to: [c4]}"]))
    #expect(read.alerts?.escalate.map(\.to) == [["c3"], ["c4"], ["c1", "c2"]])
    #expect(
      problems(escalate(["{after: 1h, to: [c1]}", "{after: 2h, to: [c2]}", "{after: 3h, to: [c3, c2]}"])) == [
        "agent.yaml:3:72: two steps of alerts.escalate name the channel \"c2\""
          + "\n  hint: leave it in the earlier one"
      ])
    #expect(
      problems(escalate(["{after: 1h, to: [c1, c10]}"])) == [
        "agent.yaml:3:35: to names \"c10\", which is no channel\n  hint: did you mean \"c1\"?"
      ])
  }

  /// Somebody has to hear of it at first.
  @Test func oneChannelIsLeftOut() {
    let all = ["{after: 1h, to: [ops]}", "{after: 2h, to: [c1, c2]}"]
    #expect(
      problems(escalate(all, channels: 3)) == [
        "agent.yaml:3:3: alerts.escalate names every channel, so none is notified at first"
          + "\n  hint: leave one channel out of it"
      ])
    #expect(problems(escalate(all, channels: 4)) == [])
    #expect(problems(escalate(Array(all.prefix(1)), channels: 3)) == [])
  }

  @Test func reportsAreBounded() throws {
    func reports(_ count: Int) -> String {
      let all = (1...count).map { "{name: r\($0), channels: [ops]}" }
      return text(channels(1) + "  reports: [\(all.joined(separator: ", "))]\n")
    }
    #expect(try settings(reports(16)).alerts?.reports.count == 16)
    #expect(
      problems(reports(17)) == ["agent.yaml:3:3: alerts.reports may list at most 16 reports, found 17"])
  }

  @Test func listsOfWindowsAndRulesAreBounded() throws {
    func windows(_ count: Int) -> String {
      let all = (1...count).map { "{name: w\($0), start: 2026-01-04T02:00, duration: 2h}" }
      return "maintenance: [\(all.joined(separator: ", "))]\n" + oneCheck
    }
    let most = MaintenanceLimits.windows
    #expect(try settings(windows(most)).maintenance.count == most)
    #expect(
      problems(windows(most + 1)) == [
        "agent.yaml:1:1: maintenance may list at most \(most) windows, found \(most + 1)"
      ])
    func rules(_ count: Int) -> String {
      let all = Array(repeating: "{tags: [t], depends_on: [Shop front]}", count: count)
      return "dependencies: [\(all.joined(separator: ", "))]\n" + oneCheck
    }
    #expect(try settings(rules(256)).dependencies.count == 256)
    #expect(
      problems(rules(257)) == ["agent.yaml:1:1: dependencies may list at most 256 rules, found 257"])
  }

  /// The second of three windows of one name is told of, with where the first stands, and so is the third.
  @Test func windowsHaveNamesOfTheirOwn() {
    let window = "start: 2026-01-04T02:00, duration: 2h"
    let list = """
      maintenance:
        - {name: a, \(window)}
        - {name: b, \(window)}
        - {name: b, \(window)}
        - {\(window), name: b}

      """
    #expect(
      problems(list + oneCheck) == [
        "agent.yaml:4:6: name \"b\" is taken by the window in line 3",
        "agent.yaml:5:45: name \"b\" is taken by the window in line 3",
      ])
  }

  /// Networks of one's own end where the RFCs say so.
  @Test(arguments: [
    ("10.0.0.0", true), ("10.255.255.255", true), ("9.255.255.255", false), ("11.0.0.0", false),
    ("172.16.0.0", true), ("172.31.255.255", true), ("172.15.255.255", false), ("172.32.0.0", false),
    ("192.168.0.0", true), ("192.168.255.255", true), ("192.167.255.255", false), ("192.169.0.0", false),
    ("169.254.0.0", true), ("169.254.255.255", true), ("169.253.255.255", false), ("169.255.0.0", false),
    ("127.0.0.1", true), ("127.255.255.254", true), ("[::1]", true), ("localhost", true),
    ("[fc00::]", true), ("[fdff::1]", true), ("[fbff::1]", false), ("[fe00::1]", false),
    ("[fe80::1]", true), ("[febf::1]", true), ("[fe7f::1]", false), ("[fec0::1]", false),
    ("a.example", false),
  ])
  func networksOfOnesOwn(host: String, isNear: Bool) throws {
    let hook = text("  channels: [{name: ops, webhook: \"http://\(host)/x\"}]\n")
    let mail = text(
      "  channels: [{name: ops, mail: {server: \"\(host):25\", tls: none, from: a@b.example, to: [c@d.example]}}]\n"
    )
    let byHTTP =
      "agent.yaml:2:26: the channel \"ops\" sends over plain http: everybody on the way reads the messages "
      + "and the URL\n  hint: use https"
    let byMail =
      "the channel \"ops\" sends mail in plain text: everybody on the way reads it"
      + "\n  hint: use tls: starttls or implicit"
    #expect(try warnings(hook).contains(byHTTP) == !isNear)
    #expect(try warnings(mail).contains { $0.hasSuffix(byMail) } == !isNear)
  }
}
