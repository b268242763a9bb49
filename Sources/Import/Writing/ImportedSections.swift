// SPDX-License-Identifier: MIT

import Basics

/// Entries that an import makes beside checks.
package struct ImportedSections: Sendable {
  package var channels: [ImportedCheck] = []
  package var rules: [ImportedCheck] = []
  package var windows: [ImportedCheck] = []
  /// With their templates.
  package var discover: [ImportedDiscovery] = []
  /// `status.public`; its name is not written.
  package var page: ImportedCheck?
  /// `alerts.quiet_hours`; its name is not written.
  package var quiet: ImportedCheck?
  /// Milliseconds from one notification of a failure to the next, by the keys of the checks that have it.
  package var reminders: [Int: Int] = [:]

  package init() {}

  package var isEmpty: Bool {
    channels.isEmpty && rules.isEmpty && windows.isEmpty && discover.isEmpty && page == nil
  }

  /// `alerts.remind` in milliseconds.
  package var remind: Int? { reminders.values.min() }

  /// All entries.
  package var entries: [ImportedCheck] {
    channels + rules + windows + discover.map(\.entry) + [page, quiet].compactMap(\.self)
  }
}

/// Names of a list, each only once: printable, and with a number behind them where they are taken.
struct FreeNames {
  private var taken: Set<ByteText>
  private var next: [ByteText: Int] = [:]

  init(taken: Set<ByteText> = []) { self.taken = taken }

  mutating func take(_ words: String, maxBytes: Int = 100) -> String {
    let shown = ForeignURL.withoutCredentials(words)
    let trimmed = shown.printable(maxBytes: maxBytes).split(separator: " ").joined(separator: " ")
    let stem = trimmed.isEmpty ? "unnamed" : trimmed
    var name = stem
    while !taken.insert(ByteText(name)).inserted {
      let number = next[ByteText(stem), default: 1] + 1
      next[ByteText(stem)] = number
      name = "\(stem) (\(number))"
    }
    return name
  }
}

/// Rules of notifications: one for all checks that notify the same channel after as many failures.
struct RuleBook {
  private struct Wish: Hashable {
    var channel: ByteText
    /// nil: the check's own `failure_threshold`.
    var threshold: Int?
    var recoveries: Int
  }

  private var wishes: [(wish: Wish, checks: [Int])] = []
  private var places: [Wish: Int] = [:]

  mutating func add(_ check: Int, to channel: String, after threshold: Int?, recoveries: Int) {
    let wish = Wish(channel: ByteText(channel), threshold: threshold, recoveries: recoveries)
    if let place = places[wish] {
      wishes[place].checks.append(check)
    } else {
      places[wish] = wishes.count
      wishes.append((wish, [check]))
    }
  }

  /// In the order in which they were first wished for.
  func rules() -> [ImportedCheck] {
    wishes.map { wish, checks in
      let channel = wish.channel.text
      var words = [channel]
      if let threshold = wish.threshold { words.append("after \(threshold)") }
      if wish.recoveries > 1 { words.append("until \(wish.recoveries)") }
      var rule = ImportedCheck(name: words.joined(separator: " "), type: "consecutive_failures")
      rule["threshold"] = wish.threshold.map { .number($0) }
      if wish.recoveries > 1 { rule["recoveries"] = .number(wish.recoveries) }
      rule["channels"] = .list([.text(channel)])
      rule.selected = checks
      return rule
    }
  }
}
