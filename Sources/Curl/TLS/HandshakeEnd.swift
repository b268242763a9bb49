// SPDX-License-Identifier: MIT

import Basics
import COpenSSL

/// State that a handshake left behind, for the caller to decide on.
package struct HandshakeEnd: Hashable, Sendable {
  /// Of a certificate that was refused; empty when it was accepted or never came.
  package var problems: [CertificateProblem] = []
  /// The problems as a person reads them; empty: by their names alone.
  package var words = ""
  /// The fatal alert the server sent, as numbered by RFC 8446 section 6.
  package var alert: Int32?
  package var clientCertificateRequested = false
  /// The oldest code in OpenSSL's queue when the handshake failed; zero: none.
  package var errorCode: UInt = 0
  /// The fatal alert OpenSSL sent for us once the handshake was complete: what came then was not in order.
  package var ownAlert: Int32?
  /// Records that carry nothing came without end.
  package var isFlooded = false
  /// There was no room for the server's certificates in what all answers may hold together.
  package var isOutOfMemory = false
  /// Bits of the server's Diffie-Hellman group, which was refused because it takes too long.
  package var hugeGroup: Int?
  /// The server asked for a client certificate, got none, and said nothing since: under TLS 1.3 it refuses only then.
  package var isRequestUnmet = false

  package init(
    problems: [CertificateProblem] = [], words: String = "", alert: Int32? = nil,
    clientCertificateRequested: Bool = false, errorCode: UInt = 0, ownAlert: Int32? = nil,
    isFlooded: Bool = false
  ) {
    self.problems = problems
    self.words = words
    self.alert = alert
    self.clientCertificateRequested = clientCertificateRequested
    self.errorCode = errorCode
    self.ownAlert = ownAlert
    self.isFlooded = isFlooded
  }

  /// The failure, in our words and OpenSSL's fixed ones. `nil` where this state shows none. Pure.
  ///
  /// - Parameters:
  ///   - inHandshake: the connection ended before the handshake did: then an error of OpenSSL counts too.
  ///   - inAnswer: the answer had begun: then an alert is no longer about the handshake.
  package func failure(inHandshake: Bool, inAnswer: Bool = false) -> TransferFailure? {
    if isOutOfMemory {
      return TransferFailure(.local(.memory), phase: .tls, message: TransferFailure.noMemory)
    }
    if let first = problems.first {
      return tls(
        .certificate(first), words.isEmpty ? problems.map(\.rawValue).joined(separator: ", ") : words)
    }
    if isFlooded { return tls(.handshake, Self.flood) }
    if let hugeGroup {
      return tls(
        .handshake,
        "the server wants a diffie-hellman group of its own with \(hugeGroup) bits, which takes too long")
    }
    if let alert, inAnswer {
      return TransferFailure(
        .reset, phase: .transfer, message: "the server broke off with tls alert \(alert): \(alertName(alert))"
      )
    }
    if let alert {
      return tls(kind(of: alert), "the server ended tls with alert \(alert): \(alertName(alert))")
    }
    guard inHandshake else { return nil }
    let reason = Int32(errorCode & 0x7f_ffff)
    if errorCode == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING { return nil }
    let isVersion = [SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW].contains(
      reason)
    let words = reason == SSL_R_EXCESSIVE_MESSAGE_SIZE ? Self.tooLong : reasonName(errorCode)
    return tls(isVersion ? .protocolVersion : .handshake, "tls handshake failed: \(words)")
  }

  /// Nearly always the certificates: all other messages are short.
  private static let tooLong =
    "certificates of more than 100 KiB, or another message that is longer than its kind may be"

  static let flood = "the server sends tls records without end that carry nothing"

  /// Damage in the records behind the handshake. `nil` where OpenSSL reports none.
  package var damage: String? {
    switch ownAlert {
    case SSL3_AD_BAD_RECORD_MAC: "the answer came damaged: a tls record does not fit its checksum"
    case let alert?: "the answer breaks the rules of tls: \(alertName(alert))"
    case nil: nil
    }
  }

  private func tls(_ kind: TLSFailureKind, _ message: String) -> TransferFailure {
    // An alert may arrive after our side's handshake was complete (TLS 1.3): it still is about the handshake.
    TransferFailure(.tls(kind), phase: .tls, message: message)
  }

  private func kind(of alert: Int32) -> TLSFailureKind {
    switch alert {
    case TLS13_AD_CERTIFICATE_REQUIRED: .clientCertificate
    case TLS1_AD_PROTOCOL_VERSION: .protocolVersion
    // handshake_failure up to certificate_unknown, unknown_ca and access_denied: what servers send for a client
    // certificate that did not come or that they do not take.
    case 40...46, 48, 49: clientCertificateRequested ? .clientCertificate : .handshake
    default: .handshake
    }
  }
}

/// OpenSSL's fixed words for an error code: never anything the server sent.
private func reasonName(_ code: UInt) -> String {
  ERR_reason_error_string(code).map { String(cString: $0) } ?? "code \(code & 0x7f_ffff)"
}

private func alertName(_ alert: Int32) -> String {
  // OpenSSL 3.0 knows the number and not the name (RFC 8446 section 6).
  alert == TLS13_AD_CERTIFICATE_REQUIRED
    ? "certificate required" : String(cString: SSL_alert_desc_string_long(alert))
}
