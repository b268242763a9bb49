// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Checks

/// Processor time of one judgement.
@Suite struct CPUBudgetTests {
  /// A second, and a fifth for each whole MiB.
  @Test(
    arguments: [
      (0, 1000), (1, 1000), (1_048_575, 1000), (1_048_576, 1200), (2_097_152, 1400), (5_242_887, 2000),
      (16_777_216, 4200),
    ] as [(Int, Int64)])
  func growsWithTheBytes(bytes: Int, milliseconds: Int64) {
    let left = CPUBudget(bytes: bytes).left
    #expect((milliseconds - 100) * 1_000_000 < left && left <= milliseconds * 1_000_000)
  }
}
