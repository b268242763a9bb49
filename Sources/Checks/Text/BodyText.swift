// SPDX-License-Identifier: MIT

import Basics
import Curl

/// A body as conditions see it: characters in Unicode's normal form C, where the charset is known; else the bytes that
/// came.
struct BodyText: Sendable {
  /// UTF-8 in normal form where `isText`.
  let bytes: [UInt8]
  let isText: Bool
  /// The check asks for its bytes, whatever they mean.
  let isForBytes: Bool
  /// The answer names a charset that cannot be read here.
  private(set) var isUnknown = false
  /// Of such a charset it is known that bytes below 0x80 are ASCII.
  private var keepsASCII = false
  /// The answer names no charset, and the body is no UTF-8: it is taken to be ASCII and bytes of another charset.
  private(set) var isUnnamed = false

  /// The answer names UTF-8, and the body is none.
  private(set) var isMisnamed = false

  init(asBytes bytes: [UInt8]) { (self.bytes, isText, isForBytes) = (bytes, false, true) }

  init(_ body: [UInt8], _ headers: HeaderBlock, within budget: CPUBudget) {
    isForBytes = false
    let type = headers.first("content-type")
    if isPlainASCII(body), !CharsetNaming.hidesASCII(type) {
      (bytes, isText) = (body, true)
      return
    }
    let naming = CharsetNaming(body, contentType: type)
    if let charset = naming.charset {
      let content = body.dropFirst(naming.markLength)
      let decoded = charset == .utf8 ? Array(content) : charset.decoded(content, within: budget)
      if let decoded, charset != .utf8 || isValid(decoded) {
        (bytes, isText) = (normalForm(decoded), true)
        return
      }
      (isUnknown, keepsASCII) = (decoded == nil, charset.keepsASCII)
      isMisnamed = charset == .utf8
    } else {
      isUnknown = naming.isUnknown
      // Nothing says so, and it reads as nothing else; seven bits read as everything.
      if isValid(body), !isUnknown || body.contains(where: { $0 >= 0x80 }) {
        (bytes, isText) = (normalForm(body), true)
        return
      }
      isUnnamed = !isUnknown
    }
    (bytes, isText) = (body, false)
  }

  /// The form in which a literal or a pattern is held against it.
  func form(of text: String) -> [UInt8] { isText ? normalForm(text) : Array(text.utf8) }

  /// Whether the text may be there and not be found, as nothing is known of its bytes.
  func mayHide(_ text: String) -> Bool {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    return isUnnamed || isMisnamed ? !isASCII : isUnknown && !isText && !(keepsASCII && isASCII)
  }

  /// The same of a pattern: one that is more than ASCII letters may be about characters that take several bytes. Where
  /// no charset is named, it must name other characters than ASCII.
  func mayHide(pattern text: String) -> Bool {
    if isUnnamed || isMisnamed { return mayHide(text) || escapesBeyondASCII(text) }
    return mayHide(text) || isUnknown && !isText && text.utf8.contains { ".[\\".utf8.contains($0) }
  }

  /// Why a text that is not found may be there all the same.
  var hidingWords: String {
    if isMisnamed { return "could not be judged: the answer names UTF-8, and the body is none" }
    return isUnnamed
      ? "could not be judged: the body is no UTF-8, and names no charset"
      : "could not be judged in an unknown charset"
  }

  var note: String? { isUnknown ? isText ? Self.guessedWords : Self.unknownWords : nil }

  static let unknownWords = "the charset that the answer names is not known here: its bytes were compared"
  static let guessedWords = "the charset that the answer names is not known here: it was read as UTF-8"
}

extension BodyText {
  /// Bytes of other characters than ASCII that are brought into their normal form in no time.
  private static let cheap = 1024

  /// Whether reading the body takes long, or may have to wait for a file: see `Converter`.
  static func isDear(_ body: [UInt8], _ headers: HeaderBlock) -> Bool {
    let type = headers.first("content-type")
    if isPlainASCII(body), !CharsetNaming.hidesASCII(type) { return false }
    if body.count > cheap { return true }
    if case .other = CharsetNaming(body, contentType: type).charset { return true }
    return false
  }
}

/// Whether a pattern names characters beyond ASCII by escapes, such as `\xf6`, `\x{263a}` or `\p{Greek}`.
private func escapesBeyondASCII(_ pattern: String) -> Bool {
  var rest = pattern[...]
  while let mark = rest.firstIndex(of: "\\") {
    rest = rest[mark...].dropFirst()
    guard let letter = rest.popFirst() else { return false }
    switch letter {
    case "p", "P", "o": return true
    case "N" where rest.first == "{": return true
    case "x":
      let digits = rest.first == "{" ? rest.dropFirst().prefix { $0 != "}" } : rest.prefix(2)
      if let code = UInt32(digits, radix: 16), code >= 0x80 { return true }
    default: break
    }
  }
  return false
}

