// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Glibc
import Synchronization

/// Threads may be in the middle of a handshake when the process exits, so OpenSSL takes nothing apart then
/// (OPENSSL_init_crypto(3)). It listens to the first who asks; everything that speaks TLS makes a trust store first.
private let keepsOpenSSL = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

/// The certificates we trust: the system's bundle, and the CA files of checks that name one.
///
/// A file is parsed once (a bundle costs about 35 ms) and again when its identity changes. A file that is missing
/// or unreadable is an error each time it is asked for; there is no state in which verification is quietly off.
package final class TrustStore: Sendable {
  /// Where distributions keep the bundle; the first that exists is used.
  static let systemBundles = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  /// CA files kept parsed: the last ones used.
  private static let capacity = 32

  private struct Entry {
    var stamp: FileStamp
    var store: CertificateStore
  }

  private let bundles: [String]
  private let entries = Mutex(RecentMap<ByteText, Entry>(limit: capacity))

  /// - Parameter bundle: the file of trusted certificates. `nil` for `SSL_CERT_FILE`, else the system's.
  package init(bundle: String? = nil) {
    _ = keepsOpenSSL
    if let bundle {
      bundles = [bundle]
    } else if let named = getenv("SSL_CERT_FILE"), named.pointee != 0 {
      bundles = [String(cString: named)]
    } else {
      bundles = Self.systemBundles
    }
  }

  /// Loads the bundle, so that a start-up can say at once what every https check would say.
  package func check() throws(TrustStoreError) { _ = try store(caFile: nil) }

  /// Blocks for the time of parsing when the file is new or changed.
  package func store(caFile: String?) throws(TrustStoreError) -> CertificateStore {
    let path: String
    if let caFile { path = caFile } else { path = try systemBundle() }
    guard let stamp = FileStamp(path), access(path, R_OK) == 0 else {
      throw TrustStoreError(path: path, errno: errno)
    }
    let result = entries.withLock { entries -> Result<CertificateStore, TrustStoreError> in
      if let entry = entries.value(for: ByteText(path)), entry.stamp == stamp {
        return .success(entry.store)
      }
      guard let store = CertificateStore(path: path) else {
        return .failure(TrustStoreError(path: path, errno: 0))
      }
      entries.insert(Entry(stamp: stamp, store: store), for: ByteText(path))
      return .success(store)
    }
    return try result.get()
  }

  /// The file that an https check is judged by where it names none; nil: there is none.
  static var systemBundle: String? { try? TrustStore().systemBundle() }

  private func systemBundle() throws(TrustStoreError) -> String {
    // One that may not be looked for is not missing: to read it says so.
    for path in bundles where access(path, F_OK) == 0 || Glibc.errno == EACCES { return path }
    throw TrustStoreError(path: bundles.first ?? "", errno: ENOENT)
  }
}

/// A file of trusted certificates could not be used.
package struct TrustStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package let path: String
  /// Zero: the file was read, and holds no certificates or a damaged one.
  package let errno: Int32

  package init(path: String, errno: Int32) {
    self.path = path
    self.errno = errno
  }

  package var description: String {
    let cause = errno == 0 ? "no usable certificates in it" : String(cString: strerror(errno))
    return "trusted certificates cannot be read from \(path): \(cause)"
  }
}

/// A parsed set of trusted certificates.
///
/// @unchecked: the pointer never changes, and OpenSSL guards what it points to with the store's own lock
/// (`X509_STORE_lock`), handshakes on other threads included.
package final class CertificateStore: @unchecked Sendable {
  let pointer: OpaquePointer

  /// `nil` when the file holds no certificate or one that cannot be parsed.
  fileprivate init?(path: String) {
    guard let store = X509_STORE_new() else { return nil }
    // Any certificate in the file is an anchor, also an intermediate one, as with curl and Go.
    guard X509_STORE_load_file(store, path) == 1,
      X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1
    else {
      ERR_clear_error()
      X509_STORE_free(store)
      return nil
    }
    pointer = store
  }

  deinit { X509_STORE_free(pointer) }
}
