// SPDX-License-Identifier: MIT

import Basics
import CPCRE2
import Monitoring

/// A regular expression, compiled: PCRE2 with Unicode, multiline (`^` and `$` at every line, which may end in LF,
/// CR LF or CR), unanchored. Bytes that are no UTF-8 match nothing and disturb nothing around them; a pattern for bytes
/// takes each byte as one character, and its own characters beyond ASCII as the bytes of their UTF-8.
///
/// A match has a budget, because a body is a stranger's: what a backtracking engine needs for `^(a+)+$` doubles with
/// every letter, and for `[\s\S]*x` it grows with the square. See `PatternBudget`.
package struct Pattern: Sendable {
  /// Why a text is no pattern.
  package struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
    /// The byte in the pattern the engine had got to.
    package let offset: Int
    /// In the engine's words.
    package let message: String

    package var description: String { "\(message) at byte \(offset)" }
  }

  package enum Outcome: Hashable, Sendable {
    /// The first place: offsets in bytes from the first one given. `groups[0]` is the whole match, `groups[n]` the
    /// n-th group, nil when it took no part; `names` has the numbers of the groups with names.
    case match(Range<Int>, groups: [Range<Int>?], names: [String: Int])
    case none
    /// The budget was spent before the question was answered. Whether the pattern matches is not known, so a condition
    /// fails either way.
    case limit

    package var isMatch: Bool {
      if case .match = self { return true }
      return false
    }
  }

  /// Words for `.limit`.
  package static let limitWords =
    "gave up: the pattern needs too many steps on this text (write it without nested or leading repeats)"

  /// Judges the patterns of definitions.
  package static let rule = PatternRule(
    problem: { Pattern.problem($0, bytes: false) }, byteProblem: { Pattern.problem($0, bytes: true) })

  private static func problem(_ text: String, bytes: Bool) -> String? {
    do throws(Invalid) {
      _ = try Pattern(text, bytes: bytes)
      return nil
    } catch { return error.description }
  }

  private let program: PatternProgram
  private let text: String

  package init(_ text: String, bytes: Bool = false) throws(Invalid) {
    program = try PatternProgram(text, bytes: bytes)
    self.text = text
  }

  /// The same pattern for bytes. `nil` where it names characters that no byte stands for, such as `\x{263a}`.
  var forBytes: Pattern? {
    do throws(Invalid) { return try Pattern(text, bytes: true) } catch { return nil }
  }

  package func firstMatch(in bytes: some Collection<UInt8>) -> Outcome {
    firstMatch(in: bytes, time: PatternBudget.time)
  }

  func firstMatch(in bytes: some Collection<UInt8>, within budget: CPUBudget) -> Outcome {
    firstMatch(in: bytes, time: budget.left)
  }

  /// - Parameter time: nanoseconds of processor time at most, and never more than a pattern's own budget.
  func firstMatch(in bytes: some Collection<UInt8>, time: Int64) -> Outcome {
    // An empty buffer has no address, and PCRE2 wants one.
    guard !bytes.isEmpty else {
      return [0].withUnsafeBufferPointer {
        program.match(in: UnsafeBufferPointer(rebasing: $0.prefix(0)), time: time)
      }
    }
    if let outcome = bytes.withContiguousStorageIfAvailable({ program.match(in: $0, time: time) }) {
      return outcome
    }
    return Array(bytes).withUnsafeBufferPointer { program.match(in: $0, time: time) }
  }

  /// As `firstMatch`, on the beginning of something that may go on. `nil` where it depends on the rest.
  func settledMatch(in bytes: [UInt8], time: Int64) -> Outcome? {
    bytes.isEmpty ? nil : bytes.withUnsafeBufferPointer { program.settledMatch(in: $0, time: time) }
  }

  package func firstMatch(in text: String) -> Outcome { firstMatch(in: text, time: PatternBudget.time) }

  func firstMatch(in text: String, time: Int64) -> Outcome {
    var text = text
    return text.withUTF8 { firstMatch(in: $0, time: time) }
  }
}
