// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Settings of Telegraf's inputs, with the values that its plugins take by themselves.
@Suite struct TelegrafValuesTests {
  private func read(_ input: String, _ lines: String, before: String = "") throws -> ReadSource {
    try ReadSource(.telegraf, "\(before)[[inputs.\(input)]]\n\(lines)\n")
  }

  private func check(_ input: String, _ lines: String, before: String = "") throws -> ImportedCheck {
    try #require(try read(input, lines, before: before).imported.checks.first, "\(lines)")
  }

  private static let page = "urls = ['https://a.example/']\n"

  /// A setting of a page, and the key that it becomes.
  @Test(
    arguments: [
      ("method = 'PUT'", "method", "PUT"), ("", "method", nil), ("follow_redirects = true", "follow", nil),
      ("follow_redirects = false", "follow", "false"), ("", "follow", "false"),
      ("response_status_code = 0", "expect.status", "any"), ("", "expect.status", "any"),
      ("response_timeout = '3s'", "timeout", "3s"), ("response_timeout = 3", "timeout", "3s"),
      ("response_timeout = '0s'", "timeout", "5s"), ("", "timeout", "5s"),
      ("response_timeout = '500ms'", "timeout", "5s"), ("response_timeout = '999ms'", "timeout", "5s"),
      ("response_timeout = '1s'", "timeout", "1s"), ("response_timeout = 0.5", "timeout", "5s"),
      ("insecure_skip_verify = true", "tls.verify", "false"),
      ("insecure_skip_verify = false", "tls.verify", nil), ("tls_ca = '/a'", "tls.ca_file", "/a"),
      ("ssl_ca = '/a'", "tls.ca_file", "/a"), ("tls_cert = '/c'", "tls.client_certificate", "/c"),
      ("ssl_cert = '/c'", "tls.client_certificate", "/c"), ("tls_key = '/k'", "tls.client_key", "/k"),
      ("tls_server_name = 'b.example'", "tls.server_name", "b.example"),
      ("tls_min_version = 'TLS12'", "tls.min_version", "1.2"),
      ("tls_min_version = 'TLS13'", "tls.min_version", "1.3"),
      ("interface = '192.0.2.9'", "source_address", "192.0.2.9"),
      ("interface = 'eth0'", "source_address", nil),
      ("http_proxy = 'http://p.example:3128'", "proxy", "http://p.example:3128"),
      ("body = 'a'", "body", "a"), ("interval = '2m'", "interval", "2m"),
      ("interval = 30", "interval", "30s"),
      ("response_string_match = 'a'", "max_body", "16777216B"),
      ("response_string_match = 'a'\nresponse_body_max_size = '1KiB'", "max_body", "1024B"),
      ("[inputs.http_response.body_form]\na = 'b&c'\nd = ['1', '2']", "body", "a=b%26c&d=1&d=2"),
    ] as [(String, String, String?)])
  func pages(line: String, key: String, value: String?) throws {
    #expect(try check("http_response", Self.page + line)[key]?.word == value)
  }

  /// What an input says of its pace comes before what the agent says; ten seconds are Telegraf's own.
  @Test(
    arguments: [
      ("", "", "10s", []), ("[agent]\ninterval = '20s'\n", "", "20s", []),
      ("[agent]\ninterval = '20s'\n", "interval = '30s'", "30s", []),
      ("[agent]\ninterval = 'soon'\n", "", "10s", [Ledger.misread]),
      ("[agent]\ninterval = 'soon'\n", "interval = '30s'", "30s", []),
    ] as [(String, String, String, [String])])
  func intervals(agent: String, line: String, interval: String, notes: [String]) throws {
    let check = try check("http_response", Self.page + line, before: agent)
    #expect(check["interval"]?.word == interval)
    #expect(check.notes.filter { $0.place == "agent.interval" }.map(\.why) == notes)
  }

