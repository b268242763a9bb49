// SPDX-License-Identifier: MIT

import Basics
import COpenSSL

/// Faults of a stapled OCSP response (RFC 6066 section 8, RFC 6960) for which clients refuse a server. Its signature is
/// not checked.
package enum StapleFault: String, CaseIterable, Hashable, Sendable {
  case unreadable = "is not an OCSP response"
  case responderError = "is an error of the OCSP responder"
  case foreign = "is for another certificate"
  case revoked = "says that the certificate is revoked"
  case unknown = "says that the responder does not know the certificate"
  case expired = "is not valid at this time"

  /// - Parameter found: as `quartz_ssl_judge_staple` has it.
  init?(_ found: Int32) {
    switch found {
    case QUARTZ_STAPLE_UNREADABLE: self = .unreadable
    case QUARTZ_STAPLE_ERROR: self = .responderError
    case QUARTZ_STAPLE_FOREIGN: self = .foreign
    case QUARTZ_STAPLE_REVOKED: self = .revoked
    case QUARTZ_STAPLE_UNKNOWN: self = .unknown
    case QUARTZ_STAPLE_EXPIRED: self = .expired
    default: return nil
    }
  }
}
