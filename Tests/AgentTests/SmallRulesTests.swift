// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Glibc
import History
import Logging
import Monitoring
import Scheduler
import StatusServer
import TestSupport
import Testing

@testable import Agent
@testable import Status

/// Small rules of the agent: files, objectives, windows for the apps, the supervisor, and the public page's settings.
@Suite struct SmallRulesTests {
  /// A file of just the limit is read, a longer one is refused in whole MiB; what is no file is named.
  @Test func wholeFiles() async throws {
    try await withTemporaryDirectory { folder in
      func words(_ name: String, _ limit: Int) -> String? {
        do throws(UnreadableFile) {
          _ = try readWhole("\(folder.path)/\(name)", limit: limit)
          return nil
        } catch { return error.words.replacing(folder.path + "/", with: "") }
      }
      let bytes = [UInt8](repeating: 7, count: 1 << 20 + 1)
      try Data(bytes).write(to: folder.appending(path: "a"))
      #expect(try readWhole(folder.path + "/a", limit: bytes.count) == bytes)
      #expect(words("a", bytes.count - 1) == "a: is larger than 1 MiB" && words("a", 3 << 20) == nil)
      #expect(words("b", 9) == "b: No such file or directory")
      try FileManager.default.createDirectory(
        at: folder.appending(path: "c"), withIntermediateDirectories: true)
      #expect(words("c", 9) == "c: Is a directory")
      try Data().write(to: folder.appending(path: "d"))
      #expect(try readWhole(folder.path + "/d", limit: 0) == [])
    }
  }

  /// The strictest objective of the rules for a check; other rules name none.
  @Test func objectives() throws {
    let checks = [try tcpCheck("Shop"), try tcpCheck("Mail"), try tcpCheck("Bank")]
    let history = HistoryStore()
    let now = FakeClock.start
    history.apply(checks.dropLast(), now: now)
    let period = CalendarPeriod.Unit.month.period(of: now)
    func objectives(_ rules: [AlertRule]) -> [Double?] {
      let found = history.periods(through: period, count: 2, now: now, rules: rules, checks: checks)
      #expect(Set(found.keys) == Set(checks.dropLast().map(\.id)))
      #expect(found.values.allSatisfy { $0.periods.count == 2 })
      return checks.map { found[$0.id]?.objective }
    }
    func burn(_ objective: Double, _ names: String...) -> AlertRule {
      AlertRule(
        "b\(objective)", .burnRate(objective: objective), severity: .high,
        selection: MaintenanceSelection(checks: Set(names.map { ByteText($0) })))
    }
    #expect(objectives([]) == [nil, nil, nil] && objectives(AlertRule.defaults) == [nil, nil, nil])
    #expect(objectives([burn(99.9)]) == [99.9, 99.9, nil])
    #expect(objectives([burn(99, "Shop"), burn(99.5, "Shop"), burn(98, "Mail")]) == [99.5, 98, nil])
    #expect(objectives(AlertRule.defaults + [burn(99, "Mail", "Bank")]) == [nil, 99, nil])
  }

