// SPDX-License-Identifier: MIT

import Basics

extension CheckJudge {
  mutating func http() -> HTTPSettings? {
    let url = url()
    let method = method()
    let headers = headers()
    body(method: method)
    let auth = auth(headers: headers)
    redirects()
    ranged(definition.maxBody, ["max_body"], CheckLimits.maxBody)
    let version = choice(definition.httpVersion, ["http_version"], HTTPVersionChoice.self)
    let proxy = proxy()
    if version == .v2, proxy?.scheme == .http, url?.scheme == .http {
      problem(
        ["http_version"], "http_version 2 does not pass an http proxy without TLS",
        hint: "leave it out, or use an https url or a socks5h proxy")
    }
    let tls = tlsOptions()
    transport(
      url,
      sendsCredentials: auth != nil || headers.contains(where: \.isCredential))
    let expect = expectations(method: method)
    readBody(method: method, isNeeded: expect.needsBody)
    expectation(headers, version)
    guard let url else { return nil }
    var http = definition.http
    (http.url, http.method, http.headers, http.auth, http.proxy) = (url, method, headers, auth, proxy)
    (http.tls, http.expect) = (tls, expect)
    http.maxRedirects = definition.maxRedirects ?? http.maxRedirects
    http.maxBody = definition.maxBody ?? http.maxBody
    http.version = version ?? http.version
    return http
  }

  private mutating func url() -> HTTPURL? {
    guard let text = definition.url else {
      problem(["url"], "url is missing", hint: "such as https://shop.example/health")
      return nil
    }
    if definition.origin == .api, !text.utf8.allSatisfy({ $0 < 0x80 }) {
      problem(
        ["url"], "url contains a character outside ASCII",
        hint: "write the xn-- form of its host and escape the rest")
      return nil
    }
    do throws(HTTPURL.Invalid) {
      let url = try HTTPURL(text)
      if refusesZoneless(url.host, ["url"]) { return nil }
      return definition.hasSecretURL ? url.hidingPath : url
    } catch {
      // The text is not repeated: user info or a query may hold a secret.
      problem(["url"], "url \(error.message)")
      return nil
    }
  }

  private mutating func method() -> String {
    let method = definition.method ?? "GET"
    guard isToken(method), method.utf8.count <= 32 else {
      problem(["method"], "method is no HTTP method, found \"\(method.shown(maxBytes: 40))\"")
      return method
    }
    // Methods are case-sensitive (RFC 9110, section 9.1), so `get` is a method, and one no server knows.
    if knownMethods.contains(ByteText(method.uppercased())), method != method.uppercased() {
      problem(
        ["method"], "method must be in capitals, found \"\(method)\"", hint: "write \(method.uppercased())")
    } else if method == "CONNECT" {
      problem(["method"], "method CONNECT asks for a tunnel and is no probe")
    }
    return method
  }

  private mutating func body(method: String) {
    guard let body = definition.http.body else { return }
    let size = body.reveal().utf8.count
    if size > CheckLimits.bodyBytes {
      problem(["body"], "body must be at most \(CheckLimits.bodyBytes) bytes, found \(size)")
    }
    // A body of a GET has no meaning of its own (RFC 9110, section 9.3.1), and some servers read it all the same.
    if definition.method == nil || ["HEAD", "TRACE"].contains(method) {
      problem(
        ["body"], "body has no meaning in a \(method) request",
        hint: definition.method == nil
          ? "add method: POST, or method: GET where the server reads it"
          : "use another method, or leave the body out")
    }
  }

  private mutating func readBody(method: String, isNeeded: Bool) {
    guard let reads = definition.http.readBody else { return }
    if method == "HEAD" {
      problem(["read_body"], "read_body has no effect: a HEAD response has no body", hint: "leave it out")
    } else if isNeeded {
      problem(
        ["read_body"],
        reads
          ? "read_body has no effect: the conditions on the body have it read"
          : "read_body false leaves the conditions on the body without one", hint: "leave one of them out")
    } else if !reads, definition.maxBody != nil {
      problem(["max_body"], "max_body has no effect with read_body false", hint: "leave one of them out")
    }
  }

  /// `Expect: 100-continue` (RFC 9110 section 10.1.1) is about the body that follows.
  private mutating func expectation(_ headers: [HeaderField], _ version: HTTPVersionChoice?) {
    guard let header = headers.first(where: { $0.name.lowercased() == "expect" }) else { return }
    let path = ["headers", header.name]
    if header.value.reveal().lowercased() != "100-continue" {
      problem(
        path, "headers.\(header.name) must be 100-continue", hint: "it is the only expectation that HTTP has")
    } else if definition.http.body == nil {
      problem(path, "headers.\(header.name) has no effect without a body")
    } else if version == .v10 || version == .v2 {
      problem(
        path, "headers.\(header.name) is obeyed over HTTP/1.1 only",
        hint: "leave http_version out, or write \"1.1\"")
    }
  }

