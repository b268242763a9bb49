// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Check commands of Icinga 2: those of the files, those of its library, and those that import others.
@Suite struct IcingaCommandsTests {
  private static let base = """
    template Host "generic-host" {
      max_check_attempts = 3
      check_interval = 1m
      retry_interval = 30s
      check_command = "hostalive"
    }
    object Host "web1" {
      import "generic-host"
      address = "192.0.2.1"
      vars.os = "Linux"
    }
    object Host "old" {
      import "generic-host"
      address = "192.0.2.2"
    }

    """

  private func read(_ text: String) throws -> ReadSource { try ReadSource(.icinga2, Self.base + text) }

  @Test func macrosAndOwnCommands() throws {
    let made = try read(
      """
      const Port = 8080
      object CheckCommand "web" {
        command = [ PluginDir + "/check_http" ]
        arguments = {
          "-I" = "$address$"
          "-p" = "$web_port$"
          "-u" = { value = "$web_path$"; required = true }
          "-S" = { set_if = "$web_ssl$" }
          "-k" = { value = "$web_headers$", repeat_key = true }
          "-s" = "$missing$"
        }
        vars.web_path = "/$host.vars.os$"
      }
      object Service "page" {
        host_name = "web1"
        check_command = "web"
        vars.web_port = Port + 1
        vars.web_headers = [ "X-A: 1", "Authorization: Bearer t0ken" ]
        vars.http_timeout = 3
        enable_active_checks = false
      }
      """)
    #expect(
      try made.keys(of: 2) == """
        type: http
        url: http://192.0.2.1:8081/Linux
        headers:
          X-A: "1"
          Authorization: "${env:QUARTZ_C_AUTHORIZATION}"
        follow: false
        expect:
          status: [200-399]
        failure_threshold: 3
        interval_failing: 1m
        enabled: false
        """)
    #expect(!made.text.contains("t0ken") && made.problems == [])
  }

  /// An argument has its key before each value, unless it says otherwise.
  @Test(arguments: [("", true), ("; repeat_key = true", true), ("; repeat_key = false", false)])
  func theKeyOfSeveralValues(how: String, isRepeated: Bool) throws {
    let made = try read(
      """
      object CheckCommand "web" {
        command = [ PluginDir + "/check_http" ]
        arguments = {
          "-I" = "$address$"
          "-k" = { value = "$web_headers$"\(how) }
        }
      }
      object Service "page" {
        host_name = "web1"
        check_command = "web"
        vars.web_headers = [ "X-A: 1", "X-B: 2" ]
      }
      """)
    let keys = (try? made.keys(of: 2)) ?? ""
    #expect(keys.contains("X-B: \"2\"") == isRepeated)
  }

  /// How an argument is given: with a separator, without what it requires, by a key of its own, with nothing to say.
  @Test(
    arguments: [
      (#""-p" = { value = "$a_port$" }"#, "80"), (#""-p" = { value = "$a_port$"; separator = "" }"#, "80"),
      (#""--port" = { value = "$a_port$"; separator = "=" }"#, "80"),
      (#""-p" = { value = "$a_port$"; required = true }"#, "80"),
      (#""-p" = "$a_port$"; "-s" = { value = "$missing$"; required = false }"#, "80"),
      (#""-p" = "$a_port$"; "-s" = { value = "$missing$"; required = true }"#, nil),
      (#""one" = { key = "-p"; value = "81" }; "two" = { key = "-p"; value = "$a_port$" }"#, "80"),
      (#""-p" = { value = "$a_port$"; set_if = "" }"#, "80"),
      (#""-p" = { value = "$a_port$"; set_if = null }"#, "80"),
      (#""-p" = "$a_port$"; "-S" = "" "#, "80 true"),
      (#""-p" = "$a_port$"; "-S" = { value = "" } "#, "80 true"),
      (#""-p" = "$a_port$"; "-S" = null "#, "80 true"),
      (#""-p" = "$a_port$"; "-S" = { set_if = false } "#, "80"),
    ] as [(String, String?)])
  func arguments(arguments: String, port: String?) throws {
    let made = try read(
      """
      object CheckCommand "own" {
        command = [ PluginDir + "/check_tcp", "-H", "$address$" ]
        arguments = { \(arguments) }
      }
      object Service "p" {
        host_name = "old"
        check_command = "own"
        vars.a_port = 80
      }
      """)
    let checks = made.imported.checks.dropFirst(2)
    let found = checks.map { ($0["port"]?.word ?? "") + ($0["tls"] == nil ? "" : " true") }
    #expect(found == [port].compactMap(\.self))
    if port == nil { #expect(made.reasons.contains("-s is required, and has no value")) }
  }

  /// A command that imports another, of the files or of Icinga's library.
  @Test func commandsImportCommands() throws {
    let made = try read(
      """
      object CheckCommand "site" {
        import "http"
        vars.http_ssl = true
        arguments += { "-u" = "$site_path$" }
      }
      object CheckCommand "shop" {
        import "site"
        vars.site_path = "/shop"
      }
      apply Service "s" {
        check_command = "shop"
        vars.http_vhost = "shop.example"
        vars.http_onredirect = "follow"
        assign where host.name == "old"
      }
      apply Service "p" {
        check_command = "icmp"
        assign where host.name == "old"
      }
      """)
    #expect(made.names == ["web1 host", "old host", "old s", "old p"])
    #expect(
      try made.keys(of: 2) == """
        type: http
        url: https://192.0.2.2/shop
        headers:
          Host: shop.example
        tls:
          server_name: shop.example
          verify: false
        failure_threshold: 3
        interval_failing: 1m
        """)
    #expect(
      try made.keys(of: 3) == """
        type: ping
        host: "192.0.2.2"
        count: 5
        expect:
          rtt:
            warn: 100ms
            fail: 200ms
          loss:
            warn: 9.99%
            fail: 29.99%
        failure_threshold: 3
        interval_failing: 1m
        """)
    #expect(made.problems == [])
  }

  /// Paths that Icinga's packages set.
  @Test func constantsOfPaths() throws {
    let made = try read(
      """
      object CheckCommand "own" {
        command = [ SysconfDir + "/icinga2/plugins/check_tcp", "-H", "$address$", "-p", "80" ]
      }
      apply Service "p" {
        check_command = "own"
        assign where host.name == "old"
      }
      """)
    #expect(made.names == ["web1 host", "old host", "old p"])
  }

  /// `check_timeout` ends a plugin that would take longer.
  @Test func checkTimeout() throws {
    let made = try read(
      "object Service \"p\" {\n host_name = \"old\"\n check_command = \"ssh\"\n check_timeout = 3s\n}\n")
    #expect(made.imported.checks.last?["timeout"]?.word == "3s")
  }

  /// Signs between two values, each with values on both sides of where its answer changes.
  @Test(arguments: [
    ("n < 2", false), ("n < 3", true), ("n <= 2", true), ("n <= 1", false), ("n > 2", false), ("n > 1", true),
    ("n >= 2", true), ("n >= 3", false), ("n == 2", true), ("n == 3", false), ("n != 2", false),
    ("n != 3", true),
    ("n - 1 == 1", true), ("n * 3 == 6", true), ("n / 2 == 1", true), ("n + 1 == 3", true),
    ("none < 1", true),
    ("t < \"b\"", false), ("t < \"c\"", true), ("t > \"b\"", false), ("t > \"a\"", true),
    ("n in [ 1, 2 ]", true), ("n in [ 1, 3 ]", false), ("n !in [ 1, 2 ]", false), ("n !in [ 1, 3 ]", true),
  ])
  func signs(condition: String, holds: Bool) throws { try judge(condition, holds) }

  /// Of two signs the one that binds more comes first, of two that bind alike the left one.
  @Test(arguments: [
    ("n == 2 || false && false", true), ("n == 3 && false || true", true), ("n == 3 && true || false", false),
    ("n == 2 && true", true), ("n == 3 || true", true), ("n == 2 in [ true ]", false),
    ("n != 3 in [ 3 ]", true), ("n in [ 2 ] == true", true), ("n in [ 3 ] != true", true),
    ("n + 1 in [ 3 ]", true),
    ("n < 3 == true", true), ("n < 1 + 2", true), ("n + 3 * 2 == 8", true), ("n * 3 - 1 == 5", true),
    ("n - 1 - 1 == 0", true), ("n - 1 + 1 == 2", true), ("n / 2 * 2 == 2", true),
  ])
  func theOrderOfSigns(condition: String, holds: Bool) throws { try judge(condition, holds) }

  private func judge(_ condition: String, _ holds: Bool) throws {
    let made = try ReadSource(
      .icinga2,
      """
      object Host "h" {
        address = "192.0.2.1"
        check_command = "hostalive"
        vars.n = 2
        vars.t = "b"
      }
      apply Service "s" {
        check_command = "tcp"
        vars.tcp_port = 80
        assign where host.vars.\(condition)
      }
      """)
    #expect(made.names == (holds ? ["h host", "h s"] : ["h host"]))
  }
}
