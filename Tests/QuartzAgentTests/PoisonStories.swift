// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// An input that ends the process: the agent dies of it twice, and lives on without it. Each reader has a planted trap,
/// which exists in debug builds only.
@Suite struct PoisonStories {
  private struct Scene {
    let folder: URL
    let web: LoopbackServer
    let backend: FakeQuartz

    func start(_ trap: String? = nil) throws -> AgentProcess {
      // Without the runtime's own report, which takes seconds.
      var environment = ["SWIFT_BACKTRACE": "enable=no"]
      environment["QUARTZ_TEST_TRAP"] = trap
      return try AgentProcess(["run"], in: folder, environment: environment)
    }

    func dies(of trap: String) async throws {
      let outcome = try await start(trap).finish()
      #expect(outcome.status != 0, "\(outcome.stderr)")
    }

    /// The one segment by its first number, as the journal knows it.
    func segment() throws -> String {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state/spool")
        .filter { $0.hasPrefix("results-") && !$0.contains("spare") }
      let name = try #require(names.first)
      #expect(names.count == 1, "\(names)")
      return "spool/" + name.split(separator: "-").prefix(2).joined(separator: "-")
    }

    var aside: [String] {
      let files = FileManager.default
      let shelf = (try? files.contentsOfDirectory(atPath: folder.path + "/state/aside")) ?? []
      let store = (try? files.contentsOfDirectory(atPath: folder.path + "/state/spool")) ?? []
      return (shelf + store.filter { $0.hasPrefix("aside-") }).sorted()
    }
  }

