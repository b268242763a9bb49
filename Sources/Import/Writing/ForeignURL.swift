// SPDX-License-Identifier: MIT

import Basics

/// Parts of an address that agent.yaml keeps apart: user info is a secret of `auth`.
struct ForeignURL {
  /// Without user info and fragment.
  var url: String
  var username: String?
  var password: String?

  init(_ text: String) {
    url = text
    guard let scheme = text.range(of: "://") else { return }
    let rest = text[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    var tail = rest[authority.endIndex...]
    if let fragment = tail.firstIndex(of: "#") { tail = tail[..<fragment] }
    var host = authority
    if let at = authority.lastIndex(of: "@") {
      host = authority[authority.index(after: at)...]
      let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      username = percentDecoded(String(parts[0])) ?? String(parts[0])
      password = parts.count == 2 ? percentDecoded(String(parts[1])) ?? String(parts[1]) : ""
    }
    url = String(text[..<scheme.upperBound]) + String(host) + String(tail)
  }

  /// The address for agent.yaml: values of parameters that are credentials are secrets.
  var value: AgentValue {
    guard let mark = url.firstIndex(of: "?") else { return .text(url) }
    var parts: [AgentValue] = []
    var plain = String(url[...mark])
    let items = url[url.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
    for (index, item) in items.enumerated() {
      if index > 0 { plain += "&" }
      guard let equals = item.firstIndex(of: "="), item.index(after: equals) < item.endIndex,
        CredentialNames.contains(percentDecoded(String(item[..<equals])) ?? String(item[..<equals]))
      else {
        plain += item
        continue
      }
      parts.append(.text(plain + item[...equals]))
      parts.append(
        .secret(Redacted(String(item[item.index(after: equals)...])), as: String(item[..<equals])))
      plain = ""
    }
    guard !parts.isEmpty else { return .text(url) }
    return .joined(plain.isEmpty ? parts : parts + [.text(plain)])
  }

  /// The address as a name shows it, without user info and credentials, also where no scheme stands before it.
  static func withoutUser(_ text: String) -> String {
    text.range(of: "://") != nil
      ? ForeignURL(text).shown : String(ForeignURL("a://\(text)").shown.dropFirst(4))
  }

  /// Words without the user info and the credentials of the addresses and paths in them.
  static func withoutCredentials(_ words: String) -> String {
    guard words.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") }) else {
      return words
    }
    // An address may have blanks, which end none of its parts.
    if let mark = words.range(of: "://"), !words[..<mark.lowerBound].utf8.contains(0x20) {
      return cleared(words)
    }
    return words.split(separator: " ", omittingEmptySubsequences: false).map { cleared(String($0)) }
      .joined(separator: " ")
  }

  /// The address without them; the text itself where it has none.
  private static func cleared(_ text: String) -> String {
    let hasScheme = text.range(of: "://") != nil
    let url = ForeignURL(hasScheme ? text : "a:///\(text)")
    guard url.hasCredentials else { return text }
    return hasScheme ? url.shown : String(url.shown.dropFirst(5))
  }

  /// Whether a part of it is a credential.
  var hasCredentials: Bool {
    if username == nil, case .text = value { false } else { true }
  }

  /// Without the values of parameters that are credentials.
  private var shown: String {
    guard case .joined(let parts) = value else { return url }
    return parts.compactMap(\.word).joined()
  }

  /// `host:port`, `[v6]:port` or a host alone.
  static func place(_ text: String) -> (host: String, port: Int?) {
    if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
      let host = String(text[text.index(after: text.startIndex)..<close])
      let rest = text[text.index(after: close)...]
      return (host, rest.hasPrefix(":") ? Int(rest.dropFirst()) : nil)
    }
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    guard colons == 1, let colon = text.firstIndex(of: ":") else { return (text, nil) }
    return (String(text[..<colon]), Int(text[text.index(after: colon)...]))
  }
}

extension ImportedCheck {
  /// The address, and what it says of who asks.
  mutating func take(url text: String) {
    let url = ForeignURL(text)
    self["url"] = url.value
    guard let name = url.username else { return }
    login(name, url.password ?? "")
    hasLoginOfURL = true
  }

  /// Basic credentials. `auth.basic` has both parts: with one alone the header says it (RFC 7617).
  mutating func login(_ name: String, _ password: String) {
    hasLoginOfURL = false
    guard name.isEmpty || password.isEmpty else {
      self["auth.basic.username"] = .text(name)
      self["auth.basic.password"] = .secret(Redacted(password), as: "password")
      return
    }
    guard self["headers.Authorization"] == nil else { return }
    let value = "Basic " + Base64.text("\(name):\(password)".utf8)
    entry("headers", "Authorization", .secret(Redacted(value), as: "authorization"))
  }

  /// A header; who asks is a secret.
  mutating func header(_ name: String, _ value: String) {
    let isSecret = CredentialNames.contains(name) || Self.saysWhoAsks(value)
    entry("headers", name, isSecret && !value.isEmpty ? .secret(Redacted(value), as: name) : .text(value))
  }

