// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Results of a file by check: times by phase, and how often each was up.
struct MeasuredChecks: Sendable {
  struct Check: Sendable {
    var name: String
    var target: String
    /// Milliseconds by phase, of results that were up or degraded.
    var times: [ComparedPhase: [Double]] = [:]
    var up = 0
    var down = 0

    /// Where there is no id that says which check it is.
    var place: ByteText { ByteText(name + "\0" + target) }
    /// Percent; nil without a verdict.
    var uptime: Double? { up + down > 0 ? Double(up) * 100 / Double(up + down) : nil }
  }

  /// By id, or by name and target where there is none.
  private(set) var checks: [ByteText: Check] = [:]
  private(set) var results = 0
  private(set) var first: Timestamp?
  private(set) var last: Timestamp?
  private var times = 0

  /// Times of a file, and bytes of a line, at most.
  static let limit = 5_000_000
  static let maxLine = 1 << 20
  private static let maxChecks = 100_000
  /// Milliseconds; no probe takes an hour.
  private static let range = 0.0...3_600_000.0

  /// One line: a result as `once` and `spool export` write it. The summary that `once --count` adds at the end is no
  /// result.
  ///
  /// - Throws: the line's problem.
  mutating func add(_ line: some Collection<UInt8>) throws(CompareProblem) {
    let value: JSONValue
    do {
      value = try JSONValue.parse(line)
    } catch {
      throw CompareProblem("is no JSON: \(error)")
    }
    guard case .object = value else { throw CompareProblem("is no result, which would be a JSON object") }
    if value["state"] == nil, value["summary"] != nil || value["rounds"] != nil || value["count"] != nil {
      return
    }
    guard let word = value["state"]?.string, let state = CheckState(word: word) else {
      throw CompareProblem(
        "is no result: its \"state\" is missing, or none of up, degraded, down and unknown")
    }
    guard let name = value["check"]?.string ?? value["check_id"]?.string else {
      throw CompareProblem("is no result: it has neither \"check\" nor \"check_id\"")
    }
    results += 1
    note(value["started_at"]?.timestamp)
    guard state != .unknown, value["maintenance"]?.bool != true else { return }
    let target = value["target"]?.string ?? ""
    let key = ByteText(value["check_id"]?.string ?? name + "\0" + target)
    var check =
      checks[key] ?? Check(name: name.printable(maxBytes: 200), target: target.printable(maxBytes: 200))
    guard checks.count < Self.maxChecks || checks[key] != nil else {
      throw CompareProblem("is of the \(Self.maxChecks + 1)th check; there may be \(Self.maxChecks)")
    }
    checks[key] = nil
    if state == .down {
      check.down += 1
    } else {
      check.up += 1
      for phase in ComparedPhase.allCases {
        if let time = try phase.time(in: value) {
          check.times[phase, default: []].append(time)
          times += 1
        }
      }
    }
    checks[key] = check
    guard times <= Self.limit else {
      throw CompareProblem("has the \(Self.limit)th time; compare less at once")
    }
  }

  private mutating func note(_ instant: Timestamp?) {
    guard let instant else { return }
    first = min(first ?? instant, instant)
    last = max(last ?? instant, instant)
  }

  /// Milliseconds of a member that is there.
  static func milliseconds(_ value: JSONValue?, _ name: String) throws(CompareProblem) -> Double? {
    guard let value, value != .null else { return nil }
    guard let number = value.double, range.contains(number) else {
      throw CompareProblem("has a \"\(name)\" that is no time from 0 to an hour")
    }
    return number
  }
}

/// Times of a result that are compared.
enum ComparedPhase: String, CaseIterable, Sendable {
  case response, dns, connect, starttls, tls
  case firstByte = "first_byte"
  case transfer

  var words: String { self == .firstByte ? "first byte" : rawValue }

  func time(in result: JSONValue) throws(CompareProblem) -> Double? {
    let name = self == .response ? "response_time_ms" : "\(rawValue)_ms"
    let place = self == .response ? result : result["timings"]
    return try MeasuredChecks.milliseconds(place?[name], name)
  }
}

/// Problem of a line, to be put behind its place.
struct CompareProblem: Error {
  var message: String
  /// The file cannot be read; otherwise what it holds is wrong.
  var isUnreadable: Bool

  init(_ message: String, isUnreadable: Bool = false) {
    (self.message, self.isUnreadable) = (message, isUnreadable)
  }
}
