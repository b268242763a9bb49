// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Fields of cloudprober's probes, as its .proto files describe them: what each becomes, its unit and its default.
@Suite struct CloudproberFieldsTests {
  private func read(_ probe: String, _ type: String, _ targets: String = "host_names: \"a.example\"") throws
    -> ReadSource
  {
    try ReadSource(
      .cloudprober, "probe {\n name: \"p\"\n type: \(type)\n targets { \(targets) }\n \(probe)\n}\n")
  }

  private func check(_ probe: String, _ type: String, _ targets: String = "host_names: \"a.example\"") throws
    -> ImportedCheck
  {
    try #require(try read(probe, type, targets).imported.checks.first, "\(probe)")
  }

  private static let any = "expect:\n  status: any"
  private static let form = "headers:\n  Content-Type: application/x-www-form-urlencoded"

  /// A field of http_probe, what the request has of it, and how the address is made.
  @Test(arguments: [
    ("method: POST body: \"a=1\"", "http://a.example/\nmethod: POST\nbody: \"a=1\"\n\(form)\n\(any)"),
    (
      "method: PUT body: \"a=1\" body: \"b=2\"",
      "http://a.example/\nmethod: PUT\nbody: \"a=1&b=2\"\n\(form)\n\(any)"
    ),
    ("max_redirects: 0", "http://a.example/\nfollow: false\n\(any)"),
    ("max_redirects: 1", "http://a.example/\nmax_redirects: 1\n\(any)"),
    ("max_redirects: 20", "http://a.example/\nmax_redirects: 20\n\(any)"),
    ("disable_http2: true", "http://a.example/\nhttp_version: \"1.1\"\n\(any)"),
    ("disable_http2: false", "http://a.example/\n\(any)"),
    ("disable_cert_validation: true", "http://a.example/\ntls:\n  verify: false\n\(any)"),
    ("disable_cert_validation: false", "http://a.example/\n\(any)"),
    ("tls_config { disable_cert_validation: true }", "http://a.example/\ntls:\n  verify: false\n\(any)"),
    (
      "tls_config { ca_cert_file: \"a\" tls_cert_file: \"b\" tls_key_file: \"c\" server_name: \"d\" }",
      "http://a.example/\ntls:\n  ca_file: a\n  client_certificate: b\n  client_key: c\n  server_name: d\n\(any)"
    ),
    ("user_agent: \"x\"", "http://a.example/\nheaders:\n  User-Agent: x\n\(any)"),
    (
      "user_agent: \"x\" header { key: \"user-agent\" value: \"z\" }",
      "http://a.example/\nheaders:\n  User-Agent: x\n\(any)"
    ),
    ("proxy_url: \"http://p.example:3128\"", "http://a.example/\nproxy: http://p.example:3128\n\(any)"),
    ("proxy_url: \"socks5://p.example:1\"", "http://a.example/\nproxy: \"socks5h://p.example:1\"\n\(any)"),
    ("body_file: \"/b\"", "http://a.example/\nbody_file: \"/b\"\n\(any)\nmethod: GET"),
    ("protocol: HTTPS", "https://a.example/\n\(any)"), ("scheme: HTTPS", "https://a.example/\n\(any)"),
    ("protocol: HTTP", "http://a.example/\n\(any)"), ("port: 81", "http://a.example:81/\n\(any)"),
    ("relative_url: \"/x\"", "http://a.example/x\n\(any)"),
    ("keep_alive: false", "http://a.example/\n\(any)"),
  ])
  func fieldsOfAPage(fields: String, keys: String) throws {
    #expect(try read("http_probe { \(fields) }", "HTTP").keys() == "type: http\nurl: \(keys)")
  }

