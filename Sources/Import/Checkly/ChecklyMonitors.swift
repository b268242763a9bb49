// SPDX-License-Identifier: MIT

import Basics

// Monitors of Checkly that send no HTTP request: TCP, DNS, ICMP and HEARTBEAT.
extension ChecklyCheck {
  /// `nil` where the monitor is of another kind, or lacks what a check needs.
  func monitor(_ kind: String) -> ImportedCheck? {
    if kind == "HEARTBEAT" { return heartbeat() }
    guard let request = section.section("request") else { return nil }
    switch kind {
    case "TCP": return port(request)
    case "DNS": return dns(request)
    case "ICMP": return ping(request)
    default: return nil
    }
  }

  private func port(_ request: Section) -> ImportedCheck? {
    guard let host = request.text("hostname"), let port = request.number("port") else { return nil }
    var check = ImportedCheck(name: "", type: "tcp")
    check["host"] = .text(host)
    check["port"] = .number(port)
    family(request, &check)
    if let data = request.text("data") {
      check.say(BlackboxTCP.escaped(data))
    }
    var isRead = false
    let longest = judge(request, &check) { source, property, comparison, target, check in
      guard source == "RESPONSE_DATA" else { return "there is no such condition" }
      guard property.isEmpty else { return "what a pattern takes out of the data is not compared" }
      let pattern: String
      switch comparison {
      case "CONTAINS" where !target.isEmpty: pattern = PatternText.escaped(target)
      case "NOT_EMPTY": pattern = "(?s)."
      default: return "a dialog waits for a text that comes"
      }
      guard !isRead else { return "a dialog has one condition here" }
      isRead = true
      check.append("dialog", .map([("expect", .text("~ \(pattern)"))]))
      return nil
    }
    pace(usual: (warn: 4000, fail: 5000), longest, &check)
    return check
  }

  private func ping(_ request: Section) -> ImportedCheck? {
    guard let host = request.text("hostname") else { return nil }
    var check = ImportedCheck(name: "", type: "ping")
    check["host"] = .text(host)
    family(request, &check)
    check["count"] = .number(check.within(1...100, "pingCount", request.number("pingCount") ?? 10))
    let warn = section.number("degradedPacketLossThreshold") ?? 10
    let fail = section.number("maxPacketLossThreshold") ?? 20
    // A share of nothing is lost always.
    if warn > 0 { check["expect.loss.warn"] = .lossFrom(min(100, warn)) }
    if fail > 0 { check["expect.loss.fail"] = .lossFrom(min(100, fail)) }
    _ = judge(request, &check, isTimed: false) { source, property, comparison, target, check in
      guard source == "LATENCY", property == "avg", comparison == "LESS_THAN", let limit = Int(target),
        (1...60_000).contains(limit)
      else { return "only a longest mean round trip is a condition" }
      check["expect.rtt.fail"] = .duration(limit)
      return nil
    }
    check.pace(interval: interval(), timeout: min(interval(), 30_000))
    retries(&check)
    return check
  }

  private func family(_ request: Section, _ check: inout ImportedCheck) {
    check["ip"] = .text(request.text("ipFamily")?.hasSuffix("6") == true ? "6" : "4")
  }

  private func dns(_ request: Section) -> ImportedCheck? {
    guard let name = request.text("query") else { return nil }
    var check = ImportedCheck(name: "", type: "dns")
    server(request, &check)
    check["query.name"] = .text(name)
    check["query.type"] = .text(request.text("recordType") ?? "A")
    if request.text("protocol") == "TCP" { check["transport"] = .plain("tcp") }
    let longest = judge(request, &check) { source, property, comparison, target, check in
      Self.answer(source, property, comparison, target, &check)
    }
    pace(usual: (warn: 500, fail: 1000), longest, &check)
    return check
  }

  /// A name server beside its port, or with it; without one Checkly asks some of its own choice, one after another.
  private func server(_ request: Section, _ check: inout ImportedCheck) {
    let own = request.section("nameServer")
    guard let host = own?.text("host") ?? request.text("nameServer") else {
      check["server"] = .plain("8.8.8.8")
      return check.note(
        .stricter, "request.nameServer", "8.8.8.8 alone is asked; Checkly asks 1.1.1.1 next where it fails")
    }
    let port = own?.number("port") ?? request.number("port") ?? 53
    check["server"] = .text(port == 53 ? host : "\(bracketed(host)):\(port)")
  }

