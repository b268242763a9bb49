// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

/// deploy/group: a store that comes up as it is written there, and hears nobody without a certificate.
@Suite struct GroupDeployTests {
  private let folder = Backend.repository.appending(path: "deploy/group")

  /// What a file says of etcd, by name; `$(ETCD_NAME)` and names of its members as they stand.
  private func settings(_ file: String, _ pattern: Regex<(Substring, Substring, Substring)>) throws
    -> [String: String]
  {
    let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    var found: [String: String] = [:]
    for match in text.matches(of: pattern) {
      found[String(match.output.1)] = match.output.2.trimmingCharacters(
        in: CharacterSet(charactersIn: "\" }"))
    }
    return found
  }

  private func compose() throws -> [String: String] {
    try settings("compose.yaml", /(?m)^ +(ETCD_[A-Z_]+): (.+)$/)
  }

  /// Compose and Kubernetes say the same of the store, but for where things lie.
  @Test func bothSayTheSame() throws {
    let kubernetes = try settings("kubernetes/etcd.yaml", /name: (ETCD_[A-Z_]+)(?:, value:|\n +value:) (.+)/)
    let own: Set = ["ETCD_DATA_DIR", "ETCD_INITIAL_CLUSTER", "ETCD_LISTEN_METRICS_URLS", "ETCD_NAME"]
    func shared(_ settings: [String: String]) -> [String: String] {
      settings.filter { name, _ in !own.contains(name) && !name.contains("ADVERTISE") }
        .mapValues { $0.replacingOccurrences(of: "/run/secrets/etcd/", with: "/run/secrets/") }
    }
    #expect(shared(kubernetes) == shared(try compose()) && kubernetes.count >= 18)
  }

  /// Three members with the certificates and settings of compose.yaml: one store, for those with a certificate alone.
  @Test(.timeLimit(.minutes(1))) func theStoreComesUpAndHearsTheAgentsAlone() async throws {
    try await withTemporaryDirectory { here in
      let made = try await runTool(
        folder.appending(path: "make-certificates").path, [here.appending(path: "certificates").path],
        debianPackage: "openssl", in: here)
      try #require(made.status == 0, "\(made.output)")
      let ports = try (0..<6).map { _ in try freePort() }
      var settings = try compose()
      let places = Dictionary(
        uniqueKeysWithValues: (0..<3).flatMap { number in
          [
            ("e\(number + 1):2379", "127.0.0.1:\(ports[number])"),
            ("e\(number + 1):2380", "127.0.0.1:\(ports[number + 3])"),
          ]
        })
      for (name, value) in settings {
        settings[name] = places.reduce(value) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
          .replacingOccurrences(of: "/run/secrets", with: here.appending(path: "certificates").path)
      }
      var members: [RealServer] = []
      for number in 0..<3 {
        var own = settings
        own["ETCD_NAME"] = "e\(number + 1)"
        own["ETCD_DATA_DIR"] = here.appending(path: "e\(number + 1)").path
        own["ETCD_LISTEN_CLIENT_URLS"] = "https://127.0.0.1:\(ports[number])"
        own["ETCD_ADVERTISE_CLIENT_URLS"] = "https://127.0.0.1:\(ports[number])"
        own["ETCD_LISTEN_PEER_URLS"] = "https://127.0.0.1:\(ports[number + 3])"
        own["ETCD_INITIAL_ADVERTISE_PEER_URLS"] = "https://127.0.0.1:\(ports[number + 3])"
        members.append(
          try RealServer(
            "/usr/bin/env", own.map { "\($0.key)=\($0.value)" } + ["/usr/bin/etcd"],
            debianPackage: "etcd-server", log: here.appending(path: "e\(number + 1).log")))
      }
      defer { for member in members { member.stop() } }
      for number in 0..<3 { try await members[number].waitUntilListening(port: ports[number]) }
      try await ask(here, ports)
    }
  }

  private func ask(_ here: URL, _ ports: [UInt16]) async throws {
    let range = ["-d", "{\"key\":\"YQ==\"}", "https://localhost:\(ports[2])/v3/kv/range"]
    let trust = ["-s", "-m", "10", "--cacert", "certificates/ca.crt"]
    let agent = ["--cert", "certificates/agent.crt", "--key", "certificates/agent.key"]
    let answered = try await runTool("/usr/bin/curl", trust + agent + range, debianPackage: "curl", in: here)
    #expect(answered.status == 0 && answered.output.contains("\"revision\""), "\(answered.output)")
    let refused = try await runTool("/usr/bin/curl", trust + range, debianPackage: "curl", in: here)
    #expect(refused.status != 0 && !refused.output.contains("revision"), "\(refused.output)")
  }
}
