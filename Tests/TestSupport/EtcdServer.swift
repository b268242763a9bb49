// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Debian's etcd on loopback, one member or a cluster, in a folder of the test's own.
package final class EtcdServer: Sendable {
  package struct Options: Sendable {
    package var members = 1
    /// Certificate and key of the client listeners, and whose certificates clients must show.
    package var tls: (certificate: String, key: String, clientAuthority: String)?
    /// Bytes of the database; 0: etcd's own limit.
    package var quota = 0

    package init() {}
  }

  package let ports: [UInt16]
  private let peers: [UInt16]
  private let options: Options
  private let folder: URL
  private let servers: [Slot]

  /// A member of the cluster, which may be started again.
  private final class Slot: Sendable {
    private let state: Mutex<RealServer>

    init(_ server: RealServer) { state = Mutex(server) }

    var server: RealServer {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private init(in folder: URL, _ options: Options) throws {
    self.folder = folder
    self.options = options
    ports = try (0..<options.members).map { _ in try freePort() }
    let peers = try (0..<options.members).map { _ in try freePort() }
    self.peers = peers
    let ports = ports
    servers = try (0..<options.members).map {
      Slot(try Self.start($0, folder, options, ports: ports, peers: peers))
    }
  }

  private var scheme: String { options.tls == nil ? "http" : "https" }

  /// Of member `index`.
  package func url(_ index: Int = 0) -> String { "\(scheme)://127.0.0.1:\(ports[index])" }

  package var urls: [String] { ports.indices.map { url($0) } }

  private static func start(
    _ index: Int, _ folder: URL, _ options: Options, ports: [UInt16], peers: [UInt16]
  ) throws -> RealServer {
    let scheme = options.tls == nil ? "http" : "https"
    let cluster = peers.enumerated().map { "e\($0)=http://127.0.0.1:\($1)" }.joined(separator: ",")
    var arguments = [
      "--name", "e\(index)", "--data-dir", folder.appending(path: "etcd-\(index)").path,
      "--listen-client-urls", "\(scheme)://127.0.0.1:\(ports[index])",
      "--advertise-client-urls", "\(scheme)://127.0.0.1:\(ports[index])",
      "--listen-peer-urls", "http://127.0.0.1:\(peers[index])",
      "--initial-advertise-peer-urls", "http://127.0.0.1:\(peers[index])",
      "--initial-cluster", cluster, "--initial-cluster-state", "new",
      "--log-level", "error", "--heartbeat-interval", "50", "--election-timeout", "500",
    ]
    if let tls = options.tls {
      arguments += [
        "--cert-file", tls.certificate, "--key-file", tls.key, "--client-cert-auth",
        "--trusted-ca-file", tls.clientAuthority,
      ]
    }
    if options.quota > 0 { arguments += ["--quota-backend-bytes", String(options.quota)] }
    return try RealServer(
      "/usr/bin/etcd", arguments, debianPackage: "etcd-server",
      log: folder.appending(path: "etcd-\(index).log"))
  }

  /// It is gone without a word.
  package func kill(_ index: Int) { servers[index].server.stop() }

  /// Starts it again, with what it had.
  package func restart(_ index: Int) async throws {
    kill(index)
    let server = try Self.start(index, folder, options, ports: ports, peers: peers)
    servers[index].server = server
    try await server.waitUntilListening(port: ports[index])
  }

  /// With all that it has forgotten.
  package func wipe() async throws {
    for index in ports.indices {
      kill(index)
      try FileManager.default.removeItem(at: folder.appending(path: "etcd-\(index)"))
    }
    for index in ports.indices {
      servers[index].server = try Self.start(index, folder, options, ports: ports, peers: peers)
    }
    try await waitUntilReady()
  }

  /// The lines of docs/groups.md: `quartz-london` (password `sesame`) may touch the keys of the group london and nothing else,
  /// `root` (`root`) everything.
  package func allowLondon() async throws {
    for line in [
      "role add quartz-london",
      "role grant-permission quartz-london --prefix=true readwrite /quartz/london/",
      "user add quartz-london:sesame", "user grant-role quartz-london quartz-london", "user add root:root",
      "user grant-role root root", "auth enable",
    ] {
      try await control(line.split(separator: " ").map(String.init))
    }
  }

  /// etcdctl, as an operator would call it.
  @discardableResult
  package func control(_ arguments: [String], as user: String? = nil, tls: [String] = []) async throws
    -> String
  {
    var all = ["--endpoints", urls.joined(separator: ",")] + tls
    if let user { all += ["--user", user] }
    let outcome = try await runTool(
      "/usr/bin/env", ["ETCDCTL_API=3", "/usr/bin/etcdctl"] + all + arguments, debianPackage: "etcd-client",
      in: folder)
    guard outcome.status == 0 else {
      throw ServerDidNotStart(program: "etcdctl \(arguments.joined(separator: " "))", output: outcome.output)
    }
    return outcome.output
  }

  private func waitUntilReady() async throws {
    for index in ports.indices {
      try await servers[index].server.waitUntilListening(port: ports[index])
    }
    // It listens before it has a leader. With TLS there is nothing to ask with, and the client's own tries are enough.
    guard options.tls == nil else { return }
    let deadline = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < deadline {
      if (try? await control(["get", "x"])) != nil { return }
    }
    throw ServerDidNotStart(program: "etcd", output: "no leader")
  }

  private func stop() { for index in ports.indices { kill(index) } }

  package static func with<Value>(
    _ options: Options = Options(), _ body: (EtcdServer) async throws -> Value
  ) async throws -> Value {
    try await withTemporaryDirectory { folder in
      let server = try EtcdServer(in: folder, options)
      defer { server.stop() }
      try await server.waitUntilReady()
      return try await body(server)
    }
  }
}
