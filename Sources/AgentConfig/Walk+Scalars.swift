// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

extension Walk {
  /// A single value: resolved, then read as its kind wants it.
  mutating func scalar(_ node: YAMLNode, _ kind: ValueKind, _ place: KeyPlace) -> Given {
    var invalid = Given(.invalid, at: place.position)
    guard case .scalar(let raw, let isPlain) = node.content else {
      problem(place.position, "\(place.key) must be \(kind.words), found \(node.kindText)")
      return invalid
    }
    let resolved: References.Resolved
    do {
      resolved = try references.resolve(raw)
    } catch {
      if let credential = error.credential {
        (invalid.credential, invalid.isSecret, hasSecrets) = (credential, true, true)
        invalid.written = raw
        elsewhere(place.position, "\(place.key) \(error.message)")
      } else {
        problem(place.position, "\(place.key) \(error.message)", hint: error.hint)
      }
      return invalid
    }
    hasSecrets = hasSecrets || resolved.isSecret
    for warning in resolved.warnings {
      warn(place.position, "\(place.key): the file \(warning.message)", hint: warning.hint)
    }
    secrecy(resolved, kind, place)
    // A reference has no style of its own: what it yields may be a number as well as a text.
    let reading = Reading(resolved, isPlain: isPlain || resolved.hasReference)
    guard let value = read(reading, kind, place) else { return invalid }
    var given = Given(
      value, at: place.position, isSecret: resolved.isSecret, sourceFile: resolved.sourceFile,
      isPlain: isPlain)
    given.secrets = resolved.secrets.map(Redacted.init)
    switch kind {
    case .secret, .hidden:
      given.secrets += resolved.fromEnvironment.map(Redacted.init)
      if resolved.hasReference { given.written = raw }
    default: break
    }
    return given
  }

  struct Reading {
    var text: String
    var isPlain: Bool
    private(set) var isSecret: Bool

    init(_ resolved: References.Resolved, isPlain: Bool) {
      self.text = resolved.text
      self.isPlain = isPlain
      self.isSecret = resolved.isSecret
    }

    /// The value for a message.
    var found: String {
      isSecret ? Redacted.mark : (isPlain ? quoted(text) : "the quoted text \(quoted(text))")
    }
  }

  private mutating func secrecy(_ resolved: References.Resolved, _ kind: ValueKind, _ place: KeyPlace) {
    switch kind {
    case .secret:
      if resolved.usesEnvironment {
        warn(
          place.position, "\(place.key) comes from the environment, which other programs may see",
          hint: "use ${file:path} or ${cred:NAME}")
      } else if !resolved.isSecret {
        warn(
          place.position, "\(place.key) is written out in the file", hint: "use ${file:path} or ${cred:NAME}")
      }
    case .hidden: break
    default:
      // Names, hosts and paths are in results, on the page and in what is delivered.
      guard resolved.isSecret, place.path != ["url"] else { return }
      warn(
        place.position,
        "\(place.key) comes from a secret file, but is shown in results and on the status page",
        hint: "use ${env:NAME} for what is no secret")
    }
  }

  private mutating func read(_ reading: Reading, _ kind: ValueKind, _ place: KeyPlace) -> Given.Value? {
    switch kind {
    case .text: return .text(reading.text)
    case .secret:
      if reading.text.isEmpty {
        problem(place.position, "\(place.key) is empty")
        return nil
      }
      return .text(reading.text)
    case .hidden, .literal: return .text(reading.text)
    case .flag: return flag(reading, place).map(Given.Value.flag)
    case .integer(let range): return integer(reading, range, place).map(Given.Value.integer)
    case .automatic(let range):
      if reading.text == "auto" { return .text("auto") }
      return integer(reading, range, place, words: "auto or a whole number").map(Given.Value.integer)
    case .percent: return percent(reading, place).map(Given.Value.number)
    case .duration(let range): return duration(reading, range, place).map(Given.Value.duration)
    case .size(let range): return size(reading, range, place).map(Given.Value.integer)
    case .choice(let words): return choice(reading, words, place).map(Given.Value.text)
    case .list, .oneOrMore, .map, .headers, .conditions, .typedConditions, .either, .check, .templates:
      return nil
    }
  }

  private mutating func flag(_ reading: Reading, _ place: KeyPlace) -> Bool? {
    if reading.isPlain, reading.text == "true" || reading.text == "false" { return reading.text == "true" }
    var hint: String?
    switch reading.text.lowercased() {
    case "yes", "on", "y", "true", "1": hint = "write true"
    case "no", "off", "n", "false", "0": hint = "write false"
    default: break
    }
    problem(place.position, "\(place.key) must be true or false, found \(reading.found)", hint: hint)
    return nil
  }

  private mutating func integer(
    _ reading: Reading, _ range: ClosedRange<Int>, _ place: KeyPlace, words: String = "a whole number"
  ) -> Int? {
    guard reading.isPlain, let value = decimal(reading.text) else {
      problem(
        place.position, "\(place.key) must be \(words), found \(reading.found)",
        hint: integerHint(reading, range))
      return nil
    }
    return bounded(value, range, place, \.description)
  }

