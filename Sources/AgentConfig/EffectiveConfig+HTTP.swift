// SPDX-License-Identifier: MIT

import Monitoring

extension ConfigPrinter {
  mutating func http(_ http: HTTPSettings, _ responseTime: Thresholds<Duration>) {
    url("url", http.url)
    text("method", http.method)
    if !http.headers.isEmpty {
      map("headers") { printer in
        for header in http.headers { printer.secret(header.name, header.value) }
      }
    }
    secret("body", http.body)
    if let auth = http.auth { map("auth") { $0.auth(auth) } }
    flag("follow", http.follow)
    if http.follow {
      word("max_redirects", String(http.maxRedirects))
      flag("allow_downgrade", http.allowDowngrade)
    }
    text("http_version", http.version.rawValue)
    proxy(http.proxy)
    flag("decompress", http.decompress)
    // Without a body that is read it is refused.
    if http.readBody != false { word("max_body", ByteSize.text(http.maxBody)) }
    // Its default depends on the answer.
    if let readBody = http.readBody { flag("read_body", readBody) }
    // Where no handshake can happen the map is refused.
    if http.url.scheme == .https || http.follow { tlsOptions(http.tls) }
    expect { $0.httpExpectations(http.expect, responseTime) }
  }

  private mutating func auth(_ auth: HTTPAuth) {
    switch auth {
    case .basic(let username, let password): login("basic", username, password)
    case .digest(let username, let password): login("digest", username, password)
    case .bearer(let token): secret("bearer", token)
    case .oauth2(let settings):
      map("oauth2") { printer in
        printer.url("token_url", settings.tokenURL)
        printer.text("client_id", settings.clientID)
        printer.secret("client_secret", settings.clientSecret)
        if !settings.scopes.isEmpty { printer.texts("scopes", settings.scopes) }
      }
    }
  }

  private mutating func login(_ way: String, _ username: String, _ password: Redacted) {
    map(way) { printer in
      printer.text("username", username)
      printer.secret("password", password)
    }
  }

  /// User info keeps its form, so that what is printed can be read again.
  mutating func proxy(_ proxy: ProxySettings?) {
    guard let proxy else { return }
    let login = proxy.username == nil ? "" : "redacted:redacted@"
    shown("proxy", "\(proxy.scheme.rawValue)://\(login)\(proxy.endpoint)")
  }

  /// Quotes say that it is a text.
  private mutating func literal(_ path: String, _ condition: Condition) {
    switch (condition.comparison, condition.type) {
    case (.equal, .word): word(path, condition.operand)
    case (.equal, _): text(path, condition.operand)
    default: text(path, condition.description)
    }
  }

  private mutating func httpExpectations(_ expect: HTTPExpectations, _ responseTime: Thresholds<Duration>) {
    let codes = expect.status.map { range in
      range.count == 1 ? String(range.lowerBound) : "\(range.lowerBound)-\(range.upperBound)"
    }
    if codes.isEmpty { word("status", "any") } else { texts("status", codes) }
    let lists = [
      ("contains", expect.bodyContains), ("not_contains", expect.bodyNotContains),
      ("matches", expect.bodyMatches), ("not_matches", expect.bodyNotMatches),
    ].filter { !$0.1.isEmpty }
    if !lists.isEmpty {
      map("body") { printer in
        for (name, list) in lists { printer.texts(name, list) }
      }
    }
    if !expect.headers.isEmpty {
      map("header") { printer in
        for item in expect.headers { printer.text(item.name, item.condition.description) }
      }
    }
    if !expect.json.isEmpty {
      map("json") { printer in
        for item in expect.json { printer.literal(item.path.description, item.condition) }
      }
    }
    text("final_url", expect.finalURL?.description)
    text("http_version", expect.httpVersion?.description)
    thresholds("response_time", responseTime, \.text)
    thresholds("certificate", expect.certificateDays, \.text)
  }
}
