// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@Suite struct VerdictTests {
  static let timeouts: Set<Reason> = [
    .dnsTimeout, .connectTimeout, .tlsTimeout, .firstByteTimeout, .transferTimeout, .pingTimeout,
  ]
  static let inconclusive: Set<Reason> = [.localFault, .policyDenied, .unsupported, .dependency]

  /// Status and state as the backend and people see them, for the whole closed list.
  @Test(arguments: Reason.allCases)
  func followsFromTheReason(reason: Reason) {
    let verdict = Verdict(reason)
    #expect(verdict.isSuccess == (reason == .ok))
    if reason == .ok {
      #expect(verdict.status == .success)
      #expect(verdict.state == .up)
    } else {
      #expect(verdict.status == (Self.timeouts.contains(reason) ? .timeout : .failure))
      #expect(verdict.state == (Self.inconclusive.contains(reason) ? .unknown : .down))
    }
  }

  @Test(arguments: Reason.allCases)
  func degradedIsASuccessWhateverItsReason(reason: Reason) {
    let verdict = Verdict(reason, degraded: true)
    #expect(verdict.isSuccess)
    #expect(verdict.status == .success)
    #expect(verdict.state == .degraded)
  }

  /// Nobody can tell, so nobody is blamed; a success stays one.
  @Test(arguments: Reason.allCases)
  func unknownBesideItsReason(reason: Reason) {
    let verdict = Verdict(reason, isUnknown: true)
    #expect(verdict.state == (reason == .ok ? .up : .unknown))
    #expect(verdict.reason == reason)
    #expect(verdict.status == Verdict(reason).status)
  }

  @Test func everyTimeoutIsNamedSo() {
    for reason in Reason.allCases {
      #expect(reason.isTimeout == reason.rawValue.hasSuffix("_timeout"))
    }
  }

  @Test func messageIsOnePrintableLine() {
    let verdict = Verdict(
      .body, phase: .assertion, message: "a\r\nb\u{1b}[0m" + String(repeating: "x", count: 900))
    #expect(verdict.message?.hasPrefix("a\\u{d}\\u{a}b\\u{1b}[0m") == true)
    #expect(verdict.message.map { $0.utf8.count <= 256 } == true)
    #expect(Verdict(.ok).message == nil)
  }

  /// Words of the product's contract: users filter by them, so they never change.
  @Test func theClosedListIsAsDocumented() {
    let documented = """
      ok dns_nxdomain dns_no_data dns_servfail dns_refused dns_timeout dns_malformed dns_rcode dns_answer \
      connect_refused connect_timeout connect_unreachable connection_reset connection_closed tls_expired \
      tls_not_yet_valid tls_hostname tls_self_signed tls_untrusted tls_protocol tls_client_certificate \
      tls_handshake tls_timeout tls_weak http_status http_protocol http_redirect_limit http_redirect_refused \
      first_byte_timeout transfer_timeout body_too_large headers_too_large body header json final_url \
      http_version response_time certificate_expiring dialog starttls_refused proxy_connect proxy_auth \
      auth_token ping_loss ping_timeout negated heartbeat_missed heartbeat_failed dependency regional policy_denied local_fault unsupported
      """
    #expect(Reason.allCases.map(\.rawValue) == documented.split(separator: " ").map(String.init))
    #expect(ResultStatus.allCases.map(\.rawValue) == ["success", "failure", "timeout"])
    #expect(CheckState.allCases.map(\.rawValue) == ["up", "degraded", "down", "unknown"])
    #expect(Trigger.allCases.map(\.rawValue) == ["schedule", "manual"])
  }
}
