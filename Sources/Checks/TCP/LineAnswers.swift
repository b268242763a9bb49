// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Readers of answers that are lines of text.
enum LineAnswers {
  /// The next line without its end, and how many bytes it took; nil: not complete. LF alone ends a line too.
  static func line(_ bytes: ArraySlice<UInt8>) -> (text: ArraySlice<UInt8>, count: Int)? {
    guard let end = bytes.firstIndex(of: 10) else { return nil }
    let text = bytes[..<end]
    // bounded: a place within the bytes
    return (text.last == 13 ? text.dropLast() : text, end + 1 - bytes.startIndex)
  }

  /// The keyword that a line of extensions begins with, in capitals: parameters and blanks may follow it (RFC 5321
  /// 4.1.1.1, RFC 2449 5).
  static func keyword(_ line: String) -> String {
    line.split(maxSplits: 1, whereSeparator: \.isWhitespace).first.map { $0.uppercased() } ?? ""
  }

  /// An answer of SMTP or FTP: `250 text`, or `250-text` lines up to one with a space (RFC 5321 4.2.1, RFC 959 4.2).
  struct Coded {
    var code: Int
    /// Without the codes.
    var lines: [String]
    var count: Int
  }

  enum CodedReading {
    case more
    case answer(Coded)
    case foreign
  }

  /// - Parameter isFTP: between the first line and the last, ftp allows lines without a code.
  static func coded(_ bytes: ArraySlice<UInt8>, isFTP: Bool = false) -> CodedReading {
    var rest = bytes
    var code: Int?
    var lines: [String] = []
    // Not yet a whole line, and already no code: nobody has to wait for the rest of it.
    if bytes.prefix(3).contains(where: { !(0x30...0x39).contains($0) }) { return .foreign }
    while let (text, count) = line(rest) {
      rest = rest.dropFirst(count)
      // bounded: digits that are no number are nil
      let number = text.prefix(3).count == 3 ? Int(String(decoding: text.prefix(3), as: UTF8.self)) : nil
      let mark = text.dropFirst(3).first ?? 32
      let isCoded = number != nil && (100...599).contains(number ?? 0) && (mark == 32 || mark == 45)
      if let first = code, isFTP, !isCoded || number != first { continue }
      guard isCoded, let number, code == nil || code == number else { return .foreign }
      code = number
      lines.append(String(decoding: text.dropFirst(4), as: UTF8.self))
      // bounded: what is left of them
      if mark == 32 { return .answer(Coded(code: number, lines: lines, count: bytes.count - rest.count)) }
    }
    return .more
  }

  /// An answer with one of these codes.
  static func codes(
    _ wanted: ClosedRange<Int>, of name: String, isFTP: Bool = false
  ) -> @Sendable (ArraySlice<UInt8>) -> Reading {
    { bytes in
      switch coded(bytes, isFTP: isFTP) {
      case .more: .more
      case .foreign: .foreign("this is not \(name)")
      case .answer(let answer) where wanted.contains(answer.code): .accepted(answer.count)
      case .answer(let answer): .refused("\(name) answered \(answer.code)")
      }
    }
  }

  /// One line, judged.
  static func oneLine(
    _ judge: @escaping @Sendable (_ text: String, _ count: Int) -> Reading
  ) -> @Sendable (ArraySlice<UInt8>) -> Reading {
    { bytes in
      guard let (text, count) = line(bytes) else { return .more }
      return judge(String(decoding: text, as: UTF8.self), count)
    }
  }

  /// The answer to a tagged command of IMAP (RFC 9051 7.1): untagged lines before it, then `tag OK`.
  ///
  /// - Parameter judge: of the untagged lines, when it was OK; words: why that is not enough.
  static func tagged(
    _ tag: String, _ judge: @escaping @Sendable (_ untagged: [String]) -> String? = { _ in nil }
  ) -> @Sendable (ArraySlice<UInt8>) -> Reading {
    { bytes in
      var rest = bytes
      var untagged: [String] = []
      while let (text, count) = line(rest) {
        rest = rest.dropFirst(count)
        let words = String(decoding: text, as: UTF8.self)
        if words.hasPrefix("* ") || words.hasPrefix("+ ") {
          untagged.append(words.uppercased())
          continue
        }
        guard words.hasPrefix("\(tag) ") else { return .foreign("this is not imap") }
        // bounded: a tag of ours
        let status = words.dropFirst(tag.count + 1).prefix { $0 != " " }.uppercased()
        switch status {
        case "OK":
          if let problem = judge(untagged) { return .refused(problem) }
          return .accepted(bytes.count - rest.count)  // bounded: what is left of them
        case "NO", "BAD": return .refused("imap answered \(status)")
        default: return .foreign("this is not imap")
        }
      }
      return .more
    }
  }

  /// `+OK` and, with `isList`, lines up to one with a single dot (RFC 1939 3); or `-ERR`.
  static func pop3(
    isList: Bool = false, onError: Reading = .refused("pop3 answered -ERR"),
    _ judge: @escaping @Sendable (_ lines: [String]) -> String? = { _ in nil }
  ) -> @Sendable (ArraySlice<UInt8>) -> Reading {
    { bytes in
      var rest = bytes
      guard let (first, count) = line(rest) else { return .more }
      rest = rest.dropFirst(count)
      let words = String(decoding: first, as: UTF8.self)
      if words.hasPrefix("-ERR") {
        if case .accepted(_, let then) = onError { return .accepted(count, then: then) }
        return onError
      }
      guard words.hasPrefix("+OK") else { return .foreign("this is not pop3") }
      var lines: [String] = []
      while isList {
        guard let (text, count) = line(rest) else { return .more }
        rest = rest.dropFirst(count)
        if text.elementsEqual([UInt8(ascii: ".")]) { break }
        lines.append(String(decoding: text, as: UTF8.self).uppercased())
      }
      if let problem = judge(lines) { return .refused(problem) }
      return .accepted(bytes.count - rest.count)  // bounded: what is left of them
    }
  }
}
