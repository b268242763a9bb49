// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status
import Synchronization

/// Lets people in by a token that they type once, and knows them again by a cookie.
///
/// The cookie holds until when it is good, what its holder may do, their name, and a MAC over that, keyed with the token it was
/// made for: it survives a restart, and ends when the token changes or is signed out.
final class SignInDesk: Sendable {
  enum Answer: Hashable, Sendable {
    /// With the cookie's value.
    case welcome(SignedInPerson, cookie: String)
    case wrong
    /// Too many wrong tokens; seconds until the next try.
    case later(Int)
    /// No token is set.
    case off
  }

  /// When wrong tokens came, by address.
  private typealias Failures = [String: [Timestamp]]  // own text: addresses, bounded by `maxOrigins`

  private struct State {
    /// By origin.
    var failures: Failures = [:]
    /// By the peer that names the origins, where these may be made up.
    var relayed: Failures = [:]
    /// Cookies that were signed out before their end.
    var ended: [String: Timestamp] = [:]  // own text: MACs of our own, bounded by `maxEnded`
  }

  /// Without a port. Browsers send a host's cookies to each of its ports (RFC 6265, section 8.5).
  static let cookie = "quartz_session"
  static let lifetime: Duration = .seconds(30 * 86_400)
  /// Wrong tokens within the window: from one origin, and from all. Beyond the second an origin without one still has a try.
  static let (perOrigin, perWindow) = (5, 50)
  static let window: Duration = .seconds(60)
  private static let (maxOrigins, maxEnded) = (256, 1000)

  private let runToken: Redacted?
  private let readToken: Redacted?
  private let state = Mutex(State())

  init(_ access: StatusAccess) { (runToken, readToken) = (access.runNowToken, access.readToken) }

  var isOn: Bool { runToken != nil || readToken != nil }

  /// - Parameters:
  ///   - origin: see `IPAddress.origin`.
  ///   - relay: origin of the peer that names this one and may write whatever it likes: all of its origins together have the
  ///     tries of a window. `nil` where the origin is known.
  func signIn(
    _ token: String, name: String, from origin: String, through relay: String? = nil, now: Timestamp
  ) -> Answer {
    guard isOn else { return .off }
    if let wait = state.withLock({ Self.wait(&$0, origin, relay, now) }) { return .later(wait) }
    let shown = Array(token.utf8)
    // Each is compared, so that the time does not tell which one it was.
    let mayAct = runToken.map { equalInConstantTime(shown, Array($0.reveal().utf8)) } ?? false
    let mayRead = readToken.map { equalInConstantTime(shown, Array($0.reveal().utf8)) } ?? false
    guard mayAct || mayRead else {
      state.withLock { state in
        Self.note(&state.failures, origin, now)
        if let relay { Self.note(&state.relayed, relay, now) }
      }
      return .wrong
    }
    let clean = name.printable(maxBytes: 40)
    let person = SignedInPerson(name: clean.isEmpty ? nil : clean, mayAct: mayAct)
    return .welcome(person, cookie: make(person, until: now.advanced(by: Self.lifetime)))
  }

  /// Forgets what is old, and says how long this origin has to wait. One that has not guessed never waits for those that do.
  private static func wait(_ state: inout State, _ origin: String, _ relay: String?, _ now: Timestamp) -> Int?
  {
    (state.failures, state.relayed) = (recent(state.failures, now), recent(state.relayed, now))
    if let all = relay.flatMap({ state.relayed[$0] }), all.count >= perWindow, let oldest = all.first {
      return seconds(from: now, after: oldest)
    }
    guard let own = state.failures[origin], let oldest = own.first else { return nil }
    let all = state.failures.values.reduce(0) { $0 + $1.count }
    guard own.count >= perOrigin || all >= perWindow else { return nil }
    return seconds(from: now, after: oldest)
  }

  private static func recent(_ failures: Failures, _ now: Timestamp) -> Failures {
    let first = now.advanced(by: .zero - window)
    return failures.compactMapValues { instants in
      let kept = instants.filter { $0 > first && $0 <= now }
      return kept.isEmpty ? nil : kept
    }
  }

  private static func seconds(from now: Timestamp, after oldest: Timestamp) -> Int {
    max(1, Int(now.duration(to: oldest.advanced(by: window)).seconds.rounded(.up)))
  }

