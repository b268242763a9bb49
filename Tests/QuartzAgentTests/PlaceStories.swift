// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Three agents in three places and one real etcd: what one place finds, what two find, and who tells people.
@Suite struct PlaceStories {
  /// A shop that may be broken for some of the places, and a receiver of messages.
  private final class World: Sendable {
    /// Places that it is broken for.
    let broken = Mutex<Set<String>>([])
    private let alerts = AlertWorld()

    var messages: [JSONValue] { alerts.messages }
    var kinds: [String] { alerts.kinds }

    func serve(_ connection: LoopbackConnection) {
      let head = connection.read(until: "\r\n\r\n")
      if head.hasPrefix("POST") { return alerts.take(connection, head: head) }
      let place = head.split(separator: " ").dropFirst().first.map { String($0.dropFirst()) } ?? ""
      let status = broken.withLock { $0.contains(place) } ? "503 Broken" : "200 OK"
      connection.write("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
  }

  private static let places = ["london", "paris", "ny"]
  private static let check = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"

  private func config(_ place: String, port: UInt16, etcd: UInt16, status: UInt16, in folder: URL) throws {
    let yaml = """
      agent: {name: \(place)-1, state_dir: \(folder.path)/state}
      spool: {size: 16MiB}
      status: {listen: "127.0.0.1:\(status)", read_token: "reads-what-there-is"}
      group:
        name: \(place)
        store: {etcd: ["http://127.0.0.1:\(etcd)"]}
        ttl: 5s
        url: http://127.0.0.1:\(status)
        token: asks-what-others-know
      alerts:
        group_wait: 1s
        channels: [{name: ops, webhook: "http://127.0.0.1:\(port)/hook"}]
      checks:
        - name: Shop
          id: \(Self.check)
          type: http
          url: "http://127.0.0.1:\(port)/\(place)"
          interval: 4s
          timeout: 1s
          retries: 0
          confirm: {from: 2, of: [london, paris, ny], within: 3s}
      """
    try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
  }

  /// The check as an agent has it.
  private func shop(_ folder: URL) async throws -> JSONValue {
    try await summary(of: folder)?["list"]?[0] ?? .null
  }

  private func wait(
    _ what: String, _ process: AgentProcess, _ isSo: (JSONValue) -> Bool
  ) async throws -> JSONValue {
    var last = JSONValue.null
    do {
      try await eventually(what, process) {
        last = try await shop(process.folder)
        return isSo(last)
      }
    } catch {
      Issue.record("\(last["state"]?.string ?? "?") \(last["last"]?["message"]?.string ?? "") \(error)")
    }
    return last
  }

  @Test(.timeLimit(.minutes(3))) func oneTwoAndThePlacesThatAreGone() async throws {
    try await withTemporaryDirectory { folder in
      let world = World()
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        let (client, peer) = (try freePort(), try freePort())
        let etcd = try RealServer(
          "/usr/bin/etcd",
          [
            "--data-dir", folder.appending(path: "etcd").path, "--listen-client-urls",
            "http://127.0.0.1:\(client)",
            "--advertise-client-urls", "http://127.0.0.1:\(client)", "--listen-peer-urls",
            "http://127.0.0.1:\(peer)",
            "--initial-advertise-peer-urls", "http://127.0.0.1:\(peer)",
            "--initial-cluster", "default=http://127.0.0.1:\(peer)", "--log-level", "error",
          ], debianPackage: "etcd-server", log: folder.appending(path: "etcd.log"))
        defer { etcd.stop() }
        try await etcd.waitUntilListening(port: client)
        var agents: [String: AgentProcess] = [:]
        for place in Self.places {
          let own = folder.appending(path: place)
          try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
          try config(place, port: server.port, etcd: client, status: try freePort(), in: own)
          agents[place] = try AgentProcess(["run"], in: own)
        }
        try await story(world, agents)
        for process in agents.values { process.send(SIGTERM) }
        for process in agents.values { _ = try await process.finish() }
      }
    }
  }

  private func story(_ world: World, _ agents: [String: AgentProcess]) async throws {
    let london = try #require(agents["london"]), paris = try #require(agents["paris"]),
      ny = try #require(agents["ny"])
    for process in agents.values {
      _ = try await wait("three places", process) { shop in
        shop["state"]?.string == "up" && shop["places"]?.array?.count { $0["state"]?.string == "up" } == 3
      }
    }
    // One place alone: degraded, every place named, nobody told.
    world.broken.withLock { $0 = ["london"] }
    let alone = try await wait("regional", london) { $0["last"]?["reason"]?.string == "regional" }
    #expect(alone["state"]?.string == "degraded")
    #expect(
      alone["last"]?["message"]?.string == "down in 1 of 3 places; london http_status, paris up, ny up")
    #expect(world.messages.isEmpty)
    // Two: down in all three, and one of them tells people.
    world.broken.withLock { $0 = ["london", "paris"] }
    for process in agents.values { _ = try await wait("down", process) { $0["state"]?.string == "down" } }
    try await london.wait(for: "the message") { !world.messages.isEmpty }
    // Everybody is well again.
    world.broken.withLock { $0 = [] }
    for process in agents.values { _ = try await wait("up", process) { $0["state"]?.string == "up" } }
    try await london.wait(for: "the end") { world.messages.count >= 2 }
    #expect(world.kinds == ["opened", "recovered"])
    // Each place sees what the others know, and how fast it was there.
    let seen = try await wait("windows of three", ny) { shop in
      shop["places"]?.array?.count { $0["uptime"]?["24h"]?["response_time"] != nil } == 3
    }
    #expect(seen["places"]?.array?.map { $0["place"]?.string } == Self.places)
    let text = try await agent("compare", "--by-place", in: ny.folder).stdout
    #expect(text.contains("fastest") && text.contains("paris"), "\(text)")
    let named = try await agent("compare", "--by-place", "--period", "7d", "--format", "json", in: ny.folder)
    let week = try JSONValue.parse(named.stdout.utf8)
    #expect(week["period"]?.string == "7d", "\(named.stdout)\(named.stderr)")
    #expect(week["places"]?.array?.map { $0["place"]?.string } == Self.places)
    let nothing = try await agent("compare", "--by-place", "--check", "Nobody", in: ny.folder)
    #expect(nothing.status == 65 && nothing.stdout == "")
    #expect(
      nothing.stderr.hasPrefix("quartz-agent: error: \"Nobody\" is not seen from several places\n"),
      "\(nothing.stderr)")
    // The others are gone: its own word, flagged.
    for process in [paris, ny] { process.send(SIGKILL) }
    _ = try await wait("their end", london) { shop in
      shop["places"]?.array?.count { $0["alive"]?.bool == true } == 1
    }
    world.broken.withLock { $0 = ["london"] }
    let last = try await wait("unconfirmed", london) { $0["state"]?.string == "down" }
    #expect(last["last"]?["message"]?.string?.contains("unconfirmed: 1 of 3 places alive") == true)
    #expect(last["last"]?["reason"]?.string == "http_status")
  }
}
