// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One step of a conversation: something to say, then an answer to read; either may be missing.
struct SpokenStep: Sendable {
  /// Words of a step.
  enum Words: Sendable {
    /// Of a preset: everybody may see it.
    case bytes([UInt8])
    /// Of a check's own dialog: secret.
    case text(DialogText)
    case hex([UInt8])
    /// Of a check that was not judged.
    case impossible

    var isSecret: Bool { if case .bytes = self { false } else { true } }

    static func line(_ text: String) -> Words { .bytes(Array((text + "\r\n").utf8)) }
  }

  /// Name of the step that is shown, such as `EHLO`; never the bytes that are sent.
  var what: String
  var say: Words?
  var read: Answer?

  init(_ what: String, say: Words? = nil, read: Answer? = nil) {
    self.what = what
    self.say = say
    self.read = read
  }
}

/// How an answer is recognised in what came since the last one.
enum Answer: Sendable {
  case literal(DialogText)
  case bytes([UInt8])
  case pattern(Pattern)
  /// Of a protocol we know. Called with all that came, again whenever more has; must be quick and pure.
  case read(@Sendable (ArraySlice<UInt8>) -> Reading)
}

/// A protocol reader's result for the bytes so far.
enum Reading: Sendable {
  /// The answer is not complete.
  case more
  /// Complete after that many bytes; `then` comes before the steps that were planned.
  case accepted(Int, then: [SpokenStep] = [])
  /// The service answered in its language, and it was a no. The words are ours, with numbers of the other side's at
  /// most: they are delivered.
  case refused(String)
  /// This is not the protocol's language.
  case foreign(String)
}

/// Captures of earlier patterns.
struct Captures: Sendable {
  /// Kept of one group.
  static let groupBytes = 1024

  private var names: [String: [UInt8]] = [:]
  private var numbers: [[UInt8]?] = []

  subscript(name: String) -> [UInt8]? {
    guard let number = Int(name) else { return names[name] }
    return number > 0 && number < numbers.count ? numbers[number] : nil
  }

  /// - Parameter groups: offsets into `bytes`, the whole match first.
  mutating func take(_ groups: [Range<Int>?], names found: [String: Int], from bytes: [UInt8]) {
    numbers = groups.map { $0.map { Array(bytes[$0].prefix(Self.groupBytes)) } }
    for (name, number) in found where number < numbers.count { names[name] = numbers[number] }
  }

  /// `nil` where a capture is missing.
  func resolve(_ text: DialogText) -> [UInt8]? {
    var bytes: [UInt8] = []
    for part in text.parts {
      switch part {
      case .bytes(let more): bytes += more
      case .capture(let name):
        guard let value = self[name] else { return nil }
        bytes += value
      }
    }
    return bytes
  }
}

/// Why a conversation ended before its end.
struct DialogFailure: Sendable {
  enum Kind: Sendable {
    /// The service said no, in its language.
    case refused
    /// The answer is not the expected one.
    case unexpected
    /// Something in this check cannot be done, such as a capture that is missing.
    case impossible
  }

  var kind: Kind
  /// In our words, without anything that was sent or came.
  var message: String
}
