// SPDX-License-Identifier: MIT

import Basics

/// Why the server cannot run.
package enum StatusServerError: Error, Hashable, Sendable, CustomStringConvertible {
  case notLoopback(ListenAddress)
  case cannotListen(ListenAddress, String)

  package var description: String {
    switch self {
    case .notLoopback(let address):
      "\(address) is reachable from other machines without authentication: set status.read_token, or "
        + "status.allow_unauthenticated: true"
    case .cannotListen(let address, let why):
      "cannot listen on \(address): \(why)"
    }
  }
}
