// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// Bounds of dependencies, announcements, orders and alerts of the apps, and the documents that are kept of them.
@Suite struct GraphLimitsTests {
  private func check(
    _ name: String, tags: [String] = [], on parents: [String] = [], id: UniqueID? = nil
  ) throws -> MonitoringCheck {
    var definition = CheckDefinition.tcp(host: "a.example", port: 443)
    (definition.name, definition.id) = (name, id?.description)
    (definition.plan.tags, definition.plan.dependsOn) = (tags, parents)
    return try MonitoringCheck(definition)
  }

  /// Of a tag that many checks have, 64 are parents, in the order of the list.
  @Test func parentsAreBounded() throws {
    let core = try (0..<70).map { try check("c\($0)", tags: ["core"]) }
    let shop = try check("Shop", on: ["c69", "tag:core", "c68"])
    let graph = DependencyGraph(core + [shop])
    let parents = graph.parents(of: shop.id).map(\.name)
    #expect(DependencyGraph.limit == 64 && parents == ["c69"] + (0..<63).map { "c\($0)" })
    #expect(graph.ancestors(of: shop.id).count == 64)
  }

  /// Ancestors are the parents first, then theirs, 64 of all of them.
  @Test func ancestorsAreBounded() throws {
    let far = try (0..<60).map { try check("f\($0)", tags: ["far"]) }
    let near = try (0..<10).map { try check("n\($0)", tags: ["near"], on: ["tag:far"]) }
    let shop = try check("Shop", on: ["tag:near"])
    let graph = DependencyGraph(far + near + [shop])
    let names = graph.ancestors(of: shop.id).map(\.name)
    #expect(names == (0..<10).map { "n\($0)" } + (0..<54).map { "f\($0)" })
  }

  /// A word is a name first, then an id; a tag is one by its prefix alone, and ids are known where there is a graph.
  @Test func whatAWordNames() throws {
    let one = try check("One")
    let named = try check(one.id.description, id: UniqueID(high: 5, low: 5))
    let shop = try check("Shop", on: [one.id.description])
    let mail = try check("Mail", tags: ["One"], on: ["One"])
    let graph = DependencyGraph([one, named, shop, mail])
    #expect(graph.parents(of: shop.id) == [named] && graph.parents(of: mail.id) == [one])
    #expect(graph.parent(one.id) == one && graph.parent(UniqueID(high: 9, low: 9)) == nil)
    #expect(!graph.isEmpty && DependencyGraph().isEmpty && DependencyGraph([one]).isEmpty)
    let round = DependencyGraph([try check("A", on: ["B"]), try check("B", on: ["A"])])
    #expect(round.cycle == ["A", "B", "A"])
    #expect(DependencyRule.tag(in: "tag:web") == "web" && DependencyRule.tag(in: "tag:") == "")
    #expect(DependencyRule.tag(in: "web") == nil && DependencyRule.tag(in: "Tag:web") == nil)
  }

  /// What is sent by hand is checked again where it was kept: two names' length at most, and no control character.
  @Test func targetsThatWereKept() {
    let long = String(repeating: "x", count: 401)
    #expect(OperatorTarget(kept: String(long.dropLast())) == .check(String(long.dropLast())))
    #expect(OperatorTarget(kept: long) == nil && OperatorTarget(kept: "a\nb") == nil)
    #expect(OperatorTarget(kept: "all") == .everything && OperatorTarget(kept: "tag:a") == .tag("a"))
  }

  /// Alerts of the apps by check, and those of one check by the name of their kind.
  @Test func keysOfTheAppsInOrder() {
    let (one, two) = (UniqueID(high: 1, low: 1), UniqueID(high: 1, low: 2))
    let ordered: [AppAlerts.Key] = [
      .init(one, .agent), .init(one, .availability), .init(one, .certificate), .init(one, .performance),
      .init(two, .agent), .init(two, .budget),
    ]
    #expect(ordered.shuffled().sorted() == ordered)
    #expect(!(AppAlerts.Key(one, .agent) < AppAlerts.Key(one, .agent)))
    #expect(AppAlerts.Acknowledgement.wordBytes == 160 && AppAck.most == 100)
    #expect(AppAlerts(version: 3).version == 3 && !AppAlerts(version: 3).isCut)
  }

  /// Monday, 5 January 2026, 00:00.
  private let monday = Timestamp(seconds: 1_767_571_200)
  private func at(_ seconds: Int64) -> Timestamp { monday.advanced(by: .seconds(seconds)) }

  private func window(_ name: String, from: Int64, until: Int64, id: UniqueID? = nil) -> MaintenanceWindow {
    MaintenanceWindow(
      origin: .local, id: id, name: name, selection: MaintenanceSelection(), start: LocalTime(at(from)),
      zone: .utc, length: .elapsed(.seconds(until - from)), repetition: .none, skip: false)
  }

  private func plan(_ windows: MaintenanceWindow...) -> MaintenancePlan {
    MaintenancePlan(windows, checks: [])
  }

