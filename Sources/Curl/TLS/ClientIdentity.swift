// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Glibc

/// The certificate a client shows when the server asks for one.
enum ClientIdentity {
  /// Gives the files' certificate, chain and key to a context. Reads the files: they may have been renewed since the
  /// last handshake. Returns what is wrong with them, in words without anything of their content; nil: nothing.
  static func use(certificate: String, key: String?, on context: OpaquePointer) -> String? {
    defer { ERR_clear_error() }
    // Without it OpenSSL would ask the terminal for the password of a key that has one.
    SSL_CTX_set_default_passwd_cb(context, refusePassword)
    let key = key ?? certificate
    for path in [certificate, key] where access(path, R_OK) != 0 {
      return "client certificate cannot be read from \(path): \(String(cString: strerror(errno)))"
    }
    guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
      return "client certificate cannot be read from \(certificate): no usable certificate in it"
    }
    guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
      return "client key cannot be read from \(key): no key for the certificate, or one with a password"
    }
    guard SSL_CTX_check_private_key(context) == 1 else {
      return "client key in \(key) does not belong to the certificate in \(certificate)"
    }
    return nil
  }
}

private func refusePassword(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 { -1 }

/// Problem with the files of a client certificate, in words that name the path. `nil` for none. Blocks for the time of
/// reading them.
package func clientCertificateProblem(certificate: String, key: String?) -> String? {
  guard let context = SSL_CTX_new(TLS_client_method()) else { return "openssl has no memory for a context" }
  defer { SSL_CTX_free(context) }
  return ClientIdentity.use(certificate: certificate, key: key, on: context)
}
