// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Testing

@testable import Checks

/// The headers of an answer as an explanation shows them, and the charset that an answer is read in.
@Suite struct ShownHeadersTests {
  private func mask() throws -> SecretMask {
    let check = try httpCheck("https://good.test/") { $0.headers = [("X-Key", Redacted("canary-1"))] }
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    return SecretMask(settings)
  }

  private func shown(_ fields: [(String, String)]) throws -> ShownHeaders {
    ShownHeaders(fields.map { HeaderField($0.0, $0.1) }, try mask())
  }

  /// Credentials go, by the name of their header and by where they stand in a value.
  @Test(arguments: [
    ("Set-Cookie", "sid=canary; Path=/; Secure", "sid=<redacted>; Path=/; Secure"),
    ("set-cookie2", "sid=; Path=/", "sid=<redacted>; Path=/"), ("Set-Cookie", "a=b=c", "a=<redacted>"),
    ("Set-Cookie", "canary; a=b", "<redacted>; a=b"),
    (
      "Location", "https://me:pw@a.test/x?a=1&b=2#c",
      "https://<redacted>@a.test/x?a=<redacted>&b=<redacted>#<redacted>"
    ),
    ("Content-Location", "/x?flag;a=1", "/x?<redacted>;a=<redacted>"),
    ("Refresh", "5; url=//u@a.test/?", "5; url=//<redacted>@a.test/?"),
    ("Link", "</x/?a=@b>; rel=next", "</x/?a=<redacted>; rel=<redacted>"),
    ("location", "/p/@me", "/p/@me"),
    ("Location", "//a.test/@me?a=", "//a.test/@me?a=<redacted>"),
    ("WWW-Authenticate", "Basic realm=\"x\"", "Basic realm=\"x\""),
    ("Proxy-Authenticate", "Negotiate", "Negotiate"), ("Authentication-Info", "nextnonce=1", "<redacted>"),
    ("X-Api-Key", "1", "<redacted>"), ("x_session", "1", "<redacted>"),
    ("X-Id", "canary-1/2", "<redacted>/2"),
    ("Server", "nginx\u{7}", "nginx\\u{7}"),
  ])
  func values(name: String, value: String, expected: String) throws {
    let shown = try shown([(name, value)])
    #expect(shown.headers == [AnswerHeader(name: name, value: expected)] && shown.leftOut == 0)
  }

  /// Sixty-four headers are shown, and 8 KiB of names and values; what comes behind the first that finds no room is
  /// counted.
  @Test func room() throws {
    let many = (0..<70).map { ("X-\($0)", "1") }
    let first = try shown(many)
    #expect(first.headers.count == 64 && first.leftOut == 6 && first.headers.last?.name == "X-63")
    // 8 of 1,004 bytes, and 160 more.
    let large = (0..<8).map { ("X-L\($0)", String(repeating: "a", count: 1000)) }
    let fits = try shown(large + [("X-M", String(repeating: "b", count: 157)), ("X", "")])
    #expect(fits.headers.count == 9 && fits.leftOut == 1)
    let over = try shown(large + [("X-M", String(repeating: "b", count: 158)), ("X", "")])
    #expect(over.headers.count == 8 && over.leftOut == 2)
    let long = try shown([1024, 1025].map { ("X", String(repeating: "a", count: $0)) })
    #expect(long.headers.map(\.value.utf8.count) == [1024, 1024])
    #expect(long.headers.map { $0.value.hasSuffix("…") } == [false, true])
  }

  // MARK: Charsets

  private static let utf16 = Charset.utf16(isLittleEndian: true)

