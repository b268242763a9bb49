// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Checks
@testable import Network

/// The words that records are printed in, and read from.
@Suite struct DNSTextTests {
  /// The times of an RRSIG are calendar days and hours in UTC, around each end of a month, a leap day and a century.
  @Test(
    arguments: [
      (0, "19700101000000"), (5_097_599, "19700228235959"), (5_097_600, "19700301000000"),
      (94_694_399, "19721231235959"), (94_694_400, "19730101000000"), (951_782_399, "20000228235959"),
      (951_782_400, "20000229000000"), (951_868_799, "20000229235959"), (951_868_800, "20000301000000"),
      (1_073_741_824, "20040110133704"), (1_706_702_401, "20240131120001"), (1_709_190_489, "20240229070809"),
      (1_714_438_923, "20240430010203"), (1_733_011_140, "20241130235900"), (2_147_483_648, "20380119031408"),
      (4_102_444_799, "20991231235959"), (4_107_542_399, "21000228235959"), (4_107_542_400, "21000301000000"),
      (4_294_967_295, "21060207062815"),
    ] as [(UInt32, String)])
  func calendar(seconds: UInt32, text: String) { #expect(calendarText(seconds) == text) }

  /// In quotes stand printable ASCII as it is, quotes and backslashes behind a backslash, and other bytes as three digits.
  @Test(
    arguments: [
      ([], "\"\""), ([0x1f, 0x20, 0x7e, 0x7f], "\"\\031 ~\\127\""), ([0x22, 0x5c, 0x41], "\"\\\"\\\\A\""),
      ([0, 9, 99, 100, 255], "\"\\000\\009cd\\255\""),
    ] as [([UInt8], String)])
  func inQuotes(bytes: [UInt8], text: String) { #expect(quoted(bytes) == text) }

  /// Words of a record's data: escapes resolved, in lower case, names without their final dot, a text in quotes in one piece.
  @Test(
    arguments: [
      ("", []), ("10 MX1.X.example.", ["10", "mx1.x.example"]), (" a  b\tc ", ["a", "b", "c"]), (".", ["."]),
      ("\"A b\" \"c.\"", ["a b", "c."]), ("\"a\tb\"c.", ["a\tb", "c"]), ("\"\" \"\"", ["", ""]),
      ("a\\032b", ["a b"]), ("\\a\\ b", ["a b"]), ("\"a\\\"b\"", ["a\"b"]), ("a\\09", ["a09"]),
      ("\\255A", ["\\255a"]), ("\\256", ["\\256"]), ("\\127", ["\u{7f}"]), ("\\255\\127", ["\\255\u{7f}"]),
      ("\"open.", ["open."]), ("a\\", ["a"]), ("a\\.", ["a."]), ("a\\046", ["a."]), ("a\\.b.", ["a.b"]),
    ] as [(String, [String])])
  func words(text: String, words: [String]) { #expect(presentationTokens(text) == words) }

  /// Bytes that are a character are the same as the character.
  @Test func charactersInDigits() {
    #expect(presentationTokens("\\195\\188") == presentationTokens("\u{fc}"))
  }

  /// The registry of record types, from number to word and back; other numbers have a word made of them.
  @Test func types() {
    let registry = """
      1 A 2 NS 5 CNAME 6 SOA 7 MB 8 MG 9 MR 11 WKS 12 PTR 13 HINFO 14 MINFO 15 MX 16 TXT 17 RP 18 AFSDB 21 RT 25 KEY
      28 AAAA 29 LOC 33 SRV 35 NAPTR 36 KX 37 CERT 39 DNAME 41 OPT 42 APL 43 DS 44 SSHFP 45 IPSECKEY 46 RRSIG 47 NSEC
      48 DNSKEY 49 DHCID 50 NSEC3 51 NSEC3PARAM 52 TLSA 53 SMIMEA 55 HIP 59 CDS 60 CDNSKEY 61 OPENPGPKEY 62 CSYNC
      63 ZONEMD 64 SVCB 65 HTTPS 99 SPF 104 NID 105 L32 106 L64 107 LP 108 EUI48 109 EUI64 249 TKEY 250 TSIG 251 IXFR
      252 AXFR 255 ANY 256 URI 257 CAA 32769 DLV
      """
    let parts = registry.split(whereSeparator: \.isWhitespace).map(String.init)
    var known: Set<UInt16> = []
    for place in stride(from: 0, to: parts.count, by: 2) {
      guard let number = UInt16(parts[place]) else { continue }
      known.insert(number)
      #expect(DNSRecordType(rawValue: number).description == parts[place + 1])
      #expect(DNSRecordType(parts[place + 1].lowercased())?.rawValue == number)
      #expect(DNSRecordType("type\(number)")?.rawValue == number)
    }
    #expect(known.count == parts.count / 2)
    for number in UInt16(0)...300 where !known.contains(number) {
      #expect(DNSRecordType(rawValue: number).description == "TYPE\(number)")
    }
    for text in ["", "TYPE", "TYPE65536", "TYPE-1", "TYPE1 ", "B"] { #expect(DNSRecordType(text) == nil) }
  }

  /// The registry of response codes, from number to word and back.
  @Test func codes() {
    let registry: [UInt16: String] = [
      0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED", 6: "YXDOMAIN",
      7: "YXRRSET", 8: "NXRRSET", 9: "NOTAUTH", 10: "NOTZONE", 11: "DSOTYPENI", 16: "BADVERS", 17: "BADKEY",
      18: "BADTIME", 19: "BADMODE", 20: "BADNAME", 21: "BADALG", 22: "BADTRUNC", 23: "BADCOOKIE",
    ]
    for number in UInt16(0)...30 {
      let word = registry[number] ?? "RCODE\(number)"
      #expect(DNSResponseCode(rawValue: number).description == word)
      #expect(DNSResponseCode(mnemonic: word)?.rawValue == registry[number].map { _ in number })
    }
  }
}
