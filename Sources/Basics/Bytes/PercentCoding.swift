// SPDX-License-Identifier: MIT

/// RFC 3986, section 2.1; nil for a broken escape or what is no UTF-8.
package func percentDecoded(_ text: some StringProtocol) -> String? {
  var bytes: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let high = rest.popFirst().flatMap(Base16.value), let low = rest.popFirst().flatMap(Base16.value)
    else {
      return nil
    }
    bytes.append(high << 4 | low)
  }
  return String(validating: bytes, as: UTF8.self)
}

/// Every byte but the unreserved ones as an escape (RFC 3986 section 2.3): fit for one value of a query.
package func percentEncoded(_ text: String) -> String {
  var encoded = ""
  for byte in text.utf8 {
    if isUnreserved(byte) {
      encoded.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      encoded += "%" + Base16.text([byte], Base16.upper)
    }
  }
  return encoded
}