  /// `nil` when it is taken, else the reason why not.
  private static func answer(
    _ source: String, _ property: String, _ comparison: String, _ target: String, _ check: inout ImportedCheck
  ) -> String? {
    switch (source, property, comparison) {
    case ("RESPONSE_CODE", "", "EQUALS"), ("JSON_ANSWER", "$.Status", "EQUALS"):
      guard check["expect.rcode"] == nil else { return "one condition is on the response code" }
      check["expect.rcode"] = .list([.text(target.uppercased())])
    case ("TEXT_ANSWER", "", "CONTAINS") where !target.isEmpty:
      check.append("expect.answers.any", .text("~ \(PatternText.escaped(target))"))
      check.note(.stricter, "TEXT_ANSWER", "conditions see the data of an answer, without name, TTL and type")
    case ("JSON_ANSWER", "$.Answer[0].data", "EQUALS") where !target.isEmpty:
      check.append("expect.answers.any", .text("~ (?i)\\A\(PatternText.escaped(target))\\.?\\z"))
      check.note(.laxer, "JSON_ANSWER", "one of the answers has to be it; Checkly looks at the first one")
    case ("JSON_ANSWER", "$.Answer.length", "EQUALS"), ("JSON_ANSWER", "$.Answer.length", "GREATER_THAN"),
      ("JSON_ANSWER", "$.Answer.length", "LESS_THAN"):
      guard let count = Int(target), check["expect.count"] == nil else {
        return "one condition is on the number of answers"
      }
      let marks = ["GREATER_THAN": "> ", "LESS_THAN": "< "]  // own text
      check["expect.count"] = .text("\(marks[comparison] ?? "")\(count)")
    default: return "there is no such condition"
    }
    return nil
  }

  /// Conditions that the kind knows.
  ///
  /// - Parameter isTimed: a longest time is one of them.
  /// - Returns: the least of the longest times, in milliseconds.
  private func judge(
    _ request: Section, _ check: inout ImportedCheck, isTimed: Bool = true,
    _ own: (_ source: String, _ property: String, _ comparison: String, _ target: String, inout ImportedCheck)
      -> String?
  ) -> Int? {
    var longest: Int?
    for node in request["assertions"]?.items ?? [] {
      let (comparison, target) = (node["comparison"]?.text ?? "", node["target"]?.text ?? "")
      let source = node["source"]?.text ?? ""
      var why: String?
      if node["regex"]?.text?.isEmpty == false {
        why = "what a pattern takes out of the answer is not compared"
      } else if isTimed, source == "RESPONSE_TIME" {
        if comparison == "LESS_THAN", let limit = Int(target), limit > 0 {
          longest = min(longest ?? limit, limit)
        } else {
          why = "only a longest time is a condition"
        }
      } else {
        why = own(source, node["property"]?.text ?? "", comparison, target, &check)
      }
      if let why { section.ledger.list(node, why, .laxer) } else { section.ledger.carry(node) }
    }
    return longest
  }

  /// - Parameter usual: what Checkly takes where a monitor says nothing.
  private func pace(usual: (warn: Int, fail: Int), _ longest: Int?, _ check: inout ImportedCheck) {
    let interval = self.interval()
    let most = section.number("maxResponseTime") ?? usual.fail
    let fail = min(most > 0 ? most : Int.max, longest ?? Int.max)
    let warn = section.number("degradedResponseTime") ?? usual.warn
    let timeout = min(interval, max(5000, min(most, 30_000)))
    check.pace(interval: interval, timeout: timeout)
    // A time as long as the timeout fails by itself.
    if warn > 0, warn < min(timeout, fail) { check["expect.response_time.warn"] = .duration(warn) }
    if fail < timeout { check["expect.response_time.fail"] = .duration(fail) }
    retries(&check)
  }

  private func heartbeat() -> ImportedCheck? {
    guard let beat = section.section("heartbeat"), let url = beat["pingUrl"]?.text,
      let token = url.split(separator: "/").last.map(String.init), token.utf8.count >= 16,
      let period = span(beat, "period"), period > 0
    else { return nil }
    beat.carry("pingUrl")
    var check = ImportedCheck(name: "", type: "heartbeat")
    check["token"] = .secret(Redacted(token), as: "token")
    check.note(.changed, "heartbeat.pingUrl", "the job reports to /hb/TOKEN of the agent")
    check["period"] = .duration(max(10_000, period))
    let grace = span(beat, "grace") ?? 0
    let most = 30 * 86_400_000
    check["grace"] = .duration(min(grace, most))
    if grace > most { check.note(.stricter, "heartbeat.grace", "it is made 30d, the most there is") }
    beat.listRest()
    return check
  }

  private func span(_ beat: Section, _ name: String) -> Int? {
    let units = ["seconds": 1000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000]  // own text
    guard let number = beat.number(name), (0...100_000_000).contains(number),
      let unit = (beat["\(name)Unit"]?.text).flatMap({ units[$0.lowercased()] })
    else { return nil }
    beat.carry("\(name)Unit")
    return number * unit
  }
}
