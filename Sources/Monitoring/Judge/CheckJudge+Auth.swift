// SPDX-License-Identifier: MIT

import Basics

// Credentials of an http check, and the proxy.
extension CheckJudge {
  mutating func auth(headers: [HeaderField]) -> HTTPAuth? {
    let ways = authWays
    if ways.count > 1 {
      problem(["auth"], "auth has both \(ways[0]) and \(ways[1])", hint: "keep one of them")
    }
    if !ways.isEmpty, let index = headers.firstIndex(where: { $0.name.lowercased() == "authorization" }) {
      problem(
        ["headers", headers[index].name], "headers.\(headers[index].name) and auth both set the credentials",
        hint: "keep one of them")
    }
    switch ways.first {
    case "basic":
      return login("basic", definition.auth.basic.username, definition.auth.basic.password).map(
        HTTPAuth.basic)
    case "digest":
      return login("digest", definition.auth.digest.username, definition.auth.digest.password).map(
        HTTPAuth.digest)
    case "oauth2": return oauth2().map(HTTPAuth.oauth2)
    case "bearer": return bearer()
    default: return nil
    }
  }

  private var authWays: [String] {
    var ways: [String] = []
    if definition.auth.basic.username != nil || definition.auth.basic.password != nil { ways.append("basic") }
    if definition.auth.digest.username != nil || definition.auth.digest.password != nil {
      ways.append("digest")
    }
    if definition.auth.bearer != nil { ways.append("bearer") }
    if definition.auth.oauth2 != nil { ways.append("oauth2") }
    return ways
  }

  private mutating func bearer() -> HTTPAuth? {
    guard let bearer = definition.auth.bearer else { return nil }
    let token = bearer.reveal()
    if token.isEmpty || !token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) {
      problem(["auth", "bearer"], "auth.bearer must be visible ASCII without spaces and not empty")
    }
    return .bearer(bearer)
  }

  private mutating func login(
    _ way: String, _ name: String?, _ secret: Redacted?
  ) -> (username: String, password: Redacted)? {
    let path = ["auth", way]
    let username = name ?? ""
    if username.isEmpty {
      problem(path + ["username"], "auth.\(way).username is missing")
    } else if way == "basic" && username.contains(":") || !isFieldValue(username) {
      // RFC 7617, section 2: the first colon ends the name.
      let colon = way == "basic" ? "a colon or " : ""
      problem(path + ["username"], "auth.\(way).username must not contain \(colon)a control character")
    }
    guard let password = secret, !password.isEmpty else {
      problem(path + ["password"], "auth.\(way).password is missing")
      return nil
    }
    if !isFieldValue(password.reveal()) {
      problem(path + ["password"], "auth.\(way).password must not contain a control character")
    }
    return (username, password)
  }

  private mutating func oauth2() -> OAuth2Settings? {
    guard let given = definition.auth.oauth2 else { return nil }
    let path = ["auth", "oauth2"]
    let url = tokenURL(given.tokenURL, path + ["token_url"])
    let id = given.clientID ?? ""
    if id.isEmpty { problem(path + ["client_id"], "auth.oauth2.client_id is missing") }
    let secret = given.clientSecret ?? Redacted("")
    if secret.isEmpty { problem(path + ["client_secret"], "auth.oauth2.client_secret is missing") }
    let scopes = given.scopes ?? []
    if scopes.count > CheckLimits.scopes {
      problem(
        path + ["scopes"],
        "auth.oauth2.scopes has \(scopes.count) entries, at most \(CheckLimits.scopes) are allowed")
    }
    // RFC 6749, section 3.3.
    for (index, scope) in scopes.enumerated()
    where scope.isEmpty || !scope.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }) {
      problem(path + ["scopes", String(index)], "auth.oauth2.scopes[\(index)] is no scope")
    }
    return url.map { OAuth2Settings(tokenURL: $0, clientID: id, clientSecret: secret, scopes: scopes) }
  }

  private mutating func tokenURL(_ text: String?, _ path: [String]) -> HTTPURL? {
    guard let text else {
      problem(path, "auth.oauth2.token_url is missing")
      return nil
    }
    do throws(HTTPURL.Invalid) {
      let url = try HTTPURL(text)
      if url.scheme == .http, !isThisMachine(url.host) {
        problem(
          path, "auth.oauth2.token_url would send the client's secret in clear", hint: "RFC 6749 wants https")
      }
      return url
    } catch {
      problem(path, "auth.oauth2.token_url \(error.message)")
      return nil
    }
  }

  /// `scheme://[user:password@]host:port`. An error does not repeat the text.
  mutating func proxy() -> ProxySettings? {
    guard let text = definition.proxy?.reveal() else { return nil }
    guard let mark = text.firstRange(of: "://"),
      let scheme = ProxySettings.Scheme(word: text[..<mark.lowerBound].lowercased())
    else {
      problem(
        ["proxy"], "proxy must begin with http:// or socks5h://",
        hint: "such as http://proxy.example:3128 or socks5h://127.0.0.1:1080")
      return nil
    }
    var rest = text[mark.upperBound...]
    if rest.hasSuffix("/") { rest.removeLast() }
    let at = rest.lastIndex(of: "@")
    let place = at.map { rest[rest.index(after: $0)...] } ?? rest
    guard let endpoint = Endpoint(String(place), defaultPort: scheme == .http ? 3128 : 1080) else {
      problem(["proxy"], "proxy must be scheme://host:port", hint: "such as http://proxy.example:3128")
      return nil
    }
    guard let host = asciiHost(endpoint.host, ["proxy"]) else { return nil }
    if definition.addresses == AddressScope.each.rawValue {
      problem(["addresses"], "addresses each has no effect with a proxy: the name is the proxy's to resolve")
    }
    guard let at else {
      return ProxySettings(scheme: scheme, endpoint: Endpoint(host: host, port: endpoint.port))
    }
    let login = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = login.map { percentDecoded(String($0)) }
    guard parts.count == 2, let user = parts[0], let password = parts[1], !user.isEmpty,
      isFieldValue(user + password)
    else {
      problem(
        ["proxy"], "proxy has user info that is no user:password",
        hint: "write a colon, an at sign or a slash in them as %3A, %40, %2F")
      return nil
    }
    return ProxySettings(
      scheme: scheme, endpoint: Endpoint(host: host, port: endpoint.port), username: user,
      password: Redacted(password))
  }
}

extension ProxySettings {
  /// Parses `scheme://[user:password@]host:port`.
  ///
  /// - Throws: `InvalidCheck` with the one problem there is; it does not repeat the text.
  package init(parsing text: Redacted) throws(InvalidCheck) {
    var definition = CheckDefinition()
    definition.proxy = text
    var judge = CheckJudge(definition, patterns: .unchecked)
    guard let settings = judge.proxy() else { throw InvalidCheck(problems: judge.problems) }
    self = settings
  }
}
