// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Where the status server listens.
package enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A socket of mode 0660: the file system says who may ask.
  case unix(path: String)
  /// An address or `localhost`; port 0 lets the kernel choose.
  case tcp(host: String, port: UInt16)

  package var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): Endpoint(host: host, port: port).description
    }
  }

  package var isSocket: Bool { if case .unix = self { true } else { false } }

  /// False for an address that other machines reach. A name other than `localhost` could lead anywhere.
  package var isLocal: Bool {
    switch self {
    case .unix: true
    case .tcp(let host, _): isThisMachine(host)
    }
  }
}

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
