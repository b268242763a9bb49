// SPDX-License-Identifier: MIT

import Basics

/// A reply of a mail server (RFC 5321, section 4.2).
package struct MailReply: Hashable, Sendable {
  package let code: Int
  /// Code and text as the server sent them, its lines as one: printable, bounded, and without secrets.
  package let line: String

  /// Bytes of a line that are shown.
  package static let shown = 200

  package init(_ code: Int, _ text: String = "") {
    self.code = code
    line = text.isEmpty ? "\(code)" : "\(code) \(text)"
  }

  /// - Parameter text: as it came.
  init(_ code: Int, _ text: [UInt8], _ secrets: KnownSecrets) {
    self.code = code
    guard !secrets.areRepeated(in: text) else {
      line = "\(code), and a text that repeats a secret of the channel"
      return
    }
    let words = String(decoding: text, as: UTF8.self)
    line = (words.isEmpty ? "\(code)" : "\(code) \(words)").printable(maxBytes: Self.shown)
  }
}

/// Joins the lines of a reply, of which there may be many, each of any length.
struct MailReplyLines {
  private var text: [UInt8] = []

  /// Bytes of a reply that are kept: more than is shown, so that a secret in them is found.
  private static let kept = 4096

  /// - Returns: code and text, at the reply's last line; `nil` before it.
  mutating func take(_ line: UnsafeRawBufferPointer) -> (code: Int, text: [UInt8])? {
    let code = smtpReply(line)
    guard code != nil || startsWithCode(line) && line.count > 3 && line[3] == UInt8(ascii: "-") else {
      return nil
    }
    add(line.dropFirst(4))
    guard let code else { return nil }
    defer { text = [] }
    return (code, text)
  }

  private mutating func add(_ part: Slice<UnsafeRawBufferPointer>) {
    let words = part.prefix(Self.kept).trimmed { [0x20, 0x09, 0x0d, 0x0a].contains($0) }
    guard !words.isEmpty, text.count < Self.kept else { return }
    if !text.isEmpty { text.append(UInt8(ascii: " ")) }
    text += words.prefix(Self.kept - text.count)  // bounded: a place in what is kept
  }
}

/// The code of a reply's last line (RFC 5321, section 4.2.1); `nil` for a line that another one follows, and for what is
/// no reply.
func smtpReply(_ line: UnsafeRawBufferPointer) -> Int? {
  guard startsWithCode(line) else { return nil }
  if line.count > 3, ![UInt8(ascii: " "), 0x0d, 0x0a].contains(line[3]) { return nil }
  return line.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }  // bounded: three digits
}

private func startsWithCode(_ line: UnsafeRawBufferPointer) -> Bool {
  let digits = line.prefix(3)
  return digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) }
}
