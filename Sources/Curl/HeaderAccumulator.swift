// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// Takes the header lines of an answer one by one and holds the limits that libcurl does not have. Pure.
struct HeaderAccumulator {
  /// Over all of an answer, interim answers and trailers included.
  static let maximumBytes = 64 * 1024  // bounded: constants
  static let maximumFields = 200
  static let maximumInterim = 20

  enum Step: Hashable {
    case more
    /// An interim answer is over (RFC 9110 section 15.2): the next one begins.
    case interim
    /// The headers of the final answer are complete.
    case final
    case tooLarge
    case malformed
  }

  private(set) var statusCode: Int?
  private(set) var httpVersion: String?
  private(set) var block = HeaderBlock()
  private var bytes = 0
  private var fieldCount = 0
  private var interim = 0
  private var complete = false
  /// The next line begins an answer, so it is a status line.
  private var atStart = true
  /// The last field says where the body ends.
  private var framesBody = false
  /// Content-Length of the answer that is being read.
  private(set) var announced: Int64?
  /// It has a field of that name: most answers are never asked for the values of either.
  private var hasCodings = false
  /// Place of the field Content-Type; the first one counts.
  private var typeField: Int?

  /// Whether the answer itself says where it ends (RFC 9112 section 6.3).
  var isFramed: Bool { announced != nil || transferCodings.contains("chunked") }

  /// A coding that was not asked for (RFC 9112 section 6.1): the bytes are not the body.
  var hasForeignCoding: Bool { transferCodings.contains { $0 != "chunked" && $0 != "identity" } }

  private var transferCodings: [String] {
    guard hasCodings else { return [] }
    return block.values("transfer-encoding").flatMap { value in
      value.split(separator: ",").map { coding in
        coding.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
    }
  }

  /// An answer without end: server-sent events, and the pictures of a camera.
  private(set) var isStream = false

  private mutating func takeType(_ value: Slice<UnsafeRawBufferPointer>) {
    let essence = UnsafeRawBufferPointer(rebasing: value.prefix { $0 != UInt8(ascii: ";") })
    isStream = isWord(essence, "text/event-stream") || isWord(essence, "multipart/x-mixed-replace")
  }

  /// - Parameter word: in lower case. Blanks around and within the text do not count.
  private func isWord(_ text: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      var index = 0
      for byte in text where !isBlank(byte) {
        guard index < word.count, asciiLowered(byte) == word[index] else { return false }
        index += 1  // bounded: a place within the word
      }
      return index == word.count
    }
  }

  /// An interim answer came before the final one.
  var hadInterim: Bool { interim > 0 }

  var fields: [HeaderField] { block.fields }

  var isRedirect: Bool {
    switch statusCode {
    case 301, 302, 303, 307, 308: block.has("location")
    default: false
    }
  }

  mutating func take(_ line: [UInt8]) -> Step { line.withUnsafeBytes { take($0) } }

