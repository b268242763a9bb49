// SPDX-License-Identifier: MIT

/// How a TLS handshake is made and judged.
package struct TLSOptions: Hashable, Sendable {
  /// PEM file of trusted certificates instead of the system's bundle.
  package var caFile: String?
  /// Sent as SNI and looked for in the certificate, instead of the host.
  package var serverName: String?
  /// False: a bad certificate is reported, and the connection is used all the same.
  package var verify: Bool
  package var minimumVersion: TLSVersion
  /// `nil` for the newest version that both sides know.
  package var maximumVersion: TLSVersion?
  /// PEM file of the certificate shown when the server asks for one, chain included.
  package var clientCertificate: String?
  /// PEM file of its key; nil: in the certificate's file.
  package var clientKey: String?
  /// A certificate that must come with a stapled OCSP response, and does not, degrades the check.
  package var isStrict = false
  /// Ask twice, as a client that knows RSA only and as one that knows ECDSA only: a server may have a certificate for each.
  package var asksBoth = false
  /// Accepted type of certificate keys; `nil` accepts all.
  package var keySort: KeySort?

  package init(
    caFile: String? = nil, serverName: String? = nil, verify: Bool = true,
    minimumVersion: TLSVersion = .v12, maximumVersion: TLSVersion? = nil,
    clientCertificate: String? = nil, clientKey: String? = nil
  ) {
    self.caFile = caFile
    self.serverName = serverName
    self.verify = verify
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
  }
}

/// Sorts of keys of certificates.
package enum KeySort: String, CaseIterable, Hashable, Sendable {
  case ecdsa = "ECDSA"
  case rsa = "RSA"

  /// Signature algorithms of a client that supports only this type (RFC 8446 section 4.2.3), as SSL_CTX_set1_sigalgs_list(3)
  /// spells them.
  package var signatures: String {
    switch self {
    case .ecdsa: "ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:ed448"
    case .rsa:
      "rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:rsa_pss_pss_sha256:rsa_pss_pss_sha384:"
        + "rsa_pss_pss_sha512:RSA+SHA256:RSA+SHA384:RSA+SHA512:RSA+SHA1"
    }
  }
}

package enum TLSVersion: String, CaseIterable, Hashable, Sendable, Comparable {
  case v10 = "1.0"
  case v11 = "1.1"
  case v12 = "1.2"
  case v13 = "1.3"

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
