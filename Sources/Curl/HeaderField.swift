// SPDX-License-Identifier: MIT

import Basics

/// One header line. The name's letter case is kept.
package struct HeaderField: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// What names of headers and methods are made of (RFC 9110 section 5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
  // ! # $ % & ' * + - . ^ _ ` | ~
  case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
  default: false
  }
}
