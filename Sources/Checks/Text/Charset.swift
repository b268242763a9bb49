// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// How the bytes of a text stand for characters. Those of the Encoding Standard are known, which is what pages use, and
/// of glibc's the code pages of IBM, Apple and HP and what old systems write; a stranger's word never makes iconv(3)
/// load any other converter.
enum Charset: Hashable, Sendable {
  case utf8
  case utf16(isLittleEndian: Bool)
  case utf32(isLittleEndian: Bool)
  case windows1252
  /// By its name for iconv(3).
  case other(String)

  /// - Parameter label: as a header, a page or XML writes it. `nil`: not known.
  init?(label: some StringProtocol) {
    // No label is longer, and a stranger's must not take its time.
    guard label.utf8.count <= 40, label.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let name = label.lowercased().filter { $0 != "_" && $0 != "-" && !$0.isWhitespace }
    switch name {
    case "utf8", "unicode11utf8": self = .utf8
    case "utf16", "utf16le", "ucs2", "iso10646ucs2", "unicode": self = .utf16(isLittleEndian: true)
    case "utf16be": self = .utf16(isLittleEndian: false)
    case "utf32", "utf32be", "ucs4", "ucs4be", "iso10646ucs4": self = .utf32(isLittleEndian: false)
    case "utf32le", "ucs4le": self = .utf32(isLittleEndian: true)
    // Of ISO 8859-1 and ASCII too, as all browsers have it.
    case "windows1252", "cp1252", "xcp1252", "iso88591", "latin1", "l1", "ascii", "usascii", "ansix3.41968",
      "isoir100", "csisolatin1", "ibm819", "cp819":
      self = .windows1252
    default:
      guard let known = Self.known[ByteText(name)] else { return nil }
      self = .other(known)
    }
  }

  /// Whether bytes below 0x80 that are no escape are ASCII.
  var keepsASCII: Bool {
    switch self {
    case .utf8, .windows1252: true
    case .utf16, .utf32: false
    case .other(let name): name != Self.utf7 && !name.hasPrefix("IBM")
    }
  }

  /// The text as UTF-8; what stands for no character becomes U+FFFD. `nil`: this system has no converter, or the time is
  /// over.
  func decoded(_ bytes: ArraySlice<UInt8>, within budget: CPUBudget) -> [UInt8]? {
    switch self {
    case .utf8: Array(bytes)
    case .utf16(let isLittleEndian): Self.fromUTF16(bytes, isLittleEndian)
    case .utf32(let isLittleEndian): Self.fromUTF32(bytes, isLittleEndian: isLittleEndian)
    case .windows1252: Self.fromWindows1252(bytes)
    case .other(let name): Converter(from: name)?.convert(bytes, within: budget)
    }
  }

  private static func fromUTF16(_ bytes: ArraySlice<UInt8>, _ isLittleEndian: Bool) -> [UInt8] {
    // bounded: places within the bytes, and two bytes a unit
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { place -> UInt16 in
      let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// The first byte of a code point is zero, so that a text shows its order.
  private static func fromUTF32(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> [UInt8] {
    var isLittleEndian = isLittleEndian
    let first = Array(bytes.prefix(4))
    if first.count == 4, (first[0] == 0) != (first[3] == 0) { isLittleEndian = first[3] == 0 }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 2)
    // bounded: places within the bytes, and four bytes a unit
    for place in stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4) {
      let unit = bytes[place..<place + 4].map { UInt32($0) }
      let code = (isLittleEndian ? unit.reversed() : unit).reduce(0) { $0 << 8 | $1 }
      text += Array(String(Unicode.Scalar(code) ?? "\u{fffd}").utf8)
    }
    return text
  }

  private static func fromWindows1252(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      if byte < 0x80 {
        text.append(byte)
      } else {
        // bounded: 0x80 to 0x9F of a table of 32
        let code = byte < 0xa0 ? upperControls[Int(byte - 0x80)] : UInt16(byte)
        text += Unicode.Scalar(code).map { Array(String($0).utf8) } ?? []
      }
    }
    return text
  }

  /// Of 0x80 to 0x9F.
  private static let upperControls: [UInt16] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d,
    0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a,
    0x153, 0x9d, 0x17e, 0x178,
  ]
}

/// One use of iconv(3), which loads its converter from a file: never on a thread that others wait for.
private final class Converter {
  private let handle: iconv_t
  private static let piece = 16 * 1024

  init?(from name: String) {
    guard let handle = iconv_open("UTF-8", name), handle != iconv_t(bitPattern: -1) else { return nil }
    self.handle = handle
  }

  deinit { iconv_close(handle) }

  func convert(_ bytes: ArraySlice<UInt8>, within budget: CPUBudget) -> [UInt8]? {
    var input = bytes.map { CChar(bitPattern: $0) }
    // No character of these charsets takes more than four bytes for one.
    var room = [CChar](repeating: 0, count: 4 * Self.piece)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var (offset, calls) = (0, 0)
    while offset < input.count {
      // Asked for now and then: what stands for nothing is a call for each byte.
      if calls % 64 == 0, !budget.allowsMore() { return nil }
      calls += 1
      let end = min(offset + Self.piece, input.count)
      let step = convert(&input, from: offset, to: end, into: &room)
      text += room[..<step.made].lazy.map(UInt8.init(bitPattern:))
      offset += step.taken
      // What the end of a piece cuts goes on in the next one.
      let isCut = step.code == EINVAL && end == input.count
      if step.code == EILSEQ || isCut || step.taken == 0 && step.made == 0 {
        text += [0xef, 0xbf, 0xbd]
        offset += 1
      }
    }
    return text
  }

  private func convert(
    _ input: inout [CChar], from start: Int, to end: Int, into room: inout [CChar]
  ) -> (taken: Int, made: Int, code: Int32) {
    var (left, space) = (end - start, room.count)
    let size = room.count
    let code = input.withUnsafeMutableBufferPointer { input in
      room.withUnsafeMutableBufferPointer { room -> Int32 in
        var (from, into) = (input.baseAddress.map { $0 + start }, room.baseAddress)
        return iconv(handle, &from, &left, &into, &space) == Int(bitPattern: UInt.max) ? errno : 0
      }
    }
    return (end - start - left, size - space, code)
  }
}
