// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Speaks any dialogue over TLS: the handshake first, with its verdict, then the dialogue inside it.
///
/// The inner dialogue is opened when the handshake is complete and sees plain bytes; it is not told of a failed
/// handshake, which `session.summary` tells.
package struct TLSDialogue<Inner: Dialogue>: Dialogue {
  package private(set) var inner: Inner
  package let session: TLSSession
  /// Everything is said; only the server's word on our certificate is waited for.
  private var isSettling = false

  /// How long that word may take. It is not part of any latency.
  private let patience = Duration.seconds(1)

  package init(_ inner: Inner, over session: TLSSession) {
    self.inner = inner
    self.session = session
  }

  package mutating func opened(at now: ContinuousClock.Instant) -> DialogueStep {
    DialogueStep(send: session.start(at: now))
  }

  package mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: ContinuousClock.Instant
  ) -> DialogueStep {
    let received = session.receive(bytes, at: now)
    var step = DialogueStep(send: received.outgoing.isEmpty ? nil : received.outgoing)
    if isSettling {
      step.isDone = true
      return step
    }
    if received.isNewlyEstablished { merge(inner.opened(at: now), into: &step, at: now) }
    for plain in received.plain where !step.isDone && !isSettling {
      merge(inner.received(plain[...], from: nil, at: now), into: &step, at: now)
    }
    if received.isOver { step.isDone = true }
    return step
  }

  package mutating func woke(at now: ContinuousClock.Instant) -> DialogueStep {
    if isSettling { return farewell }
    var step = DialogueStep.wait
    merge(inner.woke(at: now), into: &step, at: now)
    return step
  }

  /// For what a dialogue has to be told besides what comes by the wire.
  package mutating func tellInner(_ change: (inout Inner) -> Void) { change(&inner) }

  private mutating func merge(
    _ wish: DialogueStep, into step: inout DialogueStep, at now: ContinuousClock.Instant
  ) {
    if let plain = wish.send { step.send = (step.send ?? []) + session.encrypt(plain) }
    if let wake = wish.wake { step.wake = wake }
    guard wish.isDone else { return }
    if session.mayStillRefuse {
      isSettling = true
      step.wake = now + patience
    } else {
      step.send = (step.send ?? []) + session.close()
      step.isDone = true
    }
  }

  private var farewell: DialogueStep { DialogueStep(send: session.close(), isDone: true) }
}
