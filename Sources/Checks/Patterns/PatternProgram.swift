// SPDX-License-Identifier: MIT

import Basics
import CPCRE2
import Glibc

/// Owns what `pcre2_compile` gave.
///
/// @unchecked: the pointer never changes, and no lock is needed, because a match only reads what it points to
/// (pcre2api, "Multithreading"); what a match writes is its own.
final class PatternProgram: @unchecked Sendable {
  private let code: OpaquePointer
  private let names: [String: Int]

  /// - Parameter bytes: for text that is no UTF-8: each byte is one character.
  init(_ text: String, bytes: Bool) throws(Pattern.Invalid) {
    code = try compile(text, bytes: bytes)
    names = groupNames(code)
  }

  deinit { pcre2_code_free_8(code) }

  /// `bytes` has an address, also when it is empty.
  ///
  /// - Parameter time: nanoseconds of processor time at most.
  func match(in bytes: UnsafeBufferPointer<UInt8>, time: Int64) -> Pattern.Outcome {
    run(bytes, options: 0, time: time) ?? .limit
  }

  /// `nil` also when there is no match so far.
  func settledMatch(in bytes: UnsafeBufferPointer<UInt8>, time: Int64) -> Pattern.Outcome? {
    let outcome = run(bytes, options: PCRE2_PARTIAL_HARD, time: time)
    return outcome == Pattern.Outcome.none ? nil : outcome
  }

  /// `nil` where the text ended before the question was answered, which only `PCRE2_PARTIAL_HARD` minds.
  private func run(
    _ bytes: UnsafeBufferPointer<UInt8>, options: UInt32, time: Int64
  ) -> Pattern.Outcome? {
    guard time > 0 else { return .limit }
    guard let start = bytes.baseAddress, let data = pcre2_match_data_create_from_pattern_8(code, nil)
    else { return .limit }
    defer { pcre2_match_data_free_8(data) }
    guard let context = pcre2_match_context_create_8(nil) else { return .limit }
    defer { pcre2_match_context_free_8(context) }
    var budget = PatternBudget(bytes: bytes.count, time: time)
    let status = withUnsafeMutablePointer(to: &budget) { budget in
      pcre2_set_match_limit_8(context, UInt32(clamping: budget.pointee.steps))
      pcre2_set_heap_limit_8(context, PatternBudget.heap)
      pcre2_set_callout_8(context, spendStep, budget)
      return pcre2_match_8(code, start, bytes.count, 0, options, data, context)
    }
    switch status {
    case PCRE2_ERROR_NOMATCH: return Pattern.Outcome.none
    case PCRE2_ERROR_PARTIAL: return nil
    case 1...: break
    default: return .limit
    }
    guard let groups = groups(data, count: Int(status)), let whole = groups[0] else { return .limit }
    return .match(whole, groups: groups, names: names)
  }

  /// `nil` when the engine gave no place. Groups beyond the last that took part are unset too.
  private func groups(_ data: OpaquePointer, count: Int) -> [Range<Int>?]? {
    guard let pairs = pcre2_get_ovector_pointer_8(data) else { return nil }
    return (0..<Int(pcre2_get_ovector_count_8(data))).map { group in
      let (lower, upper) = (pairs[2 * group], pairs[2 * group + 1])
      // \K can put a start behind its end.
      return group < count && lower <= upper && lower >= 0 ? lower..<upper : nil
    }
  }
}

/// Limit on the cost of one match. Counted in steps of the engine and the distance it moved, not in time, so that the
/// same pattern on the same bytes always ends the same way; the thread's processor time is a second line behind it, for
/// the scans that end without a step.
///
/// The engine's own match limit is not enough: it starts again at every byte of the text. Instead the pattern is
/// compiled with a callout before each of its items, about 20 ns each.
struct PatternBudget {
  /// KiB of backtracking memory.
  static let heap: UInt32 = 1024
  /// Nanoseconds of processor time; on a loaded machine, too, that of this thread alone.
  static let time: Int64 = 500_000_000

  /// Left.
  private(set) var steps: Int
  private var position = 0
  private var calls = 0
  private let start: Int64
  private let time: Int64

  init(bytes: Int, time: Int64) {
    steps = 500_000 + 4 * min(bytes, 4 << 20)
    start = SystemClock.threadWork.nanoseconds
    self.time = min(time, Self.time)
  }

  /// False when there is nothing left.
  mutating func spend(at position: Int) -> Bool {
    steps -= 1 + abs(position - self.position) >> 4
    self.position = position
    calls += 1
    if calls & 1023 == 0, SystemClock.threadWork.nanoseconds - start > time { steps = 0 }
    return steps > 0
  }
}

/// Called by the engine before each item of a pattern; anything but zero ends the match with that number.
private func spendStep(block: UnsafeMutablePointer<pcre2_callout_block_8>?, data: UnsafeMutableRawPointer?)
  -> Int32
{
  guard let block, let budget = data?.assumingMemoryBound(to: PatternBudget.self) else {
    return PCRE2_ERROR_CALLOUT
  }
  return budget.pointee.spend(at: block.pointee.current_position) ? 0 : PCRE2_ERROR_CALLOUT
}

private func compile(_ text: String, bytes: Bool) throws(Pattern.Invalid) -> OpaquePointer {
  guard let context = pcre2_compile_context_create_8(nil) else {
    throw Pattern.Invalid(offset: 0, message: "no memory to compile the pattern")
  }
  defer { pcre2_compile_context_free_8(context) }
  pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_ANYCRLF))
  let units = bytes ? PCRE2_NEVER_UTF : PCRE2_UTF | PCRE2_MATCH_INVALID_UTF
  let options = units | PCRE2_MULTILINE | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C
  var (code, offset): (Int32, Int) = (0, 0)
  var text = text
  // One byte more than needed, so that an empty pattern has an address.
  text.append("\0")
  let program = text.withUTF8 { bytes in
    pcre2_compile_8(bytes.baseAddress, bytes.count - 1, options, &code, &offset, context)
  }
  guard let program else { throw Pattern.Invalid(offset: offset, message: message(code)) }
  return program
}

private func message(_ code: Int32) -> String {
  var buffer = [UInt8](repeating: 0, count: 256)
  guard pcre2_get_error_message_8(code, &buffer, buffer.count) >= 0 else { return "error \(code)" }
  return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
}

/// The table of names in a compiled pattern: entries of one size, two bytes of number and the name, ended by zero.
private func groupNames(_ code: OpaquePointer) -> [String: Int] {
  var (count, size): (UInt32, UInt32) = (0, 0)
  var table: UnsafePointer<UInt8>?
  guard pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMECOUNT), &count) == 0,
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMEENTRYSIZE), &size) == 0,
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMETABLE), &table) == 0, let table
  else { return [:] }
  var names: [String: Int] = [:]
  for index in 0..<Int(count) {
    let entry = UnsafeBufferPointer(start: table + index * Int(size), count: Int(size))
    names[String(decoding: entry.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self)] =
      Int(entry[0]) << 8 | Int(entry[1])
  }
  return names
}
