// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Monitoring

/// Feeds a conversation as a socket would, and holds it to what must be true of every stream.
struct TalkRun {
  private(set) var talk: Conversation
  private(set) var sent: [UInt8] = []
  private(set) var isDone = false
  private var now: ContinuousClock.Instant
  private var wake: ContinuousClock.Instant?

  /// - Parameter size: bytes a piece.
  init(_ talk: Conversation, _ stream: ArraySlice<UInt8>, pieces size: Int) {
    self.talk = talk
    now = .now
    follow(self.talk.opened(at: now))
    var rest = stream
    while !rest.isEmpty, !isDone {
      let piece = rest.prefix(max(1, size))
      rest = rest.dropFirst(piece.count)
      // Faster than any pattern is believed for being last.
      now += .microseconds(1)
      follow(self.talk.received(piece, from: nil, at: now))
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
      follow(talk.woke(at: now))
    }
    talk.ended(at: now)
  }

  private mutating func follow(_ step: DialogueStep) {
    sent += step.send ?? []
    if let next = step.wake { wake = next }
    isDone = isDone || step.isDone
  }

  private func check(_ stream: ArraySlice<UInt8>) {
    precondition(talk.window.count <= Conversation.windowBytes + 1)
    let seen = talk.seen
    precondition(seen.utf8.count <= 1024)
    precondition(seen.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
    let steps = talk.allSteps(until: now)
    precondition(steps.dropLast().allSatisfy(\.ok))
    precondition((talk.finishedAt != nil) == (steps.allSatisfy(\.ok) && talk.failure == nil))
    precondition(steps.allSatisfy { $0.elapsed >= .zero && ($0.seen?.utf8.count ?? 0) <= 256 })
  }

  /// What must not depend on how the stream was cut.
  func isSame(as other: TalkRun) -> Bool {
    sent == other.sent && talk.steps.map(\.what) == other.talk.steps.map(\.what)
      && talk.failure?.message == other.talk.failure?.message
      && (talk.finishedAt == nil) == (other.talk.finishedAt == nil)
  }
}

/// The same stream whole and in pieces, and a short one in single bytes: in a long one they take most of the time.
func fuzzTalk(_ make: () -> Conversation, _ stream: ArraySlice<UInt8>, pieces size: UInt8) {
  let whole = TalkRun(make(), stream, pieces: .max)
  precondition(TalkRun(make(), stream, pieces: Int(size)).isSame(as: whole), "pieces make a difference")
  guard stream.count <= 64, size != 1 else { return }
  precondition(TalkRun(make(), stream, pieces: 1).isSame(as: whole), "single bytes make a difference")
}
