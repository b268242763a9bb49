// SPDX-License-Identifier: MIT

import Basics

/// A rule that did not hold, and when.
struct Violation: Error, CustomStringConvertible {
  enum Rule: String, CaseIterable {
    case lost = "no recorded result is lost"
    case twice = "no result is there twice"
    case altered = "a result arrives as it was recorded"
    case slots = "every slot has a run or is counted as missed"
    case once = "a slot is run once, and a check never overlaps itself"
    case late = "a slot that is too late is not run"
    case time = "a run carries the slot of its time"
    case budget = "no more requests than the receiver allows"
    case given = "a verdict is what its target gave"
    case lockStep = "starts are spread over the interval"
    case windows = "the windows equal a recomputation from the results"
    case told = "one message an incident"
    case cause = "a failure is put down to its cause, and told where it is one"
    case orders = "an order by hand that was answered holds to its end"
    case muted = "what is muted or acknowledged is not told"
    case owed = "what fails and is not held is told"
    case list = "the list in force is one that the API gave, the newest in time"
    case resources = "the status of a resource is that of its checks"
    case discovered = "the targets kept are those that their source gave, the newest in time"
    case growth = "nothing grows without a bound"
    case covered = "every slot of the group has a run"
    case alone = "in peace a slot of the group has one run"
    case agreed = "in peace the members agree on the placement"
    case all = "no member runs all while others live"
    case blind = "a member without a view and without the store runs all"
    case row = "a slot of the group is one row"
    case lease = "a member that cannot prove its lease reports it"
    case load = "the store is not asked over and over"
    case ends = "a task ends with its process"
  }

  let rule: Rule
  let words: String
  /// By the wall clock of the machine.
  let at: Timestamp

  var description: String { "\(at): \(rule.rawValue): \(words)" }
}
