// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

// What a person sees of a group, where things are not as they should be.
extension GroupStories {
  /// Whoever has other checks in the file divides nothing: two may run a check, nobody runs none.
  @Test func differentFilesAreToldAndDivideNothing() async throws {
    try await EtcdServer.with { etcd in
      try await withTemporaryDirectory { parent in
        try await withLoopbackServer(script: RunStories.web) { web in
          let one = try configure("london-1", etcd, web: web.port, in: parent)
          let two = try configure("london-2", etcd, web: web.port, in: parent)
          let file = two.appending(path: "agent.yaml")
          let yaml = try String(contentsOf: file, encoding: .utf8).replacing(
            "name: Web 3,", with: "name: Web three,")
          try yaml.write(to: file, atomically: true, encoding: .utf8)
          let agents = try [one, two].map { try AgentProcess(["run"], in: $0) }
          try await eventually("each knows the other", agents[1]) {
            let counts = [try await group(one), try await group(two)].map { $0?["members"]?.array?.count }
            return counts == [2, 2]
          }
          let counts = [try await owned(one), try await owned(two)]
          #expect(counts == [Self.checks, Self.checks])
          let status = try await agent("status", in: one)
          #expect(
            status.stdout.contains("london-2 and this agent differ in the shared checks of its file"),
            "\(status.stdout)")
          for agent in agents { agent.send(SIGTERM) }
          for agent in agents { #expect(try await agent.finish().status == 0) }
        }
      }
    }
  }

  @Test func aStartWithoutTheStoreGoesOnByTheLastView() async throws {
    try await EtcdServer.with { etcd in
      try await withTemporaryDirectory { parent in
        try await withLoopbackServer(script: RunStories.web) { web in
          let one = try configure("london-1", etcd, web: web.port, in: parent)
          let two = try configure("london-2", etcd, web: web.port, in: parent)
          let agents = try [one, two].map { try AgentProcess(["run"], in: $0) }
          try await eventually("both have their parts", agents[1]) {
            let (here, there) = (try await owned(one), try await owned(two))
            return here > 0 && there > 0 && here + there == Self.checks
          }
          let mine = try await owned(one)
          let view = one.appending(path: "state/group-view.json")
          try await eventually("the view is on the disk", agents[0]) {
            (try? String(contentsOf: view, encoding: .utf8))?.contains("london-2") ?? false
          }
          let status = try await agent("status", in: one)
          #expect(
            status.stdout.contains("run by others: \(Self.checks - mine) by london-2"), "\(status.stdout)")
          etcd.kill(0)
          for agent in agents { agent.send(SIGKILL) }
          for agent in agents { _ = try await agent.finish() }
          let again = try AgentProcess(["run"], in: one)
          try await eventually("it has its own again", again) { try await owned(one) == mine }
          let text = try await agent("group", in: one)
          #expect(text.stdout.contains("of before the start"), "\(text.stdout)")
          #expect(text.stdout.contains("this agent runs its own checks, by the view of"), "\(text.stdout)")
          again.send(SIGTERM)
          #expect(try await again.finish().status == 0)
          // What is no view is as if there were none.
          try "{\"version\":1,".write(to: view, atomically: true, encoding: .utf8)
          chmod(view.path, 0o600)
          let blind = try AgentProcess(["run"], in: one)
          try await eventually("it runs all", blind) {
            try await group(one)?["standing_in"]?.integer == Int64(Self.checks)
          }
          #expect(blind.stderr.contains("it is damaged"), "\(blind.stderr)")
          blind.send(SIGTERM)
          #expect(try await blind.finish().status == 0)
        }
      }
    }
  }
}
