// SPDX-License-Identifier: MIT

import Basics

/// Time from one notification of a failure that lasts to the next, as checks of the source have it.
struct Reminders {
  /// A minute to a week, in milliseconds.
  private static let range = 60_000...604_800_000

  private var intervals: Set<Int> = []
  /// The shortest of each check, by its key.
  private(set) var ofChecks: [Int: Int] = [:]

  /// - Parameter key: the setting of the source; one that is beyond what agent.yaml takes is noted.
  mutating func add(_ milliseconds: Int, of check: inout ImportedCheck, _ key: String) {
    let made = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    if made != milliseconds {
      check.note(
        .changed, key,
        "\(ForeignDuration.text(milliseconds)) is made \(ForeignDuration.text(made)), "
          + "the \(made < milliseconds ? "most" : "least") there is")
    }
    intervals.insert(made)
    ofChecks[check.key] = min(made, ofChecks[check.key] ?? made)
  }

  /// Note of channels that remind, where the source has several intervals; `nil` where it has one.
  var difference: String? {
    guard intervals.count > 1, let least = intervals.min() else { return nil }
    return "all channels remind as often: \(ForeignDuration.text(least))"
  }
}
