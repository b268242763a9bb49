// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The conditions of an endpoint, as keys of `expect`: what Gatus asks for, no less, and what cannot be asked is listed.
struct GatusConditions {
  /// Why a condition is not carried.
  struct NotCarried: Error {
    var why: String
    var change: ImportNote.Change?

    /// Without it the check is up more often.
    init(_ why: String, _ change: ImportNote.Change? = .laxer) { (self.why, self.change) = (why, change) }
  }

  let ledger: Ledger
  /// Milliseconds; nothing may take longer anyway.
  let timeout: Int
  /// The agent's word for the kind of check.
  let kind: String
  let host: String
  let isTLS: Bool
  /// Keys that a path has been written as.
  var paths: [ByteText: Int] = [:]
  private var statuses = Array(repeating: true, count: 500)
  private var codes = DNSSettings.responseCodes
  private var isDown = false

  init(_ check: ImportedCheck, _ ledger: Ledger, timeout: Int, host: String, isTLS: Bool) {
    (self.ledger, self.timeout, self.host, self.isTLS) = (ledger, timeout, host, isTLS)
    kind = check["type"]?.word ?? ""
  }

  /// - Returns: why no check can be made; `nil` when one can.
  mutating func judge(_ nodes: [ForeignNode], _ check: inout ImportedCheck) -> String? {
    var taken = 0
    var holdsUnanswered = !nodes.isEmpty
    for node in nodes {
      do throws(NotCarried) {
        let condition = try read(node)
        try take(condition, &check)
        if condition.isJoined {
          ledger.list(node, "Gatus compares what is joined by && or || as 0: write two conditions", .changed)
        } else {
          ledger.carry(node)
        }
        taken += 1
        if !passesUnanswered(condition) { holdsUnanswered = false }
      } catch {
        ledger.list(node, error.why, error.change)
        holdsUnanswered = false
      }
    }
    guard taken > 0 || nodes.isEmpty else { return "none of its conditions can be carried" }
    if let why = finish(&check, conditions: nodes.count) { return why }
    if holdsUnanswered, !isDown {
      check.note(
        .stricter, "conditions", "Gatus finds it up when nothing answers, for no condition asks for an answer"
      )
    }
    return nil
  }

  private func read(_ node: ForeignNode) throws(NotCarried) -> GatusCondition {
    do throws(GatusCondition.Unreadable) { return try GatusCondition(node.text ?? "") } catch {
      throw NotCarried(error.why)
    }
  }

  private mutating func take(_ condition: GatusCondition, _ check: inout ImportedCheck) throws(NotCarried) {
    if condition.function != .none, condition.placeholder != "[BODY]" {
      throw NotCarried("only a body has a length, or is there or not")
    }
    if let constant = condition.constant {
      guard constant else { throw NotCarried("Gatus never finds it true") }
      return
    }
    switch condition.placeholder {
    case "[STATUS]": try status(condition)
    case "[RESPONSE_TIME]": try time(condition, &check)
    case "[CONNECTED]":
      guard let isUp = condition.flag else { throw NotCarried("it can only be true or false") }
      if !isUp { isDown = true }
    case "[CERTIFICATE_EXPIRATION]": try certificate(condition, &check)
    case "[DNS_RCODE]":
      guard kind == "dns" else { throw NotCarried("only dns checks have a response code") }
      codes.removeAll { condition.holds($0) != true }
    case "[DOMAIN_EXPIRATION]": throw NotCarried("registries are not asked when a domain ends")
    case "[IP]":
      guard host.isAddress, condition.holds(host) == true else {
        throw NotCarried("the address is in the result, and no condition")
      }
    case "[CONTEXT]": throw NotCarried("only steps of a suite have a context")
    default: try body(condition, &check)
    }
  }

  private mutating func status(_ condition: GatusCondition) throws(NotCarried) {
    guard kind == "http" else {
      // The status of another kind is 0: of ssh the one of a login that is not made.
      guard condition.holds("0") == true else { throw NotCarried("only http checks have a status") }
      return
    }
    guard let holds = condition.ofNumbers() else { throw NotCarried("it is compared with no number") }
    for index in statuses.indices where statuses[index] { statuses[index] = holds(index + 100) }
  }

  private func time(_ condition: GatusCondition, _ check: inout ImportedCheck) throws(NotCarried) {
    guard condition.operation.hasPrefix("<"), let limit = GatusNumber.compared(condition.right) else {
      throw NotCarried("a response can only be asked to be faster than something")
    }
    // Gatus counts whole milliseconds.
    let most = condition.operation == "<" ? limit : limit + 1
    guard most > 0 else { throw NotCarried("no response is as fast") }
    let key = kind == "ping" ? "expect.rtt.fail" : "expect.response_time.fail"
    let known = check[key]?.word.flatMap { ForeignDuration.milliseconds($0) } ?? Int.max
    check[key] = .duration(min(most, timeout, known))
  }

  private func certificate(_ condition: GatusCondition, _ check: inout ImportedCheck) throws(NotCarried) {
    guard kind == "tls" || kind == "http" && isTLS else { throw NotCarried("the address has no certificate") }
    guard condition.operation.hasPrefix(">"), let span = GatusNumber.compared(condition.right), span >= 0
    else {
      throw NotCarried("a certificate can only be asked to last longer than something")
    }
    let known = check["expect.certificate.fail"]?.word.flatMap { ForeignDuration.milliseconds($0) } ?? 0
    check["expect.certificate.fail"] = .duration(max(span, known))
    check["expect.certificate.warn"] = .duration(max(span, known))
  }

  /// - Returns: why no check can be made.
  private func finish(_ check: inout ImportedCheck, conditions: Int) -> String? {
    if isDown {
      // All of them must fail to hold then, and a check is negated as a whole.
      guard conditions == 1 else { return "it is asked not to answer and how to answer" }
      check["negate"] = .plain("true")
      return nil
    }
    if kind == "http", statuses.contains(false) {
      guard statuses.contains(true) else { return "no status meets all its conditions" }
      check["expect.status"] = .list(ranges.map { .plain($0) })
    }
    if kind == "dns" {
      guard !codes.isEmpty else { return "no response code meets all its conditions" }
      check["expect.rcode"] = .list(codes.map { .plain($0) })
    }
    return nil
  }

  private var ranges: [String] {
    var ranges: [String] = []
    var start: Int?
    for index in 0...statuses.count {
      if index < statuses.count, statuses[index] {
        start = start ?? index
      } else if let first = start {
        ranges.append(first + 1 == index ? "\(first + 100)" : "\(first + 100)-\(index + 99)")
        start = nil
      }
    }
    return ranges
  }

  /// Whether Gatus holds it for true when nothing answered: a number is 0 then and a text empty.
  private func passesUnanswered(_ condition: GatusCondition) -> Bool {
    if let constant = condition.constant { return constant }
    return switch condition.placeholder {
    case "[STATUS]", "[CERTIFICATE_EXPIRATION]": condition.holds("0") ?? false
    case "[CONNECTED]": condition.flag == false
    case "[RESPONSE_TIME]": condition.operation.hasPrefix("<")
    case "[DNS_RCODE]": condition.holds("") ?? false
    case "[IP]": true
    case "[BODY]" where condition.function == .has: condition.flag == false
    case "[BODY]" where condition.isEquality: condition.operation == "!="
    case "[BODY]": GatusNumber.compared(condition.right).map { condition.compares(0, $0) } ?? false
    default: false
    }
  }
}

extension String {
  fileprivate var isAddress: Bool { IPAddress(self) != nil }
}
