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
    secrets.reduce(text) { text, secret in
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
  // What is shorter is no secret, and hiding a "1" everywhere would make the rest unreadable.
  var plain = settings.headers.map { $0.value.reveal() }.filter { $0.utf8.count >= 4 }
  if let body = settings.body { plain.append(body.reveal()) }
  if let query = settings.url.query { plain.append(query) }
  if let password = settings.proxy?.password { plain.append(password.reveal()) }
  switch settings.auth {
  case .basic(let username, let password), .digest(let username, let password):
    plain += [password.reveal(), "\(username):\(password.reveal())"]
  case .bearer(let token): plain.append(token.reveal())
  case .oauth2(let settings): plain.append(settings.clientSecret.reveal())
  case nil: break
  }
  let forms = plain.filter { !$0.isEmpty }.flatMap(echoes)
  return Set(forms).sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
}

private let lowerDigits = Array("0123456789abcdef".utf8)
private let upperDigits = Array("0123456789ABCDEF".utf8)

/// As people's frameworks and debug pages repeat a text: as it is, in base64, percent form and hexadecimal, inside a
/// JSON string and inside HTML.
private func echoes(of text: String) -> [String] {
  [
    text, base64(Array(text.utf8)), percentForm(text, upperDigits), percentForm(text, lowerDigits),
    hexForm(text, lowerDigits), hexForm(text, upperDigits), jsonForm(text), htmlForm(text),
  ]
}

private func hexForm(_ text: String, _ digits: [UInt8]) -> String {
  String(decoding: text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
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
