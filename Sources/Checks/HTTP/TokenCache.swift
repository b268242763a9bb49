// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Tokens of OAuth 2 in memory, each until 80 % of its life is over.
final class TokenCache: Sendable {
  /// Everything a token may depend on: checks that share all of it share the token.
  struct Key: Hashable, Sendable {
    var settings: OAuth2Settings
    var origin: CheckOrigin
    var tls: TLSOptions
    var proxy: ProxySettings?
  }

  private struct Entry {
    var token: String
    var until: Instant
  }

  /// Of the checks of one origin: those of the API push out no token of the file's.
  private static let capacity = 1024

  private let entries = Mutex<[CheckOrigin: [Key: Entry]]>([:])

  func token(for key: Key, at now: Instant = .now) -> String? {
    entries.withLock { entries in entries[key.origin]?[key].flatMap { $0.until > now ? $0.token : nil } }
  }

  /// - Parameter lifetime: as the server gave it; `nil` when it did not, and the token is not kept.
  func keep(_ token: String, for key: Key, lifetime: Duration?, at now: Instant = .now) {
    guard let lifetime else { return }
    entries.withLock { entries in
      var own = entries.removeValue(forKey: key.origin) ?? [:]
      if own[key] == nil, own.count >= Self.capacity { Self.makeRoom(&own, at: now) }
      own[key] = Entry(token: token, until: now + lifetime * 4 / 5)
      entries[key.origin] = own
    }
  }

  /// Those that are over go, else the one that would be over first.
  private static func makeRoom(_ entries: inout [Key: Entry], at now: Instant) {
    entries = entries.filter { $0.value.until > now }
    guard entries.count >= capacity, let next = entries.min(by: { $0.value.until < $1.value.until }) else {
      return
    }
    entries[next.key] = nil
  }

  /// The server refused this token; another one that came meanwhile stays.
  func drop(_ token: String, for key: Key) {
    entries.withLock { if $0[key.origin]?[key]?.token == token { $0[key.origin]?[key] = nil } }
  }
}
