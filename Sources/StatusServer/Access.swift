// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Access to the status server, by the configuration.
package struct StatusAccess: Sendable {
  /// Token for running a check. `nil` disables it.
  package var runNowToken: Redacted?
  /// Token for reading over TCP. `nil` for none.
  package var readToken: Redacted?
  /// Token with which other members of the group read this agent's shares of the windows, and nothing else. `nil` where
  /// they read as all others do.
  package var memberToken: Redacted?
  /// Other machines may read without a token.
  package var allowUnauthenticated: Bool
  /// Names besides its addresses that the server answers to, lower case.
  package var hosts: [String]

  package init(
    runNowToken: Redacted? = nil, readToken: Redacted? = nil, allowUnauthenticated: Bool = false,
    hosts: [String] = [], memberToken: Redacted? = nil
  ) {
    self.memberToken = memberToken
    self.runNowToken = runNowToken
    self.readToken = readToken
    self.allowUnauthenticated = allowUnauthenticated
    self.hosts = hosts
  }

  /// Whether a server with this access may listen there at all.
  func permits(_ listen: ListenAddress) -> Bool {
    listen.isLocal || readToken != nil || allowUnauthenticated
  }
}

/// Guards reading: the token of `status.read_token`, or the one that can do more. Over a unix socket the file system
/// has said already who may ask.
struct ReadGate: Sendable {
  private let tokens: [Redacted]
  private let memberToken: Redacted?
  private let isOpen: Bool

  init(_ access: StatusAccess, isSocket: Bool) {
    isOpen = isSocket || access.readToken == nil
    tokens = [access.readToken, access.runNowToken].compactMap(\.self)
    memberToken = access.memberToken
  }

  /// - Parameter isShare: what is asked for is what members of a group add up.
  func admits(_ authorization: String?, isShare: Bool = false) -> Bool {
    if isOpen { return true }
    guard let shown = Credential(authorization) else { return false }
    let all = tokens + (isShare ? [memberToken].compactMap(\.self) : [])
    // Each is compared, so that the time does not tell which one it was.
    return all.reduce(false) { shown.matches($1) || $0 }
  }
}

/// Credential in an Authorization header.
struct Credential: Sendable {
  enum Scheme: Sendable {
    /// From a program, which sends it because it means to.
    case bearer
    /// From a browser, which sends it along by itself once a person has typed it.
    case basic
  }

  let scheme: Scheme
  private let secret: [UInt8]

  /// Nil for another scheme, and for what is malformed. Of a name and a password the password counts.
  init?(_ header: String?) {
    guard let header else { return nil }
    let parts = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, let word = String(parts[0])?.lowercased() else { return nil }
    switch word {
    case "bearer": (scheme, secret) = (.bearer, Array(parts[1]))
    case "basic":
      guard let pair = base64Decoded(parts[1]), let colon = pair.firstIndex(of: UInt8(ascii: ":")) else {
        return nil
      }
      (scheme, secret) = (.basic, Array(pair[(colon + 1)...]))
    default: return nil
    }
  }

  func matches(_ token: Redacted) -> Bool { equalInConstantTime(secret, Array(token.reveal().utf8)) }
}

/// RFC 4648, section 4; nil unless it is whole, with its padding.
private func base64Decoded(_ text: Substring.UTF8View) -> [UInt8]? {
  var bytes: [UInt8] = []
  var bits: UInt32 = 0
  var count = 0
  var padding = 0
  for byte in text {
    guard let value = base64Value(byte) else {
      guard byte == UInt8(ascii: "=") else { return nil }
      padding += 1
      continue
    }
    guard padding == 0 else { return nil }
    bits = bits << 6 | value
    count += 1
    if count % 4 == 0 {
      bytes += [
        UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
        UInt8(truncatingIfNeeded: bits),
      ]
    }
  }
  switch (count % 4, padding) {
  case (0, 0): break
  case (2, 2): bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
  case (3, 1): bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
  default: return nil
  }
  return bytes
}

private func base64Value(_ byte: UInt8) -> UInt32? {
  switch byte {
  case 0x41...0x5a: UInt32(byte) - 0x41
  case 0x61...0x7a: UInt32(byte) - 0x61 + 26
  case 0x30...0x39: UInt32(byte) - 0x30 + 52
  case UInt8(ascii: "+"): 62
  case UInt8(ascii: "/"): 63
  default: nil
  }
}
