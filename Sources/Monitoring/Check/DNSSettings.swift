// SPDX-License-Identifier: MIT

import Basics

/// Settings of a dns check.
package struct DNSSettings: Hashable, Sendable {
  /// `nil` for the system's resolvers.
  package var server: Endpoint?
  package var transport = DNSTransport.udp
  package var name = ""
  /// Mnemonic in upper case such as `A`, or `TYPE65280` (RFC 3597).
  package var recordType = "A"
  package var recordClass = DNSClass.in
  package var recursion = true
  /// Ask for signatures (DO, RFC 3225); the answer must then be marked authentic (AD, RFC 6840).
  package var dnssec = false
  /// For dot and doh.
  package var tls = TLSOptions()
  package var expect = DNSExpectations()
}

package enum DNSTransport: String, CaseIterable, Hashable, Sendable {
  /// UDP, and TCP where the answer is cut.
  case udp
  case tcp
  /// RFC 7858, port 853.
  case dot
  /// RFC 8484, port 443, `/dns-query`.
  case doh

  package var defaultPort: UInt16 {
    switch self {
    case .udp, .tcp: 53
    case .dot: 853
    case .doh: 443
    }
  }
}

package enum DNSClass: String, CaseIterable, Hashable, Sendable {
  case `in` = "IN"
  case ch = "CH"
  case hs = "HS"
}

/// The conditions of a dns check; all of them must hold.
package struct DNSExpectations: Hashable, Sendable {
  /// Mnemonics; the answer's code must be one of them.
  package var rcodes = ["NOERROR"]
  /// Literals in presentation format, or `~ pattern`. Order and case do not matter; a list that is empty is not judged.
  package var answersAny: [Condition] = []
  package var answersAll: [Condition] = []
  /// The answers are these and no others.
  package var answersExact: [Condition] = []
  package var answersNone: [Condition] = []
  /// Of the number of answers of the type asked for.
  package var count: Condition?
  /// Seconds; each answer's.
  package var ttl: Condition?
  /// The AA bit.
  package var authoritative: Bool?
  /// All name servers of the zone hold the same SOA serial.
  package var serialAgreement = false
}