  /// A state folder that an agent has lived in: a cached list of one check, results in the store, a history, counts.
  ///
  /// - Parameter more: lines of its `quartz` section.
  private func lived(more: String = "", _ body: (Scene) async throws -> Void) async throws {
    let backend = FakeQuartz()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          backend.checks = [
            FakeCheck(
              id: "00000000-0000-4000-8000-000000000001",
              members: #""check_type":"port","ip_address":"127.0.0.1","port":9,"check_interval_seconds":60"#)
          ]
          try RunStories.config(
            "  - {name: Web, type: http, url: \"http://127.0.0.1:\(web.port)/\", interval: 1s, timeout: 1s}",
            more: """
              quartz:
                url: http://127.0.0.1:\(port)/v1
                api_key: \(FakeQuartz.key)
                checks: {pull: true}
              \(more)
              """, in: folder)
          let scene = Scene(folder: folder, web: web, backend: backend)
          let first = try scene.start()
          try await first.wait(for: "a list and two probes") {
            web.accepted >= 2
              && FileManager.default.fileExists(atPath: folder.path + "/state/checks.json")
          }
          first.send(SIGTERM)
          #expect(try await first.finish().status == 0)
          #expect(scene.aside.isEmpty)
          try await body(scene)
        }
      }
    }
  }

  /// The third start says what it put aside, in the log, in `status` and to `doctor`, and probes.
  ///
  /// - Parameter isAlone: nothing else is read at the same moment, which would be put aside too: a death does not say
  ///   which of them it was.
  private func livesWithout(
    _ input: String, _ scene: Scene, trap: String, isAlone: Bool = true
  ) async throws {
    let seen = scene.web.accepted
    let process = try scene.start(trap)
    try await process.wait(for: "the probes going on") { scene.web.accepted > seen + 1 }
    #expect(process.stderr.contains("quarantined the input that crashed two starts"), "\(process.stderr)")
    #expect(process.stderr.contains("the start before this one died"), "\(process.stderr)")
    #expect(scene.aside.count == 1 || !isAlone, "\(scene.aside)")
    #expect(isAlone || scene.aside.contains { $0.hasPrefix(input) }, "\(scene.aside)")
    let status = try await agent("status", in: scene.folder)
    #expect(status.stdout.contains("was put aside"), "\(status.stdout)\(status.stderr)")
    let doctor = try await agent("doctor", in: scene.folder)
    #expect(doctor.stdout.contains("\(input)") && doctor.stdout.contains("was put aside"), "\(doctor.stdout)")
    process.send(SIGTERM)
    #expect(try await process.finish().status == 0)
  }

  @Test func theThirdStartLives() async throws {
    try await sideBySide(
      [
        ("checks.json", "checks.json:reading"), ("checks.json", "checks.json:used"),
        ("windows/0000", "windows/0000:reading"), ("spool/cursor", "spool/cursor:reading"),
        ("requests-quartz", "requests-quartz:reading"),
      ], atOnce: 2
    ) { input, trap in
      try await lived { scene in
        for _ in 0..<2 { try await scene.dies(of: trap) }
        #expect(scene.aside.isEmpty, "\(trap): put aside too early: \(scene.aside)")
        try await livesWithout(input, scene, trap: trap)
      }
    }
  }

  /// Small files that hold what was learned: they are not there in each life, so one is made.
  @Test(arguments: [
    ("delivery.json", ""),
    (
      "resources.json",
      """
        update_resources: true
        deliver: {to: supabase}
        supabase: {url: "http://127.0.0.1:9/", api_key: k, email: a@example.com, password: p}
      """
    ),
  ])
  func theThirdStartLivesWithoutWhatWasLearned(input: String, more: String) async throws {
    try await lived(more: more) { scene in
      let place = scene.folder.path + "/state/" + input
      try #"{"version":1}"#.write(toFile: place, atomically: true, encoding: .utf8)
      #expect(chmod(place, 0o600) == 0)
      let trap = "\(input):reading"
      for _ in 0..<2 { try await scene.dies(of: trap) }
      #expect(scene.aside.isEmpty, "put aside too early: \(scene.aside)")
      try await livesWithout(input, scene, trap: trap, isAlone: false)
    }
  }

  /// The API goes on to send the list that was put aside: it is not taken again, and a changed one is.
  @Test func aPoisonedListThatComesAgainIsHeld() async throws {
    try await lived { scene in
      let trap = "checks.json:used"
      for _ in 0..<2 { try await scene.dies(of: trap) }
      let process = try scene.start(trap)
      var text = ""
      try await process.wait(for: "the API being asked") { process.stderr.contains("quarantined") }
      try await eventually("that it is said", process) {
        text = try await agent("status", in: scene.folder).stdout
        return text.contains("a changed one is taken")
      }
      process.send(SIGTERM)
      #expect(try await process.finish().status == 0)
      scene.backend.checks = []
      let next = try scene.start()
      try await next.wait(for: "the new list") {
        FileManager.default.fileExists(atPath: scene.folder.path + "/state/checks.json")
      }
      next.send(SIGTERM)
      #expect(try await next.finish().status == 0)
    }
  }

  /// What a segment held is told as lost, and the segment is kept as it was.
  @Test func aPoisonedSegmentIsALossThatIsTold() async throws {
    try await lived { scene in
      let trap = try scene.segment() + ":reading"
      for _ in 0..<2 { try await scene.dies(of: trap) }
      try await livesWithout("spool/results", scene, trap: trap)
      let list = try await agent("spool", "ls", in: scene.folder)
      #expect(list.stdout.contains("lost "), "\(list.stdout)\(list.stderr)")
      let name = try #require(scene.aside.first)
      let bytes = try Data(contentsOf: scene.folder.appending(path: "state/spool/\(name)"))
      #expect(bytes.count > 4096 && bytes.prefix(4) == Data([0x51, 0x53, 0x45, 0x47]))
      // As docs/durability.md has it.
      let rescue = scene.folder.appending(path: "rescue/spool")
      try FileManager.default.createDirectory(
        at: rescue, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try bytes.write(to: rescue.appending(path: name.replacing("aside-", with: "")))
      let export = try await agent(
        "spool", "export", "--state-dir", scene.folder.path + "/rescue", in: scene.folder)
      #expect(export.stdout.split(separator: "\n").count >= 2, "\(export.stdout)\(export.stderr)")
    }
  }

  /// SIGKILL while nothing is being read takes nothing away; SIGKILL out of a reader that never ends does, at the third start.
  @Test func killsFromOutside() async throws {
    try await lived { scene in
      for _ in 0..<3 {
        let seen = scene.web.accepted
        let process = try scene.start()
        try await process.wait(for: "a probe") { scene.web.accepted > seen }
        process.send(SIGKILL)
        _ = try await process.finish()
      }
      #expect(scene.aside.isEmpty)
      let quiet = try scene.start()
      let seen = scene.web.accepted
      try await quiet.wait(for: "a probe") { scene.web.accepted > seen }
      #expect(!quiet.stderr.contains("put aside"))
      quiet.send(SIGTERM)
      #expect(try await quiet.finish().status == 0)
      let journal = scene.folder.appending(path: "state/starts.json")
      for deaths in 0..<2 {
        let process = try scene.start("windows/0000:hanging")
        try await process.wait(for: "the reader") {
          // The file is still that of the start before until this one counts it.
          let text = try String(contentsOf: journal, encoding: .utf8)
          return text.contains("\"reading\":[{\"name\":\"windows/0000\"")
            && (deaths == 0 || text.contains("\"count\":\(deaths)"))
        }
        process.send(SIGKILL)
        _ = try await process.finish()
      }
      try await livesWithout("windows/0000", scene, trap: "windows/0000:hanging")
    }
  }
}
