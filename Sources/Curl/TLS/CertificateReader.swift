// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Glibc

/// Reads what people want to know from an X509. Everything is bounded: the other side wrote it.
enum CertificateReader {
  static let maximumCertificates = 10
  static let maximumNames = 64
  static let maximumText = 256

  static func read(_ certificate: OpaquePointer) -> PresentedCertificate {
    let names = alternativeNames(certificate)
    return PresentedCertificate(
      subject: name(X509_get_subject_name(certificate)),
      issuer: name(X509_get_issuer_name(certificate)),
      notBefore: quartz_asn1_seconds(X509_get0_notBefore(certificate)),
      notAfter: quartz_asn1_seconds(X509_get0_notAfter(certificate)),
      serial: serial(certificate),
      sha256: fingerprint(certificate),
      alternativeNames: names.first, nameCount: names.count)
  }

  /// The subject, or the first alternative name where there is none.
  static func title(_ certificate: OpaquePointer) -> String {
    let subject = name(X509_get_subject_name(certificate))
    return subject.isEmpty ? alternativeNames(certificate).first.first ?? "" : subject
  }

  static func name(_ name: OpaquePointer?) -> String {
    guard let name, let memory = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(memory) }
    guard quartz_x509_name_print(memory, name) == 1 else { return "" }
    var buffer = [UInt8](repeating: 0, count: maximumText)
    // bounded: a count within the buffer of 256 bytes
    let count = Int(quartz_bio_read(memory, &buffer, Int32(buffer.count)))
    return count > 0 ? text(buffer[..<count]) : ""
  }

  private static func serial(_ certificate: OpaquePointer) -> String {
    // bounded: OpenSSL's own lengths, which are no larger than the certificate
    guard let number = X509_get0_serialNumber(certificate), let bytes = ASN1_STRING_get0_data(number) else {
      return ""
    }
    // RFC 5280 allows 20 bytes; more is cut.
    let count = min(Int(ASN1_STRING_length(number)), 32)  // bounded: OpenSSL's own length
    // OpenSSL keeps the magnitude, and the sign in the type.
    let sign = ASN1_STRING_type(number) & V_ASN1_NEG == 0 ? "" : "-"
    return "\(sign)\(Base16.text(UnsafeBufferPointer(start: bytes, count: count)))"
  }

  private static func fingerprint(_ certificate: OpaquePointer) -> String {
    // bounded: OpenSSL's own lengths, which are no larger than the certificate
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard X509_digest(certificate, EVP_sha256(), &digest, &count) == 1 else { return "" }
    return Base16.text(digest[..<Int(count)])
  }

  private static func alternativeNames(_ certificate: OpaquePointer) -> (first: [String], count: Int) {
    guard let names = quartz_x509_alternative_names(certificate) else { return ([], 0) }
    defer { GENERAL_NAMES_free(names) }
    var found: [String] = []
    for index in 0..<min(quartz_names_count(names), Int32(maximumNames)) {  // bounded: a constant
      var bytes: UnsafePointer<UInt8>?
      var count: Int32 = 0
      let kind = quartz_name_at(names, index, &bytes, &count)
      guard let bytes, kind >= 0, count > 0 else { continue }
      // bounded: OpenSSL's own length, above 0
      let content = UnsafeBufferPointer(start: bytes, count: Int(count))
      found.append(kind == GEN_IPADD ? address(content) : text(content.prefix(maximumText)))
    }
    return (found, Int(quartz_names_count(names)))  // bounded: OpenSSL's own count
  }

  /// Whether one of the certificate's host names, all of them, is this one, case aside.
  static func hasHostName(_ certificate: OpaquePointer, _ wanted: String) -> Bool {
    guard let names = quartz_x509_alternative_names(certificate) else { return false }
    defer { GENERAL_NAMES_free(names) }
    let wanted = Array(wanted.utf8)
    for index in 0..<quartz_names_count(names) {
      var bytes: UnsafePointer<UInt8>?
      var count: Int32 = 0
      let kind = quartz_name_at(names, index, &bytes, &count)
      // bounded: OpenSSL's own length
      guard kind == GEN_DNS, let bytes, Int(count) == wanted.count else { continue }
      // bounded: OpenSSL's own length, the same as that of what is wanted
      let content = UnsafeBufferPointer(start: bytes, count: Int(count))
      if zip(content, wanted).allSatisfy({ asciiLowered($0) == asciiLowered($1) }) { return true }
    }
    return false
  }

  private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard let start = bytes.baseAddress, bytes.count == 4 || bytes.count == 16 else {
      return Base16.text(bytes)
    }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))  // bounded: a constant
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, start, &buffer, socklen_t(buffer.count)) != nil else { return Base16.text(bytes) }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Bytes from the other side as text of one line: control characters become `?`.
  private static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
  }
}
