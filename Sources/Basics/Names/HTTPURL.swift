// SPDX-License-Identifier: MIT

/// An absolute http or https URL, checked so strictly that every parser reads it the same way.
///
/// A host in letters outside ASCII becomes its A-labels, and a path or query its percent-encoding (RFC 3987, section
/// 3.1). Dot segments of the path are removed (RFC 3986, section 5.2.4), so that what is signed, compared and shown is the
/// path that is requested. Refused: user info, zone ids, control characters, spaces, backslashes, numeric hosts that are
/// not canonical (`0x7f.1`, `2130706433`, `127.1`), and more than 2 KiB. So what was judged is what is dialled.
package struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, CaseIterable, Hashable, Sendable {
    case http, https

    package var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  /// Scheme, host and port that credentials belong to.
  package struct Origin: Hashable, Sendable {
    package var scheme: Scheme
    package var host: String
    package var port: UInt16
  }

  package let scheme: Scheme
  /// Lower case, without brackets and without a trailing dot's loss: `example.com.` keeps its dot.
  package let host: String
  package let port: UInt16
  /// Starts with a slash; without the query.
  package let path: String
  /// Without the question mark; nil when there is none.
  package let query: String?
  /// A part of it came from a secret source, so that the path is not shown either.
  private(set) package var hidesPath = false

  package var endpoint: Endpoint { Endpoint(host: host, port: port) }
  package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

  /// The target of the request, without a fragment.
  package var text: String { query.map { withoutQuery + "?" + $0 } ?? withoutQuery }
  /// Made once: every request and every result has it.
  private let withoutQuery: String

  /// For results and logs: no query, no fragment; a query may carry a secret.
  package var display: String {
    hidesPath && path != "/" ? "\(scheme.rawValue)://\(authority)/\(Redacted.mark)" : withoutQuery
  }

  /// The same, with its path kept out of what is shown.
  package var hidingPath: HTTPURL {
    var url = self
    url.hidesPath = true
    return url
  }

  package var description: String { display }

  /// `host`, or `host:port` where the port is not the scheme's; IPv6 in brackets.
  package var authority: String { Self.authority(scheme, host, port) }

  private static func authority(_ scheme: Scheme, _ host: String, _ port: UInt16) -> String {
    let name = bracketed(host)
    return port == scheme.defaultPort ? name : "\(name):\(port)"
  }

  /// - Throws: `Invalid` with words that follow "url", such as "has no host".
  package init(_ text: String) throws(Invalid) { try self.init(text, limit: Self.limit) }

  /// Longest URL of a configuration and longest Location, in bytes. RFC 9110, section 4.1, recommends 8,000 octets at
  /// least, and requests for a login are that long.
  private static let (limit, locationLimit) = (2048, 8000)

  private init(_ text: String, limit: Int) throws(Invalid) {
    guard text.utf8.count <= limit else { throw Invalid("is longer than \(limit) bytes") }
    guard !text.unicodeScalars.contains(where: isForbidden) else {
      throw Invalid("contains a space or a control character")
    }
    let text = try asciiForm(of: text)
    guard text.utf8.count <= limit else { throw Invalid("is longer than \(limit) bytes once it is in ASCII") }
    guard !text.utf8.contains(UInt8(ascii: "\\")) else { throw Invalid("contains a backslash") }
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
      throw Invalid.noScheme
    }
    guard let scheme = Scheme(word: text[..<colon].lowercased()) else {
      throw Invalid(
        "has the scheme \"\(text[..<colon])\"; only http and https are probed",
        fixedWords: "has a scheme other than http and https")
    }
    let rest = text[text.index(colon, offsetBy: 3)...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let (host, port) = try Self.authority(rest[..<end])
    self.scheme = scheme
    self.host = host
    self.port = port ?? scheme.defaultPort
    let (path, query) = splitPath(rest[end...])
    (self.path, self.query) = (removingDotSegments(path), query)
    self.withoutQuery = "\(scheme.rawValue)://\(Self.authority(scheme, self.host, self.port))\(self.path)"
  }

  /// Stands in settings that have a url until theirs is read; no host, so nothing can be reached by it.
  package static let unset = HTTPURL(
    .https, Origin(scheme: .https, host: "", port: 443), path: "/", query: nil)

  private init(_ scheme: Scheme, _ origin: Origin, path: String, query: String?) {
    self.scheme = scheme
    self.host = origin.host
    self.port = origin.port
    self.path = path
    self.query = query
    self.withoutQuery = "\(scheme.rawValue)://\(Self.authority(scheme, origin.host, origin.port))\(path)"
  }

  private static func authority(_ text: Substring) throws(Invalid) -> (host: String, port: UInt16?) {
    guard !text.isEmpty else { throw Invalid("has no host") }
    guard !text.contains("@") else {
      throw Invalid("must not contain user info; use auth instead", fixedWords: "contains user info")
    }
    var host = text[...]
    var port: UInt16?
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else { throw Invalid("has an unclosed [") }
      host = text[text.index(after: text.startIndex)..<close]
      let rest = text[text.index(after: close)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw Invalid("has text after ]") }
      if !rest.isEmpty { port = try parsePort(rest.dropFirst()) }
      if hasZone(host) { throw Invalid("has an address with a zone, and zones are not supported") }
      guard let address = IPAddress(host), address.version == 6 else {
        throw Invalid("has an invalid IPv6 address in brackets")
      }
      return (address.description, port)
    }
    if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = try parsePort(text[text.index(after: colon)...])
    }
    guard !host.isEmpty else { throw Invalid("has no host") }
    if let problem = hostProblem(host) { throw Invalid("has a host \(problem)") }
    return (host.lowercased(), port)
  }

  /// Why an URL was refused.
  package struct Invalid: Error, Hashable, Sendable {
    package let message: String
    /// The same without any part of the URL, for one that a server sent.
    package let fixedWords: String

    init(_ message: String, fixedWords: String? = nil) {
      self.message = message
      self.fixedWords = fixedWords ?? message
    }

    fileprivate static let noScheme = Invalid(
      "must start with http:// or https://", fixedWords: "does not start with http:// or https://")
  }
}

