// SPDX-License-Identifier: MIT

import Basics
import COpenSSL

/// One thing OpenSSL found wrong with a chain.
struct VerifyError: Hashable {
  /// `X509_V_ERR_…`.
  var code: Int32
  /// How far above the leaf on the path; zero: the leaf itself.
  var depth: Int32
  /// The certificate's subject, or its first name where it has none, made printable; empty: not known.
  var subject = ""
  /// The certificate's end, in seconds since the epoch.
  var notAfter: Int64?
  /// The begin of one that is not yet valid, in the same way.
  var notBefore: Int64?
  /// Weakness of its key or signature, in fixed words and numbers. `nil` for none.
  var weakness: String?

  var problem: CertificateProblem? { CertificateVerdict.problem(verifyError: code) }
}

/// Maps what OpenSSL found wrong with a chain to the problems we name. Pure.
enum CertificateVerdict {
  static func problem(verifyError code: Int32) -> CertificateProblem? {
    switch code {
    case X509_V_OK: nil
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD: .expired
    case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD: .notYetValid
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .hostname
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK: .weak
    // A chain that ends in an unknown root, lacks an intermediate, has a bad signature, a CA that is none, a
    // broken constraint: whatever the cause, there is no path of trust.
    default: .untrusted
    }
  }

  /// - Parameter isBuilt: OpenSSL has come to the end of a path. Without one there is no trust, whatever it said of it.
  static func problems(of errors: [VerifyError], isBuilt: Bool) -> [CertificateProblem] {
    let problems = errors.compactMap(\.problem)
    return problems.isEmpty && !isBuilt ? [.untrusted] : problems
  }

  /// Details of the first problem of each kind: why there is no trust, in OpenSSL's fixed words, and which certificate's
  /// time is wrong, or which one is weak.
  static func details(of errors: [VerifyError]) -> [CertificateProblem: String] {
    var details: [CertificateProblem: String] = [:]
    for error in errors {
      guard let problem = error.problem, details[problem] == nil else { continue }
      switch problem {
      case .untrusted:
        details[problem] = X509_verify_cert_error_string(Int(error.code)).map { String(cString: $0) }
      case .expired, .notYetValid, .weak:
        let isOwn = errors.contains { $0.problem == problem && $0.depth == 0 }
        let first = errors.first { $0.problem == problem && ($0.depth == 0) == isOwn }
        let own = problem == .weak ? first?.ownPlace : first.flatMap { $0.subject.isEmpty ? nil : $0.subject }
        let which = isOwn ? own : error.place
        let day =
          problem == .expired
          ? first?.notAfter.map { "it ended on \(Timestamp(seconds: $0).rfc3339.prefix(10))" }
          : first?.notBefore.map { "it begins on \(Timestamp(seconds: $0).rfc3339.prefix(10))" }
        let words = [which, day, first?.weakness].compactMap(\.self)
        if !words.isEmpty { details[problem] = words.joined(separator: "; ") }
      case .selfSigned, .hostname: break
      }
    }
    return details
  }

  /// Longest subject or name that a message shows, in bytes, and how many names.
  static let (shownSubject, shownNames) = (80, 3)

  /// Which hosts a certificate is for, as a message about another one says it.
  static func names(of leaf: PresentedCertificate) -> String {
    let names = leaf.alternativeNames.prefix(shownNames).map { $0.printable(maxBytes: shownSubject) }
    guard !names.isEmpty else {
      let subject = leaf.subject.printable(maxBytes: shownSubject)
      return subject.isEmpty ? "it names none" : "it names none; its subject is \(subject)"
    }
    let more = leaf.nameCount - names.count  // bounded: OpenSSL's own count
    return "it is for \(names.joined(separator: ", "))" + (more > 0 ? " and \(more) more" : "")
  }

  /// Words on a certificate that has the address only as a name. An address is compared with addresses alone (RFC 9525
  /// section 6.4).
  static func addressAsName(_ address: String) -> String {
    "it has \(address) as a host name and not as an IP address"
  }

  static let tooDear =
    "its keys and names are chosen so that checking them takes too long, and it was not done"

  /// Each problem once, the most telling first.
  static func ordered(_ problems: some Sequence<CertificateProblem>) -> [CertificateProblem] {
    Set(problems).sorted()
  }

  /// Below the 112 bits of strength that NIST SP 800-57 demands: RSA and DSA below 2048 bits, curves below 224.
  static func isWeak(key: OpaquePointer) -> Bool {
    if EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA { return EVP_PKEY_get_bits(key) < 2048 }
    return EVP_PKEY_get_security_bits(key) < 112
  }

  /// Kind and size of a key that is too weak. `nil` where it is not.
  static func weakness(key: OpaquePointer) -> String? {
    guard isWeak(key: key) else { return nil }
    let kind =
      switch EVP_PKEY_get_base_id(key) {
      case EVP_PKEY_RSA: "RSA key"
      case EVP_PKEY_RSA_PSS: "RSA-PSS key"
      case EVP_PKEY_EC: "EC key"
      case EVP_PKEY_DSA: "DSA key"
      default: "key"
      }
    return "\(kind) of \(EVP_PKEY_get_bits(key)) bits"
  }

  /// Name of the digest under a signature that can be forged. `nil` for another one.
  static func weakness(signatureDigest nid: Int32) -> String? {
    guard isWeak(signatureDigest: nid) else { return nil }
    return switch nid {
    case NID_sha1: "SHA-1 signature"
    case NID_md5_sha1: "MD5 and SHA-1 signature"
    case NID_md5: "MD5 signature"
    case NID_md4: "MD4 signature"
    default: "MD2 signature"
    }
  }

  /// A signature over a digest that can be forged.
  static func isWeak(signatureDigest nid: Int32) -> Bool {
    nid == NID_sha1 || nid == NID_md5 || nid == NID_md5_sha1 || nid == NID_md4 || nid == NID_md2
  }
}

extension VerifyError {
  /// Place of the server's own certificate, with its subject.
  fileprivate var ownPlace: String { subject.isEmpty ? "the server's own" : "the server's own, \(subject)" }

  /// Which certificate on the path it is about, where that is not the server's own.
  fileprivate var place: String {
    let words = "not the server's own, but \(depth) above it"
    return subject.isEmpty ? words : "\(words), \(subject)"
  }
}
