// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import QuartzAPI

/// Alerts of the apps in an answer, and acknowledgements in a request.
@Suite struct ContactAlertsTests {
  private let check = UniqueID(high: 2, low: 9)
  private let other = UniqueID(high: 2, low: 10)

  private func words(_ json: String) throws -> ContactWords {
    ContactWords(try JSONValue.parse(Array(json.utf8)))
  }

  private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

  @Test func whatIsUnderstood() throws {
    let said = try words(
      #"{"now":"2026-11-25T13:11:30.5-03:30","apps":"on","alerts":{"version":98,"more":true,"open":["#
        + #"{"id":"x","check_id":"\#(check)","kind":"availability","severity":"critical","#
        + #""since":"2026-11-25T16:41:27Z","acknowledged_at":"2026-11-25T16:42:00.123456+00:00","#
        + #""acknowledged_by":"Ann Smith"},"#
        + #"{"check_id":"\#(check)","kind":"certificate","since":null,"acknowledged_at":null},"#
        + #"{"check_id":"\#(other)","kind":"performance","acknowledged_at":"2026-11-25T16:42:00Z","#
        + #""acknowledged_by":"root (looking)","acknowledged_agent":"london-1"}],"#
        + #""closed_by_hand":[{"check_id":"\#(other)","kind":"availability","at":"2026-11-25T16:43:00Z"}]}}"#)
    #expect(said.makesAlerts)
    #expect(said.now == (try time("2026-11-25T16:41:30.500Z")))
    var alerts = AppAlerts(version: 98)
    alerts.isCut = true
    alerts.open = [
      .init(check, .availability): .init(
        since: try time("2026-11-25T16:41:27Z"),
        acknowledged: .init(at: try time("2026-11-25T16:42:00.123Z"), by: "Ann Smith")),
      .init(check, .certificate): .init(since: nil),
      .init(other, .performance): .init(
        since: nil,
        acknowledged: .init(at: try time("2026-11-25T16:42:00Z"), by: "root (looking)", agent: "london-1")),
    ]
    alerts.closed = [.init(other, .availability): try time("2026-11-25T16:43:00Z")]
    #expect(said.alerts == alerts)
    #expect(
      alerts.acknowledgements.map(\.said.words) == [
        "Ann Smith in the Quartz app", "an operator in the Quartz app", "root (looking) at agent london-1",
      ])
  }