  /// - Parameter line: one line with its end, as libcurl hands it over.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
    bytes += line.count
    if bytes > Self.maximumBytes { return .tooLarge }
    var count = line.count
    // bounded: above 0, as was asked before
    if count > 0, line[count - 1] == UInt8(ascii: "\n") { count -= 1 }
    // bounded: above 0, as was asked before
    if count > 0, line[count - 1] == UInt8(ascii: "\r") { count -= 1 }
    let content = UnsafeRawBufferPointer(rebasing: line[..<count])
    let isFolded = content.first.map(isBlank) ?? false
    if !atStart, !content.isEmpty, !isFolded { fieldCount += 1 }
    if fieldCount > Self.maximumFields { return .tooLarge }
    if holds(content, 0) || holds(content, "\r") || holds(content, "\n") { return .malformed }
    // What follows the final answer's headers are trailers: counted above, not kept.
    if complete { return .more }
    if content.isEmpty { return endOfBlock() }
    if atStart { return isStatusLine(content) ? startBlock(content) : .malformed }
    if isFolded { return unfold(content) }
    // A blank before the colon, or no name.
    var colon = 0
    // bounded: a place within the line
    while colon < content.count, isTokenByte(content[colon]) { colon += 1 }
    guard colon > 0, colon < content.count, content[colon] == UInt8(ascii: ":") else { return .malformed }
    block.append(content)
    let isLength = isNamed(content, colon, "content-length")
    let isCoding = isNamed(content, colon, "transfer-encoding")
    framesBody = isLength || isCoding
    if isCoding { hasCodings = true }
    if typeField == nil, isNamed(content, colon, "content-type") {
      typeField = fieldCount
      takeType(content[(colon + 1)...])  // bounded: a place within the line
    }
    return !isLength || isLengthSound(content, colon) ? .more : .malformed
  }

  /// A line that goes on with the field before it: RFC 9112 section 5.2 has a client put blanks in the place of the
  /// line's end.
  private mutating func unfold(_ content: UnsafeRawBufferPointer) -> Step {
    // With no field before it there is nothing to go on with, and such a message is to be refused or read without its
    // line (section 2.2): two programs on the way may read two answers.
    guard !block.isEmpty else { return .malformed }
    // libcurl reads each line for itself, and would look for the end of the body elsewhere.
    if framesBody, !content.allSatisfy(isBlank) { return .malformed }
    block.unfold(content)
    if typeField == fieldCount, var value = block.first("content-type") {
      value.withUTF8 { takeType(UnsafeRawBufferPointer($0)[...]) }
    }
    return .more
  }

  /// RFC 9112 section 6.3: a length that is no number, or differs from another, leaves no way to know where the answer
  /// ends. The same one several times is one.
  private mutating func isLengthSound(_ content: UnsafeRawBufferPointer, _ colon: Int) -> Bool {
    var index = colon + 1  // bounded: a place within the line
    func skipBlanks() {
      while index < content.count, content[index] == 0x20 || content[index] == 0x09 { index += 1 }
    }
    while true {
      skipBlanks()
      let start = index
      var length: Int64 = 0
      // bounded: constants
      while index < content.count, (0x30...0x39).contains(content[index]), length <= (.max - 9) / 10 {
        // bounded: there is room for one digit more, as was asked before
        length = length * 10 + Int64(content[index] - 0x30)
        index += 1
      }
      guard index > start, length == announced ?? length else { return false }
      announced = length
      skipBlanks()
      if index == content.count { return true }
      guard content[index] == UInt8(ascii: ",") else { return false }
      index += 1
    }
  }

  /// - Parameter name: in lower case, letters and hyphens.
  private func isNamed(_ content: UnsafeRawBufferPointer, _ colon: Int, _ name: StaticString) -> Bool {
    guard colon == name.utf8CodeUnitCount else { return false }
    return name.withUTF8Buffer { name in
      (0..<colon).allSatisfy { content[$0] | (name[$0] & 0x40) >> 1 == name[$0] }
    }
  }

  private func holds(_ content: UnsafeRawBufferPointer, _ byte: UInt8) -> Bool {
    guard let start = content.baseAddress else { return false }
    return memchr(start, Int32(byte), content.count) != nil  // bounded: a byte
  }

  private func holds(_ content: UnsafeRawBufferPointer, _ character: Unicode.Scalar) -> Bool {
    holds(content, UInt8(ascii: character))
  }

  private func isStatusLine(_ content: UnsafeRawBufferPointer) -> Bool {
    content.count >= 5 && content[0] == UInt8(ascii: "H") && content[1] == UInt8(ascii: "T")
      && content[2] == UInt8(ascii: "T") && content[3] == UInt8(ascii: "P") && content[4] == UInt8(ascii: "/")
  }

  private mutating func startBlock(_ content: UnsafeRawBufferPointer) -> Step {
    let blank = UInt8(ascii: " ")
    guard let mark = content.firstIndex(of: blank) else { return .malformed }
    let code = content[mark...].drop { $0 == blank }.prefix { $0 != blank }
    guard code.count == 3, code.allSatisfy({ (0x30...0x39).contains($0) }) else { return .malformed }
    let number = code.reduce(0) { $0 * 10 + Int($1 - 0x30) }  // bounded: three digits
    guard number >= 100 else { return .malformed }
    let version = content[5..<mark]
    guard isVersion(version) else { return .malformed }
    statusCode = number
    httpVersion = String(decoding: version, as: UTF8.self)
    atStart = false
    announced = nil
    (hasCodings, typeField, isStream) = (false, nil, false)
    block.removeAll()
    return .more
  }

  /// `1.1`, or `2` as libcurl writes it.
  private func isVersion(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
    guard let first = text.first, isDigit(first) else { return false }
    let rest = text.dropFirst()
    return rest.isEmpty
      || rest.count == 2 && rest.first == UInt8(ascii: ".") && rest.last.map(isDigit) == true
  }

  private mutating func endOfBlock() -> Step {
    guard let statusCode, !atStart else { return .malformed }
    guard (100...199).contains(statusCode), statusCode != 101 else {
      complete = true
      return .final
    }
    interim += 1
    atStart = true
    return interim > Self.maximumInterim ? .tooLarge : .interim
  }
}
