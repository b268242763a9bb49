// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// Maintenance windows of an agent as the Quartz apps can have them: windows of whole resources.
@Suite struct AppWindowTests {
  private let shop = UniqueID(high: 1, low: 1)
  private let mail = UniqueID(high: 1, low: 2)
  private let now = Timestamp(seconds: 1_767_571_200)  // 2026-01-05T00:00:00Z
  private let mark = AppWindow.Mark(agent: "london-1")

  private func check(_ name: String, of resource: UniqueID?, enabled: Bool = true) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "192.0.2.1", 80)
    (definition.resource, definition.plan.enabled) = (resource?.description, enabled)
    return try MonitoringCheck(definition)
  }

  private func byHand(_ checks: Set<ByteText> = [], from: Int64 = -60, until: Int64 = 3600)
    -> MaintenanceWindow
  {
    MaintenanceWindow(
      id: UniqueID(high: 9, low: 9), name: "deploy", selection: MaintenanceSelection(checks: checks),
      from: now.advanced(by: .seconds(from)), until: now.advanced(by: .seconds(until)), skip: false)
  }

  private func file(start: String, every repetition: String? = nil, resources: [UniqueID] = []) throws
    -> MaintenanceWindow
  {
    var definition = MaintenanceDefinition()
    (definition.name, definition.start, definition.duration) = ("backup", start, .seconds(3600))
    definition.repetition = repetition
    definition.resources = resources.isEmpty ? nil : resources.map(\.description)
    return try MaintenanceWindow(definition)
  }

  private func shown(
    _ windows: [MaintenanceWindow], _ checks: [MonitoringCheck],
    isPosted: (MonitoringCheck) -> Bool = { _ in true },
    isRunHere: (UniqueID) -> Bool = { _ in true }, at time: Timestamp? = nil
  ) -> [AppWindow] {
    MaintenancePlan(windows, checks: checks).forApps(
      checks, mark: mark, now: time ?? now, isPosted: isPosted, isRunHere: isRunHere)
  }

  @Test func aWindowOfAllChecksOfAResource() throws {
    let checks = [try check("Front", of: shop), try check("Back", of: shop), try check("MX", of: mail)]
    let found = shown([byHand(["Front", "Back"])], checks)
    let window = try #require(found.first)
    #expect(found.count == 1 && window.resource == shop)
    #expect(window.checks == checks.prefix(2).map(\.id).sorted())
    #expect(
      window.from == now.advanced(by: .seconds(-60)) && window.until == now.advanced(by: .seconds(3600)))
    #expect(window.title == "deploy" && mark.isOn(window.id))
    #expect(shown([byHand()], checks).map(\.resource).sorted() == [shop, mail])
  }

  /// A window of the app holds for the whole resource: one of a part of it is none.
  @Test func aWindowOfAPartIsNotShown() throws {
    let (front, back) = (try check("Front", of: shop), try check("Back", of: shop))
    #expect(shown([byHand(["Front"])], [front, back]) == [])
    // What is off, of no resource or unknown to the receiver is no part of it.
    let off = try check("Off", of: shop, enabled: false)
    #expect(shown([byHand(["Front"])], [front, off, try check("Lone", of: nil)]).count == 1)
    #expect(shown([byHand(["Front"])], [front, back], isPosted: { $0.name == "Front" }).count == 1)
    #expect(shown([byHand()], [try check("Lone", of: nil)]) == [])
  }

  @Test func timesOfAWindow() throws {
    let front = try check("Front", of: shop)
    // Over, and to come in more than a day.
    #expect(shown([byHand(from: -120, until: -60)], [front]) == [])
    #expect(shown([try file(start: "2026-01-06T00:00")], [front]) == [])
    #expect(shown([try file(start: "2026-01-05T23:59")], [front]).count == 1)
    let nightly = try file(start: "2026-01-01T23:30", every: "daily")
    let first = try #require(shown([nightly], [front]).first)
    #expect(
      first.from == now.advanced(by: .seconds(-1800)) && first.until == now.advanced(by: .seconds(1800)))
    // The same time is the same window; the next one is another.
    #expect(shown([nightly], [front], at: now.advanced(by: .seconds(1799))) == [first])
    let second = try #require(shown([nightly], [front], at: now.advanced(by: .seconds(1800))).first)
    #expect(second.from == first.from.advanced(by: .seconds(86_400)) && second.id != first.id)
  }

  /// Windows of the API are there already.
  @Test func windowsOfTheAPIAreNotShown() throws {
    let window = try MaintenanceWindow(
      id: UniqueID(high: 3, low: 3), title: "app", resource: shop, starts: now,
      ends: now.advanced(by: .seconds(60)), repetition: nil)
    #expect(shown([window], [try check("Front", of: shop)]) == [])
  }

  /// In a group one member shows a window of the file, and a window by hand is about what its agent runs.
  @Test func membersOfAGroup() throws {
    let checks = [try check("Front", of: shop), try check("Back", of: shop)].sorted { $0.id < $1.id }
    let config = try file(start: "2026-01-05T00:00")
    for (owned, isFileShown, isHandShown) in [
      ([0, 1], true, true), ([0], true, false), ([1], false, false), ([], false, false),
    ] as [([Int], Bool, Bool)] {
      let ids = Set(owned.map { checks[$0].id })
      #expect(shown([config], checks, isRunHere: ids.contains).count == (isFileShown ? 1 : 0))
      #expect(shown([byHand()], checks, isRunHere: ids.contains).count == (isHandShown ? 1 : 0))
    }
  }

  @Test func idsAreTheAgentsOwn() throws {
    let front = try check("Front", of: shop)
    let id = try #require(shown([byHand()], [front]).first?.id)
    #expect(AppWindow.Mark(agent: "london-1").isOn(id) && !AppWindow.Mark(agent: "london-2").isOn(id))
    #expect(!mark.isOn(UniqueID(high: 1, low: 1)))
    #expect(
      id.description.dropFirst(14).first == "8" && "89ab".contains(id.description.dropFirst(19).first ?? "x"))
  }

  @Test func theyAreBounded() throws {
    let checks = try (0..<300).map { number in
      try check("Check \(number)", of: UniqueID(high: 4, low: UInt64(number)))
    }
    let many = shown([byHand()], checks)
    #expect(many.count == 200 && many.map(\.id) == many.map(\.id).sorted())
    let large = try (0..<6000).map { try check("Check \($0)", of: UniqueID(high: 4, low: UInt64($0 / 1000))) }
    #expect(shown([byHand()], large).map(\.checks.count) == [1000, 1000, 1000, 1000, 1000])
  }

  /// Five thousand checks of all windows together, and not one more.
  @Test func checksOfAllWindowsAreBounded() throws {
    var checks = try (0..<5000).map { try check("Check \($0)", of: shop) }
    #expect(shown([byHand()], checks).map(\.checks.count) == [5000])
    checks.append(try check("One more", of: shop))
    #expect(shown([byHand()], checks) == [])
  }

  /// Ids are UUIDs of version 8 whatever they are made of, and no two windows have the same.
  @Test func idsHaveTheirForm() throws {
    let checks = try (0..<100).map { try check("C\($0)", of: UniqueID(high: 4, low: UInt64($0))) }
    let ids = shown([byHand()], checks).map(\.id)
    #expect(Set(ids).count == 100 && ids.allSatisfy { mark.isOn($0) })
    #expect(ids.allSatisfy { $0.high >> 12 & 0xf == 8 && $0.low >> 62 == 2 })
    // Of the name and the begin, where the window has no id of its own.
    let front = try check("Front", of: shop)
    let named = ["2026-01-05T00:00", "2026-01-05T01:00"].compactMap {
      try? shown([file(start: $0)], [front]).first?.id
    }
    #expect(named.count == 2 && named[0] != named[1])
    // The version is part of the mark: 16 bits of an id are not the mark's alone.
    #expect(!mark.isOn(UniqueID(high: ids[0].high ^ 0x1000, low: ids[0].low)))
    #expect(!mark.isOn(UniqueID(high: ids[0].high ^ 0x1_0000, low: ids[0].low)))
    #expect(mark.isOn(UniqueID(high: ids[0].high ^ 0x1, low: ids[0].low ^ 0x1)))
  }

  /// The title is one line of the length of a name; a window that begins in a day less a microsecond is shown.
  @Test func titlesAndTheDayAhead() throws {
    let front = try check("Front", of: shop)
    let long = MaintenanceWindow(
      id: UniqueID(high: 9, low: 9), name: "a\n" + String(repeating: "x", count: 300),
      selection: MaintenanceSelection(), from: now, until: now.advanced(by: .seconds(60)), skip: false)
    let title = try #require(shown([long], [front]).first?.title)
    #expect(title.hasPrefix("a\\u{a}x") && title.utf8.count == 200)
    let tomorrow = try file(start: "2026-01-06T00:00")
    #expect(shown([tomorrow], [front], at: now.advanced(by: .microseconds(1))).count == 1)
    #expect(AppWindow.ahead == .seconds(86_400) && AppWindow.most == 200 && AppWindow.mostChecks == 5000)
  }
}
