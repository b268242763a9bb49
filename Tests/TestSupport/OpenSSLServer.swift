// SPDX-License-Identifier: MIT

import Foundation

/// OpenSSL's own TLS server (s_server(1ssl)) on loopback, for handshakes that no web server makes.
package struct OpenSSLServer: Sendable {
  package let port: UInt16
  private let server: RealServer

  /// - Parameter options: what it does beside listening with that certificate, such as `-www`.
  package init(_ identity: TestAuthority.Identity, _ options: [String], in folder: URL) async throws {
    port = try freePort()
    server = try RealServer(
      "/usr/bin/openssl",
      ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", identity.certificate, "-key", identity.key]
        + options,
      debianPackage: "openssl", log: folder.appending(path: "server.log"))
    try await server.waitUntilListening(port: port)
  }

  package func stop() { server.stop() }
}
