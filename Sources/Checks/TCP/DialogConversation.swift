// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Speaks the steps of a dialog in order: the one machine behind a check's own dialog, presets and STARTTLS.
///
/// Answers are found however the stream cuts them. Of what came since the last answer at most 16 KiB are kept and
/// looked at; an answer that is not found in them fails its step. After the last step the farewell is sent and the
/// other side gets a moment to take it, which no latency counts.
struct DialogConversation: Conversation {

  static let windowBytes = 16 * 1024
  /// More than any protocol needs: a server must not lead us round in circles.
  static let stepLimit = 64
  /// Nanoseconds of processor time for all patterns of a conversation: they are looked for on the thread that every
  /// connection lives on.
  static let patternTime: Int64 = 25_000_000
  /// How long the farewell may take.
  static let parting = Duration.milliseconds(250)

  /// Everything that is known of it so far.
  private(set) var steps: [DialogStepFacts] = []
  private(set) var failure: DialogFailure?
  /// The last step was done.
  private(set) var finishedAt: Instant?
  private(set) var openedAt: Instant?
  private(set) var firstHeardAt: Instant?
  /// Came since the last answer.
  private(set) var window: [UInt8] = []

  private var pending: [SpokenStep]
  private let farewell: [UInt8]?
  private var captures = Captures()
  /// The rest of `patternTime`.
  private var timeLeft = Self.patternTime
  private var scan = AnswerScan()
  private var stepStartedAt = Instant.now
  private var hasSpoken = false
  /// When the last bytes came: an answer that is settled later was complete then.
  private var heardAt = Instant.now
  /// Bytes that a check's own steps sent, to be hidden wherever they come back.
  private var sent: [[UInt8]] = []

  init(_ dialog: SpokenDialog) {
    pending = dialog.steps
    farewell = dialog.farewell
  }

  /// The step that is going on, or that failed; nil after the last.
  var current: SpokenStep? { pending.first }

  mutating func opened(at now: Instant) -> ConversationStep {
    openedAt = now
    (stepStartedAt, heardAt) = (now, now)
    return advance(at: now)
  }

  mutating func received(
    _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
  ) -> ConversationStep {
    // The other side's farewell.
    if finishedAt != nil { return .done }
    if firstHeardAt == nil { firstHeardAt = now }
    heardAt = now
    scan.isCalm = false
    var step = ConversationStep.wait
    var rest = bytes
    while !rest.isEmpty, failure == nil, finishedAt == nil {
      let taken = rest.prefix(Self.windowBytes + 1 - window.count)
      // A full window is either read or given up.
      if taken.isEmpty { break }
      window += taken
      rest = rest.dropFirst(taken.count)
      let wish = advance(at: now)
      if let bytes = wish.send { step.send = (step.send ?? []) + bytes }
      if let wake = wish.wake { step.wake = wake }
      step.isDone = wish.isDone
    }
    return step
  }

  mutating func woke(at now: Instant) -> ConversationStep {
    if finishedAt != nil { return .done }
    scan.isCalm = heardAt.duration(to: now) >= AnswerScan.calm
    return advance(at: now)
  }

  /// The other side ended the stream: what came is all there is to look at.
  mutating func ended(at now: Instant) {
    guard finishedAt == nil, failure == nil, !window.isEmpty else { return }
    scan.isCalm = true
    _ = advance(at: now)
  }

  private mutating func advance(at now: Instant) -> ConversationStep {
    var step = ConversationStep.wait
    while failure == nil, let next = pending.first {
      if !hasSpoken, let say = next.say {
        guard let bytes = resolve(say) else {
          fail(.impossible, "it names something that was not captured")
          break
        }
        if say.isSecret { sent.append(bytes) }
        step.send = (step.send ?? []) + bytes
      }
      hasSpoken = true
      guard let answer = next.read else {
        finishStep(at: now)
        continue
      }
      if !read(answer, &step, at: now) { break }
    }
    if failure != nil { step.isDone = true }
    if pending.isEmpty, finishedAt == nil { part(&step, at: steps.isEmpty ? now : heardAt, now) }
    return step
  }