/// Bytes below 0x80 that are no escape are the same in nearly all charsets, see `Charset.keepsASCII`: most bodies have
/// nothing else.
private func isPlainASCII(_ bytes: [UInt8]) -> Bool {
  bytes.allSatisfy { $0 < 0x80 && $0 != 0x1b && $0 != 0 }
}

private func isValid(_ bytes: [UInt8]) -> Bool {
  bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
}

/// Which charset an answer is in: its byte order mark says more than the header, and that more than the page (Encoding
/// Standard, section 6; HTML, section 13.2.3).
struct CharsetNaming {
  /// `nil`: nothing names one that is known.
  private(set) var charset: Charset?
  /// Bytes of the byte order mark.
  private(set) var markLength = 0
  private(set) var isUnknown = false

  /// How much of a page is looked through for its own word, and of a Content-Type.
  private static let (head, headerHead) = (1024, 256)

  init(_ body: [UInt8], contentType: String?) {
    for (mark, charset) in Self.marks where body.starts(with: mark) {
      (self.charset, markLength) = (charset, mark.count)
      return
    }
    let type = Self.asciiText(contentType?.utf8.prefix(Self.headerHead) ?? "".utf8[...])
    let isPage = type.isEmpty || type.contains("html") || type.contains("xml")
    let named = Self.parameter(in: type)
    guard let label = named ?? (isPage ? ownWord(Array(body.prefix(Self.head))) : nil) else { return }
    charset = Charset(label: label)
    isUnknown = charset == nil
    // A page that can be read as ASCII so far is no UTF-16, whatever it says.
    if named == nil, charset?.keepsASCII == false { charset = .utf8 }
  }

  /// Whether ASCII of the body means something else, by its header: a page in such a charset could not say so. UTF-16 and UTF-32
  /// write ASCII with zeros, so that a body without any is misnamed.
  static func hidesASCII(_ contentType: String?) -> Bool {
    guard let contentType, contentType.utf8.contains(UInt8(ascii: ";")) else { return false }
    let type = asciiText(contentType.utf8.prefix(headerHead))
    guard let label = parameter(in: type), let charset = Charset(label: label), case .other = charset else {
      return false
    }
    return !charset.keepsASCII
  }

  /// That of UTF-32 begins as that of UTF-16 does.
  private static let marks: [([UInt8], Charset)] = [
    ([0xef, 0xbb, 0xbf], .utf8), ([0xff, 0xfe, 0, 0], .utf32(isLittleEndian: true)),
    ([0, 0, 0xfe, 0xff], .utf32(isLittleEndian: false)), ([0xfe, 0xff], .utf16(isLittleEndian: false)),
    ([0xff, 0xfe], .utf16(isLittleEndian: true)),
  ]

  /// The value of `charset`, with or without quotes (RFC 9110 section 8.3.1).
  private static func parameter(in type: String) -> String? {
    for part in type.split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, word(pair[0]) == "charset" else { continue }
      return word(pair[1])
    }
    return nil
  }

  /// `<meta charset>`, the `content` of a `<meta>`, or the encoding of an XML declaration.
  private func ownWord(_ head: [UInt8]) -> String? {
    let text = Self.asciiText(head)
    if text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>") {
      return value(of: "encoding", in: text[..<end.lowerBound])
    }
    var rest = text[...]
    while let start = rest.firstRange(of: "<") {
      rest = rest[start.upperBound...]
      if rest.hasPrefix("!--") {
        guard let end = rest.firstRange(of: "-->") else { return nil }
        rest = rest[end.upperBound...]
      } else if rest.hasPrefix("meta"), let end = rest.firstRange(of: ">") {
        if let label = value(of: "charset", in: rest[..<end.lowerBound]) { return label }
        rest = rest[end.upperBound...]
      }
    }
    return nil
  }

  /// In lower case. Other bytes become a question mark: combining marks from outside are sorted nowhere.
  private static func asciiText(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self).lowercased()
  }

  private func value(of name: String, in text: Substring) -> String? {
    guard let place = text.firstRange(of: name) else { return nil }
    let behind = text[place.upperBound...].drop(while: \.isWhitespace)
    guard behind.first == "=" else { return nil }
    let value = behind.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
    let label = value.prefix { !$0.isWhitespace && !"\"';/>".contains($0) }
    return label.isEmpty ? nil : String(label)
  }

  private static func word(_ text: Substring) -> String {
    String(text.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" })
  }
}
