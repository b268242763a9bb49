// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Checks
import Curl
import Monitoring

/// `quartz-agent test`.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Try the checks of the configuration on made-up answers, without a network.",
    discussion: """
      Each case of a file names a check, an answer and the expected verdict; the answer is judged as the \
      daemon judges one attempt. docs/configuration.md has all keys of the file, `quartz-agent schema --cases` its schema.

        cases:
          - name: a slow answer is degraded
            check: Shop front
            answer: {status: 200, time: 900ms}
            expect: {state: degraded, reason: response_time}

      Each case prints one line with its file and line. Exit code: 0 all as expected, 1 some are not, 64 wrong \
      usage, 78 the configuration or a file of cases is wrong.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, junit
  }

  @OptionGroup var config: ConfigOptions

  @Option(help: "text or junit. Default: text.")
  var format = Format.text

  @Argument(help: ArgumentHelp("Files of cases.", valueName: "cases.yaml"))
  var files: [String]

  func run() throws {
    let path = try config.required()
    let settings = try loadSettings(path, warn: { _ in }, note: { _ in })
    let findings = try files.flatMap { try self.findings(in: $0, settings) }
    let failed = findings.count { !$0.isRight }
    switch format {
    case .text:
      for finding in findings { printOutput(finding.text) }
      printOutput("\(findings.count - failed) of \(findings.count) cases as expected\n")
    case .junit: printOutput(renderJUnit(findings.map(\.junit)))
    }
    if failed > 0 { throw ExitCode(ExitStatus.degraded) }
  }

  private func findings(in file: String, _ settings: Settings) throws -> [CaseFinding] {
    let cases: CaseFile
    do {
      cases = try CaseFile.load(path: file, environment: processEnvironment())
    } catch {
      throw report(error, of: "the file of cases")
    }
    return try cases.cases.map { try finding(of: $0, in: file, settings) }
  }

  private func finding(of one: CheckCase, in file: String, _ settings: Settings) throws -> CaseFinding {
    let id = UniqueID(one.check)
    let place = "\(file):\(one.position.line):\(one.position.column)"
    guard let check = settings.checks.first(where: { $0.name == one.check || $0.id == id }) else {
      let near = nearest(to: one.check, among: settings.checks.map(\.name)).map { "did you mean \"\($0)\"?" }
      throw failure(
        "\(place): no check is called \(quoted(one.check))", hint: near, status: ExitStatus.configuration)
    }
    if let unread = check.unread, unread.hidesConditions {
      throw failure("\(place): \(quoted(one.check)) \(unread.words)", status: ExitStatus.configuration)
    }
    let answer = try answer(one.answer, place)
    guard let outcome = Rehearsal(now: TimeSource.system.wall()).outcome(of: check, answer) else {
      throw failure(
        "\(place): \(quoted(one.check)) is a heartbeat, which sends no request",
        status: ExitStatus.configuration)
    }
    return CaseFinding(case: one, in: file, outcome.verdict, outcome.facts.assertions)
  }

  private func answer(_ given: CaseAnswer, _ place: String) throws -> RehearsedAnswer {
    var answer = RehearsedAnswer()
    if let word = given.error {
      guard let reason = Reason(rawValue: word), Reason.rehearsable.contains(reason) else {
        throw failure(
          "\(place): answer.error is \(word), which is no failure on the way to an answer",
          hint: "one of \(Reason.rehearsable.map(\.rawValue).joined(separator: ", "))",
          status: ExitStatus.configuration)
      }
      answer.error = reason
    }
    answer.time = given.time
    answer.certificate = given.certificateDays.map { .seconds($0 * 86_400) }
    (answer.status, answer.httpVersion) = (given.status, given.httpVersion)
    answer.headers = given.headers.map { HeaderField($0.name, $0.value) }
    answer.body = Array((given.body ?? "").utf8)
    (answer.rcode, answer.answers, answer.authoritative) = (given.rcode, given.answers, given.authoritative)
    answer.ttl = UInt32(clamping: given.ttl)
    (answer.received, answer.roundTrip) = (given.received, given.roundTrip)
    return answer
  }
}

/// Outcome of one case.
private struct CaseFinding {
  let isRight: Bool
  let text: String
  let junit: JUnitCase

  init(case one: CheckCase, in file: String, _ verdict: Verdict, _ assertions: [Assertion]) {
    let message = verdict.message ?? ""
    var differences: [String] = []
    func compare(_ key: String, _ expected: String?, _ found: String, _ holds: Bool) {
      guard let expected, !holds else { return }
      differences += ["- \(key): \(expected)", "+ \(key): \(found)"]
    }
    compare("state", one.expect.state, verdict.state.rawValue, one.expect.state == verdict.state.rawValue)
    compare(
      "reason", one.expect.reason, verdict.reason.rawValue, one.expect.reason == verdict.reason.rawValue)
    compare(
      "message", one.expect.message, message, one.expect.message.map { message.contains($0) } ?? true)
    isRight = differences.isEmpty
    let file = file.printable(maxBytes: 500)
    var words: [String] = []
    if !isRight {
      words += differences
      if !message.isEmpty { words.append("it says: \(message)") }
      for assertion in assertions where !assertion.ok {
        words.append("\(assertion.what): expected \(assertion.expected), found \(assertion.actual)")
      }
    }
    words = words.map { $0.printable(maxBytes: 400) }
    let (name, check) = (one.name.printable(maxBytes: 200), one.check.printable(maxBytes: 200))
    text =
      "\(isRight ? "ok  " : "FAIL") \(file):\(one.position.line): \(name) (\(check))\n"
      + words.map { "    \($0)\n" }.joined()
    junit = JUnitCase(
      group: check, name: name, place: (file, one.position.line),
      outcome: isRight ? .passed() : .failure("unexpected", words.joined(separator: "; ")))
  }
}
