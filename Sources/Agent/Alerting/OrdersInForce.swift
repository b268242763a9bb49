// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Synchronization

/// The orders by hand that hold now, for everything that asks about them. `OperatorDesk` keeps and changes them.
final class OrdersInForce: Sendable {
  private let time: TimeSource
  private let book = Mutex(HandBook())

  init(time: TimeSource) { self.time = time }

  /// As of the last change, by the wall clock as it shows now.
  var current: HandBook { book.withLock { $0 }.following(time.reading()) }

  func replace(_ other: HandBook) { book.withLock { $0 = other } }
}