  /// The probe's own fields come before those of a target, and a target's port before that of its address.
  @Test(arguments: [
    ("", "url: \"https://t.example:8443/y\"", "https://t.example:8443/y"),
    ("scheme: HTTP", "url: \"https://t.example:8443/y\"", "http://t.example:8443/y"),
    ("port: 81", "url: \"https://t.example:8443/y\"", "https://t.example:81/y"),
    ("relative_url: \"/x\"", "url: \"https://t.example:8443/y\"", "https://t.example:8443/x"),
    ("", "url: \"https://t.example:8443/y\" port: 82", "https://t.example:82/y"),
    ("", "url: \"https://t.example\"", "https://t.example/"), ("", "port: 82", "http://n.example:82/"),
    ("", "labels { key: \"fqdn\" value: \"f.example\" }", "http://f.example/"),
    ("", "labels { key: \"relative_url\" value: \"z\" }", "http://n.example/z"),
    ("", "labels { key: \"relative_url\" value: \"/z\" }", "http://n.example/z"),
    ("relative_url: \"/x\"", "labels { key: \"relative_url\" value: \"/z\" }", "http://n.example/x"),
    ("", "ip: \"2001:db8::1\" port: 82", "http://[2001:db8::1]:82/"),
    // Labels come before an address, unless they are empty.
    (
      "", "url: \"https://t.example:8443/y\" labels { key: \"fqdn\" value: \"f.example\" }",
      "https://f.example:8443/y"
    ),
    (
      "", "url: \"https://t.example/y\" labels { key: \"relative_url\" value: \"z\" }", "https://t.example/z"
    ),
    ("", "url: \"https://t.example/y\" labels { key: \"fqdn\" value: \"\" }", "https://t.example/y"),
    ("", "labels { key: \"relative_url\" value: \"\" }", "http://n.example/"),
  ])
  func addressesOfTargets(fields: String, endpoint: String, url: String) throws {
    let check = try check("http_probe { \(fields) }", "HTTP", "endpoint { name: \"n.example\" \(endpoint) }")
    #expect(check["url"]?.word == url)
    #expect(check["headers.Host"]?.word == (endpoint.contains("ip:") ? "n.example:82" : nil))
  }

  /// An address is asked by its name, unless the probe names a host itself; its certificate is the name's.
  @Test func aTargetWithAnAddress() throws {
    let target = "endpoint { name: \"n.example\" ip: \"192.0.2.1\" }"
    let plain = try check("http_probe { scheme: HTTPS }", "HTTP", target)
    #expect(plain["headers.Host"]?.word == "n.example" && plain["tls.server_name"]?.word == "n.example")
    // A header of another spelling is not the Host that is sent.
    for (name, host) in [("Host", "o.example"), ("hOST", "n.example")] {
      let header = "headers { name: \"\(name)\" value: \"o.example\" }"
      let own = try check("http_probe { scheme: HTTP \(header) }", "HTTP", target)
      guard case .map(let headers)? = own["headers"] else {
        Issue.record("no headers")
        continue
      }
      #expect(headers.map { $0.value.word } == [host] && own["tls"] == nil)
    }
  }

  /// Two seconds and one are what cloudprober takes by itself; a text has a unit, a number is in milliseconds.
  @Test(
    arguments: [
      ("", "2s", "1s"), ("interval: \"1m\" timeout: \"5s\"", "1m", "5s"),
      ("interval_msec: 5000 timeout_msec: 250", "5s", "250ms"),
      ("interval: \"30s\" interval_msec: 5000 timeout: \"2s\" timeout_msec: 250", "30s", "2s"),
      ("interval_msec: 1500", "1500ms", "1s"),
    ] as [(String, String, String)])
  func thePace(fields: String, interval: String, timeout: String) throws {
    let check = try check(fields, "PING")
    #expect(check["interval"]?.word == interval && check["timeout"]?.word == timeout)
    #expect(check["retries"]?.word == "0")
  }

  /// Fields of every probe.
  @Test(
    arguments: [
      ("negative_test: true", "negate", "true"), ("negative_test: false", "negate", nil),
      ("ip_version: IPV4", "ip", "4"), ("ip_version: IPV6", "ip", "6"), ("", "ip", nil),
      ("source_ip: \"192.0.2.9\"", "source_address", "192.0.2.9"),
    ] as [(String, String, String?)])
  func fieldsOfEveryProbe(fields: String, key: String, value: String?) throws {
    for type in ["HTTP", "PING", "DNS"] {
      #expect(try check(fields, type)[key]?.word == value, "\(type)")
    }
  }

  @Test func labelsAreTags() throws {
    let fields =
      "additional_label { key: \"a\" value: \"b\" } additional_label { key: \"c d\" value: \"e\" }"
    #expect(try check(fields, "PING").tags == ["a:b", "c-d:e"])
  }

