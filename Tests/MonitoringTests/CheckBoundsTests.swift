// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Each number of a check with the least and the most that it may be, and what is said beyond them.
@Suite struct CheckBoundsTests {
  private let day = 86_400
  private let http = CheckDefinition.http()
  private let tcp = CheckDefinition.tcp(host: "db", port: 5432)
  private let dns = CheckDefinition.dns(name: "example.com")
  private let ping = CheckDefinition.ping(host: "router")

  private var heartbeat: CheckDefinition {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Backup", "heartbeat")
    (definition.token, definition.period) = (Redacted("0123456789abcdef"), .seconds(day))
    return definition
  }

  private func problems(_ definition: CheckDefinition) -> [String] {
    do throws(InvalidCheck) {
      _ = try MonitoringCheck(definition)
      return []
    } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
  }

  /// The last values that are taken, and those a microsecond beyond them.
  private func bounds(
    _ base: CheckDefinition, _ path: String, _ least: Duration, _ most: Duration, _ words: [String],
    _ write: (inout CheckDefinition, Duration) -> Void
  ) {
    let key = path.replacing("/", with: ".")
    let (below, above) = (least - .microseconds(1), most + .microseconds(1))
    let rows: [(value: Duration, found: [String])] = [
      (least, []), (most, []),
      (below, ["\(path): \(key) must be at least \(words[0]), found \(below.text)"]),
      (above, ["\(path): \(key) must be at most \(words[1]), found \(above.text)"]),
    ]
    for row in rows {
      var definition = base
      write(&definition, row.value)
      let found = problems(definition)
      #expect(found == row.found, "\(path) of \(row.value.text)")
    }
  }

  /// The last whole numbers that are taken, and those beyond them.
  private func bounds(
    _ base: CheckDefinition, _ key: String, _ allowed: ClosedRange<Int>,
    _ write: (inout CheckDefinition, Int) -> Void
  ) {
    let (least, most) = (allowed.lowerBound, allowed.upperBound)
    let rows: [(value: Int, found: [String])] = [
      (least, []), (most, []), (least - 1, ["\(key): \(key) must be at least \(least), found \(least - 1)"]),
      (most + 1, ["\(key): \(key) must be at most \(most), found \(most + 1)"]),
    ]
    for row in rows {
      var definition = base
      write(&definition, row.value)
      let found = problems(definition)
      #expect(found == row.found, "\(key) of \(row.value)")
    }
  }

  @Test func timesOfTheSchedule() {
    bounds(http, "interval", .seconds(1), .seconds(30 * day), ["1s", "30d"]) { $0.interval = $1 }
    bounds(http, "interval_failing", .seconds(1), .seconds(30 * day), ["1s", "30d"]) {
      $0.interval = .seconds(30 * day)
      $0.plan.intervalFailing = $1
    }
    bounds(http, "timeout", .milliseconds(10), .seconds(60), ["10ms", "1m"]) { $0.timeout = $1 }
    bounds(http, "retry_delay", .zero, .seconds(3600), ["0s", "1h"]) { $0.plan.retryDelay = $1 }
    bounds(http, "confirm_delay", .zero, .seconds(3600), ["0s", "1h"]) { $0.plan.confirmDelay = $1 }
    bounds(http, "confirm/within", .seconds(1), .seconds(60), ["1s", "1m"]) {
      $0.timeout = .milliseconds(10)
      $0.plan.confirm = ConfirmSettings(from: 1, of: ["a", "b"], within: $1)
    }
  }

  @Test func timesOfOneKind() {
    bounds(ping, "packet_interval", .milliseconds(10), .seconds(10), ["10ms", "10s"]) {
      $0.ping.count = 1
      $0.packetInterval = $1
    }
    bounds(heartbeat, "period", .seconds(10), .seconds(366 * day), ["10s", "366d"]) { $0.period = $1 }
    bounds(heartbeat, "grace", .zero, .seconds(30 * day), ["0s", "30d"]) { $0.grace = $1 }
    bounds(heartbeat, "max_run", .seconds(1), .seconds(30 * day), ["1s", "30d"]) { $0.maxRun = $1 }
  }

