// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// Two agents, one etcd: they divide their checks, and one takes over from the other.
@Suite(.serialized) struct GroupStories {
  static let checks = 12

  func configure(
    _ name: String, _ etcd: EtcdServer, web: UInt16, ttl: String = "5s", more: String = "", in parent: URL
  ) throws -> URL {
    let folder = parent.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let list = (0..<Self.checks).map {
      "  - {name: Web \($0), type: http, url: \"http://127.0.0.1:\(web)/\($0)\", interval: 10s, timeout: 2s, post: true}"
    }
    let yaml = """
      agent: {name: \(name), state_dir: \(folder.path)/state}
      spool: {size: 16MiB}
      group: {name: london, ttl: \(ttl), share: true, store: {etcd: [\(etcd.urls.joined(separator: ", "))]}}
      \(more)
      checks:
      \(list.joined(separator: "\n"))
      """
    try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
    return folder
  }

  func group(_ folder: URL, _ more: String...) async throws -> JSONValue? {
    let outcome = try await AgentProcess(["group", "--format", "json"] + more, in: folder).finish()
    guard outcome.status == 0 else { return nil }
    return try JSONValue.parse(outcome.stdout.utf8)["data"]
  }

  func owned(_ folder: URL) async throws -> Int {
    Int(try await document("/api/v1/group", of: folder)?["owned"]?.integer ?? -1)
  }

  /// Slot by slot, what the store of an agent holds of the schedule.
  private func slots(_ folder: URL) async throws -> [String: (wire: String, id: String)] {
    let export = try await agent("spool", "export", in: folder)
    #expect(export.status == 0, "\(export.stderr)")
    var slots: [String: (wire: String, id: String)] = [:]
    for line in export.stdout.split(separator: "\n") {
      let json = try JSONValue.parse(line.utf8)
      let key = "\(json["check_id"]?.string ?? "") \(json["scheduled_at"]?.string ?? "")"
      slots[key] = (json["wire_id"]?.string ?? "none", json["id"]?.string ?? "")
    }
    return slots
  }

  @Test func oneTakesOverFromTheOther() async throws {
    try await EtcdServer.with { etcd in
      try await withTemporaryDirectory { parent in
        try await withLoopbackServer(script: RunStories.web) { web in
          let one = try configure("london-1", etcd, web: web.port, in: parent)
          let two = try configure("london-2", etcd, web: web.port, in: parent)
          let first = try AgentProcess(["run"], in: one)
          try await eventually("the first has all", first) { try await owned(one) == Self.checks }
          try await first.wait(for: "a slot of each") { web.accepted >= Self.checks }
          let second = try AgentProcess(["run"], in: two)
          try await eventually("both have their parts", second) {
            let (here, there) = (try await owned(one), try await owned(two))
            return here > 0 && there > 0 && here + there == Self.checks
          }
          let status = try await agent("status", in: two)
          #expect(status.stdout.contains("group     london: 2 members"), "\(status.stdout)")
          let text = try await agent("group", "--checks", in: two)
          #expect(text.stdout.contains("london-1") && text.stdout.contains("this agent"), "\(text.stdout)")

          first.send(SIGKILL)
          try await eventually("the second has all", second) { try await owned(two) == Self.checks }
          // By the lease of 5 s, and by no rule of the standby: what it stands in for is not its own.
          let taken = try #require(try await group(two))
          #expect(taken["owned"]?.integer == Int64(Self.checks))
          #expect(taken["standing_in"]?.integer ?? 0 == 0 && taken["alone_since"] == nil)
          // All that were taken over have run.
          try await eventually("every check has a result", second) {
            let answer = try await agent("status", in: two)
            return answer.stdout.contains("\(Self.checks) checks: \(Self.checks) up")
              || !answer.stdout.contains("pending")
          }
          second.send(SIGTERM)
          let outcome = try await second.finish()
          #expect(outcome.status == 0, "\(outcome.stderr)")
          _ = try await first.finish()

          let (ours, theirs) = (try await slots(one), try await slots(two))
          let both = Set(ours.keys).intersection(theirs.keys)
          for slot in both {
            #expect(ours[slot]?.wire == theirs[slot]?.wire)
            #expect(ours[slot]?.id != theirs[slot]?.id)
          }
          #expect(!both.isEmpty, "whoever joins runs the last slots of what it takes")
          let ids = (Array(ours.values) + Array(theirs.values)).map(\.wire)
          #expect(Set(ids).count == Set(ours.keys).union(theirs.keys).count)
          #expect(ids.allSatisfy { UniqueID($0).map { $0.high >> 12 & 0xf == 8 } ?? false })
          #expect(try await etcd.control(["get", "/quartz/london/m/london-2"]).isEmpty, "it has left")
        }
      }
    }
  }

