// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Whoever answers the agent holds: targets of the file, of the API and of those who ask, channels, the switch, a list, the
/// receiver of results, and at last the group's store. Beside them a hundred healthy checks at 1 s keep their schedule,
/// another channel is told, another switch is asked, and the member keeps its place in the group. How late they are is
/// measured by `scripts/prove-queues`, with nothing beside it.
@Suite(.serialized) struct OriginStories {
  private struct Scene {
    let folder: URL
    let web: LoopbackServer
    let holder: UInt16
    let api: UInt16
    let recorder: UInt16
    let etcd: [String]
    let port: UInt16

    func write() throws {
      try? FileManager.default.removeItem(at: folder.appending(path: "state"))
      let held = (0..<96).map {
        "  - {name: held \($0), type: http, url: \"http://127.0.0.1:\(holder)/file/\($0)\", interval: 4s, timeout: 2s, expect: {body: {contains: end}}}"
      }
      try """
      modules:
        held: {prober: http, timeout: 5s, http: {fail_if_body_not_matches_regexp: [end]}}
      """.write(to: folder.appending(path: "blackbox.yml"), atomically: true, encoding: .utf8)
      let more = """
        status: {listen: "127.0.0.1:\(port)"}
        probe: {modules: \(folder.path)/blackbox.yml, allow: [127.0.0.1/32], trust: local}
        limits: {in_flight: 1000, in_flight_per_host: 500}
        egress: {allow: ["127.0.0.1/32:\(holder)"]}
        quartz: {url: "http://127.0.0.1:\(api)/v1", api_key: \(FakeQuartz.key), checks: {pull: true, read_body: true}, deliver: {every: 1s}}
        group: {name: london, ttl: 5s, store: {etcd: [\(etcd.joined(separator: ", "))]}}
        heartbeat: [{url: "http://127.0.0.1:\(holder)/switch", every: 10s}, {url: "http://127.0.0.1:\(recorder)/switch", every: 10s}]
        templates: {found: {type: http, url: "http://${target}/"}}
        discover: [{http: "http://127.0.0.1:\(holder)/list", extends: found, refresh: 10s}]
        alerts:
          group_wait: 1s
          channels:
            - {name: held-1, webhook: "http://127.0.0.1:\(holder)/hook/1"}
            - {name: held-2, webhook: "http://127.0.0.1:\(holder)/hook/2"}
            - {name: ops, webhook: "http://127.0.0.1:\(recorder)/hook"}
        """
      try RunStories.config(
        (HealthyChecks.lines(web.port) + held).joined(separator: "\n"), more: more, in: folder)
    }
  }

  /// The group's store is well.
  @Test(.timeLimit(.minutes(3)))
  func whoeverHoldsHoldsUpNobodyElse() async throws {
    try await EtcdServer.with { etcd in try await expectNoneWaits(stores: etcd.urls) }
  }

  @Test(.timeLimit(.minutes(3)))
  func nobodyWaitsForAStoreThatHoldsEither() async throws { try await expectNoneWaits(stores: nil) }

  /// - Parameter stores: `nil`: the store holds as well.
  private func expectNoneWaits(stores: [String]?) async throws {
    let backend = FakeQuartz()
    backend.holdUploads()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { Self.hold($0) }) { holder in
        backend.checks = (0..<48).map { number in
          FakeCheck(
            id: "11111111-1111-4111-8111-1111111111\(10 + number)",
            members: """
              "check_type":"http","url":"http://127.0.0.1:\(holder.port)/api/\(number)","check_interval_seconds":10,"timeout_seconds":8
              """)
        }
        try await withFakeQuartz(backend) { api in
          try await expectNoneWaits(
            in: folder, holder: holder, api: api, stores: stores ?? ["http://127.0.0.1:\(holder.port)"],
            isGroupWell: stores != nil)
        }
      }
    }
  }

  private func expectNoneWaits(
    in folder: URL, holder: LoopbackServer, api: UInt16, stores: [String], isGroupWell: Bool
  ) async throws {
    let recorder = Recorder()
    let seen = try await withLoopbackServer(script: { recorder.serve($0) }) { receiver in
      try await withLoopbackServer(script: RunStories.web) { web in
        let scene = Scene(
          folder: folder, web: web, holder: holder.port, api: api, recorder: receiver.port, etcd: stores,
          port: try freePort())
        try scene.write()
        return try await figures(scene, holder, recorder, isGroupWell: isGroupWell)
      }
    }
    print("beside those that hold: \(seen)")
  }

  private func figures(
    _ scene: Scene, _ holder: LoopbackServer, _ recorder: Recorder, isGroupWell: Bool
  ) async throws -> HealthyChecks.Figures {
    let before = holder.accepted
    let process = try AgentProcess(["run"], in: scene.folder)
    try await process.wait(for: "all to be probed, and those that hold to be asked") {
      scene.web.accepted >= 200 && holder.accepted >= before + 150
    }
    let asks = (0..<12).map { number in
      Task {
        let target = "http://127.0.0.1:\(scene.holder)/asked/\(number)"
        return await statusAnswer("/probe?module=held&target=\(target)", port: scene.port)
      }
    }
    try await process.wait(for: "the other channel and the other switch") {
      recorder.count("/hook") >= 1 && recorder.count("/switch") >= 1
    }
    let pings = recorder.count("/switch")
    return try await HealthyChecks.watch(process, port: scene.port, healthy: scene.web, for: 6) {
      // One each 10 s.
      try await process.wait(for: "the other switch again") { recorder.count("/switch") > pings }
      let group = try await GroupStories().group(scene.folder)
      if isGroupWell {
        #expect(group?["members"]?.array?.count == 1 && group?["alone_since"] == nil, "\(group as Any)")
      }
      // Before the agent is ended.
      for ask in asks {
        let answer = await ask.value
        #expect(answer.contains("probe_success 0"), "\(answer.suffix(600))")
      }
    }
  }

  /// Reads the request, and answers without end.
  private static func hold(_ link: LoopbackConnection) {
    link.read(until: "\r\n\r\n")
    holdAnswer(link)
  }

  /// Counts what it is asked, by the first part of the path.
  private final class Recorder: Sendable {
    private let seen = Mutex<[String: Int]>([:])

    func count(_ path: String) -> Int { seen.withLock { $0[path] ?? 0 } }

    func serve(_ link: LoopbackConnection) {
      let request = link.read(until: "\r\n\r\n")
      let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      seen.withLock { $0[path, default: 0] += 1 }
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
  }
}
