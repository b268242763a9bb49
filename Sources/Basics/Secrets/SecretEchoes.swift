// SPDX-License-Identifier: MIT

/// As people's frameworks and debug pages repeat a text: as it is, in base64, percent form and hexadecimal, inside a
/// JSON string and inside HTML.
package func secretEchoes(of text: String) -> [[UInt8]] {
  let bytes = Array(text.utf8)
  let base64 = Array(Base64.text(bytes).utf8)
  // Without padding, and as in a URL (RFC 4648 section 5); of less, it would be two letters of any word.
  let bare = bytes.count < 4 ? base64 : Array(base64.prefix { $0 != UInt8(ascii: "=") })
  return [
    bytes, base64, bare, bare.map(urlDigit), percentForm(bytes, Base16.upper),
    percentForm(bytes, Base16.lower),
    Base16.digits(bytes, Base16.upper), Base16.digits(bytes, Base16.lower), jsonForm(text), htmlForm(bytes),
  ] + insideBase64(bytes)
}

/// Among other bytes in base64, such as a key behind the name in `Basic` credentials: the digits that it alone decides, behind
/// 0, 1 and 2 bytes of a group (RFC 4648 section 4).
private func insideBase64(_ bytes: [UInt8]) -> [[UInt8]] {
  // Of less, it would be a few letters of any word; more is a body and no secret of its own.
  guard 6...1024 ~= bytes.count else { return [] }
  return (0..<3).flatMap { before -> [[UInt8]] in
    let digits = Array(Base64.text([UInt8](repeating: 0, count: before) + bytes).utf8)
    // bounded: by the bytes, of which there are few
    let own = Array(digits[(before * 8 + 5) / 6..<(before + bytes.count) * 8 / 6])
    return [own, own.map(urlDigit)]
  }
}

private func urlDigit(_ byte: UInt8) -> UInt8 {
  switch byte {
  case UInt8(ascii: "+"): UInt8(ascii: "-")
  case UInt8(ascii: "/"): UInt8(ascii: "_")
  default: byte
  }
}

/// Without the quotes around it.
private func jsonForm(_ text: String) -> [UInt8] {
  var json = JSONWriter()
  json.string(text)
  return Array(json.bytes.dropFirst().dropLast())
}

private func htmlForm(_ bytes: [UInt8]) -> [UInt8] {
  var form: [UInt8] = []
  for byte in bytes {
    switch byte {
    case UInt8(ascii: "&"): form += Array("&amp;".utf8)
    case UInt8(ascii: "<"): form += Array("&lt;".utf8)
    case UInt8(ascii: ">"): form += Array("&gt;".utf8)
    case UInt8(ascii: "\""): form += Array("&quot;".utf8)
    default: form.append(byte)
    }
  }
  return form
}

/// Everything but the unreserved characters of RFC 3986 as `%XX`.
private func percentForm(_ bytes: [UInt8], _ digits: [UInt8]) -> [UInt8] {
  var form: [UInt8] = []
  for byte in bytes {
    if isUnreserved(byte) {
      form.append(byte)
    } else {
      form += [UInt8(ascii: "%")] + Base16.digits([byte], digits)
    }
  }
  return form
}
