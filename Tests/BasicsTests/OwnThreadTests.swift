// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Testing

@Suite struct OwnThreadTests {
  @Test func workIsDoneOnAThreadOfItsOwn() async {
    let here = pthread_self()
    #expect(await onThread { pthread_equal(pthread_self(), here) == 0 })
  }

  /// Where everything is to happen in one order: done when the call returns, on the thread that asked.
  @Test func inASimulationItIsDoneInPlace() {
    let here = pthread_self()
    OwnThread.$worksInPlace.withValue(true) {
      nonisolated(unsafe) var there: pthread_t?
      #expect(startThread { there = pthread_self() })
      #expect(there.map { pthread_equal($0, here) != 0 } == true)
    }
  }
}
