// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Two agents, one etcd, one receiver: whatever becomes of the agent that found it, people are told once that it began and
/// once that it is over.
@Suite(.serialized) struct GroupAlarmStories {
  private static let check = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"

  private struct Scene {
    var world: AlertWorld
    var etcd: EtcdServer
    var port: UInt16
    var parent: URL
  }

  private func configure(_ name: String, _ scene: Scene) throws -> URL {
    let folder = scene.parent.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let yaml = """
      agent: {name: \(name), state_dir: \(folder.path)/state}
      spool: {size: 16MiB}
      group: {name: london, ttl: 5s, share: true, store: {etcd: [\(scene.etcd.urls.joined(separator: ", "))]}}
      alerts:
        group_wait: 1s
        channels: [{name: ops, webhook: "http://127.0.0.1:\(scene.port)/hook"}]
      checks:
        - {name: Shop, id: \(Self.check), type: http, url: "http://127.0.0.1:\(scene.port)/shop", interval: 2s, timeout: 1s, retries: 0}
      """
    try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
    return folder
  }

  private func withScene(_ body: (Scene) async throws -> Void) async throws {
    let world = AlertWorld()
    try await EtcdServer.with { etcd in
      try await withTemporaryDirectory { parent in
        try await withLoopbackServer(script: { world.serve($0) }) { server in
          try await body(Scene(world: world, etcd: etcd, port: server.port, parent: parent))
        }
      }
    }
  }

  private func group(_ folder: URL) async throws -> JSONValue? {
    try await document("/api/v1/group", of: folder)
  }

  private func owns(_ folder: URL) async throws -> Bool { try await group(folder)?["owned"]?.integer == 1 }

  /// Results of the check with this agent, by their state.
  private func results(_ agent: AgentProcess) async throws -> (up: Int64, down: Int64) {
    let list = try await summary(of: agent.folder)?["list"]?.array ?? []
    let counts = list.first { $0["id"]?.string == Self.check }?["uptime"]?["24h"]?["counts"]
    return (counts?["up"]?.integer ?? 0, counts?["down"]?.integer ?? 0)
  }

  /// It finds the check down for itself, for longer than people wait for a message.
  private func findsItDown(_ agent: AgentProcess, times: Int64 = 3) async throws {
    let before = try await results(agent).down
    try await eventually("it is down \(times) times more", agent) {
      try await results(agent).down >= before + times
    }
  }

  /// Both agents, the one that has the check first.
  private func two(_ scene: Scene) async throws -> [AgentProcess] {
    let folders = try ["london-1", "london-2"].map { try configure($0, scene) }
    let agents = try folders.map { try AgentProcess(["run"], in: $0) }
    for agent in agents {
      try await eventually("two members", agent) {
        try await group(agent.folder)?["members"]?.array?.count == 2
      }
    }
    return try await owns(folders[0]) ? agents : agents.reversed()
  }

  private func isTold(_ scene: Scene) async throws -> Bool {
    let entries = try await scene.etcd.control(["get", "--prefix", "/quartz/london/open/"])
    return entries.contains("\"channel\":\"ops\"") && entries.contains("\"first\"")
  }

  private func expectOnce(_ scene: Scene, _ incident: String?, since begin: String?) {
    #expect(scene.world.kinds == ["opened", "recovered"])
    let messages = scene.world.messages
    #expect(messages.allSatisfy { $0["incident"]?.string == incident })
    #expect(messages.allSatisfy { $0["begin"]?.string == begin })
  }

  /// Fails at one, and that one goes by a signal; the other one tells its end.
  private func handOver(_ signal: Int32) async throws {
    try await withScene { scene in
      let agents = try await two(scene)
      scene.world.isBroken.store(true, ordering: .relaxed)
      try await agents[0].wait(for: "the message") { scene.world.kinds == ["opened"] }
      let first = scene.world.messages[0]
      let (incident, begin) = (first["incident"]?.string, first["begin"]?.string)
      try await eventually("it is known in the store", agents[0]) { try await isTold(scene) }
      agents[0].send(signal)
      _ = try await agents[0].finish()
      try await eventually("the other has it", agents[1]) { try await owns(agents[1].folder) }
      try await findsItDown(agents[1])
      #expect(scene.world.kinds == ["opened"])
      let status = try await agent("status", in: agents[1].folder)
      #expect(status.stdout.contains("Shop is down"), "\(status.stdout)")
      scene.world.isBroken.store(false, ordering: .relaxed)
      try await agents[1].wait(for: "its end") { scene.world.kinds.contains("recovered") }
      expectOnce(scene, incident, since: begin)
      try await eventually("the store is rid of it", agents[1]) {
        try await scene.etcd.control(["get", "--prefix", "/quartz/london/open/"]).isEmpty
      }
      // Whoever comes back has nothing to say.
      let back = try AgentProcess(["run"], in: agents[0].folder)
      try await eventually("it is back", back) { try await owns(back.folder) }
      try await eventually("and knows that it is over", back) {
        try await agent("status", in: back.folder).stdout.contains("Shop is down") == false
      }
      for agent in [back, agents[1]] {
        agent.send(SIGTERM)
        #expect(try await agent.finish().status == 0)
      }
      expectOnce(scene, incident, since: begin)
    }
  }

  /// Killed, and stopped: two groups of their own, side by side, for both wait for leases, slots and messages.
  @Test(.timeLimit(.minutes(3))) func anAgentGoesWhileItFails() async throws {
    try await sideBySide([SIGKILL, SIGTERM]) { try await handOver($0) }
  }

  /// The store goes and comes back while the check is down, and again after that: nobody is told anything twice.
  @Test(.timeLimit(.minutes(3))) func theStoreGoesAndComesBack() async throws {
    try await withScene { scene in
      let agents = try await two(scene)
      scene.world.isBroken.store(true, ordering: .relaxed)
      try await agents[0].wait(for: "the message") { scene.world.kinds == ["opened"] }
      let first = scene.world.messages[0]
      let (incident, begin) = (first["incident"]?.string, first["begin"]?.string)
      try await eventually("it is known in the store", agents[0]) { try await isTold(scene) }
      scene.etcd.kill(0)
      // Long enough for the standby to run it, too.
      try await eventually("the standby stands in", agents[1]) {
        try await group(agents[1].folder)?["standing_in"]?.integer == 1
      }
      try await findsItDown(agents[1])
      #expect(scene.world.kinds == ["opened"])
      try await scene.etcd.restart(0)
      for agent in agents {
        try await eventually("it is back", agent) { try await group(agent.folder)?["alone_since"] == nil }
      }
      try await findsItDown(agents[0], times: 2)
      #expect(scene.world.kinds == ["opened"])
      scene.world.isBroken.store(false, ordering: .relaxed)
      try await agents[0].wait(for: "its end") { scene.world.kinds.contains("recovered") }
      let well = try await results(agents[0]).up
      try await eventually("it is up twice more", agents[0]) { try await results(agents[0]).up >= well + 2 }
      try await eventually("the store is rid of it", agents[0]) {
        try await scene.etcd.control(["get", "--prefix", "/quartz/london/open/"]).isEmpty
      }
      expectOnce(scene, incident, since: begin)
      for agent in agents {
        agent.send(SIGTERM)
        #expect(try await agent.finish().status == 0)
      }
      expectOnce(scene, incident, since: begin)
    }
  }
}
