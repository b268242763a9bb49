// SPDX-License-Identifier: MIT

import Basics

/// Facts of a handshake, recorded before it was judged: they exist also when the handshake was refused.
package struct TLSReport: Hashable, Sendable {
  /// Such as `TLSv1.3`.
  package var version: String
  /// OpenSSL's name of the cipher suite; nil when none was chosen yet.
  package var cipher: String?
  /// As presented, leaf first; at most 10.
  package var chain: [PresentedCertificate]
  /// Everything wrong, the most telling first; empty: the certificate is good for the host.
  package var problems: [CertificateProblem]
  /// Details of the problems, in fixed words and the certificates' own names.
  package var details: [CertificateProblem: String]
  /// Host name or address that the certificate has to be for. `nil` where none is known.
  package var name: String?
  /// The earliest end of validity on the path of trust that was found, leaf and anchor included, in seconds since the
  /// epoch. `nil` where there is no such path. Further certificates of the server are no part of it.
  package var pathNotAfter: Int64?
  /// The same on as much of a path as there is, where it is not one of trust.
  package var untrustedNotAfter: Int64?
  /// The server's certificate may only be served with a stapled OCSP response (RFC 7633), and came without.
  package var isStapleMissing = false
  /// A fault of the stapled OCSP response. `nil` where there is none, or no response.
  package var stapleFault: StapleFault?

  package var verified: Bool { problems.isEmpty }

  /// All problems on one line: only names of certificates, made printable, come from the server, and the wanted name may
  /// be a redirect's.
  package var words: String {
    problems.map { words(for: $0) + (details[$0].map { " (\($0))" } ?? "") }.joined(separator: ", ")
  }

  private func words(for problem: CertificateProblem) -> String {
    guard problem == .hostname, let name else { return problem.rawValue }
    return "certificate is not for \(name.printable(maxBytes: 253))"
  }

  /// When the certificate stops being valid: its own end, or an earlier one on the path above it, of trust or not. `nil`
  /// where no certificate came.
  package var earliestEnd: Int64? {
    chain.first.map { min($0.notAfter, pathNotAfter ?? untrustedNotAfter ?? $0.notAfter) }
  }

  package init(
    version: String, cipher: String?, chain: [PresentedCertificate], problems: [CertificateProblem],
    details: [CertificateProblem: String] = [:], pathNotAfter: Int64? = nil
  ) {
    self.version = version
    self.cipher = cipher
    self.chain = chain
    self.problems = problems
    self.details = details
    self.pathNotAfter = pathNotAfter
  }
}

/// Faults of a presented chain, from the most telling to the least.
package enum CertificateProblem: String, CaseIterable, Hashable, Sendable, Comparable {
  /// The leaf vouches for itself.
  case selfSigned = "self-signed certificate"
  /// No path to a trusted certificate, or a certificate on it may not do what it does.
  case untrusted = "certificate is not trusted"
  case expired = "certificate has expired"
  case notYetValid = "certificate is not yet valid"
  case hostname = "certificate is for another host"
  /// An RSA key below 2048 bits (or another key of that strength), or a SHA-1 or MD5 signature.
  case weak = "certificate key or signature is too weak"

  package static func < (left: Self, right: Self) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

/// One certificate as the server sent it. Text is cut to 256 bytes and holds no control characters.
package struct PresentedCertificate: Hashable, Sendable {
  /// RFC 2253 form.
  package var subject: String
  package var issuer: String
  /// Seconds since the epoch; `Int64.min` when the certificate's field is unreadable.
  package var notBefore: Int64
  package var notAfter: Int64
  /// Hexadecimal, two digits a byte, leading zeros kept; a minus in front of a negative one.
  package var serial: String
  /// SHA-256 of the DER form, hexadecimal.
  package var sha256: String
  /// Host names, addresses, URIs and mail addresses; at most 64.
  package var alternativeNames: [String]
  /// All of them, those that are left out as well.
  package var nameCount = 0
}
