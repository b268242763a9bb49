// SPDX-License-Identifier: MIT

/// Whether the byte is a letter or digit of ASCII.
@inlinable
package func isASCIIAlphanumeric(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
}

/// A capital letter of ASCII as its small one; any other byte as it is.
@inlinable
package func asciiLowered(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

/// Whether a URL may have the byte anywhere as it is (RFC 3986, section 2.3).
@inlinable
package func isUnreserved(_ byte: UInt8) -> Bool {
  isASCIIAlphanumeric(byte) || byte == 0x2d || byte == 0x2e || byte == 0x5f || byte == 0x7e
}