extension HTTPURL {
  /// The URL a `Location` of this one leads to: RFC 3986, section 5.2, the fragment dropped.
  package func resolving(location: String) throws(Invalid) -> HTTPURL {
    guard !location.isEmpty else { throw Invalid("is empty") }
    if location.hasPrefix("//") { return try target(plainForm("\(scheme):\(location)")) }
    if hasScheme(location) { return try target(plainForm(location)) }
    // Judged as a whole once joined, fragment included, so that a relative reference cannot smuggle what an absolute
    // one may not.
    let joined: String
    if location.hasPrefix("/") {
      joined = location
    } else if location.hasPrefix("?") {
      joined = path + location
    } else if location.hasPrefix("#") {
      joined = path + (query.map { "?" + $0 } ?? "") + location
    } else {
      joined = path[...(path.lastIndex(of: "/") ?? path.startIndex)] + location
    }
    return try target("\(scheme)://\(authority)\(joined)")
  }

  private func target(_ text: String) throws(Invalid) -> HTTPURL {
    try HTTPURL(text, limit: Self.locationLimit).asSecret(as: self)
  }
}

extension HTTPURL {
  /// This URL as a base, with a path (without a leading slash) and a query of ours behind it.
  package func appending(_ path: String, query: String? = nil) -> HTTPURL {
    let base = self.path.hasSuffix("/") ? self.path : self.path + "/"
    return HTTPURL(scheme, origin, path: base + path, query: query).asSecret(as: self)
  }

  /// A server may repeat a part of the path that led to it.
  fileprivate func asSecret(as other: HTTPURL) -> HTTPURL { other.hidesPath ? hidingPath : self }
}

/// An absolute reference without user info, which does not change where it leads: a page has no credentials to give. A
/// reference that parsers read differently stays as it is, and is refused.
private func plainForm(_ reference: String) -> String {
  guard let slashes = reference.firstRange(of: "://") else { return reference }
  let bytes = reference.utf8
  let end = bytes[slashes.upperBound...].firstIndex { "/?#\\".utf8.contains($0) } ?? bytes.endIndex
  var authority = bytes[slashes.upperBound..<end]
  if let at = authority.firstIndex(of: UInt8(ascii: "@")), at == authority.lastIndex(of: UInt8(ascii: "@")) {
    authority = authority[bytes.index(after: at)...]
  }
  return String(reference[..<slashes.upperBound]) + String(Substring(authority)) + reference[end...]
}

/// Spaces, controls and invisible characters.
private func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7f }
  switch scalar.properties.generalCategory {
  case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
    .unassigned:
    return true
  default: return false
  }
}

