// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// A check as it is printed: each key in its place and in the form in which it is read.
@Suite struct CheckPrintTests {
  private func printed(_ definition: CheckDefinition, secrets: Set<[String]> = []) throws -> String {
    var printer = KeyPrinter(secretPaths: secrets)
    printer.checks([try MonitoringCheck(definition)])
    return printer.text
  }

  /// A definition made of a check makes the same check.
  @Test func wayBack() throws {
    for definition in [
      FullChecks.http, FullChecks.tcp, FullChecks.dns, FullChecks.ping, FullChecks.heartbeat, FullChecks.tls,
    ] {
      let check = try MonitoringCheck(definition)
      #expect(try MonitoringCheck(CheckDefinition(check)) == check)
    }
    let ways: [(inout AuthDefinition) -> Void] = [
      { ($0.basic.username, $0.basic.password) = ("u", Redacted("p")) },
      { ($0.digest.username, $0.digest.password) = ("u", Redacted("p")) },
      {
        var given = OAuth2Definition()
        (given.tokenURL, given.clientID) = ("https://id.example/token", "id")
        (given.clientSecret, given.scopes) = (Redacted("s"), ["read", "write"])
        $0.oauth2 = given
      },
    ]
    for way in ways {
      var definition = CheckDefinition.http()
      way(&definition.auth)
      definition.proxy = Redacted("socks5h://proxy.example:1081")
      (definition.http.follow, definition.http.readBody) = (false, true)
      let check = try MonitoringCheck(definition)
      #expect(try MonitoringCheck(CheckDefinition(check)) == check)
    }
  }