  @Test func theStoreGoesAndNobodyStops() async throws {
    try await EtcdServer.with { etcd in
      try await withTemporaryDirectory { parent in
        try await withLoopbackServer(script: RunStories.web) { web in
          let one = try configure("london-1", etcd, web: web.port, in: parent)
          let first = try AgentProcess(["run"], in: one)
          try await eventually("it has all", first) { try await owned(one) == Self.checks }
          #expect(first.stderr.contains("group: london-1 joined"), "\(first.stderr)")
          etcd.kill(0)
          try await eventually("it says that it is alone", first) {
            try await group(one)?["alone_since"] != nil
          }
          #expect(try await owned(one) == Self.checks)
          let seen = web.accepted
          try await first.wait(for: "probes go on") { web.accepted >= seen + Self.checks }
          let status = try await agent("status", in: one)
          #expect(status.stdout.contains("alone for"), "\(status.stdout)")
          #expect(status.stdout.contains("look whether etcd runs"), "\(status.stdout)")
          try await etcd.restart(0)
          try await eventually("it is back", first) { try await group(one)?["alone_since"] == nil }
          first.send(SIGTERM)
          #expect(try await first.finish().status == 0)
        }
      }
    }
  }

  @Test func theDoctorLooksAtTheStore() async throws {
    try await EtcdServer.with { etcd in
      try await withTemporaryDirectory { parent in
        let folder = try configure("london-1", etcd, web: 9, in: parent)
        let well = try await agent("doctor", in: folder)
        #expect(well.stdout.contains("has a leader"), "\(well.stdout)")
        #expect(
          well.stdout.contains("london: keys can be written and read, no member is in it now"),
          "\(well.stdout)")
        etcd.kill(0)
        let ill = try await agent("doctor", in: folder)
        #expect(ill.status == 2)
        #expect(ill.stdout.contains("look whether etcd runs"), "\(ill.stdout)")
      }
    }
  }

  /// One pull for the group: the others have the list of the store.
  @Test func onePullsForAll() async throws {
    let backend = FakeQuartz()
    try await EtcdServer.with { etcd in
      try await withTemporaryDirectory { parent in
        try await withLoopbackServer(script: RunStories.web) { web in
          backend.checks = (0..<8).map { number in
            FakeCheck(
              id: "11111111-1111-4111-8111-11111111111\(number)",
              members: """
                "check_type":"http","url":"http://127.0.0.1:\(web.port)/\(number)","check_interval_seconds":10,"timeout_seconds":5
                """)
          }
          try await withFakeQuartz(backend) { port in
            var folders: [URL] = []
            for name in ["london-1", "london-2"] {
              let folder = parent.appending(path: name)
              try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
              let yaml = """
                agent: {name: \(name), state_dir: \(folder.path)/state}
                spool: {size: 16MiB}
                egress: {allow: ["127.0.0.1/32:\(web.port)"]}
                group: {name: london, ttl: 5s, store: {etcd: [\(etcd.urls.joined(separator: ", "))]}}
                quartz: {url: "http://127.0.0.1:\(port)/v1", api_key: \(FakeQuartz.key), checks: {pull: true}, deliver: {every: 1s}}
                """
              try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
              folders.append(folder)
            }
            let agents = try folders.map { try AgentProcess(["run"], in: $0) }
            try await eventually("both have a part of the API's list", agents[1]) {
              let counts = [try await owned(folders[0]), try await owned(folders[1])]
              return counts.allSatisfy { $0 > 0 } && counts.reduce(0, +) == 8
            }
            try await agents[0].wait(for: "results of all") { Set(backend.rows.map(\.check)).count == 8 }
            for agent in agents { agent.send(SIGTERM) }
            for agent in agents { #expect(try await agent.finish().status == 0) }
          }
        }
      }
    }
  }
}
