// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Inputs of Telegraf at their edges, and what of them has no counterpart.
@Suite struct TelegrafRulesTests {
  private func read(_ input: String, _ lines: String, before: String = "") throws -> ReadSource {
    try ReadSource(.telegraf, "\(before)[[inputs.\(input)]]\n\(lines)\n")
  }

  private static let page = "urls = ['https://a.example/']\n"

  /// Seconds as a number, or a span of time with its units; a number is below 10⁸.
  @Test(
    arguments: [
      ("5", 5000), ("0.25", 250), ("0", 0), ("99999999", 99_999_999_000), ("100000000", nil), ("-1", nil),
      ("inf", nil),
      ("nan", nil), ("5s", 5000), ("1m30s", 90_000), ("soon", nil), ("", nil),
    ] as [(String, Int?)])
  func spans(text: String, milliseconds: Int?) { #expect(TelegrafInput.span(text) == milliseconds) }

  /// Telegraf's sizes: a number is one of bytes, and only units with an i are powers of 1024.
  @Test(
    arguments: [
      ("1024", 1024), ("0", 0), ("7B", 7), ("1KB", 1000), ("1KiB", 1024), ("2MB", 2_000_000),
      ("2MiB", 2_097_152), ("1GB", 1_000_000_000), ("1GiB", 1_073_741_824), ("1.5KiB", 1536), ("1kb", nil),
      ("KB", nil), ("", nil), ("x", nil),
      ("1000000000GiB", nil),
    ] as [(String, Int?)])
  func sizes(text: String, bytes: Int?) throws {
    #expect(TelegrafInput.size(text) == bytes)
    let made = try read(
      "http_response", "\(Self.page)response_string_match = 'a'\nresponse_body_max_size = '\(text)'")
    let most = bytes.flatMap { $0 == 0 ? nil : $0 } ?? 33_554_432
    #expect(made.imported.checks.first?["max_body"]?.word == "\(min(most, 16_777_216))B")
    #expect(made.reasons.count == (most > 16_777_216 ? 1 : 0))
  }

  /// The token's file comes before the token, and a name or a password alone is in a header.
  @Test func logins() throws {
    let both = try read("http_response", "\(Self.page)bearer_token = '/run/t'\ntoken = 's3cr3t'")
    #expect(try both.keys().contains("auth:\n  bearer: \"${file:/run/t}\"") && both.secrets.isEmpty)
    let token = try read("http_response", "\(Self.page)token = 's3cr3t'")
    #expect(try token.keys().contains("auth:\n  bearer: \"${env:QUARTZ_C_TOKEN}\""))
    #expect(token.secrets.map { $0.value.reveal() } == ["s3cr3t"])
    let name = try read("http_response", "\(Self.page)username = 'u'")
    #expect(name.secrets.map { $0.value.reveal() } == ["Basic dTo="])
    let password = try read("http_response", "\(Self.page)password = 'p'")
    #expect(password.secrets.map { $0.value.reveal() } == ["Basic OnA="])
    let header = try read(
      "http_response", "\(Self.page)[inputs.http_response.headers]\nX-Token = 's'\nX-A = 'b'")
    #expect(try header.keys().contains("headers:\n  X-Token: \"${env:QUARTZ_C_X_TOKEN}\"\n  X-A: b"))
    let form = try read("http_response", "\(Self.page)body = 'x'\n[inputs.http_response.body_form]\na = 'b'")
    #expect(form.imported.checks.first?["body"]?.word == "x" && form.reasons == [Ledger.unknownKey])
  }

  @Test(
    arguments: [
      ("response_string_match = 'a'\nresponse_body_max_size = '16MiB'", "16777216B", []),
      (
        "response_string_match = 'a'\nresponse_body_max_size = 16777217", "16777216B",
        ["stricter: response_body_max_size: an answer of more than 16 MiB is down"]
      ),
      (
        "response_string_match = 'a'", "16777216B",
        ["stricter: response_body_max_size: an answer of more than 16 MiB is down"]
      ),
      (
        "response_body_max_size = '1KiB'", nil,
        [
          "laxer: f:3: inputs.http_response[0].response_body_max_size: an answer that is longer is up where no text is "
            + "looked for in it"
        ]
      ),
      (
        "tls_renegotiation_method = 'once'", nil,
        ["changed: f:3: inputs.http_response[0].tls_renegotiation_method: TLS is not negotiated again"]
      ),
      (
        "tls_key_pwd = 'p'", nil,
        ["stricter: f:3: inputs.http_response[0].tls_key_pwd: no password opens a key here"]
      ),
      (
        "interface = 'eth0'", nil,
        [
          "changed: f:3: inputs.http_response[0].interface: a check is bound to an address, not to an interface: write "
            + "source_address"
        ]
      ),
      (
        "tls_min_version = 'TLS14'", nil,
        ["not carried: f:3: inputs.http_response[0].tls_min_version: \(Ledger.unknownKey)"]
      ),
      (
        "use_system_proxy = true", nil,
        ["not carried: f:3: inputs.http_response[0].use_system_proxy: \(Ledger.unknownKey)"]
      ),
      ("use_system_proxy = false", nil, []), ("alias = 'x'", nil, []), ("interval = '20s'", nil, []),
    ] as [(String, String?, [String])])
  func whatIsSaidOfAPage(lines: String, size: String?, notes: [String]) throws {
    let check = try #require(try read("http_response", Self.page + lines).imported.checks.first)
    #expect(check["max_body"]?.word == size && check.notes.map(\.line) == notes)
  }

  @Test func cookiesAndMetrics() throws {
    let cookies = ["url", "method", "username", "password", "body", "renewal", "headers"].map {
      "cookie_auth_\($0) = 'x'"
    }
    let made = try read("http_response", Self.page + cookies.joined(separator: "\n"))
    let words = "the check logs in nowhere before, so what it asks for may be refused"
    #expect(
      made.reasonCounts == [words: 7] && made.imported.checks[0].notes.allSatisfy { $0.change == .stricter })
    let keys = [
      "name_override", "name_prefix", "name_suffix", "fielddrop", "fieldinclude", "fieldexclude", "fieldpass",
      "tagdrop",
      "tagexclude", "taginclude", "tagpass", "namepass", "namedrop", "metricpass", "precision", "log_level",
      "collection_jitter", "collection_offset", "percentiles", "include_fields", "exclude_root_certs",
      "pad_serial_with_zeroes", "response_body_field", "http_header_tags", "startup_error_behavior",
    ].map { "\($0) = 'x'" }
    let metrics = try read("ping", "urls = ['a.example']\n\(keys.joined(separator: "\n"))\nodd = 1")
    #expect(
      metrics.reasonCounts == [
        "it is about metrics, which are the agent's own here": 25, Ledger.unknownKey: 1,
      ])
  }

  /// Each version of TLS, each key of old and new files; without redirects none of an address in the clear.
  @Test func settingsOfTLS() throws {
    for (word, version) in [("TLS10", "1.0"), ("TLS11", "1.1"), ("TLS12", "1.2"), ("TLS13", "1.3")] {
      let made = try read("http_response", "\(Self.page)tls_min_version = '\(word)'")
      #expect(made.imported.checks[0]["tls.min_version"]?.word == version)
    }
    let old = try read(
      "http_response", "\(Self.page)ssl_key = '/k'\nssl_cert = '/c'\nserver_name = 's.example'")
    #expect(
      ["client_key", "client_certificate", "server_name"].map { old.imported.checks[0]["tls.\($0)"]?.word }
        == ["/k", "/c", "s.example"])
    for (url, follows, isSet) in [
      ("http://a.example/", false, false), ("HTTP://a.example/", false, false),
      ("http://a.example/", true, true),
      ("https://a.example/", false, true),
    ] {
      let made = try read(
        "http_response", "urls = ['\(url)']\nfollow_redirects = \(follows)\ninsecure_skip_verify = true")
      #expect((made.imported.checks[0]["tls.verify"]?.word == "false") == isSet, "\(url) \(follows)")
      #expect(made.reasons == (isSet ? [] : ["the address is no https"]))
    }
  }

  /// The native method waits for the deadline, of ten seconds; the program for its timeout, and as long at most.
  @Test(
    arguments: [
      ("method = 'native'", "10s"), ("method = 'native'\ncount = 10", "10s"),
      ("method = 'native'\ntimeout = 9", "10s"), ("method = 'native'\ndeadline = 3", "3s"),
      ("count = 20", "10s"), ("timeout = 0.2", "1s"), ("timeout = 9", "9s"), ("timeout = 20", "10s"),
      ("count = 2\ndeadline = 1", "1s"), ("count = 0", "1s"),
    ])
  func timesOfPings(lines: String, timeout: String) throws {
    let check = try #require(
      try read("ping", "interval = 60\nurls = ['a.example']\n\(lines)").imported.checks.first)
    #expect(check["timeout"]?.word == timeout)
  }

  @Test(
    arguments: [
      ("count = 2\nping_interval = 0.001", "packet_interval", "10ms", []), ("count = 0", "count", "1", []),
      ("method = 'native'\ncount = 2\nping_interval = 0.1", "packet_interval", "200ms", []),
      ("count = 2\nping_interval = 20\ninterval = 60", "packet_interval", "10s", []),
      ("count = 0", "count", "1", []),
      ("ipv4 = true\nipv6 = true", "ip", "4", []),
      (
        "method = 'native'\nsize = 1473", "size", nil,
        ["changed: f:4: inputs.ping[0].size: a packet has 1472 bytes at most"]
      ),
      (
        "method = 'native'\nsize = -1", "size", nil,
        ["changed: f:4: inputs.ping[0].size: a packet has 1472 bytes at most"]
      ),
      (
        "method = 'exec'\nsize = 9", "size", nil,
        ["not carried: f:4: inputs.ping[0].size: the program ping is not given it"]
      ),
      (
        "method = 'native'\ntimeout = 3", "size", nil,
        ["not carried: f:4: inputs.ping[0].timeout: the native method does not read it"]
      ),
      ("privileged = true\nbinary = 'ping'", "count", "1", []),
    ] as [(String, String, String?, [String])])
  func whatIsSaidOfPings(lines: String, key: String, value: String?, notes: [String]) throws {
    let check = try #require(try read("ping", "urls = ['a.example']\n\(lines)").imported.checks.first)
    #expect(check[key]?.word == value && check.notes.map(\.line) == notes)
  }

  /// Names have their alias in front; tags of all inputs come before those of one, and a variable is listed.
  @Test func namesAndTags() throws {
    let made = try read(
      "ping",
      "urls = ['a.example', 'b.example']\nalias = 'edge'\n[inputs.ping.tags]\nteam = 'web'\nrack = '$R'",
      before: "[agent]\ninterval = '20s'\n[global_tags]\ndc = 'ams'\nhost = '${H}'\n")
    #expect(made.names == ["edge a.example", "edge b.example"])
    #expect(made.imported.checks.map(\.tags) == [["dc:ams", "team:web"], ["dc:ams", "team:web"]])
    #expect(made.imported.checks.map { $0["interval"]?.word } == ["20s", "20s"])
    #expect(made.reasonCounts == ["a tag takes no variable: write its value": 2])
    let many = (0...500).map { "t\($0) = 'x'\n" }.joined()
    #expect(throws: ImportProblem("f: line 1: more than 500 global tags")) {
      try read("ping", "urls = ['a.example']", before: "[global_tags]\n\(many)")
    }
  }

  /// An input's own tag takes the place of a global one, and the last of the global ones holds.
  @Test func tagsOfOneName() throws {
    let made = try ReadSource(
      .telegraf,
      [
        ("a", "[global_tags]\nenv = 'live'\ndc = 'ams'\n[[inputs.ping]]\nurls = ['a.example']\n"),
        (
          "b",
          "[global_tags]\ndc = 'fra'\n[[inputs.ping]]\nurls = ['b.example']\n[inputs.ping.tags]\nenv = 'test'\n"
        ),
      ])
    #expect(made.imported.checks.map(\.tags) == [["env:live", "dc:fra"], ["dc:fra", "env:test"]])
    let line = "not carried: a:3: global_tags.dc: no check takes it: a later tag of its name takes its place"
    #expect(made.imported.notes.map(\.line) == [line])
  }

  /// TLS that is switched off is that of Go, without the settings.
  @Test func withoutTLSSettings() throws {
    let lines = "insecure_skip_verify = true\ntls_server_name = 'b.example'"
    let off = try read("http_response", "\(Self.page)tls_enable = false\n\(lines)")
    #expect(off.imported.checks[0]["tls"] == nil)
    #expect(off.reasons == ["tls_enable switches it off", "tls_enable switches it off"])
    let on = try read("http_response", "\(Self.page)tls_enable = true\n\(lines)")
    #expect(try on.keys().contains("tls:\n  verify: false\n  server_name: b.example") && on.reasons == [])
  }

  /// Of several files the settings of all agents hold for all inputs, the last one's interval.
  @Test func severalFiles() throws {
    let made = try ReadSource(
      .telegraf,
      [
        ("a", "[agent]\ninterval = '20s'\n[[inputs.ping]]\nurls = ['a.example']\n[global_tags]\nx = '1'\n"),
        (
          "b",
          "[agent]\ninterval = '40s'\n[[inputs.ping]]\nurls = ['b.example']\n[outputs.file]\nfiles = ['x']\n[processors]\ny = 1\n"
        ),
      ])
    #expect(made.imported.checks.map { $0["interval"]?.word } == ["40s", "40s"])
    #expect(made.imported.checks.map(\.tags) == [["x:1"], ["x:1"]])
    #expect(
      made.reasonCounts == [
        "metrics and results are built in: see status in docs/configuration.md": 1,
        "it is about Telegraf and its metrics": 1,
      ])
  }

  @Test(arguments: [
    ("net_response", "protocol = 'udp'\naddress = 'a.example:1'", "no check here speaks to a port of UDP"),
    ("net_response", "address = 'a.example'", "its address has no port"),
    ("ping", "urls = ['a.example']\narguments = ['-c']", "arguments of the program ping are not read"),
    ("http_response", "urls = ['https://a.example/@{s:k}']", "a placeholder in it is no name of a variable"),
  ])
  func noCheck(input: String, lines: String, why: String) throws {
    let made = try read(input, lines)
    #expect(made.names == [] && made.imported.leftOut.map(\.why) == [why])
    #expect(made.imported.leftOut[0].name.hasPrefix("\"\(input) "))
  }

  /// Without an address of its own an input asks this machine.
  @Test func targetsThatAreNotNamed() throws {
    #expect(try read("http_response", "method = 'GET'").names == ["http://localhost"])
    #expect(try read("net_response", "protocol = 'tcp'").names == ["localhost:80"])
    #expect(try read("http_response", "address = 'https://a.example/'").names == ["https://a.example/"])
    #expect(try read("ping", "count = 2").names == [] && read("dns_query", "port = 53").names == [])
  }
}
