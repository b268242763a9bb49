// SPDX-License-Identifier: MIT

import Monitoring

/// Holds a name server's answer against a check's conditions. All of them are evaluated, always.
struct DNSJudge {
  let settings: DNSSettings

  func judge(_ message: DNSMessage) -> (verdict: Verdict, assertions: [Assertion]) {
    let code = message.rcode.description
    let codeHolds = settings.expect.rcodes.contains(code)
    var assertions = [
      Assertion(
        what: "rcode", expected: settings.expect.rcodes.joined(separator: ", "), actual: code, ok: codeHolds)
    ]
    var answerHolds = true
    if !settings.expect.answersAny.isEmpty {
      answerHolds = message.answers.contains { record in
        settings.expect.answersAny.contains { matches($0.operand, record) }
      }
      assertions.append(
        Assertion(
          what: "answers.any",
          expected: settings.expect.answersAny.map(\.description).joined(separator: ", "),
          actual: message.answers.map(\.data).joined(separator: ", "), ok: answerHolds))
    }
    if !codeHolds { return (wrongCode(message.rcode), assertions) }
    if !answerHolds { return (wrongAnswer(message), assertions) }
    return (.ok, assertions)
  }

  /// The three codes that say what is wrong with the name or the server have reasons of their own; a code that
  /// says nothing of the kind, an unexpected NOERROR among them, is `dns_rcode`.
  private func wrongCode(_ code: DNSResponseCode) -> Verdict {
    let reason: Reason =
      switch code {
      case .nxDomain: .dnsNXDomain
      case .servFail: .dnsServfail
      case .refused: .dnsRefused
      default: .dnsRcode
      }
    let expected = settings.expect.rcodes.joined(separator: " or ")
    return Verdict(reason, phase: .assertion, message: "the server answered \(code), expected \(expected)")
  }

  private func wrongAnswer(_ message: DNSMessage) -> Verdict {
    let (name, type) = (settings.name, settings.recordType)
    guard !message.answers.isEmpty else {
      return Verdict(.dnsNoData, phase: .assertion, message: "\(name) has no \(type) record")
    }
    let count = message.answers.count
    return Verdict(
      .dnsAnswer, phase: .assertion,
      message: "none of the \(count) answers for \(name) \(type) is an expected one")
  }

  /// Equal in presentation format. Names may be written without their final dot and in any case; a text of a
  /// single string may be written without its quotes.
  private func matches(_ expected: String, _ record: DNSRecord) -> Bool {
    let data = record.data
    if expected == data { return true }
    switch record.type {
    case .a, .aaaa: return IPAddress(expected)?.description == data
    case .txt: return "\"\(expected)\"" == data
    case .cname, .ns, .ptr, .mx, .srv, .soa: return folded(expected) == folded(data)
    default: return false
    }
  }

  private func folded(_ data: String) -> [String] {
    data.lowercased().split(separator: " ").map { $0.hasSuffix(".") ? String($0.dropLast()) : String($0) }
  }
}
