// SPDX-License-Identifier: MIT

import COpenSSL

/// What is kept of a certificate that a server presents: its names, dates, serial and alternative names. The bytes are
/// its DER form; OpenSSL parses, and what is read of it is held to its limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var place = start
  guard let certificate = d2i_X509(nil, &place, count) else {
    ERR_clear_error()
    return 0
  }
  defer { X509_free(certificate) }
  let read = CertificateReader.read(certificate)
  precondition(read.alternativeNames.count <= CertificateReader.maximumNames)
  precondition(read.serial.utf8.count <= 64 && read.sha256.utf8.count == 64)
  for text in [read.subject, read.issuer] + read.alternativeNames {
    // What is no UTF-8 is three bytes for each.
    precondition(text.utf8.count <= 3 * CertificateReader.maximumText)
    precondition(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
  }
  ERR_clear_error()
  return 0
}
