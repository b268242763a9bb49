// SPDX-License-Identifier: MIT

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

  /// The address in numbers: `localhost` may also be ::1, and the server and its clients must mean the same address.
  package var numeric: ListenAddress {
    guard case .tcp(let host, let port) = self, plainHost(host) == "localhost" else { return self }
    return .tcp(host: "127.0.0.1", port: port)
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
