// SPDX-License-Identifier: MIT

import Basics

/// What the work takes of a processor on this thread: a busy machine does not count.
package func processorTime(_ work: () -> Void) -> Duration {
  let start = SystemClock.threadWork.nanoseconds
  work()
  return .nanoseconds(SystemClock.threadWork.nanoseconds - start)
}
