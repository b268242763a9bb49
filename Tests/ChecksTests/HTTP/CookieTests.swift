// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// The cookies of one attempt, by RFC 6265.
@Suite struct CookieTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private func sent(_ set: [String], from: String = "https://shop.good.test/a/b", to: String) throws
    -> String?
  {
    var jar = CookieJar()
    jar.take(set, from: try HTTPURL(from), at: Self.now)
    return jar.header(for: try HTTPURL(to), at: Self.now)
  }

  @Test(arguments: [
    ("a=1", "https://shop.good.test/a/c", "a=1"), ("a=1", "https://shop.good.test/a", "a=1"),
    ("a=1", "https://shop.good.test/ab", nil), ("a=1", "https://shop.good.test/", nil),
    ("a=1; Path=/", "https://shop.good.test/x", "a=1"), ("a=1; path=x", "https://shop.good.test/a/x", "a=1"),
    ("a=1; Path=/", "https://www.good.test/", nil), ("a=1; Path=/", "https://x.shop.good.test/", nil),
    ("a=1; Path=/; Domain=good.test", "https://www.good.test/", "a=1"),
    ("a=1; Path=/; Domain=.GOOD.test", "https://www.good.test/", "a=1"),
    ("a=1; Path=/; Domain=test", "https://www.good.test/", nil),
    ("a=1; Path=/; Domain=test", "https://shop.good.test/", nil),
    ("a=1; Path=/; Domain=other.test", "https://shop.good.test/", nil),
    ("a=1; Path=/; Domain=x.shop.good.test", "https://x.shop.good.test/", nil),
    ("a=1; Path=/; Secure", "http://shop.good.test/", nil),
    ("a=1; Path=/; Secure", "https://shop.good.test/", "a=1"),
    ("a=1; Path=/; Max-Age=0", "https://shop.good.test/", nil),
    ("a=1; Path=/; Max-Age=9", "https://shop.good.test/", "a=1"),
    ("a=1; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "https://shop.good.test/", nil),
    ("a=1; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Max-Age=9", "https://shop.good.test/", "a=1"),
    ("a=1; Path=/; Expires=rubbish", "https://shop.good.test/", "a=1"),
    (" a = \"1 2\" ; Path=/; HttpOnly", "https://shop.good.test/", "a=\"1 2\""),
    ("=1; Path=/", "https://shop.good.test/", nil), ("nothing", "https://shop.good.test/a/b", nil),
    ("a=1\u{7}; Path=/", "https://shop.good.test/", nil), ("a=; Path=/", "https://shop.good.test/", "a="),
  ])
  func goesWhereItBelongs(set: String, to: String, header: String?) throws {
    #expect(try sent([set], to: to) == header)
  }

  @Test func aLaterOneReplacesAndLongerPathsComeFirst() throws {
    let set = ["a=1; Path=/", "b=2; Path=/a", "a=3; Path=/", "c=4; Path=/", "c=; Path=/; Max-Age=0"]
    #expect(try sent(set, to: "https://shop.good.test/a/b") == "b=2; a=3")
  }

  @Test func aSecureOneIsNotTakenInTheClear() throws {
    let url = "http://shop.good.test/"
    #expect(try sent(["a=1; Secure"], from: url, to: "https://shop.good.test/") == nil)
  }

  /// A name may promise where its cookie is from; one that does not keep it is not taken, as browsers do.
  @Test(
    arguments: [
      ("__Secure-a=1; Path=/; Secure", "__Secure-a=1"), ("__Secure-a=1; Path=/", nil),
      ("__secure-a=1; Path=/", nil),
      ("__Host-a=1; Path=/; Secure", "__Host-a=1"), ("__Host-a=1; Path=/", nil),
      ("__HOST-a=1; Path=/a; Secure", nil), ("__Host-a=1; Path=/; Secure; Domain=good.test", nil),
      ("__Hosta=1; Path=/", "__Hosta=1"),
    ] as [(String, String?)])
  func aPrefixIsKept(set: String, header: String?) throws {
    #expect(try sent([set], to: "https://shop.good.test/a/b") == header)
  }

  /// Who names his own host as the domain means its subdomains too (section 5.3 step 6); the last one that is named counts.
  /// A host of one label, or an address, is nobody's parent.
  @Test func itsOwnHostAsTheDomainMeansItsSubdomains() throws {
    let from = "https://good.test/"
    let below = "https://www.good.test/"
    #expect(try sent(["a=1; Domain=good.test"], from: from, to: below) == "a=1")
    #expect(try sent(["a=1; Domain=.Good.Test"], from: from, to: below) == "a=1")
    #expect(try sent(["a=1; Domain="], from: from, to: below) == nil)
    let shop = "https://shop.good.test/"
    let both = ["a=1; Domain=good.test; Domain=shop.good.test"]
    #expect(try sent(both, from: shop, to: "https://x.shop.good.test/") == "a=1")
    #expect(try sent(both, from: shop, to: below) == nil)
    #expect(try sent(["a=1; Domain=intern"], from: "https://intern/", to: "https://intern/") == "a=1")
    #expect(try sent(["a=1; Domain=intern"], from: "https://intern/", to: "https://x.intern/") == nil)
    let address = "http://127.0.0.1/"
    #expect(try sent(["a=1; Domain=127.0.0.1"], from: address, to: address) == "a=1")
  }

  /// A domain ends at a dot: who is called nearly the same is somebody else.
  @Test func aDomainIsNoSuffix() throws {
    let set = ["a=1; Path=/; Domain=good.test"]
    #expect(try sent(set, from: "https://notgood.test/", to: "https://good.test/") == nil)
    #expect(try sent(set, from: "https://notgood.test/", to: "https://notgood.test/") == nil)
    #expect(try sent(set, from: "https://shop.good.test/", to: "https://notgood.test/") == nil)
    #expect(try sent(set, from: "https://shop.good.test/", to: "https://www.good.test/") == "a=1")
  }

  @Test func anAddressHasNoSubdomains() throws {
    let set = ["a=1; Domain=0.0.1", "b=2"]
    #expect(try sent(set, from: "http://127.0.0.1/", to: "http://127.0.0.1/") == "b=2")
  }

  @Test func theJarIsBounded() throws {
    let many =
      (0..<200).map { "c\($0)=\(String(repeating: "v", count: 1000))" } + [
        "d=" + String(repeating: "v", count: 5000)
      ]
    let header = try #require(try sent(many, from: "http://good.test/", to: "http://good.test/"))
    #expect(header.utf8.count <= CookieJar.maximumHeaderBytes)
    #expect(!header.contains("d="))
  }

  @Test(
    arguments: [
      ("Wed, 21 Oct 2015 07:28:00 GMT", 1_445_412_480), ("Wednesday, 21-Oct-15 07:28:00 GMT", 1_445_412_480),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun Feb 29 23:59:59 2032", 1_961_711_999),
      ("1 jan 1999 1:2:3", 915_152_523),
      ("Wed, 21 Oct 15 07:28:00", 1_445_412_480), ("1 Jan 00 00:00:00", 946_684_800),
      ("1 Jan 69 00:00:00", 3_124_224_000), ("1 Jan 70 00:00:00", 0), ("1 Jan 99 00:00:00", 915_148_800),
      ("1 Jan 1601 00:00:00", -11_644_473_600), ("31 Dec 1600 23:59:59", nil),
      ("21 Oct 2015", nil), ("07:28:00", nil),
      ("32 Oct 2015 07:28:00", nil), ("0 Oct 2015 07:28:00", nil), ("31 Oct 2015 23:59:59", 1_446_335_999),
      ("1 Oct 2015 23:60:00", nil), ("1 Oct 2015 23:59:60", nil), ("29 Feb 2000 00:00:00", 951_782_400),
      ("1 Mar 1900 00:00:00", -2_203_891_200), ("28 Feb 1900 23:59:59", -2_203_891_201),
      ("21 Oct 1500 07:28:00", nil), ("21 Oct 2015 24:00:00", nil), ("", nil),
    ] as [(String, Int64?)])
  func datesAreReadLeniently(text: String, seconds: Int64?) {
    #expect(cookieDate(text) == seconds.map { Timestamp(seconds: $0) })
  }
}
