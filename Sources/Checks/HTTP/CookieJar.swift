// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The cookies of one attempt, from hop to hop: RFC 6265, in memory, gone with the attempt. Pure.
///
/// There is no list of public suffixes: a `Domain` must be the host or a parent of at least two labels, which is
/// enough where a cookie lives no longer than the chain of redirects that set it.
struct CookieJar: Hashable, Sendable {
  static let maximumCookies = 50
  /// Of one cookie, name and value, and of one header.
  static let maximumBytes = 4096
  static let maximumHeaderBytes = 16 * 1024

  struct Cookie: Hashable, Sendable {
    var name: String
    var value: String
    /// Lower case.
    var domain: String
    /// The host itself, none of its subdomains.
    var isHostOnly: Bool
    var path: String
    var isSecure: Bool
    var expires: Timestamp?

    /// Whether it is what its name promises, as browsers demand: `__Secure-` comes over TLS alone, and `__Host-` is
    /// moreover of this host and all its paths.
    var keepsItsPrefix: Bool {
      let name = name.lowercased()
      if name.hasPrefix("__host-") { return isSecure && isHostOnly && path == "/" }
      return isSecure || !name.hasPrefix("__secure-")
    }
  }

  private(set) var cookies: [Cookie] = []

  /// Takes the `Set-Cookie` values of an answer.
  mutating func take(_ values: some Sequence<String>, from url: HTTPURL, at now: Timestamp) {
    for value in values {
      guard let cookie = Self.parse(value, from: url, at: now) else { continue }
      cookies.removeAll { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path }
      let isOver = cookie.expires.map { $0 <= now } ?? false
      if !isOver, cookies.count < Self.maximumCookies { cookies.append(cookie) }
    }
  }

  /// The value of the `Cookie` header for a request: longer paths first, else in the order they came (section 5.4).
  /// `nil` for none.
  func header(for url: HTTPURL, at now: Timestamp) -> String? {
    let fitting = cookies.enumerated().filter { _, cookie in
      let isForHost = cookie.isHostOnly ? url.host == cookie.domain : Self.matches(url.host, cookie.domain)
      return isForHost && Self.matches(path: url.path, cookie.path)
        && (!cookie.isSecure || url.scheme == .https)
        && (cookie.expires.map { $0 > now } ?? true)
    }
    let ordered = fitting.sorted { one, other in
      let (left, right) = (one.element.path.utf8.count, other.element.path.utf8.count)
      return left == right ? one.offset < other.offset : left > right
    }
    var text = ""
    for (_, cookie) in ordered {
      let pair = cookie.name.isEmpty ? cookie.value : "\(cookie.name)=\(cookie.value)"
      guard text.utf8.count + pair.utf8.count + 2 <= Self.maximumHeaderBytes else { break }
      text += text.isEmpty ? pair : "; " + pair
    }
    return text.isEmpty ? nil : text
  }

  /// Section 5.2 and 5.3. `nil` for a cookie to be ignored.
  private static func parse(_ text: String, from url: HTTPURL, at now: Timestamp) -> Cookie? {
    // Controls would break the header they are sent back in.
    guard text.utf8.count <= 2 * maximumBytes,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
    else { return nil }
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard let pair = parts.first, let mark = pair.firstIndex(of: "=") else { return nil }
    let name = pair[..<mark].withoutBlanks
    let value = pair[pair.index(after: mark)...].withoutBlanks
    guard !name.isEmpty, name.utf8.count + value.utf8.count <= maximumBytes else { return nil }
    var cookie = Cookie(
      name: name, value: value, domain: url.host, isHostOnly: true, path: defaultPath(url.path),
      isSecure: false)
    var maxAge: Timestamp?
    for part in parts.dropFirst().prefix(32) {
      let mark = part.firstIndex(of: "=") ?? part.endIndex
      let content = mark == part.endIndex ? "" : part[part.index(after: mark)...].withoutBlanks
      switch part[..<mark].withoutBlanks.lowercased() {
      case "domain": guard set(domain: content, of: &cookie, for: url.host) else { return nil }
      case "path": if content.hasPrefix("/") { cookie.path = content }
      case "secure": cookie.isSecure = true
      case "expires": cookie.expires = cookieDate(content)
      case "max-age": maxAge = end(maxAge: content, from: now) ?? maxAge
      default: break
      }
    }
    // A plain connection cannot speak for encrypted ones.
    if cookie.isSecure, url.scheme != .https { return nil }
    guard cookie.keepsItsPrefix else { return nil }
    cookie.expires = maxAge ?? cookie.expires
    return cookie
  }

  /// False for a cookie of another host.
  private static func set(domain text: String, of cookie: inout Cookie, for host: String) -> Bool {
    let domain = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
    if domain.isEmpty { return true }
    guard matches(host, domain) else { return false }
    // A host without a dot, or an address, is nobody's parent.
    guard domain.contains("."), IPAddress(domain) == nil else { return domain == host }
    cookie.domain = domain
    cookie.isHostOnly = false
    return true
  }

  private static func end(maxAge text: String, from now: Timestamp) -> Timestamp? {
    guard let seconds = Int64(text) else { return nil }
    return now.advanced(by: .seconds(min(max(seconds, 0), 400 * 86_400)))
  }

  /// Section 5.1.3.
  private static func matches(_ host: String, _ domain: String) -> Bool {
    host == domain || (host.hasSuffix("." + domain) && IPAddress(host) == nil)
  }

  /// Section 5.1.4.
  private static func matches(path: String, _ prefix: String) -> Bool {
    guard path.hasPrefix(prefix) else { return false }
    return path.utf8.count == prefix.utf8.count || prefix.hasSuffix("/")
      || path.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
  }

  private static func defaultPath(_ path: String) -> String {
    guard let last = path.lastIndex(of: "/"), last != path.startIndex else { return "/" }
    return String(path[..<last])
  }
}
