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
      lines.append("\(index)  \(certificate.subject)  \(life(of: certificate, at: now))")
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

  private func life(of certificate: CertificateFacts, at now: Timestamp) -> String {
    let day = String(certificate.notAfter.rfc3339.prefix(10))
    if now < certificate.notBefore {
      return paint("not valid before \(certificate.notBefore.rfc3339.prefix(10))", Paint.bad)
    }
    let left = now.duration(to: certificate.notAfter).seconds
    let days = Int((abs(left) / 86_400).rounded(.down))
    let count = counted(days, "day")
    if left < 0 { return paint("expired \(count) ago (\(day))", Paint.bad) }
    return paint("\(count) left (\(day))", days < 21 ? Paint.warning : Paint.good)
  }
}
