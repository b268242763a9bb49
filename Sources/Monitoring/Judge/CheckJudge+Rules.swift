// SPDX-License-Identifier: MIT

import Basics

// Rules that several kinds share.
extension CheckJudge {
  mutating func problem(_ path: [String], _ message: String, hint: String? = nil) {
    problems.append(CheckProblem(path, message, hint: hint))
  }

  /// False when there is a value and it is out of bounds.
  @discardableResult
  mutating func ranged(_ value: Duration?, _ path: [String], _ allowed: ClosedRange<Duration>) -> Bool {
    append(value.flatMap { CheckProblem.bounds(path, $0, in: allowed, text: \.text) })
  }

  @discardableResult
  mutating func ranged(_ value: Int?, _ path: [String], _ allowed: ClosedRange<Int>) -> Bool {
    append(value.flatMap { CheckProblem.bounds(path, $0, in: allowed, text: \.description) })
  }

  mutating func append(_ problem: CheckProblem?) -> Bool {
    guard let problem else { return true }
    problems.append(problem)
    return false
  }

  /// Text that people will see: bounded, and without what would break a line or a terminal.
  mutating func checkText(_ text: String, _ path: [String], maxBytes: Int) {
    let key = CheckProblem.keyText(path)
    if text.utf8.count > maxBytes {
      problem(path, "\(key) must be at most \(maxBytes) bytes, found \(text.utf8.count)")
    } else if text.hasControlCharacter {
      problem(path, "\(key) contains a control character")
    }
  }

  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ text: String?, _ path: [String], _ type: Value.Type
  ) -> Value? {
    guard let text else { return nil }
    if let value = Value(word: text) { return value }
    let found = text.shown(maxBytes: 60)
    problem(
      path, "\(CheckProblem.keyText(path)) must be one of \(words(type)), found \"\(found)\"",
      hint: Value(word: text.lowercased()).map { "write it in lower case: \($0.rawValue)" })
    return nil
  }

  func words<Value: RawRepresentable<String> & CaseIterable>(_ type: Value.Type) -> String {
    type.allCases.map(\.rawValue).joined(separator: ", ")
  }

  mutating func uuid(_ text: String?, _ key: String) -> UniqueID? {
    guard let text else { return nil }
    if let id = UniqueID(text) { return id }
    problem(
      [key], "\(key) must be a UUID, found \"\(text.shown(maxBytes: 60))\"",
      hint: key == "id"
        ? "leave it out to have one derived from the name" : "such as 0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d")
    return nil
  }

  /// `host` of tcp, tls and ping.
  mutating func host() -> String? {
    guard let host = definition.host else {
      problem(["host"], "host is missing")
      return nil
    }
    return asciiHost(host, ["host"])
  }

  /// The host as it is looked up, people's letters turned into those of the DNS. `nil` when the text is no host.
  mutating func asciiHost(_ host: String, _ path: [String]) -> String? {
    guard let ascii = asciiName(host, path) else { return nil }
    return checkHost(ascii, path) ? ascii : nil
  }

  /// `nil` when the text has no form in the letters of the DNS. A stranger has to write that form: what looks alike
  /// must not be told apart by us.
  mutating func asciiName(_ name: String, _ path: [String]) -> String? {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
    let key = CheckProblem.keyText(path)
    let found = name.shown(maxBytes: 80)
    guard definition.origin == .local else {
      problem(path, "\(key) must be in ASCII, found \"\(found)\"", hint: "write the xn-- form of the name")
      return nil
    }
    do {
      return try InternationalName.ascii(name)
    } catch {
      problem(path, "\(key) \(error.message), found \"\(found)\"")
      return nil
    }
  }

  /// False when the text is no host.
  mutating func checkHost(_ host: String, _ path: [String]) -> Bool {
    guard let why = hostProblem(host) else { return !refusesZoneless(host, path) }
    let key = CheckProblem.keyText(path)
    let found = host.withoutURLSecrets.shown(maxBytes: 80)
    if hasZone(host) {
      problem(path, "\(key) has a zone, found \"\(found)\", and zones are not supported", hint: zoneHint)
    } else if host.isEmpty {
      problem(path, "\(key) is empty")
    } else if host.contains("://") {
      problem(path, "\(key) must be a name or an address, found \"\(found)\"", hint: "leave the scheme out")
    } else if host.hasPrefix("["), host.hasSuffix("]"), IPAddress(host.dropFirst().dropLast()) != nil {
      problem(
        path, "\(key) must be an address without brackets, found \"\(found)\"",
        hint: "write \"\(host.dropFirst().dropLast())\"")
    } else if host.split(separator: ":").count == 2 {
      problem(
        path, "\(key) must be a name or an address, found \"\(found)\"", hint: "the port has a key of its own"
      )
    } else {
      problem(path, "\(key) must be a name or an address, found \"\(found)\", \(why)")
    }
    return false
  }

  /// A connection to a link-local address without its zone cannot be made. Addresses of the API are the policy's.
  mutating func refusesZoneless(_ host: String, _ path: [String]) -> Bool {
    guard definition.origin == .local, IPAddress(host)?.needsZone == true else { return false }
    problem(
      path,
      "\(CheckProblem.keyText(path)) must not be a link-local address, which needs a zone, found \"\(host)\"",
      hint: "zones are not supported: \(zoneHint)")
    return true
  }

  mutating func port(default fallback: UInt16?) -> UInt16? {
    guard let port = definition.port ?? fallback.map(Int.init) else {
      problem(["port"], "port is missing", hint: "1 to 65535")
      return nil
    }
    return ranged(port, ["port"], CheckLimits.port) ? UInt16(exactly: port) : nil
  }

  /// Thresholds on something that is worse the larger it is.
  mutating func thresholds(
    _ value: Thresholds<Duration>, _ path: [String], within allowed: ClosedRange<Duration>,
    atMost timeout: Duration
  ) {
    let key = CheckProblem.keyText(path)
    let inBounds = [
      ranged(value.warn, path + ["warn"], allowed), ranged(value.fail, path + ["fail"], allowed),
    ]
    guard inBounds == [true, true] else { return }
    if let warn = value.warn, let fail = value.fail, warn > fail {
      problem(
        path + ["warn"], "\(key).warn must be at most \(key).fail (\(fail.text)), found \(warn.text)")
    }
    for (name, threshold) in [("warn", value.warn), ("fail", value.fail)] {
      guard let threshold, threshold > timeout else { continue }
      problem(
        path + [name],
        "\(key).\(name) must be at most the timeout (\(timeout.text)), found \(threshold.text)",
        hint: "nothing slower than the timeout is ever measured")
    }
  }

  /// Days left on a certificate: worse the smaller.
  mutating func certificateThresholds() {
    let value = definition.expect.certificate
    let path = ["expect", "certificate"]
    let inBounds = [
      ranged(value.warn, path + ["warn"], CheckLimits.certificate),
      ranged(value.fail, path + ["fail"], CheckLimits.certificate),
    ]
    guard inBounds == [true, true], let warn = value.warn, let fail = value.fail, warn < fail else { return }
    problem(
      path + ["warn"],
      "expect.certificate.warn must be at least expect.certificate.fail (\(fail.text)), found \(warn.text)",
      hint: "both are the time left until the certificate expires")
  }

  /// Meaning of a map with one of the two, or neither.
  func certificateDefaults() -> Thresholds<Duration> {
    let given = definition.expect.certificate
    let fail = given.fail ?? .zero
    let warn = given.warn ?? (fail <= .seconds(21 * 86_400) ? .seconds(21 * 86_400) : nil)
    return Thresholds(warn: warn, fail: fail)
  }
}

/// Next step for an address with a zone, or without the one that it needs.
let zoneHint = "use an address that is not link-local, or a name"
