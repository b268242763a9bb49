// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite(.timeLimit(.minutes(1))) struct LatchTests {
  @Test func allThatWaitGoOn() async {
    let latch = Latch()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { await latch.wait() } }
      group.addTask { latch.open() }
    }
    // Late, and again.
    await latch.wait()
    latch.open()
    await latch.wait()
  }

  @Test func ringsAreOne() async {
    let bell = Bell()
    for _ in 0..<5 { bell.ring() }
    bell.end()
    var heard = 0
    for await _ in bell.rings { heard += 1 }
    #expect(heard == 1)
  }
}
