// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Files of the history being read, one at a time: together they may be as large as the history itself.
package struct HistoryReading: Sendable {
  private var state = HistoryState()
  private var files = 0
  private var damaged = 0
  private var applied: UInt64 = .max

  package init() {}

  /// The next file, by ascending number.
  package mutating func add(_ file: StoredShard) {
    files += 1
    do throws(CodingDamage) {
      applied = min(applied, try state.read(file))
    } catch {
      damaged += 1
    }
  }

  var whole: HistoryState {
    var whole = state
    // What a lost file knew is above nothing that can be trusted.
    whole.applied = AppliedSequences(through: damaged == 0 && applied != .max ? applied : 0)
    return whole
  }

  var damage: Notice? {
    damaged == 0
      ? nil
      : .warning(
        .history,
        "\(damaged) of \(counted(files, "history file")) \(plural("is", damaged, "are")) damaged or of another version: "
          + "\(plural("its", damaged, "their")) windows are rebuilt from the store of results as far as it reaches"
      )
  }
}