  /// `apps` alone says that all is as it was; without either, the receiver makes no alerts.
  @Test(
    arguments: [
      (#"{"apps":"on"}"#, true, nil), (#"{"apps":"shadow"}"#, false, nil), (#"{"apps":7}"#, false, nil),
      ("{}", false, nil),
      (#"{"alerts":{"version":1,"open":[]}}"#, true, 1), (#"{"alerts":{"version":1}}"#, false, nil),
      (#"{"alerts":{"version":"1","open":[]}}"#, false, nil), (#"{"alerts":[]}"#, false, nil),
      (#"{"alerts":{"version":1.5,"open":[]},"apps":"on"}"#, true, nil),
    ] as [(String, Bool, Int64?)])
  func whetherThereAreAny(json: String, makes: Bool, version: Int64?) throws {
    let said = try words(json)
    #expect(said.makesAlerts == makes && said.alerts?.version == version)
  }

  @Test func aHostileAnswerIsBounded() throws {
    let long = String(repeating: "a", count: 5000)
    var items = [
      "7", "null", "[]", "{}", #"{"check_id":"x","kind":"availability"}"#, #"{"check_id":"\#(check)"}"#,
      #"{"check_id":"\#(check)","kind":"budget"}"#, #"{"check_id":"\#(check)","kind":"agent"}"#,
      #"{"check_id":"\#(check)","kind":"x"}"#,
      #"{"check_id":"\#(check)","kind":"availability","acknowledged_at":"9999-99-99T00:00:00Z","since":7}"#,
      #"{"check_id":"\#(other)","kind":"availability","acknowledged_at":"2026-11-25T16:42:00Z","#
        + #""acknowledged_by":"a\u0000b\u001b[31m\#(long)","acknowledged_agent":{"a":1}}"#,
    ]
    let few = try #require(
      try words(#"{"alerts":{"version":-1,"open":[\#(items.joined(separator: ","))]}}"#).alerts)
    #expect(
      few.version == -1 && Set(few.open.keys) == [.init(check, .availability), .init(other, .availability)])
    #expect(few.open[.init(check, .availability)] == .init(since: nil))
    let by = try #require(few.open[.init(other, .availability)]?.acknowledged?.by)
    #expect(by.utf8.count <= 60 && by.hasPrefix("a"))
    #expect(by.utf8.allSatisfy { $0 >= 0x20 })
    items = (0..<1000).map {
      #"{"check_id":"\#(UniqueID(high: 3, low: UInt64($0)))","kind":"availability","at":"2026-11-25T16:42:00Z"}"#
    }
    let list = items.joined(separator: ",")
    let many = try #require(
      try words(#"{"alerts":{"version":1,"open":[\#(list)],"closed_by_hand":[\#(list)]}}"#).alerts)
    #expect(many.open.count == 400 && many.closed.count == 200)
  }

  /// What goes with a batch: versions and acknowledgements where there are any, and never more than a hundred.
  @Test(arguments: [0, 1, 150]) func whatIsSaid(count: Int) async throws {
    let fake = FakeQuartz(now: { 0 })
    let wire = Wire(exchange: InProcess(fake: fake), now: { dawn }) { _ throws(CancellationError) in }
    let keys = KeyRing(Redacted(FakeQuartz.key))
    var desk = ContactDesk(can: ["acks"], heard: { _ in }) { _ in nil }
    desk.say = {
      var saying = ContactSaying()
      guard count > 0 else { return saying }
      (saying.list, saying.alerts) = (41, 97)
      saying.acks = (0..<count).map {
        AppAck(
          .init(UniqueID(high: 2, low: UInt64($0)), .availability), at: dawn, by: "root",
          why: $0 == 0 ? "looking" : nil)
      }
      return saying
    }
    let transport = QuartzTransport(
      QuartzSettings(url: try HTTPURL("https://api.test/v1"), apiKey: keys.key), keys: keys,
      agent: Sender(name: "bench", region: nil, version: "1.0"), over: wire, contact: desk)
    _ = try await transport.deliver([])
    let agent = try #require(fake.lastAgent)
    #expect(agent["have"] == (count > 0 ? FakeJSON(Array(#"{"list":41,"alerts":97}"#.utf8)) : nil))
    #expect(agent["acks"]?.array?.count == (count > 0 ? min(count, 100) : nil))
    guard count > 0 else { return }
    let first =
      #"{"check_id":"\#(UniqueID(high: 2, low: 0))","kind":"availability","at":"\#(dawn.rfc3339)","by":"root","why":"looking"}"#
    #expect(agent["acks"]?.array?.first == FakeJSON(Array(first.utf8)))
  }

  /// An object says that windows are taken, and which version is there.
  @Test(
    arguments: [
      (#"{"windows":{"version":"0123456789abcdef"}}"#, "0123456789abcdef"),
      (#"{"windows":{"version":null}}"#, ""),
      (#"{"windows":{}}"#, ""), (#"{"windows":{"version":7}}"#, ""), (#"{"windows":null}"#, nil), ("{}", nil),
      (#"{"windows":["a"]}"#, nil), (#"{"windows":"x"}"#, nil),
    ] as [(String, String?)])
  func whetherWindowsAreTaken(json: String, version: String?) throws {
    #expect(try words(json).windowsVersion == version)
  }

  @Test func windowsAreWrittenWithTheirVersion() throws {
    let window = AppWindow(
      id: UniqueID(high: 1, low: 1), resource: UniqueID(high: 2, low: 2), checks: [check, other], from: dawn,
      until: dawn.advanced(by: .seconds(60)), title: "deploy")
    var saying = ContactSaying()
    saying.windows = AppWindows([window])
    var json = JSONWriter()
    json.object { saying.write(into: &$0) }
    let version = AppWindows([window]).version
    #expect(version.utf8.count == 16 && version != AppWindows([]).version)
    #expect(
      json.text
        == #"{"windows":{"version":"\#(version)","list":[{"id":"\#(window.id)","resource_id":"\#(window.resource)","#
        + #""checks":["\#(check)","\#(other)"],"from":"\#(dawn.rfc3339)","until":"\#(window.until.rfc3339)","title":"deploy"}]}}"#
    )
  }
}
