// SPDX-License-Identifier: MIT

import Foundation
import Network
import TestSupport

/// A resolver with files of the test's own, whose servers all use one port.
package func withResolver<Value>(
  _ resolvConf: String, hosts: String = "", port: UInt16,
  ownCause: @escaping LocalPath.Cause = LocalPath.cause,
  _ body: (Reactor, SystemResolver) async throws -> Value
) async throws -> Value {
  try await withTemporaryDirectory { folder in
    try write(resolvConf + "\n", folder, "resolv.conf")
    try write(hosts + "\n", folder, "hosts")
    let reactor = try Reactor()
    let resolver = SystemResolver(
      reactor: reactor, resolvConf: folder.appending(path: "resolv.conf").path,
      hosts: folder.appending(path: "hosts").path, port: port, ownCause: ownCause)
    return try await body(reactor, resolver)
  }
}
