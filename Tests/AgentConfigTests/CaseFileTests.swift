// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import AgentConfig

/// Files of cases, where values come from, and what is told of a configuration.
struct CaseFileTests {
  private func cases(_ text: String) throws(ConfigErrors) -> [CheckCase] {
    try CaseFile.parse(text: text, file: "etc/cases.yaml", environment: ["WHO": "Shop"]).cases
  }

  private func told(_ text: String) -> [String] {
    do throws(ConfigErrors) {
      _ = try cases(text)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  /// What is left out is that of a target that works.
  @Test func theUsualAnswer() throws {
    let made = try #require(try cases("cases:\n  - {name: N, check: \"${env:WHO}\"}\n").first)
    #expect(made.name == "N" && made.check == "Shop" && made.position == Position(line: 2, column: 5))
    let answer = made.answer
    #expect(answer.error == nil && answer.time == .milliseconds(10) && answer.certificateDays == nil)
    #expect(answer.status == 200 && answer.httpVersion == "1.1" && answer.headers.isEmpty)
    #expect(answer.body == nil && answer.rcode == "NOERROR" && answer.answers.isEmpty)
    #expect(answer.ttl == 300 && answer.authoritative && answer.received == nil)
    #expect(answer.roundTrip == .milliseconds(10))
    #expect(made.expect.state == nil && made.expect.reason == nil && made.expect.message == nil)
  }

  @Test func everyKeyOfAnAnswer() throws {
    let text = """
      cases:
        - name: N
          check: C
          answer:
            {error: connect_refused, time: 1h, certificate_days: -36500, status: 100, http_version: "2",
            headers: {A: b, C: d}, body: x, rcode: NXDOMAIN, answers: [192.0.2.1], ttl: 0,
            authoritative: false, received: 0, rtt: 2ms}
          expect: {state: down, reason: connect_refused, message: refused}
        - {name: M, check: C, answer: {certificate_days: 36500, status: 599, received: 100, ttl: 2147483647}}

      """
    let made = try cases(text)
    let answer = made[0].answer
    #expect(answer.error == "connect_refused" && answer.time == .seconds(3600))
    #expect(answer.certificateDays == -36_500 && answer.status == 100 && answer.httpVersion == "2")
    #expect(answer.headers.map(\.name) == ["A", "C"] && answer.headers.map(\.value) == ["b", "d"])
    #expect(answer.body == "x" && answer.rcode == "NXDOMAIN" && answer.answers == ["192.0.2.1"])
    #expect(answer.ttl == 0 && !answer.authoritative && answer.received == 0)
    #expect(answer.roundTrip == .milliseconds(2))
    #expect(made[0].expect.state == "down" && made[0].expect.reason == "connect_refused")
    #expect(made[0].expect.message == "refused")
    #expect(made[1].answer.status == 599 && made[1].answer.received == 100)
  }

  @Test(arguments: [
    "status: 99", "status: 600", "received: -1", "received: 101", "ttl: -1", "ttl: 2147483648",
    "certificate_days: 36501", "certificate_days: -36501", "time: 3600001ms", "rtt: 3600001ms",
    "http_version: \"3\"", "error: broken", "nothing: 1",
  ])
  func answersAreBounded(key: String) {
    #expect(told("cases: [{name: N, check: C, answer: {\(key)}}]\n").count == 1)
  }

  @Test func aCaseHasANameAndACheck() {
    let found = told("cases:\n  - {check: C}\n  - {name: N}\n")
    #expect(found.count == 2)
    #expect(found.first?.hasPrefix("etc/cases.yaml:2:5: ") == true)
    #expect(found.first?.contains("name is missing\n  hint: such as name: a slow answer is degraded") == true)
    #expect(found.last?.hasPrefix("etc/cases.yaml:3:5: ") == true)
    #expect(found.last?.contains("check is missing\n  hint: such as check: Shop front") == true)
    #expect(
      told("cases: []\n") == [
        "etc/cases.yaml:1:1: there are 0 cases, 1 to 10000 are possible\n  hint: begin the file with cases:"
      ])
    #expect(told("- a\n") == ["etc/cases.yaml:1:1: the file must be a map, found a list"])
  }

  /// Where there is no file its own hint is given; what is there and is none is told as of a configuration.
  @Test func whatIsNoFileOfCases() throws {
    func load(_ path: String) throws -> [String] {
      let found = try #require(throws: ConfigErrors.self) { try CaseFile.load(path: path, environment: [:]) }
      return found.problems.map(\.description)
    }
    #expect(
      try load("/no-such-folder/cases.yaml") == [
        "/no-such-folder/cases.yaml: the file does not exist"
          + "\n  hint: name a file of cases; docs/configuration.md shows one"
      ])
    #expect(try load("/") == ["/: this is a directory\n  hint: name the file in it"])
  }

