// SPDX-License-Identifier: MIT

import Basics

/// Why a result is what it is: a closed list, the same in every output, in the store and in the documentation.
///
/// The raw value is the word users see (`snake_case`). Adding a case is a change of the product's contract:
/// docs/results.md lists every value with its meaning and what to do about it.
package enum Reason: String, CaseIterable, Hashable, Sendable {
  case ok

  case dnsNXDomain = "dns_nxdomain"
  case dnsNoData = "dns_no_data"
  case dnsServfail = "dns_servfail"
  case dnsRefused = "dns_refused"
  case dnsTimeout = "dns_timeout"
  case dnsMalformed = "dns_malformed"
  case dnsRcode = "dns_rcode"
  case dnsAnswer = "dns_answer"

  case connectRefused = "connect_refused"
  case connectTimeout = "connect_timeout"
  case connectUnreachable = "connect_unreachable"
  case connectionReset = "connection_reset"
  case connectionClosed = "connection_closed"

  case tlsExpired = "tls_expired"
  case tlsNotYetValid = "tls_not_yet_valid"
  case tlsHostname = "tls_hostname"
  case tlsSelfSigned = "tls_self_signed"
  case tlsUntrusted = "tls_untrusted"
  case tlsProtocol = "tls_protocol"
  case tlsClientCertificate = "tls_client_certificate"
  case tlsHandshake = "tls_handshake"
  case tlsTimeout = "tls_timeout"
  case tlsWeak = "tls_weak"

  case httpStatus = "http_status"
  case httpProtocol = "http_protocol"
  case httpRedirectLimit = "http_redirect_limit"
  case httpRedirectRefused = "http_redirect_refused"
  case firstByteTimeout = "first_byte_timeout"
  case transferTimeout = "transfer_timeout"
  case bodyTooLarge = "body_too_large"
  case headersTooLarge = "headers_too_large"

  case body
  case header
  case json
  case finalURL = "final_url"
  case httpVersion = "http_version"
  case responseTime = "response_time"
  case certificateExpiring = "certificate_expiring"

  case dialog
  case starttlsRefused = "starttls_refused"
  case proxyConnect = "proxy_connect"
  case proxyAuth = "proxy_auth"
  case authToken = "auth_token"
  case pingLoss = "ping_loss"
  case pingTimeout = "ping_timeout"

  /// The target answered, and the check says that it must not.
  case negated

  /// A job did not report in time.
  case heartbeatMissed = "heartbeat_missed"
  /// A job reported that it failed.
  case heartbeatFailed = "heartbeat_failed"

  /// It failed, and so does a check that it depends on.
  case dependency

  /// This place and the others of `confirm` disagree, and the verdict is the others'.
  case regional

  case policyDenied = "policy_denied"
  case localFault = "local_fault"
  case unsupported

  /// True for the reasons the backend's enum calls `timeout` rather than `failure`.
  package var isTimeout: Bool {
    switch self {
    case .dnsTimeout, .connectTimeout, .tlsTimeout, .firstByteTimeout, .transferTimeout, .pingTimeout: true
    default: false
    }
  }

  /// True for the reasons of what stands between us and the target, which may take too long or refuse.
  package var mayTimeOut: Bool { self == .proxyConnect || self == .authToken }

  /// A redirect led where it was not followed.
  package var isAboutRedirect: Bool { self == .httpRedirectRefused || self == .httpRedirectLimit }

  /// The certificate that was presented is refused.
  package var isAboutCertificate: Bool {
    switch self {
    case .tlsExpired, .tlsNotYetValid, .tlsHostname, .tlsSelfSigned, .tlsUntrusted, .tlsWeak: true
    default: false
    }
  }

  /// True when it says nothing about the target: the state is unknown.
  package var isInconclusive: Bool { isLocal || self == .dependency }

  /// True when the result says something about this machine, not about the target: its state is unknown and it
  /// is never posted as an outage.
  package var isLocal: Bool {
    switch self {
    case .localFault, .policyDenied, .unsupported: true
    default: false
    }
  }
}

/// The part of a probe in which its verdict fell.
package enum Phase: String, CaseIterable, Hashable, Sendable {
  /// Before anything was sent: the egress policy, a descriptor, a file of the check.
  case prepare
  case dns
  case connect
  case proxy
  case starttls
  case tls
  case firstByte = "first_byte"
  case transfer
  case dialog
  /// Waiting for the answer of a dns or ping probe.
  case answer
  /// Everything arrived; a condition of the check did not hold.
  case assertion
}

/// The verdict as the backend's `check_result_status` knows it.
package enum ResultStatus: String, CaseIterable, Hashable, Sendable {
  case success, failure, timeout

  /// The one place where it is derived; the table in docs/results.md says the same.
  ///
  /// - Parameter timedOut: the attempt's time ran out. Nearly all reasons say that themselves.
  package init(_ reason: Reason, degraded: Bool, timedOut: Bool) {
    if reason == .ok || degraded {
      self = .success
    } else {
      self = reason.isTimeout || timedOut && reason.mayTimeOut ? .timeout : .failure
    }
  }
}

/// The verdict as people see it. Unknown is never up and never down.
package enum CheckState: String, CaseIterable, Hashable, Sendable {
  case up, degraded, down, unknown
}

/// Cause of a run.
package enum Trigger: String, CaseIterable, Hashable, Sendable {
  /// A slot of the check's own schedule.
  case schedule
  /// A person: `once`, or run-now on the status page. In no uptime window.
  case manual
}
