// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One challenge of a `WWW-Authenticate` header: RFC 9110 section 11.6.1. Pure, bounded, and never throws: what
/// cannot be read is left out.
struct AuthChallenge: Hashable, Sendable {
  /// In lower case.
  var scheme: String
  /// By lower-case name, unquoted.
  var parameters: [ByteText: String] = [:]

  /// All challenges of a header's value; several may stand in one, with the same commas between as inside.
  static func parse(_ value: String) -> [AuthChallenge] {
    var rest = value.utf8.prefix(8192)
    var challenges: [AuthChallenge] = []
    while true {
      skipSeparators(&rest)
      let word = takeToken(&rest)
      if word.isEmpty { return challenges }
      skipBlanks(&rest)
      if rest.first == UInt8(ascii: "="), !challenges.isEmpty {
        rest = rest.dropFirst()
        skipBlanks(&rest)
        guard let parameter = takeValue(&rest) else { return challenges }
        // bounded: there is one at least
        challenges[challenges.count - 1].parameters[ByteText(word.lowercased())] = parameter
      } else if rest.first == UInt8(ascii: "=") {
        return challenges
      } else {
        challenges.append(AuthChallenge(scheme: word.lowercased()))
        skipToken68(&rest)
      }
      if challenges.count > 16 { return challenges }
    }
  }

  private typealias Bytes = Substring.UTF8View.SubSequence

  private static func skipSeparators(_ rest: inout Bytes) {
    rest = rest.drop { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }
  }

  /// Skips the token68 of Negotiate and its like, in the place of parameters: RFC 9110 section 11.2.
  private static func skipToken68(_ rest: inout Bytes) {
    let word = rest.prefix { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || "-._~+/".utf8.contains(byte)
    }
    var after = rest[word.endIndex...].drop { $0 == UInt8(ascii: "=") }
    skipBlanks(&after)
    if !word.isEmpty, after.isEmpty || after.first == UInt8(ascii: ",") { rest = after }
  }

  private static func skipBlanks(_ rest: inout Bytes) { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

  private static func takeToken(_ rest: inout Bytes) -> String {
    let word = rest.prefix { byte in
      byte > 0x20 && byte < 0x7f && !"=,\"()<>@;:\\[]?{}".utf8.contains(byte)
    }
    rest = rest[word.endIndex...]
    return String(Substring(word))
  }

  /// A token, or a quoted string with its escapes resolved; nil for an unclosed one.
  private static func takeValue(_ rest: inout Bytes) -> String? {
    guard rest.first == UInt8(ascii: "\"") else { return takeToken(&rest) }
    rest = rest.dropFirst()
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst() else { return nil }
        text.append(escaped)
      } else {
        text.append(byte)
      }
    }
    return nil
  }
}
