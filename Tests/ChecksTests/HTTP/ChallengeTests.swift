// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Challenges and dates of headers, sign by sign.
@Suite struct ChallengeTests {
  private func read(_ text: String) -> [String] {
    AuthChallenge.parse(text).map { challenge in
      let parameters = challenge.parameters.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "|")
      return "\(challenge.scheme)[\(parameters)]"
    }
  }

  @Test(
    arguments: [
      ("Basic realm=x", ["basic[realm=x]"]), ("BASIC \t REALM \t=\t x", ["basic[realm=x]"]),
      (", ,Basic", ["basic[]"]), ("=x", []), (" = x, Basic", []), ("\"x\" Basic", []),
      (#"Basic realm="a"#, ["basic[]"]), (#"Basic realm="a\"#, ["basic[]"]),
      (#"Basic realm="a\"b\\c""#, [#"basic[realm=a"b\c]"#]), (#"Basic realm="""#, ["basic[realm=]"]),
      ("Basic a=1, b=2, a=3", ["basic[a=3|b=2]"]), ("A, B x=1", ["a[]", "b[x=1]"]),
      ("Negotiate a==", ["negotiate[]"]),
      ("Negotiate a==, Basic realm=x", ["negotiate[]", "basic[realm=x]"]),
      ("Negotiate a= b", ["negotiate[a=b]"]), ("Negotiate aZ09-._~+/=  ,B", ["negotiate[]", "b[]"]),
      ("A x y=1", ["a[]", "x[y=1]"]), ("A x=(1), B", ["a[x=]"]),
      ("A x=1;B", ["a[x=1]"]),
    ] as [(String, [String])])
  func challenges(text: String, found: [String]) {
    #expect(read(text) == found, "\(text)")
  }

  /// Of one header seventeen are read, and its first 8 KiB; of an answer its first sixteen headers.
  @Test func howManyAreRead() {
    let many = (0..<30).map { "s\($0)" }.joined(separator: ", ")
    #expect(AuthChallenge.parse(many).count == 17)
    func long(_ count: Int) -> String { #"Basic realm=""# + String(repeating: "a", count: count) + "\"" }
    #expect(AuthChallenge.parse(long(8192 - 14)).first?.parameters["realm"]?.utf8.count == 8178)
    #expect(AuthChallenge.parse(long(8192 - 13)).first?.parameters["realm"] == nil)
    let digest = "Digest realm=r, nonce=n"
    #expect(DigestAnswer.strongest(of: Array(repeating: "Basic", count: 15) + [digest]) != nil)
    #expect(DigestAnswer.strongest(of: Array(repeating: "Basic", count: 16) + [digest]) == nil)
  }

  /// What a server may offer as qop, and what must not stand in what is sent back.
  @Test func whatCanBeMet() {
    func isMet(_ rest: String) -> Bool { DigestAnswer.strongest(of: ["Digest nonce=n, " + rest]) != nil }
    for qop in ["auth", "AUTH", "auth-int,auth", "auth-int auth", "auth-int\\\tauth"] {
      #expect(isMet("realm=r, qop=\"\(qop)\""), "\(qop)")
    }
    for qop in ["", "auth-int", "authx", "auth;auth-int"] { #expect(!isMet("realm=r, qop=\"\(qop)\"")) }
    #expect(isMet("realm=\"\u{20}~\u{80}\"") && !isMet("realm=\"\u{7f}\"") && !isMet("realm=\"\u{1f}\""))
    #expect(isMet("realm=r, opaque=\"\"") && !isMet("realm=r, opaque=\"\u{1}\""))
    #expect(DigestAnswer.strongest(of: ["Digest realm=r, nonce=\"\u{7f}\""]) == nil)
  }

  /// The signs between the parts of a cookie's date (RFC 6265 5.1.1), of all of ASCII.
  @Test func delimitersOfDates() {
    let delimiters =
      [0x09] + Array(0x20...0x2f) + Array(0x3b...0x40) + Array(0x5b...0x60) + Array(0x7b...0x7e)
    for byte in 1..<0x80 {
      let sign = String(UnicodeScalar(UInt8(byte)))
      let text = ["1", "Jan", "2000", "00:00:00"].joined(separator: sign)
      let found = cookieDate(text)
      #expect(
        found == (delimiters.contains(byte) ? Timestamp(seconds: 946_684_800) : nil), "\(byte)")
    }
  }

  /// Each part of a date by itself: twelve months, what follows digits, and the first of each kind.
  @Test func partsOfDates() {
    let names = ["Jan", "FEB", "march", "aprx", "May", "jun", "Jul", "aug", "SEPT", "oct", "nov", "dec"]
    let days: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
    for (name, day) in zip(names, days) {
      #expect(
        cookieDate("1 \(name) 2015 0:0:0") == Timestamp(seconds: 1_420_070_400 + day * 86_400), "\(name)")
    }
    let first = Timestamp(seconds: 1_420_070_400)
    for text in [
      "1st Jan 2015x 0:0:0z", "0:0:0 1 Jan 2015", "Jan 1 2015 00:00:00 2016", "1 Jan 2015 0:0:0 5:5:5",
      "01 Jan 15 00:00:00", "1 Jan 2015 0:0:0 Feb",
    ] { #expect(cookieDate(text) == first, "\(text)") }
    for text in [
      "1 Jan 2015 0:0", "1 Jan 2015 0:0:0:0", "1 Jan 2015 000:0:0", "1 Ja 2015 0:0:0", "1 Jan 0:0:0",
      "1 Jan 20155 0:0:0", "1 Jan 5 0:0:0", "1 Jan 2015 0:60:0", "1 Jan 2015 :0:0",
    ] { #expect(cookieDate(text) == nil, "\(text)") }
    #expect(cookieDate("1 Jan 100 0:0:0") == nil && cookieDate("1 Jan 2015 23:59:59") != nil)
  }
}
