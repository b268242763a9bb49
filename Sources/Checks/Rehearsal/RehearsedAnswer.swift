// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A target's made-up answer, for a test of a check without a network. Values of another kind of check are ignored;
/// missing values are those of a target that works.
package struct RehearsedAnswer: Hashable, Sendable {
  /// Nothing of the answer arrived whole, for this reason.
  package var error: Reason?
  /// Of the whole attempt.
  package var time: Duration = .milliseconds(10)
  /// From now to the end of the certificate; negative where it has expired. `nil` for a good one of a year.
  package var certificate: Duration?

  // http: the last answer, behind all redirects.
  package var status = 200
  package var httpVersion = "1.1"
  package var headers: [HeaderField] = []
  package var body: [UInt8] = []

  // dns
  /// A mnemonic, such as NXDOMAIN.
  package var rcode = "NOERROR"
  /// Data of the records that were asked for, in presentation format.
  package var answers: [String] = []
  /// Seconds.
  package var ttl: UInt32 = 300
  package var authoritative = true

  // ping
  /// Of `sent`; nil: all of them.
  package var received: Int?
  package var roundTrip: Duration = .milliseconds(10)

  package init() {}
}

extension Reason {
  /// The part of an attempt in which it falls.
  var rehearsedPhase: Phase {
    switch self {
    case .policyDenied, .localFault: .prepare
    case .dnsNXDomain, .dnsNoData, .dnsServfail, .dnsRefused, .dnsTimeout, .dnsMalformed: .dns
    case .connectRefused, .connectTimeout, .connectUnreachable: .connect
    case .proxyConnect, .proxyAuth, .authToken: .proxy
    case .starttlsRefused: .starttls
    case .firstByteTimeout, .connectionClosed, .connectionReset, .httpProtocol, .headersTooLarge: .firstByte
    case .transferTimeout, .bodyTooLarge, .httpRedirectLimit, .httpRedirectRefused: .transfer
    case .dialog: .dialog
    case .pingTimeout: .answer
    default: .tls
    }
  }
}
