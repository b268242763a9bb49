// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Synchronization

extension AlertDesk {
  /// The receiver makes alerts of its own, and was not heard yet.
  func expectApps() {
    let now = time.reading()
    state.withLock { $0.book.hear(AppsView(.unheard(since: now.boot)), now: now) }
  }

  /// Takes over what the receiver said of the alerts of the apps.
  func hear(_ apps: AppsView) {
    let now = time.reading()
    state.withLock { $0.book.hear(apps, now: now) }
    tellShare(around.share)
  }

  /// Acknowledgements made at an agent that the apps do not show yet.
  func acks(isOwner: (UniqueID) -> Bool) -> [AppAck] { state.withLock { $0.book.acks(isOwner: isOwner) } }

  /// Acknowledgements of the apps that were taken since the last call.
  func drainTaken() -> [TakenAcknowledgement] { state.withLock { $0.book.drainTaken() } }
}
