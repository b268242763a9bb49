// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// LDAP (RFC 4511) and MQTT 3.1.1.
extension SpokenDialog {
  /// An anonymous bind. A directory that refuses a bind without a name answers so, in LDAP: it works.
  static let ldap = SpokenDialog(
    [
      SpokenStep(
        "anonymous bind",
        say: .bytes([0x30, 0x0c, 0x02, 0x01, 0x01, 0x60, 0x07, 0x02, 0x01, 0x03, 0x04, 0x00, 0x80, 0x00]),
        read: .read { bytes in
          ldapResult(bytes, answering: 0x61) { code, count in
            // busy, unavailable
            code == 51 || code == 52 ? .refused("ldap answered result \(code)") : .accepted(count)
          }
        })
    ], farewell: [0x30, 0x05, 0x02, 0x01, 0x02, 0x42, 0x00])

  /// The result of the message with id 1.
  ///
  /// - Parameters:
  ///   - tag: of the response that is expected.
  ///   - judge: is given the result code and the message's length.
  static func ldapResult(
    _ bytes: ArraySlice<UInt8>, answering tag: UInt8, _ judge: (_ code: Int, _ count: Int) -> Reading
  ) -> Reading {
    let foreign = Reading.foreign("this is not ldap")
    switch BasicEncoding.element(bytes, tag: 0x30, limit: 8192) {
    case .more: return .more
    case .foreign: return foreign
    case .element(let message, let count):
      guard case .element(let id, let idCount) = BasicEncoding.element(message, tag: 0x02, limit: 4) else {
        return foreign
      }
      let operation = message.dropFirst(idCount)
      let isNotice = id.elementsEqual([0]) && operation.first == 0x78
      guard isNotice || id.elementsEqual([1]) && operation.first == tag,
        case .element(let body, _) = BasicEncoding.element(operation, tag: isNotice ? 0x78 : tag, limit: 8192),
        case .element(let result, _) = BasicEncoding.element(body, tag: 0x0a, limit: 2)
      else { return foreign }
      let code = result.reduce(0) { $0 << 8 | Int($1) }  // bounded: bytes; what is shifted out is lost
      // The notice of disconnection (RFC 4511 4.4.1).
      if isNotice { return .refused("ldap ended the session with result \(code)") }
      return judge(code, count)
    }
  }

  /// CONNECT with a name of our own, so that no other client of the broker is thrown out.
  static var mqtt: SpokenDialog {
    let name = Array(("quartz" + String(UInt64.random(in: .min ... .max), radix: 16)).utf8)
    // bounded: a name of ours
    let body = [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 30, 0, UInt8(name.count)] + name
    return SpokenDialog(
      [
        SpokenStep(
          // bounded: a name of ours
          "CONNECT", say: .bytes([0x10, UInt8(body.count)] + body),
          read: .read { bytes in
            let answer = Array(bytes.prefix(4))
            for (byte, wanted) in zip(answer, [0x20, 0x02] as [UInt8]) where byte != wanted {
              return .foreign("this is not mqtt")
            }
            guard answer.count == 4 else { return .more }
            // Other refusals are about our name or credentials: the broker works.
            if answer[3] == 3 { return .refused("mqtt answered return code 3, server unavailable") }
            return answer[3] <= 5 ? .accepted(4) : .foreign("this is not mqtt")
          })
      ], farewell: [0xe0, 0x00])
  }
}

/// The part of the Basic Encoding Rules that LDAP is written in: one-byte tags, definite lengths (RFC 4511 5.1).
enum BasicEncoding {
  enum Element {
    case more
    case foreign
    case element(_ content: ArraySlice<UInt8>, count: Int)
  }

  static func element(_ bytes: ArraySlice<UInt8>, tag: UInt8, limit: Int) -> Element {
    let head = Array(bytes.prefix(6))
    guard let first = head.first else { return .more }
    guard first == tag else { return .foreign }
    guard head.count >= 2 else { return .more }
    let lengthBytes = head[1] < 0x80 ? 0 : Int(head[1] & 0x7f)  // bounded: seven bits
    guard lengthBytes <= 4, head[1] != 0x80 else { return .foreign }
    // bounded: four bytes at most, as was asked before
    guard head.count >= 2 + lengthBytes else { return .more }
    // bounded: four bytes at most, as was asked before
    let length = lengthBytes == 0 ? Int(head[1]) : head[2..<(2 + lengthBytes)].reduce(0) { $0 << 8 | Int($1) }
    guard length <= limit else { return .foreign }
    let count = 2 + lengthBytes + length  // bounded: held to the limit before
    guard bytes.count >= count else { return .more }
    // bounded: four bytes at most, as was asked before
    return .element(bytes.dropFirst(2 + lengthBytes).prefix(length), count: count)
  }
}
