// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// The client credentials grant on the wire: RFC 6749 section 4.4. Pure.
struct TokenRequest {
  /// How the client proves who it is: section 2.3.1. All servers must take the header; some do not.
  enum Proof: Hashable, Sendable { case header, body }

  // bounded: a byte's halves, and constants
  static let maximumAnswer = 64 * 1024

  let settings: OAuth2Settings
  let proof: Proof

  func transfer(userAgent: String) -> TransferRequest {
    let secret = settings.clientSecret.reveal()
    var fields = [("grant_type", "client_credentials")]
    if !settings.scopes.isEmpty { fields.append(("scope", settings.scopes.joined(separator: " "))) }
    if proof == .body { fields += [("client_id", settings.clientID), ("client_secret", secret)] }
    var request = TransferRequest(
      url: settings.tokenURL.text, goal: .body(limit: Self.maximumAnswer), method: "POST",
      headers: [
        HeaderField("User-Agent", userAgent), HeaderField("Accept", "application/json"),
        HeaderField("Content-Type", "application/x-www-form-urlencoded"),
      ])
    if proof == .header {
      let login = "\(formEncoded(settings.clientID)):\(formEncoded(secret))"
      request.headers.append(HeaderField("Authorization", "Basic " + Base64.text(login.utf8)))
    }
    let body = fields.map { "\($0)=\(formEncoded($1))" }.joined(separator: "&")
    request.body = Array(body.utf8)
    // As every request with a body, see HTTPStep.
    request.httpVersion = .http11
    return request
  }
}

/// A token endpoint's answer. Pure; nothing of it is repeated but the error codes of RFC 6749.
enum TokenAnswer: Hashable {
  /// - lifetime: nil: the server does not say, so the token is used once.
  case token(String, lifetime: Duration?)
  /// In words for a message.
  case refused(String, isAboutClient: Bool)

  init(_ report: TransferReport) {
    guard let status = report.statusCode else {
      self = .refused("no answer", isAboutClient: false)
      return
    }
    let json = try? JSONValue.parse(report.body, maxDepth: 16)
    let code = json?["error"]?.string.flatMap { Self.errors.contains(ByteText($0)) ? $0 : nil }
    // Some servers refuse with status 200.
    guard status == 200, code == nil || json?["access_token"] != nil else {
      self = .refused(
        "status \(status)" + (code.map { ", \($0)" } ?? ""),
        isAboutClient: status == 401 || code == "invalid_client")
      return
    }
    guard let json else {
      self = .refused("an answer that is no JSON", isAboutClient: false)
      return
    }
    if let type = json["token_type"]?.string, type.lowercased() != "bearer" {
      self = .refused("a token that is no bearer token", isAboutClient: false)
      return
    }
    guard let token = json["access_token"]?.string, (1...8192).contains(token.utf8.count),
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else {
      self = .refused("no usable access_token", isAboutClient: false)
      return
    }
    // Some servers send the number as text.
    let seconds = json["expires_in"].flatMap { $0.double ?? $0.string.flatMap(Double.init) }
    self = .token(token, lifetime: seconds.flatMap { $0 > 0 ? .seconds(min($0, 86_400)) : nil })
  }

  /// Section 5.2.
  private static let errors: Set<ByteText> = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope",
  ]
}

/// `application/x-www-form-urlencoded`: RFC 6749 appendix B.
private func formEncoded(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "*"):
      bytes.append(byte)
    case 0x20: bytes.append(UInt8(ascii: "+"))
    // bounded: a byte's halves
    default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