  /// A port: a second to connect, and one to read where something is expected.
  @Test(
    arguments: [
      ("address = 'a.example:1'", "a.example", "1", "1s"),
      ("address = ':1'", "localhost", "1", "1s"), ("address = '[2001:db8::1]:1'", "2001:db8::1", "1", "1s"),
      ("address = 'a.example:1'\ntimeout = '3s'\nread_timeout = '4s'", "a.example", "1", "3s"),
      ("address = 'a.example:1'\nexpect = 'x'", "a.example", "1", "2s"),
      ("address = 'a.example:1'\nexpect = 'x'\ntimeout = '3s'\nread_timeout = '4s'", "a.example", "1", "7s"),
    ] as [(String, String, String, String)])
  func ports(lines: String, host: String, port: String, timeout: String) throws {
    let check = try check("net_response", "protocol = 'tcp'\n\(lines)")
    #expect(check["host"]?.word == host && check["port"]?.word == port && check["timeout"]?.word == timeout)
  }

  /// Packets, and how long a run waits: as many pauses as lie between them, and the timeout, up to the deadline.
  @Test(
    arguments: [
      ("", "1", nil, "1s"), ("count = 3", "3", "1s", "3s"),
      ("count = 3\nping_interval = 0.2", "3", "200ms", "1400ms"),
      ("count = 3\ntimeout = 4", "3", "1s", "6s"), ("count = 30", "30", "1s", "10s"),
      ("count = 30\ndeadline = 5", "30", "1s", "5s"), ("count = 101\ndeadline = 3", "100", "1s", "3s"),
    ] as [(String, String, String?, String)])
  func pings(lines: String, count: String, pause: String?, timeout: String) throws {
    let check = try check("ping", "urls = ['a.example']\n\(lines)")
    #expect(check["count"]?.word == count && check["packet_interval"]?.word == pause)
    #expect(check["timeout"]?.word == timeout)
  }

  @Test(
    arguments: [
      ("ipv6 = true", "ip", "6"), ("ipv4 = true", "ip", "4"), ("ipv6 = false", "ip", nil),
      ("size = 56", "size", nil), ("method = 'native'\nsize = 56", "size", "56"),
      ("method = 'native'\nsize = '64B'", "size", "64"), ("method = 'native'\nsize = 1472", "size", "1472"),
      ("method = 'native'\nsize = 1473", "size", nil),
      ("interface = '192.0.2.9'", "source_address", "192.0.2.9"),
    ] as [(String, String, String?)])
  func settingsOfPings(line: String, key: String, value: String?) throws {
    #expect(try check("ping", "urls = ['a.example']\n\(line)")[key]?.word == value)
  }

  /// The root's name servers are asked for where no domain is named, whatever the type is.
  @Test(
    arguments: [
      ("", ".", "NS", "192.0.2.53", nil), ("record_type = 'A'", ".", "NS", "192.0.2.53", nil),
      ("domains = ['b.example']", "b.example", "NS", "192.0.2.53", nil),
      ("domains = ['b.example']\nrecord_type = 'A'", "b.example", "A", "192.0.2.53", nil),
      ("port = 0", ".", "NS", "192.0.2.53", nil), ("port = 53", ".", "NS", "192.0.2.53", nil),
      ("port = 54", ".", "NS", "192.0.2.53:54", nil), ("network = 'tcp'", ".", "NS", "192.0.2.53", "tcp"),
      ("network = 'udp'", ".", "NS", "192.0.2.53", nil), ("network = ''", ".", "NS", "192.0.2.53", nil),
      ("network = 'tcp-tls'", ".", "NS", "192.0.2.53:53", "dot"),
      ("network = 'tcp-tls'\nport = 853", ".", "NS", "192.0.2.53:853", "dot"),
      ("network = 'tcp4-tls'\nport = 853", ".", "NS", "192.0.2.53:853", "dot"),
      ("network = 'tcp4'", ".", "NS", "192.0.2.53", "tcp"),
    ] as [(String, String, String, String, String?)])
  func names(lines: String, name: String, type: String, server: String, transport: String?) throws {
    let check = try check("dns_query", "servers = ['192.0.2.53']\n\(lines)")
    #expect(check["query.name"]?.word == name && check["query.type"]?.word == type)
    #expect(check["server"]?.word == server && check["transport"]?.word == transport)
    #expect(check["timeout"]?.word == "2s")
  }

