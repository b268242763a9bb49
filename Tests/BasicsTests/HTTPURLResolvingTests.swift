// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct HTTPURLResolvingTests {
  /// RFC 3986, section 5.4, for http; an empty path is written as the slash it means.
  static let examples = [
    // 5.4.1, normal
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q"),
    ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"),
    // 5.4.2, abnormal
    ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"),
    // not in the RFC
    ("http://h/x", "http://h/x"), ("http://h/x/../y/.", "http://h/y/"), ("//h/./x", "http://h/x"),
    ("https://h", "https://h/"), ("HTTP://H:80/x#f", "http://h/x"),
    ("http://h:/x", "http://h/x"), ("https://h:?y", "https://h/?y"), ("//h:", "http://h/"),
    ("//[::1]:/x", "http://[::1]/x"), ("http://u:p@h/x", "http://h/x"),
    ("//u@h:81/@v:w@x", "http://h:81/@v:w@x"),
    ("http://h.example:80@evil.example/", "http://evil.example/"), ("https://u:@h:/", "https://h/"),
    ("//h:8080/x?y", "http://h:8080/x?y"), ("a/b:c", "http://a/b/c/a/b:c"),
    ("./http:g", "http://a/b/c/http:g"),
    ("/.//evil.example", "http://a//evil.example"), ("/%2e%2e/x", "http://a/%2e%2e/x"),
    ("?", "http://a/b/c/d;p?"),
    ("#", "http://a/b/c/d;p?q"), ("/@evil.example", "http://a/@evil.example"),
    (":8080/x", "http://a/b/c/:8080/x"),
    ("..//evil.example", "http://a/b//evil.example"), ("g?x=http://h/", "http://a/b/c/g?x=http://h/"),
  ]

  @Test(arguments: examples)
  func followsTheStandard(location: String, target: String) throws {
    let base = try HTTPURL("http://a/b/c/d;p?q")
    #expect(try base.resolving(location: location).text == target)
  }

  @Test(arguments: [
    "", "http:g", "http:", "https:/x", "g:h", "ftp://h/", "file:///etc/passwd", "gopher://h/", "dict://h:1/",
    "scp://h/x",
    "data:text/plain,x", "javascript:x", "mailto:a@b", "//", "///", "///h/", "//u@v@h/", "//h:0/", "//h::/",
    "//:/", "//u@/", "//::1:/", "//127.1/", "//h:80:/", "http://h:80:/", "//[::1]:80:/",
    "//[::1/",
    "http://u:p@v@h/", "http://h\\@evil/", "\\\\h\\x", "/\\h", "/a b", " /x", "/x ", "/x\r\nSet-Cookie: a=b",
    "/x\0",
    "\t/x", "http://0x7f.1/", "http://[fe80::1%25eth0]/", "h t", "?a b", "#\\",
  ])
  func refuses(location: String) throws {
    let base = try HTTPURL("http://a/b/c/d;p?q")
    #expect(throws: HTTPURL.Invalid.self) { try base.resolving(location: location) }
  }

  @Test func keepsSchemePortAndBrackets() throws {
    let base = try HTTPURL("https://[2001:db8::1]:8443/a/b")
    #expect(try base.resolving(location: "c").text == "https://[2001:db8::1]:8443/a/c")
    #expect(try base.resolving(location: "//h/c").text == "https://h/c")
    #expect(try base.resolving(location: "c").origin == base.origin)
  }

  @Test func lengthLimitHoldsForTheResult() throws {
    let base = try HTTPURL("http://a/" + String(repeating: "b/", count: 500))
    let longest = 8000 - base.text.utf8.count
    #expect(try base.resolving(location: String(repeating: "c", count: longest)).text.utf8.count == 8000)
    let error = #expect(throws: HTTPURL.Invalid.self) {
      try base.resolving(location: String(repeating: "c", count: longest + 1))
    }
    #expect(error?.fixedWords == "is longer than 8000 bytes")
    #expect(throws: HTTPURL.Invalid.self) {
      try base.resolving(location: "/" + String(repeating: "c", count: 10_000))
    }
  }
}
