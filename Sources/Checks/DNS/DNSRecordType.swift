// SPDX-License-Identifier: MIT

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
  package static let srv = DNSRecordType(rawValue: 33)
  package static let opt = DNSRecordType(rawValue: 41)
  package static let caa = DNSRecordType(rawValue: 257)

  /// A mnemonic or `TYPEnnn`, either case. Nil for anything else.
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

private let mnemonics: [UInt16: String] = [
  1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 12: "PTR", 13: "HINFO", 15: "MX", 16: "TXT", 17: "RP", 18: "AFSDB",
  28: "AAAA", 29: "LOC", 33: "SRV", 35: "NAPTR", 37: "CERT", 39: "DNAME", 41: "OPT", 43: "DS", 44: "SSHFP",
  46: "RRSIG", 47: "NSEC", 48: "DNSKEY", 50: "NSEC3", 51: "NSEC3PARAM", 52: "TLSA", 53: "SMIMEA", 59: "CDS",
  60: "CDNSKEY", 61: "OPENPGPKEY", 63: "ZONEMD", 64: "SVCB", 65: "HTTPS", 99: "SPF", 255: "ANY", 256: "URI",
  257: "CAA",
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
  package static let badVers = DNSResponseCode(rawValue: 16)

  /// The mnemonic of RFC 6895, or `RCODE12`.
  package var description: String {
    switch rawValue {
    case 0: "NOERROR"
    case 1: "FORMERR"
    case 2: "SERVFAIL"
    case 3: "NXDOMAIN"
    case 4: "NOTIMP"
    case 5: "REFUSED"
    case 6: "YXDOMAIN"
    case 7: "YXRRSET"
    case 8: "NXRRSET"
    case 9: "NOTAUTH"
    case 10: "NOTZONE"
    case 16: "BADVERS"
    default: "RCODE\(rawValue)"
    }
  }
}
