// SPDX-License-Identifier: MIT

import COpenSSL

@testable import Basics
@testable import Curl

/// What is kept of a certificate that a server presents: its names, dates, serial and alternative names. The bytes are
/// its DER form, which begins with 0x30, or the contents of its fields: nearly every change to the former is refused as
/// a whole. OpenSSL parses, and what is read of it is held to its limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  defer { ERR_clear_error() }
  guard let start, count > 0 else { return 0 }
  if start[0] == 0x30 {
    var place: UnsafePointer<UInt8>? = start
    guard let certificate = d2i_X509(nil, &place, count) else { return 0 }
    defer { X509_free(certificate) }
    check(CertificateReader.read(certificate), whole: true)
  } else if let certificate = X509_new() {
    defer { X509_free(certificate) }
    fill(certificate, Array(UnsafeBufferPointer(start: start, count: count)))
    check(CertificateReader.read(certificate), whole: false)
  }
  return 0
}

/// - Parameter whole: it has a DER form that can be summed.
private func check(_ read: PresentedCertificate, whole: Bool) {
  precondition(read.alternativeNames.count <= CertificateReader.maximumNames)
  precondition(read.nameCount >= read.alternativeNames.count)
  precondition(read.serial.utf8.count <= 64)
  precondition(read.sha256.utf8.count == 64 || !whole && read.sha256.isEmpty)
  for text in [read.subject, read.issuer] + read.alternativeNames {
    // What is no UTF-8 is three bytes for each.
    precondition(text.utf8.count <= 3 * CertificateReader.maximumText)
    precondition(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
  }
}

/// Fields, each with a byte that says which, one that says of what type, and one for its length. The names' types are
/// the tags of ASN.1; alternative names are DER of their own.
private func fill(_ certificate: OpaquePointer, _ bytes: [UInt8]) {
  var rest = bytes[...]
  while rest.count >= 3 {
    let (field, kind, length) = (rest[rest.startIndex], rest[rest.startIndex + 1], rest[rest.startIndex + 2])
    var content = Array(rest.dropFirst(3).prefix(Int(length)))
    rest = rest.dropFirst(3 + content.count)
    switch field % 8 {
    case 0...2:
      let name = field % 2 == 0 ? X509_get_subject_name(certificate) : X509_get_issuer_name(certificate)
      let entries = [NID_commonName, NID_organizationName, NID_countryName, NID_pkcs9_emailAddress]
      let entry = entries[Int(field >> 3) % entries.count]
      _ = X509_NAME_add_entry_by_NID(
        name, entry, Int32(kind % 31), &content, Int32(content.count), -1, 0)
    case 3, 4:
      guard let time = ASN1_STRING_type_new(kind & 1 == 0 ? V_ASN1_UTCTIME : V_ASN1_GENERALIZEDTIME) else {
        return
      }
      defer { ASN1_STRING_free(time) }
      ASN1_STRING_set(time, content, Int32(content.count))
      _ = field % 8 == 3 ? X509_set1_notBefore(certificate, time) : X509_set1_notAfter(certificate, time)
    case 5:
      guard let number = ASN1_STRING_type_new(kind & 1 == 0 ? V_ASN1_INTEGER : V_ASN1_NEG_INTEGER) else {
        return
      }
      defer { ASN1_STRING_free(number) }
      ASN1_STRING_set(number, content, Int32(content.count))
      X509_set_serialNumber(certificate, number)
    default: addAlternativeNames(certificate, content)
    }
  }
}

private func addAlternativeNames(_ certificate: OpaquePointer, _ content: [UInt8]) {
  guard let octets = ASN1_STRING_type_new(V_ASN1_OCTET_STRING) else { return }
  defer { ASN1_STRING_free(octets) }
  // The list around them, so that what is said of its length fits.
  let length = content.count
  let head: [UInt8] = length < 128 ? [0x30, UInt8(length)] : [0x30, 0x81, UInt8(truncatingIfNeeded: length)]
  let list = head + content
  ASN1_STRING_set(octets, list, Int32(list.count))
  guard let addition = X509_EXTENSION_create_by_NID(nil, NID_subject_alt_name, 0, octets) else { return }
  defer { X509_EXTENSION_free(addition) }
  X509_add_ext(certificate, addition, -1)
}
