// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The results of one round as a Nagios plugin prints them (Monitoring Plugins Development Guidelines): the state, what
/// it is of, performance data behind a `|`, then lines of text.
struct NagiosText {
  /// Bytes in all: what the oldest of those who read it take.
  static let limit = 4096
  /// Bytes of the first line before its figures, and of the figures of several checks.
  private static let (headLimit, figuresLimit) = (700, 2400)

  /// For thresholds.
  var checks: [UniqueID: MonitoringCheck]
  /// False where the results were to be handed on and were not taken.
  var isDelivered = true

  /// - Parameter unfinished: checks that should have a result and have none.
  func render(_ results: [CheckResult], unfinished: [String] = []) -> String {
    guard let first = results.first, results.count + unfinished.count == 1 else {
      return several(results, unfinished)
    }
    let figures = NagiosFigure.all(of: first, checks[first.checkID]).map { $0.text() }
    let explained = ResultExplanation(color: false, width: 100).render(first)
    return bounded(
      told(line(of: first), [first.state]), figures,
      explained.split(separator: "\n").map { asText(String($0)) })
  }

  private func several(_ results: [CheckResult], _ unfinished: [String]) -> String {
    let figures = results.flatMap { result in
      NagiosFigure.all(of: result, checks[result.checkID]).map { ($0.rank, $0.text(of: result.check)) }
    }
    // The least important go first where there is no room; what stays keeps its order.
    var room = Self.figuresLimit
    var kept: Set<Int> = []
    for (index, figure) in figures.enumerated().sorted(by: { ($0.1.0, $0.0) < ($1.1.0, $1.0) }) {
      guard figure.1.utf8.count < room else { break }
      room -= figure.1.utf8.count + 1
      kept.insert(index)
    }
    let shown = figures.indices.filter(kept.contains).map { figures[$0].1 }
    let lines =
      results.map { line(of: $0) } + unfinished.map { "UNKNOWN - \(harmless($0)): was not run to its end" }
    let states = results.map(\.state) + unfinished.map { _ in .unknown }
    return bounded(told(summary(results, unfinished), states), shown, lines)
  }

  /// With the meaning of the exit code where the results were not taken: unknown, unless something is down.
  private func told(_ line: String, _ states: [CheckState]) -> String {
    if isDelivered { return line }
    let status = ExitStatus.of(states)
    let word = Self.word(status)
    let rest = line.hasPrefix("\(word) - ") ? String(line.dropFirst(word.count + 3)) : line
    let state = Self.word(status == ExitStatus.down ? status : ExitStatus.unknown)
    return "\(state) - the results were not delivered; \(rest)"
  }

  /// How many, and which of those that are not up.
  private func summary(_ results: [CheckResult], _ unfinished: [String]) -> String {
    let all = results.count + unfinished.count
    if all == 0 { return "UNKNOWN - nothing was run" }
    let state = Self.word(ExitStatus.of(results.map(\.state) + unfinished.map { _ in .unknown }))
    let groups: [(word: String, names: [String])] = [
      ("down", results.filter { $0.state == .down }.map(\.check)),
      ("unknown", results.filter { $0.state == .unknown }.map(\.check) + unfinished),
      ("degraded", results.filter { $0.state == .degraded }.map(\.check)),
    ].filter { !$0.1.isEmpty }
    if groups.isEmpty { return "\(state) - \(counted(all, "check")) up" }
    let texts = groups.enumerated().map { index, group in
      "\(group.names.count) " + (index == 0 ? "of \(all) checks " : "") + group.word + ": "
        + group.names.map(harmless).joined(separator: ", ")
    }
    return "\(state) - " + texts.joined(separator: "; ")
  }

  private func line(of result: CheckResult) -> String {
    "\(Self.word(ExitStatus.of([result.state]))) - \(harmless(result.check)): \(harmless(words(result)))"
  }

  private func words(_ result: CheckResult) -> String {
    if result.reason != .ok { return result.detail }
    let time = result.responseTime.map { decimal($0.milliseconds) + " ms" }
    return [time, result.detail.isEmpty ? nil : result.detail].compactMap(\.self).joined(separator: ", ")
  }

  /// A line that is no title any more: nothing in it begins performance data.
  private func asText(_ line: String) -> String { line.replacing("|", with: "¦") }

  private func bounded(_ head: String, _ figures: [String], _ lines: [String]) -> String {
    var text = head.printable(maxBytes: Self.headLimit)
    if !figures.isEmpty { text += " | " + figures.joined(separator: " ") }
    text += "\n"
    for (index, line) in lines.enumerated() {
      let more = "and \(counted(lines.count - index, "more line"))\n"
      guard text.utf8.count + line.utf8.count + 1 + more.utf8.count <= Self.limit else { return text + more }
      text += line + "\n"
    }
    return text
  }

  /// The guidelines' words for the exit codes.
  static func word(_ status: Int32) -> String {
    switch status {
    case ExitStatus.up: "OK"
    case ExitStatus.degraded: "WARNING"
    case ExitStatus.down: "CRITICAL"
    default: "UNKNOWN"
    }
  }
}
