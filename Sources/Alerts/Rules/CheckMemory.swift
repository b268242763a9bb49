// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// State of the rules for a check's results.
struct CheckMemory: Sendable {
  /// In a row, by the results that say something about the target.
  private(set) var failures = 0
  private(set) var successes = 0
  private(set) var failingSince: Timestamp?
  /// The last state that says something about the target, and since when.
  private var known: (state: CheckState, since: Timestamp)?
  /// Slot of the last result.
  private var last: Timestamp?
  private var unknownSince: Timestamp?
  /// Slot of the last result that was up or degraded.
  private var lastGood: Timestamp?
  /// The same before the known state began.
  private var goodBefore: Timestamp?
  private var lastTime: Duration?
  /// Of successes, oldest first.
  private var samples: [(at: Timestamp, value: Duration)] = []

  /// Successes that a percentile is made of, the newest.
  static let maxSamples = 720
  /// Fewer say nothing about a percentile.
  static let minSamples = 10

  /// - Parameter keepsTimes: a percentile of response times will be asked for.
  mutating func add(_ result: CheckResult, keepsTimes: Bool) {
    let slot = result.scheduledAt
    last = slot
    guard result.state != .unknown else {
      unknownSince = unknownSince ?? slot
      return
    }
    unknownSince = nil
    if known?.state != result.state {
      known = (result.state, slot)
      goodBefore = lastGood
    }
    if result.state != .down { lastGood = slot }
    if result.state == .down {
      failingSince = failingSince ?? slot
      failures = min(failures + 1, 1_000_000)
      successes = 0
    } else {
      failingSince = nil
      successes = min(successes + 1, 1_000_000)
      failures = 0
      let time = result.facts.responseTime
      // Results of a heartbeat have the time of the job's last run until the next one ends.
      let isOfSameRun = result.type == .heartbeat && time == lastTime
      lastTime = time
      if keepsTimes, !isOfSameRun, let time { keep(time, at: slot) }
    }
  }

  private mutating func keep(_ value: Duration, at slot: Timestamp) {
    samples.append((slot, value))
    // Not at each: to take off the first is to move all.
    if samples.count > 2 * Self.maxSamples { samples.removeFirst(samples.count - Self.maxSamples) }
  }

  /// Slot of the last result that was up or degraded before a state began; `nil` where none is known.
  func good(before since: Timestamp) -> Timestamp? {
    [lastGood, goodBefore].compactMap(\.self).filter { $0 < since }.max()
  }

  /// Since when it is in a state; `nil` when it is in another.
  func since(_ state: CheckState) -> Timestamp? {
    if state == .unknown { return unknownSince }
    return known?.state == state ? known?.since : nil
  }

  /// The last one, or a percentile by nearest rank of those of the last while; nil where there are too few.
  func responseTime(_ percentile: Int?, within window: Duration, at now: Timestamp) -> Duration? {
    guard let percentile else { return lastTime }
    let start = now.advanced(by: .zero - window)
    let recent = samples.suffix(Self.maxSamples).filter { $0.at > start }.map(\.value).sorted()
    guard recent.count >= Self.minSamples else { return nil }
    return recent[min(recent.count - 1, (recent.count * percentile + 99) / 100 - 1)]
  }
}

/// Consecutive results of a check as kept over a restart: an agent that restarts often continues the count.
struct SavedRow: Hashable, Sendable {
  var failures = 0
  var successes = 0
  var failingSince: Timestamp?
  var state: CheckState?
  var stateSince: Timestamp?
  var unknownSince: Timestamp?
  /// Slot of a result; later ones may be missing, for up to `SavedRow.every`.
  var at: Timestamp

  init(at: Timestamp) { self.at = at }

  /// How often a row in which only the time is another is written.
  static let every: Duration = .seconds(300)
  /// Longest gap after which results are still in a row with those before it, beside three intervals.
  private static let longestGap: Duration = .seconds(900)
  /// Rows that are kept.
  static let limit = 20_000

  var isEmpty: Bool { failures == 0 && successes == 0 && state == nil && unknownSince == nil }

  /// Whether the next result of a check continues the row.
  func continues(_ check: MonitoringCheck, at now: Timestamp) -> Bool {
    let gap = at.duration(to: now)
    return gap >= .zero && gap <= check.interval * 3.0 + Self.longestGap
  }

  /// Whether a check that is not in the list yet may still come.
  func isYoung(at now: Timestamp) -> Bool { at.duration(to: now) <= .seconds(86_400) }

  /// Whether it says something that the other does not.
  func isNews(after other: SavedRow?) -> Bool {
    guard var other else { return true }
    let age = other.at.duration(to: at)
    other.at = at
    return other != self || age >= Self.every || age < .zero
  }

  func write(_ check: UniqueID, to json: inout JSONWriter) {
    json.object { json in
      json.field("check", check.description)
      json.field("at", at)
      if failures > 0 { json.field("failures", failures) }
      if successes > 0 { json.field("successes", successes) }
      json.fieldIfPresent("failing_since", failingSince)
      json.fieldIfPresent("state", state?.rawValue)
      json.fieldIfPresent("state_since", stateSince)
      json.fieldIfPresent("unknown_since", unknownSince)
    }
  }

  /// `nil` where it is none.
  init?(_ json: JSONValue) {
    guard let at = json.time("at") else { return nil }
    self.at = at
    (failures, successes) = (json.small("failures") ?? 0, json.small("successes") ?? 0)
    failingSince = json.time("failing_since")
    unknownSince = json.time("unknown_since")
    if let state = json["state"]?.string.flatMap(CheckState.init), let since = json.time("state_since") {
      (self.state, stateSince) = (state, since)
    }
  }
}

extension CheckMemory {
  init(_ row: SavedRow) {
    (failures, successes, failingSince) = (row.failures, row.successes, row.failingSince)
    (unknownSince, last) = (row.unknownSince, row.at)
    if let state = row.state, let since = row.stateSince { known = (state, since) }
  }

  /// `nil` where a restart changes nothing.
  ///
  /// - Parameters:
  ///   - failures: more in a row change nothing.
  ///   - successes: likewise.
  ///   - states: those that a rule is about.
  func row(failures most: Int, successes enough: Int, states: Set<CheckState>) -> SavedRow? {
    guard let last else { return nil }
    var row = SavedRow(at: last)
    row.failures = min(failures, most, 1000)
    row.failingSince = row.failures > 0 ? failingSince : nil
    row.successes = min(successes, enough, 1000)
    if let known, states.contains(known.state) { (row.state, row.stateSince) = (known.state, known.since) }
    if states.contains(.unknown) { row.unknownSince = unknownSince }
    return row.isEmpty ? nil : row
  }
}
