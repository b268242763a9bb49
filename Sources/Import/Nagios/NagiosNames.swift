// SPDX-License-Identifier: MIT

import Basics

/// The plugins of names and echoes: check_dns, check_dig, check_ping and its kin.
extension NagiosCall {
  /// `100.0,20%`: round trip in milliseconds, and loss.
  struct Limit: Sendable {
    var trip: Double
    var loss: Int
  }

  /// - Parameters:
  ///   - gap: the option that says how long it waits between packets.
  ///   - limits: those of check_icmp where none are given. `nil`: none.
  func ping(
    at count: String, usual: Int, source: String? = nil, gap: String? = nil,
    limits: (warn: Limit, fail: Limit)? = nil
  ) -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "ping")
    check["host"] = .text(host)
    let packets = number(count, 1...100) ?? usual
    check["count"] = .number(packets)
    if let gap, let milliseconds = packetInterval(gap) {
      check["packet_interval"] = .duration(check.within(10...10_000, "-\(gap)", milliseconds))
    }
    if let source, let address = option(source) { check["source_address"] = .text(address) }
    if let size = number("b", 0...1472) { check["size"] = .number(size) }
    var warn = limit("w", limits?.warn) ?? limits?.warn
    let fail = limit("c", limits?.fail) ?? limits?.fail
    // A warning never comes after a failure.
    if let least = warn, let most = fail {
      warn = Limit(trip: min(least.trip, most.trip), loss: min(least.loss, most.loss))
    }
    for (most, level) in [(warn, "warn"), (fail, "fail")] {
      guard let most else { continue }
      if most.trip <= 60_000 {
        let trip = Duration.microseconds(Int64((most.trip * 1000).rounded()))
        check["expect.rtt.\(level)"] = .plain(trip.text)
      }
      if most.loss > 0 { check["expect.loss.\(level)"] = .lossFrom(most.loss) }
    }
    return check
  }

  /// - Parameter usual: the limit of check_icmp, which takes times with a unit and a round trip alone. `nil`: where they
  ///   are no options they follow the host.
  private func limit(_ flag: String, _ usual: Limit?) -> Limit? {
    guard let pair = option(flag) ?? (usual == nil ? word() : nil) else { return nil }
    let parts = pair.split(separator: ",").map { $0.trimmed }
    let first = parts.first ?? ""
    guard let trip = usual == nil ? Double(first) : Self.milliseconds(first), trip > 0, trip.isFinite,
      let loss = parts.count == 2 ? Int(parts[1].prefix { $0 != "%" }) : usual?.loss,
      (0...100).contains(loss), (1...2).contains(parts.count)
    else {
      leave(flag, "is no round trip with a loss, such as 100.0,20%")
      return nil
    }
    return Limit(trip: trip, loss: loss)
  }

  private func packetInterval(_ flag: String) -> Int? {
    guard let text = option(flag) else { return nil }
    guard let time = Self.milliseconds(text) else {
      leave(flag, "is no time, such as 80ms")
      return nil
    }
    return Int(time.rounded())
  }

  /// A time as check_icmp reads it: microseconds with `u` or `us`, seconds with `s`, else milliseconds.
  private static func milliseconds(_ text: String) -> Double? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let factor: Double =
      switch text.dropFirst(digits.count).first {
      case "u": 0.001
      case "s": 1000
      default: 1
      }
    guard let number = Double(digits), number < 1_000_000 else { return nil }
    return number * factor
  }

  func dns() -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "dns")
    guard let name = option("H") ?? word() else { return nil }
    if let server = option("s") ?? word() { check["server"] = .text(server) }
    if let address = IPAddress(name) {
      check["query.name"] = .text(address.reverseName)
      check["query.type"] = .text("PTR")
    } else {
      check["query.name"] = .text(name)
    }
    let answers = all("a").flatMap { $0.split(separator: ",") }.map { $0.trimmed }.filter { !$0.isEmpty }
    if let type = option("q"), type.lowercased() != "-querytype=a+aaaa" {
      check["query.type"] = .text(type)
    } else if check["query.type"] == nil, !has("n") {
      bothVersions(&check, answers)
    }
    let isRange = answers.contains { $0.contains("/") }
    if isRange { leave("a", "names a range of addresses; conditions name addresses", .laxer) }
    let isExact = has("L")
    if has("n") { check["expect.rcode"] = .list([.plain("NXDOMAIN")]) }
    let possible = answers.filter { isPossible($0, of: check["query.type"]?.word) }
    if !answers.isEmpty, possible.isEmpty {
      leave("a", "is no answer of this type, so that the plugin is never satisfied", .laxer)
    }
    if !possible.isEmpty, !isRange {
      check[isExact ? "expect.answers.exact" : "expect.answers.any"] = .list(possible.map { .text($0) })
    } else if !has("n") {
      check["expect.count"] = .text(">= 1")
    }
    if has("A") { check["expect.authoritative"] = .plain("true") }
    thresholds(&check)
    return check
  }

  /// A record of addresses has those of one version; a check asks for version 4 unless told.
  private func isPossible(_ answer: String, of type: String?) -> Bool {
    let isSix = answer.utf8.contains(UInt8(ascii: ":"))
    switch type?.uppercased() {
    case nil, "A": return !isSix
    case "AAAA": return isSix
    default: return true
    }
  }

  /// Without a type the plugin asks for addresses of both versions, a check for those of one.
  private func bothVersions(_ check: inout ImportedCheck, _ answers: [String]) {
    let six = answers.filter { $0.utf8.contains(UInt8(ascii: ":")) }
    if !answers.isEmpty, six.count == answers.count { check["query.type"] = .text("AAAA") }
    if answers.isEmpty || !six.isEmpty && six.count < answers.count {
      note(
        "query.type", "the plugin takes an address of version 4 or 6; the check one of version 4", .stricter)
    } else if has("L") {
      note(
        "query.type", "the plugin looks at addresses of versions 4 and 6; the check at one of them", .laxer)
    }
  }

  func dig() -> ImportedCheck? {
    var check = ImportedCheck(name: "", type: "dns")
    guard let name = option("l") else { return nil }
    let server = host
    check["server"] = .text(number("p", 1...65_535).map { "\(bracketed(server)):\($0)" } ?? server)
    check["query.name"] = .text(name)
    if let type = option("T") { check["query.type"] = .text(type) }
    if let answer = option("a"), !answer.isEmpty {
      check.append("expect.answers.any", .text("~ (?i)\(PatternText.escaped(answer))"))
      note("expect.answers", "another answer is a warning there; it is down here", .stricter)
    } else {
      check["expect.count"] = .text(">= 1")
    }
    thresholds(&check)
    return check
  }
}