  /// Announced at the very second, and forgotten at the very end.
  @Test func momentsOfAnAnnouncement() {
    let plan = plan(window("W", from: 7200, until: 10_800))
    let rows: [(Int64, Bool)] = [(3599, false), (3600, true), (7200, true), (10_799, true)]
    for (now, isAnnounced) in rows {
      var book = Announcements()
      let changed = book.look(plan, announce: .seconds(3600), now: at(now))
      #expect(changed == isAnnounced)
      #expect(Array(book.moments.values) == (isAnnounced ? [at(3600)] : []), "\(now)")
    }
    var book = Announcements()
    let looks = [3600, 3601, 10_799, 10_800, 10_801].map { (now: Int64) in
      book.look(plan, announce: .seconds(3600), now: at(now))
    }
    #expect(looks == [true, false, false, true, false] && book.moments.isEmpty)
  }

  /// After a first look what was due between two looks is told with its own moment, and what was due before with now.
  @Test func betweenTwoLooks() {
    for (from, moment) in [(7300, 3700), (7201, 3601), (7200, 3900), (7100, 3900)] as [(Int64, Int64)] {
      var book = Announcements()
      _ = book.look(plan(), announce: .seconds(3600), now: at(3600))
      _ = book.look(plan(window("W", from: from, until: 9000)), announce: .seconds(3600), now: at(3900))
      #expect(Array(book.moments.values) == [at(moment)], "\(from)")
    }
  }

  @Test func theDocumentOfAnnouncements() throws {
    let (one, two) = (
      window("A", from: 60, until: 120, id: UniqueID(high: 7, low: 7)), window("B", from: 60, until: 180)
    )
    var book = Announcements()
    _ = book.look(plan(one, two), announce: .seconds(60), now: monday)
    var json = JSONWriter()
    book.write(to: &json)
    let id = one.announcementID(at(60))
    let items = [
      (id, "2026-01-05T00:02:00.000Z"), (two.announcementID(at(60)), "2026-01-05T00:03:00.000Z"),
    ].sorted { $0.0 < $1.0 }.map {
      #"{"id":"\#($0.0)","at":"2026-01-05T00:00:00.000Z","end":"\#($0.1)"}"#
    }
    #expect(json.text == #"{"version":1,"announced":[\#(items.joined(separator: ","))]}"#)
    #expect(try #require(Announcements.read(json.bytes)).moments == book.moments)
    // The series is that of the window's id, else of its name, and each begin has an id of its own.
    #expect(id == .v5(namespace: UniqueID(high: 7, low: 7), name: "maintenance 2026-01-05T00:01:00.000Z"))
    let series = UniqueID.v5(namespace: MaintenanceWindow.publicNamespace, name: "B")
    #expect(
      two.announcementID(at(60)) == .v5(namespace: series, name: "maintenance 2026-01-05T00:01:00.000Z"))
    #expect(one.announcementID(at(61)) != id)
  }

  /// What is no entry is left out, and of more than 4096 the first are kept.
  @Test func whatIsReadOfAnnouncements() {
    func item(_ number: Int, at: String = "2026-01-05T00:00:00Z", end: String? = nil) -> String {
      #"{"id":"\#(UniqueID(high: 1, low: UInt64(number)))","at":"\#(at)","end":"\#(end ?? at)"}"#
    }
    func read(_ items: [String], version: Int = 1) -> Announcements? {
      Announcements.read(
        Array(#"{"version":\#(version),"announced":[\#(items.joined(separator: ","))]}"#.utf8))
    }
    let other = item(2, at: "x", end: "2026-01-05T00:00:00Z")
    #expect(read([item(1), other, item(3, end: "x"), "{}", item(4)])?.moments.count == 2)
    #expect(read([item(1)], version: 2) == nil && Announcements.read(Array("{".utf8)) == nil)
    #expect(Announcements.read(Array(#"{"version":1}"#.utf8))?.moments.isEmpty == true)
    let most = (0..<4096).map { item($0) }
    #expect(read(most)?.moments.count == 4096 && read(most + [item(5000)])?.moments.count == 4096)
  }

  @Test func windowsOfACheckByPlace() throws {
    let (front, back) = (try check("Front"), try check("Back"))
    let all = window("A", from: 0, until: 60)
    let one = MaintenanceWindow(
      id: UniqueID(high: 1, low: 1), name: "B", selection: MaintenanceSelection(checks: ["Front"]),
      from: at(30), until: at(90), skip: true)
    let plan = MaintenancePlan([all, one], checks: [front, back])
    #expect(plan.windows(of: front.id) == [0, 1] && plan.windows(of: back.id) == [0])
    #expect(plan.counts == [2, 1] && plan.windows(of: UniqueID(high: 9, low: 9)) == [])
    #expect(plan.active(front.id, from: at(59), through: at(60)).map(\.name) == ["A", "B"])
    #expect(plan.active(front.id, from: at(60), through: at(61)).map(\.name) == ["B"])
    #expect(plan.skips(front.id, at: at(40)) && !plan.skips(front.id, at: at(29)))
    #expect(!plan.skips(back.id, at: at(40)) && !plan.skips(UniqueID(high: 9, low: 9), at: at(40)))
    #expect(MaintenancePlan.none.counts == [] && MaintenancePlan.none.windows.isEmpty)
  }
}
