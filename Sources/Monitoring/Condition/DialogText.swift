// SPDX-License-Identifier: MIT

import Basics

/// The text of a dialog's `send` or literal `expect`: bytes, with places for what earlier patterns captured.
///
/// `\r`, `\n`, `\t` and `\\` as everywhere, `\xNN` a byte by two hexadecimal digits, `\(name)` the named group of an
/// earlier pattern, `\(1)` to `\(99)` a group of the last pattern before the step.
package struct DialogText: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case bytes([UInt8])
    /// A group by its name or number.
    case capture(String)
  }

  package let parts: [Part]

  /// An error in a text, for its author; never the text itself, which may be a password.
  package struct Invalid: Error, Hashable, Sendable {
    package let message: String
    package let hint: String
  }

  package init(parsing text: String) throws(Invalid) {
    var parts: [Part] = []
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      if rest.first == UInt8(ascii: "(") {
        if !bytes.isEmpty { parts.append(.bytes(bytes)) }
        bytes = []
        parts.append(.capture(try Self.name(&rest)))
      } else {
        bytes.append(try Self.escape(&rest))
      }
    }
    if !bytes.isEmpty { parts.append(.bytes(bytes)) }
    self.parts = parts
  }

  /// The names and numbers that earlier steps must have captured.
  package var captures: [String] {
    parts.compactMap { part in
      if case .capture(let name) = part { name } else { nil }
    }
  }

  private static let hint = #"write \r \n \t \\ \xNN or \(name), and \\ for a backslash"#

  private static func escape(_ rest: inout ArraySlice<UInt8>) throws(Invalid) -> UInt8 {
    switch rest.popFirst() {
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
    case UInt8(ascii: "x"):
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let byte = UInt8(digits, radix: 16)
      else { throw Invalid(message: #"has \x without two hexadecimal digits"#, hint: hint) }
      rest = rest.dropFirst(2)
      return byte
    case nil: throw Invalid(message: "ends in a single backslash", hint: hint)
    default: throw Invalid(message: "has a backslash before a character that takes none", hint: hint)
    }
  }

  private static func name(_ rest: inout ArraySlice<UInt8>) throws(Invalid) -> String {
    rest = rest.dropFirst()
    guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else {
      throw Invalid(message: #"has \( without its )"#, hint: hint)
    }
    let name = String(decoding: rest[..<end], as: UTF8.self)
    rest = rest[(end + 1)...]
    let isWord = name.utf8.allSatisfy { byte in
      isASCIIAlphanumeric(byte) || byte == UInt8(ascii: "_")
    }
    guard !name.isEmpty, name.utf8.count <= 32, isWord else {
      throw Invalid(
        message: #"has \( ) with something else than a name or a number"#,
        hint: #"a group such as (?<code>\d+) is sent again by \(code)"#)
    }
    return name
  }
}
