// SPDX-License-Identifier: MIT

import Monitoring

/// Takes a check's secrets out of what its target said: a page that repeats its request must not bring them into a
/// result.
///
/// A class for one judgement: the forms are made when something is to be shown, which most probes never do.
final class SecretMask {
  private let settings: HTTPSettings
  private lazy var secrets = forms(of: settings)

  init(_ settings: HTTPSettings) { self.settings = settings }

  func hide(_ text: String) -> String {
    let shown = EscapedText(text)?.hiding(secrets) ?? text
    return secrets.reduce(shown) { text, secret in
      text.utf8.count < secret.utf8.count ? text : text.replacing(secret, with: Redacted.mark)
    }
  }

  /// The beginning of a body as one printable line of at most 1 KiB, cut after the secrets have gone; nil when there
  /// is none.
  func excerpt(of body: [UInt8]) -> String? {
    guard !body.isEmpty else { return nil }
    return hide(String(decoding: body.prefix(64 * 1024), as: UTF8.self)).printable(maxBytes: 1024)
  }
}

/// The longest first, so that no part of a secret is left over from a shorter one.
private func forms(of settings: HTTPSettings) -> [String] {
  var plain = settings.headers.map { $0.value.reveal() }
  for header in settings.headers where !harmless.contains(header.name.lowercased()) {
    plain += parts(of: header.value.reveal()) { " ;,=".utf8.contains($0) }
  }
  if let body = settings.body?.reveal() { plain += [body] + bodyParts(body) }
  if settings.url.hidesPath {
    plain += [settings.url.path] + parts(of: settings.url.path) { $0 == UInt8(ascii: "/") }
  }
  if let query = settings.url.query { plain += [query] + pairs(query) }
  if let password = settings.proxy?.password { plain.append(password.reveal()) }
  // What is shorter is no secret, and hiding a "1" everywhere would make the rest unreadable.
  plain.removeAll { $0.utf8.count < 4 }
  switch settings.auth {
  case .basic(let username, let password), .digest(let username, let password):
    plain += [password.reveal(), "\(username):\(password.reveal())"]
  case .bearer(let token): plain.append(token.reveal())
  case .oauth2(let settings): plain.append(settings.clientSecret.reveal())
  case nil: break
  }
  let forms = plain.filter { !$0.isEmpty }.flatMap(secretEchoes)
  return Set(forms).sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
}

/// Headers whose words are everybody's: only their whole value is hidden.
private let harmless: Set<String> = [
  "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection",
  "content-type",
  "host", "origin", "pragma", "range", "referer", "user-agent",
]

/// A server tells of one cookie, one token, one field: each part is a secret of its own.
private func parts(of text: String, separator: (UInt8) -> Bool) -> [String] {
  text.utf8.split(whereSeparator: separator).compactMap { String($0) }
}

private func bodyParts(_ body: String) -> [String] {
  if let document = try? JSONValue.parse(Array(body.utf8)) { return strings(in: document) }
  return body.contains("=") ? pairs(body) : parts(of: body) { $0 <= 0x20 }
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
  parts(of: text) { "&;".utf8.contains($0) }.flatMap { pair -> [String] in
    let value = String(pair.drop { $0 != "=" }.dropFirst())
    return [value] + [percentDecoded(value.replacing("+", with: " "))].compactMap { $0 }
  }
}
