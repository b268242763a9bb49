// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Network
@testable import Network
@testable import Monitoring

/// Feeds a conversation as a socket would, and holds it to what must be true of every stream.
struct ConversationRun {
  private(set) var conversation: DialogConversation
  private(set) var sent: [UInt8] = []
  private(set) var isDone = false
  private var now: Instant
  private var wake: Instant?

  /// - Parameter size: bytes a piece.
  init(_ conversation: DialogConversation, _ stream: ArraySlice<UInt8>, pieces size: Int) {
    self.conversation = conversation
    now = .now
    follow(self.conversation.opened(at: now))
    var rest = stream
    while !rest.isEmpty, !isDone {
      let piece = rest.prefix(max(1, size))
      rest = rest.dropFirst(piece.count)
      // Faster than any pattern is believed for being last.
      now += .microseconds(1)
      follow(self.conversation.received(piece, from: nil, at: now))
    }
    settle()
    check(stream)
  }

  private mutating func settle() {
    var wakes = 0
    while !isDone, let next = wake {
      wake = nil
      wakes += 1
      precondition(wakes < 200, "it asks to be woken for ever")
      now = max(now, next)
      follow(conversation.woke(at: now))
    }
    conversation.ended(at: now)
  }

  private mutating func follow(_ step: ConversationStep) {
    sent += step.send ?? []
    if let next = step.wake { wake = next }
    isDone = isDone || step.isDone
  }

  private func check(_ stream: ArraySlice<UInt8>) {
    precondition(conversation.window.count <= DialogConversation.windowBytes + 1)
    let seen = conversation.seen
    precondition(seen.utf8.count <= 1024)
    precondition(seen.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
    let steps = conversation.allSteps(until: now)
    precondition(steps.dropLast().allSatisfy(\.ok))
    precondition((conversation.finishedAt != nil) == (steps.allSatisfy(\.ok) && conversation.failure == nil))
    precondition(steps.allSatisfy { $0.elapsed >= .zero && ($0.seen?.utf8.count ?? 0) <= 256 })
  }

  /// What must not depend on how the stream was cut.
  func isSame(as other: ConversationRun) -> Bool {
    sent == other.sent && conversation.steps.map(\.what) == other.conversation.steps.map(\.what)
      && conversation.failure?.message == other.conversation.failure?.message
      && (conversation.finishedAt == nil) == (other.conversation.finishedAt == nil)
  }
}

/// The same stream whole and in pieces, and a short one in single bytes: in a long one they take most of the time.
func fuzzConversation(_ make: () -> DialogConversation, _ stream: ArraySlice<UInt8>, pieces size: UInt8) {
  let whole = ConversationRun(make(), stream, pieces: .max)
  precondition(
    ConversationRun(make(), stream, pieces: Int(size)).isSame(as: whole), "pieces make a difference")
  guard stream.count <= 64, size != 1 else { return }
  precondition(ConversationRun(make(), stream, pieces: 1).isSame(as: whole), "single bytes make a difference")
}