private func asciiForm(of text: String) throws(HTTPURL.Invalid) -> String {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
  let scalars = text.unicodeScalars
  guard let slashes = text.firstRange(of: "://") else {
    throw HTTPURL.Invalid.noScheme
  }
  let rest = scalars[slashes.upperBound...]
  let end = rest.firstIndex { "/?#".unicodeScalars.contains($0) } ?? rest.endIndex
  let authority = String(rest[..<end])
  let colon = authority.lastIndex(of: ":") ?? authority.endIndex
  guard authority[colon...].utf8.allSatisfy({ $0 < 0x80 }) else {
    throw HTTPURL.Invalid("has an invalid port; a port is 1 to 65535")
  }
  let host: String
  do {
    host = try InternationalName.ascii(String(authority[..<colon]))
  } catch {
    throw HTTPURL.Invalid("has a host that \(error.message)")
  }
  return String(scalars[..<slashes.upperBound]) + host + authority[colon...] + percentEncoded(rest[end...])
}

private func percentEncoded(_ text: Substring.UnicodeScalarView) -> String {
  var output = ""
  for scalar in text {
    if scalar.isASCII {
      output.unicodeScalars.append(scalar)
    } else {
      for byte in String(Character(scalar)).utf8 { output += "%" + Base16.text([byte], Base16.upper) }
    }
  }
  return output
}

private func hasScheme(_ reference: String) -> Bool {
  guard let colon = reference.firstIndex(of: ":") else { return false }
  let name = reference[..<colon]
  guard let first = name.utf8.first, (first | 0x20) >= 0x61, (first | 0x20) <= 0x7a else { return false }
  return name.utf8.allSatisfy { byte in
    (0x30...0x39).contains(byte) || ((0x61...0x7a).contains(byte | 0x20)) || byte == 0x2b || byte == 0x2d
      || byte == 0x2e
  }
}

/// `nil` for an empty one, which means the scheme's (RFC 3986, section 3.2.3).
private func parsePort(_ text: Substring) throws(HTTPURL.Invalid) -> UInt16? {
  if text.isEmpty { return nil }
  guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
    let port = UInt16(text), port > 0
  else { throw HTTPURL.Invalid("has an invalid port; a port is 1 to 65535") }
  return port
}

private func splitPath(_ text: Substring) -> (path: String, query: String?) {
  let whole = text.prefix { $0 != "#" }
  let mark = whole.firstIndex(of: "?") ?? whole.endIndex
  let path = whole[..<mark]
  let query = mark == whole.endIndex ? nil : String(whole[whole.index(after: mark)...])
  return (path.isEmpty ? "/" : String(path), query)
}

/// RFC 3986, section 5.2.4.
private func removingDotSegments(_ path: String) -> String {
  guard path.utf8.contains(UInt8(ascii: ".")), path.contains("/.") else { return path }
  var kept: [Substring] = []
  let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  for (index, segment) in segments.enumerated() {
    let isLast = index == segments.count - 1
    switch segment {
    case ".": if isLast { kept.append("") }
    case "..":
      _ = kept.popLast()
      if isLast { kept.append("") }
    default: kept.append(segment)
    }
  }
  return "/" + kept.joined(separator: "/")
}

/// Whether this is an IPv6 address with a zone, such as `fe80::1%eth0`, with or without brackets and a port.
package func hasZone(_ text: some StringProtocol) -> Bool {
  guard let mark = text.firstIndex(of: "%") else { return false }
  let address = text[..<mark]
  return IPAddress(address.hasPrefix("[") ? address.dropFirst() : address)?.version == 6
}

/// Why this is no host to probe: a name of letters, digits, hyphens and underscores in labels of at most 63 bytes and
/// 253 in all, or a canonical address. `nil` when it is one. The words follow "a host".
package func hostProblem(_ host: some StringProtocol) -> String? {
  if host.isEmpty { return "without a name" }
  if IPAddress(host) != nil { return nil }
  let name = String(host.hasSuffix(".") ? host.dropLast() : host[...])
  guard name.utf8.count <= 253 else { return "longer than 253 bytes" }
  let labels = name.split(separator: ".", omittingEmptySubsequences: false)
  for label in labels {
    guard (1...63).contains(label.utf8.count) else { return "with an empty or overlong label" }
    let fits = label.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) && byte != 0x60
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    guard fits else { return "with a character that no host name has" }
    guard label.first != "-", label.last != "-" else {
      return "with a label that starts or ends with -"
    }
  }
  // A last label of digits, or 0x…, is an address to some parsers and a name to others
  // (WHATWG URL, "ends in a number").
  if let last = labels.last?.lowercased(), last.allSatisfy(\.isNumber) || last.hasPrefix("0x") {
    return "that looks like a number but is no canonical IP address"
  }
  return nil
}
