// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// Makes the TLS of connections on the reactor.
package struct TLSClient: Sendable {
  private let trust: TrustStore

  package init(trust: TrustStore) { self.trust = trust }

  /// One connection's TLS, to be used once.
  ///
  /// - Parameters:
  ///   - host: what the certificate must be for, unless the options name another.
  ///   - origin: whose share of the memory its chain takes.
  package func session(
    host: String, options: TLSOptions, for origin: WorkOrigin = WorkOrigin(.fileChecks)
  ) async throws(TLSUnavailable) -> TLSSession {
    let make: @Sendable () -> Result<TLSSession, TLSUnavailable> = { [trust] in
      Self.session(host, options, trust, origin)
    }
    // The system's bundle was read when the agent started; a check's own files may have to be read now.
    let isQuick = options.caFile == nil && options.clientCertificate == nil
    return try await (isQuick ? make() : onThread(make)).get()
  }

  private static func session(
    _ host: String, _ options: TLSOptions, _ trust: TrustStore, _ origin: WorkOrigin
  ) -> Result<TLSSession, TLSUnavailable> {
    let store: CertificateStore
    do {
      store = try trust.store(caFile: options.caFile)
    } catch {
      return .failure(TLSUnavailable(error.description))
    }
    do {
      return .success(try TLSSession(host: host, options: options, store: store, for: origin))
    } catch {
      return .failure(error)
    }
  }
}