  private mutating func redirects() {
    ranged(definition.maxRedirects, ["max_redirects"], CheckLimits.maxRedirects)
    guard !definition.http.follow else { return }
    if definition.maxRedirects != nil {
      problem(
        ["max_redirects"], "max_redirects has no effect with follow false", hint: "leave one of them out")
    }
    if definition.http.allowDowngrade {
      problem(
        ["allow_downgrade"], "allow_downgrade has no effect with follow false", hint: "leave one of them out")
    }
  }

  /// Judges the transport's TLS against the conditions on it.
  private mutating func transport(_ url: HTTPURL?, sendsCredentials: Bool) {
    certificateThresholds()
    if definition.tls.verify == false, sendsCredentials {
      problem(
        ["tls", "verify"], "tls.verify false would send the credentials to anyone who answers",
        hint: "set tls.ca_file to the authority that signed the certificate")
    }
    guard let url, url.scheme == .http else { return }
    if definition.expect.certificate != Thresholds() || definition.expect.certificateStrict != nil {
      problem(
        ["expect", "certificate"], "expect.certificate needs an https url",
        hint: "check the certificate with a check of its own")
    }
    if hasTLSOptions, !definition.http.follow {
      problem(["tls"], "tls has no effect on an http url without redirects")
    }
  }

  private mutating func expectations(method: String) -> HTTPExpectations {
    var expect = definition.http.expect
    let (contains, absent) = (expect.bodyContains, expect.bodyNotContains)
    keywords(expect.bodyContains, "contains")
    keywords(expect.bodyNotContains, "not_contains")
    if let both = contains.first(where: absent.contains) {
      problem(
        ["expect", "body", "not_contains"],
        "expect.body wants \"\(both.printable(maxBytes: 60))\" both present and absent")
    }
    let bytes = expect.comparesBytes
    patternList(expect.bodyMatches, ["expect", "body", "matches"], bytes: bytes)
    patternList(expect.bodyNotMatches, ["expect", "body", "not_matches"], bytes: bytes)
    expect.json = jsonConditions()
    if method == "HEAD" {
      let noBody = "can never hold: a HEAD response has no body"
      if expect.judgesText { problem(["expect", "body"], "expect.body \(noBody)", hint: "use GET") }
      if !expect.json.isEmpty { problem(["expect", "json"], "expect.json \(noBody)", hint: "use GET") }
    }
    expect.headers = headerConditions()
    expect.finalURL = condition(definition.expect.finalURL, ["expect", "final_url"])
    let version = condition(definition.expect.httpVersion, ["expect", "http_version"])
    if let version, version.comparison == .equal, Condition.misspelling(of: version.operand) == nil,
      !["1.0", "1.1", "2"].contains(version.operand)
    {
      problem(
        ["expect", "http_version"],
        "expect.http_version can never hold: nothing but 1.0, 1.1 and 2 is spoken, found \"\(version.operand.printable(maxBytes: 40))\""
      )
    }
    expect.httpVersion = version
    if let list = definition.expect.status {
      expect.status = list.indices.compactMap { statusRange(list[$0], ["expect", "status", String($0)]) }
    }
    if definition.expect.certificate != Thresholds() { expect.certificateDays = certificateDefaults() }
    return expect
  }

  private mutating func keywords(_ list: [String], _ key: String) {
    let most = CheckLimits.keywordBytes(definition.origin)
    for (index, word) in list.enumerated() {
      let path = ["expect", "body", key, String(index)]
      if word.isEmpty {
        problem(path, "\(CheckProblem.keyText(path)) is empty", hint: "every body contains the empty text")
      } else if word.utf8.count > most {
        problem(path, "\(CheckProblem.keyText(path)) must be at most \(most) bytes, found \(word.utf8.count)")
      }
    }
  }

  private mutating func statusRange(_ text: String, _ path: [String]) -> ClosedRange<Int>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let codes = parts.map { part in
      part.utf8.count == 3 && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    let key = CheckProblem.keyText(path)
    let found = text.shown(maxBytes: 40)
    guard (1...2).contains(codes.count), let first = codes[0], let last = codes[codes.count - 1] else {
      problem(path, "\(key) must be a code or a range, found \"\(found)\"", hint: "such as 204 or 200-299")
      return nil
    }
    guard first >= 100, last <= 599 else {
      problem(path, "\(key) must be within 100-599, found \"\(found)\"")
      return nil
    }
    guard first <= last else {
      problem(
        path, "\(key) must not end before it starts, found \"\(found)\"", hint: "write \(last)-\(first)")
      return nil
    }
    return first...last
  }
}

private let knownMethods: Set<ByteText> = [
  "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT",
]
