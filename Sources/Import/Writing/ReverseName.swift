// SPDX-License-Identifier: MIT

import Basics

/// The name below which the names of an address are (RFC 1035, section 3.5; RFC 3596, section 2.5).
enum ReverseName {
  /// `7.2.0.192.in-addr.arpa`; `nil` for a text that is no address.
  static func of(_ text: String) -> String? {
    guard let address = IPAddress(text) else { return nil }
    switch address {
    case .v4: return address.bytes.reversed().map { "\($0)." }.joined() + "in-addr.arpa"
    case .v6:
      let digits = address.bytes.reversed().flatMap { [$0 & 15, $0 >> 4] }
      return digits.map { "\(String($0, radix: 16))." }.joined() + "ip6.arpa"
    }
  }
}
