// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Holds a name server's answer against a check's conditions. All of them are evaluated, always; the verdict is the
/// first that does not hold, the response code before everything else.
struct DNSJudge {
  let settings: DNSSettings
  let question: DNSQuestion
  /// Of the zone's servers; nil when the check does not ask for it.
  var serials: SerialSurvey?

  func judge(
    _ message: DNSMessage, within budget: CPUBudget? = nil
  ) -> (verdict: Verdict, assertions: [Assertion]) {
    var findings = [code(message)]
    if judgesAnswers || message.answers.contains(where: { $0.type == .cname }) {
      let path = AliasPath(of: message, for: question)
      if path.isCircle { findings.append(Finding(failure: circle)) }
      findings += answers(path, budget ?? CPUBudget(bytes: 0))
      findings += numbers(path)
    }
    if let wanted = settings.expect.authoritative { findings.append(authority(message, wanted)) }
    if settings.dnssec { findings.append(proof(message)) }
    if let serials { findings.append(agreement(serials)) }
    return (verdict(of: findings, message), findings.compactMap(\.assertion))
  }

  /// The first failure; of an answer that is not as it should be, with what the server says of it.
  private func verdict(of findings: [Finding], _ message: DNSMessage) -> Verdict {
    guard let verdict = findings.lazy.compactMap(\.failure).first else { return .ok }
    guard [.dnsAnswer, .dnsNoData].contains(verdict.reason) else { return verdict }
    return verdict.with(remark: message.extendedErrors.first?.purpose)
  }

  /// The conditions when there is no answer to hold against them: none holds.
  func unanswered() -> [Assertion] {
    let expect = settings.expect
    var list = [("rcode", expect.rcodes.joined(separator: ", "))]
    list += answerLists.filter { !$0.conditions.isEmpty }.map { ("answers.\($0.key)", text($0.conditions)) }
    if let count = expect.count { list.append(("count", count.description)) }
    if let ttl = expect.ttl { list.append(("ttl", ttl.description)) }
    if let wanted = expect.authoritative { list.append(("authoritative", String(wanted))) }
    if settings.dnssec { list.append(("dnssec", DNSJudge.authenticText)) }
    if expect.serialAgreement { list.append(("serial_agreement", SerialSurvey.expected)) }
    return list.map { Assertion(what: $0.0, expected: $0.1, actual: "", ok: false) }
  }

  /// One condition, and the verdict if it does not hold.
  private struct Finding {
    var assertion: Assertion?
    var failure: Verdict?
  }

  static let authenticText = "authentic (AD)"

  private var subject: String { "\(settings.name) \(settings.recordType)" }

  private var answerLists: [(key: String, conditions: [Condition])] {
    let expect = settings.expect
    return [
      ("any", expect.answersAny), ("all", expect.answersAll), ("exact", expect.answersExact),
      ("none", expect.answersNone),
    ]
  }

  private var judgesAnswers: Bool {
    let expect = settings.expect
    return expect.count != nil || expect.ttl != nil || answerLists.contains { !$0.conditions.isEmpty }
  }

  private func text(_ conditions: [Condition]) -> String {
    conditions.map(\.description).joined(separator: ", ")
  }

  // MARK: The response code

  /// The three codes that say what is wrong with the name or the server have reasons of their own; a code that
  /// says nothing of the kind, an unexpected NOERROR among them, is `dns_rcode`.
  private func code(_ message: DNSMessage) -> Finding {
    let code = message.rcode
    let actual = code.description
    let expected = settings.expect.rcodes
    let isExpected = expected.contains(actual)
    let all = expected.count == 1 ? expected[0] : expected.joined(separator: ", ")
    let assertion = Assertion(what: "rcode", expected: all, actual: actual, ok: isExpected)
    guard !isExpected else { return Finding(assertion: assertion, failure: refusal(message)) }
    let reason: Reason =
      switch code {
      case .nxDomain: .dnsNXDomain
      case .servFail: .dnsServfail
      case .refused: .dnsRefused
      default: .dnsRcode
      }
    var words = "the server answered \(code), expected \(expected.joined(separator: " or "))"
    if code == .nxDomain { words += AliasPath(of: message, for: question).ending }
    if let error = message.extendedErrors.first { words += "; it says: \(error.purpose)" }
    return Finding(assertion: assertion, failure: Verdict(reason, phase: .assertion, message: words))
  }

