// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Synchronization

/// A connected stream socket on its way to its next owner. It closes itself unless it is taken.
package final class ConnectedSocket: Sendable, Hashable {
  /// The other end.
  package let peer: SocketAddress
  /// How often its SYN was sent again.
  package let synRetransmits: UInt8
  /// Negative once taken.
  private let descriptor: Atomic<Int32>

  /// - Parameter descriptor: non-blocking and close-on-exec; only this object closes it from here on.
  package init(_ descriptor: Int32, to peer: SocketAddress, synRetransmits: UInt8 = 0) {
    self.descriptor = Atomic(descriptor)
    self.peer = peer
    self.synRetransmits = synRetransmits
  }

  deinit {
    let left = descriptor.load(ordering: .acquiring)
    if left >= 0 { close(left) }
  }

  /// The descriptor, once; the caller closes it. `nil` where it was taken before.
  package func take() -> Int32? {
    let taken = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
    return taken >= 0 ? taken : nil
  }

  package static func == (one: ConnectedSocket, other: ConnectedSocket) -> Bool { one === other }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