  /// False while the answer is not complete.
  private mutating func read(_ answer: Answer, _ step: inout ConversationStep, at now: Instant) -> Bool {
    switch scan.look(for: answer, in: window, captures, at: now, time: &timeLeft) {
    case .found(let count, let groups, let names, let then):
      captures.take(groups, names: names, from: window)
      finishStep(at: heardAt)
      window.removeFirst(count)
      pending.insert(contentsOf: then, at: 0)
      guard then.isEmpty || steps.count < Self.stepLimit else {
        fail(.unexpected, "the server wants more than \(Self.stepLimit) steps")
        return false
      }
      return true
    case .later(let wake):
      if let wake { step.wake = wake }
    case .failed(let failure):
      fail(failure.kind, failure.message)
    case .missing:
      if window.count > Self.windowBytes {
        fail(.unexpected, "not found in the first \(Self.windowBytes / 1024) KiB")
      }
    }
    return false
  }

  private mutating func finishStep(at instant: Instant) {
    let end = max(instant, stepStartedAt)
    steps.append(
      DialogStepFacts(what: pending.removeFirst().what, elapsed: stepStartedAt.duration(to: end), ok: true))
    stepStartedAt = end
    hasSpoken = false
    scan = AnswerScan()
  }

  private mutating func fail(_ kind: DialogFailure.Kind, _ message: String) {
    failure = DialogFailure(kind: kind, message: message)
  }

  private mutating func part(_ step: inout ConversationStep, at end: Instant, _ now: Instant) {
    finishedAt = end
    guard let farewell else {
      step.isDone = true
      return
    }
    step.send = (step.send ?? []) + farewell
    step.wake = now + Self.parting
  }

  private func resolve(_ say: SpokenStep.Words) -> [UInt8]? {
    switch say {
    case .bytes(let bytes), .hex(let bytes): bytes
    case .text(let text): captures.resolve(text)
    case .impossible: nil
    }
  }
}

extension DialogConversation {
  /// All steps, with the one that did not come to its end.
  func allSteps(until end: Instant) -> [DialogStepFacts] {
    guard finishedAt == nil, openedAt != nil, let next = pending.first else { return steps }
    return steps + [
      DialogStepFacts(
        what: next.what, elapsed: max(.zero, stepStartedAt.duration(to: end)), ok: false,
        seen: window.isEmpty ? nil : seen)
    ]
  }

  /// An answer was due and nothing at all came.
  var waitsInVain: Bool { current != nil && firstHeardAt == nil }

  /// The number of the current step, from 1.
  var stepNumber: Int { steps.count + 1 }

  /// The beginning of what came since the last answer, without anything that was sent before; at most 1 KiB.
  var seen: String {
    // What is left of the last answer's line says nothing.
    let text = Array(window.drop { $0 == 13 || $0 == 10 }.prefix(4 * 1024))
    let shown = SecretWords(forms: sent.flatMap(echoes)).hide(text) ?? text
    return String(decoding: shown.prefix(1024), as: UTF8.self).printable(maxBytes: 1024)
  }
}

/// The sent bytes, whole, word by word and in what signs leave of a word, in every form they may come back in: an echo must not give a password away.
/// Words below four bytes are left, they would only make the excerpt unreadable.
private func echoes(of sent: [UInt8]) -> [[UInt8]] {
  let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
  let line = sent.drop(while: isSpace).prefix { $0 != 13 && $0 != 10 }
  let isSign: (UInt8) -> Bool = { isSpace($0) || "\"'(),:;<=>[]{}".utf8.contains($0) }
  let parts = [sent[...], line] + sent.split(whereSeparator: isSpace) + sent.split(whereSeparator: isSign)
  return parts.filter { $0.count >= 4 }.flatMap { part in
    [Array(part)] + (String(validating: part, as: UTF8.self).map(secretEchoes) ?? [])
  }
}
