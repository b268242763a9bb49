// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A certificate chain for people: what is wrong with it, whose it is, how long each of it lasts.
struct CertificateText {
  let paint: Paint

  /// - Parameter now: what the days are counted from.
  func lines(_ tls: TLSFacts, at now: Timestamp) -> [String] {
    var lines: [String] = []
    let connection = [tls.version, tls.cipher].compactMap(\.self).joined(separator: ", ")
    if !connection.isEmpty { lines.append(connection) }
    lines.append(
      tls.verified
        ? paint("✓", Paint.good) + " verified"
        : paint("✕", Paint.bad) + " not verified: \(tls.verifyError ?? "not judged")")
    for (index, certificate) in tls.chain.enumerated() {
      let days = index == 0 ? tls.daysRemaining : nil
      lines.append("\(index)  \(certificate.subject)  \(life(of: certificate, at: now, days))")
      if index == 0, !certificate.sans.isEmpty {
        lines.append("   for \(certificate.sans.joined(separator: ", "))")
      }
      let isOwn = certificate.issuer == certificate.subject
      lines.append("   issued by \(isOwn ? "itself" : certificate.issuer)")
    }
    if let days = tls.pathDaysRemaining, days != tls.daysRemaining {
      lines.append("earliest end in the verified path: \(days) days left")
    }
    return lines
  }

  /// - Parameter known: days that other surfaces show of it. `nil` where none do.
  private func life(of certificate: CertificateFacts, at now: Timestamp, _ known: Int?) -> String {
    let day = String(certificate.notAfter.rfc3339.prefix(10))
    if now < certificate.notBefore {
      return paint("not valid before \(certificate.notBefore.rfc3339.prefix(10))", Paint.bad)
    }
    let days = known ?? TLSFacts.wholeDays(from: now, to: certificate.notAfter)
    if days < 0 {
      return paint("expired \(TLSFacts.ago(certificate.notAfter, at: now)) (\(day))", Paint.bad)
    }
    return paint("\(counted(days, "day")) left (\(day))", days < 21 ? Paint.warning : Paint.good)
  }
}
