// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Source of a discovered target: a check that cannot be made of it is left out, and takes no other with it.
struct FoundTarget: Hashable, Sendable {
  var address: String
  /// The file, or the place that was asked.
  var source: String
  /// Of the item of `discover`.
  var position: Position

  /// A check of the list that is read.
  enum Role: Hashable, Sendable {
    case written
    case found(FoundTarget)
    /// Made of a target that is right, so that what is wrong with the templates is told before one comes. It is no check
    /// of anybody's.
    case example
  }
}

extension Walk {
  /// Whether a check may stay. A problem of a target since then becomes a warning that names it, and is no problem of
  /// the configuration.
  mutating func mayStay(_ role: FoundTarget.Role, since before: KeyReader) -> Bool {
    guard case .found(let target) = role, reader.count > before.count else { return true }
    let kept = before.problems.count
    let why = reader.problems.indices.contains(kept) ? reader.problems[kept].message : "it makes no check"
    reader = before
    leaveOut(target, why)
    return false
  }

  mutating func leaveOut(_ target: FoundTarget, _ why: String) {
    targetsLeftOut += 1
    warn(
      target.position, "\(target.source): the target \(quoted(target.address)) is left out: \(why)",
      hint: "the others are probed all the same")
  }
}
