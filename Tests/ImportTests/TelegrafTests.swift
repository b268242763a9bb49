// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Telegraf's inputs that probe, by the rules of its plugins.
@Suite struct TelegrafTests {
  private func read(_ text: String) throws -> ReadSource { try ReadSource(.telegraf, text) }

  /// A token's file whose name would be more than a name in a reference is listed, not written.
  @Test(arguments: [("/run/token", true), ("/run/t}${env:X}", false), ("/run/$t", false)])
  func fileOfAToken(name: String, isWritten: Bool) throws {
    let made = try read(
      "[[inputs.http_response]]\nurls = [\"https://a.example\"]\nbearer_token = \"\(name)\"\n")
    #expect(made.text.contains("bearer: \"${file:\(name)}\"") == isWritten && !made.text.contains("${env:"))
    #expect(made.reasons.contains(AgentValue.oddFile) == !isWritten)
  }

  @Test func httpResponse() throws {
    let made = try read(
      """
      [agent]
        interval = "30s"
      [global_tags]
        dc = "ams"
      # comment
      [[inputs.http_response]]
        urls = [
          "https://a.example/health", # one
          "http://b.example/?token=s3cret",
        ]
        response_timeout = "3s"
        method = "POST"
        follow_redirects = true
        body = '''
      {"a": 1}'''
        response_string_match = "^ok$"
        response_status_code = 201
        username = "ann"
        password = "pa$$word"
        insecure_skip_verify = false
        tls_server_name = "c.example"
        [inputs.http_response.headers]
          X-Kind = "a \\"b\\""
          X-Trace = "t-${TRACE}"
        [inputs.http_response.tags]
          team = "web"
      """)
    #expect(made.names.first == "https://a.example/health" && made.names.count == 2)
    #expect(
      try made.keys() == """
        type: http
        url: https://a.example/health
        method: POST
        headers:
          X-Kind: "a \\"b\\""
          X-Trace: "t-${env:TRACE}"
        auth:
          basic:
            username: ann
            password: "${env:QUARTZ_C_PASSWORD}"
        body: "{\\"a\\": 1}"
        tls:
          server_name: c.example
        expect:
          status: [201]
          body:
            matches: ["(?-m)^ok\\\\z"]
        max_body: 16777216B
        """)
    let check = made.imported.checks[0]
    #expect(
      check["interval"]?.word == "30s" && check["timeout"]?.word == "3s" && check["retries"]?.word == "0")
    #expect(
      made.secrets.map { "\($0.name)=\($0.value.reveal())" } == [
        "QUARTZ_HTTPS_A_EXAMPLE_HEALTH_PASSWORD=pa$word",
        "QUARTZ_HTTP_B_EXAMPLE_TOKEN_TOKEN=s3cret",
        "QUARTZ_HTTP_B_EXAMPLE_TOKEN_PASSWORD=pa$word",
      ])
    #expect(!made.text.contains("s3cret"))
    guard case .list(let tags)? = check["tags"] else { throw NoSuchFile(path: "tags") }
    #expect(tags.compactMap(\.word) == ["dc:ams", "team:web"])
    #expect(check["allow_downgrade"]?.word == "true")
  }

  @Test func anAnswerIsASuccess() throws {
    let made = try read("[[inputs.http_response]]\nurls = [\"http://a.example\"]\n")
    #expect(
      try made.keys() == "type: http\nurl: http://a.example\nfollow: false\nexpect:\n  status: any")
    #expect(
      made.imported.checks[0]["timeout"]?.word == "5s" && made.imported.checks[0]["interval"]?.word == "10s")
    #expect(made.problems == [])
  }

  @Test func netResponse() throws {
    let made = try read(
      """
      [[inputs.net_response]]
        protocol = "tcp"
        address = "a.example:22"
        timeout = "2s"
        read_timeout = "4s"
        send = "hi\\r\\n"
        expect = "^SSH-2"
      [[inputs.net_response]]
        protocol = "udp"
        address = "a.example:53"
      """)
    #expect(made.names == ["a.example:22"])
    #expect(
      try made.keys() == """
        type: tcp
        host: a.example
        port: 22
        dialog: [{send: "hi\\\\r\\\\n"}, {expect: "~ \\\\A[^\\\\r\\\\n]*?(?:^SSH-2)"}]
        """)
    #expect(made.imported.checks[0]["timeout"]?.word == "6s")
    #expect(made.imported.leftOut.map(\.why) == ["no check here speaks to a port of UDP"])
    #expect(made.problems == [])
  }

  @Test func pingAndNames() throws {
    let made = try read(
      """
      [[inputs.ping]]
        urls = ["192.0.2.1"]
        count = 3
        ping_interval = 0.5
        method = "native"
        deadline = "4s"
        ipv6 = false
        interval = "1m"
      [[inputs.ping]]
        urls = ["192.0.2.2"]
        arguments = ["-c", "3"]
      [[inputs.dns_query]]
        servers = ["192.0.2.53", "2001:db8::53"]
        domains = ["a.example"]
        record_type = "MX"
        network = "tcp"
        port = 5353
        timeout = 3
      [[inputs.dns_query]]
        servers = ["192.0.2.54"]
      """)
    #expect(
      made.names == [
        "192.0.2.1", "a.example at 192.0.2.53", "a.example at 2001:db8::53", ". at 192.0.2.54",
      ])
    #expect(try made.keys() == "type: ping\nhost: \"192.0.2.1\"\ncount: 3\npacket_interval: 500ms")
    #expect(
      made.imported.checks[0]["timeout"]?.word == "4s" && made.imported.checks[0]["interval"]?.word == "1m")
    #expect(
      try made.keys(of: 2)
        == "type: dns\nserver: \"[2001:db8::53]:5353\"\nquery:\n  name: a.example\n  type: MX\ntransport: tcp"
    )
    #expect(made.imported.checks[2]["timeout"]?.word == "3s")
    #expect(
      try made.keys(of: 3) == "type: dns\nserver: \"192.0.2.54\"\nquery:\n  name: \".\"\n  type: NS")
    #expect(made.imported.leftOut.map(\.why) == ["arguments of the program ping are not read"])
    #expect(made.problems == [])
  }

  @Test func certificates() throws {
    let made = try read(
      """
      [[inputs.x509_cert]]
        sources = ["https://a.example", "tcp://b.example:8443", "smtp://m.example:587", "/etc/ssl/a.pem", "udp://c:1"]
        tls_ca = "/etc/ca.pem"
        exclude_root_certs = true
      """)
    #expect(made.names == ["https://a.example", "tcp://b.example:8443", "smtp://m.example:587"])
    #expect(try made.keys() == "type: tls\nhost: a.example\nport: 443\ntls:\n  ca_file: \"/etc/ca.pem\"")
    #expect(
      try made.keys(of: 2)
        == "type: tls\nhost: m.example\nport: 587\nstarttls: smtp\ntls:\n  ca_file: \"/etc/ca.pem\"")
    #expect(made.imported.leftOut.count == 2 && made.problems == [])
  }

  @Test func otherInputsAreNamed() throws {
    let made = try read(
      "[[inputs.cpu]]\npercpu = true\n[[inputs.ping]]\nurls = [\"a\"]\n[[outputs.x]]\na = 1\n")
    #expect(made.names == ["a"])
    #expect(
      made.reasons == [
        "the input probes nothing that a check here probes",
        "metrics and results are built in: see status in docs/configuration.md",
      ])
    #expect(made.imported.carried + made.imported.listed == made.imported.total)
  }

  @Test(arguments: [
    ("a = 1\n[b]\nc.d = 'x'\n", "{a:1,b:{c:{d:x}}}"), ("a = \"\"\"\n1\\\n   2\"\"\"\n", "{a:12}"),
    ("a = [1, [2, 3],\n # c\n]\n", "{a:[1,[2,3]]}"),
    ("[[a.b]]\nx = true\n[[a.b]]\nx = false\n", "{a:{b:[{x:true},{x:false}]}}"),
    ("\"q r\" = '''a'b'''\n", "{q r:a'b}"), ("a = {b = 1, c = \"\\u00e9\"}", "{a:{b:1,c:é}}"),
    ("a = \"\"\"x\"\"\"\"\n", "{a:x\"}"),
    ("[a]\n[a.b]\nc = 2026-01-01T00:00:00Z\n", "{a:{b:{c:2026-01-01T00:00:00Z}}}"),
  ])
  func textsOfTOML(text: String, shown: String) throws {
    func show(_ node: ForeignNode) -> String {
      switch node.content {
      case .scalar(let text, _): text
      case .list(let items): "[\(items.map(show).joined(separator: ","))]"
      case .map(let entries): "{\(entries.map { "\($0.name):\(show($0.value))" }.joined(separator: ","))}"
      }
    }
    #expect(show(try TOMLReader.read(Array(text.utf8))) == shown)
  }

  @Test(arguments: [
    ("a = \"x\n", "line 1: a text has no end"), ("a\n", "line 1: a key without ="),
    ("[a\n", "line 1: the name of a table has no end"),
    ("a = 1 2\n", "line 1: something stands behind a value"), ("\na = [1\n", "line 3: a list has no end"),
    ("a = 1\n[a.b]\n", "line 2: a is a value and no table"), ("a = \"\\q\"", "line 1: an escape is none"),
  ])
  func whatIsNoTOMLIsRefused(text: String, words: String) {
    #expect(throws: ImportProblem(words)) { try TOMLReader.read(Array(text.utf8)) }
  }

  /// Settings of TLS are carried where one address is https, wherever it stands.
  @Test(
    arguments: [
      (["http://a.example"], ["the address is no https"]), (["http://a.example", "https://b.example"], []),
      (["https://b.example", "http://a.example"], []),
    ] as [([String], [String])])
  func addressesInTheClear(urls: [String], reasons: [String]) throws {
    let made = try read("[[inputs.http_response]]\nurls = \(urls)\ntls_ca = \"/etc/ca.pem\"\n")
    #expect(made.reasons == reasons && made.imported.listed == reasons.count)
    for (url, check) in zip(urls, made.imported.checks) {
      #expect((check["tls.ca_file"]?.word == nil) == url.hasPrefix("http:"))
    }
  }
}
