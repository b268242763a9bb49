// SPDX-License-Identifier: MIT

/// Wakes the one task that listens. Rings that come while it works are one: to look once is enough, however many there
/// were.
package struct Bell: Sendable {
  /// For one listener; a cancelled one ends it.
  package let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  package init() {
    (rings, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  package func ring() { continuation.yield() }

  /// The listener has heard all.
  package func end() { continuation.finish() }
}
