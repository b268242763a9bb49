// SPDX-License-Identifier: MIT

import Glibc
import Testing

/// What `scripts/test --self-test` needs of the suites.
@Suite struct TimeLimitTests {
  /// Ends at once, unless it is told to show that a run ends although it does not.
  @Test func aLoopThatNeverSuspends() {
    let isTold = getenv("QUARTZ_TEST_LOOP") != nil
    var turns: UInt64 = 0
    while isTold { turns &+= 1 }
    #expect(turns == 0)
  }
}