  /// Packets of a run and what lies between them, at most and at least as here.
  @Test(
    arguments: [
      ("", "2", "25ms", nil, []),
      ("packets_per_probe: 1 packets_interval_msec: 10 payload_size: 0", "1", "10ms", "0", []),
      ("packets_per_probe: 100 packets_interval_msec: 10000 payload_size: 1472", "100", "10s", "1472", []),
      ("packets_per_probe: 101", "100", "25ms", nil, ["101 is made 100, the most there is"]),
      ("packets_per_probe: 0", "1", "25ms", nil, ["0 is made 1, the least there is"]),
      ("packets_interval_msec: 9", "2", "10ms", nil, ["9 is made 10, the least there is"]),
      ("packets_interval_msec: 10001", "2", "10s", nil, ["10001 is made 10000, the most there is"]),
      ("payload_size: 1473", "2", "25ms", "1472", ["1473 is made 1472, the most there is"]),
    ] as [(String, String, String, String?, [String])])
  func packets(fields: String, count: String, pause: String, size: String?, notes: [String]) throws {
    let check = try check("ping_probe { \(fields) }", "PING")
    #expect(check["count"]?.word == count && check["packet_interval"]?.word == pause)
    #expect(check["size"]?.word == size && check.notes.map(\.why) == notes)
    #expect(check.notes.allSatisfy { $0.change == .changed })
  }

  /// Fields of dns_probe, with what is asked where nothing is named.
  @Test(
    arguments: [
      ("", "query.name", "www.google.com"), ("", "query.type", "MX"), ("", "query.class", nil),
      ("", "query.recursion", nil), ("", "transport", nil), ("", "expect.count", nil),
      ("resolved_domain: \"b.example\"", "query.name", "b.example"),
      ("query_type: AAAA", "query.type", "AAAA"),
      ("query_class: CH", "query.class", "CH"), ("query_class: IN", "query.class", nil),
      ("recursion_desired: false", "query.recursion", "false"),
      ("recursion_desired: true", "query.recursion", nil),
      ("dns_proto: UDP", "transport", "udp"), ("dns_proto: TCP", "transport", "tcp"),
      ("dns_proto: TCP_TLS", "transport", "dot"), ("min_answers: 0", "expect.count", nil),
      ("min_answers: 1", "expect.count", ">= 1"), ("min_answers: 2", "expect.count", ">= 2"),
    ] as [(String, String, String?)])
  func fieldsOfANameServer(fields: String, key: String, value: String?) throws {
    let made = try read("dns_probe { \(fields) }", "DNS", "host_names: \"192.0.2.53:5353\"")
    let check = try #require(made.imported.checks.first)
    #expect(check[key]?.word == value && check["server"]?.word == "192.0.2.53:5353")
    #expect(made.reasons == [])
  }

  /// Where a name server is: an address of version 6 in brackets before a port.
  @Test(arguments: [
    ("host_names: \"192.0.2.53\"", "", "192.0.2.53"),
    ("host_names: \"[2001:db8::53]:54\"", "", "[2001:db8::53]:54"),
    ("endpoint { name: \"n\" ip: \"2001:db8::53\" port: 54 }", "", "[2001:db8::53]:54"),
    ("endpoint { name: \"n\" ip: \"2001:db8::53\" }", "", "2001:db8::53"),
    ("endpoint { name: \"n\" ip: \"192.0.2.53\" port: 54 }", "", "192.0.2.53:54"),
    ("endpoint { name: \"n\" ip: \"192.0.2.53\" }", "resolve_first: false", "n"),
    ("endpoint { name: \"n\" ip: \"192.0.2.53\" }", "resolve_first: true", "192.0.2.53"),
    // Also with TLS, where a check would ask at 853.
    ("host_names: \"192.0.2.53\"", "dns_proto: TCP_TLS", "192.0.2.53:53"),
    ("host_names: \"192.0.2.53:853\"", "dns_proto: TCP_TLS", "192.0.2.53:853"),
    ("host_names: \"192.0.2.53\"", "dns_proto: TCP", "192.0.2.53"),
  ])
  func placesOfNameServers(targets: String, fields: String, server: String) throws {
    #expect(try check("dns_probe { \(fields) }", "DNS", targets)["server"]?.word == server)
  }

  /// An address of version 6 as a host's name.
  @Test func aNameOfVersionSix() throws {
    let target = "endpoint { name: \"n\" ip: \"192.0.2.1\" labels { key: \"fqdn\" value: \"2001:db8::1\" } }"
    let check = try check("http_probe { port: 81 }", "HTTP", target)
    #expect(check["url"]?.word == "http://192.0.2.1:81/" && check["headers.Host"]?.word == "[2001:db8::1]:81")
  }

