// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// `.upptimerc.yml`, by the rules of upptime/uptime-monitor.
@Suite struct UpptimeTests {
  private func read(_ site: String, _ more: String = "") throws -> ReadSource {
    try ReadSource(.upptime, "owner: a\nrepo: b\nsites:\n  - \(site)\n\(more)")
  }

  @Test func aSiteHasTheDefaultsOfUpptime() throws {
    let made = try read("{name: Shop, url: https://shop.example}")
    #expect(made.names == ["Shop"])
    #expect(
      try made.keys() == """
        type: http
        url: https://shop.example
        max_redirects: 3
        expect:
          status: [200-208, 226, 300-308]
        retry_delay: 2s
        """)
    let check = made.imported.checks[0]
    #expect(check["interval"]?.word == "5m" && check["timeout"]?.word == "1m")
    #expect(check["retries"]?.word == "2" && check.notes == [])
    #expect(made.problems == [])
  }

  @Test func everyKeyOfARequest() throws {
    let made = try read(
      """
      name: API
          url: https://api.example/$SECRET_PATH
          method: post
          body: '{"a": 1}'
          headers: ["Content-Type: application/json", "Authorization: Bearer $API_TOKEN", "X-Price: 5 $ now"]
          expectedStatusCodes: [200, 401]
          maxResponseTime: 1500
          maxRedirects: 0
          requestTimeout: 20
          __dangerous__insecure: true
          __dangerous__body_down: broken
          __dangerous__body_down_if_text_missing: fine
          tags: [prod]
          icon: https://a/b.png
      """, "workflowSchedule: {uptime: '*/10 * * * *'}\n")
    #expect(
      try made.keys() == """
        type: http
        url: "https://api.example/${env:SECRET_PATH}"
        method: POST
        follow: false
        headers:
          Content-Type: application/json
          Authorization: "Bearer ${env:API_TOKEN}"
          X-Price: "5 $ now"
        body: "{\\"a\\": 1}"
        tls:
          verify: false
        expect:
          status: [200, 401]
          body:
            not_contains: [broken]
            contains: [fine]
          response_time:
            warn: 1500ms
        retry_delay: 2s
        """)
    let check = made.imported.checks[0]
    #expect(check["interval"]?.word == "10m" && check["timeout"]?.word == "20s")
    #expect(
      made.reasonCounts == [
        "it is about Upptime and its repository": 2,
        "Upptime looks for the text in the headers, too": 2,
        "set these variables before the start: API_TOKEN, SECRET_PATH": 1,
        "it is shown on Upptime's page only": 1,
        "an answer that is slow and wrong is degraded there; it is down here": 1,
      ])
    #expect(check.notes.compactMap(\.change) == [.laxer, .stricter, .stricter])
  }

  @Test func otherKindsOfChecks() throws {
    let port = try read("{name: P, url: 192.0.2.1, check: tcp-ping, port: 53, ipv6: false}")
    #expect(
      try port.keys()
        == "type: tcp\nhost: \"192.0.2.1\"\nport: 53\nretry_delay: 2s")
    #expect(port.imported.checks[0]["timeout"]?.word == "5s")
    let certificate = try read("{name: C, url: a.example, check: ssl}")
    #expect(
      try certificate.keys() == """
        type: tls
        host: a.example
        port: 443
        tls:
          verify: false
        expect:
          certificate:
            fail: 7d
        retry_delay: 2s
        """)
    #expect(port.problems == [] && certificate.problems == [])
    let socket = try read("{name: W, url: 'wss://a.example', check: ws}")
    #expect(socket.names == [] && socket.imported.leftOut.map(\.name) == ["\"W\""])
    let random = try read("{name: R, url: 'https://a.example/?$DYNAMIC_RANDOM_NUMBER'}")
    #expect(random.names == [])
  }

  @Test(arguments: [
    ("*/5 * * * *", 300_000), ("* * * * *", 60_000), ("0 * * * *", 3_600_000), ("7 */6 * * *", 21_600_000),
    ("0 3 * * *", 86_400_000), ("*/7 * * * *", nil), ("0 0 * * 1", nil), ("5,10 * * * *", nil), ("", nil),
  ])
  func schedules(cron: String, milliseconds: Int?) { #expect(UpptimeImport.every(cron) == milliseconds) }

  @Test func whatBecomesLaxerIsSaid() throws {
    let made = try read(
      "{name: A, url: 'https://a.example', __dangerous__body_degraded: slow, __dangerous__disable_verify_peer: true, "
        + "location: Berlin}")
    #expect(
      made.imported.checks[0].notes.map { "\($0.change?.rawValue ?? ""): \($0.why)" } == [
        "laxer: the certificate's name is not verified either",
        "laxer: a body makes a check down, and not degraded",
        "changed: an agent probes from where it stands",
      ])
  }

  /// A cron expression is an interval where its times are as far apart all day; else it is none.
  @Test(
    arguments: [
      ("* * * * *", 60), ("*/1 * * * *", 60), ("*/5 * * * *", 300), ("*/60 * * * *", 3600),
      ("7 * * * *", 3600),
      ("0 */6 * * *", 21_600), ("0 */24 * * *", 86_400), ("30 4 * * *", 86_400), ("*/7 * * * *", nil),
      ("*/0 * * * *", nil), ("*/120 * * * *", nil), ("0 */5 * * *", nil), ("0,30 * * * *", nil),
      ("*/5 4 * * *", nil), ("* 4 * * *", nil), ("0 4-6 * * *", nil), ("0 4 1 * *", nil), ("0 4 * * 1", nil),
      ("0 4 * 2 *", nil), ("0 4 * *", nil), ("0 4 * * * *", nil), ("", nil),
    ] as [(String, Int?)])
  func schedules(cron: String, seconds: Int?) {
    #expect(UpptimeImport.every(cron) == seconds.map { $0 * 1000 })
  }
}
