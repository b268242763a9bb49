// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Event that a flow passes to its conversation.
///
/// A flow knows nothing of its conversation's type: as a generic class it would be called by `any ReactorFlow`, and so
/// run in its slow, unspecialised form.
enum FlowEvent {
  case opened
  case received(ArraySlice<UInt8>, from: IPAddress?)
  case woke
  case left(Int)
  case refused(ICMPError, about: ArraySlice<UInt8>)
}

extension Conversation {
  mutating func hear(_ event: FlowEvent, at now: Instant) -> ConversationStep {
    switch event {
    case .opened: return opened(at: now)
    case .received(let bytes, let sender): return received(bytes, from: sender, at: now)
    case .woke: return woke(at: now)
    case .left(let number):
      left(number, at: now)
      return .wait
    case .refused(let error, let quoted): return refused(error, about: quoted)
    }
  }
}
