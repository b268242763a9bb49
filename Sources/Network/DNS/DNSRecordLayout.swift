// SPDX-License-Identifier: MIT

import Basics

/// One field of a record's data, as its RFC lays it out.
enum DNSField: Hashable, Sendable {
  case byte, word, long
  case name
  /// 4 bytes, as an IPv4 address.
  case address
  /// 4 groups of 4 hexadecimal digits (RFC 6742).
  case locator
  /// A character string: a length byte and its bytes.
  case text
  /// The mnemonic of a record type.
  case type
  /// Seconds since 1970 in 32 bits, as `YYYYMMDDHHmmSS` (RFC 4034 3.2).
  case instant
  /// A length byte and its bytes in hexadecimal; `-` for none (RFC 5155 3.3).
  case salt
  /// A length byte and its bytes in base 32 with the extended alphabet (RFC 5155 3.3).
  case hash

  // What reaches to the end of the data.

  case texts
  /// All that is left as one quoted string (RFC 7553 4.4).
  case quoted
  case hex
  /// Two hexadecimal digits a byte, joined by hyphens (RFC 7043).
  case hyphenated
  case base64
  /// A type bitmap (RFC 4034 4.1.2).
  case types
  /// A length byte for the tag, the tag, and the value (RFC 8659 4.1).
  case property
  /// RFC 9460 2.2.
  case parameters
}

extension DNSRecordType {
  /// How the data of this type is laid out; nil where it is not known, or is read apart (A, AAAA, LOC).
  var layout: [DNSField]? { layouts[rawValue] }

  /// Types of RFC 1035 mean the same in each class; those that came later are for IN.
  var isOfAnyClass: Bool { (2...9).contains(rawValue) || (12...16).contains(rawValue) }
}

private let layouts: [UInt16: [DNSField]] = [
  // RFC 1035.
  2: [.name], 5: [.name], 7: [.name], 8: [.name], 9: [.name], 12: [.name],
  6: [.name, .name, .long, .long, .long, .long, .long],
  13: [.text, .text], 14: [.name, .name], 15: [.word, .name], 16: [.texts],
  // RP, AFSDB, RT (1183).
  17: [.name, .name], 18: [.word, .name], 21: [.word, .name],
  // SRV (2782), NAPTR (3403), KX (2230), CERT (4398), DNAME (6672), SPF (7208).
  33: [.word, .word, .word, .name], 35: [.word, .word, .text, .text, .text, .name],
  36: [.word, .name], 37: [.word, .word, .byte, .base64], 39: [.name], 99: [.texts],
  // KEY (2535), DS and its kin (4034, 7344, 4431), RRSIG, NSEC, DNSKEY (4034), DHCID (4701).
  25: [.word, .byte, .byte, .base64], 43: [.word, .byte, .byte, .hex], 59: [.word, .byte, .byte, .hex],
  32_769: [.word, .byte, .byte, .hex],
  46: [.type, .byte, .byte, .long, .instant, .instant, .word, .name, .base64], 47: [.name, .types],
  48: [.word, .byte, .byte, .base64], 60: [.word, .byte, .byte, .base64], 49: [.base64],
  // NSEC3 (5155).
  50: [.byte, .byte, .word, .salt, .hash, .types], 51: [.byte, .byte, .word, .salt],
  // SSHFP (4255), TLSA (6698), SMIMEA (8162), OPENPGPKEY (7929), CSYNC (7477), ZONEMD (8976).
  44: [.byte, .byte, .hex], 52: [.byte, .byte, .byte, .hex], 53: [.byte, .byte, .byte, .hex], 61: [.base64],
  62: [.long, .word, .types], 63: [.long, .byte, .byte, .hex],
  // SVCB, HTTPS (9460), NID, L32, L64, LP (6742), EUI48, EUI64 (7043), URI (7553), CAA (8659).
  64: [.word, .name, .parameters], 65: [.word, .name, .parameters],
  104: [.word, .locator], 105: [.word, .address], 106: [.word, .locator], 107: [.word, .name],
  108: [.hyphenated], 109: [.hyphenated], 256: [.word, .word, .quoted], 257: [.byte, .property],
]
