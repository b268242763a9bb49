// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Takes a check's secrets out of what its target said: a page that repeats its request must not bring them into a
/// result.
///
/// A class for one judgement: the forms are made when something is to be shown, which most probes never do.
final class SecretMask: Sendable {
  private let settings: HTTPSettings
  private let made = Mutex<(all: SecretWords?, inURLs: SecretWords?)>((nil, nil))

  private var secrets: SecretWords {
    made.withLock { made in
      if let all = made.all { return all }
      let all = words(of: settings)
      made.all = all
      return all
    }
  }

  private var secretsInURLs: SecretWords {
    made.withLock { made in
      if let words = made.inURLs { return words }
      let words = words(of: settings, withHarmless: false)
      made.inURLs = words
      return words
    }
  }

  init(_ settings: HTTPSettings) { self.settings = settings }

  func hide(_ text: String) -> String { secrets.hide(text) }

  /// A header of the answer. A media type that the check's `Accept` names as well is no secret.
  func hide(_ text: String, ofHeader name: String) -> String {
    ByteText(name.lowercased()) == "content-type" ? secretsInURLs.hide(text) : secrets.hide(text)
  }

  /// Where an answer led, as results show it, cut to the length that a check's own URL may have. That URL stands in its
  /// result anyway, and so may the name in its `Host`.
  func shown(_ url: HTTPURL) -> String {
    let text = url.display
    if url == settings.url { return text }
    let scheme = "\(url.scheme.rawValue)://"
    let rest = secretsInURLs.hide(String(decoding: text.utf8.dropFirst(scheme.utf8.count), as: UTF8.self))
    return (scheme + rest).printable(maxBytes: 2048)
  }

  /// A host an answer led to.
  func shown(host: String) -> String { host == settings.url.host ? host : secretsInURLs.hide(host) }

  /// Words that may name the host an answer led to.
  func shown(_ verdict: Verdict) -> Verdict { verdict.hiding(secretsInURLs) }

  func shown(words: String) -> String { secretsInURLs.hide(words) }

  /// The beginning of a body as one printable line of at most 1 KiB, cut after the secrets have gone; nil when there
  /// is none.
  func excerpt(of body: [UInt8]) -> String? {
    guard !body.isEmpty else { return nil }
    let start = Array(body.prefix(Self.looked))
    // As bytes: what is no UTF-8 would be three times as long as text. Each byte is shown as one at least.
    let shown = (secrets.hide(start) ?? start).prefix(Self.shown + 3)
    return String(decoding: shown, as: UTF8.self).printable(maxBytes: Self.shown)
  }

  /// Bytes of a body that are looked at, and that are shown.
  private static let (looked, shown) = (64 * 1024, 1024)
}

/// - Parameter withHarmless: whether the values of headers that are everybody's are to be hidden too.
private func words(of settings: HTTPSettings, withHarmless: Bool = true) -> SecretWords {
  let headers = settings.headers.filter { withHarmless || !isHarmless($0.name) }
  var plain = headers.map { $0.value.reveal() }
  plain += settings.headers.filter { !isHarmless($0.name) }.flatMap(\.secretParts)
  if let body = settings.body?.reveal() { plain += [body] + bodyParts(body) }
  if settings.url.hidesPath {
    plain += [settings.url.path] + settings.url.path.parts { $0 == UInt8(ascii: "/") }
  }
  if let query = settings.url.query { plain += [query] + pairs(query) }
  if let password = settings.proxy?.password { plain.append(password.reveal()) }
  plain += settings.secrets.all.map { $0.reveal() }
  // What is shorter is no secret, and hiding a "1" everywhere would make the rest unreadable.
  plain.removeAll { $0.utf8.count < 4 }
  switch settings.auth {
  case .basic(let username, let password), .digest(let username, let password):
    plain += [password.reveal(), "\(username):\(password.reveal())"]
  case .bearer(let token): plain.append(token.reveal())
  case .oauth2(let settings): plain.append(settings.clientSecret.reveal())
  case nil: break
  }
  // A host has no capitals (RFC 3986 section 3.2.2).
  return SecretWords(withHarmless ? plain : plain + plain.map { $0.lowercased() })
}

/// Headers whose words are everybody's: only their whole value is hidden.
private let harmless: Set<ByteText> = [
  "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection",
  "content-type",
  "host", "origin", "pragma", "range", "referer", "user-agent",
]

private func isHarmless(_ name: String) -> Bool { harmless.contains(ByteText(name.lowercased())) }

private func bodyParts(_ body: String) -> [String] {
  if let document = try? JSONValue.parse(Array(body.utf8)) { return strings(in: document) }
  return body.contains("=") ? pairs(body) : body.parts { $0 <= 0x20 }
}

private func strings(in value: JSONValue) -> [String] {
  switch value {
  case .string(let text): [text]
  case .number(let digits): [digits]
  case .array(let items): items.flatMap(strings)
  case .object(let members): members.flatMap { strings(in: $0.value) }
  case .bool, .null: []
  }
}

/// The values of a query or a form, as they are written and as they are meant.
private func pairs(_ text: String) -> [String] {
  text.parts { "&;".utf8.contains($0) }.flatMap { pair -> [String] in
    let value = String(decoding: pair.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst(), as: UTF8.self)
    return [value] + [percentDecoded(value.replacing("+", with: " "))].compactMap { $0 }
  }
}
