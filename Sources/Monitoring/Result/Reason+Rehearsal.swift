// SPDX-License-Identifier: MIT

import Basics

extension Reason {
  /// Failures that a case may have on the way to an answer. The outcome of conditions follows from an answer.
  package static let rehearsable: [Reason] = [
    .dnsNXDomain, .dnsNoData, .dnsServfail, .dnsRefused, .dnsTimeout, .dnsMalformed, .connectRefused,
    .connectTimeout, .connectUnreachable, .connectionReset, .connectionClosed, .tlsExpired, .tlsNotYetValid,
    .tlsHostname, .tlsSelfSigned, .tlsUntrusted, .tlsProtocol, .tlsClientCertificate, .tlsHandshake,
    .tlsTimeout,
    .tlsWeak, .httpProtocol, .httpRedirectLimit, .httpRedirectRefused, .firstByteTimeout, .transferTimeout,
    .bodyTooLarge, .headersTooLarge, .dialog, .starttlsRefused, .proxyConnect, .proxyAuth, .authToken,
    .pingTimeout, .policyDenied, .localFault,
  ]
}