  /// Of both thresholds, the warning and the failure, each by itself.
  @Test func thresholds() {
    func minute(_ base: CheckDefinition) -> CheckDefinition {
      var definition = base
      definition.timeout = .seconds(60)
      return definition
    }
    bounds(minute(http), "expect/response_time/warn", .milliseconds(1), .seconds(60), ["1ms", "1m"]) {
      $0.plan.responseTime.warn = $1
    }
    bounds(minute(http), "expect/response_time/fail", .milliseconds(1), .seconds(60), ["1ms", "1m"]) {
      $0.plan.responseTime.fail = $1
    }
    bounds(minute(ping), "expect/rtt/warn", .microseconds(1), .seconds(60), ["1us", "1m"]) {
      $0.ping.rtt.warn = $1
    }
    bounds(minute(ping), "expect/rtt/fail", .microseconds(1), .seconds(60), ["1us", "1m"]) {
      $0.ping.rtt.fail = $1
    }
    bounds(http, "expect/certificate/warn", .zero, .seconds(3650 * day), ["0s", "3650d"]) {
      $0.expect.certificate.warn = $1
    }
    bounds(http, "expect/certificate/fail", .zero, .seconds(3650 * day), ["0s", "3650d"]) {
      $0.expect.certificate.fail = $1
    }
    for (name, path) in [("warn", \Thresholds<Double>.warn), ("fail", \Thresholds<Double>.fail)] {
      let place = "expect/loss/\(name): expect.loss.\(name)"
      let rows: [(percent: Double, found: [String])] = [
        (0, []), (100, []), (-1, ["\(place) must be at least 0%, found -1%"]),
        (100.5, ["\(place) must be at most 100%, found 100.5%"]),
      ]
      for row in rows {
        var definition = ping
        definition.ping.loss[keyPath: path] = row.percent
        #expect(problems(definition) == row.found, "\(row.percent)")
      }
    }
  }

  @Test func wholeNumbers() {
    bounds(http, "retries", 0...10) { $0.plan.retries = $1 }
    bounds(http, "failure_threshold", 1...100) { $0.plan.failureThreshold = $1 }
    bounds(http, "max_redirects", 0...20) { $0.maxRedirects = $1 }
    bounds(http, "max_body", 1...16_777_216) { $0.maxBody = $1 }
    bounds(tcp, "port", 1...65_535) { $0.port = $1 }
    bounds(ping, "port", 1...65_535) { ($0.pingMethod, $0.port) = ("tcp", $1) }
    bounds(ping, "size", 0...1472) { $0.size = $1 }
    bounds(ping, "count", 1...100) { ($0.packetInterval, $0.ping.count) = (.milliseconds(10), $1) }
    var tls = CheckDefinition()
    (tls.name, tls.type, tls.host) = ("Mail", "tls", "mail.example")
    bounds(tls, "port", 1...65_535) { $0.port = $1 }
  }

  /// The last size that is taken, and the refusal of the first that is not.
  private func most(
    _ base: CheckDefinition, _ limit: Int, _ refusal: String, _ write: (inout CheckDefinition, Int) -> Void
  ) {
    for size in [limit, limit + 1] {
      var definition = base
      write(&definition, size)
      let found = problems(definition)
      #expect(found == (size == limit ? [] : [refusal]), "\(size)")
    }
  }

  private func text(_ length: Int) -> String { String(repeating: "a", count: length) }