  /// A network may name the version of addresses; one that is none is listed.
  @Test(
    arguments: [
      ("udp", nil, true), ("udp4", "4", true), ("udp6", "6", true), ("tcp6", "6", true),
      ("tcp4-tls", "4", true),
      ("tcp-tls", nil, true), ("tcp", nil, true), ("unix", nil, false), ("udp-tls", nil, false),
      ("tcp5", nil, false),
    ] as [(String, String?, Bool)])
  func networks(network: String, version: String?, isKnown: Bool) throws {
    let check = try check("dns_query", "servers = ['a.example']\nnetwork = '\(network)'")
    #expect(check["ip"]?.word == version)
    #expect(check.notes.map { $0.change?.rawValue } == (isKnown ? [] : ["changed"]))
  }

  /// Each domain is asked for at each server.
  @Test func allDomainsAtAllServers() throws {
    let made = try read("dns_query", "servers = ['192.0.2.1', '192.0.2.2']\ndomains = ['a', 'b']")
    #expect(made.names == ["a at 192.0.2.1", "b at 192.0.2.1", "a at 192.0.2.2", "b at 192.0.2.2"])
  }

  /// Addresses of certificates.
  @Test(
    arguments: [
      ("https://a.example", "a.example", "443", nil, nil),
      ("https://a.example:8443/x", "a.example", "8443", nil, nil),
      ("tcp://a.example:636", "a.example", "636", nil, nil),
      ("tcp4://a.example:1", "a.example", "1", "4", nil),
      ("tcp6://[2001:db8::1]:1", "2001:db8::1", "1", "6", nil),
      ("smtp://a.example:25", "a.example", "25", nil, "smtp"),
    ] as [(String, String, String, String?, String?)])
  func certificates(source: String, host: String, port: String, family: String?, starttls: String?) throws {
    let check = try check("x509_cert", "sources = ['\(source)']")
    #expect(check["type"]?.word == "tls" && check["host"]?.word == host && check["port"]?.word == port)
    #expect(check["ip"]?.word == family && check["starttls"]?.word == starttls)
    #expect(check["timeout"]?.word == "5s")
  }

  @Test(arguments: [
    ("/etc/a.pem", "a file of this machine is not looked at"),
    ("a.example:443", "it has no scheme, such as tcp:// or https://"),
    ("tcp://a.example", "its address has no port"), ("tcp4://a.example", "its address has no port"),
    ("udp://a.example:1", "no check here looks at a certificate of this kind: udp"),
    ("jks:///a.jks", "no check here looks at a certificate of this kind: jks"),
  ])
  func noCertificate(source: String, why: String) throws {
    let made = try read("x509_cert", "sources = ['\(source)']")
    #expect(made.names == [] && made.imported.leftOut.map(\.why) == [why])
  }

  /// A dollar that is written twice is one, a name behind one is a variable, and a secret store is none.
  @Test(
    arguments: [
      ("a$$b", "$b", true), ("a${B}c", "${env:B}", true), ("a$B-c", "${env:B}", true),
      ("a@{s:k}", "", false), ("a${B", "", false), ("a${B-}", "", false),
    ] as [(String, String, Bool)])
  func variables(text: String, shown: String, isMade: Bool) throws {
    let made = try read("http_response", "urls = ['https://a.example/']\nbody = '\(text)'")
    #expect((made.names == ["https://a.example/"]) == isMade)
    if isMade { #expect(made.text.contains(shown)) }
  }
}
