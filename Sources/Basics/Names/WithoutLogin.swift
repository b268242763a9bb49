// SPDX-License-Identifier: MIT

/// A target, or a word like one, without its user name and password.
///
/// A password may hold what ends a place: where something that is no port follows a colon, the last @ ends the login.
package func withoutLogin(_ word: String) -> String {
  let start = word.firstRange(of: "://")?.upperBound ?? word.startIndex
  let rest = word[start...]
  let place = rest.prefix { !"/?#".contains($0) }
  var end = place.lastIndex(of: "@")
  if end == nil, !place.hasPrefix("["), let colon = place.firstIndex(of: ":"),
    !place[colon...].dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
  {
    end = rest.lastIndex(of: "@")
  }
  return end.map { word[..<start] + Redacted.mark + word[$0...] } ?? word
}

extension String {
  /// The value for a message: one line, at most `maxBytes` bytes, and without the login of a URL that was put in the wrong place.
  package func shown(maxBytes: Int) -> String {
    guard let at = lastIndex(of: "@"), self[..<at].contains(":") else { return printable(maxBytes: maxBytes) }
    return withoutLogin(self).printable(maxBytes: maxBytes)
  }

  /// A URL without its login, and a mark instead of its query and its fragment, which may hold a token.
  package var withoutURLSecrets: String {
    guard contains("://") else { return self }
    let text = withoutLogin(self)
    guard let end = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
    return text[...end] + Redacted.mark
  }
}
