// SPDX-License-Identifier: MIT

import Import
import Testing

/// Limits of Nagios and Icinga 2 that another one, or the timeout, hides, and options of an empty text.
@Suite struct NagiosLimitsTests {
  /// A warning above the failure is never seen.
  @Test(
    arguments: [
      ("check_http -H a.example -w 5 -c 2", nil, "2s"), ("check_tcp -p 25 -w 5 -c 2", nil, "2s"),
      ("check_dns -H a.example -w 5 -c 2", nil, "2s"), ("check_pgsql -w 5 -c 2", nil, "2s"),
      ("check_tcp -p 25 -w 2 -c 2", "2s", "2s"), ("check_tcp -p 25 -w 2 -c 5", "2s", "5s"),
      ("check_tcp -p 25 -w 30 -c 2", nil, "2s"), ("check_tcp -p 25 -w 5 -c 30", "5s", nil),
    ] as [(String, String?, String?)])
  func aWarningAboveTheFailure(call: String, warn: String?, fail: String?) throws {
    let made = try ReadSource(plugin: call)
    let check = try #require(made.imported.checks.first)
    #expect(check["expect.response_time.warn"]?.word == warn, "\(made.text)")
    #expect(check["expect.response_time.fail"]?.word == fail && made.problems == [], "\(made.text)")
    let isSaid = call.contains("-w 5 -c 2")
    let words = "-w is above -c, so it has no effect"
    #expect(
      check.notes.filter { $0.why == words }.map(\.line)
        == (isSaid ? ["not carried: expect.response_time.warn: \(words)"] : []))
  }

  @Test(arguments: ["check_ping", "check_fping", "check_icmp"])
  func aPingsWarningAboveTheFailure(plugin: String) throws {
    let made = try ReadSource(plugin: "\(plugin) -H a.example -w 500,60% -c 100,20%")
    let check = try #require(made.imported.checks.first)
    #expect(check["expect.rtt.warn"]?.word == "100ms" && check["expect.rtt.fail"]?.word == "100ms")
    #expect(check["expect.loss.warn"]?.word == "19.99%" && check["expect.loss.fail"]?.word == "19.99%")
    #expect(made.problems == [], "\(made.text)")
  }

  /// What takes longer than the timeout is down by it.
  @Test(
    arguments: [
      ("check_ping -H a -w 3000.0,80% -c 5000.0,100% -t 3", "3s", "3s", "3s"),
      ("check_ping -H a -w 1000.0,80% -c 5000.0,100% -t 3", "3s", "1s", "3s"),
      ("check_icmp -H a -w 3000.0,80% -c 5000.0,100% -t 4", "4s", "3s", "4s"),
      ("check_ping -H a -w 100.0,80% -c 500.0,100%", "10s", "100ms", "500ms"),
    ])
  func aRoundTripAboveTheTimeout(call: String, timeout: String, warn: String, fail: String) throws {
    let made = try ReadSource(plugin: call)
    let check = try #require(made.imported.checks.first)
    #expect(check["timeout"]?.word == timeout && check["expect.rtt.warn"]?.word == warn)
    #expect(check["expect.rtt.fail"]?.word == fail && made.problems == [], "\(made.text)")
  }

  @Test(
    arguments: [
      ("check_timeout = 2s", "2s"), ("vars.ping_timeout = 3", "3s"), ("check_interval = 4s", "4s"),
      ("", "5s"),
    ])
  func anIcingaHostWithAShortTimeout(line: String, fail: String) throws {
    let made = try ReadSource(
      .icinga2,
      "object Host \"h\" {\n address = \"192.0.2.1\"\n check_command = \"hostalive\"\n \(line)\n}\n")
    let check = try #require(made.imported.checks.first)
    #expect(check["expect.rtt.fail"]?.word == fail && made.problems == [], "\(made.text)")
  }

  @Test func anIcingaServiceWithAShortTimeout() throws {
    let made = try ReadSource(
      .icinga2,
      """
      object Host "h" { address = "192.0.2.1" }
      object Service "s" {
        host_name = "h"
        check_command = "http"
        vars.http_critical_time = 5
        check_timeout = 4s
      }
      """)
    let check = try #require(made.imported.checks.first)
    #expect(check["expect.response_time.fail"]?.word == "4s" && made.problems == [], "\(made.text)")
  }

  /// An argument that is not given makes an empty text, which is no condition to the plugin.
  @Test(
    arguments: [
      "check_http -H a.example -s ''", "check_http -H a.example -r ''", "check_http -H a.example -R ''",
      "check_http -H a.example -l -R ''", "check_http -H a.example -r foo -r ''",
      "check_http -H a.example -d ''", "check_http -H a.example -a ''",
    ])
  func anEmptyText(call: String) throws {
    let made = try ReadSource(plugin: call)
    let bare = try ReadSource(plugin: "check_http -H a.example")
    #expect(try made.keys() == bare.keys() && made.problems == [], "\(made.text)")
    #expect(made.imported.checks[0].notes.map(\.why) == bare.imported.checks[0].notes.map(\.why))
  }

  @Test func anEmptyAnswer() throws {
    let made = try ReadSource(plugin: "check_dig -H 192.0.2.53 -l a.example -a ''")
    #expect(made.imported.checks.first?["expect.count"]?.word == ">= 1" && made.problems == [])
  }
}
