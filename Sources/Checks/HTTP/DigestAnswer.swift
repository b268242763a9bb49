// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Monitoring

/// Answers a Digest challenge by RFC 7616 (and RFC 2069 where there is no qop). Pure but for the client's nonce,
/// which is an argument.
struct DigestAnswer: Hashable, Sendable {
  enum Algorithm: String, CaseIterable, Hashable, Sendable {
    // From the strongest to the weakest: the strongest a server offers is taken.
    case sha256 = "SHA-256"
    case md5 = "MD5"
  }

  let realm: String
  let nonce: String
  let opaque: String?
  let algorithm: Algorithm
  /// The algorithm's word as the server wrote it; nil: it wrote none.
  let algorithmWord: String?
  /// `-sess`: the key depends on both nonces.
  let isSession: Bool
  /// `auth` is asked for; false: the server knows no qop.
  let hasQop: Bool
  let hashesUser: Bool
  /// The nonce before was too old: the credentials may be right all the same.
  let isStale: Bool

  /// `nil` for an unsupported challenge, or one that needs more than we have (`auth-int` alone, another algorithm).
  init?(_ challenge: AuthChallenge) {
    guard challenge.scheme == "digest", let realm = challenge.parameters["realm"],
      let nonce = challenge.parameters["nonce"], Self.isQuotable(realm), Self.isQuotable(nonce)
    else { return nil }
    let word = challenge.parameters["algorithm"]
    var name = (word ?? "MD5").uppercased()
    isSession = name.hasSuffix("-SESS")
    if isSession { name.removeLast(5) }
    guard let algorithm = Algorithm(word: name) else { return nil }
    if let qop = challenge.parameters["qop"] {
      let offered = qop.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
      guard offered.contains("auth") else { return nil }
      hasQop = true
    } else {
      hasQop = false
    }
    let opaque = challenge.parameters["opaque"]
    guard Self.isQuotable(opaque ?? "") else { return nil }
    self.realm = realm
    self.nonce = nonce
    self.opaque = opaque
    self.algorithm = algorithm
    algorithmWord = word
    hashesUser = challenge.parameters["userhash"]?.lowercased() == "true"
    isStale = challenge.parameters["stale"]?.lowercased() == "true"
  }

  /// The strongest of the challenges in an answer's headers that can be met.
  static func strongest(of values: [String]) -> DigestAnswer? {
    let answers = values.prefix(16).flatMap(AuthChallenge.parse).compactMap(DigestAnswer.init)
    return Algorithm.allCases.lazy.compactMap { wanted in answers.first { $0.algorithm == wanted } }.first
  }

  /// The request and its credentials.
  struct Request: Hashable, Sendable {
    var method: String
    /// Path and query, as in the request line.
    var uri: String
    var username: String
    var password: String
  }

  /// The value of the Authorization header.
  ///
  /// - Parameters:
  ///   - count: requests made with this nonce, this one included.
  ///   - clientNonce: fresh for each challenge.
  func header(_ request: Request, count: UInt32, clientNonce: String) -> String {
    let count = Base16.text(count, width: 8)
    var key = hash("\(request.username):\(realm):\(request.password)")
    if isSession { key = hash("\(key):\(nonce):\(clientNonce)") }
    let what = hash("\(request.method):\(request.uri)")
    let response = hash(
      hasQop ? "\(key):\(nonce):\(count):\(clientNonce):auth:\(what)" : "\(key):\(nonce):\(what)")
    let user = hashesUser ? hash("\(request.username):\(realm)") : request.username
    var parts = [
      "username=\(quoted(user))", "realm=\(quoted(realm))", "nonce=\(quoted(nonce))",
      "uri=\(quoted(request.uri))", "response=\"\(response)\"",
    ]
    if let algorithmWord { parts.append("algorithm=\(algorithmWord)") }
    if hasQop { parts += ["qop=auth", "nc=\(count)"] }
    if hasQop || isSession { parts.append("cnonce=\"\(clientNonce)\"") }
    if let opaque { parts.append("opaque=\(quoted(opaque))") }
    if hashesUser { parts.append("userhash=true") }
    return "Digest " + parts.joined(separator: ", ")
  }

  /// Sent back by us inside quotes, in a header.
  private static func isQuotable(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }

  private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private func hash(_ text: String) -> String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))  // bounded: a constant of OpenSSL
    var length: UInt32 = 0
    let bytes = Array(text.utf8)
    let kind = algorithm == .sha256 ? EVP_sha256() : EVP_md5()
    guard EVP_Digest(bytes, bytes.count, &digest, &length, kind, nil) == 1 else { return "" }
    // bounded: OpenSSL's own length, at most that constant
    return Base16.text(digest.prefix(Int(length)))
  }
}