  @Test(arguments: ["query_class: HS", "dns_proto: QUIC"]) func wordsOfDNSThatAreNone(field: String) throws {
    let check = try check("dns_probe { \(field) }", "DNS")
    #expect(check.notes.filter { $0.why == Ledger.misread }.map(\.change) == [.changed])
    #expect(check["query.class"] == nil && check["transport"] == nil)
  }

  /// The probe's port comes before the target's; a handshake is made with the target's name.
  @Test(
    arguments: [
      ("port: 81", "name: \"n.example\" port: 82", "n.example", "81", nil),
      ("", "name: \"n.example\" port: 82", "n.example", "82", nil),
      ("tls_handshake: true port: 81", "name: \"n.example\"", "n.example", "81", "true"),
      ("tls_handshake: false port: 81", "name: \"n.example\"", "n.example", "81", nil),
      (
        "tls_handshake: true port: 81", "name: \"n.example\" ip: \"192.0.2.1\"", "192.0.2.1", "81",
        "n.example"
      ),
      (
        "tls_handshake: true port: 81 resolve_first: false", "name: \"n.example\" ip: \"192.0.2.1\"",
        "n.example",
        "81", "true"
      ),
      (
        "tls_config { server_name: \"o\" } port: 81", "name: \"n.example\" ip: \"192.0.2.1\"", "192.0.2.1",
        "81", "o"
      ),
      ("tls_config {} port: 81", "name: \"n.example\"", "n.example", "81", "true"),
    ] as [(String, String, String, String, String?)])
  func ports(fields: String, endpoint: String, host: String, port: String, tls: String?) throws {
    let check = try check("tcp_probe { \(fields) }", "TCP", "endpoint { \(endpoint) }")
    #expect(check["host"]?.word == host && check["port"]?.word == port)
    #expect((check["tls"]?.word ?? check["tls.server_name"]?.word) == tls)
  }

  /// Codes that succeed, and codes that fail, of all validators together.
  @Test(
    arguments: [
      ("success_status_codes: \"200\"", "[200]", []),
      ("success_status_codes: \"200, 204\"", "[200, 204]", []),
      ("success_status_codes: \"200-200\"", "[200]", []),
      ("success_status_codes: \"200-202,202-204\"", "[200-204]", []),
      ("failure_status_codes: \"100-399\"", "[400-599]", []),
      ("failure_status_codes: \"100\"", "[101-599]", []), ("failure_status_codes: \"599\"", "[100-598]", []),
      (
        "success_status_codes: \"x\"", "any",
        ["laxer: one of them is no status and no range of statuses"]
      ),
      (
        "success_status_codes: \"200-100\"", "any",
        ["laxer: one of them is no status and no range of statuses"]
      ),
      (
        "success_status_codes: \"1-2-3\"", "any",
        ["laxer: one of them is no status and no range of statuses"]
      ),
      (
        "success_status_codes: \"200\" failure_status_codes: \"200\"", "[200]",
        ["listed: no status meets it together with the others"]
      ),
      (
        "failure_header { name: \"X\" }", "any",
        ["laxer: a condition on a header wants the header to be there"]
      ),
    ] as [(String, String, [String])])
  func statuses(validator: String, status: String, notes: [String]) throws {
    let made = try read("validator { name: \"v\" http_validator { \(validator) } }", "HTTP")
    #expect(try made.keys().contains("  status: \(status)"))
    let found = try #require(made.imported.checks.first).notes.map {
      "\($0.change?.rawValue ?? "listed"): \($0.why)"
    }
    #expect(Set(found) == Set(notes))
  }

  @Test func validatorsHoldTogether() throws {
    let made = try read(
      """
      validator { name: "a" http_validator { success_status_codes: "200-299" } }
      validator { name: "b" http_validator { failure_status_codes: "204" } regex: "x" }
      validator { name: "c" regex: "y" }
      validator { name: "d" http_validator { success_header { name: "X-A" value_regex: "^1$" } } }
      """, "HTTP")
    #expect(
      try made.keys() == """
        type: http
        url: http://a.example/
        expect:
          body:
            matches: [x, "y"]
          header:
            X-A: "~ (?-m)^1\\\\z"
          status: [200-203, 205-299]
        """)
    #expect(made.reasons == [])
  }
}