  /// The origin whose last wrong token is oldest makes room.
  private static func note(_ failures: inout Failures, _ origin: String, _ now: Timestamp) {
    if failures[origin] == nil, failures.count >= maxOrigins {
      let oldest = failures.min { ($0.value.last ?? now) < ($1.value.last ?? now) }
      if let oldest { failures[oldest.key] = nil }
    }
    failures[origin, default: []].append(now)
  }

  /// The person that a Cookie header shows; `nil` for none, and for one that is not ours, over, or signed out.
  ///
  /// - Parameter port: of the page, as the browser knows it: see `StatusRequest.port`.
  func person(_ header: String?, at port: UInt16? = nil, now: Timestamp) -> SignedInPerson? {
    Self.pairs(header, port).lazy.compactMap { self.person(of: $0.value, now: now) }.first
  }

  private func person(of value: String, now: Timestamp) -> SignedInPerson? {
    let parts = value.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, let key = key(parts[1]), let until = Int64(parts[0]),
      let mac = Base16.bytes(parts[4]), let name = Base16.bytes(parts[2]),
      equalInConstantTime(mac, hmacSHA256(key: key, Array(parts[..<4].joined(separator: ".").utf8))),
      Timestamp(microseconds: until) > now, state.withLock({ $0.ended[parts[4]] == nil })
    else { return nil }
    return SignedInPerson(
      name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self), mayAct: parts[1] == "act")
  }

  /// These cookies are good for nothing from now on, until the agent restarts.
  ///
  /// - Returns: the names of those that were good.
  @discardableResult
  func end(_ header: String?, at port: UInt16? = nil, now: Timestamp) -> [String] {
    let good = Self.pairs(header, port).filter { person(of: $0.value, now: now) != nil }
    for pair in good { end(pair.value, now) }
    return good.map(\.name)
  }

  private func end(_ value: String, _ now: Timestamp) {
    guard let mac = value.split(separator: ".").last else { return }
    state.withLock { state in
      state.ended = state.ended.filter { $0.value > now }
      if state.ended.count >= Self.maxEnded, let oldest = state.ended.min(by: { $0.value < $1.value }) {
        state.ended[oldest.key] = nil
      }
      state.ended[String(mac)] = now.advanced(by: Self.lifetime)
    }
  }

  private func make(_ person: SignedInPerson, until: Timestamp) -> String {
    let rights = person.mayAct ? "act" : "read"
    let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
    let payload =
      "\(until.microseconds).\(rights).\(Base16.text(Array((person.name ?? "").utf8))).\(nonce)"
    guard let key = key(rights) else { return "" }
    return payload + "." + Base16.text(hmacSHA256(key: key, Array(payload.utf8)))
  }

  private func key(_ rights: String) -> [UInt8]? {
    let token = rights == "act" ? runToken : rights == "read" ? readToken : nil
    return token.map { hmacSHA256(key: Array($0.reveal().utf8), Array("quartz-agent session".utf8)) }
  }

  /// Those of TLS first. A browser that was here before TLS sends the old one too, and first (RFC 6265, section 5.4). Those
  /// without a port last: they may be of a time when every agent had them.
  private static func pairs(_ header: String?, _ port: UInt16?) -> [(name: String, value: String)] {
    let pairs = (header ?? "").split(separator: ";").prefix(64).map { $0.split(separator: "=", maxSplits: 1) }
    let names = (port == nil ? [nil] : [port, nil]).flatMap { [name($0, true), name($0, false)] }
    return names.flatMap { wanted in
      pairs.filter { $0.count == 2 && $0[0].drop { $0 == " " } == wanted }.map { (wanted, String($0[1])) }
    }
  }

  private static func name(_ port: UInt16?, _ isEncrypted: Bool) -> String {
    (isEncrypted ? "__Host-" : "") + cookie + (port.map { "_\($0)" } ?? "")
  }

  /// The Set-Cookie header: no script sees the cookie, no other site makes the browser send it, and behind TLS it goes over TLS
  /// alone. An empty value ends it.
  static func header(_ value: String, at port: UInt16?, isEncrypted: Bool) -> String {
    header(name(port, isEncrypted), value)
  }

  /// The Set-Cookie header that ends the cookie of a name.
  static func ending(_ name: String) -> String { header(name, "") }

  private static func header(_ name: String, _ value: String) -> String {
    let age = value.isEmpty ? 0 : Int(lifetime.seconds)
    // Without Secure a browser ignores the end of one with the prefix.
    let secure = name.hasPrefix("__Host-") ? "; Secure" : ""
    return "\(name)=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict\(secure)"
  }
}