  private let reused = """
    defaults: {timeout: 3s, tcp: {timeout: 4s}}
    templates:
      web: {timeout: 5s, tags: [w], expect: {response_time: {warn: 1s}}}
    checks:
      - {name: A, type: tcp, host: a, port: 1, extends: web, timeout: 6s, tags: [a]}
      - {name: A.b, type: tcp, host: b, port: 2}

    """

  private func explained(_ question: String) throws -> ValueExplanation? {
    ValueExplanation(
      question, try ConfigLoader.reading(text: reused, file: "agent.yaml", sources: .test))
  }

  /// The nearest first, each with its place.
  @Test func whereAValueComesFrom() throws {
    let timeout = try #require(try explained("A.timeout"))
    #expect(timeout.check == "A" && timeout.values.map(\.key) == ["timeout"])
    let sources = timeout.values.flatMap(\.sources)
    #expect(sources.map(\.value) == ["6s", "5s", "4s", "3s"])
    #expect(sources.first?.label == "the check itself")
    #expect(
      sources.compactMap(\.place).map { $0.prefix(13) } == [
        "agent.yaml:5:", "agent.yaml:3:", "agent.yaml:1:", "agent.yaml:1:",
      ])
    #expect(try explained("A.tags")?.values.flatMap(\.sources).map(\.value) == ["[a]", "[w]"])
    let nested = try #require(try explained("A.expect.response_time.warn"))
    #expect(nested.values.map(\.key) == ["expect.response_time.warn"])
    #expect(nested.values.flatMap(\.sources).map(\.value) == ["1s"])
    let whole = try #require(try explained("A.expect"))
    #expect(whole.values.map(\.key) == ["expect.response_time.warn"])
  }

  /// A check's name may hold dots, and its id is as good as its name.
  @Test func whoIsAsked() throws {
    let port = try #require(try explained("A.b.port"))
    #expect(port.check == "A.b" && port.values.flatMap(\.sources).map(\.value) == ["2"])
    #expect(try explained("A.b")?.check == "A.b")
    let id = MonitoringCheck.derivedID(name: "A")
    let byID = try #require(try explained("\(id).port"))
    #expect(byID.check == "A" && byID.values.flatMap(\.sources).map(\.value) == ["1"])
    let builtIn = try #require(try explained("A.retries")).values.flatMap(\.sources)
    #expect(builtIn.map(\.label) == ["built in"] && builtIn.compactMap(\.place).isEmpty)
    for question in ["A.nothing", "A.port.x", "B", "a", "A.expect.nothing"] {
      let found = try explained(question)
      #expect(found?.check == nil, "\(question)")
    }
  }

  /// A place where there is one, and a hint on a line of its own.
  @Test func howAProblemIsWritten() {
    var problem = ConfigProblem(file: "a.yaml", message: "m")
    #expect(problem.headline == "a.yaml: m" && problem.description == "a.yaml: m")
    (problem.line, problem.column, problem.hint) = (1, 7, "h")
    #expect(problem.headline == "a.yaml:1:7: m" && problem.description == "a.yaml:1:7: m\n  hint: h")
    let other = ConfigProblem(file: "b.yaml", message: "n")
    let both = ConfigErrors(problems: [problem, other])
    #expect(both.description == "a.yaml:1:7: m\n  hint: h\nb.yaml: n" && both.count == 2)
  }

  /// A hundred are told, and how many there are beyond.
  @Test func aHundredProblemsAreTold() {
    let all = (1...101).map { ConfigProblem(file: "f\($0)", line: $0, column: 1, message: "m") }
    let hundred = Array(all.prefix(100))
    #expect(ConfigProblem.bounded(hundred, of: 100) == hundred)
    let more = ConfigProblem.bounded(all, of: 101)
    #expect(more.count == 101 && Array(more.prefix(100)) == hundred)
    #expect(more.last?.description == "f100: and 1 more" && more.last?.count == 1)
    let many = ConfigProblem.bounded(all, of: 5000)
    #expect(many.count == 101 && many.last?.message == "and 4900 more")
    #expect(ConfigErrors(problems: many).count == 5000)
  }
}
