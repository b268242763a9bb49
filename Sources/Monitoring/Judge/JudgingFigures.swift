// SPDX-License-Identifier: MIT

import Basics

/// Figures of judging since the start.
package struct JudgingFigures: Hashable, Sendable {
  /// On the bench's own threads.
  package var judged = 0
  /// Went over their budget of processor time.
  package var overBudget = 0
  /// Processor time of the dearest.
  package var longest: Duration = .zero
  /// Under way or queued.
  package var waiting = 0

  package init() {}
}
