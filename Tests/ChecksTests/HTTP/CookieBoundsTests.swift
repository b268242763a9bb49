// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// The bounds of a jar of cookies, and the times at which they end.
@Suite struct CookieBoundsTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private func jar(_ set: [String], from: String = "https://good.test/a/b") throws -> CookieJar {
    var jar = CookieJar()
    jar.take(set, from: try HTTPURL(from), at: Self.now)
    return jar
  }

  private func names(_ set: [String]) throws -> [String] { try jar(set).cookies.map(\.name) }

  /// Name and value have 4,096 bytes together, and a header of the answer twice as many.
  @Test func sizes() throws {
    func cookie(_ bytes: Int, _ rest: String = "") -> String {
      "ab=" + String(repeating: "v", count: bytes - 2) + rest
    }
    #expect(try names([cookie(4096)]) == ["ab"])
    #expect(try names([cookie(4097)]).isEmpty)
    let path = "; Path=/"
    let filler = "; x=" + String(repeating: "y", count: 8192 - cookie(4000, path).utf8.count - 4)
    #expect(try names([cookie(4000, path + filler)]) == ["ab"])
    #expect(try names([cookie(4000, path + filler + "y")]).isEmpty)
  }

  /// Fifty cookies at most; one that is there already is replaced, and one that is over makes room.
  @Test func fifty() throws {
    let many = (0..<60).map { "c\($0)=\($0)" }
    #expect(try names(many) == (0..<50).map { "c\($0)" })
    let replaced = try jar(many + ["c7=new"])
    #expect(replaced.cookies.count == 50 && replaced.cookies.last?.value == "new")
    #expect(try names(Array(many.prefix(50)) + ["c7=; Max-Age=0", "c99=1"]).last == "c99")
    // Another path or another domain makes another cookie of it.
    let others = try jar(
      ["a=1", "a=2; Path=/", "a=3; Domain=good.test", "a=4"], from: "https://shop.good.test/a/b")
    #expect(others.cookies.map(\.value) == ["2", "3", "4"])
  }

  /// Of 32 attributes all are read, and of more the rest is not.
  @Test func attributes() throws {
    let filler = String(repeating: "; x", count: 31)
    #expect(try jar(["a=1" + filler + "; Path=/p"]).cookies.map(\.path) == ["/p"])
    #expect(try jar(["a=1; x" + filler + "; Path=/p"]).cookies.map(\.path) == ["/a"])
    let all = try jar(["a=1; SECURE; path=/x; DOMAIN=.Good.Test; Max-age=10; HttpOnly; SameSite=Lax"])
    #expect(
      all.cookies == [
        CookieJar.Cookie(
          name: "a", value: "1", domain: "good.test", isHostOnly: false, path: "/x", isSecure: true,
          expires: Self.now.advanced(by: .seconds(10)))
      ])
    let bare = try jar(["a=b=c"], from: "http://good.test/")
    #expect(
      bare.cookies == [
        CookieJar.Cookie(
          name: "a", value: "b=c", domain: "good.test", isHostOnly: true, path: "/", isSecure: false)
      ])
  }

  /// Max-Age wins over Expires, and is at most 400 days; what is no number leaves the time as it was.
  @Test(
    arguments: [
      ("Max-Age=10", 10), ("Max-Age=34560000", 34_560_000), ("Max-Age=34560001", 34_560_000),
      ("Max-Age=10; Max-Age=20", 20), ("Max-Age=10; Max-Age=x", 10), ("Max-Age=1.5", nil), ("Max-Age", nil),
      ("Max-Age=10; Expires=Fri, 15 Jan 2027 08:01:00 GMT", 10),
      ("Expires=Fri, 15 Jan 2027 08:01:00 GMT", 60),
      ("Expires=Fri, 15 Jan 2027 08:01:00 GMT; Max-Age=x", 60), ("Secure", nil),
    ] as [(String, Int?)])
  func ends(attributes: String, seconds: Int?) throws {
    let end = seconds.map { Self.now.advanced(by: .seconds($0)) }
    #expect(try jar(["a=1; " + attributes]).cookies.map(\.expires) == [end])
  }

  /// A cookie is over at its end: it is sent until then, and one that comes with such an end is not kept.
  @Test func itIsOverAtItsEnd() throws {
    for end in ["Max-Age=0", "Max-Age=-5", "Expires=Fri, 15 Jan 2027 08:00:00 GMT"] {
      #expect(try jar(["a=1; \(end)"]).cookies.isEmpty, "\(end)")
      #expect(try jar(["a=1", "a=2; \(end)", "b=3"]).cookies.map(\.name) == ["b"], "\(end)")
    }
    let jar = try jar(["a=1; Path=/; Max-Age=10"])
    let url = try HTTPURL("https://good.test/")
    #expect(jar.header(for: url, at: Self.now.advanced(by: .milliseconds(9999))) == "a=1")
    #expect(jar.header(for: url, at: Self.now.advanced(by: .seconds(10))) == nil)
  }

  /// Longer paths first, of equal ones those that came first; and what does not fit the header ends it.
  @Test func theOrderOfAHeader() throws {
    let url = try HTTPURL("https://good.test/a/b/c")
    let jar = try jar(["r=1; Path=/", "x=2; Path=/a/b", "s=3; Path=/", "y=4; Path=/a", "z=5; Path=/a/b"])
    #expect(jar.header(for: url, at: Self.now) == "x=2; z=5; y=4; r=1; s=3")
    // Four of 4,000 bytes with what stands between them, and a fifth of 376: 16,384 in all.
    func header(_ last: Int) throws -> Int? {
      let set =
        (0..<4).map { "c\($0)=" + String(repeating: "v", count: 3997) }
        + ["d=" + String(repeating: "v", count: last - 2), "e=1"]
      return try self.jar(set).header(for: url, at: Self.now)?.utf8.count
    }
    #expect(try header(376) == 16_384)
    #expect(try header(377) == 16_006)
  }

  /// A tab may stand in a value, another control character and DEL may not.
  @Test func controlCharacters() throws {
    #expect(try jar(["a=1\t2"]).cookies.map(\.value) == ["1\t2"])
    for bad in ["\u{1f}", "\u{0}", "\u{7f}", "\n", "\r"] { #expect(try names(["a=1\(bad)2"]).isEmpty) }
    #expect(try jar(["a=\u{e9}~ "]).cookies.map(\.value) == ["\u{e9}~"])
  }

  // MARK: Digest

  /// The parts of an answer's header, in which quotes and backslashes are escaped (RFC 7616 section 3.4).
  @Test func theHeaderOfAnAnswer() throws {
    let request = DigestAnswer.Request(method: "GET", uri: "/a\"b", username: "M\\e", password: "p")
    func header(_ challenge: String, count: UInt32 = 1) throws -> String {
      try #require(DigestAnswer.strongest(of: [challenge])).header(request, count: count, clientNonce: "c0")
    }
    let plain = try header(#"Digest realm="a\"b", nonce="n""#)
    #expect(plain.hasPrefix(#"Digest username="M\\e", realm="a\"b", nonce="n", uri="/a\"b", response=""#))
    for word in ["algorithm", "qop", "nc=", "cnonce", "opaque", "userhash"] { #expect(!plain.contains(word)) }
    let full = try header(
      #"Digest realm="r", nonce="n", opaque="o", qop="auth-int,auth", algorithm=md5-SESS"#, count: 0x1a2b)
    #expect(
      full.hasSuffix(#"", algorithm=md5-SESS, qop=auth, nc=00001a2b, cnonce="c0", opaque="o""#), "\(full)")
    // Without qop the key of a session needs our nonce all the same.
    let session = try header(#"Digest realm="r", nonce="n", algorithm=SHA-256-sess"#)
    #expect(session.hasSuffix(#"", algorithm=SHA-256-sess, cnonce="c0""#), "\(session)")
  }

  /// A server that does not want to read the user's name gets its hash (section 3.4.4).
  @Test func aHashedUser() throws {
    let answer = try #require(
      DigestAnswer.strongest(of: [
        #"Digest realm="http-auth@example.org", nonce="n", qop=auth, algorithm=SHA-256, userhash=TRUE"#
      ]))
    #expect(answer.hashesUser && !answer.isStale)
    let header = answer.header(
      .init(method: "GET", uri: "/", username: "Mufasa", password: "p"), count: 1, clientNonce: "c")
    #expect(
      header.hasPrefix(
        #"Digest username="a947aad205e80e429958a387394944c6b496301e79f89d35a4cc23b6ee12b5b6", realm="#))
    #expect(header.hasSuffix(", userhash=true"))
  }

  @Test func flagsOfAChallenge() {
    for (word, isSet) in [("true", true), ("TRUE", true), ("false", false), ("1", false)] {
      let answer = DigestAnswer.strongest(of: ["Digest realm=r, nonce=n, stale=\(word), userhash=\(word)"])
      #expect(answer?.isStale == isSet && answer?.hashesUser == isSet)
    }
    let sorts = ["MD5", "md5-sess", "SHA-256", "sha-256-SESS"].map {
      DigestAnswer.strongest(of: ["Digest realm=r, nonce=n, algorithm=\($0)"])
    }
    #expect(sorts.map { $0?.algorithm } == [.md5, .md5, .sha256, .sha256])
    #expect(sorts.map { $0?.isSession } == [false, true, false, true])
  }
}