  /// A byte order mark, then the header, then the page's own word in its first KiB, where it is a page at all.
  @Test(
    arguments: [
      ([0xef, 0xbb, 0xbf], "text/html; charset=latin1", .utf8, 3, false),
      ([0xff, 0xfe], "text/html; charset=utf-8", utf16, 2, false),
      ([0xfe, 0xff], nil, .utf16(isLittleEndian: false), 2, false),
      ([], "text/plain;charset=\"UTF-8\"", .utf8, 0, false),
      ([], "text/plain; x=charset; charset='latin1'", .windows1252, 0, false),
      ([], "text/plain; charset=x-canary", nil, 0, true), ([], "text/plain; charset", nil, 0, false),
      ([], "charset=latin1", nil, 0, false), ([], nil, nil, 0, false),
      ([], "text/plain; charset=utf-16", utf16, 0, false),
    ] as [([UInt8], String?, Charset?, Int, Bool)])
  func namedOutside(
    start: [UInt8], type: String?, charset: Charset?, markLength: Int, isUnknown: Bool
  ) {
    let naming = CharsetNaming(start + Array("text".utf8), contentType: type)
    #expect(naming.charset == charset && naming.markLength == markLength && naming.isUnknown == isUnknown)
  }

  @Test(
    arguments: [
      ("<meta charset=latin1>", "text/html", .windows1252), ("<meta charset=latin1>", nil, .windows1252),
      ("<meta charset=latin1>", "application/xhtml+xml", .windows1252),
      ("<meta charset=latin1>", "text/plain", nil), ("<meta charset=latin1>", "application/json", nil),
      ("<meta charset=\"koi8-r\" />", nil, .other("KOI8-R")), ("<META CharSet = 'utf8'>", nil, .utf8),
      ("<meta name=x><meta content='text/html;charset=latin1;x'>", nil, .windows1252),
      ("<!-- <meta charset=koi8-r> --><meta charset=latin1>", nil, .windows1252),
      ("<!-- <meta charset=latin1>", nil, nil), ("<meta charset=latin1", nil, nil),
      ("<metal charset>", nil, nil), ("<p charset=latin1>", nil, nil), ("<meta charset=>", nil, nil),
      ("<?xml version='1.0' encoding='koi8-u'?><meta charset=latin1>", nil, .other("KOI8-U")),
      // What reads as ASCII so far is no UTF-16.
      ("<meta charset=utf-16>", nil, .utf8), ("<meta charset=utf-16be>", nil, .utf8),
    ] as [(String, String?, Charset?)])
  func namedByThePage(page: String, type: String?, charset: Charset?) {
    let naming = CharsetNaming(Array(page.utf8), contentType: type)
    #expect(naming.charset == charset && naming.markLength == 0 && !naming.isUnknown)
  }

  /// A page's own word counts where it stands in its first 1,024 bytes, and a header's within 256.
  @Test func howFarItIsLookedFor() {
    let word = "<meta charset=latin1>"
    func page(_ before: Int) -> CharsetNaming {
      CharsetNaming(Array((String(repeating: " ", count: before) + word).utf8), contentType: nil)
    }
    #expect(page(1024 - word.utf8.count).charset == .windows1252)
    #expect(page(1025 - word.utf8.count).charset == nil)
    let parameter = ";charset=latin1"
    func header(_ before: Int) -> CharsetNaming {
      CharsetNaming([0x61], contentType: String(repeating: "x", count: before) + parameter)
    }
    #expect(header(256 - parameter.utf8.count).charset == .windows1252)
    #expect(header(257 - parameter.utf8.count).charset == nil)
    // A word that is unknown is told as such.
    let unknown = CharsetNaming(Array("<meta charset=x-canary>".utf8), contentType: "text/html")
    #expect(unknown.charset == nil && unknown.isUnknown)
  }

  /// The user info of a URL goes up to the last @ of its authority, as clients read it, and no further.
  @Test(
    arguments: [
      ("https://me@corp.example:pw@a.test/x", "https://<redacted>@a.test/x"),
      ("https://me:p@ss@w@a.test", "https://<redacted>@a.test"), ("//a@b@c/d@e", "//<redacted>@c/d@e"),
      ("https://a.test/u@v@w", "https://a.test/u@v@w"), ("https://@a.test/", "https://<redacted>@a.test/"),
      ("https://a.test#u@v", "https://a.test#<redacted>"),
    ])
  func userInfo(text: String, shown: String) throws {
    #expect(ShownHeaders.reference(text, try mask()) == shown)
  }
}