  private static func saysWhoAsks(_ value: String) -> Bool {
    let value = value.lowercased()
    return ["bearer ", "basic ", "digest ", "token "].contains { value.hasPrefix($0) }
  }

  /// The proxy of a source in Go, where `socks5` leaves the target's name to the proxy, as `socks5h` does here.
  mutating func proxy(_ text: String) {
    let prefix = "socks5://"
    let url = text.hasPrefix(prefix) ? "socks5h://\(text.dropFirst(prefix.utf8.count))" : text
    self["proxy"] = ForeignURL(url).username == nil ? .text(url) : .secret(Redacted(url), as: "proxy")
  }

  /// A request's body; one that has a password or its like is a secret.
  mutating func body(_ text: String) {
    self["body"] = CredentialNames.areGiven(in: text) ? .secretText(text, as: "body") : .text(text)
  }

  /// A body goes along with GET only where the method is written.
  mutating func nameMethod() {
    guard self["method"] == nil, self["body"] != nil || self["body_file"] != nil else { return }
    self["method"] = .plain("GET")
  }

  /// Every source follows a redirect from https to http, where it follows any.
  mutating func followDown() {
    guard self["type"]?.word == "http", self["follow"]?.word != "false", self["allow_downgrade"] == nil else {
      return
    }
    self["allow_downgrade"] = .plain("true")
  }

  /// How often and how long, within what agent.yaml allows; what had to be changed is noted.
  mutating func pace(interval: Int, timeout: Int) {
    let most = min(60_000, max(1000, interval))
    let clamped = min(max(10, timeout), most)
    self["interval"] = .duration(max(1000, interval))
    self["timeout"] = .duration(clamped)
    if clamped != timeout {
      note(
        clamped < timeout ? .stricter : .laxer, "timeout",
        "\(ForeignDuration.text(timeout)) is made \(ForeignDuration.text(clamped)): a "
          + "timeout is at most the interval, and at most 60s")
    }
    if interval < 1000 {
      note(.changed, "interval", "\(interval)ms is made 1s, the shortest there is")
    }
  }

  /// A number within what agent.yaml allows; one beyond is made the nearest, and noted.
  mutating func within(
    _ range: ClosedRange<Int>, _ name: String, _ number: Int, _ change: ImportNote.Change = .changed
  ) -> Int {
    let made = min(max(number, range.lowerBound), range.upperBound)
    if made != number {
      note(change, name, "\(number) is made \(made), the \(made < number ? "most" : "least") there is")
    }
    return made
  }

  /// An authority beside a certificate that is not verified has no effect, and a check may not have both.
  mutating func dropUnusedAuthority() {
    guard self["tls.verify"]?.word == "false", self["tls.ca_file"] != nil, case .map(let tls)? = self["tls"]
    else { return }
    unusedAuthority = self["tls.ca_file"]
    self["tls"] = .map(tls.filter { $0.name != "ca_file" })
    notes.append(Self.unusedAuthority)
  }

  private static let unusedAuthority = ImportNote(
    place: "tls.ca_file", why: "the certificate is not verified, so it has no effect")

  /// Settings of TLS have no effect on an address in the clear without redirects, and a check may not have both.
  mutating func dropUnusedTLS() {
    guard self["type"]?.word == "http", self["follow"]?.word == "false", self["tls"] != nil else { return }
    let start =
      switch self["url"] {
      case .joined(let parts): parts.first?.word
      case let url: url?.word
      }
    guard start?.lowercased().hasPrefix("http://") == true else { return }
    remove("tls")
    notes.append(
      ImportNote(place: "tls", why: "no certificate is looked at over http, and no redirect is followed"))
  }

  /// The check with the certificate verified, by the authority that the source names; `nil` where it is verified already.
  ///
  /// - Parameter why: why it is refused as it is.
  package func verified(_ why: String) -> ImportedCheck? {
    guard self["tls.verify"]?.word == "false" else { return nil }
    var check = self
    check["tls.verify"] = .plain("true")
    if let file = unusedAuthority {
      check["tls.ca_file"] = file
      check.notes.removeAll { $0 == Self.unusedAuthority }
    }
    check.note(.stricter, "tls.verify", "the certificate is verified here: \(why)")
    return check
  }

  /// Redirects; none is not to follow them.
  mutating func redirects(_ name: String, _ most: Int) {
    if most <= 0 {
      self["follow"] = .plain("false")
    } else {
      self["max_redirects"] = .number(within(1...20, name, most, .stricter))
    }
  }

  /// Words to group checks by; what is no tag is cut.
  mutating func tag(_ words: String) {
    let tag = Self.tag(of: words)
    guard !tag.isEmpty else { return }
    if case .list(let known)? = self["tags"] {
      let isKnown = known.contains { if case .text(let text) = $0 { text == tag } else { false } }
      if isKnown || known.count >= 32 { return }
    }
    append("tags", .text(tag))
  }

  /// Words as one tag; an address in them has no user and no credentials there.
  static func tag(of words: String) -> String {
    ForeignURL.withoutCredentials(words).printable(maxBytes: 64).split(separator: " ").joined(separator: "-")
  }
}
