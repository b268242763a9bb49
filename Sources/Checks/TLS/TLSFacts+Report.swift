// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

extension TLSFacts {
  /// - Parameter now: what the days remaining are counted from.
  init(_ report: TLSReport, now: Timestamp) {
    let end = report.chain.first.map { Timestamp(seconds: $0.notAfter) }
    let pathEnd = report.pathNotAfter.map { Timestamp(seconds: $0) }
    self.init(
      version: report.version, cipher: report.cipher, verified: report.verified,
      verifyError: report.verified ? nil : report.words,
      notAfter: end, daysRemaining: end.map { Self.wholeDays(from: now, to: $0) }, pathNotAfter: pathEnd,
      pathDaysRemaining: pathEnd.map { Self.wholeDays(from: now, to: $0) },
      chain: report.chain.enumerated().map { CertificateFacts($1, names: $0 == 0 ? 64 : 8) })
  }
}

extension CertificateFacts {
  /// - Parameter names: to be kept at most: every result of the check holds them.
  init(_ certificate: PresentedCertificate, names: Int) {
    let total = max(certificate.nameCount, certificate.alternativeNames.count)
    self.init(
      subject: certificate.subject.printable(maxBytes: 256),
      issuer: certificate.issuer.printable(maxBytes: 256),
      notBefore: Timestamp(seconds: certificate.notBefore),
      notAfter: Timestamp(seconds: certificate.notAfter),
      serial: certificate.serial, sha256: certificate.sha256,
      sans: certificate.alternativeNames.prefix(names).map { $0.printable(maxBytes: 256) },
      sansTotal: total > min(names, certificate.alternativeNames.count) ? total : nil)
  }
}
