// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A record type by number. Known ones have a mnemonic, all have the form `TYPE65` (RFC 3597).
package struct DNSRecordType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let a = DNSRecordType(rawValue: 1)
  package static let ns = DNSRecordType(rawValue: 2)
  package static let cname = DNSRecordType(rawValue: 5)
  package static let soa = DNSRecordType(rawValue: 6)
  package static let ptr = DNSRecordType(rawValue: 12)
  package static let mx = DNSRecordType(rawValue: 15)
  package static let txt = DNSRecordType(rawValue: 16)
  package static let aaaa = DNSRecordType(rawValue: 28)
  package static let loc = DNSRecordType(rawValue: 29)
  package static let srv = DNSRecordType(rawValue: 33)
  package static let opt = DNSRecordType(rawValue: 41)
  package static let rrsig = DNSRecordType(rawValue: 46)
  package static let spf = DNSRecordType(rawValue: 99)
  package static let caa = DNSRecordType(rawValue: 257)

  /// A mnemonic or `TYPEnnn`, either case. `nil` for anything else.
  package init?(_ text: some StringProtocol) {
    let upper = text.uppercased()
    if let number = numbers[upper] {
      self.init(rawValue: number)
    } else if upper.hasPrefix("TYPE"), upper.utf8.dropFirst(4).allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt16(upper.dropFirst(4))
    {
      self.init(rawValue: number)
    } else {
      return nil
    }
  }

  package var description: String { mnemonics[rawValue] ?? "TYPE\(rawValue)" }
}

/// The IANA registry, as far as anybody meets its types.
private let mnemonics: [UInt16: String] = [
  1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 7: "MB", 8: "MG", 9: "MR", 11: "WKS", 12: "PTR", 13: "HINFO",
  14: "MINFO", 15: "MX", 16: "TXT", 17: "RP", 18: "AFSDB", 21: "RT", 25: "KEY", 28: "AAAA", 29: "LOC",
  33: "SRV", 35: "NAPTR", 36: "KX", 37: "CERT", 39: "DNAME", 41: "OPT", 42: "APL", 43: "DS", 44: "SSHFP",
  45: "IPSECKEY", 46: "RRSIG", 47: "NSEC", 48: "DNSKEY", 49: "DHCID", 50: "NSEC3", 51: "NSEC3PARAM",
  52: "TLSA", 53: "SMIMEA", 55: "HIP", 59: "CDS", 60: "CDNSKEY", 61: "OPENPGPKEY", 62: "CSYNC", 63: "ZONEMD",
  64: "SVCB", 65: "HTTPS", 99: "SPF", 104: "NID", 105: "L32", 106: "L64", 107: "LP", 108: "EUI48",
  109: "EUI64", 249: "TKEY", 250: "TSIG", 251: "IXFR", 252: "AXFR", 255: "ANY", 256: "URI", 257: "CAA",
  32_769: "DLV",
]

private let numbers = Dictionary(uniqueKeysWithValues: mnemonics.map { ($1, $0) })

/// A response code, extended by EDNS to 12 bits.
package struct DNSResponseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let noError = DNSResponseCode(rawValue: 0)
  package static let formErr = DNSResponseCode(rawValue: 1)
  package static let servFail = DNSResponseCode(rawValue: 2)
  package static let nxDomain = DNSResponseCode(rawValue: 3)
  package static let notImp = DNSResponseCode(rawValue: 4)
  package static let refused = DNSResponseCode(rawValue: 5)

  /// `nil` for a mnemonic that is not in the registry.
  package init?(mnemonic: String) {
    guard let found = codeNames.first(where: { ByteText($0.value) == ByteText(mnemonic) }) else { return nil }
    self.init(rawValue: found.key)
  }

  /// The mnemonic of the IANA registry (RFC 6895 2.3), or `RCODE12`.
  package var description: String { codeNames[rawValue] ?? "RCODE\(rawValue)" }
}

/// 16 is BADVERS for EDNS, the only way a code above 15 comes to us.
private let codeNames: [UInt16: String] = [
  0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED", 6: "YXDOMAIN",
  7: "YXRRSET", 8: "NXRRSET", 9: "NOTAUTH", 10: "NOTZONE", 11: "DSOTYPENI", 16: "BADVERS", 17: "BADKEY",
  18: "BADTIME", 19: "BADMODE", 20: "BADNAME", 21: "BADALG", 22: "BADTRUNC", 23: "BADCOOKIE",
]
