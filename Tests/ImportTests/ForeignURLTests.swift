// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Addresses of other monitors, taken apart: user info is a secret of its own, and so are parameters that log in.
@Suite struct ForeignURLTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var text: String
    var url: String
    var username: String?
    var password: String?
    var testDescription: String { text }

    init(_ text: String, _ url: String, _ username: String? = nil, _ password: String? = nil) {
      (self.text, self.url, self.username, self.password) = (text, url, username, password)
    }
  }

  /// User info ends at the last @ of the authority; its password begins behind the first colon.
  @Test(arguments: [
    Row("https://ann:p@a.example/x", "https://a.example/x", "ann", "p"),
    Row("https://ann:p@ss@a.example/x", "https://a.example/x", "ann", "p@ss"),
    Row("https://ann:p%40s%3as@a.example:8443/?q=a@b#f", "https://a.example:8443/?q=a@b", "ann", "p@s:s"),
    Row("https://a@b:c:d@e@a.example", "https://a.example", "a@b", "c:d@e"),
    Row("https://ann@a.example", "https://a.example", "ann", ""),
    Row("https://a%40b:@a.example", "https://a.example", "a@b", ""),
    Row("https://:p@a.example", "https://a.example", "", "p"),
    Row("https://ann:%zz@a.example", "https://a.example", "ann", "%zz"),
    Row("https://ann:p@[2001:db8::1]:8443/", "https://[2001:db8::1]:8443/", "ann", "p"),
    Row("https://a.example/u:p@b", "https://a.example/u:p@b"),
    Row("https://a.example?x=u@b", "https://a.example?x=u@b"),
    Row("https://a.example#u@b", "https://a.example"),
    Row("https://a.example/?a=1#b", "https://a.example/?a=1"),
    Row("ann:p@a.example#b", "ann:p@a.example#b"),
  ])
  func parts(row: Row) {
    let url = ForeignURL(row.text)
    #expect(url.url == row.url && url.username == row.username && url.password == row.password)
  }

  /// Texts as they are, secrets in angle brackets.
  private func written(_ value: AgentValue?) -> String? {
    switch value {
    case .secret(let secret, let words): "<\(words): \(secret.reveal())>"
    case .joined(let parts): parts.map { written($0) ?? "?" }.joined()
    default: value?.word
    }
  }

  @Test(arguments: [
    ("https://a.example/", "https://a.example/"),
    ("https://a.example/?page=2&size=3", "https://a.example/?page=2&size=3"),
    ("https://a.example/?a=1&token=x&b=2&key=y", "https://a.example/?a=1&token=<token: x>&b=2&key=<key: y>"),
    ("https://a.example/?token=x&&sig=y&c", "https://a.example/?token=<token: x>&&sig=<sig: y>&c"),
    ("https://a.example/?%74oken=x=y", "https://a.example/?%74oken=<%74oken: x=y>"),
    ("https://a.example/?token=&token", "https://a.example/?token=&token"),
    ("https://a.example/token=x", "https://a.example/token=x"),
  ])
  func parameters(text: String, value: String) { #expect(written(ForeignURL(text).value) == value) }

  @Test(
    arguments: [
      ("a.example", "a.example", nil), ("a.example:80", "a.example", 80), ("a.example:", "a.example", nil),
      ("a.example:x", "a.example", nil), ("192.0.2.1:25", "192.0.2.1", 25),
      ("[2001:db8::1]:80", "2001:db8::1", 80), ("[2001:db8::1]", "2001:db8::1", nil),
      ("[2001:db8::1]80", "2001:db8::1", nil), ("2001:db8::1", "2001:db8::1", nil), ("[::1", "[::1", nil),
    ] as [(String, String, Int?)])
  func places(text: String, host: String, port: Int?) {
    let place = ForeignURL.place(text)
    #expect(place.host == host && place.port == port)
  }

  private func check(_ change: (inout ImportedCheck) -> Void) -> ImportedCheck {
    var check = ImportedCheck(name: "c", type: "http")
    change(&check)
    return check
  }

  private func notes(_ check: ImportedCheck) -> [String] {
    check.notes.map { "\($0.change?.rawValue ?? "") \($0.place): \($0.why)" }
  }

  /// Both parts of Basic credentials have keys; with one of them alone the header says it.
  @Test(
    arguments: [
      ("https://ann:p@ss@a.example/", "ann", "<password: p@ss>", nil),
      ("https://ann@a.example/", nil, nil, "<authorization: Basic YW5uOg==>"),
      ("https://:p@a.example/", nil, nil, "<authorization: Basic OnA=>"),
      ("https://a.example/", nil, nil, nil),
    ] as [(String, String?, String?, String?)])
  func whoAsks(url: String, username: String?, password: String?, header: String?) {
    let made = check { $0.take(url: url) }
    #expect(made["url"]?.word == "https://a.example/")
    #expect(made["auth.basic.username"]?.word == username)
    #expect(written(made["auth.basic.password"]) == password)
    #expect(written(made["headers.Authorization"]) == header)
  }

  /// A header of its own that says who asks is not joined by a second one.
  @Test func aHeaderOfItsOwn() {
    let made = check {
      $0.header("Authorization", "Bearer b")
      $0.login("ann", "")
    }
    #expect(written(made["headers"]) == nil)
    guard case .map(let headers)? = made["headers"] else {
      Issue.record("no headers")
      return
    }
    #expect(headers.map(\.name) == ["Authorization"])
    #expect(written(headers.first?.value) == "<Authorization: Bearer b>")
  }

  @Test(arguments: [
    ("X-Api-Key", "v", true), ("Cookie", "v", true), ("X", "Bearer v", true), ("X", "bearer v", true),
    ("X", "Basic v", true), ("X", "Digest v", true), ("X", "Token v", true), ("X", "Bearer", false),
    ("X", "a Bearer v", false), ("Accept", "text/html", false), ("Authorization", "", false),
  ])
  func headers(name: String, value: String, isSecret: Bool) {
    let made = check { $0.header(name, value) }
    guard case .map(let headers)? = made["headers"], let first = headers.first else {
      Issue.record("no header")
      return
    }
    #expect(first.name == name && written(first.value) == (isSecret ? "<\(name): \(value)>" : value))
  }

  /// In Go `socks5` leaves the name to the proxy.
  @Test(arguments: [
    ("socks5://p.example:1080", "socks5h://p.example:1080"), ("socks5h://p.example", "socks5h://p.example"),
    ("http://p.example:3128", "http://p.example:3128"),
    ("http://ann:p@p.example", "<proxy: http://ann:p@p.example>"),
    ("socks5://ann:p@p.example", "<proxy: socks5h://ann:p@p.example>"),
  ])
  func proxies(text: String, value: String) { #expect(written(check { $0.proxy(text) }["proxy"]) == value) }

  @Test(
    arguments: [
      (60_000, 5000, "1m", "5s", []), (60_000, 60_000, "1m", "1m", []),
      (120_000, 60_000, "2m", "1m", []),
      (
        120_000, 60_001, "2m", "1m",
        ["stricter timeout: 60001ms is made 1m: a timeout is at most the interval, and at most 60s"]
      ),
      (
        5000, 5001, "5s", "5s",
        ["stricter timeout: 5001ms is made 5s: a timeout is at most the interval, and at most 60s"]
      ),
      (5000, 10, "5s", "10ms", []),
      (
        5000, 9, "5s", "10ms",
        ["laxer timeout: 9ms is made 10ms: a timeout is at most the interval, and at most 60s"]
      ),
      (1000, 1000, "1s", "1s", []),
      (999, 1000, "1s", "1s", ["changed interval: 999ms is made 1s, the shortest there is"]),
    ] as [(Int, Int, String, String, [String])])
  func paces(interval: Int, timeout: Int, keptInterval: String, keptTimeout: String, told: [String]) {
    let made = check { $0.pace(interval: interval, timeout: timeout) }
    #expect(made["interval"]?.word == keptInterval && made["timeout"]?.word == keptTimeout)
    #expect(notes(made) == told)
  }

  @Test(
    arguments: [
      (-1, "false", nil, []), (0, "false", nil, []), (1, nil, "1", []), (20, nil, "20", []),
      (21, nil, "20", ["stricter n: 21 is made 20, the most there is"]),
    ] as [(Int, String?, String?, [String])])
  func redirects(most: Int, follow: String?, kept: String?, told: [String]) {
    let made = check { $0.redirects("n", most) }
    #expect(made["follow"]?.word == follow && made["max_redirects"]?.word == kept && notes(made) == told)
  }

  @Test func numbersWithinBounds() {
    var made = check { _ in }
    #expect([2, 3, 7, 8].map { made.within(3...7, "n", $0) } == [3, 3, 7, 7])
    #expect(
      notes(made) == [
        "changed n: 2 is made 3, the least there is", "changed n: 8 is made 7, the most there is",
      ])
  }

  private func tags(_ check: ImportedCheck) -> [String?] {
    guard case .list(let tags)? = check["tags"] else { return [] }
    return tags.map(\.word)
  }

  /// One word each, each once, and 32 at most.
  @Test func tagsOfACheck() {
    let made = check { check in
      for words in ["a  b c", " ", "web", "a b c", "web", ""] { check.tag(words) }
    }
    #expect(tags(made) == ["a-b-c", "web"])
    let many = check { check in for number in 0..<40 { check.tag("t\(number)") } }
    #expect(tags(many) == (0..<32).map { "t\($0)" })
  }

  /// A body goes along with GET only where the method is written; from https to http only where it is allowed.
  @Test func whatIsWrittenOut() {
    let body = check {
      $0["body"] = .text("x")
      $0.nameMethod()
    }
    let file = check {
      $0["body_file"] = .text("x")
      $0.nameMethod()
    }
    let put = check {
      $0["method"] = .plain("PUT")
      $0["body"] = .text("x")
      $0.nameMethod()
    }
    let none = check { $0.nameMethod() }
    #expect([body, file, put, none].map { $0["method"]?.word } == ["GET", "GET", "PUT", nil])
    let down = check { $0.followDown() }
    let still = check {
      $0["follow"] = .plain("false")
      $0.followDown()
    }
    let own = check {
      $0["allow_downgrade"] = .plain("false")
      $0.followDown()
    }
    var port = ImportedCheck(name: "c", type: "tcp")
    port.followDown()
    #expect([down, still, own, port].map { $0["allow_downgrade"]?.word } == ["true", nil, "false", nil])
  }
}