  @Test func anHTTPCheck() throws {
    let text = try printed(FullChecks.http)
    let (first, second) = try #require(
      text.firstRange(of: "    method:").map { at in
        (String(text[..<at.lowerBound]), String(text[at.lowerBound...]))
      })
    #expect(
      first == """
        checks:
          - name: "Shop front"
            id: "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
            type: http
            enabled: false
            post: true
            resource: "5a2f3c1e-0b7d-4c36-9a58-2f1e6d7c8b90"
            tags: ["a", "b c"]
            runbook: "https://wiki.example/shop#disk-full"
            interval: 5m
            timeout: 20s
            retries: 3
            retry_delay: 5s
            confirm_delay: 1500ms
            interval_failing: 30s
            failure_threshold: 4
            depends_on: ["Gateway", "tag:core"]
            confirm:
              from: 2
              of: ["paris", "ny", "rome"]
              within: 25s
            strict_downtime: true
            trace: false
            ip: "4"
            addresses: each
            resolver: "192.0.2.9:54"
            source_address: "192.0.2.7"
            negate: true
            url: "https://shop.example:8443/health?x=1"

        """)
    #expect(second == request)
  }

  private let request = """
        method: "POST"
        headers:
          "X-B": "<redacted>"
          "Accept": "<redacted>"
        body: "<redacted>"
        auth:
          bearer: "<redacted>"
        follow: true
        max_redirects: 3
        allow_downgrade: true
        http_version: "1.1"
        decompress: false
        max_body: 2KiB
        tls:
          ca_file: "/etc/ca.pem"
          server_name: "front.example"
          verify: true
          min_version: "1.1"
          max_version: "1.3"
          both: true
          client_certificate: "/etc/c.pem"
          client_key: "/etc/k.pem"
        expect:
          status: ["200-204", "301"]
          body:
            contains: ["ok"]
            not_contains: ["bad"]
            matches: ["a+"]
            not_matches: ["b+", "c"]
            bytes: true
          header:
            "X-Depth": "< 5"
            "X-A": "!~ b"
          json:
            "$.a": 1.5
            "$.b": "1.5"
            "$.c": "!= 2"
            "$.d": "!= \\"2\\""
          final_url: "~ ^https"
          http_version: "1.1"
          response_time:
            warn: 3s
            fail: 4s
          certificate:
            warn: 30d
            fail: 10d
            strict: true

    """

  /// From the first key that only its kind has.
  private func tail(_ definition: CheckDefinition, from key: String) throws -> String {
    let text = try printed(definition)
    let start = try #require(text.firstRange(of: "    \(key):"))
    return String(text[start.lowerBound...])
  }

  @Test func aTCPCheck() throws {
    #expect(
      try tail(FullChecks.tcp, from: "host") == """
            host: "db.example"
            port: 5433
            starttls: postgres
            dialog:
              - send: "<redacted>"
              - expect: "~ ^25\\\\d"
              - expect_hex: "0d0a"
            tls:
              verify: false
              min_version: "1.2"
              max_version: "1.2"
            expect:
              certificate:
                warn: 36h
                fail: 1d

        """)
  }

  @Test func aDNSCheck() throws {
    #expect(
      try tail(FullChecks.dns, from: "server") == """
            server: "192.0.2.53:853"
            transport: dot
            query:
              name: "example.com"
              type: "TXT"
              class: CH
              recursion: false
              dnssec: true
            tls:
              server_name: "ns.example"
              verify: true
              min_version: "1.2"
            expect:
              rcode: ["NOERROR", "NXDOMAIN"]
              answers:
                any: ["a", "~ b"]
                all: ["c"]
                exact: ["c", "d"]
                none: ["e"]
              count: ">= 2"
              ttl: "< 300"
              authoritative: false
              serial_agreement: true

        """)
  }

  @Test func aPing() throws {
    #expect(
      try tail(FullChecks.ping, from: "host") == """
            host: "router.example"
            method: tcp
            port: 443
            count: 5
            packet_interval: 250ms
            expect:
              loss:
                warn: 12.5%
                fail: 37.5%
              rtt:
                warn: 300ms
                fail: 2s

        """)
    #expect(try tail(.ping(host: "192.0.2.1"), from: "packet_interval").hasSuffix("200ms\n    size: 56\n"))
  }

  /// What a heartbeat does not have is not there either: nothing is dialled.
  @Test func aHeartbeat() throws {
    #expect(
      try printed(FullChecks.heartbeat) == """
        checks:
          - name: "Backup"
            id: "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c04"
            type: heartbeat
            enabled: true
            post: false
            interval: 1m
            failure_threshold: 1
            strict_downtime: false
            token: "<redacted>"
            cron: "30 3 * * 1-5"
            timezone: "Europe/London"
            grace: 90s
            max_run: 1h

        """)
  }

  /// A value of a secret source is hidden, alone, in a list, and in a url; a text cannot end its line.
  @Test func secretsAndTexts() throws {
    var definition = CheckDefinition.http("https://shop.example/a/b?key=1")
    let check = try MonitoringCheck(definition)
    let id = check.id.description
    definition.plan.tags = ["a\\b", "c\"d", "${e}$f"]
    let paths: Set<[String]> = [
      ["checks", id, "url"], ["checks", id, "tags", "1"], ["checks", id, "retries"],
    ]
    let text = try printed(definition, secrets: paths)
    #expect(text.contains(#"    tags: ["a\\b", "<redacted>", "$${e}$f"]"# + "\n"))
    #expect(text.contains("    url: \"https://shop.example/%3Credacted%3E?%3Credacted%3E\"\n"))
    #expect(text.contains("    retries: \"<redacted>\"\n") && !text.contains("key=1"))
    var printer = KeyPrinter(secretPaths: [])
    printer.text("name", "a\tb\nc\u{7f}\u{85}\u{2028}\u{feff}é")
    printer.text("other", "a", host: "xn--bcher-kva.example")
    printer.flag("on", true)
    printer.flag("off", false)
    printer.word("none", nil)
    #expect(
      printer.text == #"name: "a\tb\nc\u007f\u0085\u2028\ufeffé""# + "\n"
        + "other: \"a\"  # bücher.example\non: true\noff: false\n")
  }
}
