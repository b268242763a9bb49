// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Work of one origin in one queue of the process.
package struct WaitView: Hashable, Sendable {
  /// Word of the queue, as in `quartz_queue_waiting`.
  package var queue: String
  /// Word of the origin.
  package var origin: String
  package var count: Int
  /// For how long something has been waiting without a break.
  package var held: Duration

  package init(queue: String, origin: String, count: Int, held: Duration) {
    (self.queue, self.origin, self.count, self.held) = (queue, origin, count, held)
  }
}
