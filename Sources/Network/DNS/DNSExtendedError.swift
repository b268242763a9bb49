// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Why a server answers as it does, in its own words (RFC 8914).
package struct DNSExtendedError: Hashable, Sendable, CustomStringConvertible {
  static let optionCode: UInt16 = 15

  package let code: UInt16
  /// As sent, made printable, at most 120 bytes; empty when there is none.
  package let text: String

  /// - Parameter data: the option's, at least 2 bytes.
  init(_ data: ArraySlice<UInt8>) {
    code = data.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }  // bounded: two bytes
    text = String(decoding: data.dropFirst(2).prefix(512), as: UTF8.self).printable(maxBytes: 120)
  }

  /// The registered purpose in lower case: words of ours.
  // bounded: sixteen bits
  package var purpose: String { Int(code) < names.count ? names[Int(code)] : "extended error \(code)" }

  /// The purpose, then the server's text.
  package var description: String { text.isEmpty ? purpose : "\(purpose): \(text)" }
}

/// RFC 8914 5.2, in order.
private let names = [
  "other error", "unsupported DNSKEY algorithm", "unsupported DS digest type", "stale answer",
  "forged answer", "DNSSEC indeterminate", "DNSSEC bogus", "signature expired", "signature not yet valid",
  "DNSKEY missing", "RRSIGs missing", "no zone key bit set", "NSEC missing", "cached error", "not ready",
  "blocked", "censored", "filtered", "prohibited", "stale NXDOMAIN answer", "not authoritative",
  "not supported", "no reachable authority", "network error", "invalid data",
]