  /// A referral is no answer to a question that the server was asked to look up, unless the name servers that it names are those
  /// that were asked for. Conditions on answers judge it themselves.
  private func refusal(_ message: DNSMessage) -> Verdict? {
    guard message.isReferral, settings.recursion, !judgesAnswers else { return nil }
    let isAskedFor =
      question.type == .ns && message.authority.contains { $0.type == .ns && $0.name == question.name }
    guard !isAskedFor else { return nil }
    return Verdict(
      .dnsRefused, phase: .assertion, message: "the server looks no names up for others: \(settings.name)")
  }

  private var circle: Verdict {
    Verdict(.dnsMalformed, phase: .answer, message: "the aliases of \(settings.name) lead in a circle")
  }

  // MARK: The answers

  private func answers(_ path: AliasPath, _ budget: CPUBudget) -> [Finding] {
    let records = path.records
    return answerLists.compactMap { key, conditions in
      guard !conditions.isEmpty else { return nil }
      let problem = DNSAnswerSet(records).problem(
        key, conditions.map { DNSAnswerCondition($0, within: budget) })
      let assertion = Assertion(
        what: "answers.\(key)", expected: text(conditions),
        actual: records.map(\.data).joined(separator: ", "), ok: problem == nil)
      return Finding(assertion: assertion, failure: problem.map { wrongAnswer($0, path) })
    }
  }

  private func wrongAnswer(_ words: String, _ path: AliasPath) -> Verdict {
    guard !path.records.isEmpty else {
      return Verdict(
        .dnsNoData, phase: .assertion,
        message: "\(settings.name) has no \(settings.recordType) record\(path.ending)")
    }
    return Verdict(.dnsAnswer, phase: .assertion, message: "\(subject): \(words)")
  }

  private func numbers(_ path: AliasPath) -> [Finding] {
    let records = path.records
    var findings: [Finding] = []
    if let condition = settings.expect.count {
      let holds = condition.holds(for: Double(records.count))
      let words = "\(counted(records.count, "answer")), expected \(condition)"
      findings.append(
        Finding(
          assertion: Assertion(
            what: "count", expected: condition.description, actual: String(records.count), ok: holds),
          failure: holds ? nil : wrongAnswer(words, path)))
    }
    if let condition = settings.expect.ttl {
      // Without a record there is nothing that lives.
      let wrong = records.first { !condition.holds(for: Double($0.ttl)) }
      let holds = wrong == nil && !records.isEmpty
      let words = "the time to live is \(wrong.map { String($0.ttl) } ?? "") s, expected \(condition)"
      findings.append(
        Finding(
          assertion: Assertion(
            what: "ttl", expected: condition.description,
            actual: records.map { String($0.ttl) }.joined(separator: ", "), ok: holds),
          failure: holds ? nil : wrongAnswer(words, path)))
    }
    return findings
  }

  // MARK: The whole answer

  private func authority(_ message: DNSMessage, _ wanted: Bool) -> Finding {
    let holds = message.authoritative == wanted
    let words = message.authoritative ? "the answer is authoritative" : "the answer is not authoritative"
    return Finding(
      assertion: Assertion(
        what: "authoritative", expected: String(wanted), actual: String(message.authoritative), ok: holds),
      failure: holds ? nil : Verdict(.dnsAnswer, phase: .assertion, message: "\(subject): \(words)"))
  }

  /// A validating resolver sets AD when the chain of signatures holds, and answers SERVFAIL when it is broken.
  private func proof(_ message: DNSMessage) -> Finding {
    let why =
      message.authoritative
      ? "an authoritative server does not validate, ask a validating resolver"
      : "the zone is not signed, or the server does not validate"
    return Finding(
      assertion: Assertion(
        what: "dnssec", expected: Self.authenticText,
        actual: message.authentic ? Self.authenticText : "not authentic", ok: message.authentic),
      failure: message.authentic
        ? nil
        : Verdict(
          .dnsAnswer, phase: .assertion,
          message: "\(subject): the answer is not marked authentic (AD): \(why)"))
  }

  private func agreement(_ serials: SerialSurvey) -> Finding {
    Finding(
      assertion: Assertion(
        what: "serial_agreement", expected: SerialSurvey.expected, actual: serials.description,
        ok: serials.verdict == nil),
      failure: serials.verdict)
  }
}
