// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// Why the server cannot run.
package enum StatusServerError: Error, Hashable, Sendable, CustomStringConvertible {
  case notLoopback(ListenAddress)
  /// Number of the system's error where it is one.
  case cannotListen(ListenAddress, String, code: Int32? = nil)

  package var description: String {
    switch self {
    case .notLoopback(let address):
      "\(address) is reachable from other machines without authentication: set status.read_token, or "
        + "status.allow_unauthenticated: true"
    case .cannotListen(let address, let why, _):
      "cannot listen on \(address): \(why)"
    }
  }

  /// Next step of the operator; the agent tries again by itself.
  ///
  /// - Parameter key: of the address in the configuration.
  package func hint(_ key: String) -> String {
    let step =
      switch self {
      case .cannotListen(.unix, _, let code?) where [EROFS, EACCES, EPERM, ENOENT, ENOSPC].contains(code):
        "make its directory one that this agent may write, or choose another \(key) and restart"
      case .cannotListen(_, _, let code?) where code == EACCES:
        "choose a port from 1024 on in \(key) and restart, or grant CAP_NET_BIND_SERVICE"
      case .cannotListen(_, _, let code?) where [EMFILE, ENFILE].contains(code):
        "raise LimitNOFILE (ulimit -n)"
      default: "see what listens there, or choose another \(key) and restart"
      }
    return step + "; the agent tries again by itself"
  }
}