  private func integerHint(_ reading: Reading, _ range: ClosedRange<Int>) -> String? {
    let text = reading.text
    if !reading.isPlain {
      return decimal(text).map(range.contains) == true ? "write it without quotes" : nil
    }
    if text.hasPrefix("0"), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return "some parsers read a leading zero as octal; leave it out"
    }
    return text.contains("_") || text.contains(":") || text.hasPrefix("0x") || text.hasPrefix("0o")
      ? "decimal digits only" : nil
  }

  private mutating func duration(
    _ reading: Reading, _ range: ClosedRange<Duration>, _ place: KeyPlace
  ) -> Duration? {
    guard let value = Duration(text: reading.text) else {
      let isNumber = decimal(reading.text) != nil
      problem(
        place.position,
        isNumber
          ? "\(place.key) needs a unit, found \(reading.found)"
          : "\(place.key) must be a duration, found \(reading.found)",
        hint: durationHint(reading, range, isNumber: isNumber))
      return nil
    }
    return bounded(value, range, place, \.text)
  }

  /// Only values that the key takes are offered.
  private func durationHint(
    _ reading: Reading, _ range: ClosedRange<Duration>, isNumber: Bool
  ) -> String {
    func fitting(_ words: [String]) -> [String] {
      words.filter { Duration(text: $0).map(range.contains) ?? false }
    }
    var offered = fitting(["500ms", "30s", "5m", "1h", "21d"])
    if offered.isEmpty { offered = [range.lowerBound.text] }
    guard isNumber else { return "such as \(offered.joined(separator: ", "))" }
    let own = reading.isSecret ? [] : fitting([reading.text + "s"])
    return "such as \(own.first ?? offered[0]); units are us, ms, s, m, h, d"
  }

  private mutating func size(_ reading: Reading, _ range: ClosedRange<Int>, _ place: KeyPlace) -> Int? {
    guard let value = ByteSize.parse(reading.text) else {
      let isNumber = decimal(reading.text) != nil
      problem(
        place.position,
        isNumber
          ? "\(place.key) needs a unit, found \(reading.found)"
          : "\(place.key) must be a size, found \(reading.found)",
        hint: sizeHint(reading, range, isNumber: isNumber))
      return nil
    }
    return bounded(value, range, place, ByteSize.text)
  }

  /// Only a value that the key takes is offered.
  private func sizeHint(_ reading: Reading, _ range: ClosedRange<Int>, isNumber: Bool) -> String {
    let own = isNumber && !reading.isSecret ? [reading.text + "KiB"] : []
    let offered = (own + ["64KiB", "64MiB", "1GiB"]).first {
      ByteSize.parse($0).map(range.contains) ?? false
    }
    return "such as \(offered ?? ByteSize.text(range.lowerBound)); units are B, KiB, MiB, GiB, TiB"
  }

  private mutating func percent(_ reading: Reading, _ place: KeyPlace) -> Double? {
    let digits = reading.text.dropLast(reading.text.hasSuffix("%") ? 1 : 0)
    let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
    let number = isNumber ? Double(digits) : nil
    if reading.text.hasSuffix("%"), let number { return number }
    let isShare = number.map { $0 <= 100 } ?? false
    problem(
      place.position, "\(place.key) must be a share in percent, found \(reading.found)",
      hint: isShare && !reading.isSecret ? "write \(digits)%" : "such as 20%")
    return nil
  }

  private mutating func choice(_ reading: Reading, _ words: [String], _ place: KeyPlace) -> String? {
    if words.contains(reading.text) { return reading.text }
    let near = nearest(to: reading.text, among: words).map { "did you mean \"\($0)\"?" }
    problem(
      place.position, "\(place.key) must be one of \(words.joined(separator: ", ")), found \(reading.found)",
      hint: near)
    return nil
  }

  private mutating func bounded<Value: Comparable>(
    _ value: Value, _ range: ClosedRange<Value>, _ place: KeyPlace, _ text: (Value) -> String
  ) -> Value? {
    guard let wrong = CheckProblem.bounds(place.path, value, in: range, text: text) else { return value }
    problem(place.position, wrong.message, hint: wrong.hint)
    return nil
  }
}

/// A decimal integer as everybody reads it: no leading zero, no underscore, no plus sign.
private func decimal(_ text: String) -> Int? {
  let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
  guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  guard digits == "0" || !digits.hasPrefix("0") else { return nil }
  return Int(text)
}

extension ValueKind {
  /// For "must be …".
  var words: String {
    switch self {
    case .text, .secret, .hidden, .literal: "a text"
    case .flag: "true or false"
    case .integer: "a whole number"
    case .automatic: "auto or a whole number"
    case .percent: "a share in percent"
    case .duration: "a duration"
    case .size: "a size"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    case .list, .oneOrMore: "a list"
    case .map, .headers, .conditions, .typedConditions, .check, .templates: "a map"
    case .either(let single, let other): "\(single.words) or \(other.words)"
    }
  }
}
