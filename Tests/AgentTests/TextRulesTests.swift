// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Logging
import Monitoring
import Scheduler
import Status
import TestSupport
import Testing
@testable import Agent
@testable import Spool

/// What the agent writes for people, programs and its own next start, word for word.
@Suite struct TextRulesTests {
  private let begin = Timestamp(seconds: 1_700_000_000)

  private func check(_ name: String, id: Int? = nil, interval: Duration = .seconds(60)) throws
    -> MonitoringCheck
  {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "192.0.2.1", 80)
    (definition.interval, definition.timeout) = (interval, .seconds(5))
    (definition.retries, definition.confirmDelay) = (0, .zero)
    if let id {
      (definition.id, definition.origin) = (UniqueID(high: 0x4000, low: UInt64(id)).description, .api)
    }
    return try MonitoringCheck(definition)
  }

  private func record(_ change: (inout DeliveryRecord) -> Void = { _ in }) -> DeliveryRecord {
    var record = DeliveryRecord(
      id: UniqueID(high: 1, low: 2), checkID: UniqueID(high: 3, low: 4), agent: "a", scheduledAt: begin,
      startedAt: begin.advanced(by: .milliseconds(3)), trigger: .schedule, status: .failure, state: .down,
      reason: .connectRefused, phase: nil, statusCode: nil, responseTime: nil, timings: Timings(),
      certificateNotAfter: nil, message: nil, flags: [])
    change(&record)
    return record
  }

  /// A stored result as a line of JSON: with all of its members, and with those that each result has.
  @Test func storedResults() {
    let (id, check) = (UniqueID(high: 1, low: 2), UniqueID(high: 3, low: 4))
    #expect(
      renderRecord(record(), check: nil, code: nil) == """
        {"id":"\(id)","check_id":"\(check)","agent":"a","scheduled_at":"2023-11-14T22:13:20.000Z",\
        "started_at":"2023-11-14T22:13:20.003Z","late_ms":3,"trigger":"schedule","status":"failure","state":"down",\
        "reason":"connect_refused","timings":{},"post":false}

        """)
    let whole = record {
      ($0.wireID, $0.ownerRevision, $0.phase, $0.message) = (UniqueID(high: 5, low: 6), 7, .connect, "no")
      ($0.statusCode, $0.responseTime, $0.flags) = (503, .milliseconds(12), [.post, .maintenance])
      $0.timings = Timings(connect: .milliseconds(11), total: .milliseconds(12))
      $0.certificateNotAfter = Timestamp(seconds: 1_800_000_000)
      $0.startedAt = begin.advanced(by: .milliseconds(-1))
    }
    #expect(
      renderRecord(whole, sequence: 9, check: "Shop", code: "23503") == """
        {"id":"\(id)","wire_id":"\(UniqueID(high: 5, low: 6))","owner_rev":7,"check_id":"\(check)","check":"Shop",\
        "agent":"a","scheduled_at":"2023-11-14T22:13:20.000Z","started_at":"2023-11-14T22:13:19.999Z","late_ms":0,\
        "trigger":"schedule","status":"failure","state":"down","reason":"connect_refused","phase":"connect",\
        "message":"no","status_code":503,"response_time_ms":12,"timings":{"connect_ms":11,"total_ms":12},\
        "certificate_not_after":"2027-01-15T08:00:00.000Z","post":true,"maintenance":true,"code":"23503","sequence":9}

        """)
  }

  /// The verdict on a store has a line for each thing that is wrong, and none for what is not.
  @Test func checkedStores() {
    var check = SpoolCheck()
    (check.segments, check.bytes, check.results, check.waiting) = (1, 2, 3, 4)
    (check.gaps, check.quarantined) = (5, 6)
    let sound = """
      sound        1 segment, 2 bytes read
      results      3, of these 4 to be delivered
      gap records  5
      quarantined  6

      """
    #expect(renderCheck(check) == sound)
    check.unknown = 7
    #expect(renderCheck(check) == sound + "unknown      7 records of another version\n")
    check.unknown = 1
    #expect(renderCheck(check) == sound + "unknown      1 record of another version\n")
    check.unknown = 0
    check.cursors = 1
    #expect(renderCheck(check) == sound + "cursor       damaged: its other copy counts\n")
    check.isCursorLost = true
    #expect(
      renderCheck(check) == sound.replacing("sound", with: "DAMAGED")
        + "cursor       damaged: the next start sends again what was delivered, with the same ids\n")
    (check.cursors, check.isCursorLost, check.unknown) = (0, false, 1)
    check.blank = ["results-1.seg"]
    #expect(
      renderCheck(check) == sound.replacing("sound", with: "DAMAGED")
        + "unknown      1 record of another version\nblank        results-1.seg: neither a header nor a record; "
        + "the next start counts its undelivered results as lost\n")
    (check.unknown, check.blank) = (7, [])
    (check.damaged, check.headers, check.unreadable) = (1, 8, ["a: EIO"])
    #expect(
      renderCheck(check) == sound.replacing("sound", with: "DAMAGED") + """
        damaged      1 place: the records there are lost, the next start counts them
        headers      8 damaged; the records behind them are whole
        unknown      7 records of another version
        unreadable   a: EIO: the disk does not give it back

        """)
    #expect(
      [0, 1, 2].map(renderResubmitted) == [
        "the quarantine is empty\n", "1 result will be sent again\n", "2 results will be sent again\n",
      ])
  }

  /// A list is compared by id: another name is a new name, other settings are a change, and a sixth name is counted.
  @Test func changesOfAList() throws {
    let before = [try check("a", id: 1), try check("b", id: 2), try check("c", id: 3), try check("d", id: 4)]
    let after = [
      try check("a", id: 1), try check("b2", id: 2), try check("c", id: 3, interval: .seconds(90)),
      try check("e", id: 5),
    ]
    let change = ListChange(from: before, to: after)
    #expect(change.added == ["e"] && change.removed == ["d"])
    #expect(change.changed == ["c"] && change.renamed == ["b -> b2"])
    #expect(change.facts.keys.sorted() == ["added", "changed", "removed", "renamed"])
    #expect(ListChange(from: before, to: before).facts.isEmpty)
    func added(_ count: Int) throws -> String {
      let checks = try (0..<count).map { try check("n\($0)", id: $0) }
      return ListChange(from: [], to: checks).facts["added"].map { "\($0)" } ?? ""
    }
    let five = (0..<5).map { StatusFormat.name("n\($0)") }.joined(separator: ", ")
    #expect(try added(5) == five)
    #expect(try added(6) == five + ", 1 more")
    #expect(try added(7) == five + ", 2 more")
  }

  /// `was` is the first name: of a check that was renamed before, or has an id of its own, the name of now is none.
  @Test func aSecondRenameSaysWhatItLoses() throws {
    func named(_ name: String, was: String? = nil, id: Int? = nil) throws -> MonitoringCheck {
      var definition = CheckDefinition()
      (definition.name, definition.was, definition.type) = (name, was, "tcp")
      definition.id = id.map { UniqueID(high: 1, low: UInt64($0)).description }
      (definition.host, definition.port) = ("a.example", 1)
      return try MonitoringCheck(definition)
    }
    let second = try named("Second", was: "First")
    let lost = ListChange(from: [second], to: [try named("Third", was: "Second")])
    #expect(lost.added == ["Third"] && lost.removed == ["Second"])
    #expect(
      lost.warnings.map(\.message) == [
        "\(StatusFormat.name("Third")) begins without the history of \(StatusFormat.name("Second")): was names the first name of a check"
      ])
    #expect(lost.warnings.first?.hint.hasSuffix("or replace it by id: \(second.id)") == true)
    let kept = ListChange(from: [second], to: [try named("Third", was: "First")])
    #expect(kept.renamed == ["Second -> Third"] && kept.warnings.isEmpty)
    let first = ListChange(from: [try named("First")], to: [second])
    #expect(first.renamed == ["First -> Second"] && first.warnings.isEmpty)
    // Another check that is called so is no rename.
    #expect(ListChange(from: [second], to: [try named("Second")]).warnings.isEmpty)
    #expect(
      ListChange(from: [try named("Own", id: 7)], to: [try named("New", was: "Own")]).warnings.count == 1)
  }

  /// What a member found of a resource's check, as others read it; larger bytes are none.
  @Test func findingsOfResources() {
    let finding = ResourceFinding(state: .degraded, at: begin)
    let text = #"{"state":"degraded","at":"2023-11-14T22:13:20.000Z"}"#
    #expect(String(decoding: finding.json, as: UTF8.self) == text)
    func read(_ text: String, _ size: Int) -> ResourceFinding? {
      ResourceFinding(json: Array(text.utf8) + [UInt8](repeating: 0x20, count: size - text.utf8.count))
    }
    #expect(read(text, text.utf8.count) == finding && read(text, 1024) == finding && read(text, 1025) == nil)
    #expect(read(#"{"state":"up"}"#, 20) == nil && read(#"{"at":"2023-11-14T22:13:20.000Z"}"#, 40) == nil)
  }

  /// A run takes its verdict to the slots that pass before its end, as far as a run can last; ids tell the end.
  @Test func slotsOfALongRun() throws {
    let check = try check("Shop", interval: .seconds(6))
    let hold = SlotHold(agent: "a")
    let slot = Timeline(agent: "a", check: check.id, interval: .seconds(6)).slot(after: begin)
    func spanned(_ milliseconds: Int64, version: UInt64 = 7, _ trigger: Trigger = .schedule) -> SlotRange? {
      let end = UInt64(slot.advanced(by: .milliseconds(milliseconds)).microseconds / 1000 + 1)
      return hold.spanned(
        by: record {
          ($0.id, $0.state) = (UniqueID(high: end << 16 | version << 12, low: 1 << 63), .up)
          ($0.scheduledAt, $0.trigger) = (slot, trigger)
        }, of: check)
    }
    // Ten seconds are the most: a timeout of five, and five of our own.
    #expect(check.longestRun == .seconds(10))
    let one = SlotRange(first: slot.advanced(by: .seconds(6)), count: 1, interval: .seconds(6))
    #expect(spanned(5900) == nil && spanned(6000) == one && spanned(9000) == one && spanned(90_000) == one)
    #expect(spanned(6000, version: 4) == nil && spanned(6000, .manual) == nil && spanned(-9000) == nil)
  }

  /// The journal of a start, byte for byte; what is of another version is no journal.
  @Test func theJournalOfAStart() {
    var journal = StartJournal()
    _ = journal.begin(boot: "one", signal: 0)
    journal.begins(StartInput("checks.json", sum: "a-1"))
    journal.uses(StartInput("x"))
    let text = """
      004
      {"version":1,"boot":"one","open":true,"reading":[{"name":"checks.json","sum":"a-1"}],\
      "used":[{"name":"x","sum":""}],"deaths":[],"aside":[]}

      """
    #expect(String(decoding: journal.encoded(signal: 4), as: UTF8.self) == text)
    func signal(_ first: String) -> Int {
      StartJournal.read(Array((first + text.dropFirst(3)).utf8)).signal
    }
    let signals = ["000", "011", "064", "065", "999", "-01", "4", "0004", "abc"].map(signal)
    #expect(signals == [0, 11, 64, 64, 64, 0, 0, 0, 0])
    let other = text.replacing("\"version\":1", with: "\"version\":2")
    #expect(StartJournal.read(Array(other.utf8)).journal == StartJournal())
  }

  /// What was put aside is told from a plain file of one name; a link to it and a pipe tell nothing.
  @Test func whatWasPutAside() async throws {
    try await withTemporaryDirectory { folder in
      var journal = StartJournal()
      journal.putAside(StartInput("checks.json", sum: "a"), to: "one", at: begin, version: "1")
      journal.putAside(StartInput("windows/1", sum: "b"), to: "two", at: begin, version: "1")
      let path = folder.path + "/" + StartWatch.fileName
      try Data(journal.encoded()).write(to: URL(filePath: path))
      try Data().write(to: URL(filePath: folder.path + "/one"))
      #expect(asideNotices(in: folder.path) == journal.aside.prefix(1).map(\.notice))
      #expect(link(path, folder.path + "/other") == 0)
      #expect(asideNotices(in: folder.path) == [])
      #expect(unlink(path) == 0 && symlink("other", path) == 0)
      #expect(asideNotices(in: folder.path) == [])
      #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
      #expect(asideNotices(in: folder.path) == [] && asideNotices(in: folder.path + "/none") == [])
    }
  }
}
