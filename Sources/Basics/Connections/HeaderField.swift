// SPDX-License-Identifier: MIT

/// One header line. The name's letter case is kept; the value may be a key or a token.
package struct HeaderField: Hashable, Sendable {
  package var name: String
  package var value: Redacted

  package init(_ name: String, _ value: Redacted) {
    self.name = name
    self.value = value
  }

  package init(_ name: String, _ value: String) { self.init(name, Redacted(value)) }
}

extension [HeaderField] {
  /// The first value of that name, compared without regard to letter case.
  package func first(_ name: String) -> Redacted? {
    first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// Characters of a token, such as the name of a header or a method (RFC 9110 section 5.6.2).
package func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
  // ! # $ % & ' * + - . ^ _ ` | ~
  case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
  default: false
  }
}

package func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isTokenByte) }