  /// The windows for the apps are worked out once a minute, after each change, and after a clock that was set back.
  @Test func windowsForTheApps() throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "192.0.2.1", 80)
    definition.resource = UniqueID(high: 1, low: 1).description
    let check = try MonitoringCheck(definition)
    let book = MaintenanceBook(file: [], agent: "a")
    book.replace(checks: [check])
    let now = FakeClock.start
    func window(_ name: String) -> MaintenanceWindow {
      MaintenanceWindow(
        id: UniqueID(high: 9, low: 9), name: name, selection: MaintenanceSelection(), from: now,
        until: now.advanced(by: .seconds(3600)), skip: false)
    }
    var asked = 0
    func titles(after wait: Duration) -> [String] {
      book.forApps(
        now: now.advanced(by: wait),
        isPosted: { _ in
          asked += 1
          return true
        }, isRunHere: { _ in true }
      ).map(\.title)
    }
    book.replace(hand: [window("one")])
    #expect(titles(after: .zero) == ["one"])
    var before = asked
    #expect(titles(after: .milliseconds(59_999)) == ["one"] && asked == before)
    #expect(titles(after: .seconds(60)) == ["one"] && asked > before)
    before = asked
    #expect(titles(after: .milliseconds(59_999)) == ["one"] && asked > before, "the clock was set back")
    book.replace(hand: [window("two")])
    #expect(titles(after: .seconds(60)) == ["two"])
  }

  /// What systemd hears: that the agent is ready with the first beat, and a sign of life with each; nothing while a thread is
  /// stuck.
  @Test func wordsForTheSupervisor() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/notify"
      let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      try #require(receiver >= 0)
      defer { close(receiver) }
      var storage = sockaddr_un()
      storage.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let isBound = withUnsafePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      try #require(isBound)
      func heard() -> String? {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = recv(receiver, &buffer, buffer.count, 0)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
      }
      let supervisor = try #require(
        Supervisor(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000000"]))
      let isWell = Well()
      let pulse = supervisor.pulse(checks: { 2 }, isWell: { isWell.value })
      isWell.value = false
      pulse.beat()
      #expect(heard() == nil)
      isWell.value = true
      pulse.beat()
      #expect(heard() == "READY=1\nSTATUS=probing 2 checks\nWATCHDOG=1")
      pulse.beat()
      #expect(heard() == "WATCHDOG=1" && heard() == nil)
      isWell.value = false
      pulse.beat()
      #expect(heard() == nil)
      supervisor.tell("STOPPING=1", "STATUS=x")
      #expect(heard() == "STOPPING=1\nSTATUS=x")
    }
  }

  /// Every setting of the public page, and those that a further page has of its own.
  @Test func thePublicPage() async {
    var settings = PublicSettings()
    var (group, link, page) = (PublicGroup(), PublicLink(), PublicPageSettings())
    (group.tag, group.title) = ("web", "Sites")
    (link.title, link.url) = ("Help", "https://help.example/")
    (page.name, page.title, page.groups, page.checks) = ("shop", "The shop", [], ["Cart"])
    settings.title = "Status of it"
    (settings.groups, settings.checks, settings.hideTargets) = ([group], ["Mail"], false)
    (settings.language, settings.announce) = (.german, .seconds(3600))
    (settings.maintenanceNames, settings.color, settings.darkColor) = (true, "#111111", "#eeeeee")
    (settings.links, settings.imprint) = ([link], "https://imprint.example/")
    (settings.footer, settings.pages, settings.logo) = ("foot", [page], "/nowhere/logo.png")
    let lines = FullLines(hasLevels: true)
    let face = await PublicFace(settings, Logger(label: "test") { _ in lines })
    #expect(face.title == "Status of it" && face.path == "" && face.checks == ["Mail"] && !face.hidesTargets)
    #expect(face.groups.map(\.tag) == ["web"] && face.groups.map(\.title) == ["Sites"])
    #expect(face.language == .german && face.announce == .seconds(3600) && face.namesMaintenance)
    #expect(face.color == "#111111" && face.darkColor == "#eeeeee" && face.footer == "foot")
    #expect(face.links.map(\.title) == ["Help"] && face.links.map(\.url) == ["https://help.example/"])
    #expect(face.imprint == "https://imprint.example/" && face.logo == nil)
    #expect(
      lines.all == [
        "warning status.public.logo: /nowhere/logo.png: No such file or directory: the page has no logo"
      ])
    let further = face.pages.first
    #expect(face.pages.count == 1 && further?.title == "The shop" && further?.path == "/shop")
    #expect(further?.groups.isEmpty == true && further?.checks == ["Cart"] && further?.pages.isEmpty == true)
    #expect(further?.language == .german && further?.color == "#111111" && further?.hidesTargets == false)
  }

  /// A picture is served; what is none is told of.
  @Test func logos() async throws {
    try await withTemporaryDirectory { folder in
      let (png, text) = (folder.appending(path: "a.png"), folder.appending(path: "b.txt"))
      try Data([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]).write(to: png)
      try Data("hello".utf8).write(to: text)
      for (path, isOne) in [(png.path, true), (text.path, false)] {
        var settings = PublicSettings()
        settings.logo = path
        let lines = FullLines(hasLevels: true)
        let face = await PublicFace(settings, Logger(label: "test") { _ in lines })
        #expect((face.logo != nil) == isOne)
        #expect(
          lines.all
            == (isOne
              ? []
              : [
                "warning status.public.logo: \(path) is no PNG, JPEG, WebP or SVG of at most 64 KiB: the page has no logo"
              ]))
      }
    }
  }

  /// The rights of the status server, each in its place.
  @Test func rightsOfTheServer() {
    var settings = StatusSettings()
    (settings.runNowToken, settings.readToken) = (Redacted("run"), Redacted("read"))
    (settings.allowUnauthenticated, settings.hosts) = (true, ["a.example"])
    let access = StatusAccess(settings, memberToken: Redacted("member"))
    #expect(access.runNowToken == Redacted("run") && access.readToken == Redacted("read"))
    #expect(access.memberToken == Redacted("member") && access.allowUnauthenticated)
    #expect(access.hosts == ["a.example"])
    let none = StatusAccess(StatusSettings())
    #expect(none.runNowToken == nil && none.readToken == nil && none.memberToken == nil)
    #expect(!none.allowUnauthenticated && none.hosts.isEmpty)
  }
}

private final class Well: @unchecked Sendable {
  var value = true
}
