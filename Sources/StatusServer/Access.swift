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
  /// Requests that a proxy passed on need no token either: they come from other machines.
  private let isOpenToOthers: Bool

  init(_ access: StatusAccess, isSocket: Bool) {
    isOpen = isSocket || access.readToken == nil
    isOpenToOthers = access.readToken == nil && access.allowUnauthenticated
    tokens = [access.readToken, access.runNowToken].compactMap(\.self)
    memberToken = access.memberToken
  }

  /// Why a request that shows no token may not read, with what helps.
  func refusal(isForwarded: Bool) -> String {
    isForwarded && isOpen
      ? "this request came through a proxy: set status.read_token, or status.allow_unauthenticated: true where the proxy authenticates"
      : "send status.read_token: Authorization: Bearer, or as the password of Authorization: Basic"
  }

  /// - Parameters:
  ///   - isShare: what is asked for is what members of a group add up.
  ///   - isForwarded: a proxy passed the request on.
  func admits(_ authorization: String?, isShare: Bool, isForwarded: Bool) -> Bool {
    if isForwarded ? isOpenToOthers : isOpen { return true }
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

  /// `nil` for another scheme, and for what is malformed. Of a name and a password the password counts.
  init?(_ header: String?) {
    guard let header else { return nil }
    let parts = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, let word = String(parts[0])?.lowercased() else { return nil }
    switch word {
    case "bearer": (scheme, secret) = (.bearer, Array(parts[1]))
    case "basic":
      guard let pair = Base64.bytes(String(Substring(parts[1])), limit: parts[1].count),
        let colon = pair.firstIndex(of: UInt8(ascii: ":"))
      else { return nil }
      (scheme, secret) = (.basic, Array(pair[(colon + 1)...]))
    default: return nil
    }
  }

  func matches(_ token: Redacted) -> Bool { equalInConstantTime(secret, Array(token.reveal().utf8)) }
}