  @Test func lengthsOfLists() {
    func numbers(_ count: Int, _ word: String) -> [String] { (0..<count).map { "\(word)\($0)" } }
    most(http, 32, "tags: tags has 33 entries, at most 32 are allowed") { $0.plan.tags = numbers($1, "t") }
    most(http, 20, "headers: headers has 21 entries, at most 20 are allowed") {
      $0.headers = numbers($1, "X-").map { (name: $0, value: Redacted("v")) }
    }
    most(http, 32, "expect/header: expect.header has 33 entries, at most 32 are allowed") {
      $0.expect.headers = numbers($1, "X-").map { (name: $0, condition: "v") }
    }
    most(http, 32, "expect/json: expect.json has 33 entries, at most 32 are allowed") {
      $0.expect.json = numbers($1, "$.a").map { (path: $0, condition: ConditionText("1")) }
    }
    for (key, path) in [
      ("matches", \HTTPExpectations.bodyMatches), ("not_matches", \HTTPExpectations.bodyNotMatches),
    ] {
      let place = "expect/body/\(key): expect.body.\(key)"
      most(http, 16, "\(place) has 17 entries, at most 16 are allowed") {
        $0.http.expect[keyPath: path] = numbers($1, "a")
      }
    }
    for (key, path) in [
      ("any", \ExpectDefinition.answersAny), ("all", \ExpectDefinition.answersAll),
      ("exact", \ExpectDefinition.answersExact), ("none", \ExpectDefinition.answersNone),
    ] {
      let place = "expect/answers/\(key): expect.answers.\(key)"
      most(dns, 64, "\(place) has 65 entries, at most 64 are allowed") {
        $0.queryType = "TXT"
        $0.expect[keyPath: path] = numbers($1, "a")
      }
    }
    most(tcp, 32, "dialog: dialog has 33 steps, at most 32 are allowed") {
      var step = DialogStepDefinition()
      step.expect = "OK"
      $0.dialogSteps = Array(repeating: step, count: $1)
    }
    let scopes = "auth/oauth2/scopes: auth.oauth2.scopes has 17 entries, at most 16 are allowed"
    most(http, 16, scopes) {
      var given = OAuth2Definition()
      (given.tokenURL, given.clientID) = ("https://a.example/token", "id")
      (given.clientSecret, given.scopes) = (Redacted("s"), numbers($1, "s"))
      $0.auth.oauth2 = given
    }
  }

  @Test func lengthsOfTexts() {
    most(http, 200, "name: name must be at most 200 bytes, found 201") { $0.name = text($1) }
    most(http, 200, "was: was must be at most 200 bytes, found 201") { $0.was = text($1) }
    most(http, 64, "tags/0: tags[0] must be at most 64 bytes, found 65") { $0.plan.tags = [text($1)] }
    most(http, 200, "depends_on/0: depends_on[0] must be at most 200 bytes, found 201") {
      $0.plan.dependsOn = [text($1)]
    }
    most(http, 32, "method: method is no HTTP method, found \"\(text(33).uppercased())\"") {
      $0.method = text($1).uppercased()
    }
    most(http, 65_536, "body: body must be at most 65536 bytes, found 65537") {
      ($0.method, $0.http.body) = ("POST", Redacted(text($1)))
    }
    most(http, 1024, "expect/final_url: expect.final_url must be at most 1024 bytes, found 1025") {
      $0.expect.finalURL = text($1)
    }
    most(
      http, 1024, "expect/body/matches/0: expect.body.matches[0] must be at most 1024 bytes, found 1025"
    ) { $0.http.expect.bodyMatches = [text($1)] }
    most(
      http, 4096, "expect/body/contains/0: expect.body.contains[0] must be at most 4096 bytes, found 4097"
    ) { $0.http.expect.bodyContains = [text($1)] }
    var stranger = http
    stranger.origin = .api
    let absent = "expect/body/not_contains/0: expect.body.not_contains[0]"
    most(stranger, 256, "\(absent) must be at most 256 bytes, found 257") {
      $0.http.expect.bodyNotContains = [text($1)]
    }
    most(tcp, 4096, "dialog/0/send: dialog[0].send must be at most 4096 bytes, found 4097") {
      var step = DialogStepDefinition()
      step.send = Redacted(text($1))
      $0.dialogSteps = [step]
    }
    most(heartbeat, 128, "token: token must be 16 to 128 bytes, found 129") { $0.token = Redacted(text($1)) }
  }
}
