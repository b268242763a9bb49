// SPDX-License-Identifier: MIT

import Monitoring

private let lowerDigits = Array("0123456789abcdef".utf8)
private let upperDigits = Array("0123456789ABCDEF".utf8)

/// As people's frameworks and debug pages repeat a text: as it is, in base64, percent form and hexadecimal, inside a
/// JSON string and inside HTML.
func secretEchoes(of text: String) -> [String] {
  let base64 = base64Text(text.utf8)
  // Without padding, and as in a URL (RFC 4648 section 5); of less, it would be two letters of any word.
  let bare = text.utf8.count < 4 ? base64 : String(base64.prefix { $0 != "=" })
  return [
    text, base64, bare, bare.replacing("+", with: "-").replacing("/", with: "_"),
    percentForm(text, upperDigits), percentForm(text, lowerDigits),
    hexText(text.utf8), hexText(text.utf8).lowercased(), jsonForm(text), htmlForm(text),
  ]
}

/// Without the quotes around it.
private func jsonForm(_ text: String) -> String {
  var json = JSONWriter()
  json.string(text)
  return String(json.text.dropFirst().dropLast())
}

private func htmlForm(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    .replacing("\"", with: "&quot;")
}

/// Everything but the unreserved characters of RFC 3986 as `%XX`.
private func percentForm(_ text: String, _ digits: [UInt8]) -> String {
  var form: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      form.append(byte)
    default: form += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: form, as: UTF8.self)
}
