// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Sites of Upptime that probes of Globalping ask, and addresses as people write them.
@Suite struct UpptimeProbeTests {
  private func read(_ members: String) throws -> ReadSource {
    try ReadSource(.upptime, "sites:\n  - {name: s, \(members)}\n")
  }

  private static let places = Array(repeating: "changed: an agent probes from where it stands", count: 2)

  private func lines(_ made: ReadSource) -> [String] {
    (made.imported.checks.first?.notes ?? []).map { "\($0.change?.rawValue ?? ""): \($0.why)" }
  }

  /// Their `tcp-ping` is one of ICMP, without a port, and no answer is one.
  @Test(
    arguments: [
      ("a.example", "a.example", "\nip: \"4\""),
      ("\"https://a.example:8443/x?y#z\"", "a.example", "\nip: \"4\""),
      ("\"http://u:p@a.example\", ipv6: true", "a.example", "\nip: \"6\""),
      ("192.0.2.1", "\"192.0.2.1\"", ""),
      ("\"https://[2001:db8::1]/\"", "\"2001:db8::1\"", ""),
    ])
  func pings(url: String, host: String, family: String) throws {
    let made = try read(
      "url: \(url), type: globalping, location: Berlin, check: tcp-ping, port: 443, maxResponseTime: 500")
    #expect(
      try made.keys()
        == "type: ping\nhost: \(host)\ncount: 3\(family)\nretry_delay: 2s\nexpect:\n  rtt:\n    warn: 500ms")
    #expect(made.imported.checks[0]["timeout"]?.word == "10s" && made.problems == [])
    #expect(
      Set(lines(made))
        == Set(
          Self.places + [
            ": Globalping pings without a port",
            "stricter: Upptime takes a ping of Globalping that is not answered for one that is",
          ]))
  }

  /// A request is one of https unless the address says http, and ends at the first redirect.
  @Test(
    arguments: [
      ("a.example/b", "https://a.example/b", "4"), ("\"http://a.example\"", "http://a.example", "4"),
      ("\"https://a.example/\", ipv6: true", "https://a.example/", "6"),
    ])
  func requests(url: String, written: String, family: String) throws {
    let made = try read(
      "url: \(url), type: globalping, location: world, body: x, maxRedirects: 5, requestTimeout: 3, port: 8080"
    )
    let check = try #require(made.imported.checks.first)
    #expect(check["url"]?.word == written && check["ip"]?.word == family && check["follow"]?.word == "false")
    #expect(check["body"] == nil && check["max_redirects"] == nil && check["timeout"]?.word == "1m")
    #expect(
      lines(made).sorted()
        == (Self.places + [
          "changed: Globalping does not read it", "changed: Globalping does not read it",
          "changed: Globalping does not read it", "changed: write the port into the url",
        ]).sorted())
  }

  @Test(
    arguments: [
      ("a.example", "a.example", "443"), ("\"https://a.example:8443/x\"", "a.example", "8443"),
      ("\"https://a.example:8443\", port: 9443", "a.example", "9443"),
    ])
  func certificates(url: String, host: String, port: String) throws {
    let check = try #require(
      try read("url: \(url), type: globalping, check: ssl").imported.checks.first)
    #expect(check["type"]?.word == "tls" && check["host"]?.word == host && check["port"]?.word == port)
  }

  /// An address is pinged in its own family, and one without a scheme asked by http, as curl does.
  @Test(
    arguments: [
      ("\"2001:db8::1\", check: tcp-ping", "ip", nil), ("192.0.2.1, check: tcp-ping", "ip", nil),
      ("192.0.2.1, check: tcp-ping, ipv6: true", "ip", "6"), ("a.example, check: tcp-ping", "ip", "4"),
      ("a.example/b", "url", "http://a.example/b"), ("\"https://a.example\"", "url", "https://a.example"),
    ] as [(String, String, String?)])
  func addresses(url: String, key: String, value: String?) throws {
    #expect(try read("url: \(url)").imported.checks.first?[key]?.word == value)
  }

  @Test func anAddressInAVariable() throws {
    #expect(try read("url: $PAGE").keys().hasPrefix("type: http\nurl: \"${env:PAGE}\"\n"))
  }

  /// Upptime finds such a site down at each run.
  @Test(arguments: ["[]", "[601]", "[0]", "[2xx]"]) func noStatusAtAll(codes: String) throws {
    let made = try read("url: \"https://a.example\", expectedStatusCodes: \(codes)")
    #expect(made.names == [] && made.imported.leftOut.map(\.why) == ["it expects no status that there is"])
  }

  /// Only a request has statuses.
  @Test func noStatusOfAPing() throws {
    #expect(try read("url: a.example, check: tcp-ping, expectedStatusCodes: []").names == ["s"])
  }

  /// A status that no answer has is left out of those expected: 0 is that of a request that fails.
  @Test func statusesOfNoAnswer() throws {
    let made = try read("url: \"https://a.example\", expectedStatusCodes: [200, 0, 601, 100, 599, 99]")
    guard case .list(let codes)? = made.imported.checks.first?["expect.status"] else {
      Issue.record("no list")
      return
    }
    #expect(codes.map(\.word) == ["200", "100", "599"])
    #expect(
      lines(made) == [
        "stricter: to Upptime a request that fails has it; it is down here", ": no answer has it",
        ": no answer has it",
      ])
  }

  /// Globalping takes any certificate.
  @Test func certificatesOfRequests() throws {
    let made = try read("url: a.example, type: globalping, location: x, __dangerous__insecure: true")
    #expect(made.imported.checks.first?["tls.verify"]?.word == "false")
    #expect(lines(made) == [": Globalping verifies no certificate"] + Self.places)
  }
}
