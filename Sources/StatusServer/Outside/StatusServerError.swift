// SPDX-License-Identifier: MIT

import Basics

/// Why the server cannot run.
package enum StatusServerError: Error, Hashable, Sendable, CustomStringConvertible {
  case notLoopback(ListenAddress)
  case cannotListen(ListenAddress, String)

  package var description: String {
    switch self {
    case .notLoopback(let address):
      "\(address) reaches other machines, and anybody there could read the status: set status.read_token, or "
        + "status.allow_unauthenticated: true"
    case .cannotListen(let address, let why):
      "cannot listen on \(address): \(why)"
    }
  }
}
