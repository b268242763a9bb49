// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// The headers of an answer as `once --explain` shows them: without the check's secrets, without credentials, and no
/// more than a person reads.
struct ShownHeaders {
  /// Headers, and bytes of all of them together.
  static let (most, mostBytes) = (64, 8 * 1024)
  private static let mostOfOne = 1024

  private(set) var headers: [AnswerHeader] = []
  private(set) var leftOut = 0

  init(_ fields: [HeaderField], _ mask: SecretMask) {
    var room = Self.mostBytes
    for field in fields {
      let name = field.name.printable(maxBytes: 200)
      let value = mask.hide(Self.shown(field), ofHeader: field.name).printable(maxBytes: Self.mostOfOne)
      guard headers.count < Self.most, name.utf8.count + value.utf8.count <= room, leftOut == 0 else {
        leftOut += 1
        continue
      }
      room -= name.utf8.count + value.utf8.count
      headers.append(AnswerHeader(name: name, value: value))
    }
  }

  /// A `Location` without credentials: user info, and the values of its query and fragment.
  static func reference(_ text: String, _ mask: SecretMask) -> String {
    mask.hide(withoutCredentials(text)).printable(maxBytes: mostOfOne)
  }

  private static func shown(_ field: HeaderField) -> String {
    let value = field.value.reveal()
    switch field.name.lowercased() {
    case "set-cookie", "set-cookie2": return cookie(value)
    case "location", "content-location", "refresh", "link": return withoutCredentials(value)
    // How a server wants to be asked is no secret, and what one looks for.
    case "www-authenticate", "proxy-authenticate": return value
    case let name: return CredentialNames.contains(name) ? Redacted.mark : value
    }
  }

  /// A cookie's name and attributes without its value: `sid=<redacted>; Path=/; Secure`.
  private static func cookie(_ value: String) -> String {
    let end = value.firstIndex(of: ";") ?? value.endIndex
    guard let equals = value[..<end].firstIndex(of: "=") else { return Redacted.mark + value[end...] }
    return value[...equals] + Redacted.mark + value[end...]
  }

  private static func withoutCredentials(_ text: String) -> String {
    var text = text[...]
    var shown = ""
    if let mark = text.firstRange(of: "//") {
      let authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }
      if let at = authority.lastIndex(of: "@") {
        shown = text[..<mark.upperBound] + Redacted.mark
        text = text[at...]
      }
    }
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    return shown + text[..<end] + withoutValues(text[end...])
  }

  /// `?a=1&b=2#c` as `?a=<redacted>&b=<redacted>#<redacted>`.
  private static func withoutValues(_ text: Substring) -> String {
    var shown = ""
    var rest = text
    while let sign = rest.popFirst() {
      shown.append(sign)
      let item = rest.prefix { !"?&;#".contains($0) }
      rest = rest.dropFirst(item.count)
      guard !item.isEmpty else { continue }
      let name = item.prefix { $0 != "=" }
      shown += name.count == item.count ? Redacted.mark : name + "=" + Redacted.mark
    }
    return shown
  }
}
