// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// One dead switch is one incident, whatever stands behind it.
@Suite struct AlertStoriesGateway {
  private static let children = 244

  /// All of one server, which hangs up on everybody while it is broken: a switch without power.
  private func serve(_ world: AlertWorld, _ connection: LoopbackConnection) {
    if world.isBroken.load(ordering: .relaxed) { return }
    RunStories.web(connection)
  }

  private func config(_ site: UInt16, _ receiver: UInt16, in folder: URL) throws {
    let gateway =
      "  - {name: Gateway, type: http, url: \"http://127.0.0.1:\(site)/gateway\", interval: 1s, timeout: 1s, retries: 0}"
    let behind = (1...Self.children).map { number in
      "  - {name: Host \(number), type: http, url: \"http://127.0.0.1:\(site)/\(number)\", interval: 2s, timeout: 1s, retries: 0, tags: [behind]}"
    }
    let more = """
      limits: {in_flight_per_host: 64}
      dependencies: [{tags: [behind], depends_on: [Gateway]}]
      alerts:
        group_wait: 2s
        channels: [{name: ops, webhook: "http://127.0.0.1:\(receiver)/hook"}]
      """
    try RunStories.config(([gateway] + behind).joined(separator: "\n"), more: more, in: folder)
  }

  private func checks(in folder: URL) async throws -> [JSONValue] {
    try await document("/api/v1/checks?limit=500", of: folder)?.array ?? []
  }

  /// How many behind the gateway are in this state.
  private func behind(_ state: String, in folder: URL) async throws -> Int {
    try await checks(in: folder).count {
      $0["name"]?.string?.hasPrefix("Host") == true && $0["state"]?.string == state
    }
  }

  /// 245 checks: the gateway dies, all that is behind it fails with it, and everything comes back.
  @Test(.timeLimit(.minutes(2))) func aDeadGatewayIsTwoMessages() async throws {
    try await withTemporaryDirectory { folder in
      let (site, receiver) = (AlertWorld(), AlertWorld())
      try await withLoopbackServer(script: { serve(site, $0) }) { web in
        try await withLoopbackServer(script: { receiver.serve($0) }) { hook in
          try config(web.port, hook.port, in: folder)
          let process = try AgentProcess(["run"], in: folder)
          try await eventually("everything up", process) {
            try await behind("up", in: folder) == Self.children
          }
          site.isBroken.store(true, ordering: .relaxed)
          try await eventually("everything behind it unknown", process) {
            try await behind("unknown", in: folder) == Self.children
          }
          try await process.wait(for: "the message") { !receiver.messages.isEmpty }
          site.isBroken.store(false, ordering: .relaxed)
          try await eventually("everything up again", process) {
            try await behind("up", in: folder) == Self.children
          }
          try await process.wait(for: "the end") { receiver.messages.count >= 2 }
          try await judge(receiver, in: folder)
          process.send(SIGTERM)
          let end = try await process.finish()
          #expect(end.status == 0, "\(end.status): \(end.stderr.suffix(600))")
          #expect(receiver.kinds == ["opened", "recovered"])
        }
      }
    }
  }

  /// What was told, and who is charged with the time.
  private func judge(_ receiver: AlertWorld, in folder: URL) async throws {
    #expect(Set(receiver.messages.compactMap { $0["incident"]?.string }).count == 1)
    for message in receiver.messages {
      #expect(message["member_count"]?.integer == 1)
      #expect(message["members"]?.array?.first?["name"]?.string == "Gateway")
    }
    let exported = try await agent("spool", "export", in: folder).stdout.split(separator: "\n")
      .map { try JSONValue.parse($0.utf8) }
    var reasons: [String: Int] = [:]
    for result in exported where result["check"]?.string?.hasPrefix("Host") == true {
      reasons["\(result["state"]?.string ?? "") \(result["reason"]?.string ?? "")", default: 0] += 1
    }
    #expect(Set(reasons.keys) == ["up ok", "unknown dependency"], "\(reasons)")
    var charged = 0
    for check in try await checks(in: folder) {
      let path = "/api/v1/checks/\(check["id"]?.string ?? "")/uptime?period=24h"
      let seconds = try await document(path, of: folder)?["seconds"]
      let (down, unknown) = (seconds?["down"]?.double ?? -1, seconds?["unknown"]?.double ?? -1)
      if check["name"]?.string == "Gateway" {
        #expect(down > 0 && unknown == 0)
      } else if down != 0 || unknown <= 0 {
        charged += 1
      }
    }
    #expect(charged == 0, "\(charged) checks behind the gateway are charged with its time")
  }
}
