// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI
import TestSupport
import Testing

/// What a hostile list asks for, check by check: rows A14, A17, A18 and A19 of the fault list, and A21's list.
@Suite struct HostileListTests {
  private func map(_ members: String, _ rules: MappingRules = MappingRules()) throws -> PulledChecks {
    let text = FakeCheck(id: checkID(1).description, members: members).json
    return CheckMapping(rules).map(CheckSnapshot(checks: [try WireCheck(JSONValue.parse(Array(text.utf8)))]))
  }

  private func quoted(_ text: String) -> String {
    var json = JSONWriter(reserving: text.utf8.count + 2)
    json.string(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test("A14: a flood of checks is cut to the limit, by id, and each of the others is named")
  func flood() throws {
    let checks = try (0..<6000).map { number in
      try WireCheck(
        JSONValue.parse(
          Array(
            FakeCheck(
              id: checkID(number).description,
              members: #""check_type":"port","ip_address":"a\#(number % 40).test","port":443"#
            ).json.utf8)))
    }
    let pulled = CheckMapping(MappingRules()).map(CheckSnapshot(checks: checks.shuffled(), isCut: true))
    #expect(pulled.checks.map(\.id) == (0..<2000).map(checkID))
    #expect(pulled.skipped.count == 4000)
    #expect(pulled.skipped.first?.what == "over the limit of 2000 checks (limits.remote_checks)")
  }

  @Test("what the list calls a type does not reach a terminal as it is")
  func typesAreMadePrintable() throws {
    let pulled = try map(#""check_type":"\u001b[2J\u001b]0;owned\u0007","url":"https://a.test/""#)
    let skipped = try #require(pulled.skipped.first)
    #expect(skipped.place.text.hasSuffix(#" (\u{1b}[2J\u{1b}]0;owned\u{7})"#))
    #expect((skipped.place.text + skipped.what).unicodeScalars.allSatisfy { $0.value >= 0x20 })
  }

  @Test("A14: the same check a thousand times is one check, or no list at all")
  func repetition() async throws {
    let one = FakeCheck(id: checkID(1).description, members: #""check_type":"http","url":"https://a.test/""#)
      .json
    let page = Array(repeating: one, count: 100).joined(separator: ",")
    let exchange = Same(body: #"{"success":true,"data":[\#(page)],"meta":{"total":1000,"total_pages":10}}"#)
    let wire = Wire(exchange: exchange, now: { dawn }) { _ throws(CancellationError) in }
    let client = APIClient(base: try HTTPURL("https://api.test/v1"), keys: KeyRing(Redacted("k")), over: wire)
    guard case .unchanged(let trouble, _) = try await client.pullChecks() else {
      Issue.record("a thousand repetitions are no list of a thousand")
      return
    }
    #expect(
      trouble.what
        == "the list of checks is not consistent: page 2 brings no checks that the pages before it had not")
  }

  private struct Same: HTTPExchanging {
    let body: String
    func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
      .response(OutboundAnswer(status: 200, body: Array(body.utf8)))
    }
  }

  /// Every URL is either refused, or leads to exactly the host it shows.
  @Test("A17: urls with tricks are refused, or go where they say: a table of more than 200")
  func urls() throws {
    let hosts = [
      "user:pw@a.test", "user@a.test", "@a.test", "a.test@evil.test", "a.test:80@evil.test", "a.test\r\nevil",
      "a.test\0",
      "a.\ttest", "a test", "a.test%00", "a.test%2eevil", "%61.test", "a%zz.test", "[::1%25eth0]",
      "[fe80::1%eth0]",
      "[::1", "::1", "[]", "[1.2.3.4]", "[::ffff:1.2.3.4", "0x7f.1", "0x7f000001", "2130706433",
      "017700000001",
      "127.1", "127.0.1", "0177.0.0.1", "1.2.3.256", "1.2.3.4.5", "1.2.3", "①②⑦.0.0.1", "a。test", "a．test",
      "аpple.test\u{0}",
      "-a.test", "a-.test", "a..test", ".a.test", "", ".", "..", "a.test..", "a_b..test", "a.test:0",
      "a.test:65536",
      "a.test:-1", "a.test:+80", "a.test:8 0", "a.test:80a", "a.test:080:1", "a.test:99999999999",
      "a.test\\evil.test",
      "a.test\\@evil.test", "<a>.test", "a|b.test", "a^b.test", "a`b.test", "a{b}.test", "a\"b.test",
      "a;b.test",
      "a,b.test", "a*b.test", "a'b.test", "a!b.test", "a$b.test", "a&b.test", "a(b).test", "a+b.test",
      "a=b.test",
      String(repeating: "a", count: 64) + ".test",
      Array(repeating: "abcdefgh", count: 40).joined(separator: "."),
    ]
    let schemes = ["http://", "https://", "HTTP://"]
    let odd = [
      "", " ", "a.test", "//a.test/", "/path", "http:", "http:/", "http:///", "http:a.test", "http:/a.test",
      "http:\\\\a.test", "ftp://a.test/", "file:///etc/passwd", "gopher://a.test/", "javascript:alert(1)",
      "data:text/plain,x", "unix:/run/x.sock", "ws://a.test/", "dict://a.test/", "telnet://a.test",
      "ldap://a.test",
      "http ://a.test", " http://a.test", "http://a.test/\r\nX: y", "http://a.test/\0", "http://a.test/a b",
      "https://a.test/" + String(repeating: "a", count: 1 << 17),
      "https://a.test/" + String(repeating: "a", count: 2049),
      "http://a.test/?\u{7}", "http://a.test/#frag\nment", "\u{feff}http://a.test/",
    ]
    let all = schemes.flatMap { scheme in hosts.map { scheme + $0 + "/" } } + odd
    #expect(all.count >= 200)
    for url in all {
      let pulled = try map(#""check_type":"http","url":\#(quoted(url))"#)
      guard let check = pulled.checks.first else {
        #expect(pulled.skipped.count == 1 && !pulled.skipped[0].what.isEmpty, "\(url.prefix(80))")
        #expect(pulled.skipped[0].what.utf8.count < 400 && !pulled.skipped[0].what.contains("\r"))
        continue
      }
      guard case .http(let http) = check.kind else { continue }
      let shown = http.url.host
      #expect(
        url.lowercased().contains(shown) || shown.hasPrefix("xn--"), "\(url.prefix(80)) goes to \(shown)")
      #expect(shown.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(url.prefix(80))")
      #expect(
        !url.contains("@") && !url.contains("\\") && !url.contains("\r") && !url.contains("\0"),
        "\(url.prefix(80))")
    }
    for url in ["https://a.test/ok?x=1", "http://192.0.2.7:8080/", "https://[2001:db8::1]/"] {
      #expect(try map(#""check_type":"http","url":\#(quoted(url))"#).checks.count == 1, "\(url)")
    }
  }

  @Test("A18: headers that frame a message, belong to a proxy or break the line are refused")
  func headers() throws {
    let names = [
      "Host", "host", "Content-Length", "Transfer-Encoding", "transfer-encoding", "Connection", "Upgrade",
      "TE",
      "Trailer", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "proxy-anything", "Expect", "X Y",
      "X:", ":",
      "", "X\r\nY", "X\0", "X\t", "Ü", "(x)", String(repeating: "x", count: 1 << 17),
    ]
    for name in names {
      let pulled = try map(
        #""check_type":"http","url":"https://a.test/","custom_headers":{\#(quoted(name)):"1"}"#)
      #expect(pulled.checks.isEmpty, "\(name.prefix(40))")
    }
    for value in ["a\r\nb", "a\nb", "a\rb", "a\0", "\u{7f}", String(repeating: "x", count: 1 << 17)] {
      let pulled = try map(
        #""check_type":"http","url":"https://a.test/","custom_headers":{"X":\#(quoted(value))}"#)
      #expect(pulled.checks.isEmpty, "\(value.prefix(10).debugDescription)")
      #expect(pulled.skipped.first?.what.contains(value) == false, "a value is not repeated")
    }
    let many = (1...21).map { "\"X-\($0)\":\"1\"" }.joined(separator: ",")
    #expect(
      try map(#""check_type":"http","url":"https://a.test/","custom_headers":{\#(many)}"#).checks.isEmpty)
    #expect(
      try map(#""check_type":"http","url":"https://a.test/","custom_headers":{"X-Key":"1"}"#).checks.count
        == 1)
  }

  @Test(
    "A19: methods that change something, and bodies, are not for checks of the API",
    arguments: [
      "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "OPTIONS", "get", "GET ", "G\r\nET", "BREW",
    ])
  func methods(method: String) throws {
    let body = String(repeating: "x", count: 100_000)
    let pulled = try map(
      #""check_type":"http","url":"https://a.test/","http_method":\#(quoted(method)),"http_body":"\#(body)""#)
    #expect(pulled.checks.isEmpty)
    #expect(
      pulled.skipped[0].what.hasSuffix("is not allowed for checks from the API, only GET and HEAD are"))
    let get = try map(
      #""check_type":"http","url":"https://a.test/","http_method":"HEAD","http_body":"\#(body)""#)
    guard case .http(let http)? = get.checks.first?.kind else {
      Issue.record("HEAD is allowed")
      return
    }
    #expect(http.body == nil, "there is no column for one, and none is made up")
  }

  /// The scheduler's part is `FlappingCheckTests`: the same id keeps its phase.
  @Test("A21: a check edited at every pull stays one check, and each edit is in the log")
  func flapping() throws {
    var budget = CheckMapping(MappingRules()).freshBudget
    var before: [WireCheck] = []
    for pull in 0..<20 {
      let text = FakeCheck(
        id: checkID(1).description,
        members:
          #""check_type":"http","url":"https://a.test/\#(pull)","check_interval_seconds":\#(10 + pull % 2)"#
      ).json
      let rows = [try WireCheck(JSONValue.parse(Array(text.utf8)))]
      let pulled = CheckMapping(MappingRules()).map(
        CheckSnapshot(checks: rows), budget: &budget, now: dawn.advanced(by: .seconds(pull * 60)), wall: dawn)
      #expect(pulled.checks.map(\.id) == [checkID(1)])
      if pull > 0 { #expect(CheckChange.between(before, rows).count == 1) }
      before = rows
    }
  }
}
