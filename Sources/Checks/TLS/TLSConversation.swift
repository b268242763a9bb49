// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Speaks any conversation over TLS: the handshake first, with its verdict, then the conversation inside it.
///
/// The inner conversation is opened when the handshake is complete and sees plain bytes; it is not told of a failed
/// handshake, which `session.summary` tells.
package struct TLSConversation<Inner: Conversation>: Conversation {
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

  package mutating func opened(at now: Instant) -> ConversationStep {
    ConversationStep(send: session.start(at: now))
  }

  package mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep {
    let received = session.receive(bytes, at: now)
    var step = ConversationStep(send: received.outgoing.isEmpty ? nil : received.outgoing)
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

  package mutating func woke(at now: Instant) -> ConversationStep {
    if isSettling { return farewell }
    var step = ConversationStep.wait
    merge(inner.woke(at: now), into: &step, at: now)
    return step
  }

  /// For what a conversation has to be told besides what comes by the wire.
  mutating func tellInner(_ change: (inout Inner) -> Void) { change(&inner) }

  private mutating func merge(
    _ wish: ConversationStep, into step: inout ConversationStep, at now: Instant
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

  private var farewell: ConversationStep { ConversationStep(send: session.close(), isDone: true) }
}
