// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct HTTPURLTests {
  /// What goes in, and what is requested.
  @Test(arguments: [
    ("http://example.com", "http://example.com/"),
    ("https://example.com/", "https://example.com/"),
    ("HTTP://EXAMPLE.com/PaTh", "http://example.com/PaTh"),
    ("hTTpS://Example.COM:443/", "https://example.com/"),
    ("http://example.com:80/", "http://example.com/"),
    ("http://example.com:443/", "http://example.com:443/"),
    ("https://example.com:80/", "https://example.com:80/"),
    ("http://example.com:08080/", "http://example.com:8080/"),
    ("http://example.com:1/", "http://example.com:1/"),
    ("http://example.com:65535/", "http://example.com:65535/"),
    ("http://example.com?q", "http://example.com/?q"),
    ("http://example.com?", "http://example.com/?"),
    ("http://example.com#top", "http://example.com/"),
    ("http://example.com/#", "http://example.com/"),
    ("http://example.com/a#b?c", "http://example.com/a"),
    ("http://example.com/a?b#c", "http://example.com/a?b"),
    ("http://example.com#@evil.example/", "http://example.com/"),
    ("http://example.com?@evil.example/", "http://example.com/?@evil.example/"),
    ("http://example.com/@evil.example", "http://example.com/@evil.example"),
    ("http://example.com//a//b", "http://example.com//a//b"),
    ("http://example.com/%2e%2e/%00", "http://example.com/%2e%2e/%00"),
    ("http://example.com/a/../b", "http://example.com/b"),
    ("http://example.com/./a/.", "http://example.com/a/"),
    ("http://example.com/..", "http://example.com/"), ("http://example.com/../..", "http://example.com/"),
    ("http://example.com/.a/..b/c./", "http://example.com/.a/..b/c./"),
    ("http://example.com/a?b=/../c", "http://example.com/a?b=/../c"),
    ("http://example.com/a:b", "http://example.com/a:b"),
    ("http://example.com./", "http://example.com./"),
    ("http://a/", "http://a/"),
    ("http://localhost:9797/livez", "http://localhost:9797/livez"),
    ("http://my_host.internal/", "http://my_host.internal/"),
    ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
    ("http://1.example/", "http://1.example/"),
    ("http://0x7f.example/", "http://0x7f.example/"),
    ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
    ("http://0.0.0.0/", "http://0.0.0.0/"),
    ("http://169.254.169.254/latest", "http://169.254.169.254/latest"),
    ("http://[::1]/", "http://[::1]/"),
    ("http://[::1]:8080/x", "http://[::1]:8080/x"),
    ("http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]/"),
    ("http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"),
    ("http://[::FFFF:7F00:1]/", "http://[::ffff:127.0.0.1]/"),
  ])
  func accepts(text: String, normal: String) throws {
    let url = try HTTPURL(text)
    #expect(url.text == normal)
    #expect(try HTTPURL(url.text) == url)
  }

  @Test func splitsIntoItsParts() throws {
    let url = try HTTPURL("https://[2001:db8::1]:8443/a/b?c=d&e#f")
    #expect(url.scheme == .https)
    #expect(url.host == "2001:db8::1")
    #expect(url.port == 8443)
    #expect(url.path == "/a/b")
    #expect(url.query == "c=d&e")
    #expect(url.authority == "[2001:db8::1]:8443")
    #expect(url.origin.scheme == .https)
    #expect(url.origin.host == "2001:db8::1")
    #expect(url.origin.port == 8443)
  }

  /// A query may carry a token: it is requested, never shown.
  @Test func showsNoQuery() throws {
    let url = try HTTPURL("https://example.com/a?token=s3cr3t#s3cr3t")
    #expect(url.text == "https://example.com/a?token=s3cr3t")
    #expect(url.display == "https://example.com/a")
    #expect("\(url)" == "https://example.com/a")
  }

  /// What is asked is the base with a route behind it, also where the base's path is not shown.
  @Test func aRouteGoesBehindTheBase() throws {
    let base = try HTTPURL("https://example.com/s3cr3t/v1?token=s3cr3t")
    #expect(base.appending("checks", query: "a=1").text == "https://example.com/s3cr3t/v1/checks?a=1")
    #expect(try HTTPURL("https://example.com").appending("checks").text == "https://example.com/checks")
    let hidden = base.hidingPath.appending("checks", query: "a=1")
    #expect(hidden.text == "https://example.com/s3cr3t/v1/checks?a=1")
    #expect(!hidden.display.contains("s3cr3t"))
  }

  @Test func originsDifferByEachPart() throws {
    let origin = try HTTPURL("http://a.example/x").origin
    #expect(try HTTPURL("http://A.example:80/y?z").origin == origin)
    #expect(try HTTPURL("https://a.example/").origin != origin)
    #expect(try HTTPURL("http://b.example/").origin != origin)
    #expect(try HTTPURL("http://a.example:8080/").origin != origin)
    #expect(try HTTPURL("http://a.example./").origin != origin)
  }

  /// RFC 3986, section 3.2.3.
  @Test(arguments: [
    ("http://a.example:", "http://a.example/"), ("https://a.example:/x?y", "https://a.example/x?y"),
    ("http://[::1]:/", "http://[::1]/"), ("https://bücher.example:#f", "https://xn--bcher-kva.example/"),
  ])
  func anEmptyPortIsTheSchemes(text: String, plain: String) throws {
    let url = try HTTPURL(text)
    #expect(url.text == plain && url.port == url.scheme.defaultPort)
    #expect(try url == HTTPURL(plain))
  }

  @Test func lengthLimitIsExact() throws {
    let prefix = "http://example.com/"
    let longest = prefix + String(repeating: "a", count: 2048 - prefix.utf8.count)
    #expect(try HTTPURL(longest).text == longest)
    #expect(throws: HTTPURL.Invalid.self) { try HTTPURL(longest + "a") }
    #expect(throws: HTTPURL.Invalid.self) { try HTTPURL(prefix + String(repeating: "a", count: 1_000_000)) }
  }

  @Test func hostLimitsAreExact() throws {
    let label = String(repeating: "a", count: 63)
    let longest = [label, label, label, String(label.prefix(61))].joined(separator: ".")
    #expect(longest.utf8.count == 253)
    #expect(hostProblem(longest) == nil)
    #expect(hostProblem(longest + ".") == nil)
    #expect(hostProblem("a" + longest) == "longer than 253 bytes")
    #expect(hostProblem("a" + label + ".example") == "with an empty or overlong label")
  }

  @Test(arguments: [
    ("ftp://example.com/", "has the scheme \"ftp\"; only http and https are probed"),
    ("example.com", "must start with http:// or https://"), ("http:///x", "has no host"),
    ("http://u:p@example.com/", "must not contain user info; use auth instead"),
    ("http://example.com:0/", "has an invalid port; a port is 1 to 65535"),
    ("http://127.1/", "has a host that looks like a number but is no canonical IP address"),
    ("http://./", "has a host with an empty or overlong label"),
    ("http://[::1/", "has an unclosed ["),
    ("http://a b/", "contains a space or a control character"),
    ("http://a\\b/", "contains a backslash"),
  ])
  func saysWhatIsWrong(text: String, message: String) {
    let error = #expect(throws: HTTPURL.Invalid.self) { try HTTPURL(text) }
    #expect(error?.message == message)
  }
}
